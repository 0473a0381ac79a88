//! Deviations: vectors less the centre, of which all codes are made.

use std::cell::Cell;

use pelorus_kernels::kernels;

/// Floats of a cache line.
const LINE: usize = 16;

thread_local! {
    static MEMORY: Cell<DeviationMemory> = const { Cell::new(DeviationMemory(Vec::new())) };
}

/// Memory to write one deviation after another into.
#[derive(Default)]
pub(crate) struct DeviationMemory(Vec<f32>);

impl DeviationMemory {
    /// `len` floats, whatever they are, from the start of a cache line: none of the registers that
    /// they are read and written by straddles two.
    pub fn floats(&mut self, len: usize) -> &mut [f32] {
        self.0.resize(len + LINE, 0.0);
        let start = self.0.as_ptr().align_offset(64).min(LINE);
        &mut self.0[start..start + len]
    }
}

/// Lends the memory of this thread: queries are many and short.
pub(crate) fn with_memory<T>(f: impl FnOnce(&mut DeviationMemory) -> T) -> T {
    // Taken rather than borrowed: in the schedules, tasks that wait share a thread.
    let mut memory = MEMORY.take();
    let answer = f(&mut memory);
    MEMORY.set(memory);
    answer
}

/// The vector of length one in the same direction; zeros stay zeros.
pub(crate) fn unit(vector: &[f32]) -> Vec<f32> {
    let factor = unit_factor((kernels().dot_f32)(vector, vector));
    vector.iter().map(|x| x * factor).collect()
}

/// What makes a vector of this squared length one of length one; zero for zeros.
pub(crate) fn unit_factor(square: f32) -> f32 {
    let length = square.sqrt();
    if length > 0.0 { 1.0 / length } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_starts_at_a_cache_line_and_serves_calls_within_calls() {
        for len in [0, 1, 64, 768, 100] {
            with_memory(|outer| {
                let floats = outer.floats(len);
                assert_eq!(floats.len(), len);
                assert_eq!(floats.as_ptr().addr() % 64, 0);
                floats.fill(1.0);
                with_memory(|inner| inner.floats(len).fill(2.0));
                assert!(floats.iter().all(|&x| x == 1.0));
            });
        }
    }
}
