//! Separable convolution, horizontally and then vertically, with samples of the picture's own kind in between.

use std::collections::VecDeque;

use super::filter::Kernel;
use super::sample::Sample;

/// Convolves samples `[_, width, C]` to `[rows.len(), columns.len(), C]`.
///
/// Every row that a kernel needs is convolved once, and at once added to the sums of the rows that it is part of, in
/// ascending order. Memory beside the result is that of the few rows that are open at a time, however tall the picture.
pub(super) fn convolve<S: Sample, const C: usize>(
    samples: &[S],
    width: usize,
    columns: &[Kernel<S::Weight>],
    rows: &[Kernel<S::Weight>],
) -> Vec<S> {
    let row_len = columns.len() * C;
    let mut convolved = Vec::with_capacity(row_len * rows.len());
    let convolve_row = S::row_convolution::<C>(columns);
    let mut row = vec![S::default(); row_len];
    let mut open: VecDeque<Vec<S::Sum>> = VecDeque::new();
    let mut closed_sums: Vec<Vec<S::Sum>> = Vec::new();
    let (mut opened, mut closed) = (0, 0);
    for y in rows.first().map_or(0, |kernel| kernel.start)..rows.last().map_or(0, Kernel::end) {
        convolve_row(&samples[y * width * C..][..width * C], &mut row);
        // Kernels neither start nor end before the one above, so rows open and close in order.
        while opened < rows.len() && rows[opened].start <= y {
            let mut sums = closed_sums.pop().unwrap_or_default();
            sums.clear();
            sums.resize(row_len, S::START);
            open.push_back(sums);
            opened += 1;
        }
        for (sums, kernel) in open.iter_mut().zip(&rows[closed..opened]) {
            let Some(&weight) = kernel.weights.get(y - kernel.start) else {
                continue;
            };
            for (sum, &sample) in sums.iter_mut().zip(&row) {
                S::add(sum, sample, weight);
            }
        }
        while closed < opened && rows[closed].end() <= y + 1 {
            let sums = open.pop_front().expect("as many sums are open as kernels");
            convolved.extend(sums.iter().map(|&sum| S::finish(sum)));
            closed_sums.push(sums);
            closed += 1;
        }
    }
    convolved
}
