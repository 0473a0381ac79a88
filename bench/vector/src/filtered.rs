//! The time and the recall of searches under filters, beside those of a search without one.
//!
//! The default request is searched under filters of many shares in four places, as seen from each query. Passes over all
//! queries take turns; a time is the least of a query over the rounds, in processor time of the thread, and the oracle is
//! an exact search.

use std::path::Path;

use pelorus_hnsw::NumericType;
use pelorus_random::SplitMix64;

use crate::dataset::{Dataset, Result};
use crate::graph::{Accept, Graph, Shape, Wish};
use crate::truth::scores;

const SHARES: [f64; 8] = [0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.001];
/// The share of the nearest documents that the surroundings of a query are.
const SURROUNDINGS: f64 = 0.01;
const SHAPE: Shape = Shape {
    dim: 0,
    m: 16,
    ef_construction: 200,
    numeric: NumericType::Float,
};
const K: usize = 10;
const QUERIES: usize = 100;
const ROUNDS: usize = 5;

/// The place of the documents that pass, as seen from the query.
#[derive(Clone, Copy)]
enum Place {
    Anywhere,
    /// Anywhere but among the nearest.
    Outside,
    Farthest,
    Nearest,
}

impl Place {
    const ALL: [(&str, Self); 4] = [
        ("anywhere", Self::Anywhere),
        ("outside the surroundings", Self::Outside),
        ("the farthest", Self::Farthest),
        ("the nearest", Self::Nearest),
    ];

    /// The documents of `ranked`, nearest first, that pass; their number is a share of all.
    fn passing(self, ranked: &[u32], share: f64, random: &mut SplitMix64) -> Vec<u32> {
        let count = (share * ranked.len() as f64).round() as usize;
        let near = (SURROUNDINGS * ranked.len() as f64) as usize;
        let from = match self {
            Self::Anywhere => ranked,
            Self::Outside => &ranked[near..],
            Self::Farthest => return ranked[ranked.len() - count..].to_vec(),
            Self::Nearest => return ranked[..count].to_vec(),
        };
        let mut documents = from.to_vec();
        for at in 0..count {
            let other = at + random.below(documents.len() - at);
            documents.swap(at, other);
        }
        documents.truncate(count);
        documents
    }
}

/// A filter for each query.
struct Row {
    share: f64,
    place: Option<&'static str>,
    accepts: Vec<Accept>,
    recall: f64,
    worst: f64,
    /// Least microseconds by query.
    least: Vec<f64>,
}

/// Builds the index of a data set, or opens the one that was built before, and prints a row for each filter.
pub fn measure(directory: &Path) -> Result<()> {
    let dataset = Dataset::open(directory)?;
    let (base, mut queries) = (dataset.base()?, dataset.queries("queries")?);
    queries.truncate(QUERIES * dataset.dim);
    let graph = graph(directory, &dataset)?;
    let mut rows = rows(&base, &queries, dataset.dim);
    let wish = Wish::by_default(K);
    for row in &mut rows {
        recall(row, &graph, &queries, dataset.dim);
    }
    for _ in 0..ROUNDS {
        for row in &mut rows {
            let queries = queries.chunks_exact(dataset.dim);
            for ((query, accept), least) in queries.zip(&row.accepts).zip(&mut row.least) {
                let start = now();
                graph.search(query, wish, accept);
                *least = least.min(now() - start);
            }
        }
    }
    let unfiltered = mean(&rows[0].least);
    println!(
        "{:>7}  {:26} {:>7} {:>6} {:>8} {:>6} {:>6}",
        "passes", "where", "recall", "worst", "us", "ratio", "p95"
    );
    for mut row in rows {
        let own = mean(&row.least);
        row.least.sort_by(f64::total_cmp);
        let p95 = row.least[row.least.len() * 95 / 100];
        println!(
            "{:>6.1}%  {:26} {:7.4} {:6.1} {own:8.1} {:6.2} {:6.2}",
            row.share * 100.0,
            row.place.unwrap_or("no filter"),
            row.recall,
            row.worst,
            own / unfiltered,
            p95 / unfiltered
        );
    }
    Ok(())
}

