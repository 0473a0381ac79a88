//! int8 kernels, exact in i32.

#[inline(always)]
fn sum(a: &[i8], b: &[i8], term: impl Fn(i32, i32) -> i32) -> i32 {
    a.iter()
        .zip(b)
        .map(|(&x, &y)| term(i32::from(x), i32::from(y)))
        .sum()
}

pub(super) fn dot(a: &[i8], b: &[i8]) -> i32 {
    sum(a, b, |x, y| x * y)
}

pub(super) fn l2sq(a: &[i8], b: &[i8]) -> i32 {
    sum(a, b, |x, y| (x - y) * (x - y))
}
