//! int8 codes of centred vectors.

use crate::kernels;

/// Codes span -127..=127; -128 is left out so that the range is symmetric.
pub(crate) const CODE_MAX: f32 = 127.0;
/// Vectors nearer to the centre than this in every component get a code of zeros: the steps of
/// any finer code could not be computed with.
const WIDTH_MIN: f32 = 1e-30;

/// A scalar quantiser: component `i` of a vector becomes `round((x[i] - centre[i]) / scale)`, where
/// every vector has the scale that just spans its own components.
///
/// Subtracting the centre matters: many models put all vectors into a narrow cone, where a range
/// that spans the raw components leaves a handful of levels for the differences between vectors.
/// One scale for all components of a vector keeps an integer dot product of codes proportional to
/// the real one. A scale of its own makes the error of a code follow the length of its vector:
/// however much the lengths differ, no vector is cut off and none falls between two steps.
#[derive(Clone, Debug)]
pub struct Int8Codec {
    centre: Vec<f32>,
}

impl Int8Codec {
    /// Learns the centre from `samples`, each `[dim]`: in each component the mean of the middle
    /// half, which vectors far from all others do not move. A few hundred samples are enough for
    /// it to lie well within the spread; none at all leave it at the origin.
    ///
    /// # Panics
    /// If a sample does not have `dim` components.
    pub fn train(dim: usize, samples: &[&[f32]]) -> Self {
        for sample in samples {
            assert_eq!(sample.len(), dim, "components of a training sample");
        }
        let mut component = Vec::with_capacity(samples.len());
        let centre = (0..dim).map(|i| {
            component.clear();
            component.extend(samples.iter().map(|sample| sample[i]));
            middle_mean(&mut component)
        });
        Self {
            centre: centre.collect(),
        }
    }

    /// A codec of a centre that was learnt before, `[dim]`.
    pub fn of_centre(centre: Vec<f32>) -> Self {
        Self { centre }
    }

    /// The number of components.
    pub fn dim(&self) -> usize {
        self.centre.len()
    }

    /// The centre that is subtracted, `[dim]`.
    pub fn centre(&self) -> &[f32] {
        &self.centre
    }

    /// Writes `factor * vector - centre`, `[dim]`, into `out`, `[dim]`.
    ///
    /// # Panics
    /// If one of the two has another length.
    pub fn residual(&self, vector: &[f32], factor: f32, out: &mut [f32]) -> ResidualNorms {
        let (largest, square) = (kernels().residual)(vector, factor, &self.centre, out);
        ResidualNorms {
            max: largest,
            square,
        }
    }
}

/// The length of a residual, two ways.
#[derive(Clone, Copy, Debug)]
pub struct ResidualNorms {
    /// The largest magnitude of a component, of those that are numbers.
    pub max: f32,
    /// Sum of the squares.
    pub square: f32,
}

/// The factors of an int8 code.
#[derive(Clone, Copy, Debug)]
pub struct Int8Factors {
    /// The value of one step of the code.
    pub scale: f32,
    /// Sum of the code.
    pub sum: i32,
}

/// Writes the code of a vector that [`Int8Codec::residual`] wrote, and zeros into the rest of `code`,
/// which may be longer.
pub fn encode_i8(residual: &[f32], norms: ResidualNorms, code: &mut [i8]) -> Int8Factors {
    let (code, padding) = code.split_at_mut(residual.len());
    padding.fill(0);
    if norms.max < WIDTH_MIN {
        code.fill(0);
        return Int8Factors { scale: 0.0, sum: 0 };
    }
    let steps = CODE_MAX / norms.max.min(f32::MAX);
    Int8Factors {
        sum: (kernels().encode_i8)(residual, steps, code),
        scale: norms.max / CODE_MAX,
    }
}

