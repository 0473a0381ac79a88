//! The cost of MaxSim over the candidates of a search, and what bytes in place of floats do to their order.
//!
//! `cargo run --release -p pelorus-bench-search --example late_interaction [CANDIDATES [VECTORS [DIMENSIONS [QUERY]]]]`: 100
//! candidates of 64 vectors of 128 numbers, and 32 vectors of a query, where nothing is said. Vectors are like those of ColBERT:
//! each is a topic's with noise, a document has vectors of four of 200 topics, and a query is about three topics, vector by vector.
//! Printed are, in microseconds for all candidates on one core, the median and the 99th percentile of
//! - `maxsim`: the scores as a search computes them,
//! - `f32`: the same by inner products of 32-bit floats, with the kernel of this machine,
//!
//! and beside them the agreement with `f32`: the share of its ten best among the ten best of `maxsim`, the share of equal best
//! ones, the share of pairs of candidates that stand in the same order, and the greatest difference of a score.

use std::hint::black_box;
use std::time::Instant;

use pelorus_kernels::kernels;
use pelorus_maxsim::{MaxSim, MultiVector};
use pelorus_random::SplitMix64;

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;
type Vectors = Vec<Vec<f32>>;

const TOPICS: usize = 200;
const DOCUMENT_TOPICS: usize = 4;
const QUERY_TOPICS: usize = 3;
/// The length of what is added to a vector of length 1.
const NOISE: f32 = 0.6;
const QUERIES: usize = 300;
const K: usize = 10;

fn main() -> Result<()> {
    let said: Vec<usize> = std::env::args()
        .skip(1)
        .map(|said| said.parse())
        .collect::<std::result::Result<_, _>>()?;
    let number = |at: usize, default: usize| said.get(at).copied().unwrap_or(default);
    let (candidates, vectors) = (number(0, 100), number(1, 64));
    let (dimensions, asked) = (number(2, 128), number(3, 32));
    let mut random = SplitMix64(1);
    let topics: Vectors = (0..TOPICS)
        .map(|_| unit((0..dimensions).map(|_| random.normal()).collect()))
        .collect();
    let documents: Vec<Vectors> = (0..candidates)
        .map(|_| about(&topics, DOCUMENT_TOPICS, vectors, &mut random))
        .collect();
    let kept: Vec<MultiVector> = documents
        .iter()
        .map(|vectors| MultiVector::new(vectors))
        .collect::<std::result::Result<_, _>>()?;
    let bytes: usize = kept.iter().map(MultiVector::memory_bytes).sum();
    println!(
        "{candidates} candidates of {vectors} vectors of {dimensions} numbers, {:.1} KB each; {asked} vectors of a query; {}",
        bytes as f64 / candidates as f64 / 1e3,
        kernels().name
    );
    let (mut times, mut plain_times) = (Vec::new(), Vec::new());
    let mut agreement = Agreement::default();
    for _ in 0..QUERIES {
        let query = about(&topics, QUERY_TOPICS, asked, &mut random);
        let start = Instant::now();
        let search = MaxSim::new(&MultiVector::new(&query)?);
        let scores = kept.iter().map(|document| search.score(document));
        let scores: Option<Vec<f64>> = black_box(scores.collect());
        times.push(start.elapsed().as_secs_f64() * 1e6);
        let start = Instant::now();
        let plain = documents
            .iter()
            .map(|document| plain_score(&query, document));
        let plain: Vec<f64> = black_box(plain.collect());
        plain_times.push(start.elapsed().as_secs_f64() * 1e6);
        agreement.add(&scores.ok_or("equal dimensions")?, &plain);
    }
    for (name, mut times) in [("maxsim", times), ("f32", plain_times)] {
        times.sort_by(f64::total_cmp);
        let (median, late) = (times[times.len() / 2], times[times.len() * 99 / 100]);
        println!("  {name:8} {median:10.1} {late:10.1}");
    }
    agreement.print();
    Ok(())
}

/// Vectors of length 1 near those of a few topics.
fn about(topics: &Vectors, few: usize, count: usize, random: &mut SplitMix64) -> Vectors {
    let chosen: Vec<&Vec<f32>> = (0..few).map(|_| random.pick(topics)).collect();
    let vector = |_| {
        let topic = chosen[random.below(few)];
        let noise = NOISE / (topic.len() as f32).sqrt();
        let numbers = topic.iter().map(|x| x + random.normal() * noise);
        unit(numbers.collect())
    };
    (0..count).map(vector).collect()
}

fn unit(mut vector: Vec<f32>) -> Vec<f32> {
    let length = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
    vector.iter_mut().for_each(|x| *x /= length);
    vector
}

fn plain_score(query: &Vectors, document: &Vectors) -> f64 {
    let dot = kernels().dot_f32;
    let greatest = |vector: &Vec<f32>| {
        let products = document.iter().map(|other| dot(vector, other));
        f64::from(products.fold(f32::NEG_INFINITY, f32::max))
    };
    query.iter().map(greatest).sum()
}

/// The likeness of two lists of scores of the same candidates, over all queries.
#[derive(Default)]
struct Agreement {
    queries: usize,
    best: usize,
    first: usize,
    first_possible: usize,
    pairs: usize,
    pairs_possible: usize,
    difference: f64,
}

impl Agreement {
    fn add(&mut self, scores: &[f64], plain: &[f64]) {
        self.queries += 1;
        let (ours, theirs) = (order(scores), order(plain));
        self.best += usize::from(ours.first() == theirs.first());
        let k = K.min(scores.len());
        self.first_possible += k;
        let found = ours[..k].iter().filter(|at| theirs[..k].contains(at));
        self.first += found.count();
        for (a, &before) in theirs.iter().enumerate() {
            for &behind in &theirs[a + 1..] {
                self.pairs_possible += 1;
                self.pairs += usize::from(scores[before] >= scores[behind]);
            }
        }
        let differences = scores.iter().zip(plain).map(|(a, b)| (a - b).abs());
        self.difference = differences.fold(self.difference, f64::max);
    }

    fn print(&self) {
        let share = |of: usize, all: usize| of as f64 / all.max(1) as f64;
        println!(
            "  ten best {:.4}, best {:.4}, pairs {:.5}, greatest difference {:.4}",
            share(self.first, self.first_possible),
            share(self.best, self.queries),
            share(self.pairs, self.pairs_possible),
            self.difference
        );
    }
}

/// Places from the best score on.
fn order(scores: &[f64]) -> Vec<usize> {
    let mut places: Vec<usize> = (0..scores.len()).collect();
    places.sort_by(|&a, &b| scores[b].total_cmp(&scores[a]));
    places
}
