//! int8 codes of centred vectors.

/// Codes span -127..=127; -128 is left out so that the range is symmetric.
const CODE_MAX: f32 = 127.0;
/// Standard deviations of a component that the range covers.
const CLIP_SIGMAS: f32 = 5.0;
/// One component in this many may lie outside the range. Embeddings have a few dimensions far
/// wider than the rest; five sigmas of all dimensions together would cut those off.
const CLIPPED_ONE_IN: usize = 10_000;

/// A scalar quantiser: component `i` of a vector becomes `round((x[i] - mean[i]) / scale)`.
///
/// Subtracting the mean matters: many models put all vectors into a narrow cone, where a range
/// that spans the raw components leaves a handful of levels for the differences between vectors.
/// One scale for all dimensions keeps an integer dot product of codes proportional to the real one.
#[derive(Clone, Debug)]
pub struct Int8Codec {
    mean: Vec<f32>,
    scale: f32,
    variance: f32,
}

impl Int8Codec {
    /// Learns mean and range from `samples`, each `[dim]`. A few hundred are enough for the mean
    /// to lie well within the spread. None at all give a codec for components within ±1.
    ///
    /// # Panics
    /// If a sample does not have `dim` components.
    pub fn calibrate(dim: usize, samples: &[&[f32]]) -> Self {
        let mean = mean_of(dim, samples);
        let mut deviations: Vec<f32> = samples
            .iter()
            .flat_map(|sample| sample.iter().zip(&mean).map(|(x, mean)| (x - mean).abs()))
            .collect();
        if deviations.is_empty() {
            return Self {
                mean,
                scale: 1.0 / CODE_MAX,
                variance: 1.0,
            };
        }
        let squares: f64 = deviations
            .iter()
            .map(|&d| f64::from(d) * f64::from(d))
            .sum();
        let variance = (squares / deviations.len() as f64) as f32;
        let clipped = deviations.len() / CLIPPED_ONE_IN;
        let rank = deviations.len() - 1 - clipped;
        let (_, &mut widest, _) = deviations.select_nth_unstable_by(rank, f32::total_cmp);
        let reach = widest.max(CLIP_SIGMAS * variance.sqrt());
        let scale = if reach > 0.0 && reach.is_finite() {
            reach / CODE_MAX
        } else {
            1.0 / CODE_MAX
        };
        Self {
            mean,
            scale,
            variance,
        }
    }

    /// The number of components.
    pub fn dim(&self) -> usize {
        self.mean.len()
    }

    /// The mean that is subtracted, `[dim]`.
    pub fn mean(&self) -> &[f32] {
        &self.mean
    }

    /// What one step of a code stands for.
    pub fn scale(&self) -> f32 {
        self.scale
    }

    /// Mean square of a centred component over the samples.
    pub fn variance(&self) -> f32 {
        self.variance
    }

    /// Writes the code of `vector`, `[dim]`, and zeros into the rest of `code`, which may be longer.
    pub fn encode(&self, vector: &[f32], code: &mut [i8]) {
        self.quantise(vector, self.scale, code);
    }

    /// Like [`encode`](Self::encode), with the scale that fits this one vector, which is returned:
    /// a query's own range costs no bits of anyone else's.
    pub fn encode_query(&self, query: &[f32], code: &mut [i8]) -> f32 {
        let deviations = query
            .iter()
            .zip(&self.mean)
            .map(|(x, mean)| (x - mean).abs());
        let widest = deviations.fold(0.0, f32::max);
        let scale = if widest > 0.0 {
            widest / CODE_MAX
        } else {
            self.scale
        };
        self.quantise(query, scale, code);
        scale
    }

    fn quantise(&self, vector: &[f32], scale: f32, code: &mut [i8]) {
        assert_eq!(
            vector.len(),
            self.dim(),
            "components of the vector to encode"
        );
        let (code, padding) = code.split_at_mut(self.dim());
        padding.fill(0);
        let steps = 1.0 / scale;
        for ((code, &x), &mean) in code.iter_mut().zip(vector).zip(&self.mean) {
            *code = round(((x - mean) * steps).clamp(-CODE_MAX, CODE_MAX));
        }
    }
}

