//! Tensors of weights, where they lie in their file.

use memmap2::MmapMut;
use pelorus_kernels::{BF16_ROUNDED_MAX, bf16_to_f32};

use crate::bytes::{Bytes, CACHED_BYTES, make_room};
use crate::{Precision, Refusal};

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

    /// Tells whether all floats are numbers that round to numbers in bfloat16. Those of 16 bits do, if they are.
    fn fit_bf16(self, bytes: &[u8]) -> bool {
        if self != Self::F32 {
            return self.are_finite(bytes);
        }
        let most = BF16_ROUNDED_MAX.to_bits();
        let floats = bytes.as_chunks::<4>().0.iter();
        floats.fold(true, |fit, float| {
            fit & (u32::from_le_bytes(*float) & 0x7fff_ffff <= most)
        })
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
    /// As many as `dims` and `form` say, or more where these columns lie beside others.
    pub(crate) bytes: Bytes<'a>,
    pub(crate) beside: Option<Beside>,
}

/// The place of some columns in the lines of a wider tensor.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Beside {
    /// Columns before them.
    before: usize,
    /// Columns of a line.
    all: usize,
}

impl<'a> Floats<'a> {
    /// The bytes of floats of 32 bits, one line after the other; none of others.
    pub(crate) fn f32_bytes(&self) -> Option<Bytes<'a>> {
        (self.form == FloatType::F32 && self.beside.is_none()).then_some(self.bytes)
    }

    /// One of three equal parts of its columns.
    pub(crate) fn third(&self, number: usize) -> Self {
        let mut third = self.clone();
        if let Some(last) = third.dims.last_mut() {
            let all = *last;
            *last = all / 3;
            let before = number * *last;
            third.beside = Some(Beside { before, all });
        }
        third
    }

    /// The places of values that lie beside each other, in bytes, and the number of values in each.
    fn runs(&self) -> (impl Iterator<Item = usize> + use<>, usize) {
        let width = self.form.bytes();
        let (first, step, values) = match (self.beside, self.dims.last()) {
            (Some(Beside { before, all }), Some(&columns)) => (before, all, columns),
            _ => (0, self.bytes.len() / width, self.bytes.len() / width),
        };
        let starts = (first * width..self.bytes.len()).step_by((step * width).max(1));
        (starts, values)
    }

    /// The values of each line of `len`.
    ///
    /// # Errors
    /// [`Refusal`] when one of them is no number, or cannot be read.
    pub(crate) fn for_each_line(
        &self,
        len: usize,
        mut take: impl FnMut(&[f32]),
    ) -> Result<(), Refusal> {
        let line_bytes = (len * self.form.bytes()).max(1);
        let some = line_bytes * (CACHED_BYTES / line_bytes).max(1);
        let (runs, of_run) = self.runs();
        let whole = of_run * self.form.bytes() / line_bytes * line_bytes;
        let mut values = Vec::new();
        for run in runs {
            for start in (0..whole).step_by(some) {
                let part = self.part(run + start, some.min(whole - start))?;
                sized(&mut values, part.len() / self.form.bytes())?;
                self.read(part, &mut values, Precision::F32, &mut |_| ())?;
                for line in values.chunks_exact(len.max(1)) {
                    take(line);
                }
            }
        }
        Ok(())
    }

    /// Reads all values, as many as `values` has, and tells of their bytes on the way.
    ///
    /// # Errors
    /// [`Refusal`] when one of them is no number, or none in `precision`, or cannot be read.
    pub(crate) fn read_into(
        &self,
        values: &mut [f32],
        precision: Precision,
        tell: &mut dyn FnMut(&[u8]),
    ) -> Result<(), Refusal> {
        let width = self.form.bytes();
        let (runs, of_run) = self.runs();
        for (values, run) in values.chunks_mut(of_run.max(1)).zip(runs) {
            let parts = values.chunks_mut(CACHED_BYTES / width);
            for (values, start) in parts.zip((run..).step_by(CACHED_BYTES)) {
                let part = self.part(start, values.len() * width)?;
                self.read(part, values, precision, tell)?;
            }
        }
        Ok(())
    }

    fn read(
        &self,
        part: Bytes<'a>,
        values: &mut [f32],
        precision: Precision,
        tell: &mut dyn FnMut(&[u8]),
    ) -> Result<(), Refusal> {
        if self.form == FloatType::F32 {
            let bytes = bytemuck::cast_slice_mut(values);
            part.copy_to(bytes)?;
            tell(bytes);
            self.check(bytes, precision)?;
            for value in values.iter_mut().filter(|_| cfg!(target_endian = "big")) {
                *value = f32::from_bits(u32::from_le(value.to_bits()));
            }
            return Ok(());
        }
        let bytes = part.read()?;
        tell(&bytes);
        self.check(&bytes, precision)?;
        for (value, bits) in values.iter_mut().zip(halves(&bytes)) {
            *value = self.form.half(bits);
        }
        Ok(())
    }

    fn part(&self, start: usize, len: usize) -> Result<Bytes<'a>, Refusal> {
        let part = self.bytes.part(start, len);
        part.ok_or_else(|| Refusal::damaged(format!("its tensor {:?} ends early", self.name)))
    }

    /// The value at a place.
    pub(crate) fn at(&self, place: usize) -> Option<f32> {
        let width = self.form.bytes();
        let part = self.bytes.part(place.checked_mul(width)?, width)?;
        let mut value = [0; 4];
        part.copy_to(&mut value[..width]).ok()?;
        Some(match self.form {
            FloatType::F32 => f32::from_le_bytes(value),
            form => form.half(u16::from_le_bytes([value[0], value[1]])),
        })
    }

    /// A copy of a table of rows of `row_len` that does not depend on the file any more.
    ///
    /// # Errors
    /// [`Refusal`] when one of its values is no number, or cannot be read, or there is no memory for it.
    pub(crate) fn kept(&self, row_len: usize) -> Result<KeptFloats, Refusal> {
        let mut kept = KeptFloats::new(self.form, row_len);
        for block in 0..kept.blocks_of(self) {
            kept.blocks.push(kept.block(self, block)?);
        }
        Ok(kept)
    }

    fn check(&self, bytes: &[u8], precision: Precision) -> Result<(), Refusal> {
        let fit = match precision {
            Precision::Bf16 => self.form.fit_bf16(bytes),
            Precision::F32 | Precision::Int8 => self.form.are_finite(bytes),
        };
        if fit {
            return Ok(());
        }
        let name = &self.name;
        if self.form.are_finite(bytes) {
            return Err(Refusal::not_ours(format!(
                "its tensor {name:?} holds a value that is too large for {precision}"
            )));
        }
        Err(Refusal::damaged(format!(
            "its tensor {name:?} holds a value that is no number"
        )))
    }
}

