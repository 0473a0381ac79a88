//! Vectors and queries of each kind of source.

use std::path::Path;

use crate::dataset::{Definition, Manifold, Outside, Result, Source, read_floats};
use crate::random::Random;

/// The vectors of a source: `[n, dim]` each, rows at unit length.
pub struct Sample {
    pub base: Vec<f32>,
    pub queries: Vec<f32>,
    /// Queries that do not lie where the data does.
    pub outside: Option<Vec<f32>>,
}

pub fn sample(definition: &Definition) -> Result<Sample> {
    let Definition {
        seed, dim, queries, ..
    } = *definition;
    match &definition.source {
        Source::Manifold { count, shape } => {
            let space = Space::new(seed, dim, shape);
            let rows = |stream, rows| space.rows(seed, stream, rows);
            let outside = shape.outside.as_ref();
            Ok(Sample {
                base: rows(1, *count),
                queries: rows(2, queries),
                outside: outside.map(|outside| space.turned(seed, outside).rows(seed, 5, queries)),
            })
        }
        Source::Gauss { count } => Ok(Sample {
            base: gauss(seed, 1, *count, dim),
            queries: gauss(seed, 2, queries, dim),
            outside: None,
        }),
        Source::Rows {
            file,
            hold_out_every,
        } => {
            let (base, held) = read_apart(file, dim, *hold_out_every)?;
            Ok(Sample {
                base,
                queries: held,
                outside: None,
            })
        }
    }
}

/// Reads vectors, and holds every so many of them out: the others, then these.
pub fn read_apart(file: &Path, dim: usize, hold_out_every: usize) -> Result<(Vec<f32>, Vec<f32>)> {
    let (mut base, mut held) = (Vec::new(), Vec::new());
    for (row, vector) in read_floats(file)?.chunks_exact(dim).enumerate() {
        match row % hold_out_every {
            0 => held.extend_from_slice(vector),
            _ => base.extend_from_slice(vector),
        }
    }
    Ok((base, held))
}

/// A vector is `mean + basis · (scale ∘ (centre + spread · g)) + noise`, at unit length.
pub struct Space<'a> {
    dim: usize,
    shape: &'a Manifold,
    /// `[rank]`
    scale: Vec<f32>,
    /// `[rank, dim]`
    basis: Vec<f32>,
    /// `[clusters, rank]`
    centres: Vec<f32>,
    /// `[dim]`
    mean: Vec<f32>,
    noise: f64,
}

impl<'a> Space<'a> {
    pub fn new(seed: u64, dim: usize, shape: &'a Manifold) -> Self {
        let rank = shape.rank;
        let mut random = Random::new(seed, 0);
        let mut normals = |len: usize| -> Vec<f32> { (0..len).map(|_| random.normal()).collect() };
        Space {
            dim,
            shape,
            scale: (0..rank)
                .map(|i| (1.0 + i as f64).powf(-shape.decay) as f32)
                .collect(),
            basis: normals(rank * dim),
            centres: normals(shape.clusters * rank),
            mean: normals(dim),
            noise: shape.noise,
        }
    }

    /// The same cone, its manifold turned towards directions that the data does not have.
    fn turned(mut self, seed: u64, outside: &Outside) -> Self {
        let mut random = Random::new(seed, 4);
        let (sin, cos) = outside.turn.sin_cos();
        for x in &mut self.basis {
            *x = cos * *x + sin * random.normal();
        }
        self.noise = outside.noise;
        self
    }

    /// Factors of the mean and of the noise that give them their shares of the squared length.
    fn factors(&self) -> (f32, f32) {
        let Manifold {
            clusters,
            spread,
            common,
            ..
        } = *self.shape;
        let centre = if clusters > 0 { 1.0 } else { 0.0 };
        // A row of the basis has squared length `dim`, so these are squared lengths divided by it.
        let variance = self
            .scale
            .iter()
            .map(|s| f64::from(s * s * (centre + spread * spread)));
        let whole = variance.sum::<f64>() / (1.0 - common - self.noise);
        (
            (whole * common).sqrt() as f32,
            (whole * self.noise).sqrt() as f32,
        )
    }

