//! The places of a query's words in texts.

mod fragments;

use std::collections::{BTreeSet, HashMap};
use std::ops::Range;
use std::sync::Arc;

use pelorus_cancellation::Cancellation;
use unicode_segmentation::UnicodeSegmentation;

use crate::analysis::{Analysis, Analyzer, FieldAnalysis, TokenPlace};
use crate::error::Result;
use crate::field_table::{FieldTable, Slot};
use crate::phrase::Phrase;
use crate::positions::{Positions, is_pair};
use crate::query::{LexicalQuery, QueryPlan, QueryTerm};

pub use fragments::{Fragment, FragmentBounds};

/// Bytes of a text in which words are looked for: some milliseconds of work.
const LOOKED_AT_MAX: usize = 100_000;

/// Marks the words of a query in texts. Made by
/// [`LexicalReader::highlighter`](crate::LexicalReader::highlighter).
pub struct Highlighter {
    terms: Vec<QueryTerm>,
    fields: Arc<FieldTable>,
    analyses: Arc<HashMap<String, FieldAnalysis>>,
    /// Fields that are searched; `None` for all.
    searched: Option<Vec<String>>,
}

/// The matches found in the beginning of a text.
struct Located {
    /// By position, the bytes of the token there.
    tokens: Vec<Range<usize>>,
    /// Words that are to be marked.
    marks: Vec<Mark>,
    /// The bytes that were looked at.
    end: usize,
}

/// A word that a term of the query matches, whole or as a part of its phrase.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Mark {
    start: usize,
    end: usize,
    term: usize,
}

impl Highlighter {
    /// Marks the terms of a query's plan.
    pub(crate) fn of_plan(
        plan: QueryPlan,
        query: &LexicalQuery,
        fields: Arc<FieldTable>,
        analyses: Arc<HashMap<String, FieldAnalysis>>,
    ) -> Self {
        let terms = match plan {
            QueryPlan::Nothing | QueryPlan::Everything => Vec::new(),
            QueryPlan::Terms { required, optional } => {
                required.into_iter().chain(optional).collect()
            }
        };
        Self {
            terms,
            fields,
            analyses,
            searched: query.fields.clone(),
        }
    }

