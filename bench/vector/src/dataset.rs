//! A data set as four files: `base.f32` `[count, dim]` and `queries.f32` `[queries, dim]`, unit
//! rows, row-major, little endian; `truth.u32` `[queries, k]`, nearest first; `dataset.json`.

use std::error::Error;
use std::fs;
use std::io::{BufWriter, Write};
use std::path::Path;

use serde::{Deserialize, Serialize};

/// How a data set is made; part of the bench's definitions.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Definition {
    pub seed: u64,
    /// Vectors to index.
    pub count: usize,
    pub dim: usize,
    pub queries: usize,
    /// Exact neighbors kept for each query.
    pub k: usize,
    pub clusters: usize,
    /// Dimensions of the manifold.
    pub rank: usize,
    /// Exponent of the manifold's spectrum: direction `i` has scale `(1 + i)^-decay`.
    pub decay: f64,
    /// Spread inside a cluster, relative to the spread of the clusters.
    pub spread: f32,
    /// Share of a vector's squared length that all vectors have in common.
    pub common: f64,
    /// Share of a vector's squared length that is noise outside the manifold.
    pub noise: f64,
}

/// What a data set turned out to be.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Description {
    pub definition: Definition,
    /// Mean cosine of two vectors taken at random.
    pub random_pair_cosine: f32,
    /// Mean cosine of a query and its k-th neighbor.
    pub last_neighbor_cosine: f32,
}

pub struct Dataset {
    pub dim: usize,
    pub base: Vec<f32>,
    pub queries: Vec<f32>,
}

impl Dataset {
    pub fn load(directory: &Path) -> Result<Self, Box<dyn Error>> {
        let description: Description =
            serde_json::from_slice(&fs::read(directory.join("dataset.json"))?)?;
        Ok(Dataset {
            dim: description.definition.dim,
            base: read_floats(&directory.join("base.f32"))?,
            queries: read_floats(&directory.join("queries.f32"))?,
        })
    }
}

fn read_floats(path: &Path) -> Result<Vec<f32>, Box<dyn Error>> {
    let bytes = fs::read(path)?;
    let (words, rest) = bytes.as_chunks::<4>();
    if !rest.is_empty() {
        return Err(format!("{} is cut short", path.display()).into());
    }
    Ok(words.iter().map(|word| f32::from_le_bytes(*word)).collect())
}

/// Writes 4-byte numbers, little endian.
pub fn write_words(path: &Path, words: impl Iterator<Item = [u8; 4]>) -> std::io::Result<()> {
    let mut file = BufWriter::new(fs::File::create(path)?);
    for word in words {
        file.write_all(&word)?;
    }
    file.flush()
}
