//! When codes are calibrated, and how a new generation takes over while searches go on.

use std::sync::Arc;

use crate::VectorIndex;
use crate::codes::{Codes, codes_apply};

/// Vectors from which the first codec is learnt. Fewer are quick to scan in full precision.
const FIRST_CALIBRATION: usize = 1024;
/// A generation is replaced when there are this many times the vectors it was calibrated on.
const GROWTH: usize = 8;
/// Vectors sampled for a calibration, at equal distances through the index.
const SAMPLE_MAX: usize = 2048;

impl VectorIndex {
    /// Makes a new generation of codes if the vectors have outgrown the current one, or none is
    /// there and there are enough. Pushes wait only while the last few vectors are encoded.
    pub(crate) fn calibrate_if_due(&self) {
        let current = self.codes.load().as_deref().map_or(0, Codes::calibrated_on);
        let due = if current == 0 {
            FIRST_CALIBRATION
        } else {
            current * GROWTH
        };
        let len = self.vectors.len();
        if len < due || !codes_apply(self.params.metric, self.params.dim) {
            return;
        }
        let step = len.div_ceil(SAMPLE_MAX);
        let sampled = (0..len)
            .step_by(step)
            .map(|node| self.vectors.vector(node as u32));
        let samples: Vec<&[f32]> = sampled.collect();
        let fresh = Codes::calibrate(self.params.metric, self.params.dim, &samples, len);
        (0..len).for_each(|node| fresh.append(self.vectors.vector(node as u32)));
        let _pushes_wait = self.push.lock();
        let newer = len..self.vectors.len();
        newer.for_each(|node| fresh.append(self.vectors.vector(node as u32)));
        self.codes.store(Some(Arc::new(fresh)));
    }
}