    /// The fragments of a field of one document in which words of the query stand: those of most
    /// distinct terms first, then of most words, then in their order. Words of quoted and other phrases
    /// count where the phrase stands. In each of `texts`, the field's own in order, the first 100,000
    /// bytes are looked at. None of a field that the query does not search.
    ///
    /// # Errors
    /// [`LexicalError::Cancelled`](crate::LexicalError::Cancelled), which is checked with each text, and within long work.
    pub fn fragments<'t>(
        &self,
        field: &str,
        texts: &[&'t str],
        bounds: FragmentBounds,
        cancellation: &Cancellation,
    ) -> Result<Vec<Fragment<'t>>> {
        let Some((slot, analysis)) = self.searched(field) else {
            return Ok(Vec::new());
        };
        let (mut analyzer, mut fragments) = (self.analyzer(), Vec::new());
        for text in texts {
            cancellation.check()?;
            let analysis = (&mut analyzer, analysis.of(text));
            let located = self.locate(text, slot, analysis, cancellation)?;
            fragments.extend(fragments::choose(text, &located, bounds));
        }
        // Stable: of equal ones the earlier text's stays first.
        if bounds.count > 0 {
            fragments.sort_by_key(Fragment::rank);
            fragments.truncate(bounds.count);
        }
        Ok(fragments)
    }

    /// A field that the query searches, and the analysis of its texts.
    pub(crate) fn searched(&self, field: &str) -> Option<(Slot, FieldAnalysis)> {
        let is_searched = |names: &Vec<String>| names.iter().any(|name| name == field);
        let slot = self.fields.slot(field)?;
        let analysis = self.analyses.get(field).copied().unwrap_or_default();
        let is_searched = self.searched.as_ref().is_none_or(is_searched);
        is_searched.then_some((slot, analysis))
    }

    /// An analyzer for texts like those of the index.
    pub(crate) fn analyzer(&self) -> Analyzer {
        Analyzer::new(self.fields.segmentation())
    }

    pub(crate) fn terms(&self) -> &[QueryTerm] {
        &self.terms
    }

    /// The fields of the index.
    pub(crate) fn fields(&self) -> &Arc<FieldTable> {
        &self.fields
    }

    fn locate(
        &self,
        text: &str,
        slot: Slot,
        analysis: (&mut Analyzer, Analysis),
        cancellation: &Cancellation,
    ) -> Result<Located> {
        let end = text.floor_char_boundary(LOOKED_AT_MAX);
        let (tokens, found) = self.occurrences(&text[..end], slot, analysis);
        // The last word of a cut text may go on.
        let whole = match end < text.len() {
            true => tokens.len().saturating_sub(1),
            false => tokens.len(),
        };
        let mut marked: BTreeSet<(usize, usize)> = BTreeSet::new();
        for (at, term) in self.terms.iter().enumerate() {
            for (form, slop) in term.phrases_in(slot) {
                let phrase = Phrase::new(form, slop);
                let lists: Option<Vec<&[u32]>> = phrase
                    .distinct()
                    .iter()
                    .map(|token| found.get(token).map(Vec::as_slice))
                    .collect();
                let Some(lists) = lists else { continue };
                let is_pair = |one: &String| is_pair(one, self.fields.segmentation());
                let before = usize::from(form.first().is_some_and(is_pair));
                if !phrase.is_exact() {
                    let mut is_marked = vec![false; whole];
                    phrase.for_each_window(&lists, cancellation, |places, _| {
                        if places.iter().any(|&position| position as usize >= whole) {
                            return;
                        }
                        for &position in places {
                            is_marked[position as usize - before..=position as usize].fill(true);
                        }
                    })?;
                    let positions = (0..whole).filter(|&position| is_marked[position]);
                    marked.extend(positions.map(|position| (position, at)));
                    continue;
                }
                let mut marked_to = 0;
                phrase.for_each_start(&lists, cancellation, |start| {
                    let start = start as usize;
                    let end = start + form.len();
                    if end > whole {
                        return;
                    }
                    let fresh = (start - before).max(marked_to)..end;
                    marked.extend(fresh.map(|position| (position, at)));
                    marked_to = end;
                })?;
            }
        }
        let mut marks: Vec<Mark> = marked
            .into_iter()
            .map(|(position, term)| Mark {
                start: tokens[position].start,
                end: tokens[position].end,
                term,
            })
            .collect();
        widen(&text[..end], &mut marks);
        Ok(Located { tokens, marks, end })
    }

    /// The bytes of each token, and the ascending positions of those that the query looks for.
    pub(crate) fn occurrences(
        &self,
        text: &str,
        slot: Slot,
        (analyzer, analysis): (&mut Analyzer, Analysis),
    ) -> (Vec<Range<usize>>, HashMap<&str, Vec<u32>>) {
        let mut found: HashMap<&str, Vec<u32>> = HashMap::new();
        for term in &self.terms {
            for (form, _) in term.phrases_in(slot) {
                found.extend(form.iter().map(|token| (token.as_str(), Vec::new())));
            }
        }
        let (mut tokens, mut positions) = (Vec::new(), Positions::new(analyzer.segmentation()));
        let mut pair = String::new();
        analyzer.for_each_located_token(text, analysis, |token, place, range| {
            let mut occur = |position: u32, token: &str| {
                if let Some(list) = found.get_mut(token) {
                    list.push(position);
                }
            };
            match place {
                TokenPlace::Next => {
                    tokens.push(range);
                    positions.push(token, &mut pair, occur);
                }
                TokenPlace::Same => positions.push_beside(token, &mut occur),
            }
        });
        (tokens, found)
    }
}

/// Widens ascending marks to characters as they are seen: an emoji with its tone, a letter with its signs.
fn widen(text: &str, marks: &mut [Mark]) {
    if text.is_ascii() {
        return;
    }
    let mut clusters = text
        .grapheme_indices(true)
        .map(|(start, cluster)| (start, start + cluster.len()))
        .peekable();
    for mark in marks {
        while clusters.next_if(|&(_, end)| end <= mark.start).is_some() {}
        let Some(&(start, _)) = clusters.peek() else {
            return;
        };
        let is_inside = |&(_, end): &(usize, usize)| end < mark.end;
        let mut rest = clusters.clone();
        while rest.next_if(is_inside).is_some() {}
        mark.start = start;
        mark.end = rest.peek().map_or(mark.end, |&(_, end)| end);
    }
}
