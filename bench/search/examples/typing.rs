//! The cost of a search whose words are still being typed, beside that of the same words in full.
//!
//! `cargo run --release -p pelorus-bench-search --example typing [DOCUMENTS]`, 1,000,000 where none are said. Documents are
//! titles of eight words, of a vocabulary in which a word is the rarer the later it stands; queries are two words of one
//! title, others in each round. Searches take turns, query by query; printed are the median and the 99th percentile of
//! each, in microseconds, and the ratio of the median to that of the words in full; some within a filter that lets a
//! thousandth pass, whose words come first where there are too many. Then the share of words with one typo
//! whose title is found: a title with the word as it was meant is among the first ten hits of the word alone.

use std::time::Instant;

use pelorus_cancellation::Cancellation;
use pelorus_kernels::BitSet;
use pelorus_lexical::{
    LexicalIndex, LexicalOptions, LexicalQuery, MergePolicy, Operand, PrefixWords, Typing, Typos,
};
use pelorus_random::SplitMix64;

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

const WORDS: usize = 100_000;
const TITLE_WORDS: usize = 8;
const BATCH: usize = 1_000;
const QUERIES: usize = 400;
const ROUNDS: usize = 3;
const TYPOS: usize = 1_000;
const K: usize = 10;
/// Documents of which one passes the filter.
const FEW: usize = 1_000;

fn main() -> Result<()> {
    let documents = match std::env::args().nth(1) {
        Some(count) => count.parse()?,
        None => 1_000_000,
    };
    let mut random = SplitMix64(1);
    let words: Vec<String> = (0..WORDS).map(|_| spelled(&mut random)).collect();
    let titles: Vec<[u32; TITLE_WORDS]> = (0..documents)
        .map(|_| std::array::from_fn(|_| rank(&mut random)))
        .collect();
    let folder = tempfile::tempdir()?;
    let start = Instant::now();
    let index = filled(folder.path(), &words, &titles)?;
    println!(
        "{documents} titles in {:.1} s",
        start.elapsed().as_secs_f64()
    );
    let all = BitSet::full(documents as u32);
    let mut random = SplitMix64(2);
    let few: BitSet = all.iter().filter(|_| random.below(FEW) == 0).collect();
    let found = |text: String, typing: &Typing, passing: Option<&BitSet>| {
        let reader = index.reader().within(passing);
        let query = LexicalQuery {
            text,
            fields: None,
            k: K,
            operand: Operand::Or,
            language: None,
            typing: typing.clone(),
            ..LexicalQuery::default()
        };
        let accept = passing.unwrap_or(&all);
        reader.search_top(&query, accept, &Cancellation::never())
    };

    let rows = rows();
    let mut times: Vec<Vec<f64>> = vec![Vec::new(); rows.len()];
    for round in 0..=ROUNDS {
        let mut random = SplitMix64(100 + round as u64);
        for _ in 0..QUERIES {
            let title = random.pick(&titles);
            let [first, last] = [&words[title[0] as usize], &words[title[1] as usize]];
            let typo = mistyped(last, &mut random);
            for (row, times) in rows.iter().zip(&mut times) {
                let text = format!("{first} {}", (row.last)(last, &typo));
                let start = Instant::now();
                found(text, &row.typing, row.is_filtered.then_some(&few))?;
                if round > 0 {
                    times.push(start.elapsed().as_secs_f64() * 1e6);
                }
            }
        }
    }
    times
        .iter_mut()
        .for_each(|times| times.sort_by(f64::total_cmp));
    let at = |row: usize, share: usize| times[row][times[row].len() * share / 100];
    for (number, row) in rows.iter().enumerate() {
        let [median, late] = [at(number, 50), at(number, 99)];
        println!(
            "{:32} {median:9.1} {late:9.1} {:6.2}",
            row.name,
            median / at(0, 50)
        );
    }

    let mut random = SplitMix64(3);
    let typing = Typing {
        typos: Some(Typos::default()),
        ..Typing::default()
    };
    let mut right = 0;
    for _ in 0..TYPOS {
        let meant = loop {
            let word = random.pick(&titles)[0];
            if words[word as usize].len() >= Typos::default().one_from {
                break word;
            }
        };
        let typo = mistyped(&words[meant as usize], &mut random);
        let hits = found(typo, &typing, None)?;
        right += usize::from(
            hits.iter()
                .any(|(doc, _)| titles[*doc as usize].contains(&meant)),
        );
    }
    println!(
        "{:.1} % of words with a typo found",
        right as f64 * 100.0 / TYPOS as f64
    );
    Ok(())
}

