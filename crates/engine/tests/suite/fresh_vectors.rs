//! Every acknowledged document is found by its vector from that moment on, whatever a filter excludes and while
//! documents are replaced without a pause.

use crate::support;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::support::{Fixture, definition, tensor_leg};
use pelorus_random::SplitMix64;
use serde_json::{Value, json};

const DOCUMENTS: usize = 8_000;
const DIMENSIONS: usize = 32;
const CLUMPS: usize = 8;
const BATCH: usize = 128;
const LIMIT: usize = 10;
/// Rounds of queries, each under every filter.
const ROUNDS: usize = 40;

/// Tells which documents pass a filter, by their numbers.
type Passes<'a> = Box<dyn Fn(usize) -> bool + 'a>;

/// Vectors in clumps, the same whenever they are asked for.
struct Clumps(Vec<Vec<f32>>);

impl Clumps {
    fn new(distance: f32) -> Self {
        let mut random = SplitMix64(905);
        let mut centre = || {
            (0..DIMENSIONS)
                .map(|_| distance * random.normal())
                .collect()
        };
        Self((0..CLUMPS).map(|_| centre()).collect())
    }

    fn clump_of(document: usize) -> usize {
        document % CLUMPS
    }

    fn vector(&self, clump: usize, seed: usize) -> Vec<f32> {
        let mut random = SplitMix64(seed as u64 + 1);
        self.0[clump].iter().map(|c| c + random.normal()).collect()
    }

    fn of(&self, document: usize) -> Vec<f32> {
        self.vector(Self::clump_of(document), document)
    }

    fn batch(&self, first: usize) -> Value {
        let document = |n: usize| {
            json!({"_id": format!("{n}"), "clump": Self::clump_of(n), "tenth": n / CLUMPS % 10,
                   "v": {"vector": self.of(n)}})
        };
        let documents: Vec<Value> = (first..DOCUMENTS.min(first + BATCH))
            .map(document)
            .collect();
        json!({"documents": documents, "tensorFields": ["v"], "mappings": {"v": {"type": "custom_vector"}}})
    }

    /// The documents nearest to a query among those that pass, by comparing with all.
    fn nearest(&self, query: &[f32], passes: impl Fn(usize) -> bool) -> Vec<String> {
        let distance = |document: usize| -> f32 {
            let vector = self.of(document);
            query
                .iter()
                .zip(&vector)
                .map(|(q, x)| (q - x).powi(2))
                .sum()
        };
        let passing = (0..DOCUMENTS).filter(|document| passes(*document));
        let mut ranked: Vec<(f32, usize)> = passing.map(|n| (distance(n), n)).collect();
        ranked.sort_by(|a, b| a.0.total_cmp(&b.0));
        let nearest = ranked.iter().take(LIMIT);
        nearest.map(|(_, document)| document.to_string()).collect()
    }
}

fn found(fixture: &Fixture, query: &[f32], filter: Option<&str>) -> Vec<String> {
    let plan = json!({"tensor": tensor_leg(), "filter": filter, "limit": LIMIT});
    support::ids(&fixture.search("fresh", plan, query))
}

#[test]
fn vectors_of_near_clumps_are_found_under_every_filter_while_they_are_replaced() {
    are_found_while_they_are_replaced(&Clumps::new(1.2));
}

#[test]
fn vectors_of_far_clumps_are_found_under_every_filter_while_they_are_replaced() {
    are_found_while_they_are_replaced(&Clumps::new(3.0));
}

/// Replaces batches in any order by two writers, and searches meanwhile.
fn are_found_while_they_are_replaced(clumps: &Clumps) {
    let fixture = Fixture::new();
    let graph = json!({"spaceType": "euclidean", "parameters": {"efConstruction": 128, "m": 16}});
    let changes =
        json!({"dimensions": DIMENSIONS, "annParameters": graph, "normalizeEmbeddings": false});
    fixture
        .engine
        .create_index("fresh", &definition(changes))
        .unwrap();
    let add = |first| {
        let answer = fixture.add("fresh", clumps.batch(first));
        assert_eq!(answer["errors"], false, "{answer}");
    };
    (0..DOCUMENTS).step_by(BATCH).for_each(add);
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        for seed in [906, 907] {
            let (stop, add) = (&stop, &add);
            scope.spawn(move || {
                let mut random = SplitMix64(seed);
                // The same documents, so that the truth does not change.
                while !stop.load(Ordering::Relaxed) {
                    add(random.below(DOCUMENTS.div_ceil(BATCH)) * BATCH);
                }
            });
        }
        let misses =
            std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| misses(&fixture, clumps)));
        stop.store(true, Ordering::Relaxed);
        for (filter, missed) in misses.unwrap() {
            let recall = 1.0 - missed as f64 / (ROUNDS * LIMIT) as f64;
            assert!(recall >= 0.98, "{filter}: {recall}");
        }
    });
}

/// The number of nearest documents that were missed under each filter.
fn misses(fixture: &Fixture, clumps: &Clumps) -> Vec<(&'static str, usize)> {
    let mut random = SplitMix64(912);
    let mut missed = vec![
        ("no filter", 0),
        ("all but its own clump", 0),
        ("half of the clumps", 0),
        ("a tenth", 0),
    ];
    for round in 0..ROUNDS {
        let clump = random.below(CLUMPS);
        let query = clumps.vector(clump, DOCUMENTS + round);
        let half = (0..CLUMPS).filter(|other| other % 2 != clump % 2);
        let half: Vec<String> = half.map(|other| format!("clump:{other}")).collect();
        let cases: [(Option<String>, Passes<'_>); 4] = [
            (None, Box::new(|_| true)),
            (
                Some(format!("NOT clump:{clump}")),
                Box::new(|n| Clumps::clump_of(n) != clump),
            ),
            (
                Some(half.join(" OR ")),
                Box::new(|n| Clumps::clump_of(n) % 2 != clump % 2),
            ),
            (
                Some("tenth:3".to_owned()),
                Box::new(|n| n / CLUMPS % 10 == 3),
            ),
        ];
        for ((filter, passes), (_, missed)) in cases.iter().zip(&mut missed) {
            let wanted = clumps.nearest(&query, passes);
            let hits = found(fixture, &query, filter.as_deref());
            *missed += wanted.iter().filter(|id| !hits.contains(id)).count();
        }
    }
    missed
}