/// Makes a buffer have so many values, whichever.
///
/// # Errors
/// [`Refusal`] when there is no memory for them.
pub(crate) fn sized(buffer: &mut Vec<f32>, len: usize) -> Result<(), Refusal> {
    make_room(buffer, len.saturating_sub(buffer.len()))?;
    buffer.resize(len, 0.0);
    Ok(())
}

/// Bytes of a block of a table, about: several threads read one.
const BLOCK_BYTES: usize = 1 << 22;

/// A table of floats in memory of our own, in the form that they had in their file: halves take half of it.
pub(crate) struct KeptFloats {
    form: FloatType,
    row_bytes: usize,
    block_rows: usize,
    /// Each of `block_rows` rows, but for the last.
    pub(crate) blocks: Vec<Block>,
}

/// Memory that the system gave: whole pages, zeros until they are written.
pub(crate) type Block = MmapMut;

impl KeptFloats {
    /// A table without rows yet.
    pub(crate) fn new(form: FloatType, row_len: usize) -> Self {
        let row_bytes = row_len * form.bytes();
        Self {
            form,
            row_bytes,
            block_rows: (BLOCK_BYTES / row_bytes.max(1)).max(1),
            blocks: Vec::new(),
        }
    }

    /// The number of blocks that a tensor has.
    pub(crate) fn blocks_of(&self, tensor: &Floats<'_>) -> usize {
        tensor.bytes.len().div_ceil(self.block_bytes())
    }

    fn block_bytes(&self) -> usize {
        (self.block_rows * self.row_bytes).max(1)
    }

    /// Reads a block of a tensor.
    ///
    /// # Errors
    /// [`Refusal`] when one of its values is no number, or cannot be read, or there is no memory for it.
    pub(crate) fn block(&self, tensor: &Floats<'_>, number: usize) -> Result<Block, Refusal> {
        let (begin, size) = (number * self.block_bytes(), self.block_bytes());
        let len = tensor.bytes.len().saturating_sub(begin).min(size);
        let mut block = MmapMut::map_anon(len).map_err(|_| Refusal::no_memory())?;
        let parts = block.chunks_mut(CACHED_BYTES);
        for (part, start) in parts.zip((begin..).step_by(CACHED_BYTES)) {
            tensor.part(start, part.len())?.copy_to(part)?;
            tensor.check(part, Precision::F32)?;
        }
        Ok(block)
    }

    /// Joins each of `row` with a float of the row that it is in the table.
    pub(crate) fn join(&self, at: usize, row: &mut [f32], join: impl Fn(&mut f32, f32)) {
        let block = &self.blocks[at / self.block_rows];
        let bytes = &block[at % self.block_rows * self.row_bytes..][..self.row_bytes];
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

    #[test]
    fn tables_of_several_blocks_have_the_rows_of_their_tensor() {
        const ROW: usize = 500;
        let rows = 2 * BLOCK_BYTES / (4 * ROW) + 7;
        let value = |row: usize, at: usize| (row * ROW + at) as f32;
        let all = (0..rows).flat_map(|row| (0..ROW).map(move |at| value(row, at)));
        let bytes: Vec<u8> = all.flat_map(f32::to_le_bytes).collect();
        let tensor = |bytes| Floats {
            name: "table".into(),
            dims: vec![rows, ROW],
            form: FloatType::F32,
            bytes: Bytes::Here(bytes),
            beside: None,
        };
        let kept = tensor(&bytes).kept(ROW).expect("all are numbers");
        assert_eq!(kept.blocks.len(), 3);
        for row in (0..rows).step_by(97).chain([rows - 1]) {
            let mut found = [0.0; ROW];
            kept.join(row, &mut found, |found, value| *found = value);
            assert!((0..ROW).all(|at| found[at] == value(row, at)), "row {row}");
        }
        let mut odd = bytes.clone();
        odd[bytes.len() - 4..].copy_from_slice(&f32::NAN.to_le_bytes());
        assert!(tensor(&odd).kept(ROW).is_err());
    }
}
