//! Words that a typed one stands for are those of the documents and fields that a search reaches: what lies beyond neither
//! crowds them out nor changes scores.

use std::collections::{BTreeMap, BTreeSet};

use pelorus_cancellation::Cancellation;
use pelorus_kernels::BitSet;
use pelorus_lexical::{
    FieldAnalysis, Language, LexicalIndex, LexicalQuery, MergePolicy, PrefixWords, Stemming,
    Typing, Typos,
};
use pelorus_random::SplitMix64;

use crate::support::open_empty;
use crate::typos::{edits, lost_one};

/// Words that a typed one stands for at most.
const EXPANSIONS: usize = 50;

fn query(text: &str, prefix: PrefixWords, typos: bool, fields: Option<&[&str]>) -> LexicalQuery {
    LexicalQuery {
        text: text.to_owned(),
        fields: fields.map(|fields| fields.iter().map(|field| (*field).to_owned()).collect()),
        k: 10_000,
        typing: Typing {
            prefix,
            typos: typos.then(Typos::default),
            ..Typing::default()
        },
        ..LexicalQuery::default()
    }
}

/// The texts of a document by field.
type Texts = [(&'static str, String); 2];

fn index_of(
    dir: &std::path::Path,
    documents: &BTreeMap<u32, Texts>,
    is_flushed_behind: impl Fn(u32) -> bool,
) -> LexicalIndex {
    let index = open_empty(dir);
    let as_they_are = FieldAnalysis {
        language: Some(Language::En),
        stemming: Stemming::None,
    };
    for field in ["title", "body"] {
        index.set_field_analysis(field, as_they_are);
    }
    for (&doc, texts) in documents {
        let texts = texts.iter().map(|(field, text)| (*field, text.as_str()));
        let texts: Vec<_> = texts.filter(|(_, text)| !text.is_empty()).collect();
        index.add(doc, &texts).unwrap();
        if is_flushed_behind(doc) {
            index.publish();
            index.flush().unwrap();
        }
    }
    index.publish();
    index
}

/// The hits of a search within some documents, best first.
fn hits(index: &LexicalIndex, query: &LexicalQuery, passing: &BitSet) -> Vec<(u32, f32)> {
    let reader = index.reader().within(Some(passing));
    let hits = reader.search_top(query, passing, &Cancellation::never());
    hits.unwrap()
}

fn docs(hits: &[(u32, f32)]) -> BTreeSet<u32> {
    hits.iter().map(|(doc, _)| *doc).collect()
}

/// Sixty words that differ from `kettlebell` in one letter, and begin with `kett`.
fn crowd() -> impl Iterator<Item = String> {
    let letters = ('a'..='z').chain('0'..='9').filter(|letter| *letter != 'l');
    let replaced = letters.clone().map(|letter| format!("kettlebel{letter}"));
    let added = letters.map(|letter| format!("kettlebell{letter}"));
    replaced.chain(added).take(60)
}

/// The crowd twice in `body` of documents 0 to 119, and one word that is as near in `title` of document 200.
fn crowded(dir: &std::path::Path, is_flushed: bool) -> LexicalIndex {
    let crowd = crowd().chain(crowd());
    let mut documents: BTreeMap<u32, Texts> = (0..)
        .zip(crowd.map(|word| [("title", "other".to_owned()), ("body", word)]))
        .collect();
    let rare = [("title", "kettlebex".to_owned()), ("body", String::new())];
    documents.insert(200, rare);
    index_of(dir, &documents, |doc| is_flushed && doc == 200)
}

#[test]
fn words_of_other_fields_crowd_none_out() {
    for is_flushed in [false, true] {
        let dir = tempfile::tempdir().unwrap();
        let index = crowded(dir.path(), is_flushed);
        let all = BitSet::full(201);
        for (text, prefix, typos) in [
            ("kettlebell", PrefixWords::None, true),
            ("kett", PrefixWords::Last, false),
        ] {
            let asked = query(text, prefix, typos, Some(&["title"]));
            assert_eq!(docs(&hits(&index, &asked, &all)), [200].into(), "{text}");
            let meant = index.reader().corrected(&asked, &Cancellation::never());
            let meant = meant.unwrap();
            let is_corrected = prefix == PrefixWords::None;
            assert_eq!(meant.as_deref(), is_corrected.then_some("kettlebex"));
        }
    }
}

#[test]
fn words_of_documents_that_do_not_pass_crowd_none_out() {
    for is_flushed in [false, true] {
        let dir = tempfile::tempdir().unwrap();
        let index = crowded(dir.path(), is_flushed);
        let passing: BitSet = [7, 200].into_iter().collect();
        for (text, prefix, typos) in [
            ("kettlebell", PrefixWords::None, true),
            ("kett", PrefixWords::Last, false),
        ] {
            let asked = query(text, prefix, typos, None);
            let found = hits(&index, &asked, &passing);
            assert_eq!(docs(&found), [7, 200].into(), "{text}");
            let reader = index.reader().within(Some(&passing));
            let never = Cancellation::never();
            let explained = reader.explain(&asked, &[7, 200], &never).unwrap();
            assert!(explained.iter().all(|terms| terms.len() == 1), "{text}");
            let whole = pelorus_lexical::FragmentBounds { size: 1, count: 0 };
            let highlighter = reader.highlighter(&asked, &never).unwrap();
            let fragments = highlighter.fragments("title", &["a kettlebex"], whole, &never);
            assert_eq!(fragments.unwrap()[0].marks.len(), 1, "{text}");
        }
    }
}

#[test]
fn near_words_beyond_the_search_change_no_score() {
    // A word of one edit that another field has, or a document that was removed, and what begins as typed.
    let texts = |title: &str, body: &str| [("title", title.to_owned()), ("body", body.to_owned())];
    let documents: BTreeMap<u32, Texts> = (0..)
        .zip([
            texts("accommodations", "a"),
            texts("water", "acomodation"),
            texts("water", "acomodationsx"),
            texts("acomodatixns", "b"),
        ])
        .collect();
    for (is_flushed, prefix) in [
        (false, PrefixWords::None),
        (false, PrefixWords::Last),
        (true, PrefixWords::None),
        (true, PrefixWords::Last),
    ] {
        let dirs = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
        let [index, alone] = dirs.each_ref().map(|dir| dir.path());
        let index = index_of(index, &documents, |doc| is_flushed && doc == 3);
        index.remove(3);
        index.publish();
        let mut left = documents.clone();
        left.remove(&3);
        left.values_mut()
            .for_each(|texts| texts[1].1 = "c".to_owned());
        let alone = index_of(alone, &left, |_| false);
        let alive = BitSet::full(3);
        let asked = query("acomodations", prefix, true, Some(&["title"]));
        let [found, expected] = [&index, &alone].map(|index| hits(index, &asked, &alive));
        assert_eq!(docs(&expected), [0].into());
        assert_eq!(found, expected, "{is_flushed} {prefix:?}");
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    Own,
    Beginning,
    Near(usize, bool),
}

/// The relation of a word to a typed one that begins others or does not; none where it is far.
fn place(typed: &str, word: &str, asked: &LexicalQuery) -> Option<Place> {
    let is_beginning = asked.typing.prefix == PrefixWords::Last;
    let has_typos = asked.typing.typos.is_some();
    let [typed, word] = [typed, word].map(|word| word.chars().collect::<Vec<char>>());
    let allowed = match typed.len() {
        _ if !has_typos => 0,
        0..4 => 0,
        4..8 => 1,
        _ => 2,
    };
    let whole = Some(edits(&typed, &word)).filter(|edits| *edits <= allowed);
    let beginnings = (0..=word.len()).map(|end| edits(&typed, &word[..end]));
    let beginning = beginnings.min().filter(|_| is_beginning);
    let beginning = beginning.filter(|edits| *edits <= allowed);
    match (whole, beginning) {
        (Some(0), _) => Some(Place::Own),
        (_, Some(0)) => Some(Place::Beginning),
        (whole, beginning) => {
            let whole = whole.map(|edits| Place::Near(edits, false));
            let beginning = beginning.map(|edits| Place::Near(edits, true));
            whole.into_iter().chain(beginning).min()
        }
    }
}

/// The documents that a search has to find, by the words of those that it reaches.
struct Expected {
    /// Documents by the place of their nearest word, of the searched fields.
    places: BTreeMap<u32, Place>,
    /// The distinct words of beginnings and of corrections, of searched fields of all live documents.
    counts: [usize; 2],
    /// Those of documents that pass.
    passing_counts: [usize; 2],
}

fn expected(documents: &BTreeMap<u32, Texts>, passing: &BitSet, asked: &LexicalQuery) -> Expected {
    let is_searched = |field: &str| {
        let named = asked.fields.as_ref();
        named.is_none_or(|named| named.iter().any(|name| name == field))
    };
    let all = || {
        documents
            .iter()
            .flat_map(|(&doc, texts)| texts.iter().map(move |text| (doc, text)))
    };
    let searched = || {
        let texts = all().filter(|(_, (field, _))| is_searched(field));
        texts.flat_map(|(doc, (_, text))| text.split_whitespace().map(move |word| (doc, word)))
    };
    let near = |word: &str| place(&asked.text, word, asked);
    let has_any = searched().any(|(_, word)| near(word).is_some());
    let may_be_longer = !has_any && asked.typing.typos.is_some();
    let longer = |word: &str| {
        let is_longer = may_be_longer && lost_one(&asked.text, word);
        is_longer.then_some(Place::Near(1, false))
    };
    let (mut places, mut words) = (BTreeMap::new(), [BTreeSet::new(), BTreeSet::new()]);
    let mut passing_words = words.clone();
    for (doc, word) in searched() {
        let Some(place) = near(word).or_else(|| longer(word)) else {
            continue;
        };
        let kind = usize::from(matches!(place, Place::Near(..)));
        if place != Place::Own {
            words[kind].insert(word);
            if passing.contains(doc) {
                passing_words[kind].insert(word);
            }
        }
        if passing.contains(doc) {
            let known = places.entry(doc).or_insert(place);
            *known = place.min(*known);
        }
    }
    Expected {
        places,
        counts: words.each_ref().map(BTreeSet::len),
        passing_counts: passing_words.each_ref().map(BTreeSet::len),
    }
}

fn random_word(random: &mut SplitMix64) -> String {
    let length = 3 + random.below(7);
    (0..length)
        .map(|_| *random.pick(&['a', 'b', 'c']))
        .collect()
}

fn random_texts(random: &mut SplitMix64, words: &[String]) -> Texts {
    // A word of the title is one of the rarer ones in all.
    let title = words[random.below(words.len())].clone();
    let body = (0..random.below(4)).map(|_| {
        let most = 1 + random.below(words.len());
        words[random.below(most)].clone()
    });
    [
        ("title", title),
        ("body", body.collect::<Vec<_>>().join(" ")),
    ]
}

#[test]
fn a_search_finds_what_it_would_if_there_were_nothing_beyond_it() {
    let (mut whole, mut cut) = (0, 0);
    for seed in 0..16 {
        let mut random = SplitMix64(seed);
        let words: Vec<String> = (0..30 + 40 * seed)
            .map(|_| random_word(&mut random))
            .collect();
        let documents = 60 + random.below(540) as u32;
        let mut documents: BTreeMap<u32, Texts> = (0..documents)
            .map(|doc| (doc, random_texts(&mut random, &words)))
            .collect();
        let dirs = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
        let flushed: BTreeSet<u32> = (0..random.below(4))
            .map(|_| random.below(600) as u32)
            .collect();
        let index = index_of(dirs[0].path(), &documents, |doc| flushed.contains(&doc));
        let end = documents.len() as u32;
        for _ in 0..random.below(end as usize) {
            let doc = random.below(end as usize) as u32;
            documents.remove(&doc);
            index.remove(doc);
        }
        index.publish();
        if random.below(3) == 0 {
            index.flush().unwrap();
            index.maintain(MergePolicy::Leveled).unwrap();
        }
        let alive: BitSet = documents.keys().copied().collect();
        let fresh = index_of(dirs[1].path(), &documents, |_| false);
        for _ in 0..60 {
            let word = random.pick(&words);
            let typed = match random.below(2) {
                0 => word[..1 + random.below(word.len())].to_owned(),
                _ => random_word(&mut random),
            };
            let prefix = *random.pick(&[PrefixWords::None, PrefixWords::Last]);
            let fields = *random.pick(&[None, Some(&["title"][..]), Some(&["body", "title"])]);
            let asked = query(&typed, prefix, random.below(3) > 0, fields);
            let share = *random.pick(&[1, 5, 20, 60]);
            let passing: BitSet = alive.iter().filter(|_| random.below(share) == 0).collect();
            let expected = expected(&documents, &passing, &asked);
            let found = hits(&index, &asked, &passing);
            let what = format!("{asked:?} of seed {seed}, {share}");
            if expected.counts.iter().all(|count| *count <= EXPANSIONS) {
                // Neither what was removed nor a filter changes a score.
                whole += 1;
                let keys: BTreeSet<u32> = expected.places.keys().copied().collect();
                assert_eq!(docs(&found), keys, "{what}");
                let all = hits(&fresh, &asked, &alive).into_iter();
                let kept: Vec<_> = all.filter(|(doc, _)| passing.contains(*doc)).collect();
                assert_eq!(found, kept, "{what}");
            } else if expected
                .passing_counts
                .iter()
                .all(|count| *count < EXPANSIONS)
            {
                // The nearest word of all takes a place, whether its documents pass or not.
                cut += 1;
                let keys: BTreeSet<u32> = expected.places.keys().copied().collect();
                assert_eq!(docs(&found), keys, "{what}");
            }
            let places: Vec<Place> = found.iter().map(|(doc, _)| expected.places[doc]).collect();
            assert!(places.is_sorted(), "{what}: {places:?}");
        }
    }
    assert!(whole > 500 && cut > 20, "{whole} {cut}");
}
