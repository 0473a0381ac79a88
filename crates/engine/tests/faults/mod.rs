//! What the tests of faults share: numbers from a seed, documents whose answers are known, copies of
//! data directories, and counts of what came of each trial.
//!
//! A sample runs with every test. Many, one again, or every call of the script with every error:
//! ```sh
//! PELORUS_FAULTS=2000 cargo test -p pelorus-engine --test damage -- --nocapture
//! PELORUS_FAULTS=1 PELORUS_FAULTS_SEED=1234 cargo test -p pelorus-engine --test damage -- --nocapture
//! PELORUS_FAULTS_EVERY=1 cargo test -p pelorus-engine --test failing_calls -- --nocapture
//! ```
#![allow(dead_code, reason = "every test file uses its own part of this")]

pub mod breaking;
pub mod directory;
#[cfg(unix)]
pub mod failing;
pub mod oracle;
pub mod probes;
#[cfg(unix)]
pub mod script;
pub mod trials;

/// A generator of numbers (SplitMix64): the same for the same seed, on every machine.
pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % bound as u64) as usize
    }

    pub fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len())]
    }
}
