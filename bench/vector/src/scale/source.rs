//! The vectors of a run, some thousand at a time.

use std::thread;

use pelorus_kernels::kernels;

use super::{Scale, merge};
use crate::dataset::{Result, Source};
use crate::random::Random;
use crate::sample::{Space, read_apart, to_unit_length};

/// Rows of one block.
const BLOCK: usize = 16 << 10;
/// Streams of random numbers before those of blocks.
const FIRST_STREAM: u64 = 1 << 16;

/// Rows that follow one another, and the nearest of them.
pub(super) struct Block {
    pub rows: Vec<f32>,
    /// As of the whole set.
    pub nearest: Vec<Vec<Vec<(f32, u32)>>>,
}

/// A source of blocks: the same ones each time.
pub(super) struct Blocks<'a> {
    scale: &'a Scale,
    queries: Vec<f32>,
    drawn: Drawn<'a>,
    count: usize,
}

enum Drawn<'a> {
    Space(Space<'a>),
    Gauss,
    Rows(Vec<f32>),
}

impl<'a> Blocks<'a> {
    pub fn new(scale: &'a Scale) -> Result<Self> {
        let Scale {
            seed, dim, queries, ..
        } = *scale;
        let (drawn, queries, count) = match &scale.source {
            Source::Manifold { count, shape } => {
                let space = Space::new(seed, dim, shape);
                let queries = space.rows(seed, 2, queries);
                (Drawn::Space(space), queries, *count)
            }
            Source::Gauss { count } => (Drawn::Gauss, gauss(seed, 2, queries, dim), *count),
            Source::Rows {
                file,
                hold_out_every,
            } => {
                let (base, mut held) = read_apart(file, dim, *hold_out_every)?;
                held.truncate(queries * dim);
                let count = base.len() / dim;
                (Drawn::Rows(base), held, count)
            }
        };
        Ok(Self {
            scale,
            queries,
            drawn,
            count,
        })
    }

    /// `[n, dim]`
    pub fn queries(&self) -> Vec<f32> {
        self.queries.clone()
    }

    /// Hands over all blocks in order, as many at once as there are threads to make them.
    pub fn each(&self, mut take: impl FnMut(Vec<Block>)) {
        let blocks: Vec<usize> = (0..self.count.div_ceil(BLOCK)).collect();
        for blocks in blocks.chunks(self.scale.threads.max(1)) {
            let made = thread::scope(|scope| {
                let makers: Vec<_> = blocks
                    .iter()
                    .map(|&block| scope.spawn(move || self.block(block)))
                    .collect();
                let made = makers.into_iter().map(|maker| maker.join());
                made.map(|block| block.expect("drawing does not panic"))
                    .collect()
            });
            take(made);
        }
    }

    /// Rows that come after all others.
    pub fn more(&self, rows: usize) -> Vec<f32> {
        match &self.drawn {
            // Between those that are there.
            Drawn::Rows(base) => {
                let dim = self.scale.dim;
                let mut random = Random::new(self.scale.seed, 7);
                let mut any = || (random.uniform() * self.count as f64) as usize * dim;
                let mut vectors = Vec::with_capacity(rows * dim);
                for _ in 0..rows {
                    let (near, far) = (any(), any());
                    let pairs = base[near..][..dim].iter().zip(&base[far..][..dim]);
                    vectors.extend(pairs.map(|(x, y)| x + 0.35 * y));
                    let start = vectors.len() - dim;
                    to_unit_length(&mut vectors[start..]);
                }
                vectors
            }
            _ => self.draw(self.count.div_ceil(BLOCK), rows),
        }
    }

    fn draw(&self, block: usize, rows: usize) -> Vec<f32> {
        let Scale { seed, dim, .. } = *self.scale;
        let stream = FIRST_STREAM + block as u64;
        match &self.drawn {
            Drawn::Space(space) => space.rows(seed, stream, rows),
            Drawn::Gauss => gauss(seed, stream, rows, dim),
            Drawn::Rows(base) => base[block * BLOCK * dim..][..rows * dim].to_vec(),
        }
    }

    fn block(&self, block: usize) -> Block {
        let first = block * BLOCK;
        let rows = self.draw(block, BLOCK.min(self.count - first));
        let nearest = nearest(self.scale, &self.queries, &rows, first as u32);
        Block { rows, nearest }
    }
}

/// For no filter and then for each rate: the nearest rows of each query, numbered from `first` on.
pub(super) fn nearest(
    scale: &Scale,
    queries: &[f32],
    rows: &[f32],
    first: u32,
) -> Vec<Vec<Vec<(f32, u32)>>> {
    let (dim, dot) = (scale.dim, kernels().dot_f32);
    let rates = || std::iter::once(1.0).chain(scale.pass_rates.iter().copied());
    let mut found = vec![Vec::new(); rates().count()];
    for query in queries.chunks_exact(dim) {
        let products = (first..).zip(rows.chunks_exact(dim));
        let products: Vec<(f32, u32)> = products.map(|(id, row)| (dot(query, row), id)).collect();
        for (rate, found) in rates().zip(&mut found) {
            let passing = products.iter().filter(|(_, id)| scale.passes(rate, *id));
            let mut best = Vec::new();
            merge(&mut best, passing.copied().collect(), scale.k);
            found.push(best);
        }
    }
    found
}

fn gauss(seed: u64, stream: u64, rows: usize, dim: usize) -> Vec<f32> {
    let mut random = Random::new(seed, stream);
    let mut vectors: Vec<f32> = (0..rows * dim).map(|_| random.normal()).collect();
    vectors.chunks_exact_mut(dim).for_each(to_unit_length);
    vectors
}
