//! Speed of the lexical index on made-up text, with the work each answer stands for.
//!
//! 100,000 documents (or the number given), 30 words in each of 1, 2, 4 and 8 fields, words drawn
//! from 50,000 by Zipf's law. Queries are five words, evenly over the logarithm of their rank from
//! 10 to 5,000, so common and rare ones mix. Mean, p50 and p99 of 500 queries on one thread, top 10,
//! with the mean number of matching documents beside them.
//!
//! `cargo run --release -p pelorus-lexical --example speed [DOCUMENTS]`

mod zipf;

use std::time::{Duration, Instant};

use pelorus_kernels::BitSet;
use pelorus_lexical::{LexicalIndex, LexicalOptions, LexicalQuery, MergePolicy, Operand, Result};

use zipf::{Random, word};

const VOCABULARY: f64 = 50_000.0;
const FIELD_WORDS: usize = 30;
const QUERIES: usize = 500;

fn main() -> Result<()> {
    let documents = std::env::args()
        .nth(1)
        .and_then(|n| n.parse().ok())
        .unwrap_or(100_000);
    println!("{documents} documents, {FIELD_WORDS} words per field, five words per query");
    for field_count in [1, 2, 4, 8] {
        measure(field_count, documents)?;
    }
    Ok(())
}

fn measure(field_count: usize, documents: u32) -> Result<()> {
    let dir = tempfile::tempdir().expect("a temporary directory can be made");
    let index = LexicalIndex::open(dir.path(), LexicalOptions::default(), &BitSet::default());
    let mut random = Random(7);
    let started = Instant::now();
    let (mut flushing, mut publishing) = (Duration::ZERO, Duration::ZERO);
    for doc in 0..documents {
        let names: Vec<String> = (0..field_count).map(|i| format!("field{i}")).collect();
        let texts: Vec<String> = (0..field_count)
            .map(|_| random.text(FIELD_WORDS, VOCABULARY))
            .collect();
        let fields: Vec<(&str, &str)> = names
            .iter()
            .zip(&texts)
            .map(|(name, text)| (&**name, &**text))
            .collect();
        index.add(doc, &fields)?;
        if doc % 128 == 127 || doc + 1 == documents {
            let started = Instant::now();
            index.publish();
            publishing += started.elapsed();
        }
        if index.needs_flush(MergePolicy::Leveled) {
            let started = Instant::now();
            index.maintain(MergePolicy::Leveled)?;
            flushing += started.elapsed();
        }
    }
    println!(
        "\n{field_count} fields: built in {:.2?} (publish {publishing:.2?}, flush {flushing:.2?}), \
         {} kB in memory",
        started.elapsed(),
        index.memory_bytes() / 1024
    );
    let all = BitSet::full(documents);
    search_all(&index, "several segments and delta", &all, &mut random)?;
    index.close()?;
    while index.needs_flush(MergePolicy::Leveled) {
        index.flush()?;
    }
    search_all(&index, "segments only", &all, &mut random)?;
    for one_in in [2, 100] {
        let accept: BitSet = (0..documents).filter(|doc| doc % one_in == 0).collect();
        search_all(
            &index,
            &format!("filter keeps 1 in {one_in}"),
            &accept,
            &mut random,
        )?;
    }
    worst(&index, "512 most common words", &all, 512, |i| word(i + 1))?;
    worst(&index, "64 phrases of common words", &all, 64, |i| {
        format!("{}-{}", word(i % 10 + 1), word(i / 10 + 1))
    })?;
    for doc in (0..documents).step_by(11) {
        index.remove(doc);
    }
    index.publish();
    search_all(&index, "1 in 11 just removed", &all, &mut random)
}

/// The longest queries there are; one more term would be refused.
fn worst(
    index: &LexicalIndex,
    what: &str,
    accept: &BitSet,
    count: usize,
    term: impl Fn(usize) -> String,
) -> Result<()> {
    let terms: Vec<String> = (0..count).map(term).collect();
    let query = LexicalQuery {
        text: terms.join(" "),
        fields: None,
        k: 10,
        operand: Operand::Or,
        ..LexicalQuery::default()
    };
    let started = Instant::now();
    let found = index.search(&query, accept)?;
    let elapsed = started.elapsed();
    println!("  {what:28} once {elapsed:>9.1?}  {} matches", found.total);
    Ok(())
}

fn search_all(
    index: &LexicalIndex,
    what: &str,
    accept: &BitSet,
    random: &mut Random,
) -> Result<()> {
    let mut times = Vec::with_capacity(QUERIES);
    let mut total = 0;
    for _ in 0..QUERIES {
        let words: Vec<String> = (0..5)
            .map(|_| word(random.log_uniform(10.0, 5_000.0)))
            .collect();
        let query = LexicalQuery {
            text: words.join(" "),
            fields: None,
            k: 10,
            operand: Operand::Or,
            ..LexicalQuery::default()
        };
        let started = Instant::now();
        let found = index.search(&query, accept)?;
        times.push(started.elapsed());
        total += found.total;
    }
    times.sort();
    let mean = times.iter().sum::<Duration>() / QUERIES as u32;
    let p50 = times[QUERIES / 2];
    let p99 = times[QUERIES * 99 / 100];
    println!(
        "  {what:28} mean {mean:>9.1?}  p50 {p50:>9.1?}  p99 {p99:>9.1?}  {} matches",
        total / QUERIES as u64
    );
    Ok(())
}
