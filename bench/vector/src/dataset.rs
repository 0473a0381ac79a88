//! A data set as files of one folder, all numbers little endian, rows at unit length.
//!
//! | file | holds |
//! |---|---|
//! | `base.f32` | `[count, dim]`, what is indexed; a row's place is its id |
//! | `<queries>.f32` | `[n, dim]` for each set of queries: `queries`, `outside`, `correlated` |
//! | `truth-<queries>.u32` | `[n, k]` exact neighbors among all, nearest first |
//! | `filter-<filter>.u32` | ids that pass, ascending: one for each pass rate, and `correlated` |
//! | `truth-<queries>-<filter>.u32` | `[n, min(k, passing)]` exact neighbors among those that pass |
//! | `dataset.json` | a [`Description`]; written last, so that its presence means a whole set |

use std::error::Error;
use std::fs::{self, File};
use std::io::{BufWriter, Read, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

pub type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// The recipe of a data set; part of the bench's definitions.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Definition {
    pub seed: u64,
    pub dim: usize,
    /// Queries, where the source does not say how many it has.
    pub queries: usize,
    /// Exact neighbors kept for each query.
    pub k: usize,
    /// Shares of the base that filters let pass.
    pub pass_rates: Vec<f64>,
    pub source: Source,
}

/// The source of the vectors.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(
    tag = "kind",
    rename_all = "camelCase",
    rename_all_fields = "camelCase"
)]
pub enum Source {
    /// Drawn around a manifold, as the vectors of text models lie.
    Manifold { count: usize, shape: Manifold },
    /// No structure at all: every direction alike.
    Gauss { count: usize },
    /// Vectors made elsewhere: `[any, dim]`, f32. Every `hold_out_every`-th is a query.
    Rows {
        file: PathBuf,
        hold_out_every: usize,
    },
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Manifold {
    /// Clusters, of unequal sizes; 0 for none.
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
    /// A second set of queries, which do not lie where the data does.
    pub outside: Option<Outside>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Outside {
    /// Radians by which each direction of the manifold is turned off it.
    pub turn: f32,
    /// As in [`Manifold`].
    pub noise: f64,
}

/// The properties that a data set turned out to have.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Description {
    pub definition: Definition,
    pub count: usize,
    /// Mean cosine of two vectors taken at random.
    pub random_pair_cosine: f32,
    /// Mean cosine of a query and its k-th neighbor.
    pub last_neighbor_cosine: f32,
}

/// The folder of a whole data set.
pub struct Dataset {
    directory: PathBuf,
    pub dim: usize,
    pub count: usize,
}

impl Dataset {
    pub fn open(directory: &Path) -> Result<Self> {
        let description: Description =
            serde_json::from_slice(&fs::read(directory.join("dataset.json"))?)?;
        Ok(Dataset {
            directory: directory.to_path_buf(),
            dim: description.definition.dim,
            count: description.count,
        })
    }

    pub fn base(&self) -> Result<Vec<f32>> {
        read_floats(&self.directory.join("base.f32"))
    }

    /// Hands over the base in order, a part of its rows at a time, so that it never lies in memory whole.
    pub fn each_part(&self, mut take: impl FnMut(&[f32])) -> Result<()> {
        let mut file = File::open(self.directory.join("base.f32"))?;
        // Made once, so that no allocator keeps several of them.
        let mut bytes = vec![0; PART_ROWS * self.dim * 4];
        let mut part = Vec::with_capacity(PART_ROWS * self.dim);
        for first in (0..self.count).step_by(PART_ROWS) {
            let bytes = &mut bytes[..(self.count - first).min(PART_ROWS) * self.dim * 4];
            file.read_exact(bytes)?;
            part.clear();
            part.extend(words(bytes).map(f32::from_le_bytes));
            take(&part);
        }
        Ok(())
    }

    /// `[n, dim]` of one set of queries.
    pub fn queries(&self, set: &str) -> Result<Vec<f32>> {
        read_floats(&self.directory.join(format!("{set}.f32")))
    }

    /// Ids that a filter lets pass, ascending.
    pub fn filter(&self, name: &str) -> Result<Vec<u32>> {
        read_ids(&self.directory.join(format!("filter-{name}.u32")))
    }
}

/// Rows that are handed over together: small beside any index that is measured.
const PART_ROWS: usize = 256;

/// Writes 4-byte numbers.
pub fn write_words(path: &Path, words: impl Iterator<Item = [u8; 4]>) -> std::io::Result<()> {
    let mut file = BufWriter::new(File::create(path)?);
    for word in words {
        file.write_all(&word)?;
    }
    file.flush()
}

pub fn read_floats(path: &Path) -> Result<Vec<f32>> {
    let bytes = fs::read(path)?;
    whole(path, &bytes)?;
    Ok(floats(&bytes))
}

fn read_ids(path: &Path) -> Result<Vec<u32>> {
    let bytes = fs::read(path)?;
    whole(path, &bytes)?;
    Ok(words(&bytes).map(u32::from_le_bytes).collect())
}

fn whole(path: &Path, bytes: &[u8]) -> Result<()> {
    match bytes.len() % 4 {
        0 => Ok(()),
        _ => Err(format!("{} is cut short", path.display()).into()),
    }
}

fn floats(bytes: &[u8]) -> Vec<f32> {
    words(bytes).map(f32::from_le_bytes).collect()
}

fn words(bytes: &[u8]) -> impl Iterator<Item = [u8; 4]> {
    bytes.as_chunks().0.iter().copied()
}
