use pelorus_kernels::kernels;

use crate::MultiVector;

/// Products that are compared side by side.
const LANES: usize = 8;

/// The vectors of a query, by which documents are scored.
#[derive(Debug, Clone)]
pub struct MaxSim {
    dimensions: usize,
    vectors: Vec<QueryVector>,
}

#[derive(Debug, Clone)]
struct QueryVector {
    step: f32,
    codes: Box<[i8]>,
    /// The sum of its codes, which saves kernels a part of their work.
    sum: i32,
}

/// The part of a score that one vector of the query has.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GreatestProduct {
    /// The first vector of the document that has it, from 0.
    pub vector: usize,
    pub product: f64,
}

impl MaxSim {
    pub fn new(query: &MultiVector) -> Self {
        let vectors = query.rows().map(|(step, codes)| QueryVector {
            step,
            codes: codes.into(),
            sum: codes.iter().map(|&code| i32::from(code)).sum(),
        });
        Self {
            dimensions: query.dimensions(),
            vectors: vectors.collect(),
        }
    }

    /// The numbers of each vector.
    pub fn dimensions(&self) -> usize {
        self.dimensions
    }

    /// The sum, over the query's vectors, of the greatest inner product with any of the document's; none where these have
    /// other dimensions.
    pub fn score(&self, document: &MultiVector) -> Option<f64> {
        let mut products = Products::of(self, document)?;
        // A sum in the order of the query's vectors: that of the parts, to the last bit.
        let of_vector =
            |vector| f64::from(greatest(products.with(vector))) * f64::from(vector.step);
        Some(self.vectors.iter().map(of_vector).sum())
    }

    /// The parts of a score, one for each vector of the query.
    pub fn parts(&self, document: &MultiVector) -> Option<Vec<GreatestProduct>> {
        let mut products = Products::of(self, document)?;
        let of_vector = |vector| {
            let products = products.with(vector);
            let greatest = greatest(products);
            let place = products.iter().position(|&product| product == greatest);
            GreatestProduct {
                vector: place.unwrap_or_default(),
                product: f64::from(greatest) * f64::from(vector.step),
            }
        };
        Some(self.vectors.iter().map(of_vector).collect())
    }
}

/// The inner products of one vector of a query with all of a document.
struct Products<'a> {
    steps: Vec<f32>,
    rows: Vec<&'a [i8]>,
    dots: Vec<i32>,
    products: Vec<f32>,
}

impl<'a> Products<'a> {
    fn of(query: &MaxSim, document: &'a MultiVector) -> Option<Self> {
        if document.dimensions() != query.dimensions {
            return None;
        }
        let (steps, rows): (Vec<f32>, Vec<&[i8]>) = document.rows().unzip();
        Some(Self {
            dots: vec![0; rows.len()],
            products: vec![0.0; rows.len()],
            steps,
            rows,
        })
    }

    /// The products, which lack the step of the query's vector. An inner product of codes has at most 24 bits, so that 32
    /// hold it as a float.
    fn with(&mut self, vector: &QueryVector) -> &[f32] {
        (kernels().dot_i8_rows)(&vector.codes, vector.sum, &self.rows, &mut self.dots);
        let scaled = self.dots.iter().zip(&self.steps);
        let scaled = scaled.map(|(&dot, step)| dot as f32 * step);
        for (place, product) in self.products.iter_mut().zip(scaled) {
            *place = product;
        }
        &self.products
    }
}

/// The greatest of some finite numbers. Lanes hide the latency of comparisons.
fn greatest(products: &[f32]) -> f32 {
    let larger = |a: f32, b: f32| if b > a { b } else { a };
    let mut lanes = [f32::NEG_INFINITY; LANES];
    let mut chunks = products.chunks_exact(LANES);
    for chunk in &mut chunks {
        for (lane, &product) in lanes.iter_mut().zip(chunk) {
            *lane = larger(*lane, product);
        }
    }
    let rest = chunks.remainder().iter().copied();
    lanes
        .into_iter()
        .chain(rest)
        .fold(f32::NEG_INFINITY, larger)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]
mod tests {
    use super::*;

    fn vectors(numbers: &[[f32; 2]]) -> MultiVector {
        let numbers: Vec<Vec<f32>> = numbers.iter().map(|pair| pair.to_vec()).collect();
        MultiVector::new(&numbers).unwrap()
    }

    #[test]
    fn each_vector_of_the_query_counts_by_the_one_that_is_nearest() {
        let document = vectors(&[[1.0, 0.0], [0.0, 1.0], [0.0, 5.0]]);
        let query = MaxSim::new(&vectors(&[[0.0, 2.0], [1.0, 0.0], [-1.0, 0.0]]));
        let parts = query.parts(&document).unwrap();
        let places: Vec<usize> = parts.iter().map(|part| part.vector).collect();
        assert_eq!(places, [1, 0, 1], "the first of equal ones");
        for (part, expected) in parts.iter().zip([1.0, 1.0, 0.0]) {
            assert!((part.product - expected).abs() < 1e-3, "{parts:?}");
        }
        let sum: f64 = parts.iter().map(|part| part.product).sum();
        assert_eq!(query.score(&document), Some(sum));
    }

    #[test]
    fn vectors_of_other_dimensions_have_no_score() {
        let query = MaxSim::new(&vectors(&[[0.0, 2.0]]));
        let document = MultiVector::new(&[vec![1.0, 2.0, 3.0]]).unwrap();
        assert_eq!(query.score(&document), None);
        assert_eq!(query.parts(&document), None);
        assert_eq!(query.dimensions(), 2);
    }
}
