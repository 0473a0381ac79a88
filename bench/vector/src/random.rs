//! Numbers that are the same on every machine.

use pelorus_random::SplitMix64;

/// SplitMix64 with normal variates after Box and Muller (1958).
pub struct Random {
    sequence: SplitMix64,
    spare: Option<f32>,
}

impl Random {
    /// Streams of one seed are independent of each other.
    pub fn new(seed: u64, stream: u64) -> Self {
        let mut streams = SplitMix64(seed ^ stream.wrapping_mul(0xd6e8_feb8_6659_fd93));
        Random {
            sequence: SplitMix64(streams.bits()),
            spare: None,
        }
    }

    /// Uniform in [0, 1).
    pub fn uniform(&mut self) -> f64 {
        (self.sequence.bits() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Standard normal.
    pub fn normal(&mut self) -> f32 {
        if let Some(spare) = self.spare.take() {
            return spare;
        }
        let radius = (-2.0 * (1.0 - self.uniform()).ln()).sqrt();
        let (sin, cos) = (std::f64::consts::TAU * self.uniform()).sin_cos();
        self.spare = Some((radius * sin) as f32);
        (radius * cos) as f32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn normals_have_mean_zero_and_variance_one() {
        let mut random = Random::new(1, 2);
        let values: Vec<f32> = (0..20_000).map(|_| random.normal()).collect();
        let mean = values.iter().sum::<f32>() / 20_000.0;
        let variance = values.iter().map(|x| x * x).sum::<f32>() / 20_000.0;
        assert!(
            mean.abs() < 0.03 && (variance - 1.0).abs() < 0.05,
            "{mean} {variance}"
        );
    }

    #[test]
    fn streams_differ_and_repeat() {
        let first = |stream| Random::new(7, stream).uniform();
        assert_eq!(first(3), first(3));
        assert_ne!(first(3), first(4));
    }
}
