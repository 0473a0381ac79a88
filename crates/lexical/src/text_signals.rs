//! Signals of a document's texts that BM25 does not know: the very characters of the query, the nearness of its words, the
//! fields that they stand in.
//!
//! Texts are analysed as they were indexed, so that nothing more is kept of them than the index has: it is for some
//! hundred documents that are the best already.

use std::cmp::Reverse;
use std::ops::Range;

use pelorus_cancellation::Cancellation;
use unicode_normalization::UnicodeNormalization;

use crate::analysis::{Analyzer, WordAnalyzer};
use crate::error::Result;
use crate::highlight::Highlighter;
use crate::phrase::Phrase;
use crate::positions::is_pair;
use crate::query::{LexicalQuery, QueryAnalyses, QueryTerm, sources};

/// Bytes of a text that are looked at.
const LOOKED_AT_MAX: usize = 10_000;

/// Characters that may stand around a word and are none of it.
const OPENING: [char; 9] = ['(', '[', '{', '"', '\'', '“', '‘', '«', '„'];
const CLOSING: [char; 13] = [
    ')', ']', '}', '"', '\'', '”', '’', '»', '.', ',', ';', '!', '?',
];

/// The shares that say how near an occurrence is to what was typed.
const SAME: f64 = 1.0;
const OTHER_CASE: f64 = 0.75;
const FOLDED: f64 = 0.5;
const OTHER_WORD: f64 = 0.25;

/// Signals of the texts of a document for a query, each from 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct TextSignals {
    /// The mean over the terms of the query: 1 for its very characters, 3/4 where their case differs, 1/2 where accents or
    /// punctuation do, 1/4 for another ending or word that the term stands for, 0 where there is none.
    pub exactness: f64,
    /// The best of any text with `m` of the `n` terms of the query, several: `(m - 1) / (n - 1) · m / (m + between)`, by the
    /// fewest tokens that stand between these terms. 0 of a query of one term.
    pub proximity: f64,
    /// The mean over the terms of the query: 1 in the first field of an order, and less by equal steps in the others; 0
    /// where none of them holds the term.
    pub field_order: f64,
}

/// Reads the signals of texts.
pub struct SignalReader {
    words: Highlighter,
    /// For each term the texts that name it in the query.
    sources: Vec<Vec<Source>>,
    analyzer: Analyzer,
    folding: WordAnalyzer,
}

/// A word or phrase of a query as it was typed.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Source {
    text: String,
    lower_case: String,
    folded: Vec<String>,
}

impl Source {
    fn new(text: String, folding: &mut WordAnalyzer) -> Self {
        Self {
            lower_case: text.to_lowercase(),
            folded: folding.words(&text),
            text,
        }
    }
}

/// A run of tokens that a term matches.
type Place = Range<usize>;

/// The bytes of the tokens of a text, and for each term where it matches, ascending.
type Located = (Vec<Range<usize>>, Vec<Vec<Place>>);

impl SignalReader {
    /// Reads them by the words that a query finds in texts.
    pub fn new(words: Highlighter, query: &LexicalQuery) -> Self {
        let (mut analyzer, mut folding) = (words.analyzer(), WordAnalyzer::new());
        let analyses = QueryAnalyses::new(words.fields().clone(), query.language);
        let named = sources(query, &analyses, &mut analyzer);
        let mut sources_of = |term: &QueryTerm| -> Vec<Source> {
            let named = named.iter();
            let named = named.filter(|(forms, _)| forms.forms() == term.tokens.forms());
            named
                .map(|(_, text)| Source::new(composed(bare(text)), &mut folding))
                .collect()
        };
        let sources = words.terms().iter().map(&mut sources_of).collect();
        Self {
            words,
            sources,
            analyzer,
            folding,
        }
    }

