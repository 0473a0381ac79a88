//! Tensors of weights, where they lie in their file.

use pelorus_kernels::bf16_to_f32;

use crate::Refusal;

/// The form of floats in a file, little-endian.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FloatType {
    F32,
    F16,
    Bf16,
}

impl FloatType {
    pub(crate) const fn bytes(self) -> usize {
        match self {
            Self::F32 => 4,
            Self::F16 | Self::Bf16 => 2,
        }
    }

    /// The value of the bits of a float of 16.
    pub(crate) fn half(self, bits: u16) -> f32 {
        match self {
            Self::Bf16 => bf16_to_f32(bits),
            Self::F16 | Self::F32 => f16_to_f32(bits),
        }
    }

    /// Tells whether all floats are numbers.
    fn are_finite(self, bytes: &[u8]) -> bool {
        let halves = |exponent: u16| {
            let all = bytes.as_chunks::<2>().0.iter();
            all.fold(true, |finite, half| {
                finite & (u16::from_le_bytes(*half) & exponent != exponent)
            })
        };
        match self {
            Self::F32 => bytes.as_chunks::<4>().0.iter().fold(true, |finite, float| {
                finite & (u32::from_le_bytes(*float) & 0x7f80_0000 != 0x7f80_0000)
            }),
            Self::F16 => halves(0x7c00),
            Self::Bf16 => halves(0x7f80),
        }
    }
}

/// A tensor of weights, row-major.
#[derive(Clone)]
pub(crate) struct Floats<'a> {
    pub(crate) name: String,
    pub(crate) dims: Vec<usize>,
    pub(crate) form: FloatType,
    /// As many as `dims` and `form` say.
    pub(crate) bytes: &'a [u8],
}

impl<'a> Floats<'a> {
    /// The bytes of floats of 32 bits; none of shorter ones.
    pub(crate) fn f32_bytes(&self) -> Option<&'a [u8]> {
        (self.form == FloatType::F32).then_some(self.bytes)
    }

    /// The values of each line of `len`.
    ///
    /// # Errors
    /// [`Refusal`] when one of them is no number.
    pub(crate) fn for_each_line(
        &self,
        len: usize,
        mut take: impl FnMut(&[f32]),
    ) -> Result<(), Refusal> {
        let mut line = Vec::with_capacity(len);
        for bytes in self.bytes.chunks_exact((len * self.form.bytes()).max(1)) {
            self.check(bytes)?;
            line.clear();
            match self.form {
                FloatType::F32 => line.extend(floats(bytes)),
                form => line.extend(halves(bytes).map(|bits| form.half(bits))),
            }
            take(&line);
        }
        Ok(())
    }

    /// The value at a place.
    pub(crate) fn at(&self, place: usize) -> Option<f32> {
        match self.form {
            FloatType::F32 => {
                let float = self.bytes.as_chunks::<4>().0.get(place)?;
                Some(f32::from_le_bytes(*float))
            }
            form => {
                let half = self.bytes.as_chunks::<2>().0.get(place)?;
                Some(form.half(u16::from_le_bytes(*half)))
            }
        }
    }

    /// A copy that does not depend on the file any more.
    ///
    /// # Errors
    /// [`Refusal`] when one of its values is no number.
    pub(crate) fn kept(&self) -> Result<KeptFloats, Refusal> {
        let mut bytes = Vec::with_capacity(self.bytes.len());
        for part in self.bytes.chunks(CACHED_BYTES) {
            bytes.extend_from_slice(part);
            self.check(part)?;
        }
        let form = self.form;
        Ok(KeptFloats { form, bytes })
    }

    fn check(&self, bytes: &[u8]) -> Result<(), Refusal> {
        if self.form.are_finite(bytes) {
            return Ok(());
        }
        let name = &self.name;
        Err(Refusal::damaged(format!(
            "its tensor {name:?} holds a value that is no number"
        )))
    }
}

/// Bytes that are copied and checked before the next ones: they stay in the cache in between.
const CACHED_BYTES: usize = 1 << 14;

/// Floats in memory of our own, in the form that they had in their file: halves take half of it.
pub(crate) struct KeptFloats {
    form: FloatType,
    bytes: Vec<u8>,
}

impl KeptFloats {
    /// Joins each of `row` with a float of the row that it is in a table of such rows.
    pub(crate) fn join(&self, at: usize, row: &mut [f32], join: impl Fn(&mut f32, f32)) {
        let len = row.len() * self.form.bytes();
        let bytes = &self.bytes[at * len..][..len];
        // Each by itself, so that several are taken at once.
        match self.form {
            FloatType::F32 => {
                for (sum, value) in row.iter_mut().zip(floats(bytes)) {
                    join(sum, value);
                }
            }
            form => {
                for (sum, bits) in row.iter_mut().zip(halves(bytes)) {
                    join(sum, form.half(bits));
                }
            }
        }
    }
}

/// Floats from their bytes, which may lie anywhere.
fn floats(bytes: &[u8]) -> impl Iterator<Item = f32> {
    let floats = bytes.as_chunks::<4>().0.iter();
    floats.map(|bytes| f32::from_le_bytes(*bytes))
}

fn halves(bytes: &[u8]) -> impl Iterator<Item = u16> {
    let halves = bytes.as_chunks::<2>().0.iter();
    halves.map(|bytes| u16::from_le_bytes(*bytes))
}

/// The value of a half-precision float.
fn f16_to_f32(half: u16) -> f32 {
    let (sign, rest) = (
        u32::from(half & 0x8000) << 16,
        u32::from(half & 0x7fff) << 13,
    );
    // Exponents begin at 2^-14 there and at 2^-126 here; a product mends that for the smallest numbers too.
    let value = if rest >= 0x0f80_0000 {
        f32::from_bits(rest | 0x7f80_0000)
    } else {
        f32::from_bits(rest) * f32::from_bits((127 + 112) << 23)
    };
    f32::from_bits(value.to_bits() | sign)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_have_the_values_of_their_definition() {
        for half in 0..=u16::MAX {
            let (exponent, mantissa) = (i32::from(half >> 10 & 31), f64::from(half & 0x3ff));
            let magnitude = match exponent {
                0 => mantissa * 2_f64.powi(-24),
                31 if mantissa == 0.0 => f64::INFINITY,
                31 => f64::NAN,
                _ => (1024.0 + mantissa) * 2_f64.powi(exponent - 25),
            };
            let expected = if half & 0x8000 == 0 {
                magnitude
            } else {
                -magnitude
            };
            let found = f64::from(f16_to_f32(half));
            assert!(
                found == expected || found.is_nan() && expected.is_nan(),
                "{half:#06x}: {found} instead of {expected}"
            );
            assert_eq!(
                FloatType::F16.are_finite(&half.to_le_bytes()),
                expected.is_finite()
            );
        }
    }
}