    pub fn rows(&self, seed: u64, stream: u64, rows: usize) -> Vec<f32> {
        let Manifold {
            clusters,
            rank,
            spread,
            ..
        } = *self.shape;
        let (mean_factor, noise_factor) = self.factors();
        let mut random = Random::new(seed, stream);
        let mut vectors = Vec::with_capacity(rows * self.dim);
        for _ in 0..rows {
            let centre = (clusters > 0).then(|| zipf(&mut random, clusters) * rank);
            let start = vectors.len();
            let mean = self.mean.iter();
            vectors.extend(mean.map(|m| m * mean_factor + random.normal() * noise_factor));
            let vector = &mut vectors[start..];
            for (i, direction) in self.basis.chunks_exact(self.dim).enumerate() {
                let centre = centre.map_or(0.0, |centre| self.centres[centre + i]);
                let z = self.scale[i] * (centre + spread * random.normal());
                for (x, w) in vector.iter_mut().zip(direction) {
                    *x += z * w;
                }
            }
            to_unit_length(vector);
        }
        vectors
    }
}

fn gauss(seed: u64, stream: u64, rows: usize, dim: usize) -> Vec<f32> {
    let mut random = Random::new(seed, stream);
    let mut vectors: Vec<f32> = (0..rows * dim).map(|_| random.normal()).collect();
    vectors.chunks_exact_mut(dim).for_each(to_unit_length);
    vectors
}

pub fn to_unit_length(vector: &mut [f32]) {
    let length = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
    vector.iter_mut().for_each(|x| *x /= length);
}

/// A cluster, the larger ones more often: the density of rank `r` falls as `1 / r`.
fn zipf(random: &mut Random, clusters: usize) -> usize {
    let rank = (clusters as f64).powf(random.uniform());
    (rank as usize - 1).min(clusters - 1)
}

#[cfg(test)]
pub mod tests {
    use super::*;

    /// Four hundred vectors in a cone around twenty clusters.
    pub fn small() -> Definition {
        Definition {
            seed: 1,
            dim: 32,
            queries: 10,
            k: 5,
            pass_rates: vec![0.5, 0.01],
            source: Source::Manifold {
                count: 400,
                shape: Manifold {
                    clusters: 20,
                    rank: 8,
                    decay: 0.35,
                    spread: 0.7,
                    common: 0.7,
                    noise: 0.05,
                    outside: Some(Outside {
                        turn: 0.7,
                        noise: 0.1,
                    }),
                },
            },
        }
    }

    fn mean_cosine(a: &[f32], b: &[f32]) -> f32 {
        let (a, b) = (a.chunks_exact(32), b.chunks_exact(32));
        let count = a.len().min(b.len()) as f32;
        let cosine = |(a, b): (&[f32], &[f32])| a.iter().zip(b).map(|(x, y)| x * y).sum::<f32>();
        a.zip(b).map(cosine).sum::<f32>() / count
    }

    #[test]
    fn a_definition_always_gives_the_same_unit_rows() {
        let (first, second) = (sample(&small()).unwrap(), sample(&small()).unwrap());
        assert_eq!(first.base, second.base);
        assert_eq!((first.base.len(), first.queries.len()), (400 * 32, 10 * 32));
        for row in first.base.chunks_exact(32) {
            let length: f32 = row.iter().map(|x| x * x).sum();
            assert!((length - 1.0).abs() < 1e-4);
        }
    }

    #[test]
    fn the_common_part_of_vectors_is_the_cosine_of_any_two() {
        let sample = sample(&small()).unwrap();
        let shifted = &sample.base[200 * 32..];
        let cosine = mean_cosine(&sample.base[..200 * 32], shifted);
        assert!((0.6..0.8).contains(&cosine), "{cosine}");
        let outside = mean_cosine(&sample.outside.unwrap(), shifted);
        assert!((0.6..0.8).contains(&outside), "{outside}");
    }

    #[test]
    fn held_out_rows_are_queries_and_the_rest_is_the_base() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("rows.f32");
        let words = (0..5 * 32).map(|i| (i as f32).to_le_bytes());
        crate::dataset::write_words(&file, words).unwrap();
        let source = Source::Rows {
            file,
            hold_out_every: 2,
        };
        let sample = sample(&Definition { source, ..small() }).unwrap();
        assert_eq!((sample.queries.len(), sample.base.len()), (3 * 32, 2 * 32));
        assert_eq!((sample.queries[0], sample.base[0]), (0.0, 32.0));
    }
}
