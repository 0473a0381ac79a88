//! The cost of building the index, step by step, beside a plain tantivy index of the same texts.
//!
//! 300,000 made-up documents (or the number given) of a title, a body and tags, 56 words on average, drawn from 200,000
//! by Zipf's law; batches of 128, and a tenth of the documents once more one by one. Microseconds of processor time a
//! document, so that other programs do not count: each step on one thread, tantivy on one thread of its own with the
//! same analysis as far as it has it, positions, its own merging, and nothing stored. Then queries over the index in
//! memory alone.
//!
//! `cargo run --release -p pelorus-lexical --example ingest [DOCUMENTS] [FLUSH_MIB]`

mod zipf;

use std::time::Duration;

use pelorus_growth::thread_time;
use pelorus_kernels::BitSet;
use pelorus_lexical::{LexicalIndex, LexicalOptions, LexicalQuery, MergePolicy, Operand, Result};
use tantivy::schema::{IndexRecordOption, Schema, TextFieldIndexing, TextOptions};
use tantivy::tokenizer::{
    AsciiFoldingFilter, Language, LowerCaser, SimpleTokenizer, Stemmer, TextAnalyzer,
};
use tantivy::{IndexWriter, TantivyDocument};

use zipf::{Random, word};

const VOCABULARY: f64 = 200_000.0;
const BATCH: usize = 128;
/// Name, least and most words.
const FIELDS: [(&str, usize, usize); 3] = [("title", 4, 10), ("body", 8, 82), ("tags", 2, 6)];
const MIB: usize = 1024 * 1024;

fn main() -> Result<()> {
    let mut arguments = std::env::args().skip(1).map(|n| n.parse().ok());
    let documents = arguments.next().flatten().unwrap_or(300_000);
    let mut options = LexicalOptions::default();
    if let Some(mib) = arguments.next().flatten() {
        options.flush_bytes = mib * MIB;
    }
    build(documents, BATCH, &options)?;
    build(documents / 10, 1, &options)?;
    search_memory(BATCH)?;
    search_memory(1)?;
    build_with_tantivy(documents);
    Ok(())
}

fn build(documents: usize, batch: usize, options: &LexicalOptions) -> Result<()> {
    let dir = tempfile::tempdir().expect("a temporary directory can be made");
    let index = LexicalIndex::open(dir.path(), options.clone(), &BitSet::default());
    let mut random = Random(7);
    let (mut inverting, mut adding, mut flushing, mut merging) = Default::default();
    let (mut adding_most, mut memory_most, mut flushes) = (Duration::ZERO, 0, 0);
    let mut next = 0;
    while next < documents {
        let texts: Vec<[String; 3]> = (0..batch).map(|_| document(&mut random)).collect();
        let inverted = timed(&mut inverting, || index.invert(texts.iter().map(pairs)));
        let ordinals: Vec<Option<u32>> = (next..next + batch).map(|doc| Some(doc as u32)).collect();
        next += batch;
        let mut spent = Duration::ZERO;
        timed(&mut spent, || -> Result<()> {
            index.add_batch(&inverted, &ordinals)?;
            index.publish();
            Ok(())
        })?;
        adding += spent;
        adding_most = adding_most.max(spent);
        memory_most = memory_most.max(index.memory_bytes());
        if index.needs_flush(MergePolicy::Leveled) {
            flushes += 1;
            timed(&mut flushing, || index.close())?;
            timed(&mut merging, || index.flush())?;
        }
    }
    timed(&mut flushing, || index.close())?;
    timed(&mut merging, || -> Result<()> {
        while index.needs_flush(MergePolicy::Leveled) {
            index.flush()?;
        }
        Ok(())
    })?;
    println!(
        "batches of {batch}: invert {:.2}, add {:.2}, flush {:.2}, merge {:.2}, together {:.2} us; \
         longest add {adding_most:.2?}; {flushes} flushes; {} kB in memory at most",
        micros(inverting, documents),
        micros(adding, documents),
        micros(flushing, documents),
        micros(merging, documents),
        micros(inverting + adding + flushing + merging, documents),
        memory_most / 1024
    );
    Ok(())
}

fn pairs(texts: &[String; 3]) -> impl Iterator<Item = (&str, &str)> {
    FIELDS
        .iter()
        .zip(texts)
        .map(|((name, _, _), text)| (*name, text.as_str()))
}

