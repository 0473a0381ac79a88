//! The cost of changed scores: a search by one word that every document holds, as it is, with a hundred score
//! modifiers, and by recency.
//!
//! `cargo run --release -p pelorus-bench-search --example rescoring [DOCUMENTS]`, 200,000 where none are said. Searches
//! take turns; printed is the processor time of each, the median over rounds, and its ratio to the plain search of the
//! same round. State that is remembered of earlier searches counts too.

mod engine_index;

use pelorus_engine::Engine;
use pelorus_random::SplitMix64;
use serde_json::{Value, json};

use engine_index::{INDEX, Result, median, now};

const BATCH: usize = 1_000;
const MODIFIERS: usize = 100;
const NOW: u64 = 1_800_000_000;
const DAY: u64 = 86_400;
const WARM_UPS: usize = 4;
const ROUNDS: usize = 15;
/// Searches of each kind in a round.
const SEARCHES: usize = 10;

fn main() -> Result<()> {
    let documents = match std::env::args().nth(1) {
        Some(count) => count.parse()?,
        None => 200_000,
    };
    let directory = tempfile::tempdir()?;
    let engine = Engine::open(directory.path(), b"{}")?;
    fill(&engine, documents)?;
    // Documents in memory move to segments, as all are but the latest of an index that is written to.
    engine.close();
    drop(engine);
    let engine = Engine::open(directory.path(), b"{}")?;
    let plans = plans();
    let mut rounds: Vec<Vec<f64>> = Vec::new();
    for round in 0..WARM_UPS + ROUNDS {
        let times: Result<Vec<f64>> = plans.iter().map(|(_, plan)| time(&engine, plan)).collect();
        if round >= WARM_UPS {
            rounds.push(times?);
        }
    }
    println!("{documents} matches; milliseconds of processor time, ratio to plain");
    for (at, (name, _)) in plans.iter().enumerate() {
        let own = median(rounds.iter().map(|times| times[at]));
        let ratio = median(rounds.iter().map(|times| times[at] / times[0]));
        println!("{name:32} {own:8.3} {ratio:6.2}");
    }
    Ok(())
}

/// Every document holds the word once to three times among up to sixty others, a number in each field, a time by
/// chance, which is the hardest to bound, and one in the order of the documents, as most are.
fn fill(engine: &Engine, documents: usize) -> Result<()> {
    engine_index::create(engine, 4, [64, 8])?;
    let mut random = SplitMix64(1);
    for from in (0..documents).step_by(BATCH) {
        let batch = from..documents.min(from + BATCH);
        let batch: Vec<Value> = batch
            .map(|at| document(at, documents, &mut random))
            .collect();
        engine_index::add(engine, &batch, &[], &Value::Null)?;
    }
    Ok(())
}

fn document(at: usize, documents: usize, random: &mut SplitMix64) -> Value {
    let mut words = vec!["river"; 1 + random.below(3)];
    words.extend((0..random.below(60)).map(|_| ["stone", "lamp", "coat"][random.below(3)]));
    let mut document = json!({
        "_id": at.to_string(),
        "title": words.join(" "),
        "time": NOW - random.below(365 * DAY as usize) as u64,
        "added": NOW - 365 * DAY * (documents - at) as u64 / documents as u64,
    });
    for field in 0..MODIFIERS {
        document[format!("n{field}")] = json!(0.9 + f64::from(random.unit()) / 5.0);
    }
    document
}

fn plans() -> Vec<(&'static str, String)> {
    let modifiers = |fields: std::ops::Range<usize>, weight: f64| -> Vec<Value> {
        fields
            .map(|field| json!({"field": format!("n{field}"), "weight": weight}))
            .collect()
    };
    let half = MODIFIERS / 2;
    let none = modifiers(0..0, 1.0);
    let both =
        json!({"multiply": modifiers(0..half, 1.0), "add": modifiers(half..MODIFIERS, 0.02)});
    let slope = json!({"falloff": "exponential", "scaleSeconds": 30 * DAY, "offsetSeconds": 0, "floor": 0.5});
    let recency = |field: &str, weight: Option<f64>| {
        json!({"field": field, "centerSeconds": NOW, "decay": slope, "growth": null, "addToScoreWeight": weight,
               "tensor": false, "lexical": true, "fused": false})
    };
    let plan = |modifiers: Value, recency: Value| {
        let plan = json!({
            "limit": 10, "offset": 0, "filter": null, "attributesToRetrieve": ["_id"], "showHighlights": false, "explain": false,
            "retrievalMethod": "lexical", "rankingMethod": "lexical", "rrf": null, "tensor": null,
            "trackTotalHits": false, "recency": recency,
            "lexical": {"text": "river", "operand": "or", "fields": null, "scoreModifiers": modifiers},
        });
        plan.to_string()
    };
    vec![
        ("plain", plan(Value::Null, Value::Null)),
        ("100 modifiers", plan(both.clone(), Value::Null)),
        (
            "100 modifiers that multiply",
            plan(
                json!({"multiply": modifiers(0..MODIFIERS, 1.0), "add": none}),
                Value::Null,
            ),
        ),
        (
            "100 modifiers that add",
            plan(
                json!({"multiply": none, "add": modifiers(0..MODIFIERS, 0.01)}),
                Value::Null,
            ),
        ),
        (
            "recency that multiplies",
            plan(Value::Null, recency("time", None)),
        ),
        (
            "recency, oldest first",
            plan(Value::Null, recency("added", None)),
        ),
        (
            "recency that adds",
            plan(Value::Null, recency("time", Some(0.5))),
        ),
        (
            "100 modifiers and recency",
            plan(both, recency("time", None)),
        ),
    ]
}

/// Milliseconds of this thread for one search.
fn time(engine: &Engine, plan: &str) -> Result<f64> {
    let start = now();
    for _ in 0..SEARCHES {
        engine.search(INDEX, plan.as_bytes(), &[])?;
    }
    Ok((now() - start) / 1e3 / SEARCHES as f64)
}
