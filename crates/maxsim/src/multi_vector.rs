use pelorus_kernels::{int8_row_bytes, split_int8_row, write_int8_row};

/// Most vectors of a document: twice what models make of the longest text that they read.
pub const VECTORS_MAX: usize = 1024;
/// Least numbers of a vector.
pub const DIMENSIONS_MIN: usize = 2;
/// Most numbers of a vector: several times what models of late interaction make.
pub const DIMENSIONS_MAX: usize = 1024;

/// The vectors of one document, brought to length 1, in a byte a component. One of zeros stays as it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MultiVector {
    dimensions: u16,
    /// One int8 row behind the other.
    rows: Box<[u8]>,
}

/// The reason that numbers make no vectors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MultiVectorError {
    #[error("there are 1 to {VECTORS_MAX} vectors, but received {received}")]
    Count { received: usize },
    #[error("a vector has {DIMENSIONS_MIN} to {DIMENSIONS_MAX} numbers, but received {received}")]
    Dimensions { received: usize },
    #[error(
        "all vectors have as many numbers as the first, which has {expected}, but vector {vector} has {received}"
    )]
    Length {
        vector: usize,
        expected: usize,
        received: usize,
    },
    #[error("a vector has finite numbers of 32 bits, but vector {vector} has another")]
    NotFinite { vector: usize },
}

impl MultiVector {
    /// Keeps vectors of equal dimensions.
    ///
    /// # Errors
    /// A [`MultiVectorError`] for none or more than [`VECTORS_MAX`], for less than [`DIMENSIONS_MIN`] or more than
    /// [`DIMENSIONS_MAX`] numbers, for vectors of several lengths, and for a number that is not finite.
    pub fn new(vectors: &[Vec<f32>]) -> Result<Self, MultiVectorError> {
        let count = vectors.len();
        let first = match vectors.first() {
            Some(first) if count <= VECTORS_MAX => first,
            _ => return Err(MultiVectorError::Count { received: count }),
        };
        let expected = first.len();
        if !(DIMENSIONS_MIN..=DIMENSIONS_MAX).contains(&expected) {
            return Err(MultiVectorError::Dimensions { received: expected });
        }
        let row_bytes = int8_row_bytes(expected);
        let mut rows = vec![0; count * row_bytes].into_boxed_slice();
        let mut unit = Vec::with_capacity(expected);
        let places = vectors.iter().zip(rows.chunks_exact_mut(row_bytes));
        for (vector, (numbers, row)) in places.enumerate() {
            let received = numbers.len();
            if received != expected {
                return Err(MultiVectorError::Length {
                    vector,
                    expected,
                    received,
                });
            }
            if numbers.iter().any(|number| !number.is_finite()) {
                return Err(MultiVectorError::NotFinite { vector });
            }
            set_to_unit(&mut unit, numbers);
            write_int8_row(&unit, row);
        }
        let dimensions = u16::try_from(expected).expect("few numbers");
        Ok(Self { dimensions, rows })
    }

    /// The numbers of each vector.
    pub fn dimensions(&self) -> usize {
        usize::from(self.dimensions)
    }

    /// The number of vectors.
    pub fn count(&self) -> usize {
        self.rows.len() / int8_row_bytes(self.dimensions())
    }

    /// The bytes that it takes besides itself.
    pub fn memory_bytes(&self) -> usize {
        self.rows.len()
    }

    /// The step and the codes of each vector.
    pub(crate) fn rows(&self) -> impl ExactSizeIterator<Item = (f32, &[i8])> {
        let rows = self.rows.chunks_exact(int8_row_bytes(self.dimensions()));
        rows.map(split_int8_row)
    }
}

/// Makes `unit` the vector of length 1 in the direction of `numbers`, by a sum of 64 bits in their order.
fn set_to_unit(unit: &mut Vec<f32>, numbers: &[f32]) {
    let squares = numbers.iter().map(|&number| f64::from(number).powi(2));
    let length = squares.sum::<f64>().sqrt();
    let scale = if length > 0.0 { length.recip() } else { 0.0 };
    unit.clear();
    unit.extend(numbers.iter().map(|&x| (f64::from(x) * scale) as f32));
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]
mod tests {
    use super::*;

    #[test]
    fn vectors_have_length_1_and_keep_their_order() {
        let kept = MultiVector::new(&[vec![3.0, 4.0], vec![0.0, 0.0], vec![1e-30, 0.0]]).unwrap();
        assert_eq!((kept.dimensions(), kept.count()), (2, 3));
        assert_eq!(kept.memory_bytes(), 3 * (4 + 2));
        let numbers = |(step, codes): (f32, &[i8])| -> Vec<f32> {
            codes.iter().map(|&code| step * f32::from(code)).collect()
        };
        let rows: Vec<Vec<f32>> = kept.rows().map(numbers).collect();
        for (row, expected) in rows.iter().zip([[0.6, 0.8], [0.0, 0.0], [1.0, 0.0]]) {
            for (number, expected) in row.iter().zip(expected) {
                assert!((number - expected).abs() < 0.5 / 127.0, "{rows:?}");
            }
        }
    }

    #[test]
    fn malformed_vectors_are_refused_by_what_came() {
        let refused = |vectors: &[Vec<f32>]| MultiVector::new(vectors).unwrap_err();
        assert_eq!(refused(&[]), MultiVectorError::Count { received: 0 });
        let received = VECTORS_MAX + 1;
        let many = vec![vec![1.0, 2.0]; received];
        assert_eq!(refused(&many), MultiVectorError::Count { received });
        assert!(MultiVector::new(&many[1..]).is_ok());
        for received in [0, 1, DIMENSIONS_MAX + 1] {
            let vectors = [vec![1.0; received]];
            assert_eq!(refused(&vectors), MultiVectorError::Dimensions { received });
        }
        let uneven = refused(&[vec![1.0, 2.0], vec![1.0, 2.0, 3.0]]);
        let length = MultiVectorError::Length {
            vector: 1,
            expected: 2,
            received: 3,
        };
        assert_eq!(uneven, length);
        for number in [f32::NAN, f32::INFINITY] {
            let vectors = [vec![1.0, 2.0], vec![number, 0.0]];
            assert_eq!(refused(&vectors), MultiVectorError::NotFinite { vector: 1 });
        }
    }

    #[test]
    fn the_largest_numbers_have_a_direction() {
        let kept = MultiVector::new(&[vec![f32::MAX, -f32::MAX]]).unwrap();
        let (step, codes) = kept.rows().next().unwrap();
        assert!((step * 127.0 - 0.5_f32.sqrt()).abs() < 1e-4);
        assert_eq!(codes, [127, -127]);
    }
}
