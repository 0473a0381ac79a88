//! A set that need not fit in memory: it is drawn and indexed block by block, then opened by a process of its own, as
//! after a restart, and searched, filtered and written to.
//!
//! Exact answers to the queries are found on the way, while each block is in memory. The parts that nobody times, draws
//! and exact answers, are left out of the figures.

mod opened;
mod source;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use pelorus_hnsw::NumericType;
use pelorus_random::SplitMix64;
use serde::{Deserialize, Serialize};
use serde_json::json;

use self::source::{Block, Blocks};
use crate::dataset::{Result, Source};
use crate::graph::{Graph, Shape};
use crate::resident::Resident;

/// The recipe of a run.
#[derive(Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Scale {
    pub seed: u64,
    pub dim: usize,
    /// Queries, where the source does not hold some out.
    pub queries: usize,
    /// Exact neighbors of each.
    pub k: usize,
    pub source: Source,
    /// `float`, `bfloat16` or `int8`.
    pub numeric: String,
    /// Bytes of memory for int8 codes; all of them have room where it is none.
    pub code_memory: Option<usize>,
    pub m: usize,
    pub ef_construction: usize,
    pub threads: usize,
    /// Shares of the documents that filters let pass.
    pub pass_rates: Vec<f64>,
    /// Passes over the queries, of which the medians are told.
    pub passes: usize,
    pub writes_per_second: usize,
    pub write_seconds: f64,
}

impl Scale {
    fn shape(&self) -> Result<Shape> {
        Ok(Shape {
            dim: self.dim,
            m: self.m,
            ef_construction: self.ef_construction,
            numeric: self.numeric.parse::<NumericType>()?,
        })
    }

    /// Tells whether a filter lets a document pass: the same in every run.
    fn passes(&self, rate: f64, document: u32) -> bool {
        let bits = SplitMix64(self.seed ^ u64::from(document)).bits();
        (bits >> 11) as f64 / ((1u64 << 53) as f64) < rate
    }
}

/// The part of a run that the next process needs.
#[derive(Serialize, Deserialize)]
struct Truth {
    count: usize,
    queries: Vec<f32>,
    /// For no filter and then for each rate: the nearest of each query, with their products, nearest first.
    nearest: Vec<Vec<Vec<(f32, u32)>>>,
}

/// Builds an index in `directory`, which is emptied, and has another process open it. Prints what it measures, one
/// JSON object a line.
pub fn scale(directory: &Path, recipe: &str) -> Result<()> {
    let scale = read(recipe)?;
    if directory.exists() {
        fs::remove_dir_all(directory)?;
    }
    let index = index_in(directory);
    fs::create_dir_all(&index)?;
    let before = Resident::now();
    let blocks = Blocks::new(&scale)?;
    let queries = blocks.queries();
    let among = 1 + scale.pass_rates.len();
    let mut nearest = vec![vec![Vec::new(); queries.len() / scale.dim]; among];
    let graph = Graph::create(scale.shape()?, Some(&index))?;
    let (mut count, mut seconds) = (0, 0.0);
    blocks.each(|blocks| {
        for Block { rows, nearest: of } in blocks {
            let started = Instant::now();
            rows.chunks_exact(scale.dim).for_each(|row| graph.push(row));
            graph.link(scale.threads);
            seconds += started.elapsed().as_secs_f64();
            count += rows.len() / scale.dim;
            for (all, block) in nearest.iter_mut().flatten().zip(of.into_iter().flatten()) {
                merge(all, block, scale.k);
            }
        }
    });
    let started = Instant::now();
    graph.save()?;
    seconds += started.elapsed().as_secs_f64();
    let resident = resident(before);
    let bytes = graph.memory_bytes();
    println!(
        "{}",
        json!({"phase": "build", "vectors": count, "numeric": scale.numeric, "seconds": seconds, "resident": resident,
               "memoryBytes": bytes, "diskBytes": bytes_of(&index)?})
    );
    let truth = Truth {
        count,
        queries,
        nearest,
    };
    fs::write(truth_in(directory), serde_json::to_vec(&truth)?)?;
    drop(graph);
    let status = Command::new(std::env::current_exe()?)
        .arg("scale-opened")
        .arg(directory)
        .arg(recipe)
        .status()?;
    match status.success() {
        true => Ok(()),
        false => Err(format!("the process that opens the index: {status}").into()),
    }
}

/// The other process of [`scale`].
pub fn scale_opened(directory: &Path, recipe: &str) -> Result<()> {
    let started = Instant::now();
    opened::measure(directory, &read(recipe)?, started)
}

fn read(recipe: &str) -> Result<Scale> {
    let scale: Scale = serde_json::from_str(recipe)?;
    if let Some(bytes) = scale.code_memory {
        pelorus_hnsw::limit_code_memory(bytes);
    }
    Ok(scale)
}

/// Takes some of the nearest into those of before.
fn merge(all: &mut Vec<(f32, u32)>, some: Vec<(f32, u32)>, k: usize) {
    all.extend(some);
    all.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    all.truncate(k);
}

fn index_in(directory: &Path) -> PathBuf {
    directory.join("index")
}

fn truth_in(directory: &Path) -> PathBuf {
    directory.join("truth.json")
}

fn bytes_of(folder: &Path) -> Result<u64> {
    let mut bytes = 0;
    for entry in fs::read_dir(folder)? {
        bytes += entry?.metadata()?.len();
    }
    Ok(bytes)
}

/// The growth of this process; null where the system does not tell.
fn resident(before: Option<Resident>) -> serde_json::Value {
    match (before, Resident::now()) {
        (Some(before), Some(now)) => {
            let Resident { own, files } = now.since(before);
            json!({"own": own, "files": files})
        }
        _ => serde_json::Value::Null,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::tests::small;

    #[test]
    fn a_run_finds_what_exact_search_finds() {
        let scale = Scale {
            seed: 1,
            dim: 32,
            queries: 10,
            k: 5,
            source: small().source,
            numeric: "float".to_owned(),
            code_memory: None,
            m: 8,
            ef_construction: 64,
            threads: 2,
            pass_rates: vec![0.5],
            passes: 1,
            writes_per_second: 0,
            write_seconds: 0.0,
        };
        let blocks = Blocks::new(&scale).unwrap();
        let (mut all, mut nearest) = (Vec::new(), vec![vec![Vec::new(); 10]; 2]);
        blocks.each(|blocks| {
            for block in blocks {
                all.extend(block.rows);
                let of = block.nearest.into_iter().flatten();
                for (all, some) in nearest.iter_mut().flatten().zip(of) {
                    merge(all, some, 5);
                }
            }
        });
        assert_eq!(all.len(), 400 * 32);
        let half: Vec<u32> = (0..400).filter(|&id| scale.passes(0.5, id)).collect();
        assert!((150..250).contains(&half.len()), "{}", half.len());
        let among = [None, Some(&half[..])];
        let truth = crate::truth::exact_neighbors(&all, &blocks.queries(), 32, 5, &among);
        for (nearest, truth) in nearest.iter().zip(&truth) {
            let ids: Vec<u32> = nearest.iter().flatten().map(|found| found.1).collect();
            assert_eq!(&ids, truth);
        }
    }
}
