//! The cost of a fused search beside that of its two legs.
//!
//! `cargo run --release -p pelorus-bench-search --example hybrid [DOCUMENTS] [FOLDER]`, 100,000 where none are said; an
//! index that is kept in FOLDER is made once. Documents are texts about a topic, with vectors that are made of their
//! words; queries are some words of a text that is not in the index, with the vector of all of it. Searches take turns,
//! query by query; printed is the processor time of each, the median over rounds of the mean over queries, and its
//! ratio to that of both legs in the same round. Beside it stands how far a fused page is the one that exact search of
//! vectors leads to: the share of the same documents, and of pages that are equal.

mod engine_index;

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::Duration;

use pelorus_engine::Engine;
use pelorus_random::SplitMix64;
use rustix::time::{ClockId, clock_gettime};
use serde_json::{Value, json};

use engine_index::{INDEX, Result, median, now};

const DIMENSIONS: usize = 384;
const WORDS: usize = 40_000;
const TOPICS: usize = 3_000;
/// Words that a topic is told in.
const TOPIC_WORDS: usize = 30;
const BATCH: usize = 1_000;
const QUERIES: usize = 500;
const QUERY_WORDS: usize = 3;
const WARM_UPS: usize = 1;
const ROUNDS: usize = 5;

fn main() -> Result<()> {
    let mut arguments = std::env::args().skip(1);
    let documents = match arguments.next() {
        Some(count) => count.parse()?,
        None => 100_000,
    };
    let temporary = tempfile::tempdir()?;
    let folder = match arguments.next() {
        Some(folder) => PathBuf::from(folder),
        None => temporary.path().join("index"),
    };
    let world = World::new();
    if !folder.exists() {
        fill(&folder, &world, documents)?;
    }
    let engine = Engine::open(&folder, b"{}")?;
    until_idle();
    let mut random = SplitMix64(2);
    let queries: Vec<Text> = (0..QUERIES).map(|_| world.text(&mut random)).collect();
    let rows = rows();
    let mut rounds: Vec<Vec<f64>> = Vec::new();
    for round in 0..WARM_UPS + ROUNDS {
        let mut times = vec![0.0; rows.len()];
        for query in &queries {
            for (row, time) in rows.iter().zip(&mut times) {
                let plan = row.plan(query);
                let start = now();
                engine.search(INDEX, plan.as_bytes(), &query.vector)?;
                *time += (now() - start) / QUERIES as f64;
            }
        }
        if round >= WARM_UPS {
            rounds.push(times);
        }
    }
    println!(
        "{documents} documents; microseconds of processor time, ratio to both legs, agreement"
    );
    for (at, row) in rows.iter().enumerate() {
        let own = median(rounds.iter().map(|times| times[at]));
        let legs = row.legs.map_or(f64::NAN, |legs| {
            let sum = |times: &[f64]| legs.iter().map(|&leg| times[leg]).sum::<f64>();
            median(rounds.iter().map(|times| times[at] / sum(times)))
        });
        let (same, equal) = agreement(&engine, row, &queries)?;
        println!(
            "{:44} {own:8.1} {legs:6.2} {same:7.4} {equal:6.2}",
            row.name
        );
    }
    engine.close();
    Ok(())
}

/// Words with their vectors, and the topics that texts are about.
struct World {
    vectors: Vec<Vec<f32>>,
    topics: Vec<Vec<usize>>,
}

/// A text by its words, and its vector.
struct Text {
    words: Vec<usize>,
    vector: Vec<f32>,
}

impl World {
    fn new() -> Self {
        let mut random = SplitMix64(1);
        let mut vectors: Vec<Vec<f32>> = (0..WORDS)
            .map(|_| (0..DIMENSIONS).map(|_| random.normal()).collect())
            .collect();
        let mut topics = Vec::with_capacity(TOPICS);
        for _ in 0..TOPICS {
            let center: Vec<f32> = (0..DIMENSIONS).map(|_| random.normal()).collect();
            let words: Vec<usize> = (0..TOPIC_WORDS).map(|_| rank(&mut random, 100)).collect();
            for &word in &words {
                let vector = &mut vectors[word];
                vector
                    .iter_mut()
                    .zip(&center)
                    .for_each(|(x, c)| *x = 0.5 * *x + c);
            }
            topics.push(words);
        }
        Self { vectors, topics }
    }

