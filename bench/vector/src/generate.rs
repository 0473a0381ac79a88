//! Vectors like those of a text model: clusters on a manifold of low rank, in a cone, with noise.

use std::error::Error;
use std::path::Path;

use pelorus_kernels::kernels;

use crate::dataset::{Dataset, Definition, Description, write_words};
use crate::random::Random;

/// Makes the files of a data set; `dataset.json` last, so that its presence means a whole set.
pub fn generate(directory: &Path, definition: &Definition) -> Result<(), Box<dyn Error>> {
    std::fs::create_dir_all(directory)?;
    let dataset = sample(definition);
    let truth = exact_neighbors(&dataset, definition.k);
    write_words(
        &directory.join("base.f32"),
        dataset.base.iter().map(|x| x.to_le_bytes()),
    )?;
    write_words(
        &directory.join("queries.f32"),
        dataset.queries.iter().map(|x| x.to_le_bytes()),
    )?;
    write_words(
        &directory.join("truth.u32"),
        truth.iter().map(|id| id.to_le_bytes()),
    )?;
    let description = describe(definition, &dataset, &truth);
    std::fs::write(
        directory.join("dataset.json"),
        serde_json::to_vec_pretty(&description)?,
    )?;
    Ok(())
}

/// A vector is `mean + basis · (scale ∘ (centre + spread · g)) + noise`, at unit length.
fn sample(definition: &Definition) -> Dataset {
    let Definition {
        seed,
        count,
        dim,
        queries,
        clusters,
        rank,
        ..
    } = *definition;
    let mut random = Random::new(seed, 0);
    let mut normals = |len: usize| -> Vec<f32> { (0..len).map(|_| random.normal()).collect() };
    let scale: Vec<f32> = (0..rank)
        .map(|i| (1.0 + i as f64).powf(-definition.decay) as f32)
        .collect();
    let basis = normals(rank * dim);
    let centres = normals(clusters * rank);
    let mean = normals(dim);
    // A row of the basis has squared length `dim`, so these are squared lengths divided by it.
    let spread = definition.spread;
    let manifold: f64 = scale
        .iter()
        .map(|s| f64::from(s * s * (1.0 + spread * spread)))
        .sum();
    let whole = manifold / (1.0 - definition.common - definition.noise);
    let mean_scale = (whole * definition.common).sqrt() as f32;
    let noise_scale = (whole * definition.noise).sqrt() as f32;

    let rows = |stream: u64, rows: usize| {
        let mut random = Random::new(seed, stream);
        let mut vectors = Vec::with_capacity(rows * dim);
        for _ in 0..rows {
            let centre = zipf(&mut random, clusters) * rank;
            let mut vector: Vec<f32> = mean
                .iter()
                .map(|m| m * mean_scale + random.normal() * noise_scale)
                .collect();
            for (i, direction) in basis.chunks_exact(dim).enumerate() {
                let z = scale[i] * (centres[centre + i] + spread * random.normal());
                vector
                    .iter_mut()
                    .zip(direction)
                    .for_each(|(x, w)| *x += z * w);
            }
            let length = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
            vectors.extend(vector.iter().map(|x| x / length));
        }
        vectors
    };
    Dataset {
        dim,
        base: rows(1, count),
        queries: rows(2, queries),
    }
}

/// A cluster, the larger ones more often: the density of rank `r` falls as `1 / r`.
fn zipf(random: &mut Random, clusters: usize) -> usize {
    let rank = (clusters as f64).powf(random.uniform());
    (rank as usize - 1).min(clusters - 1)
}

/// `[queries, k]`, nearest first, ties by id.
fn exact_neighbors(dataset: &Dataset, k: usize) -> Vec<u32> {
    let dot = kernels().dot_f32;
    let mut truth = Vec::new();
    for query in dataset.queries.chunks_exact(dataset.dim) {
        let scored = dataset
            .base
            .chunks_exact(dataset.dim)
            .map(|x| dot(query, x));
        let mut ranked: Vec<(f32, u32)> = scored.zip(0..).collect();
        let by_score = |a: &(f32, u32), b: &(f32, u32)| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1));
        ranked.select_nth_unstable_by(k - 1, by_score);
        ranked[..k].sort_by(by_score);
        truth.extend(ranked[..k].iter().map(|&(_, id)| id));
    }
    truth
}

fn describe(definition: &Definition, dataset: &Dataset, truth: &[u32]) -> Description {
    let dot = kernels().dot_f32;
    let row = |id: usize| &dataset.base[id * dataset.dim..][..dataset.dim];
    let mut random = Random::new(definition.seed, 3);
    let mut any = || (random.uniform() * definition.count as f64) as usize;
    let pairs = 2_000;
    let pair_sum: f32 = (0..pairs).map(|_| dot(row(any()), row(any()))).sum();
    let queries = dataset.queries.chunks_exact(dataset.dim);
    let last = truth
        .chunks_exact(definition.k)
        .map(|ids| ids[definition.k - 1] as usize);
    let last_sum: f32 = queries
        .zip(last)
        .map(|(query, id)| dot(query, row(id)))
        .sum();
    Description {
        definition: definition.clone(),
        random_pair_cosine: pair_sum / pairs as f32,
        last_neighbor_cosine: last_sum / definition.queries as f32,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn small() -> Definition {
        Definition {
            seed: 1,
            count: 400,
            dim: 32,
            queries: 10,
            k: 5,
            clusters: 20,
            rank: 8,
            decay: 0.35,
            spread: 0.7,
            common: 0.03,
            noise: 0.05,
        }
    }

    #[test]
    fn a_definition_always_gives_the_same_unit_rows() {
        let (first, second) = (sample(&small()), sample(&small()));
        assert_eq!(first.base, second.base);
        assert_eq!(first.queries.len(), 10 * 32);
        for row in first.base.chunks_exact(32) {
            let length: f32 = row.iter().map(|x| x * x).sum();
            assert!((length - 1.0).abs() < 1e-4);
        }
    }

    #[test]
    fn the_truth_holds_the_nearest_in_order() {
        let dataset = sample(&small());
        let truth = exact_neighbors(&dataset, 5);
        let cosine = |query: &[f32], id: usize| -> f32 {
            query
                .iter()
                .zip(&dataset.base[id * 32..])
                .map(|(a, b)| a * b)
                .sum()
        };
        for (query, found) in dataset.queries.chunks_exact(32).zip(truth.chunks_exact(5)) {
            let mut all: Vec<f32> = (0..400).map(|id| cosine(query, id)).collect();
            all.sort_by(|a, b| b.total_cmp(a));
            for (expected, &id) in all.iter().zip(found) {
                assert!((expected - cosine(query, id as usize)).abs() < 1e-5);
            }
        }
    }
}
