//! The compounds that end with a word.
//!
//! German, Dutch, the Scandinavian languages, Finnish and Hungarian write several words as one, of which the last says what
//! it is: `Herrenschuhe` are `Schuhe`. Ends are compared as tokens, so that `Schuh` and `Schuhe` find the same.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};
use std::sync::Arc;

use pelorus_cancellation::Cancellation;

use super::{Expansion, RankedWord, Reach, ShareKind, choose};
use crate::analysis::{AnalysisSet, Language};
use crate::error::Result;
use crate::field_table::Slot;
use crate::query::QueryTerm;
use crate::segment::{HEAD_MIN, ends_with};
use crate::view::{Part, View};
use crate::word_list::{push_key, token_of_key};

/// Terms in memory between two looks at whether the search is cancelled.
const TERMS_PER_CHECK: usize = 4_096;

/// Adds the compounds that end with a term of one word, in fields with texts of a language that compounds, or in all where
/// that of the query does.
pub(super) fn add_compounds(
    expansions: &mut Vec<Expansion>,
    reach: &Reach<'_>,
    term: &QueryTerm,
    language: Option<Language>,
    terms: usize,
) -> Result<()> {
    let view = reach.view;
    let compounding: AnalysisSet = AnalysisSet::all()
        .filter(|one| one.language.compounds())
        .collect();
    let is_asked = language.is_some_and(Language::compounds);
    for form in term.tokens.forms() {
        let [end] = &*form.tokens else {
            continue;
        };
        if end.chars().count() < HEAD_MIN || !end.chars().all(char::is_alphabetic) {
            continue;
        }
        let searched = reach.slots(|_| true);
        let slots = searched.iter().copied();
        let slots: Arc<[Slot]> = slots
            .filter(|slot| term.tokens.stands_in(form, *slot))
            .filter(|slot| is_asked || view.fields.analyses(*slot).intersects(compounding))
            .collect();
        if slots.is_empty() {
            continue;
        }
        let ranked = compounds(view, end, reach.cancellation)?.into_iter();
        let mut ranked: BinaryHeap<RankedWord> = ranked
            .map(|(token, documents)| {
                let mut key = Vec::new();
                push_key(&mut key, &token, &token);
                (Reverse(ShareKind::Compound), documents, Reverse(key))
            })
            .collect();
        let holders = reach.holders(slots.clone(), terms);
        for (_, _, Reverse(key)) in choose(|| Ok(ranked.pop()), &holders, |_| false)? {
            let Some(token) = token_of_key(&key) else {
                continue;
            };
            let tokens = vec![token.clone()];
            let is_known = |known: &Expansion| known.tokens == tokens && known.slots == slots;
            if !expansions.iter().any(is_known) {
                expansions.push(Expansion {
                    tokens,
                    word: token,
                    kind: ShareKind::Compound,
                    slots: slots.clone(),
                });
            }
        }
    }
    Ok(())
}

/// The tokens of all parts that end with a word, and the documents with each.
fn compounds(view: &View, end: &str, cancellation: &Cancellation) -> Result<BTreeMap<String, u64>> {
    let mut compounds = BTreeMap::new();
    let mut add = |token: &str, documents: u32| {
        *compounds.entry(token.to_owned()).or_insert(0) += u64::from(documents);
    };
    for part in view.parts() {
        match part {
            Part::Segment(part) => part.segment.for_each_ending(end, cancellation, &mut add)?,
            Part::Delta(delta) => {
                for inverted in delta.parts() {
                    for term in 0..inverted.term_count() {
                        if term.is_multiple_of(TERMS_PER_CHECK) {
                            cancellation.check()?;
                        }
                        if ends_with(inverted.term(term), end) {
                            add(inverted.term(term), inverted.documents_with(term));
                        }
                    }
                }
            }
        }
    }
    Ok(compounds)
}