    /// Some words of a topic among common ones, which say less.
    fn text(&self, random: &mut SplitMix64) -> Text {
        let (topic, other) = (random.pick(&self.topics), random.pick(&self.topics));
        let length = 6 + random.below(15);
        let mut vector = vec![0.0; DIMENSIONS];
        let mut words = Vec::with_capacity(length);
        for at in 0..length {
            let word = match at % 4 {
                0 | 1 => *random.pick(topic),
                2 => *random.pick(other),
                _ => rank(random, 1),
            };
            let weight = (2.0 + word as f32).ln();
            vector
                .iter_mut()
                .zip(&self.vectors[word])
                .for_each(|(sum, x)| *sum += weight * x);
            words.push(word);
        }
        let norm = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
        vector.iter_mut().for_each(|x| *x /= norm);
        Text { words, vector }
    }
}

/// A word from `first` on, the earlier the likelier, as Zipf says.
fn rank(random: &mut SplitMix64, first: usize) -> usize {
    let (low, high) = ((first as f32).ln(), (WORDS as f32).ln());
    let rank = (low + random.unit() * (high - low)).exp() as usize;
    rank.min(WORDS) - 1
}

fn fill(folder: &Path, world: &World, documents: usize) -> Result<()> {
    std::fs::create_dir_all(folder)?;
    let engine = Engine::open(folder, b"{}")?;
    engine_index::create(&engine, DIMENSIONS, [512, 16])?;
    let mappings = json!({"embedding": {"type": "custom_vector"}});
    let mut random = SplitMix64(3);
    for from in (0..documents).step_by(BATCH) {
        let batch: Vec<Value> = (from..documents.min(from + BATCH))
            .map(|at| {
                let text = world.text(&mut random);
                json!({"_id": at.to_string(), "text": spelled(&text.words), "number": at % 1_000,
                       "embedding": {"vector": text.vector}})
            })
            .collect();
        engine_index::add(&engine, &batch, &["embedding"], &mappings)?;
    }
    until_idle();
    engine.close();
    Ok(())
}

/// Words without a meaning that stemming could change.
fn spelled(words: &[usize]) -> String {
    let word = |word: &usize| format!("w{word}x");
    words.iter().map(word).collect::<Vec<_>>().join(" ")
}

/// Waits until nothing is left to link or to merge.
fn until_idle() {
    let cpu = || {
        let now = clock_gettime(ClockId::ProcessCPUTime);
        now.tv_sec as f64 + now.tv_nsec as f64 / 1e9
    };
    let mut busy = f64::INFINITY;
    while busy > 0.02 {
        let before = cpu();
        sleep(Duration::from_secs(1));
        busy = cpu() - before;
    }
}

/// A kind of search, and the places of those that are its legs.
struct Row {
    name: &'static str,
    legs: Option<[usize; 2]>,
    plan: Value,
}

impl Row {
    fn plan(&self, query: &Text) -> String {
        let mut plan = self.plan.clone();
        if plan["lexical"].is_object() {
            let words = &query.words[..QUERY_WORDS];
            plan["lexical"]["text"] = spelled(words).into();
        }
        plan.to_string()
    }
}

