use std::fmt;

/// The way to make several weighted vectors the one vector that is searched.
///
/// Vectors are `[dim]`, f32; sums are kept in f64. Weights may be negative, and only their ratios
/// matter but for the overall sign.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Interpolation {
    /// The weighted sum over the sum of the absolute weights.
    Lerp,
    /// [`Interpolation::Lerp`], scaled to unit length.
    Nlerp,
    /// Along the arc between neighbours, pair by pair up a tree (Shoemake, 1985): level by level
    /// items 0 and 1, 2 and 3, … become one with half their absolute weights; an odd last one moves
    /// up as it is. The result is not scaled to unit length.
    Slerp,
}

/// The reason that vectors could not be combined. The client is shown the text; each is a 400.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum InterpolationError {
    /// Every weight is zero, or with [`Interpolation::Slerp`] both weights of a pair.
    ZeroWeights(Interpolation),
    /// The combination is the zero vector and has no direction to scale.
    ZeroMagnitude,
    /// [`Interpolation::Slerp`] met a zero vector, which has no angle to another.
    ZeroVector,
}

/// Combines `vectors`, all `[dim]`, into one `[dim]`. There is one weight a vector.
///
/// # Errors
/// Every [`InterpolationError`].
///
/// # Panics
/// When there are no vectors, not as many weights as vectors, or vectors of different lengths.
pub fn interpolate(
    method: Interpolation,
    vectors: &[&[f32]],
    weights: &[f64],
) -> Result<Vec<f32>, InterpolationError> {
    assert_eq!(vectors.len(), weights.len(), "one weight a vector");
    let dimensions = vectors.first().expect("a vector at least").len();
    assert!(
        vectors.iter().all(|vector| vector.len() == dimensions),
        "vectors of one length"
    );
    let largest = weights
        .iter()
        .fold(0.0, |most: f64, weight| most.max(weight.abs()));
    if largest == 0.0 {
        return Err(InterpolationError::ZeroWeights(method));
    }
    // Scaled to at most 1, so that no sum of weights overflows.
    let items = vectors
        .iter()
        .zip(weights)
        .map(|(vector, weight)| Weighted {
            vector: vector.iter().map(|&x| f64::from(x)).collect(),
            weight: weight / largest,
        });
    let combined = match method {
        Interpolation::Lerp => lerp(items),
        Interpolation::Nlerp => unit(lerp(items))?,
        Interpolation::Slerp => slerp(items.collect())?,
    };
    Ok(combined.into_iter().map(|x| x as f32).collect())
}

/// Below this sine two vectors count as parallel: the arc between them is a line to rounding, and
/// dividing by the sine would blow rounding up.
const PARALLEL_SINE: f64 = 1e-9;

struct Weighted {
    vector: Vec<f64>,
    weight: f64,
}

fn lerp(items: impl Iterator<Item = Weighted>) -> Vec<f64> {
    let mut sum = Vec::new();
    let mut total = 0.0;
    for Weighted { vector, weight } in items {
        sum.resize(vector.len(), 0.0);
        total += weight.abs();
        sum.iter_mut()
            .zip(&vector)
            .for_each(|(s, x)| *s += weight * x);
    }
    sum.iter_mut().for_each(|s| *s /= total);
    sum
}

fn unit(mut vector: Vec<f64>) -> Result<Vec<f64>, InterpolationError> {
    let norm = norm(&vector);
    if norm == 0.0 {
        return Err(InterpolationError::ZeroMagnitude);
    }
    vector.iter_mut().for_each(|x| *x /= norm);
    Ok(vector)
}

fn slerp(mut level: Vec<Weighted>) -> Result<Vec<f64>, InterpolationError> {
    if level.iter().any(|item| norm(&item.vector) == 0.0) {
        return Err(InterpolationError::ZeroVector);
    }
    while level.len() > 1 {
        let mut above = Vec::with_capacity(level.len().div_ceil(2));
        let mut items = level.into_iter();
        while let Some(left) = items.next() {
            above.push(match items.next() {
                Some(right) => slerp_pair(&left, &right)?,
                None => left,
            });
        }
        level = above;
    }
    Ok(level.pop().expect("one vector at least").vector)
}

fn slerp_pair(left: &Weighted, right: &Weighted) -> Result<Weighted, InterpolationError> {
    let total = left.weight.abs() + right.weight.abs();
    if total == 0.0 {
        return Err(InterpolationError::ZeroWeights(Interpolation::Slerp));
    }
    let norms = norm(&left.vector) * norm(&right.vector);
    if norms == 0.0 {
        return Err(InterpolationError::ZeroVector);
    }
    let t = right.weight / total;
    let dot: f64 = left
        .vector
        .iter()
        .zip(&right.vector)
        .map(|(a, b)| a * b)
        .sum();
    let angle = (dot / norms).clamp(-1.0, 1.0).acos();
    let sine = angle.sin();
    let (a, b) = if sine < PARALLEL_SINE {
        (1.0 - t, t)
    } else {
        (((1.0 - t) * angle).sin() / sine, (t * angle).sin() / sine)
    };
    let vector = left
        .vector
        .iter()
        .zip(&right.vector)
        .map(|(x, y)| a * x + b * y)
        .collect();
    Ok(Weighted {
        vector,
        weight: total / 2.0,
    })
}

fn norm(vector: &[f64]) -> f64 {
    vector.iter().map(|x| x * x).sum::<f64>().sqrt()
}

impl fmt::Display for InterpolationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            // The scaled form is computed from the plain one, and is refused in its name.
            InterpolationError::ZeroWeights(method) => {
                let method = if *method == Interpolation::Slerp {
                    "SLERP"
                } else {
                    "LERP"
                };
                write!(
                    f,
                    "All weights are zero. {method} cannot interpolate vectors with all zero \
                     weights."
                )
            }
            InterpolationError::ZeroMagnitude => f.write_str(
                "Interpolated vector has zero magnitude. Cannot normalize a vector with zero \
                 magnitude",
            ),
            InterpolationError::ZeroVector => {
                f.write_str("SLERP cannot interpolate vectors with zero magnitude.")
            }
        }
    }
}

impl std::error::Error for InterpolationError {}
