//! The explanation of documents' scores: the terms that they add up from.

use std::cmp::Reverse;

use crate::bm25::{TermWeight, idf};
use crate::error::Result;
use crate::expansion::{
    Expansion, SHARE_WHOLE, ShareKind, has_equals, matches_with_shares, share_class, share_factor,
};
use crate::field_table::Slot;
use crate::posting_list::PostingCursor;
use crate::query::{QueryTerm, TermForm};
use crate::search::Terms;
use crate::term_matches::{DocumentCounts, addition_order};
use crate::view::{Part, View};

/// The score of a term in one field of a document, by BM25 with the k1 and b of this crate:
///
/// `score = weight · count · idf · (k1 + 1) · frequency / (frequency + k1 · (1 - b + b · length / average_length))`
///
/// or, where it has a share, `score = weight · count · idf · share`, once in a document.
#[derive(Debug, Clone, PartialEq)]
pub struct TermScore {
    /// As it stands in the index: its tokens with a blank between them.
    pub term: String,
    pub field: String,
    /// In 32 bits.
    pub score: f32,
    /// The weight of the field: 1 unless the query says otherwise.
    pub weight: f64,
    /// The number of times that the query names the term.
    pub count: u32,
    /// `ln(1 + (documents - matching + 0.5) / (matching + 0.5))`
    pub idf: f64,
    /// Live documents.
    pub documents: u64,
    /// Live documents that hold the term: in this field where fields are named, in any of them otherwise.
    pub matching: u64,
    /// The number of times that the field of the document holds it, each of a sloppy phrase as 1 / (1 + distance).
    pub frequency: f64,
    /// Tokens of the field of the document.
    pub length: u32,
    /// Mean tokens of the field, over the documents that have it.
    pub average_length: f64,
    /// There is one of a term that stands for other words as well.
    pub share: Option<TermShare>,
}

/// The share of a document in a term that stands for other words as well.
#[derive(Debug, Clone, PartialEq)]
pub struct TermShare {
    /// The part of the term's inverse document frequency: 1 for the term itself.
    pub share: f64,
    /// The nearest word of the document; none where it is the term itself.
    pub word: Option<MatchedWord>,
}

/// A word that a term stands for besides itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MatchedWord {
    /// As it is written, folded; where it was split, with a blank.
    pub word: String,
    /// The edits between it, or its beginning, and what was typed. None of what was typed in one word or in two.
    pub edits: u8,
    /// Tells whether it goes on behind what was typed.
    pub is_completed: bool,
    /// Tells whether it ends with what was typed, or its stem.
    pub is_compound: bool,
}

/// The words that a term stands for, in one part.
struct ShareLists<'v> {
    /// By the class of their weight. A document is in one of them.
    shares: Vec<(u16, PostingCursor<'v>)>,
    words: Vec<(&'v Expansion, Slot, PostingCursor<'v>)>,
}

/// The occurrences of one term in a field, in one of its forms.
struct TermList<'v> {
    slot: Slot,
    form: &'v TermForm,
    cursor: PostingCursor<'v>,
}

/// See [`LexicalReader::explain`](crate::LexicalReader::explain).
pub(crate) fn explain<'v>(
    view: &'v View,
    terms: &Terms<'v>,
    docs: &[u32],
) -> Result<Vec<Vec<TermScore>>> {
    debug_assert!(docs.is_sorted(), "lists are read forward alone");
    let required_count = terms.required.len();
    let all: Vec<&QueryTerm> = terms.required.iter().chain(terms.optional).collect();
    let mut counts = vec![DocumentCounts::zero(terms.scope); all.len()];
    let mut shared = vec![0; all.len()];
    let mut parts = Vec::new();
    for part in view.parts() {
        let mut lists_of_terms = Vec::with_capacity(all.len());
        let mut shares_of_terms = Vec::with_capacity(all.len());
        for ((term, counts), matching) in all.iter().zip(&mut counts).zip(&mut shared) {
            terms.cancellation.check()?;
            let mut lists = Vec::new();
            for (form, found) in
                part.matches_by_form(&term.tokens, terms.scope, terms.cancellation)?
            {
                counts.add(&found.counts);
                lists.extend(found.lists.into_iter().map(|(slot, list)| TermList {
                    slot,
                    form,
                    cursor: PostingCursor::new(list),
                }));
            }
            // The order in which a search adds them up.
            lists.sort_by_key(|list| list.slot);
            lists_of_terms.push(lists);
            shares_of_terms.push(ShareLists::new(view, part, term, terms, matching)?);
        }
        parts.push((part, lists_of_terms, shares_of_terms));
    }

    let order = addition_order(&counts, required_count);
    let mut explained = vec![Vec::new(); docs.len()];
    for (part, mut lists_of_terms, mut shares_of_terms) in parts {
        for (&doc, scores) in docs.iter().zip(&mut explained) {
            let Some(local) = part.local(doc) else {
                continue;
            };
            let (mut lacks_required, mut has_optional) = (false, required_count > 0);
            for &at in &order {
                let before = scores.len();
                for TermList { slot, form, cursor } in &mut lists_of_terms[at] {
                    cursor.advance_to(local);
                    if cursor.doc() == Some(local) {
                        let (frequency, length) = cursor.posting();
                        let found = (frequency, u32::from(length));
                        let place = (*slot, &**form);
                        let matching = match has_equals(all[at]) {
                            true => shared[at],
                            false => u64::from(counts[at].of(*slot)),
                        };
                        scores.push(term_score(view, terms, all[at], matching, place, found));
                    }
                }
                if let Some(lists) = &mut shares_of_terms[at] {
                    let own = heaviest(&scores[before..]).map(|own| own.field.clone());
                    let factor = share_factor(all[at], counts[at].sum() > 0);
                    let of_all = (shared[at], factor);
                    scores.extend(lists.score((view, terms), all[at], of_all, own, local));
                }
                let is_held = scores.len() > before;
                lacks_required |= at < required_count && !is_held;
                has_optional |= at >= required_count && is_held;
            }
            if lacks_required || !has_optional {
                scores.clear();
            }
        }
    }
    Ok(explained)
}

