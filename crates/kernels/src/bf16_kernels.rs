//! The kernels of a table for bfloat16.

use crate::{Bf16Line, Bf16Order, Bf16Panels, Bf16Part, RowsMut};

/// Kernels for products of bfloat16 with f32 sums.
#[derive(Clone, Copy)]
pub struct Bf16Kernels {
    /// The order of values in the lines that they take.
    pub order: Bf16Order,
    /// The processor has instructions for them: without, they are no faster than products of f32.
    pub is_native: bool,
    /// `round(row, lines)` rounds a row to the nearest bfloat16 numbers, ties to even, and fills its last line up with
    /// zeros. What is too small for a normal number becomes zero. All tables agree but for the order.
    ///
    /// Panics unless there are as many lines as the row fills.
    pub round: fn(&[f32], &mut [Bf16Line]),
    /// `multiply(rows, matrix, out)` writes the products of rows with a packed matrix, each sum begun at the first value of
    /// its column, in f32. Of each line of a row, products at even and at odd places add up by themselves, and the sum of
    /// the two is added: a row has the same bits whatever rows are beside it. All tables agree bit for bit, unless a sum
    /// on the way is no normal number: some make zeros of these.
    ///
    /// Panics if rows or matrix have another order, or a row lies beyond its buffer.
    pub multiply: fn(Bf16Part<'_>, &Bf16Panels, RowsMut<'_>),
}
