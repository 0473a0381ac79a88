//! Commands on standard input, answers on standard output, one JSON object a line.

use std::error::Error;
use std::io::{BufRead, Write};
use std::path::Path;
use std::time::Instant;

use pelorus_hnsw::{HnswParams, Metric, VectorIndex, VectorSearch};
use pelorus_kernels::{BitSet, kernels};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::control;
use crate::dataset::Dataset;

/// Nodes linked between two looks at the time; no more than a scheduling detail.
const LINK_BUDGET: usize = 1_024;

#[derive(Deserialize)]
#[serde(tag = "op", rename_all = "camelCase", rename_all_fields = "camelCase")]
enum Command {
    /// Builds the graph on one thread.
    Build { m: usize, ef_construction: usize },
    /// Runs every query once, one after the other.
    Search { ef: usize, k: usize },
    /// Times the control work.
    Control,
}

pub fn serve(directory: &Path) -> Result<(), Box<dyn Error>> {
    let dataset = Dataset::load(directory)?;
    let mut graph = None;
    for line in std::io::stdin().lock().lines() {
        let answer = match serde_json::from_str(&line?)? {
            Command::Build { m, ef_construction } => {
                let (index, answer) = build(&dataset, m, ef_construction);
                graph = Some(index);
                answer
            }
            Command::Search { ef, k } => search(
                &dataset,
                graph.as_ref().ok_or("search before build")?,
                ef,
                k,
            ),
            Command::Control => {
                let (scan, multiply) = control::run();
                json!({ "scanSeconds": scan, "multiplySeconds": multiply })
            }
        };
        let mut out = std::io::stdout().lock();
        writeln!(out, "{answer}")?;
        out.flush()?;
    }
    Ok(())
}

fn build(dataset: &Dataset, m: usize, ef_construction: usize) -> (VectorIndex, Value) {
    let started = Instant::now();
    let index = VectorIndex::new(HnswParams {
        dim: dataset.dim,
        metric: Metric::PrenormalizedAngular,
        m,
        ef_construction,
        seed: 1,
    });
    for (vector, doc) in dataset.base.chunks_exact(dataset.dim).zip(0..) {
        index.push(vector, doc, 0);
    }
    while index.advance(LINK_BUDGET) > 0 {}
    let answer = json!({
        "seconds": started.elapsed().as_secs_f64(),
        "indexBytes": index.memory_bytes(),
        "version": env!("CARGO_PKG_VERSION"),
        "kernels": kernels().name,
    });
    (index, answer)
}

fn search(dataset: &Dataset, index: &VectorIndex, ef: usize, k: usize) -> Value {
    let count = index.len();
    let accept: BitSet = (0..count as u32).collect();
    let search = VectorSearch {
        k,
        ef,
        exact: false,
        approximate_threshold: None,
        accept_count: count,
        live_docs: count,
    };
    let mut found = Vec::with_capacity(dataset.queries.len() / dataset.dim);
    let started = Instant::now();
    for query in dataset.queries.chunks_exact(dataset.dim) {
        found.push(index.search(query, &search, &accept));
    }
    let seconds = started.elapsed().as_secs_f64();
    let neighbors: Vec<Vec<u32>> = found
        .iter()
        .map(|hits| hits.iter().map(|hit| hit.doc).collect())
        .collect();
    json!({ "seconds": seconds, "neighbors": neighbors })
}