fn graph(directory: &Path, dataset: &Dataset) -> Result<Graph> {
    let shape = Shape {
        dim: dataset.dim,
        ..SHAPE
    };
    let folder = directory.join("index");
    if let Ok(graph) = Graph::open(shape, &folder) {
        return Ok(graph);
    }
    std::fs::create_dir_all(&folder)?;
    let graph = Graph::create(shape, Some(&folder))?;
    dataset.each_part(|part| {
        part.chunks_exact(dataset.dim)
            .for_each(|row| graph.push(row))
    })?;
    graph.link(1);
    graph.save()?;
    Ok(graph)
}

fn rows(base: &[f32], queries: &[f32], dim: usize) -> Vec<Row> {
    let count = queries.len() / dim;
    let row = |share, place| Row {
        share,
        place,
        accepts: Vec::with_capacity(count),
        recall: 0.0,
        worst: 1.0,
        least: vec![f64::INFINITY; count],
    };
    let shares = SHARES.iter();
    let filters: Vec<(f64, (&str, Place))> = shares
        .flat_map(|&share| Place::ALL.map(|place| (share, place)))
        .collect();
    let mut rows = vec![row(1.0, None)];
    rows.extend(
        filters
            .iter()
            .map(|(share, (name, _))| row(*share, Some(*name))),
    );
    let (all, mut random) = (base.len() / dim, SplitMix64(1));
    for query in queries.chunks_exact(dim) {
        let ranked = ranked(base, query, dim);
        rows[0].accepts.push(Accept::all(all));
        for ((share, (_, place)), row) in filters.iter().zip(&mut rows[1..]) {
            let passing = place.passing(&ranked, *share, &mut random);
            row.accepts.push(Accept::only(&passing, all));
        }
    }
    rows
}

/// All documents, nearest first.
fn ranked(base: &[f32], query: &[f32], dim: usize) -> Vec<u32> {
    let mut scores: Vec<(f32, u32)> = scores(base, query, dim).into_iter().zip(0..).collect();
    scores.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    scores.into_iter().map(|(_, document)| document).collect()
}

fn recall(row: &mut Row, graph: &Graph, queries: &[f32], dim: usize) {
    let (mut found, mut wanted) = (0, 0);
    for (query, accept) in queries.chunks_exact(dim).zip(&row.accepts) {
        let truth = graph.search(query, Wish::exactly(K), accept);
        let hits = graph.search(query, Wish::by_default(K), accept);
        let right = hits.iter().filter(|hit| truth.contains(hit)).count();
        found += right;
        wanted += truth.len();
        row.worst = row.worst.min(right as f64 / truth.len() as f64);
    }
    row.recall = found as f64 / wanted as f64;
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// Microseconds of this thread.
#[cfg(target_os = "linux")]
fn now() -> f64 {
    use rustix::time::{ClockId, clock_gettime};
    let now = clock_gettime(ClockId::ThreadCPUTime);
    now.tv_sec as f64 * 1e6 + now.tv_nsec as f64 / 1e3
}

/// Microseconds of the clock, where threads have none of their own.
#[cfg(not(target_os = "linux"))]
fn now() -> f64 {
    use std::sync::LazyLock;
    use std::time::Instant;
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    START.elapsed().as_secs_f64() * 1e6
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn so_many_documents_pass_as_the_share_says_and_where_the_place_says() {
        let ranked: Vec<u32> = (0..1_000).rev().collect();
        let mut random = SplitMix64(1);
        let mut passing = |place: Place| {
            let mut passing = place.passing(&ranked, 0.02, &mut random);
            passing.sort_unstable();
            passing.dedup();
            assert_eq!(passing.len(), 20);
            passing
        };
        assert!(
            passing(Place::Anywhere)
                .iter()
                .any(|&document| document >= 500)
        );
        assert!(
            passing(Place::Outside)
                .iter()
                .all(|&document| document < 990)
        );
        assert_eq!(passing(Place::Farthest), (0..20).collect::<Vec<u32>>());
        assert_eq!(passing(Place::Nearest), (980..1_000).collect::<Vec<u32>>());
    }
}
