//! The int8 kernel, exact in i32.

pub(super) fn dot(a: &[i8], b: &[i8]) -> i32 {
    let pairs = a.iter().zip(b);
    pairs.map(|(&x, &y)| i32::from(x) * i32::from(y)).sum()
}
