//! Quantisers: residuals, int8 codes, four-bit codes cut into planes.

use super::f32;
use crate::int8_codec::CODE_MAX;

const LANES: usize = 16;
/// Adding 1.5 * 2^23 leaves the rounded integer in the low bits of the mantissa; unlike a call to
/// round this becomes vector code everywhere.
const SHIFT: f32 = 12_582_912.0;

/// Panics unless the three have one length.
pub(crate) fn check_residual(x: &[f32], centre: &[f32], out: &[f32]) {
    let len = x.len();
    assert!(
        centre.len() == len && out.len() == len,
        "a centre and room for {len} components"
    );
}

/// Panics unless there is one code a component.
pub(crate) fn check_i8(v: &[f32], codes: &[i8]) {
    assert_eq!(v.len(), codes.len(), "one code a component");
}

/// Panics unless there is one code a component, in whole words, and four planes of one bit a code.
pub(crate) fn check_i4(v: &[f32], codes: &[i8], planes: &[u64]) {
    check_i8(v, codes);
    assert!(
        codes.len().is_multiple_of(64) && planes.len() == codes.len() / 16,
        "four planes of one bit a code"
    );
}

pub(crate) fn residual(x: &[f32], factor: f32, centre: &[f32], out: &mut [f32]) -> (f32, f32) {
    check_residual(x, centre, out);
    for ((out, x), centre) in out.iter_mut().zip(x).zip(centre) {
        *out = x * factor - centre;
    }
    let mut largest = [0.0f32; LANES];
    let (chunks, rest) = out.as_chunks::<LANES>();
    for chunk in chunks {
        for (largest, x) in largest.iter_mut().zip(chunk) {
            *largest = largest.max(x.abs());
        }
    }
    let largest = rest
        .iter()
        .chain(&largest)
        .fold(0.0, |largest: f32, x| largest.max(x.abs()));
    (largest, f32::dot(out, out))
}

pub(crate) fn encode_i8(v: &[f32], steps: f32, codes: &mut [i8]) -> i32 {
    check_i8(v, codes);
    for (code, x) in codes.iter_mut().zip(v) {
        let x = x * steps;
        let number = if x.is_nan() { 0.0 } else { x };
        let rounded = number.clamp(-CODE_MAX, CODE_MAX) + SHIFT;
        *code = rounded.to_bits().wrapping_sub(SHIFT.to_bits()) as i8;
    }
    codes.iter().map(|&code| i32::from(code)).sum()
}

pub(crate) fn encode_i4(v: &[f32], scale: f32, codes: &mut [i8], planes: &mut [u64]) -> (i32, f32) {
    let sums = codes_i4(v, scale, codes, planes);
    let words = codes.len() / 64;
    for (word, codes) in codes.as_chunks().0.iter().enumerate() {
        for (plane, bits) in split(codes).into_iter().enumerate() {
            planes[plane * words + word] = bits;
        }
    }
    sums
}

/// The part of a four-bit encoder that the compiler finds vectors for: all but the planes.
#[inline(always)]
pub(crate) fn codes_i4(v: &[f32], scale: f32, codes: &mut [i8], planes: &[u64]) -> (i32, f32) {
    check_i4(v, codes, planes);
    let (mut sums, mut products) = ([0; LANES], [0.0; LANES]);
    let chunks = v.as_chunks::<LANES>().0.iter();
    for (v, codes) in chunks.zip(codes.as_chunks_mut::<LANES>().0) {
        for lane in 0..LANES {
            let x = v[lane] * scale;
            #[expect(clippy::manual_clamp, reason = "clamp leaves what is not a number")]
            let rounded = x.max(-8.0).min(7.0) + SHIFT;
            let code = rounded.to_bits().wrapping_sub(SHIFT.to_bits()) as i32;
            codes[lane] = code as i8;
            sums[lane] += code;
            products[lane] += x * (rounded - SHIFT);
        }
    }
    (sums.iter().sum(), products.iter().sum())
}

/// Bit `j` of sixty-four codes, for each of the four `j`.
fn split(codes: &[i8; 64]) -> [u64; 4] {
    /// The lowest bit of each of eight bytes.
    const LOW: u64 = 0x0101_0101_0101_0101;
    /// Times eight such bits, leaves them side by side in the highest byte, the first lowest.
    const GATHER: u64 = 0x0102_0408_1020_4080;
    let mut planes = [0; 4];
    for (i, &eight) in codes.as_chunks::<8>().0.iter().enumerate() {
        let eight = u64::from_le_bytes(eight.map(i8::cast_unsigned));
        for (j, plane) in planes.iter_mut().enumerate() {
            *plane |= ((eight >> j & LOW).wrapping_mul(GATHER) >> 56) << (8 * i);
        }
    }
    planes
}
