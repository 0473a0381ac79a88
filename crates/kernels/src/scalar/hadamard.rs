//! The fast Hadamard transform and the reflection that joins its blocks. Marked to be inlined:
//! other tables compile them for their own vectors where the plain loop is as good as any.

/// Panics unless `block` has a power-of-two length and as many signs.
#[inline(always)]
pub(crate) fn check(block: &[f32], signs: &[f32]) {
    assert!(
        block.len().is_power_of_two() && block.len() == signs.len(),
        "a power of two components with their signs, not {} with {}",
        block.len(),
        signs.len()
    );
}

#[inline(always)]
pub(crate) fn transform(block: &mut [f32], signs: &[f32]) {
    check(block, signs);
    for (x, sign) in block.iter_mut().zip(signs) {
        *x *= sign;
    }
    join(block, 1);
}

/// The steps of a transform from distance `from` up, those below being done: two of them in one
/// pass as long as there are two.
#[inline(always)]
pub(crate) fn join(block: &mut [f32], from: usize) {
    let mut distance = from;
    while 4 * distance <= block.len() {
        for part in block.chunks_exact_mut(4 * distance) {
            let (low, high) = part.split_at_mut(2 * distance);
            let ((a, b), (c, d)) = (low.split_at_mut(distance), high.split_at_mut(distance));
            for (((a, b), c), d) in a.iter_mut().zip(b).zip(c).zip(d) {
                let (ab, cd) = ((*a + *b, *a - *b), (*c + *d, *c - *d));
                (*a, *b, *c, *d) = (ab.0 + cd.0, ab.1 + cd.1, ab.0 - cd.0, ab.1 - cd.1);
            }
        }
        distance *= 4;
    }
    if 2 * distance <= block.len() {
        let (low, high) = block.split_at_mut(distance);
        for (a, b) in low.iter_mut().zip(high) {
            (*a, *b) = (*a + *b, *a - *b);
        }
    }
}

#[inline(always)]
pub(crate) fn reflect(v: &mut [f32], parts: usize) {
    match parts {
        3 => reflect_parts::<3>(v),
        4 => reflect_parts::<4>(v),
        5 => reflect_parts::<5>(v),
        _ => panic!("a reflection of 3, 4 or 5 parts, not {parts}"),
    }
}

#[inline(always)]
fn reflect_parts<const P: usize>(v: &mut [f32]) {
    let len = v.len() / P;
    let mut rest = v.chunks_exact_mut(len.max(1));
    let mut parts: [&mut [f32]; P] =
        std::array::from_fn(|_| rest.next().map_or(&mut [][..], |part| &mut part[..len]));
    for i in 0..len {
        let sum: f32 = parts.iter().map(|part| part[i]).sum();
        for part in &mut parts {
            part[i] -= sum * (2.0 / P as f32);
        }
    }
}
