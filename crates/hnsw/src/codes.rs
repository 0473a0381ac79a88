//! int8 codes of all vectors, and the order of nodes computed from them.
//!
//! With centre μ, a vector is x = μ + x′ and its code stands for x′. What ranks nodes against a
//! query q = μ + q′ is then
//! - by distance: |q - x|² = |q′|² + |x′|² - 2 q′·x′,
//! - by inner product: -q·x = -q′·μ - μ·x - q′·x′.
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

/// What is kept beside a code.
#[derive(Clone, Copy)]
pub(crate) struct Facts {
    /// What the vector adds to every key, whatever the query.
    pub bias: f32,
    /// What one step of the code stands for.
    pub scale: f32,
    /// |x′|².
    pub norm: f32,
}

/// One generation of codes: all by the same codec. Calibrating anew makes a new generation.
pub(crate) struct Codes {
    metric: Metric,
    codec: Int8Codec,
    codes: Rows<i8>,
    /// Written before the code of the same node: bias, scale, norm, nothing.
    facts: Rows<f32>,
}

impl Codes {
    /// No codes yet, of a codec that fits `samples`, each `[dim]`.
    pub fn calibrate(metric: Metric, dim: usize, samples: &[&[f32]]) -> Self {
        let codec = match metric {
            Metric::Angular => {
                let units: Vec<Vec<f32>> = samples.iter().map(|sample| unit(sample)).collect();
                Int8Codec::calibrate(dim, &units.iter().map(Vec::as_slice).collect::<Vec<_>>())
            }
            _ => Int8Codec::calibrate(dim, samples),
        };
        let codes = Rows::new(dim.next_multiple_of(CODE_ALIGN));
        Self {
            metric,
            codec,
            codes,
            facts: Rows::new(4),
        }
    }

    /// Appends the code of the next node's vector and answers its scale.
    pub fn append(&self, vector: &[f32]) -> f32 {
        let direction;
        let vector = match self.metric {
            Metric::Angular => {
                direction = unit(vector);
                &direction
            }
            _ => vector,
        };
        let table = kernels();
        let norm = (table.l2sq_f32)(self.codec.centre(), vector);
        let bias = match is_inner_product(self.metric) {
            true => -(table.dot_f32)(self.codec.centre(), vector),
            false => norm,
        };
        let mut code = vec![0; vector.len().next_multiple_of(CODE_ALIGN)];
        let scale = self.codec.encode(vector, &mut code);
        self.facts
            .append(|row| row.copy_from_slice(&[bias, scale, norm, 0.0]));
        self.codes.append(|row| row.copy_from_slice(&code));
        scale
    }

    /// What made the codes.
    pub fn codec(&self) -> &Int8Codec {
        &self.codec
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
    pub fn facts(&self, node: u32) -> Facts {
        let row = self.facts.row(node as usize);
        Facts {
            bias: row[0],
            scale: row[1],
            norm: row[2],
        }
    }

    /// Hints that code and facts of `node` will soon be read.
    #[inline(always)]
    pub fn prefetch(&self, node: u32) {
        prefetch(self.codes.row(node as usize));
        prefetch(self.facts.row(node as usize));
    }

    /// What q′·x′ counts in a key.
    pub fn product_weight(&self) -> f32 {
        if is_inner_product(self.metric) {
            1.0
        } else {
            2.0
        }
    }

    pub fn memory_bytes(&self) -> usize {
        self.codes.memory_bytes() + self.facts.memory_bytes()
    }
}

/// The vector of length one in the same direction; zeros stay zeros.
pub(crate) fn unit(vector: &[f32]) -> Vec<f32> {
    let length = (kernels().dot_f32)(vector, vector).sqrt();
    let factor = if length > 0.0 { 1.0 / length } else { 0.0 };
    vector.iter().map(|x| x * factor).collect()
}
