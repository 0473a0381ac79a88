//! Inner products of one int8 code with many, one after the other.

use super::i8;
use crate::scalar::i8_rows::check;

#[target_feature(enable = "neon")]
pub(super) fn dot(query: &[i8], rows: &[&[i8]], out: &mut [i32]) {
    check(query, rows, out);
    for (row, out) in rows.iter().zip(out) {
        *out = i8::dot(query, row);
    }
}
