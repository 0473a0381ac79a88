//! Products of rows of codes, in plain Rust, and the loops that the other tables share: sums are integers, so all tables
//! have the same, and what is made of them is compiled from here for wider vectors. So all agree bit for bit.

use super::dense::gelu;
use crate::Int8Kernels;
use crate::int8_panels::{CodeGroup, Codes, Finish, GROUP, Int8Panels, Steps};
use crate::panels::{PANEL, RowsMut, check_rows};

/// Partial results of the loops over single rows.
const LANES: usize = 16;

/// The sums of a row with the columns of a panel.
pub(crate) type Sums = [i32; PANEL];

/// Sums of some rows with a panel, by the instructions of one table.
pub(crate) trait Block {
    /// Most rows.
    const ROWS: usize;
    /// The number that codes are less by in these sums.
    const LESS: i32 = 0;

    /// Writes the sums of the first `count` rows, at most [`ROWS`](Self::ROWS); anything into the others.
    ///
    /// # Safety
    /// `codes` must begin the block of `count` rows of [`Codes::start`], `stride` bytes apart, each with a code for each
    /// row of the panel; the processor must have the instructions.
    unsafe fn sums(
        codes: *const u8,
        stride: usize,
        panel: &[CodeGroup],
        count: usize,
        sums: &mut [Sums; ROWS_MAX],
    );
}

/// A use of sums.
pub(crate) trait Epilogue {
    /// Takes those of a row with the columns from `first` on, of which `columns` count.
    fn take(&mut self, row: usize, first: usize, columns: usize, sums: &Sums, finish: &Finish);
}

/// Most rows of a block.
pub(crate) const ROWS_MAX: usize = 32;

/// Goes through all blocks.
///
/// # Safety
/// The processor must have the instructions of `B`.
#[inline(always)]
pub(crate) unsafe fn multiply<B: Block>(
    codes: &Codes,
    panels: &Int8Panels,
    mut epilogue: impl Epilogue,
) {
    const { assert!(B::ROWS <= ROWS_MAX) }
    assert_eq!(codes.depth(), panels.depth(), "a code for each row");
    let (count, stride) = (codes.count(), codes.stride());
    let mut sums = [[0; PANEL]; ROWS_MAX];
    for (number, (panel, finish, columns)) in panels.iter().enumerate() {
        for first in (0..count).step_by(B::ROWS) {
            let rows = (count - first).min(B::ROWS);
            // SAFETY: so many rows of codes begin there, as long as a panel has rows; the caller vouches for the processor.
            unsafe { B::sums(codes.start(first), stride, panel, rows, &mut sums) };
            for (row, sums) in sums[..rows].iter_mut().enumerate() {
                if B::LESS != 0 {
                    for (sum, weights) in sums.iter_mut().zip(finish.weights) {
                        *sum += B::LESS * weights;
                    }
                }
                epilogue.take(first + row, number * PANEL, columns, sums, finish);
            }
        }
    }
}

/// The portable block: one row.
pub(crate) struct Plain;

impl Block for Plain {
    const ROWS: usize = 1;

    #[inline(always)]
    unsafe fn sums(
        codes: *const u8,
        _: usize,
        panel: &[CodeGroup],
        _: usize,
        sums: &mut [Sums; ROWS_MAX],
    ) {
        // SAFETY: the caller vouches for the row.
        let row = unsafe { std::slice::from_raw_parts(codes, panel.len() * GROUP) };
        let mut all = [0_i32; PANEL];
        for (group, codes) in panel.iter().zip(row.as_chunks::<GROUP>().0) {
            let codes = codes.map(i32::from);
            for (sum, weights) in all.iter_mut().zip(group.0.as_chunks::<GROUP>().0) {
                for (code, &weight) in codes.iter().zip(weights) {
                    *sum += code * i32::from(weight);
                }
            }
        }
        sums[0] = all;
    }
}

/// Writes the values of sums as rows of floats.
pub(crate) struct ToFloats<'a>(RowsMut<'a>);

impl<'a> ToFloats<'a> {
    /// Panics if a row lies beyond its buffer.
    pub(crate) fn of(codes: &Codes, panels: &Int8Panels, out: RowsMut<'a>) -> Self {
        check_rows(
            codes.count(),
            panels.columns(),
            out.stride,
            out.values.len(),
        );
        Self(out)
    }
}

impl Epilogue for ToFloats<'_> {
    #[inline(always)]
    fn take(&mut self, row: usize, first: usize, columns: usize, sums: &Sums, finish: &Finish) {
        let values = values(sums, finish);
        let out = &mut self.0.values[row * self.0.stride + first..][..columns];
        match out.as_mut_array::<PANEL>() {
            Some(out) => *out = values,
            None => out.copy_from_slice(&values[..columns]),
        }
    }
}

