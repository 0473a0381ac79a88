//! The time of a suggestion, and the share of brute force's answers.
//!
//! ```sh
//! cargo run --release -p pelorus-suggest --example typeahead_speed -- 100000
//! ```
//!
//! The queries are made: one to four words of a vocabulary of 50,000 in which, as in speech, few words are frequent
//! (Zipf), with popularities over five orders of magnitude. A typed text is a beginning of one of them, of one letter
//! up to all; a fifth of these has a slip. Times are of one thread.

#[path = "../tests/brute_force/mod.rs"]
mod brute_force;

use std::time::{Duration, Instant};

use brute_force::Model;
use pelorus_random::SplitMix64;
use pelorus_suggest::{Change, Query, SuggestRequest, Suggestions};

const WORDS: usize = 50_000;
const TYPED: usize = 5_000;
/// Answers are compared with brute force until it has looked at so many queries.
const ROWS_COMPARED: usize = 400_000;
const BATCHES: usize = 200;
const BATCH: usize = 128;

fn main() {
    let count = std::env::args().nth(1).and_then(|text| text.parse().ok());
    let count: usize = count.unwrap_or(100_000);
    let mut random = SplitMix64(1);
    let words: Vec<String> = (0..WORDS).map(|_| word(&mut random)).collect();
    let queries: Vec<Query> = (0..count).map(|_| query(&mut random, &words)).collect();

    let start = Instant::now();
    let suggestions = Suggestions::of(queries.iter().cloned());
    println!(
        "{} queries in {:.2?}, {} bytes each",
        suggestions.len(),
        start.elapsed(),
        suggestions.memory_bytes() / suggestions.len()
    );
    let mut model = Model::default();
    for query in &queries {
        model.apply(Change::Put(query.clone()));
    }

    let times = (0..BATCHES).map(|_| {
        let batch: Vec<Change> = (0..BATCH)
            .map(|_| Change::Put(query(&mut random, &words)))
            .collect();
        batch.iter().for_each(|change| model.apply(change.clone()));
        let start = Instant::now();
        suggestions.apply(batch);
        start.elapsed()
    });
    report(&format!("{BATCH} queries more"), times.collect());

    let requests: Vec<SuggestRequest> = (0..TYPED)
        .map(|_| SuggestRequest::new(typed(&mut random, &queries)))
        .collect();
    let times = requests.iter().map(|request| {
        let start = Instant::now();
        let found = suggestions.search(request);
        assert!(found.len() <= request.limit);
        start.elapsed()
    });
    report("a suggestion", times.collect());
    let compared = (ROWS_COMPARED / count).clamp(4, 200);
    let equal = requests.iter().take(compared).filter(|request| {
        let texts = |of: &[pelorus_suggest::Suggested]| {
            let texts = of.iter().map(|one| one.text.clone());
            texts.collect::<Vec<_>>()
        };
        texts(&suggestions.search(request)) == texts(&model.search(request))
    });
    let equal = equal.count();
    println!("{equal} of {compared} answers are those of brute force");
}

fn report(what: &str, mut times: Vec<Duration>) {
    times.sort_unstable();
    let at = |share: f64| times[((times.len() - 1) as f64 * share) as usize];
    println!(
        "{what}: p50 {:.3?}, p90 {:.3?}, p99 {:.3?}, most {:.3?}",
        at(0.5),
        at(0.9),
        at(0.99),
        at(1.0)
    );
}

fn word(random: &mut SplitMix64) -> String {
    let syllables = 1 + random.below(4);
    let syllable = |random: &mut SplitMix64| {
        let consonant = *random.pick(b"bcdfghjklmnprstvwz") as char;
        let vowel = *random.pick(b"aeiou") as char;
        format!("{consonant}{vowel}")
    };
    (0..syllables).map(|_| syllable(random)).collect()
}

fn query(random: &mut SplitMix64, words: &[String]) -> Query {
    let count = 1 + random.below(4);
    let picked = (0..count).map(|_| {
        // The rank of a word that comes by chance, as Zipf has it.
        let rank = (words.len() as f64).powf(f64::from(random.unit()));
        words[rank as usize - 1].as_str()
    });
    Query {
        text: picked.collect::<Vec<_>>().join(" "),
        popularity: 10_f64.powf(f64::from(random.unit()) * 5.0),
        metadata: "{}".to_owned(),
    }
}

fn typed(random: &mut SplitMix64, queries: &[Query]) -> String {
    let mut typed: Vec<char> = random.pick(queries).text.chars().collect();
    typed.truncate(1 + random.below(typed.len()));
    if typed.len() > 3 && random.below(5) == 0 {
        let at = 1 + random.below(typed.len() - 2);
        typed.swap(at, at + 1);
    }
    typed.into_iter().collect()
}