fn mean_of(dim: usize, samples: &[&[f32]]) -> Vec<f32> {
    let mut sums = vec![0.0f64; dim];
    for sample in samples {
        assert_eq!(sample.len(), dim, "components of a calibration sample");
        sums.iter_mut()
            .zip(*sample)
            .for_each(|(sum, &x)| *sum += f64::from(x));
    }
    let count = samples.len().max(1) as f64;
    sums.into_iter().map(|sum| (sum / count) as f32).collect()
}

/// Rounds a value of at most seven bits. Adding 1.5 * 2^23 leaves the integer in the low bits of
/// the mantissa; unlike `f32::round` this becomes vector code everywhere.
#[inline(always)]
fn round(value: f32) -> i8 {
    const SHIFT: f32 = 12_582_912.0;
    (value + SHIFT).to_bits().wrapping_sub(SHIFT.to_bits()) as i8
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_code_stands_for_its_vector_within_half_a_step(
            vectors in vec(vec(-3.0f32..5.0, 12), 1..20)
        ) {
            let samples: Vec<&[f32]> = vectors.iter().map(Vec::as_slice).collect();
            let codec = Int8Codec::calibrate(12, &samples);
            let mut code = [99i8; 16];
            for vector in &vectors {
                codec.encode(vector, &mut code);
                prop_assert_eq!(&code[12..], &[0; 4]);
                for ((&code, &x), &mean) in code.iter().zip(vector).zip(codec.mean()) {
                    let back = f32::from(code) * codec.scale() + mean;
                    prop_assert!((back - x).abs() <= codec.scale() * 0.501, "{} for {}", back, x);
                }
                let scale = codec.encode_query(vector, &mut code);
                for ((&code, &x), &mean) in code.iter().zip(vector).zip(codec.mean()) {
                    prop_assert!((f32::from(code) * scale + mean - x).abs() <= scale * 0.501);
                }
            }
        }
    }

    #[test]
    fn vectors_in_a_narrow_cone_use_the_whole_range() {
        let vectors: Vec<[f32; 2]> = (0..100).map(|i| [5.0 + i as f32 * 1e-3, -7.0]).collect();
        let samples: Vec<&[f32]> = vectors.iter().map(|v| &v[..]).collect();
        let codec = Int8Codec::calibrate(2, &samples);
        let mut codes = [[0i8; 2]; 2];
        codec.encode(&vectors[0], &mut codes[0]);
        codec.encode(&vectors[99], &mut codes[1]);
        assert!(codes[1][0] - codes[0][0] > 40, "{codes:?}");
    }

    #[test]
    fn one_wide_dimension_is_not_cut_off() {
        let sample = |i: usize| -> Vec<f32> {
            let side = if i.is_multiple_of(2) { 1.0 } else { -1.0 };
            (0..512)
                .map(|d| if d == 7 { 40.0 * side } else { side })
                .collect()
        };
        let vectors: Vec<Vec<f32>> = (0..64).map(sample).collect();
        let samples: Vec<&[f32]> = vectors.iter().map(Vec::as_slice).collect();
        let codec = Int8Codec::calibrate(512, &samples);
        assert!(codec.scale() * CODE_MAX >= 40.0);
    }

    #[test]
    fn constant_or_missing_samples_still_give_a_working_codec() {
        let mut code = [1i8; 3];
        Int8Codec::calibrate(3, &[&[2.0, 2.0, 2.0]]).encode(&[2.0, 2.0, 2.0], &mut code);
        assert_eq!(code, [0; 3]);
        Int8Codec::calibrate(3, &[]).encode(&[1.0, -1.0, 0.0], &mut code);
        assert_eq!(code, [127, -127, 0]);
    }
}