/// The mean of the middle half of `values`.
fn middle_mean(values: &mut [f32]) -> f32 {
    values.sort_unstable_by(f32::total_cmp);
    let quarter = values.len() / 4;
    let middle = &values[quarter..values.len() - quarter];
    let sum: f64 = middle.iter().map(|&x| f64::from(x)).sum();
    (sum / middle.len().max(1) as f64) as f32
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;

    /// Writes the code of `vector` and answers its scale.
    fn encode(codec: &Int8Codec, vector: &[f32], code: &mut [i8]) -> f32 {
        let mut residual = vec![0.0; codec.dim()];
        let norms = codec.residual(vector, 1.0, &mut residual);
        let Int8Factors { scale, sum } = encode_i8(&residual, norms, code);
        assert_eq!(sum, code.iter().map(|&x| i32::from(x)).sum());
        scale
    }

    proptest! {
        #[test]
        fn a_code_stands_for_its_vector_within_half_a_step(
            vectors in vec(vec(-3.0f32..5.0, 12), 1..20)
        ) {
            let samples: Vec<&[f32]> = vectors.iter().map(Vec::as_slice).collect();
            let codec = Int8Codec::train(12, &samples);
            let mut code = [99i8; 16];
            for vector in &vectors {
                let scale = encode(&codec, vector, &mut code);
                prop_assert_eq!(&code[12..], &[0; 4]);
                for ((&code, &x), &centre) in code.iter().zip(vector).zip(codec.centre()) {
                    let back = f32::from(code) * scale + centre;
                    prop_assert!((back - x).abs() <= scale * 0.501, "{} for {}", back, x);
                }
            }
        }
    }

    #[test]
    fn vectors_in_a_narrow_cone_use_the_whole_range() {
        let vectors: Vec<[f32; 2]> = (0..100).map(|i| [5.0 + i as f32 * 1e-3, -7.0]).collect();
        let samples: Vec<&[f32]> = vectors.iter().map(|v| &v[..]).collect();
        let codec = Int8Codec::train(2, &samples);
        let mut codes = [[0i8; 2]; 2];
        encode(&codec, &vectors[0], &mut codes[0]);
        encode(&codec, &vectors[99], &mut codes[1]);
        assert_eq!((codes[0][0], codes[1][0]), (-127, 127));
    }

    #[test]
    fn vectors_far_from_all_others_move_the_centre_by_less_than_the_spread() {
        let vectors: Vec<[f32; 1]> = (0..100)
            .map(|i| [if i < 5 { 1e30 } else { i as f32 }])
            .collect();
        let samples: Vec<&[f32]> = vectors.iter().map(|v| &v[..]).collect();
        let centre = Int8Codec::train(1, &samples).centre()[0];
        assert!((40.0..60.0).contains(&centre), "{centre}");
    }

    #[test]
    fn the_step_of_a_code_follows_the_length_of_its_vector() {
        let codec = Int8Codec::train(2, &[]);
        let mut code = [0i8; 2];
        for length in [1e-20f32, 1.0, 1e30] {
            let scale = encode(&codec, &[length, -length / 2.0], &mut code);
            assert_eq!(code, [127, -64]);
            assert!((scale * CODE_MAX / length - 1.0).abs() < 1e-6);
        }
    }

    #[test]
    fn constant_missing_or_extreme_samples_still_give_a_working_codec() {
        let mut code = [1i8; 3];
        let constant = Int8Codec::train(3, &[&[2.0, 2.0, 2.0]]);
        assert_eq!(encode(&constant, &[2.0, 2.0, 2.0], &mut code), 0.0);
        assert_eq!(code, [0; 3]);
        encode(&Int8Codec::train(3, &[]), &[1.0, -1.0, 0.0], &mut code);
        assert_eq!(code, [127, -127, 0]);
        let low = Int8Codec::train(3, &[&[f32::MIN; 3]]);
        assert!(encode(&low, &[f32::MAX, f32::MIN, f32::MAX], &mut code) > 0.0);
    }
}
