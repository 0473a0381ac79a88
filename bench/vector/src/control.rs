//! A fixed piece of work that no engine changes: how fast it runs tells whether the machine did.

use std::hint::black_box;
use std::time::Instant;

/// Larger than any cache it should see: 64 MiB of f32.
const WORDS: usize = 16 << 20;
const PASSES: usize = 4;
const MULTIPLICATIONS: usize = 40_000_000;

/// Seconds of a memory scan and of a chain of multiply-adds.
pub fn run() -> (f64, f64) {
    let memory = vec![1.0f32; WORDS];
    let started = Instant::now();
    for _ in 0..PASSES {
        let sums = memory
            .chunks_exact(16)
            .fold([0.0f32; 16], |mut sums, chunk| {
                sums.iter_mut().zip(chunk).for_each(|(sum, x)| *sum += x);
                sums
            });
        black_box(sums);
    }
    let scan = started.elapsed().as_secs_f64();

    let started = Instant::now();
    let mut x = black_box(1.0f32);
    for _ in 0..MULTIPLICATIONS {
        x = x.mul_add(black_box(0.999_999), 1e-6);
    }
    black_box(x);
    (scan, started.elapsed().as_secs_f64())
}