    /// The signals of a document with these texts, each with its field, by an order of fields. The first 10,000 bytes of each
    /// text are looked at.
    ///
    /// # Errors
    /// [`LexicalError::Cancelled`](crate::LexicalError::Cancelled), which is checked within long work.
    pub fn read<'t>(
        &mut self,
        texts: impl IntoIterator<Item = (&'t str, &'t str)>,
        field_order: &[String],
        cancellation: &Cancellation,
    ) -> Result<TextSignals> {
        let count = self.sources.len();
        let (mut exactness, mut order) = (vec![0.0_f64; count], vec![0.0_f64; count]);
        let mut proximity = 0.0_f64;
        for (field, text) in texts {
            let text = &text[..text.floor_char_boundary(LOOKED_AT_MAX)];
            let Some((tokens, places)) = self.places(field, text, cancellation)? else {
                continue;
            };
            let place = field_order.iter().position(|one| one == field);
            let step = place.map_or(0.0, |place| 1.0 - place as f64 / field_order.len() as f64);
            for (term, places) in places
                .iter()
                .enumerate()
                .filter(|(_, places)| !places.is_empty())
            {
                order[term] = order[term].max(step);
                for place in places {
                    if exactness[term] == SAME {
                        break;
                    }
                    let bytes = tokens[place.start].start..tokens[place.end - 1].end;
                    let share = self.exactness(term, text, bytes);
                    exactness[term] = exactness[term].max(share);
                }
            }
            proximity = proximity.max(nearness(&places));
        }
        let mean = |shares: &[f64]| match count {
            0 => 0.0,
            _ => shares.iter().sum::<f64>() / count as f64,
        };
        Ok(TextSignals {
            exactness: mean(&exactness),
            proximity,
            field_order: mean(&order),
        })
    }

    /// Finds the terms in a text; `None` of a field that is not searched.
    fn places(
        &mut self,
        field: &str,
        text: &str,
        cancellation: &Cancellation,
    ) -> Result<Option<Located>> {
        let Some((slot, analysis)) = self.words.searched(field) else {
            return Ok(None);
        };
        let analysis = analysis.of(text);
        let (tokens, found) = self
            .words
            .occurrences(text, slot, (&mut self.analyzer, analysis));
        let places = self.words.terms().iter().map(|term| {
            let mut places: Vec<Place> = Vec::new();
            for (form, slop) in term.phrases_in(slot) {
                let phrase = Phrase::new(form, slop);
                let lists = phrase.distinct().iter();
                let lists = lists.map(|token| found.get(token).map(Vec::as_slice));
                let Some(lists) = lists.collect::<Option<Vec<&[u32]>>>() else {
                    continue;
                };
                let segmentation = self.words.fields().segmentation();
                let is_pair = |one: &String| is_pair(one, segmentation);
                let before = usize::from(form.first().is_some_and(is_pair));
                if phrase.is_exact() {
                    phrase.for_each_start(&lists, cancellation, |start| {
                        let start = start as usize;
                        places.push(start - before..start + form.len());
                    })?;
                    continue;
                }
                phrase.for_each_window(&lists, cancellation, |chosen, _| {
                    let (first, last) = (chosen.iter().min(), chosen.iter().max());
                    if let Some((&first, &last)) = first.zip(last) {
                        places.push(first as usize - before..last as usize + 1);
                    }
                })?;
            }
            places.sort_by_key(|place| (place.start, place.end));
            places.dedup();
            Ok(places)
        });
        let places = places.collect::<Result<_>>()?;
        Ok(Some((tokens, places)))
    }

    /// The share of an occurrence of a term, by what stands there.
    fn exactness(&mut self, term: usize, text: &str, bytes: Range<usize>) -> f64 {
        let written = composed(bare(&text[with_punctuation(text, bytes.clone())]));
        let sources = &self.sources[term];
        if sources.iter().any(|source| source.text == written) {
            return SAME;
        }
        let lower_case = written.to_lowercase();
        if sources.iter().any(|source| source.lower_case == lower_case) {
            return OTHER_CASE;
        }
        let folded = self.folding.words(&text[bytes]);
        match sources.iter().any(|source| source.folded == folded) {
            true => FOLDED,
            false => OTHER_WORD,
        }
    }
}

/// A word without the characters around it.
fn bare(word: &str) -> &str {
    word.trim_start_matches(OPENING).trim_end_matches(CLOSING)
}

fn composed(text: &str) -> String {
    match text.is_ascii() {
        true => text.to_owned(),
        false => text.nfc().collect(),
    }
}

/// A run of bytes with the punctuation between it and the blanks around it. Hyphens and apostrophes part words.
fn with_punctuation(text: &str, Range { start, end }: Range<usize>) -> Range<usize> {
    let is_part = |c: &char| !c.is_alphanumeric() && !c.is_whitespace() && !"-‐‑–'’".contains(*c);
    let bytes = |run: &mut dyn Iterator<Item = char>| -> usize {
        let mut run = run.peekable();
        let mut length = 0;
        while let Some(c) = run.next_if(is_part) {
            length += c.len_utf8();
        }
        // Punctuation that another word follows belongs to none of both.
        match run.peek().is_some_and(|c| c.is_alphanumeric()) {
            true => 0,
            false => length,
        }
    };
    let before = bytes(&mut text[..start].chars().rev());
    let after = bytes(&mut text[end..].chars());
    start - before..end + after
}

/// The nearness of the terms that a text holds.
fn nearness(places: &[Vec<Place>]) -> f64 {
    let held = places.iter().filter(|places| !places.is_empty()).count();
    if held < 2 {
        return 0.0;
    }
    let share = (held - 1) as f64 / (places.len() - 1) as f64;
    share * held as f64 / (held + fewest_between(places, held)) as f64
}

/// The fewest tokens that stand between places of the `held` terms that have any, one of each.
fn fewest_between(places: &[Vec<Place>], held: usize) -> usize {
    let lengths = places
        .iter()
        .map(|places| places.iter().map(Range::len).min());
    let lengths: Vec<usize> = lengths.map(Option::unwrap_or_default).collect();
    let all: usize = lengths.iter().sum();
    let mut starts: Vec<(usize, Reverse<usize>, usize)> = Vec::new();
    for (term, places) in places.iter().enumerate() {
        let length = Reverse(lengths[term]);
        starts.extend(places.iter().map(|place| (place.start, length, term)));
    }
    // The shortest of several at one place is the last.
    starts.sort_unstable();
    // Where each term stood last: of all that end with one place these are the nearest.
    let mut last: Vec<Option<usize>> = vec![None; places.len()];
    let (mut known, mut fewest) = (0, usize::MAX);
    for (start, Reverse(length), term) in starts {
        known += usize::from(last[term].replace(start).is_none());
        if known == held {
            let first = last.iter().flatten().min().copied().unwrap_or(start);
            // Terms may stand in each other.
            fewest = fewest.min((start - first).saturating_sub(all - length));
        }
    }
    fewest
}
