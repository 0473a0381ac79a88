//! Numbers for tests.
#![allow(dead_code, reason = "each test file draws what it needs")]

/// SplitMix64: all tests draw from it, so a failure repeats.
pub struct Rng(pub u64);

impl Rng {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Uniform in -1..1, and one in eight a repeated value so that components coincide.
    pub fn float(&mut self) -> f32 {
        if self.next().is_multiple_of(8) {
            return 0.5;
        }
        (self.next() >> 40) as f32 / (1 << 23) as f32 - 1.0
    }

    pub fn floats(&mut self, len: usize) -> Vec<f32> {
        (0..len).map(|_| self.float()).collect()
    }

    pub fn codes(&mut self, len: usize) -> Vec<i8> {
        (0..len).map(|_| self.next() as i8).collect()
    }

    /// Standard normal, by the sum of twelve uniform values.
    pub fn normal(&mut self) -> f32 {
        let sum: u64 = (0..12).map(|_| self.next() >> 40).sum();
        sum as f32 / (1 << 24) as f32 - 6.0
    }

    pub fn normals(&mut self, len: usize) -> Vec<f32> {
        (0..len).map(|_| self.normal()).collect()
    }
}
