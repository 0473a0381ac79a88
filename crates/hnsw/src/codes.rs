//! int8 codes of all vectors, and the order of nodes computed from them.
//!
//! With mean μ, a vector is x = μ + x′ and its code stands for x′. What ranks nodes against a
//! query q = μ + q′ is then
//! - by distance: |q - x|² = |q′|² + |x′|² - 2 q′·x′,
//! - by inner product: -q·x = -q·μ - μ·x′ - q′·x′.
//!
//! The first term is the same for all x and left out, the last is an integer product of codes
//! times their scales, and the middle one, the *bias* of x, is kept in full precision beside the
//! code: vectors in a narrow cone differ mostly there.

use pelorus_kernels::{Int8Codec, kernels, prefetch};

use crate::Metric;
use crate::blocks::Rows;
use crate::keys::is_inner_product;

/// Codes are padded to whole vector registers, which spares kernels the tail.
pub(crate) const CODE_ALIGN: usize = 64;
/// Below this many components the error of a code is no longer averaged out, and full vectors
/// are as quick to read.
const DIM_MIN: usize = 16;

/// Whether codes can rank by this metric.
pub(crate) fn codes_apply(metric: Metric, dim: usize) -> bool {
    let linear = is_inner_product(metric) || matches!(metric, Metric::Angular | Metric::Euclidean);
    linear && dim >= DIM_MIN
}

/// One generation of codes: all by the same codec. Calibrating anew makes a new generation.
pub(crate) struct Codes {
    metric: Metric,
    codec: Int8Codec,
    calibrated_on: usize,
    mean_norm: f32,
    codes: Rows<i8>,
    /// Written before the code of the same node.
    biases: Rows<f32>,
}

impl Codes {
    /// No codes yet, of a codec that fits `samples`, each `[dim]`, drawn from `population` vectors.
    pub fn calibrate(metric: Metric, dim: usize, samples: &[&[f32]], population: usize) -> Self {
        let codec = match metric {
            Metric::Angular => {
                let units: Vec<Vec<f32>> = samples.iter().map(|sample| unit(sample)).collect();
                Int8Codec::calibrate(dim, &units.iter().map(Vec::as_slice).collect::<Vec<_>>())
            }
            _ => Int8Codec::calibrate(dim, samples),
        };
        let mean_norm = (kernels().dot_f32)(codec.mean(), codec.mean());
        let codes = Rows::new(dim.next_multiple_of(CODE_ALIGN));
        Self {
            metric,
            codec,
            calibrated_on: population,
            mean_norm,
            codes,
            biases: Rows::new(1),
        }
    }

    /// Appends the code of the next node's vector.
    pub fn append(&self, vector: &[f32]) {
        let direction;
        let vector = match self.metric {
            Metric::Angular => {
                direction = unit(vector);
                &direction
            }
            _ => vector,
        };
        let table = kernels();
        let bias = match is_inner_product(self.metric) {
            true => self.mean_norm - (table.dot_f32)(self.codec.mean(), vector),
            false => (table.l2sq_f32)(self.codec.mean(), vector),
        };
        self.biases.append(|row| row[0] = bias);
        self.codes.append(|code| self.codec.encode(vector, code));
    }

    /// What made the codes.
    pub fn codec(&self) -> &Int8Codec {
        &self.codec
    }

    /// The number of vectors there were at calibration.
    pub fn calibrated_on(&self) -> usize {
        self.calibrated_on
    }

    pub fn metric(&self) -> Metric {
        self.metric
    }

    /// The number of nodes that have a code.
    #[inline]
    pub fn len(&self) -> usize {
        self.codes.len()
    }

    #[inline]
    pub fn code(&self, node: u32) -> &[i8] {
        self.codes.row(node as usize)
    }

    #[inline]
    pub fn bias(&self, node: u32) -> f32 {
        self.biases.row(node as usize)[0]
    }

    /// Hints that code and bias of `node` will soon be read.
    #[inline(always)]
    pub fn prefetch(&self, node: u32) {
        prefetch(self.codes.row(node as usize));
        prefetch(self.biases.row(node as usize));
    }

    /// What the product of a code with one of scale `scale` counts in a key.
    pub fn weight(&self, scale: f32) -> f32 {
        let product = self.codec.scale() * scale;
        if is_inner_product(self.metric) {
            product
        } else {
            2.0 * product
        }
    }

    pub fn memory_bytes(&self) -> usize {
        self.codes.memory_bytes() + self.biases.memory_bytes()
    }
}

/// The vector of length one in the same direction; zeros stay zeros.
pub(crate) fn unit(vector: &[f32]) -> Vec<f32> {
    let length = (kernels().dot_f32)(vector, vector).sqrt();
    let factor = if length > 0.0 { 1.0 / length } else { 0.0 };
    vector.iter().map(|x| x * factor).collect()
}
