//! The kernels in plain Rust: the oracle of the emulation and of devices.
//!
//! Values are f32, of elements those that elements can hold; sums are f64 and rounded once, so a reference is nearer to the truth
//! than what it judges.

mod attention;
mod nearest;
mod product;
mod rows;

pub use attention::{Attention, attention};
pub use nearest::{best, merge, nearness};
pub use product::multiply;
pub use rows::{Norm, add_norm, bias_activation, embed_norm, normalise, pool};

use crate::Activation;

/// An activation of one value.
pub fn activated(activation: Activation, x: f64) -> f64 {
    match activation {
        Activation::None => x,
        Activation::Gelu => x / 2.0 * (1.0 + erf(x * std::f64::consts::FRAC_1_SQRT_2)),
        Activation::GeluTanh => {
            let inner = (2.0 / std::f64::consts::PI).sqrt() * (x + 0.044715 * x.powi(3));
            x / 2.0 * (1.0 + inner.tanh())
        }
        Activation::GeluQuick => x / (1.0 + (-1.702 * x).exp()),
    }
}

/// The error function: `2/√π e^(-x²) Σ 2ⁿ x^(2n+1) / (1·3·…·(2n+1))`, of which all terms have one sign.
fn erf(x: f64) -> f64 {
    if x.is_nan() || x.abs() > 6.0 {
        // Beyond it is one, as closely as a double tells.
        return x.clamp(-1.0, 1.0);
    }
    let (mut term, mut sum) = (x, x);
    for n in 1..200 {
        term *= 2.0 * x * x / f64::from(2 * n + 1);
        sum += term;
    }
    std::f64::consts::FRAC_2_SQRT_PI * (-x * x).exp() * sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn activations_are_those_of_tables() {
        // Abramowitz and Stegun, table 7.1.
        for (x, expected) in [
            (0.5, 0.520_499_877_8),
            (1.0, 0.842_700_792_9),
            (2.0, 0.995_322_265_0),
        ] {
            assert!((erf(x) - expected).abs() < 1e-10 && (erf(-x) + expected).abs() < 1e-10);
        }
        assert_eq!(erf(40.0), 1.0);
        for activation in [
            Activation::Gelu,
            Activation::GeluTanh,
            Activation::GeluQuick,
        ] {
            assert_eq!(activated(activation, 0.0), 0.0);
            assert!((activated(activation, 1.0) - 0.8427).abs() < 5e-3);
            assert!((activated(activation, 8.0) - 8.0).abs() < 1e-4);
            assert!(activated(activation, -8.0).abs() < 1e-4);
        }
        assert_eq!(activated(Activation::None, -3.0), -3.0);
    }
}
