//! The loops over buffers that the kernels of all instruction sets share.

/// As many values as one register of an instruction set holds, which can be read from those of type `T`.
pub(crate) trait Vector<T>: Copy {
    /// The number of lanes.
    const LANES: usize;

    /// The values of `v` from `at` on.
    ///
    /// # Safety
    /// `at + LANES <= v.len()`, and the processor has the instruction set.
    unsafe fn load(v: &[T], at: usize) -> Self;

    /// The values of `v` from `at` to its end, fewer than [`LANES`](Self::LANES), and zeros after
    /// them.
    ///
    /// # Safety
    /// The processor has the instruction set.
    unsafe fn load_tail(v: &[T], at: usize) -> Self;
}

/// Folds the common prefix of two buffers with `step`, vector by vector, in `PARTS` chains that
/// each begin with `zero`: so many steps are under way at once. Zero against zero must leave a
/// result as it is: that is how the tail is padded. The order of the steps is the same whatever types
/// the values are read from.
///
/// Always inlined, as the instructions it is made of exist only inside functions that enable them.
///
/// # Safety
/// The processor has the instruction set of `V`.
#[inline(always)]
pub(crate) unsafe fn fold<T, U, V: Vector<T> + Vector<U>, A: Copy, const PARTS: usize>(
    a: &[T],
    b: &[U],
    zero: A,
    step: impl Fn(A, V, V) -> A,
) -> [A; PARTS] {
    let lanes = const {
        assert!(<V as Vector<T>>::LANES == <V as Vector<U>>::LANES);
        <V as Vector<T>>::LANES
    };
    let len = a.len().min(b.len());
    let (a, b) = (&a[..len], &b[..len]);
    let mut parts = [zero; PARTS];
    let mut at = 0;
    while at + PARTS * lanes <= len {
        for (i, part) in parts.iter_mut().enumerate() {
            let from = at + i * lanes;
            // SAFETY: `from + lanes <= at + PARTS * lanes <= len`; the caller vouches for the
            // processor.
            let (x, y) = unsafe { (V::load(a, from), V::load(b, from)) };
            *part = step(*part, x, y);
        }
        at += PARTS * lanes;
    }
    while at + lanes <= len {
        // SAFETY: `at + lanes <= len` by the loop's condition; as above.
        let (x, y) = unsafe { (V::load(a, at), V::load(b, at)) };
        parts[0] = step(parts[0], x, y);
        at += lanes;
    }
    if at < len {
        // SAFETY: as above.
        let (x, y) = unsafe { (V::load_tail(a, at), V::load_tail(b, at)) };
        parts[1 % PARTS] = step(parts[1 % PARTS], x, y);
    }
    parts
}

/// Folds a query with each of `ROWS` rows as long as itself, one chain a row: so each vector of the
/// query is loaded once for all of them. `step` is given the row's vector, then the query's. Zeros
/// pad the tail as in [`fold`].
///
/// Always inlined, as `fold` is.
///
/// # Safety
/// Every row is as long as the query, and the processor has the instruction set of `V`.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub(crate) unsafe fn fold_rows<T, V: Vector<T>, A: Copy, const ROWS: usize>(
    query: &[T],
    rows: [&[T]; ROWS],
    zero: A,
    step: impl Fn(A, V, V) -> A,
) -> [A; ROWS] {
    let mut parts = [zero; ROWS];
    let mut at = 0;
    while at + V::LANES <= query.len() {
        // SAFETY: `at + LANES <= query.len()` by the loop's condition; the caller vouches for the
        // processor.
        let q = unsafe { V::load(query, at) };
        for (part, row) in parts.iter_mut().zip(rows) {
            // SAFETY: as above, and the row is as long as the query.
            *part = step(*part, unsafe { V::load(row, at) }, q);
        }
        at += V::LANES;
    }
    if at < query.len() {
        // SAFETY: as above.
        let q = unsafe { V::load_tail(query, at) };
        for (part, row) in parts.iter_mut().zip(rows) {
            // SAFETY: as above.
            *part = step(*part, unsafe { V::load_tail(row, at) }, q);
        }
    }
    parts
}
