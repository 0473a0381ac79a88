//! The kernels of a table for int8.

use crate::{Codes, Int8Panels, RowsMut, Steps};

/// Kernels for products of bytes. Sums are integers and so exact: all tables agree bit for bit, and a row has the same bits
/// whatever rows are beside it.
#[derive(Clone, Copy)]
pub struct Int8Kernels {
    /// `encode(row, steps, codes)` writes `round(x factor + offset)` of each value within 0..=255, ties to even, and tells if
    /// all values are finite; the code of one that is not stands for nothing.
    ///
    /// Panics unless there are a factor, an offset and a code for each value.
    pub encode: fn(&[f32], Steps<'_>, &mut [u8]) -> bool,
    /// `multiply(codes, matrix, out)` writes the products of rows of codes with a packed matrix: sums of integers, and then
    /// `(sum + first) scale + bias` of each.
    ///
    /// Panics if rows are not as long as the matrix is deep, or a row of `out`, as long as it has columns, lies beyond its
    /// buffer.
    pub multiply: fn(&Codes, &Int8Panels, RowsMut<'_>),
    /// `multiply_gelu(codes, matrix, steps, out)` multiplies as [`multiply`](Self::multiply) does, makes `x Φ(x)` of each
    /// value as [`Kernels::gelu`](crate::Kernels::gelu) does, and codes of that as [`encode`](Self::encode) does.
    ///
    /// Panics if rows are not as long as the matrix is deep, or there are not a factor and an offset for each column.
    pub multiply_gelu: fn(&Codes, &Int8Panels, Steps<'_>, &mut Codes),
}