/// The first of those in the heaviest field.
fn heaviest(scores: &[TermScore]) -> Option<&TermScore> {
    scores
        .iter()
        .reduce(|best, one| match one.weight > best.weight {
            true => one,
            false => best,
        })
}

fn term_score(
    view: &View,
    terms: &Terms<'_>,
    term: &QueryTerm,
    matching: u64,
    (slot, form): (Slot, &TermForm),
    (frequency, length): (u32, u32),
) -> TermScore {
    let documents = view.statistics.documents;
    // Documents that hold a term in two forms count twice.
    let matching = matching.min(documents);
    let average_length = view.statistics.average_length(slot);
    let field_weight = terms.weights.of(slot);
    let weight = TermWeight::new(documents, matching, average_length, term.count);
    let parts = term.tokens.frequency_parts();
    let weight = weight.in_parts(parts).in_field_of(field_weight);
    TermScore {
        term: form.tokens.join(" "),
        field: view.fields.names()[usize::from(slot)].clone(),
        score: weight.score(frequency, length as u16),
        weight: field_weight,
        count: term.count,
        idf: idf(documents, matching),
        documents,
        matching,
        frequency: f64::from(frequency) / f64::from(parts),
        length,
        average_length,
        share: None,
    }
}

impl<'v> ShareLists<'v> {
    /// None where the term stands for itself alone. Adds its documents to `matching`.
    fn new(
        view: &View,
        part: Part<'v>,
        term: &'v QueryTerm,
        terms: &Terms<'v>,
        matching: &mut u64,
    ) -> Result<Option<Self>> {
        if term.expansions.is_empty() {
            return Ok(None);
        }
        let (scope, weights, cancellation) = (terms.scope, terms.weights, terms.cancellation);
        let (found, live) = matches_with_shares(view, &part, term, scope, weights, cancellation)?;
        *matching += u64::from(live);
        let lists = found.lists.into_iter();
        let shares = lists.filter_map(|(slot, list)| Some((share_class(slot)?, list)));
        let shares = shares.map(|(class, list)| (class, PostingCursor::new(list)));
        let mut words = Vec::new();
        for expansion in &term.expansions {
            let found = part.tokens_matches(&expansion.tokens, scope, cancellation)?;
            let lists = found.lists.into_iter();
            let lists = lists.filter(|(slot, _)| expansion.stands_in(*slot));
            words.extend(lists.map(|(slot, list)| (expansion, slot, PostingCursor::new(list))));
        }
        Ok(Some(Self {
            shares: shares.collect(),
            words,
        }))
    }

    /// The share of a document, which are asked for in order. `own` is a field that holds the term itself.
    fn score(
        &mut self,
        (view, terms): (&View, &Terms<'_>),
        term: &QueryTerm,
        (matching, factor): (u64, f64),
        own: Option<String>,
        local: u32,
    ) -> Option<TermScore> {
        let (class, shares) = self.shares.iter_mut().find_map(|(class, shares)| {
            shares.advance_to(local);
            (shares.doc() == Some(local)).then_some((*class, shares))
        })?;
        let (share, rest) = shares.posting();
        let documents = view.statistics.documents;
        let field_weight = terms.weights.of_class(class);
        let weight = TermWeight::of_shares(documents, matching, term.count, factor);
        let weight = weight.in_field_of(field_weight);
        let mut score = TermScore {
            term: term.tokens.forms().first()?.tokens.join(" "),
            field: own.clone().unwrap_or_default(),
            score: weight.score(share, rest),
            weight: field_weight,
            count: term.count,
            idf: idf(documents, matching),
            documents,
            matching: matching.min(documents),
            frequency: 0.0,
            length: 0,
            average_length: 1.0,
            share: Some(TermShare {
                share: f64::from(share) / f64::from(SHARE_WHOLE) * factor,
                word: None,
            }),
        };
        if own.is_some() {
            return Some(score);
        }
        let mut nearest: Option<(&Expansion, Slot)> = None;
        for (expansion, slot, cursor) in &mut self.words {
            cursor.advance_to(local);
            let rank = |(expansion, slot): (&Expansion, Slot)| {
                (expansion.kind, Reverse(terms.weights.class(slot)))
            };
            let is_nearer = nearest.is_none_or(|nearest| rank((expansion, *slot)) < rank(nearest));
            if cursor.doc() == Some(local) && is_nearer {
                nearest = Some((expansion, *slot));
            }
        }
        let (expansion, slot) = nearest?;
        score.term = expansion.tokens.join(" ");
        score
            .field
            .clone_from(&view.fields.names()[usize::from(slot)]);
        score.share.as_mut()?.word = Some(MatchedWord {
            word: expansion.word.clone(),
            edits: expansion.kind.edits(),
            is_completed: expansion.kind.is_beginning(),
            is_compound: expansion.kind == ShareKind::Compound,
        });
        Some(score)
    }
}
