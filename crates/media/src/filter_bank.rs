//! Kaldi's filter bank of a sound, as `torchaudio.compliance.kaldi.fbank` makes it with a Hann window and no dither:
//! the logarithm of the power in bands that are evenly spaced on the mel scale, every 10 ms.

use std::sync::Arc;

use realfft::num_complex::Complex;
use realfft::{RealFftPlanner, RealToComplex};

/// Samples of a second.
pub const SAMPLE_RATE: u32 = 16_000;
/// Samples of a frame, 25 ms.
pub(crate) const FRAME_LEN: usize = 400;
/// Samples from the start of a frame to that of the next, 10 ms.
pub(crate) const FRAME_SHIFT: usize = 160;
/// Values of a frame.
pub(crate) const BAND_COUNT: usize = 112;

/// A frame is padded with zeros to the next power of two.
const PADDED_LEN: usize = 512;
const PREEMPHASIS: f32 = 0.97;
const LOWEST_HZ: f64 = 20.0;

/// The number of frames that lie in so many samples as a whole.
pub(crate) fn frame_count(sample_count: usize) -> usize {
    match sample_count.checked_sub(FRAME_LEN) {
        Some(rest) => rest / FRAME_SHIFT + 1,
        None => 0,
    }
}

pub(crate) struct FilterBank {
    fft: Arc<dyn RealToComplex<f32>>,
    window: [f32; FRAME_LEN],
    bands: Vec<Band>,
}

/// A triangle over neighbouring bins of the spectrum.
struct Band {
    first_bin: usize,
    weights: Vec<f32>,
}

impl FilterBank {
    pub fn new() -> Self {
        let window = std::array::from_fn(|at| {
            let turn = std::f64::consts::TAU * at as f64 / (FRAME_LEN - 1) as f64;
            (0.5 - 0.5 * turn.cos()) as f32
        });
        Self {
            fft: RealFftPlanner::new().plan_fft_forward(PADDED_LEN),
            window,
            bands: bands(),
        }
    }

    /// `count` frames from frame `first` on, `[count, BAND_COUNT]`, row-major.
    ///
    /// # Panics
    /// When there are fewer frames in the samples.
    pub fn frames(&self, samples: &[f32], first: usize, count: usize) -> Vec<f32> {
        let mut frame = self.fft.make_input_vec();
        let mut spectrum = self.fft.make_output_vec();
        let mut scratch = self.fft.make_scratch_vec();
        let mut values = Vec::with_capacity(count * BAND_COUNT);
        for start in (first..first + count).map(|index| index * FRAME_SHIFT) {
            self.shape(&samples[start..start + FRAME_LEN], &mut frame);
            self.fft
                .process_with_scratch(&mut frame, &mut spectrum, &mut scratch)
                .expect("the buffers are those of the plan");
            values.extend(self.bands.iter().map(|band| band.log_power(&spectrum)));
        }
        values
    }

    /// The mean taken out, high tones raised, and the ends faded.
    fn shape(&self, samples: &[f32], frame: &mut [f32]) {
        let sum: f64 = samples.iter().map(|&sample| f64::from(sample)).sum();
        let mean = (sum / FRAME_LEN as f64) as f32;
        let mut previous = samples[0] - mean;
        for ((shaped, &sample), &weight) in frame.iter_mut().zip(samples).zip(&self.window) {
            let centred = sample - mean;
            *shaped = (centred - PREEMPHASIS * previous) * weight;
            previous = centred;
        }
        frame[FRAME_LEN..].fill(0.0);
    }
}

impl Band {
    fn log_power(&self, spectrum: &[Complex<f32>]) -> f32 {
        let power: f32 = spectrum[self.first_bin..]
            .iter()
            .zip(&self.weights)
            .map(|(bin, weight)| bin.norm_sqr() * weight)
            .sum();
        power.max(f32::EPSILON).ln()
    }
}

fn mel(hz: f64) -> f64 {
    1127.0 * (hz / 700.0).ln_1p()
}

/// Triangles whose feet are the peaks of their neighbours, from 20 Hz to half the sample rate. The highest bin belongs to
/// none.
fn bands() -> Vec<Band> {
    let lowest = mel(LOWEST_HZ);
    let highest = mel(f64::from(SAMPLE_RATE) / 2.0);
    let step = (highest - lowest) / (BAND_COUNT + 1) as f64;
    let bin_mel = |bin: usize| mel(f64::from(SAMPLE_RATE) * bin as f64 / PADDED_LEN as f64);
    (0..BAND_COUNT)
        .map(|band| {
            let left = lowest + step * band as f64;
            let right = left + 2.0 * step;
            let inside = |&bin: &usize| left < bin_mel(bin) && bin_mel(bin) < right;
            let bins: Vec<usize> = (0..PADDED_LEN / 2).filter(inside).collect();
            let weight =
                |&bin: &usize| ((bin_mel(bin) - left).min(right - bin_mel(bin)) / step) as f32;
            Band {
                // A triangle may lie between two bins: the lowest ones are closer together than bins are.
                first_bin: bins.first().copied().unwrap_or(0),
                weights: bins.iter().map(weight).collect(),
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whole_frames_count() {
        let counts = [0, 399, 400, 559, 560, 16_000].map(frame_count);
        assert_eq!(counts, [0, 0, 1, 1, 2, 98]);
    }

    #[test]
    fn a_tone_is_loudest_in_the_band_around_it() {
        let tone: Vec<f32> = (0..FRAME_LEN)
            .map(|at| (at as f32 * std::f32::consts::TAU * 1000.0 / SAMPLE_RATE as f32).sin())
            .collect();
        let values = FilterBank::new().frames(&tone, 0, 1);
        let loudest = (0..BAND_COUNT)
            .max_by(|&a, &b| values[a].total_cmp(&values[b]))
            .unwrap();
        let step = (mel(8000.0) - mel(20.0)) / 113.0;
        let peak = mel(20.0) + step * (loudest + 1) as f64;
        assert!((peak - mel(1000.0)).abs() <= step, "band {loudest}");
    }
}
