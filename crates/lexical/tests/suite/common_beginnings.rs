//! Beginnings that many words have: the most common ones are found without a look at each, and what they say of documents
//! is kept between searches.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use pelorus_cancellation::Cancellation;
use pelorus_kernels::BitSet;
use pelorus_lexical::{LexicalIndex, LexicalQuery, PrefixWords, Typing};
use pelorus_random::SplitMix64;

use crate::support::open_empty;

const WORDS: usize = 1_200;
const EXPANSIONS: usize = 50;

fn beginning(text: &str, k: usize) -> LexicalQuery {
    LexicalQuery {
        text: text.to_owned(),
        k,
        typing: Typing {
            prefix: PrefixWords::Last,
            ..Typing::default()
        },
        ..LexicalQuery::default()
    }
}

fn word(number: usize) -> String {
    format!("w{number:04}")
}

/// A word, the earlier the likelier.
fn likely(random: &mut SplitMix64) -> usize {
    ((random.unit() * (WORDS as f32).ln()).exp() as usize).min(WORDS) - 1
}

/// Adds documents of one word each, in one field or the other.
fn add_words(index: &LexicalIndex, from: u32, words: &[usize]) {
    let texts: Vec<String> = words.iter().map(|&number| word(number)).collect();
    let fields = ["f", "g"].into_iter().cycle();
    let fields = fields
        .zip(&texts)
        .map(|(field, text)| [(field, text.as_str())]);
    let inverted = index.invert(fields);
    let ordinals: Vec<Option<u32>> = (from..).take(words.len()).map(Some).collect();
    index.add_batch(&inverted, &ordinals).unwrap();
    index.publish();
}

/// The documents of the words that most documents hold, of equally common ones the first.
fn expected(words: &[usize]) -> BTreeSet<u32> {
    let mut counts: BTreeMap<usize, usize> = BTreeMap::new();
    words
        .iter()
        .for_each(|&word| *counts.entry(word).or_default() += 1);
    let mut ranked: Vec<(Reverse<usize>, usize)> = counts
        .into_iter()
        .map(|(word, count)| (Reverse(count), word))
        .collect();
    ranked.sort_unstable();
    let taken: BTreeSet<usize> = ranked
        .into_iter()
        .take(EXPANSIONS)
        .map(|(_, word)| word)
        .collect();
    let held = (0..).zip(words).filter(|(_, word)| taken.contains(word));
    held.map(|(ordinal, _)| ordinal).collect()
}

#[test]
fn the_most_common_words_are_those_of_all_parts_together() {
    let never = Cancellation::never();
    for seed in 0..6 {
        let mut random = SplitMix64(seed);
        let dir = tempfile::tempdir().unwrap();
        let index = open_empty(dir.path());
        let mut words = Vec::new();
        for part in 0..4 {
            let batch: Vec<usize> = (0..1_500)
                .map(|_| match seed % 3 {
                    0 => likely(&mut random),
                    // Equally common ones, so that each is looked at.
                    1 => random.below(WORDS),
                    // Words that are common in one part alone.
                    _ => (likely(&mut random) + part * 300) % WORDS,
                })
                .collect();
            add_words(&index, words.len() as u32, &batch);
            words.extend(batch);
            if part < 3 {
                index.flush().unwrap();
            }
            let alive = BitSet::full(words.len() as u32);
            // The second search finds the lists that the first one made.
            for _ in 0..2 {
                let found = index.search(&beginning("w", words.len()), &alive).unwrap();
                let hits: BTreeSet<u32> = found.hits.iter().map(|(doc, _)| *doc).collect();
                assert_eq!(hits, expected(&words), "seed {seed}, part {part}");
                let top = index
                    .reader()
                    .search_top(&beginning("w", 10), &alive, &never);
                assert_eq!(top.unwrap(), found.hits[..10], "seed {seed}, part {part}");
            }
        }
    }
}

#[test]
fn a_search_finds_the_same_whatever_was_searched_for_before() {
    let never = Cancellation::never();
    let dirs = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
    let [searched, fresh] = dirs.each_ref().map(|dir| open_empty(dir.path()));
    let mut random = SplitMix64(7);
    let mut alive = BitSet::default();
    let mut next = 0;
    for round in 0..6 {
        let words: Vec<usize> = (0..4_000).map(|_| likely(&mut random)).collect();
        let gone: Vec<u32> = (0..300 * round)
            .map(|_| random.below(next as usize) as u32)
            .collect();
        for index in [&searched, &fresh] {
            add_words(index, next, &words);
            if round < 4 {
                index.flush().unwrap();
            }
            gone.iter().for_each(|&ordinal| index.remove(ordinal));
            index.publish();
        }
        for doc in next..next + words.len() as u32 {
            alive.insert(doc);
        }
        for &doc in &gone {
            alive.remove(doc);
        }
        next += words.len() as u32;
        let queries = queries();
        for query in queries.iter().cycle().take(3 * queries.len()) {
            let hits = searched.search(query, &alive).unwrap().hits;
            let top = searched.reader().search_top(query, &alive, &never);
            assert_eq!(top.unwrap(), hits, "{query:?} in round {round}");
        }
    }
    for query in queries() {
        let [warm, cold] = [&searched, &fresh].map(|index| index.search(&query, &alive).unwrap());
        assert_eq!(warm.total, cold.total, "{query:?}");
        assert_eq!(warm.hits, cold.hits, "{query:?}");
    }
}

/// Words and beginnings, in fields that weigh the same and in others.
fn queries() -> Vec<LexicalQuery> {
    let weights = [vec![], vec![("g".to_owned(), 2.5)]];
    let texts = ["w", "w0", "w0000 w", "w0003 w01"];
    let weighed = |text| {
        let query = move |field_weights| LexicalQuery {
            field_weights,
            ..beginning(text, 40)
        };
        weights.clone().map(query)
    };
    texts.into_iter().flat_map(weighed).collect()
}
