//! The loops over buffers that the kernels of all instruction sets share.

/// The values of type `T` that one register of an instruction set holds.
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
/// result as it is: that is how the tail is padded.
///
/// Always inlined, as the instructions it is made of exist only inside functions that enable them.
///
/// # Safety
/// The processor has the instruction set of `V`.
#[inline(always)]
pub(crate) unsafe fn fold<T, V: Vector<T>, A: Copy, const PARTS: usize>(
    a: &[T],
    b: &[T],
    zero: A,
    step: impl Fn(A, V, V) -> A,
) -> [A; PARTS] {
    let len = a.len().min(b.len());
    let (a, b) = (&a[..len], &b[..len]);
    let mut parts = [zero; PARTS];
    let mut at = 0;
    while at + PARTS * V::LANES <= len {
        for (i, part) in parts.iter_mut().enumerate() {
            let from = at + i * V::LANES;
            // SAFETY: `from + LANES <= at + PARTS * LANES <= len`; the caller vouches for the
            // processor.
            let (x, y) = unsafe { (V::load(a, from), V::load(b, from)) };
            *part = step(*part, x, y);
        }
        at += PARTS * V::LANES;
    }
    while at + V::LANES <= len {
        // SAFETY: `at + LANES <= len` by the loop's condition; as above.
        let (x, y) = unsafe { (V::load(a, at), V::load(b, at)) };
        parts[0] = step(parts[0], x, y);
        at += V::LANES;
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