/// Writes the codes of `x Φ(x)` of the values of sums.
pub(crate) struct ToGeluCodes<'a> {
    steps: Steps<'a>,
    out: &'a mut Codes,
}

impl<'a> ToGeluCodes<'a> {
    /// Panics if the steps are not those of the columns.
    pub(crate) fn of(
        codes: &Codes,
        panels: &Int8Panels,
        steps: Steps<'a>,
        out: &'a mut Codes,
    ) -> Self {
        check_steps(steps, panels.columns());
        out.reshape(codes.count(), panels.columns());
        Self { steps, out }
    }
}

impl Epilogue for ToGeluCodes<'_> {
    #[inline(always)]
    fn take(&mut self, row: usize, first: usize, columns: usize, sums: &Sums, finish: &Finish) {
        let mut values = values(sums, finish);
        gelu(&mut values);
        let Steps { factors, offsets } = self.steps;
        let (factors, offsets) = (
            &factors[first..first + columns],
            &offsets[first..first + columns],
        );
        let out = &mut self.out.row_mut(row)[first..first + columns];
        let whole = (
            out.as_mut_array::<PANEL>(),
            factors.as_array::<PANEL>(),
            offsets.as_array::<PANEL>(),
        );
        if let (Some(codes), Some(factors), Some(offsets)) = whole {
            for lane in 0..PANEL {
                codes[lane] = code(values[lane], factors[lane], offsets[lane]);
            }
            return;
        }
        for (lane, code_of) in out.iter_mut().enumerate() {
            *code_of = code(values[lane], factors[lane], offsets[lane]);
        }
    }
}

#[inline(always)]
fn values(sums: &Sums, finish: &Finish) -> [f32; PANEL] {
    let mut values = [0.0; PANEL];
    for lane in 0..PANEL {
        let sum = sums[lane].wrapping_add(finish.first[lane]) as f32;
        values[lane] = sum.mul_add(finish.scale[lane], finish.bias[lane]);
    }
    values
}

/// A float so large has steps of one, and the code in its lowest bits.
const WHOLE: f32 = 12_582_912.0;

/// `round(value factor + offset)` within 0..=255, ties to even; anything of NaN.
#[inline(always)]
fn code(value: f32, factor: f32, offset: f32) -> u8 {
    let code = value.mul_add(factor, offset).clamp(0.0, 255.0) + WHOLE;
    code.to_bits() as u8
}

/// The codes of a row. Tells whether all of its values are finite.
#[inline(always)]
pub(crate) fn quantise(row: &[f32], steps: Steps<'_>, codes: &mut [u8]) -> bool {
    let len = row.len();
    check_steps(steps, len);
    assert_eq!(codes.len(), len, "a code for each value");
    let (parts, rest) = row.as_chunks::<LANES>();
    let (factors, rest_factors) = steps.factors.as_chunks::<LANES>();
    let (offsets, rest_offsets) = steps.offsets.as_chunks::<LANES>();
    let (out, rest_out) = codes.as_chunks_mut::<LANES>();
    let mut odd = [0_u32; LANES];
    for at in 0..parts.len() {
        let (values, factors, offsets, out) =
            (&parts[at], &factors[at], &offsets[at], &mut out[at]);
        for lane in 0..LANES {
            out[lane] = code(values[lane], factors[lane], offsets[lane]);
            odd[lane] |= u32::from(!values[lane].is_finite());
        }
    }
    for at in 0..rest.len() {
        rest_out[at] = code(rest[at], rest_factors[at], rest_offsets[at]);
        odd[at] |= u32::from(!rest[at].is_finite());
    }
    odd == [0; LANES]
}

fn check_steps(steps: Steps<'_>, channels: usize) {
    assert!(
        steps.factors.len() == channels && steps.offsets.len() == channels,
        "a factor and an offset for each channel"
    );
}

pub(crate) const KERNELS: Int8Kernels = Int8Kernels {
    encode: quantise,
    multiply: |codes, panels, out| {
        let epilogue = ToFloats::of(codes, panels, out);
        // SAFETY: every processor has what the portable block needs.
        unsafe { multiply::<Plain>(codes, panels, epilogue) }
    },
    multiply_gelu: |codes, panels, steps, out| {
        let epilogue = ToGeluCodes::of(codes, panels, steps, out);
        // SAFETY: as above.
        unsafe { multiply::<Plain>(codes, panels, epilogue) }
    },
};
