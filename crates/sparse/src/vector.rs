/// Most entries of a vector: several times what models make of a long text.
pub const ENTRIES_MAX: usize = 4096;

/// A vector of which all components but a few are 0.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SparseVector {
    /// Ascending by index, none of them twice. Weights are finite and more than 0.
    entries: Box<[(u32, f32)]>,
}

/// The reason that entries make no vector.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SparseError {
    #[error("a sparse vector has at most {ENTRIES_MAX} entries, but received {received}")]
    TooManyEntries { received: usize },
    #[error("a weight is a finite number of at least 0, but received {received}")]
    Weight { received: f32 },
    #[error("each index stands once, but received {index} more than once")]
    RepeatedIndex { index: u32 },
}

impl SparseVector {
    /// Makes a vector of indices and weights in any order. Entries of weight 0 say nothing, and are left out.
    ///
    /// # Errors
    /// A [`SparseError`] for more than [`ENTRIES_MAX`] entries, for a weight below 0 or not finite, and for an index that
    /// stands twice.
    pub fn new(mut entries: Vec<(u32, f32)>) -> Result<Self, SparseError> {
        if entries.len() > ENTRIES_MAX {
            let received = entries.len();
            return Err(SparseError::TooManyEntries { received });
        }
        let is_weight = |weight: f32| weight.is_finite() && weight >= 0.0;
        if let Some(&(_, received)) = entries.iter().find(|(_, weight)| !is_weight(*weight)) {
            return Err(SparseError::Weight { received });
        }
        entries.sort_unstable_by_key(|(index, _)| *index);
        if let Some(twice) = entries.windows(2).find(|pair| pair[0].0 == pair[1].0) {
            let index = twice[0].0;
            return Err(SparseError::RepeatedIndex { index });
        }
        entries.retain(|(_, weight)| *weight > 0.0);
        let entries = entries.into_boxed_slice();
        Ok(Self { entries })
    }

    /// The indices and their weights, ascending by index.
    pub fn entries(&self) -> &[(u32, f32)] {
        &self.entries
    }

    /// The inner product with another vector: a sum in 64 bits, in the order of the indices.
    pub fn dot(&self, other: &SparseVector) -> f64 {
        let mut theirs = other.entries.iter().peekable();
        let mut sum = 0.0;
        for &(index, weight) in &self.entries {
            while theirs.next_if(|(their, _)| *their < index).is_some() {}
            if let Some((_, their_weight)) = theirs.next_if(|(their, _)| *their == index) {
                sum += f64::from(weight) * f64::from(*their_weight);
            }
        }
        sum
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]
mod tests {
    use super::*;

    #[test]
    fn entries_are_put_in_order_and_those_of_weight_0_left_out() {
        let vector = SparseVector::new(vec![(9, 1.5), (2, 0.0), (u32::MAX, 0.25), (0, 2.0)]);
        let entries = [(0, 2.0), (9, 1.5), (u32::MAX, 0.25)];
        assert_eq!(vector.unwrap().entries(), entries);
        assert_eq!(SparseVector::new(vec![]).unwrap(), SparseVector::default());
    }

    #[test]
    fn malformed_entries_are_refused_by_those_that_came() {
        for received in [-1.0, f32::INFINITY] {
            let refused = SparseVector::new(vec![(1, received)]);
            assert_eq!(refused, Err(SparseError::Weight { received }));
        }
        assert!(SparseVector::new(vec![(1, f32::NAN)]).is_err());
        let twice = SparseVector::new(vec![(7, 1.0), (3, 0.0), (7, 0.0)]);
        assert_eq!(twice, Err(SparseError::RepeatedIndex { index: 7 }));
        let entries = |count: u32| (0..count).map(|index| (index, 1.0)).collect();
        assert!(SparseVector::new(entries(ENTRIES_MAX as u32)).is_ok());
        let received = ENTRIES_MAX + 1;
        let refused = SparseVector::new(entries(received as u32));
        assert_eq!(refused, Err(SparseError::TooManyEntries { received }));
    }

    #[test]
    fn the_inner_product_adds_up_common_indices() {
        let a = SparseVector::new(vec![(1, 2.0), (5, 3.0), (9, 1.0)]).unwrap();
        let b = SparseVector::new(vec![(0, 9.0), (5, 0.5), (9, 4.0), (10, 1.0)]).unwrap();
        assert_eq!((a.dot(&b), b.dot(&a)), (5.5, 5.5));
        assert_eq!(a.dot(&SparseVector::default()), 0.0);
    }
}
