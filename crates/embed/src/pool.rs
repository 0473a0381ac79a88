//! Pooling: one vector for each text from one for each of its tokens.

/// The least token count a sum is divided by, so that a row without tokens stays zero.
const COUNT_MIN: f32 = 1e-9;

/// The shape of hidden states, `[batch, len, dim]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HiddenShape {
    /// Texts.
    pub batch: usize,
    /// Tokens of the longest text; shorter ones are padded to it.
    pub len: usize,
    /// Components of a vector.
    pub dim: usize,
}

/// A buffer does not have the size its shape asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PoolError {
    /// The shape's product is more than memory can hold.
    #[error("hidden states of shape {shape:?} are too large")]
    ShapeTooLarge {
        /// The shape that came.
        shape: HiddenShape,
    },
    /// Hidden states are not `batch * len * dim` values.
    #[error("hidden states must have {expected} values, received {received}")]
    HiddenLength {
        /// Values the shape asks for.
        expected: usize,
        /// Values that came.
        received: usize,
    },
    /// The attention mask is not `batch * len` entries.
    #[error("attention mask must have {expected} entries, received {received}")]
    MaskLength {
        /// Entries the shape asks for.
        expected: usize,
        /// Entries that came.
        received: usize,
    },
    /// There are texts, but the shape gives them no token to pool.
    #[error("hidden states of shape {shape:?} have no tokens")]
    NoTokens {
        /// The shape that came.
        shape: HiddenShape,
    },
}

impl HiddenShape {
    fn check(self, hidden: &[f32]) -> Result<(), PoolError> {
        let Self { batch, len, dim } = self;
        let values = batch
            .checked_mul(len)
            .and_then(|tokens| tokens.checked_mul(dim));
        let expected = values.ok_or(PoolError::ShapeTooLarge { shape: self })?;
        match hidden.len() {
            received if received != expected => Err(PoolError::HiddenLength { expected, received }),
            _ if len == 0 && batch > 0 => Err(PoolError::NoTokens { shape: self }),
            _ => Ok(()),
        }
    }
}

/// The mean of the hidden states of each text's attended tokens, `[batch, dim]`.
///
/// `mask` is `[batch, len]`; an entry is attended when it differs from its type's default, so
/// integers, floats and booleans all serve. Padding is skipped, not multiplied by zero: the graph's
/// values there, NaN included, have no effect. A text without an attended token is zero.
///
/// # Errors
/// [`PoolError`] when a buffer does not fit `shape`.
pub fn mean_pool<M: Copy + Default + PartialEq>(
    hidden: &[f32],
    mask: &[M],
    shape: HiddenShape,
) -> Result<Vec<f32>, PoolError> {
    shape.check(hidden)?;
    let HiddenShape { batch, len, dim } = shape;
    let (expected, received) = (batch.saturating_mul(len), mask.len());
    if received != expected {
        return Err(PoolError::MaskLength { expected, received });
    }
    if batch == 0 || dim == 0 {
        return Ok(Vec::new());
    }
    let mut pooled = vec![0.0; batch * dim];
    let texts = hidden.chunks_exact(len * dim).zip(mask.chunks_exact(len));
    for (mean, (tokens, mask)) in pooled.chunks_exact_mut(dim).zip(texts) {
        mean_of_attended(mean, tokens, mask);
    }
    Ok(pooled)
}

fn mean_of_attended<M: Copy + Default + PartialEq>(mean: &mut [f32], tokens: &[f32], mask: &[M]) {
    let mut count = 0.0_f32;
    for (token, &attended) in tokens.chunks_exact(mean.len()).zip(mask) {
        if attended != M::default() {
            count += 1.0;
            mean.iter_mut()
                .zip(token)
                .for_each(|(sum, value)| *sum += value);
        }
    }
    let count = count.max(COUNT_MIN);
    mean.iter_mut().for_each(|sum| *sum /= count);
}

/// The hidden state of each text's first token, `[batch, dim]`.
///
/// # Errors
/// [`PoolError`] when the buffer does not fit `shape`.
pub fn cls_pool(hidden: &[f32], shape: HiddenShape) -> Result<Vec<f32>, PoolError> {
    shape.check(hidden)?;
    let HiddenShape { batch, len, dim } = shape;
    if batch == 0 || dim == 0 {
        return Ok(Vec::new());
    }
    Ok(hidden
        .chunks_exact(len * dim)
        .flat_map(|tokens| &tokens[..dim])
        .copied()
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHAPE: HiddenShape = HiddenShape {
        batch: 2,
        len: 3,
        dim: 2,
    };
    #[rustfmt::skip]
    const HIDDEN: [f32; 12] = [
        1.0, 2.0,   3.0, 4.0,   f32::NAN, 9.0,
        5.0, 6.0,   7.0, 8.0,   9.0, 10.0,
    ];

    #[test]
    fn the_mean_counts_attended_tokens_only() {
        let expected = vec![2.0, 3.0, 7.0, 8.0];
        assert_eq!(
            mean_pool(&HIDDEN, &[1_i64, 1, 0, 1, 1, 1], SHAPE).unwrap(),
            expected
        );
        assert_eq!(
            mean_pool(&HIDDEN, &[true, true, false, true, true, true], SHAPE).unwrap(),
            expected
        );
    }

    #[test]
    fn a_text_without_tokens_has_the_zero_mean() {
        let pooled = mean_pool(&HIDDEN, &[0_u8, 0, 0, 0, 1, 0], SHAPE).unwrap();
        assert_eq!(pooled, [0.0, 0.0, 7.0, 8.0]);
    }

    #[test]
    fn cls_takes_the_first_token_of_every_text() {
        assert_eq!(cls_pool(&HIDDEN, SHAPE).unwrap(), [1.0, 2.0, 5.0, 6.0]);
    }

    #[test]
    fn buffers_that_do_not_fit_the_shape_are_named() {
        let short = PoolError::HiddenLength {
            expected: 12,
            received: 11,
        };
        assert_eq!(mean_pool(&HIDDEN[1..], &[1_u8; 6], SHAPE), Err(short));
        assert_eq!(cls_pool(&HIDDEN[1..], SHAPE), Err(short));
        let mask = PoolError::MaskLength {
            expected: 6,
            received: 5,
        };
        assert_eq!(mean_pool(&HIDDEN, &[1_u8; 5], SHAPE), Err(mask));
    }

    #[test]
    fn degenerate_shapes_are_empty_or_refused() {
        let shape = |batch, len, dim| HiddenShape { batch, len, dim };
        assert_eq!(mean_pool::<u8>(&[], &[], shape(0, 0, 0)).unwrap(), []);
        assert_eq!(mean_pool(&[], &[1_u8; 4], shape(2, 2, 0)).unwrap(), []);
        assert_eq!(cls_pool(&[], shape(0, 0, 4)).unwrap(), []);
        assert_eq!(cls_pool(&[], shape(0, usize::MAX, 4)).unwrap(), []);
        let tokenless = shape(usize::MAX, 0, 4);
        let refused = Err(PoolError::NoTokens { shape: tokenless });
        assert_eq!(cls_pool(&[], tokenless), refused);
        assert_eq!(mean_pool::<u8>(&[], &[], tokenless), refused);
        let huge = shape(usize::MAX, 2, 2);
        assert_eq!(
            cls_pool(&[], huge),
            Err(PoolError::ShapeTooLarge { shape: huge })
        );
        let vast = shape(usize::MAX, 1, 0);
        assert!(mean_pool::<u8>(&[], &[], vast).is_err());
    }
}
