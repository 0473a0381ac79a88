//! An index that another process built: opened, searched cold and warm, filtered, and written to.

use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::source::{Blocks, nearest};
use super::{Scale, Truth, index_in, merge, resident, truth_in};
use crate::dataset::Result;
use crate::graph::{Accept, Graph, Wish};
use crate::resident::Resident;

/// Units of maintenance between two looks for the end.
const SLICE: usize = 16;

pub(super) fn measure(directory: &Path, scale: &Scale, started: Instant) -> Result<()> {
    let before = Resident::now();
    let index = index_in(directory);
    let is_cold = evict(&index);
    let graph = Graph::open(scale.shape()?, &index)?;
    let opened = started.elapsed().as_secs_f64();
    let mut truth: Truth = serde_json::from_slice(&fs::read(truth_in(directory))?)?;
    let all = Accept::all(truth.count);
    let first = Instant::now();
    graph.search(&truth.queries[..scale.dim], Wish::by_default(scale.k), &all);
    let answered = opened + first.elapsed().as_secs_f64();
    print(
        "open",
        json!({"seconds": opened, "firstAnswerSeconds": answered, "isCold": is_cold,
               "resident": resident(before), "memoryBytes": graph.memory_bytes()}),
    );

    // Comparing the vectors with their checksums has read them.
    let is_cold = evict(&index);
    let searched = Searched::pass(&graph, scale, &truth, &all, 0);
    print("cold", searched.told(is_cold, before));
    let warm = Searched::passes(&graph, scale, &truth, &all, 0);
    print("warm", warm.told(false, before));
    for (place, &rate) in (1..).zip(&scale.pass_rates) {
        let passing: Vec<u32> = (0..truth.count as u32)
            .filter(|&id| scale.passes(rate, id))
            .collect();
        let accept = Accept::only(&passing, truth.count);
        let searched = Searched::passes(&graph, scale, &truth, &accept, place);
        print(&format!("filter {rate}"), searched.told(false, before));
    }
    if scale.writes_per_second > 0 {
        let (searched, written) = write_beside(&graph, scale, &mut truth)?;
        print("beside writes", searched.told(false, before));
        graph.link(scale.threads);
        let all = Accept::all(truth.count);
        let after = Searched::passes(&graph, scale, &truth, &all, 0);
        let mut told = after.told(false, before);
        told["written"] = json!(written);
        print("after writes", told);
    }
    Ok(())
}

/// Searches of one kind.
#[derive(Default)]
struct Searched {
    micros: Vec<f64>,
    found: usize,
    wanted: usize,
}

impl Searched {
    /// Searches for each query once.
    fn pass(graph: &Graph, scale: &Scale, truth: &Truth, accept: &Accept, among: usize) -> Self {
        let mut searched = Self::default();
        let queries = truth.queries.chunks_exact(scale.dim);
        for (query, nearest) in queries.zip(&truth.nearest[among]) {
            let started = Instant::now();
            let hits = graph.search(query, Wish::by_default(scale.k), accept);
            searched.micros.push(started.elapsed().as_secs_f64() * 1e6);
            searched.wanted += nearest.len();
            searched.found += nearest.iter().filter(|(_, id)| hits.contains(id)).count();
        }
        searched
    }

    /// The passes of the recipe, in one.
    fn passes(graph: &Graph, scale: &Scale, truth: &Truth, accept: &Accept, among: usize) -> Self {
        let mut all = Self::default();
        for _ in 0..scale.passes.max(1) {
            let Self {
                micros,
                found,
                wanted,
            } = Self::pass(graph, scale, truth, accept, among);
            all.micros.extend(micros);
            all.found += found;
            all.wanted += wanted;
        }
        all
    }

    fn told(mut self, is_cold: bool, before: Option<Resident>) -> Value {
        self.micros.sort_by(f64::total_cmp);
        let quantile = |q: f64| self.micros[((self.micros.len() - 1) as f64 * q).round() as usize];
        json!({"p50Us": quantile(0.5), "p99Us": quantile(0.99), "isCold": is_cold,
               "recall": self.found as f64 / self.wanted.max(1) as f64, "resident": resident(before)})
    }
}

/// Searches while one thread writes and another links; takes what was written into the exact answers. The recall is
/// that of before the writes, which may push a document out.
fn write_beside(graph: &Graph, scale: &Scale, truth: &mut Truth) -> Result<(Searched, usize)> {
    let blocks = Blocks::new(scale)?;
    let rows = (scale.writes_per_second as f64 * scale.write_seconds) as usize;
    let more = blocks.more(rows);
    let stop = AtomicBool::new(false);
    let all = Accept::all(truth.count);
    let searched = thread::scope(|scope| {
        scope.spawn(|| {
            while !stop.load(Ordering::Relaxed) {
                if !graph.maintain(SLICE) {
                    thread::sleep(Duration::from_millis(1));
                }
            }
        });
        let writer = scope.spawn(|| {
            let started = Instant::now();
            for (row, vector) in more.chunks_exact(scale.dim).enumerate() {
                let due = Duration::from_secs_f64(row as f64 / scale.writes_per_second as f64);
                thread::sleep(due.saturating_sub(started.elapsed()));
                graph.push(vector);
            }
        });
        let mut searched = Searched::default();
        while !writer.is_finished() {
            let pass = Searched::pass(graph, scale, truth, &all, 0);
            searched.micros.extend(pass.micros);
            searched.found += pass.found;
            searched.wanted += pass.wanted;
        }
        stop.store(true, Ordering::Relaxed);
        searched
    });
    let written = nearest(scale, &truth.queries, &more, truth.count as u32);
    for (all, some) in truth
        .nearest
        .iter_mut()
        .flatten()
        .zip(written.into_iter().flatten())
    {
        merge(all, some, scale.k);
    }
    truth.count += rows;
    Ok((searched, rows))
}

fn print(phase: &str, mut figures: Value) {
    figures["phase"] = json!(phase);
    println!("{figures}");
}

/// Asks the system to forget the files of an index, as far as it does; false where it cannot be asked.
#[cfg(target_os = "linux")]
fn evict(folder: &Path) -> bool {
    let forget = |path: &Path| -> std::io::Result<()> {
        let file = fs::File::open(path)?;
        file.sync_all()?;
        Ok(rustix::fs::fadvise(
            &file,
            0,
            None,
            rustix::fs::Advice::DontNeed,
        )?)
    };
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries
        .map(|entry| forget(&entry.path()))
        .all(|forgotten| forgotten.is_ok())
}

#[cfg(not(target_os = "linux"))]
fn evict(_folder: &Path) -> bool {
    false
}