/// Queries over some thousand documents that were not flushed.
fn search_memory(batch: usize) -> Result<()> {
    let dir = tempfile::tempdir().expect("a temporary directory can be made");
    let index = LexicalIndex::open(dir.path(), LexicalOptions::default(), &BitSet::default());
    let mut random = Random(9);
    let mut next = 0;
    while next < 8_100 {
        let texts: Vec<[String; 3]> = (0..batch).map(|_| document(&mut random)).collect();
        let ordinals: Vec<Option<u32>> = (next..next + batch).map(|doc| Some(doc as u32)).collect();
        index.add_batch(&index.invert(texts.iter().map(pairs)), &ordinals)?;
        index.publish();
        next += batch;
    }
    let memory = index.memory_bytes() / 1024;
    println!("{next} documents in memory, added by {batch}: {memory} kB");
    let all = BitSet::full(next as u32);
    let common = (10.0, 100.0);
    let rare = (5_000.0, VOCABULARY);
    for (what, (from, to), words) in [
        ("a common word", common, 1),
        ("3 common words", common, 3),
        ("3 mixed words", (10.0, 20_000.0), 3),
        ("a rare word", rare, 1),
        ("5 rare words", rare, 5),
        ("a phrase", (1.0, 30.0), 0),
    ] {
        let mut word = || word(random.log_uniform(from, to));
        let mut text = || match words {
            0 => format!("\"{} {}\"", word(), word()),
            _ => (0..words).map(|_| word()).collect::<Vec<_>>().join(" "),
        };
        let queries: Vec<LexicalQuery> = (0..2_000).map(|_| query(text())).collect();
        let (mut least, mut total) = (Duration::MAX, 0);
        for _ in 0..5 {
            let mut spent = Duration::ZERO;
            total = timed(&mut spent, || -> Result<u64> {
                let total = |query| Ok(index.search(query, &all)?.total);
                queries.iter().map(total).sum()
            })?;
            least = least.min(spent);
        }
        let count = queries.len();
        let each = micros(least, count);
        println!(
            "  {what:15} {each:8.2} us, {} matches",
            total / count as u64
        );
    }
    Ok(())
}

fn query(text: String) -> LexicalQuery {
    LexicalQuery {
        text,
        fields: None,
        k: 10,
        operand: Operand::Or,
        ..LexicalQuery::default()
    }
}

fn build_with_tantivy(documents: usize) {
    let mut schema = Schema::builder();
    let indexing = TextFieldIndexing::default()
        .set_tokenizer("english")
        .set_index_option(IndexRecordOption::WithFreqsAndPositions);
    let options = TextOptions::default().set_indexing_options(indexing);
    let fields = FIELDS.map(|(name, _, _)| schema.add_text_field(name, options.clone()));
    let analyzer = TextAnalyzer::builder(SimpleTokenizer::default())
        .filter(AsciiFoldingFilter)
        .filter(LowerCaser)
        .filter(Stemmer::new(Language::English));
    let dir = tempfile::tempdir().expect("a temporary directory can be made");
    let index = tantivy::Index::create_in_dir(dir.path(), schema.build()).expect("an empty folder");
    index.tokenizers().register("english", analyzer.build());

    let mut random = Random(7);
    let mut making = Duration::ZERO;
    let before = process_time();
    let mut writer: IndexWriter = index
        .writer_with_num_threads(1, 64 * MIB)
        .expect("nobody else writes");
    for _ in 0..documents {
        let texts = timed(&mut making, || document(&mut random));
        let mut document = TantivyDocument::new();
        for (field, text) in fields.iter().zip(texts) {
            document.add_text(*field, text);
        }
        writer.add_document(document).expect("memory suffices");
    }
    writer.commit().expect("the disk has room");
    writer
        .wait_merging_threads()
        .expect("the disk has room for merging");
    let spent = process_time() - before - making;
    println!("tantivy: {:.2} us", micros(spent, documents));
}

/// Time that all threads of this process have spent on a processor.
fn process_time() -> Duration {
    let stat = std::fs::read_to_string("/proc/self/stat").expect("Linux tells");
    let (_, numbers) = stat.rsplit_once(") ").expect("the name is in brackets");
    let ticks = numbers.split(' ').skip(11).take(2);
    let ticks = ticks.map(|ticks| ticks.parse::<u64>().expect("ticks are numbers"));
    Duration::from_millis(ticks.sum::<u64>() * 10)
}

fn timed<T>(total: &mut Duration, work: impl FnOnce() -> T) -> T {
    let before = thread_time();
    let made = work();
    *total += thread_time() - before;
    made
}

fn micros(total: Duration, count: usize) -> f64 {
    total.as_secs_f64() * 1e6 / count as f64
}

fn document(random: &mut Random) -> [String; 3] {
    FIELDS.map(|(_, least, most)| {
        let count = least + (random.next() * (most - least + 1) as f64) as usize;
        random.text(count, VOCABULARY)
    })
}
