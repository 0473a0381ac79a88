//! The cost of a filter by place beside that of one by number, where each passes the same share of the documents.
//!
//! `cargo run --release -p pelorus-bench-search --example places [DOCUMENTS]`, 1,000,000 where none are said. Documents are a
//! word that all hold, a number and a geo point, both drawn evenly; filters pass one in a hundred, another hundredth each
//! time, so that none is remembered. Searches take turns; printed is the processor time of each in microseconds, the
//! median over rounds of the mean, its ratio to the filter by number in the same round, and how many documents passed.

mod engine_index;

use pelorus_engine::Engine;
use pelorus_random::SplitMix64;
use serde_json::{Value, json};

use engine_index::{INDEX, Result, median, now};

const BATCH: usize = 1_000;
const NUMBERS: usize = 1_000_000;
/// Points lie between the parallels of so many degrees, where a degree of longitude stays near one of latitude.
const LATITUDE: f32 = 20.0;
const WARM_UPS: usize = 1;
const ROUNDS: usize = 5;
/// Searches of each kind in a round.
const SEARCHES: usize = 100;

fn main() -> Result<()> {
    let documents = match std::env::args().nth(1) {
        Some(count) => count.parse()?,
        None => 1_000_000,
    };
    let folder = tempfile::tempdir()?;
    let engine = Engine::open(folder.path(), b"{}")?;
    fill(&engine, documents)?;
    let mut random = SplitMix64(2);
    let rows = rows();
    let mut rounds: Vec<Vec<(f64, usize)>> = Vec::new();
    for round in 0..WARM_UPS + ROUNDS {
        let mut sums = vec![(0.0, 0); rows.len()];
        for _ in 0..SEARCHES {
            for ((_, filter), (time, passed)) in rows.iter().zip(&mut sums) {
                let plan = plan(filter(&mut random));
                let start = now();
                let answer = engine.search(INDEX, plan.as_bytes(), &[])?;
                *time += (now() - start) / SEARCHES as f64;
                let answer: Value = serde_json::from_slice(&answer)?;
                *passed += answer["totalHits"].as_u64().unwrap_or_default() as usize;
            }
        }
        if round >= WARM_UPS {
            rounds.push(sums);
        }
    }
    println!("{documents} documents; microseconds, ratio, documents that pass");
    for (at, (name, _)) in rows.iter().enumerate() {
        let time = median(rounds.iter().map(|row| row[at].0));
        let ratio = median(rounds.iter().map(|row| row[at].0 / row[0].0));
        let passed: usize = rounds.iter().map(|row| row[at].1).sum();
        println!(
            "{name:10} {time:9.1} {ratio:6.2} {:8}",
            passed / (ROUNDS * SEARCHES)
        );
    }
    engine.close();
    Ok(())
}

/// A kind of filter: its name, and one that passes a hundredth of the documents.
type Row = (&'static str, fn(&mut SplitMix64) -> Option<String>);

fn rows() -> Vec<Row> {
    vec![
        ("number", |random| {
            let from = random.below(NUMBERS - NUMBERS / 100);
            Some(format!("number:[{from} TO {}]", from + NUMBERS / 100 - 1))
        }),
        ("circle", |random| {
            // Its area is a hundredth of that between the parallels: in degrees, as these are the same both ways here.
            let area = 2.0 * LATITUDE * 360.0 / 100.0;
            let radius = (area / std::f32::consts::PI).sqrt();
            let (lat, lon) = center(random, radius);
            let km = radius * 111.2;
            Some(format!("place WITHIN ({lat}, {lon}, {km}km)"))
        }),
        ("box", |random| {
            let half = (2.0 * LATITUDE * 360.0 / 100.0_f32).sqrt() / 2.0;
            let (lat, lon) = center(random, half);
            let [south, north] = [lat - half, lat + half];
            let [west, east] = [lon - half, lon + half];
            Some(format!(
                "place WITHIN BOX ({south}, {west}, {north}, {east})"
            ))
        }),
        ("polygon", |random| {
            // An octagon: its area is 2 * sqrt(2) * radius^2.
            let area = 2.0 * LATITUDE * 360.0 / 100.0;
            let radius = (area / (2.0 * 2.0_f32.sqrt())).sqrt();
            let (lat, lon) = center(random, radius);
            let corners = (0..8).map(|corner| {
                let (sine, cosine) = (corner as f32 * std::f32::consts::FRAC_PI_4).sin_cos();
                format!("{}, {}", lat + radius * sine, lon + radius * cosine)
            });
            let corners: Vec<String> = corners.collect();
            Some(format!("place WITHIN POLYGON ({})", corners.join(", ")))
        }),
        ("none", |_| None),
    ]
}

/// The middle of an area that lies between the parallels, and not across the antimeridian.
fn center(random: &mut SplitMix64, radius: f32) -> (f32, f32) {
    let within = |random: &mut SplitMix64, end: f32| (random.unit() * 2.0 - 1.0) * (end - radius);
    (within(random, LATITUDE), within(random, 180.0))
}

fn plan(filter: Option<String>) -> String {
    json!({
        "limit": 10, "offset": 0, "filter": filter, "attributesToRetrieve": ["_id"], "showHighlights": false,
        "explain": false, "retrievalMethod": "lexical", "rankingMethod": "lexical", "rrf": null, "tensor": null,
        "lexical": {"text": "word", "operand": "or", "fields": null}, "trackTotalHits": true,
    })
    .to_string()
}

fn fill(engine: &Engine, documents: usize) -> Result<()> {
    engine_index::create(engine, 4, [64, 8])?;
    let mappings = json!({"place": {"type": "geo_point"}});
    let mut random = SplitMix64(1);
    for from in (0..documents).step_by(BATCH) {
        let batch: Vec<Value> = (from..documents.min(from + BATCH))
            .map(|at| {
                let (lat, lon) = center(&mut random, 0.0);
                json!({"_id": at.to_string(), "text": "word", "number": random.below(NUMBERS),
                       "place": {"lat": lat, "lon": lon}})
            })
            .collect();
        engine_index::add(engine, &batch, &[], &mappings)?;
    }
    Ok(())
}
