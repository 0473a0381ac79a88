//! Inner products of one int8 code with many.

use super::i8;

/// Panics unless every row is as long as the query and has a result.
#[inline(always)]
pub(crate) fn check(query: &[i8], rows: &[&[i8]], out: &[i32]) {
    assert_eq!(rows.len(), out.len(), "one product a row");
    let len = query.len();
    assert!(
        rows.iter().all(|row| row.len() == len),
        "rows of {len} codes"
    );
}

pub(crate) fn dot(query: &[i8], _query_sum: i32, rows: &[&[i8]], out: &mut [i32]) {
    check(query, rows, out);
    for (row, out) in rows.iter().zip(out) {
        *out = i8::dot(query, row);
    }
}
