//! Numbers for tests.

pub use pelorus_random::SplitMix64 as Rng;

/// The random values of the tests of kernels.
pub trait Draw {
    /// Uniform in -1..1, and one in eight a repeated value so that components coincide.
    fn float(&mut self) -> f32;

    fn floats(&mut self, len: usize) -> Vec<f32> {
        (0..len).map(|_| self.float()).collect()
    }

    fn codes(&mut self, len: usize) -> Vec<i8>;

    /// Standard normal.
    fn normals(&mut self, len: usize) -> Vec<f32>;
}

impl Draw for Rng {
    fn float(&mut self) -> f32 {
        if self.bits().is_multiple_of(8) {
            return 0.5;
        }
        2.0 * self.unit() - 1.0
    }

    fn codes(&mut self, len: usize) -> Vec<i8> {
        (0..len).map(|_| self.bits() as i8).collect()
    }

    fn normals(&mut self, len: usize) -> Vec<f32> {
        (0..len).map(|_| self.normal()).collect()
    }
}
