//! The cost of a search by a sparse vector, beside that of a look at every document.
//!
//! `cargo run --release -p pelorus-bench-search --example sparse [DOCUMENTS]`, 1,000,000 where none are said. Vectors are like
//! those that SPLADE makes: some 120 entries of documents and 25 of queries, of a vocabulary of 30,522 in which an index is the
//! rarer the later it stands, and the weight of a rare one is the greater. Documents of one topic, which stand together, share
//! indices, and a query is about one topic. Searches take turns, query by query; printed are the median and the 99th
//! percentile in microseconds of the ten best by
//! - `pruned`: the search,
//! - `postings`: every posting of the query's indices, added up by document,
//! - `scan`: the inner product with every document's vector, by a table of the query's weights.
//!
//! Each query's answers are compared, to the last bit of the scores: the recall that is printed is a count of equal ones.

use std::convert::Infallible;
use std::time::Instant;

use pelorus_kernels::{BitSet, TopK};
use pelorus_random::SplitMix64;
use pelorus_sparse::{SparseIndex, SparseVector};

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;
type Hits = Vec<(u32, f64)>;
type Way<'a> = &'a dyn Fn(&SparseVector) -> Hits;

const VOCABULARY: usize = 30_522;
const TOPICS: usize = 2_000;
const TOPIC_INDICES: usize = 60;
const DOCUMENT_ENTRIES: usize = 120;
const QUERY_ENTRIES: usize = 25;
const QUERIES: usize = 60;
const K: usize = 10;

fn main() -> Result<()> {
    let documents = match std::env::args().nth(1) {
        Some(count) => count.parse()?,
        None => 1_000_000,
    };
    let mut random = SplitMix64(1);
    let topics: Vec<Vec<u32>> = (0..TOPICS)
        .map(|_| (0..TOPIC_INDICES).map(|_| index_of(&mut random)).collect())
        .collect();
    let vectors = (0..documents)
        .map(|at| {
            vector(
                &topics[at * TOPICS / documents],
                DOCUMENT_ENTRIES,
                &mut random,
            )
        })
        .collect::<Result<Vec<SparseVector>>>()?;
    let start = Instant::now();
    let mut index = SparseIndex::default();
    for (doc, vector) in (0..).zip(&vectors) {
        index.insert(doc, vector);
    }
    let entries: usize = vectors.iter().map(|vector| vector.entries().len()).sum();
    println!(
        "{documents} vectors of {entries} entries in {:.1} s; {:.1} bytes an entry",
        start.elapsed().as_secs_f64(),
        index.memory_bytes() as f64 / entries as f64
    );
    let (all, some) = (BitSet::full(documents as u32), one_in(20, documents));
    for (name, accept) in [("all documents", &all), ("one in twenty", &some)] {
        println!("{name}");
        compare(&index, &vectors, &topics, accept)?;
    }
    Ok(())
}

/// Runs all queries by each way, and prints what they took.
fn compare(
    index: &SparseIndex,
    vectors: &[SparseVector],
    topics: &[Vec<u32>],
    accept: &BitSet,
) -> Result<()> {
    let ways: [(&str, Way<'_>); 3] = [
        ("pruned", &|query| pruned(index, query, accept)),
        ("postings", &|query| postings(index, query, accept)),
        ("scan", &|query| scan(vectors, query, accept)),
    ];
    let mut times: Vec<Vec<f64>> = vec![Vec::new(); ways.len()];
    let mut random = SplitMix64(2);
    let (mut found, mut wanted) = (0, 0);
    for _ in 0..QUERIES {
        let topic: &Vec<u32> = random.pick(topics);
        let query = vector(topic, QUERY_ENTRIES, &mut SplitMix64(random.bits()))?;
        let mut answers = Vec::new();
        for ((_, way), times) in ways.iter().zip(&mut times) {
            let start = Instant::now();
            answers.push(way(&query));
            times.push(start.elapsed().as_secs_f64() * 1e6);
        }
        wanted += answers[2].len();
        found += answers[0]
            .iter()
            .filter(|hit| answers[2].contains(hit))
            .count();
        assert!(
            answers.iter().all(|answer| *answer == answers[2]),
            "answers differ"
        );
    }
    for ((name, _), times) in ways.iter().zip(&mut times) {
        times.sort_by(f64::total_cmp);
        let (median, late) = (times[times.len() / 2], times[times.len() * 99 / 100]);
        println!("  {name:10} {median:11.1} {late:11.1}");
    }
    println!("  recall {:.4}", found as f64 / wanted as f64);
    Ok(())
}

fn pruned(index: &SparseIndex, query: &SparseVector, accept: &BitSet) -> Hits {
    let go_on = || Ok::<(), Infallible>(());
    index.search(query, K, accept, &go_on).unwrap_or_default()
}

fn postings(index: &SparseIndex, query: &SparseVector, accept: &BitSet) -> Hits {
    let go_on = || Ok::<(), Infallible>(());
    best(
        index
            .matches(query, accept, &go_on)
            .unwrap_or_default()
            .into_iter(),
    )
}

fn scan(vectors: &[SparseVector], query: &SparseVector, accept: &BitSet) -> Hits {
    let mut weights = vec![0.0; VOCABULARY];
    for &(index, weight) in query.entries() {
        weights[index as usize] = f64::from(weight);
    }
    let scored = accept.iter().map(|doc| {
        let entries = vectors[doc as usize].entries().iter();
        let products = entries.map(|&(index, weight)| weights[index as usize] * f64::from(weight));
        (doc, products.fold(0.0, |sum, product| sum + product))
    });
    best(scored.filter(|(_, score)| *score > 0.0))
}

fn best(scored: impl Iterator<Item = (u32, f64)>) -> Hits {
    let mut best: TopK<(), f64> = TopK::new(K);
    for (doc, score) in scored {
        best.push(score, doc, ());
    }
    let hits = best.into_sorted().into_iter();
    hits.map(|hit| (hit.id, hit.score)).collect()
}

/// Half of the entries are of the topic, as far as it has as many, and half of the whole vocabulary.
fn vector(topic: &[u32], entries: usize, random: &mut SplitMix64) -> Result<SparseVector> {
    let mut weights = std::collections::BTreeMap::new();
    for at in 0..entries {
        let (index, share) = match at % 2 {
            0 => (*random.pick(topic), 1.0),
            _ => (index_of(random), 0.4),
        };
        let rarity = (f64::from(index) + 2.0).ln() / (VOCABULARY as f64).ln();
        let weight = share * rarity * 3.0 * f64::from(random.unit() * random.unit());
        weights.insert(index, weight as f32);
    }
    Ok(SparseVector::new(weights.into_iter().collect())?)
}

/// Common indices first: the place is the vocabulary to the power of a uniform number.
fn index_of(random: &mut SplitMix64) -> u32 {
    (VOCABULARY as f64).powf(f64::from(random.unit())) as u32 % VOCABULARY as u32
}

fn one_in(share: usize, documents: usize) -> BitSet {
    (0..documents as u32).step_by(share).collect()
}
