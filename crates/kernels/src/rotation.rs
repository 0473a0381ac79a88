//! A fixed random rotation, after which the components of any vector look alike.

use std::sync::Arc;

use pelorus_random::SplitMix64;

use crate::kernels;

/// Vectors are padded to whole words of sign bits.
const WORD_BITS: usize = 64;
/// The largest dimension a vector may have.
const DIM_MAX: usize = 4096;
/// With more blocks than this a reflection leaves most of a block's energy where it was.
const BLOCKS_MAX: usize = 5;

/// A fixed orthogonal transform of vectors of one dimension, drawn from a seed: lengths and inner
/// products stay, within rounding, while the components become those of a random direction, close
/// to normal even where the vector had but one. One-bit codes need that.
///
/// A round flips signs at random, applies fast Hadamard transforms and mixes the parts they did not
/// join by a Householder reflection, `x - 2/p Σ parts`; in `d log d` steps it does the work of a
/// random matrix in `d²` (Ailon and Chazelle 2009; Yu et al. 2016, "Orthogonal Random Features").
///
/// | padded length | Hadamard transforms of a round | mixed | rounds |
/// |---|---|---|---|
/// | 1, 3 or 5 times a power of two | one a block: 768 = 3 x 256 | the blocks | 2 |
/// | any other | two of the largest power of two, at the front and at the end | four quarters | 3 |
///
/// The second row covers all by overlap, where many small blocks would hardly mix: a reflection
/// mixes four equal parts evenly.
#[derive(Clone, Debug)]
pub struct Rotation {
    padded: usize,
    /// Components of one Hadamard transform, a power of two.
    block: usize,
    /// The places where the transforms of a round start.
    starts: Arc<[usize]>,
    /// Equal parts mixed at the end of a round; one is none.
    parts: usize,
    /// `[rounds, transforms, block]`, each `±1/√block`, so that a signed transform keeps lengths.
    signs: Arc<[f32]>,
}

impl Rotation {
    /// The rotation of vectors of `dim` components that belongs to `seed`. Equal arguments give
    /// equal rotations on every machine and in every version: stored codes rely on it.
    ///
    /// # Panics
    /// If `dim` is not in 1..=4096.
    pub fn new(dim: usize, seed: u64) -> Self {
        assert!(
            (1..=DIM_MAX).contains(&dim),
            "a dimension in 1..={DIM_MAX}, not {dim}"
        );
        let padded = dim.next_multiple_of(WORD_BITS);
        let power = 1 << padded.trailing_zeros();
        let blocks = padded / power;
        let (block, starts, parts, rounds) = if blocks <= BLOCKS_MAX {
            let starts = (0..padded).step_by(power).collect();
            (power, starts, blocks, 2)
        } else {
            let block = 1 << padded.ilog2();
            (block, vec![0, padded - block], 4, 3)
        };
        let unit = 1.0 / (block as f32).sqrt();
        let mut random = SplitMix64(seed);
        let signs = (0..rounds * starts.len() * block / WORD_BITS).flat_map(|_| {
            let bits = random.bits();
            (0..WORD_BITS).map(move |i| if bits >> i & 1 == 1 { unit } else { -unit })
        });
        Self {
            padded,
            block,
            parts,
            signs: signs.collect(),
            starts: starts.into(),
        }
    }

    /// Components of a rotated vector: the dimension rounded up to a multiple of 64.
    pub fn padded(&self) -> usize {
        self.padded
    }

    /// Rotates `v`, `[padded]`, in place: a vector, `[dim]`, and zeros after it. One whose length
    /// does not fit into an f32 rotates to components that are not finite.
    ///
    /// # Panics
    /// If it has another length.
    pub fn rotate(&self, v: &mut [f32]) {
        assert_eq!(v.len(), self.padded, "components of a rotated vector");
        let kernels = kernels();
        for round in self.signs.chunks_exact(self.starts.len() * self.block) {
            for (&start, signs) in self.starts.iter().zip(round.chunks_exact(self.block)) {
                (kernels.hadamard)(&mut v[start..start + self.block], signs);
            }
            if self.parts > 1 {
                (kernels.reflect)(v, self.parts);
            }
        }
    }
}