fn rows() -> Vec<Row> {
    let tensor = |ef: usize| {
        json!({"fields": null, "efSearch": ef, "approximate": true, "approximateThreshold": null, "weights": [1.0],
               "interpolation": null})
    };
    let plan = |methods: [&str; 2], leg: Value, changes: Value| {
        let mut plan = json!({
            "limit": 10, "offset": 0, "filter": null, "attributesToRetrieve": ["_id"], "showHighlights": false,
            "explain": false, "retrievalMethod": methods[0], "rankingMethod": methods[1], "rrf": null,
            "tensor": leg, "lexical": null, "trackTotalHits": false,
        });
        if methods != ["tensor", "tensor"] {
            plan["lexical"] = json!({"text": "", "operand": "or", "fields": null});
        }
        if methods[1] == "rrf" {
            plan["rrf"] = json!({"alpha": 0.5, "k": 60});
        }
        for (name, value) in changes.as_object().into_iter().flatten() {
            plan[name] = value.clone();
        }
        plan
    };
    let row = |name, legs, plan| Row { name, legs, plan };
    let both = ["disjunction", "rrf"];
    let counting = json!({"trackTotalHits": true});
    let nothing = json!({});
    let filter = json!({"filter": "number:[0 TO 99]"});
    let narrow = json!({"limit": 10, "offset": 10});
    vec![
        row(
            "vectors",
            None,
            plan(["tensor", "tensor"], tensor(2_000), nothing.clone()),
        ),
        row(
            "words",
            None,
            plan(["lexical", "lexical"], Value::Null, nothing.clone()),
        ),
        row(
            "words, counted",
            None,
            plan(["lexical", "lexical"], Value::Null, counting.clone()),
        ),
        row(
            "vectors, ef 100",
            None,
            plan(["tensor", "tensor"], tensor(100), nothing.clone()),
        ),
        row(
            "vectors, filter",
            None,
            plan(["tensor", "tensor"], tensor(2_000), filter.clone()),
        ),
        row(
            "words, filter",
            None,
            plan(["lexical", "lexical"], Value::Null, filter.clone()),
        ),
        row(
            "fused",
            Some([0, 1]),
            plan(both, tensor(2_000), nothing.clone()),
        ),
        row(
            "fused, counted",
            Some([0, 2]),
            plan(both, tensor(2_000), counting),
        ),
        row(
            "fused, second page",
            Some([0, 1]),
            plan(both, tensor(2_000), narrow),
        ),
        row(
            "fused, ef 100",
            Some([3, 1]),
            plan(both, tensor(100), nothing.clone()),
        ),
        row(
            "fused, filter",
            Some([4, 5]),
            plan(both, tensor(2_000), filter),
        ),
        row(
            "fused, 50 hits",
            Some([0, 1]),
            plan(both, tensor(2_000), json!({"limit": 50})),
        ),
        row(
            "fused, alpha 0.7 and k 10",
            Some([0, 1]),
            plan(both, tensor(2_000), json!({"rrf": {"alpha": 0.7, "k": 10}})),
        ),
        row(
            "vectors, ranked by words",
            Some([0, 1]),
            plan(["tensor", "lexical"], tensor(2_000), nothing.clone()),
        ),
        row(
            "words, ranked by vectors",
            Some([0, 1]),
            plan(["lexical", "tensor"], tensor(2_000), nothing),
        ),
    ]
}

/// The share of the documents of pages that exact search finds too, and of pages that are the same.
fn agreement(engine: &Engine, row: &Row, queries: &[Text]) -> Result<(f64, f64)> {
    let (mut same, mut all, mut equal) = (0, 0, 0);
    for query in queries {
        let mut plan: Value = serde_json::from_str(&row.plan(query))?;
        let ids = |plan: &Value| -> Result<Vec<String>> {
            let answer = engine.search(INDEX, plan.to_string().as_bytes(), &query.vector)?;
            let answer: Value = serde_json::from_slice(&answer)?;
            let hits = answer["hits"].as_array().into_iter().flatten();
            Ok(hits.map(|hit| hit["_id"].to_string()).collect())
        };
        let page = ids(&plan)?;
        if plan["tensor"].is_object() {
            plan["tensor"]["approximate"] = false.into();
        }
        let exact = ids(&plan)?;
        equal += usize::from(page == exact);
        all += exact.len();
        let page: HashSet<String> = page.into_iter().collect();
        same += exact.iter().filter(|id| page.contains(*id)).count();
    }
    Ok((
        same as f64 / all as f64,
        equal as f64 / queries.len() as f64,
    ))
}
