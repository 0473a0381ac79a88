//! The explanation of documents' scores: the terms that they add up from.

use crate::bm25::{TermWeight, idf};
use crate::error::Result;
use crate::field_table::Slot;
use crate::posting_list::PostingCursor;
use crate::query::{QueryTerm, TermForm};
use crate::search::Terms;
use crate::term_matches::{DocumentCounts, addition_order};
use crate::view::View;

/// The score of a term in one field of a document, by BM25 with the k1 and b of this crate:
///
/// `score = count · idf · (k1 + 1) · frequency / (frequency + k1 · (1 - b + b · length / average_length))`
#[derive(Debug, Clone, PartialEq)]
pub struct TermScore {
    /// As it stands in the index: its tokens with a blank between them.
    pub term: String,
    pub field: String,
    /// In 32 bits.
    pub score: f32,
    /// The number of times that the query names the term.
    pub count: u32,
    /// `ln(1 + (documents - matching + 0.5) / (matching + 0.5))`
    pub idf: f64,
    /// Live documents.
    pub documents: u64,
    /// Live documents that hold the term: in this field where fields are named, in any of them otherwise.
    pub matching: u64,
    /// The number of times that the field of the document holds it.
    pub frequency: u32,
    /// Tokens of the field of the document.
    pub length: u32,
    /// Mean tokens of the field, over the documents that have it.
    pub average_length: f64,
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
    let mut parts = Vec::new();
    for part in view.parts() {
        let mut lists_of_terms = Vec::with_capacity(all.len());
        for (term, counts) in all.iter().zip(&mut counts) {
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
        }
        parts.push((part, lists_of_terms));
    }

    let order = addition_order(&counts, required_count);
    let mut explained = vec![Vec::new(); docs.len()];
    for (part, mut lists_of_terms) in parts {
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
                        scores.push(term_score(view, all[at], &counts[at], (*slot, form), found));
                    }
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

fn term_score(
    view: &View,
    term: &QueryTerm,
    counts: &DocumentCounts,
    (slot, form): (Slot, &TermForm),
    (frequency, length): (u32, u32),
) -> TermScore {
    let documents = view.statistics.documents;
    // Documents that hold a term in two forms count twice.
    let matching = u64::from(counts.of(slot)).min(documents);
    let average_length = view.statistics.average_length(slot);
    let weight = TermWeight::new(documents, matching, average_length, term.count);
    TermScore {
        term: form.tokens.join(" "),
        field: view.fields.names()[usize::from(slot)].clone(),
        score: weight.score(frequency, length as u16),
        count: term.count,
        idf: idf(documents, matching),
        documents,
        matching,
        frequency,
        length,
        average_length,
    }
}