/// A way to search for the last word of a query.
struct Row {
    name: &'static str,
    typing: Typing,
    is_filtered: bool,
    /// The word as it is typed, of the word and of the word with a typo.
    last: fn(&str, &str) -> String,
}

fn rows() -> Vec<Row> {
    let typing = |prefix, has_typos: bool| Typing {
        prefix,
        typos: has_typos.then(Typos::default),
        ..Typing::default()
    };
    let (none, last) = (PrefixWords::None, PrefixWords::Last);
    vec![
        Row {
            name: "in full",
            typing: typing(none, false),
            is_filtered: false,
            last: |word, _| word.to_owned(),
        },
        Row {
            name: "beginning of one letter",
            typing: typing(last, false),
            is_filtered: false,
            last: |word, _| word[..1].to_owned(),
        },
        Row {
            name: "of three",
            typing: typing(last, false),
            is_filtered: false,
            last: |word, _| word[..3].to_owned(),
        },
        Row {
            name: "of all but one",
            typing: typing(last, false),
            is_filtered: false,
            last: |word, _| word[..word.len() - 1].to_owned(),
        },
        Row {
            name: "with a typo",
            typing: typing(none, true),
            is_filtered: false,
            last: |_, typo| typo.to_owned(),
        },
        Row {
            name: "beginning with a typo",
            typing: typing(last, true),
            is_filtered: false,
            last: |_, typo| typo[..typo.len() - 1].to_owned(),
        },
        Row {
            name: "one letter, few documents",
            typing: typing(last, false),
            is_filtered: true,
            last: |word, _| word[..1].to_owned(),
        },
        Row {
            name: "with a typo, few documents",
            typing: typing(none, true),
            is_filtered: true,
            last: |_, typo| typo.to_owned(),
        },
    ]
}

/// A word of two to five syllables.
fn spelled(random: &mut SplitMix64) -> String {
    let mut word = String::new();
    for _ in 0..2 + random.below(4) {
        word.push_str(random.pick::<&str>(&[
            "b", "d", "f", "g", "k", "l", "m", "n", "p", "r", "s", "t", "v", "st", "tr", "ch",
        ]));
        word.push_str(random.pick::<&str>(&["a", "e", "i", "o", "u", "ai", "ou"]));
        if random.below(4) == 0 {
            word.push_str(random.pick::<&str>(&["n", "r", "s", "l", "t"]));
        }
    }
    word
}

/// The place of a word: as often among the first ten as among the next ninety.
fn rank(random: &mut SplitMix64) -> u32 {
    let rank = (random.unit() * (WORDS as f32).ln()).exp() as usize;
    (rank.min(WORDS) - 1) as u32
}

/// The word with a letter too many, too few or another one, or two neighbours swapped.
fn mistyped(word: &str, random: &mut SplitMix64) -> String {
    let mut letters: Vec<u8> = word.bytes().collect();
    let at = 1 + random.below(letters.len() - 2);
    let letter = b'a' + random.below(26) as u8;
    match random.below(4) {
        0 => letters.insert(at, letter),
        1 => drop(letters.remove(at)),
        2 => letters[at] = letter,
        _ => letters.swap(at, at + 1),
    }
    String::from_utf8(letters).expect("it has letters alone")
}

fn filled(
    folder: &std::path::Path,
    words: &[String],
    titles: &[[u32; TITLE_WORDS]],
) -> Result<LexicalIndex> {
    let index = LexicalIndex::open(folder, LexicalOptions::default(), &BitSet::default());
    let mut next = 0;
    for batch in titles.chunks(BATCH) {
        let texts: Vec<String> = batch
            .iter()
            .map(|title| title.map(|word| words[word as usize].as_str()).join(" "))
            .collect();
        let inverted = index.invert(texts.iter().map(|text| [("title", text.as_str())]));
        let end = next + batch.len() as u32;
        index.add_batch(&inverted, &(next..end).map(Some).collect::<Vec<_>>())?;
        index.publish();
        next = end;
        while index.needs_flush(MergePolicy::Leveled) {
            index.maintain(MergePolicy::Leveled)?;
        }
    }
    Ok(index)
}
