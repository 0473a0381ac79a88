//! Rows of pixels of three bytes, convolved four pixels at a time.
//!
//! One instruction multiplies eight numbers of 16 bits with others and adds each two neighbouring products: here those of
//! a channel in two pixels. A weight has more bits, so it goes in as two numbers, whose sums are joined at the end. Sums
//! wrap, as those of one pixel after the other do, and are therefore the same to the last bit.

use wide::bytemuck::cast;
use wide::{i16x8, i32x4, u8x16};

use super::filter::Kernel;
use super::sample::{Sample, WEIGHT_BITS, added};

const CHANNELS: usize = 3;
/// Pixels of one step.
const TOGETHER: usize = 4;
/// Bytes that a step reads, of which four pixels have all but the last.
const READ: usize = 16;
/// Bits of a weight in the lower of its two numbers, which is not below 0.
const LOWER_BITS: u32 = 15;
const NONE: u8 = 0x80;
/// Picks from 16 bytes the channels of the first two pixels next to each other, each in 16 bits, and of the two behind
/// them.
const FIRST_TWO: [u8; 16] = two_pixels(0);
const NEXT_TWO: [u8; 16] = two_pixels(6);

const fn two_pixels(first: u8) -> [u8; 16] {
    let mut places = [NONE; 16];
    let mut channel = 0;
    while channel < CHANNELS {
        places[4 * channel] = first + channel as u8;
        places[4 * channel + 2] = first + (channel + CHANNELS) as u8;
        channel += 1;
    }
    places
}

/// A kernel, with its weights in the order in which they are multiplied.
struct Steps<'k> {
    kernel: &'k Kernel<i32>,
    steps: Vec<[Halves; 2]>,
}

/// The weights of two pixels, for each channel.
#[derive(Clone, Copy)]
struct Halves {
    lower: i16x8,
    upper: i16x8,
}

impl Halves {
    fn new(weights: [i32; 2]) -> Self {
        let each = |part: fn(i32) -> i32| {
            let [one, other] = weights.map(|weight| part(weight) as i16);
            i16x8::new([one, other, one, other, one, other, one, other])
        };
        Self {
            lower: each(|weight| weight & ((1 << LOWER_BITS) - 1)),
            upper: each(|weight| weight >> LOWER_BITS),
        }
    }
}

impl<'k> Steps<'k> {
    fn new(kernel: &'k Kernel<i32>) -> Self {
        let step = |weights: &[i32]| {
            let weight = |at: usize| weights.get(at).copied().unwrap_or(0);
            [[weight(0), weight(1)], [weight(2), weight(3)]].map(Halves::new)
        };
        Self {
            kernel,
            steps: kernel.weights.chunks(TOGETHER).map(step).collect(),
        }
    }

    #[inline(always)]
    fn convolved(&self, row: &[u8]) -> [u8; CHANNELS] {
        let samples = &row[self.kernel.start * CHANNELS..];
        let [mut lower, mut upper] = [[i32x4::ZERO; 2]; 2];
        let windows = samples.windows(READ).step_by(TOGETHER * CHANNELS);
        let readable = windows.len() * TOGETHER;
        for (bytes, step) in windows.zip(&self.steps) {
            let bytes = u8x16::from(bytes);
            let pixels = [FIRST_TWO, NEXT_TWO].map(|two| bytes.shuffle(u8x16::new(two)));
            for (two, pixels) in pixels.into_iter().enumerate() {
                let pixels: i16x8 = cast(pixels);
                lower[two] += pixels.dot(step[two].lower);
                upper[two] += pixels.dot(step[two].upper);
            }
        }
        let sums = lower[0] + lower[1] + ((upper[0] + upper[1]) << LOWER_BITS);
        let sums = sums + i32x4::splat(u8::START);
        let weights = &self.kernel.weights;
        if readable >= weights.len() {
            return first_three(finished(sums).to_array()).map(|sample| sample as u8);
        }
        // Behind the last pixels of a row there are not as many bytes as a step reads.
        let sums = added::<u8, CHANNELS>(
            first_three(sums.to_array()),
            &samples[readable * CHANNELS..],
            &weights[readable..],
        );
        sums.map(u8::finish)
    }
}

/// As [`Sample::finish`] of bytes, of four at once.
#[inline(always)]
fn finished(sums: i32x4) -> i32x4 {
    (sums >> WEIGHT_BITS)
        .max(i32x4::ZERO)
        .min(i32x4::splat(255))
}

#[inline(always)]
fn first_three([red, green, blue, _]: [i32; 4]) -> [i32; CHANNELS] {
    [red, green, blue]
}

/// Returns a function that convolves rows by these kernels.
pub(super) fn convolution(kernels: &[Kernel<i32>]) -> impl Fn(&[u8], &mut [u8]) {
    let columns: Vec<Steps<'_>> = kernels.iter().map(Steps::new).collect();
    move |row, convolved| {
        let (convolved, _) = convolved.as_chunks_mut();
        for (out, column) in convolved.iter_mut().zip(&columns) {
            *out = column.convolved(row);
        }
    }
}
