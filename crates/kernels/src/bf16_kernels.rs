//! The kernels of a table for bfloat16.

use crate::bf16_attention::{Bf16Heads, Bf16Scratch};
use crate::{Bf16Line, Bf16Order, Bf16Panels, Bf16Part, Bf16Rows, RowsMut};

/// Kernels for products of bfloat16 with f32 sums.
#[derive(Clone, Copy)]
pub struct Bf16Kernels {
    /// The order of values in the lines that they take.
    pub order: Bf16Order,
    /// The processor has instructions for them: without, they are no faster than products of f32.
    pub is_native: bool,
    /// `round(row, lines)` rounds a row to the nearest bfloat16 numbers, ties to even, and fills its last line up with
    /// zeros. Numbers below the normal ones become zero. All tables agree but for the order.
    ///
    /// Panics unless there are as many lines as the row fills.
    pub round: fn(&[f32], &mut [Bf16Line]),
    /// `multiply(rows, matrix, out)` writes the products of rows with a packed matrix, each sum begun at the first value of
    /// its column, in f32. Products at even places of a line add up by themselves, those at odd places too, and the sum of
    /// the two is added: a row has the same bits whatever rows are beside it. All tables agree bit for bit, unless a sum
    /// on the way is no normal number: some make zeros of these.
    ///
    /// Panics if rows or matrix have another order, or a row lies beyond its buffer.
    pub multiply: fn(Bf16Part<'_>, &Bf16Panels, RowsMut<'_>),
    /// `multiply_rounded(rows, matrix, finish, out)` makes `out` the products, finished and rounded. All tables agree as in
    /// `multiply`.
    ///
    /// Panics if rows or matrix have another order, or a row lies beyond its buffer.
    pub multiply_rounded: MultiplyRounded,
    /// `attend(qkv, texts, heads, context, scratch)` writes to the rows of `context` what each token takes from its text:
    /// the values of all tokens, mixed by the softmax of their scores. A row of `qkv` has the queries, the keys and the
    /// values of all heads beside each other; `texts` are the tokens of each text, one text after the other. Scores and
    /// softmax are f32. All tables agree as in `multiply`.
    ///
    /// Panics if rows have another order, or are fewer than the tokens.
    pub attend: Attend,
}

/// The last step before the values of a product are rounded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bf16Finish {
    /// They are the products.
    Plain,
    /// `x Φ(x)` of each, Φ being the normal distribution, within `2e-4`: closer than most of what rounding takes.
    Gelu,
}

type MultiplyRounded = fn(Bf16Part<'_>, &Bf16Panels, Bf16Finish, &mut Bf16Rows);
type Attend = fn(&Bf16Rows, &[u32], Bf16Heads, &mut Bf16Rows, &mut Bf16Scratch);
