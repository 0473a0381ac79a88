//! The other spellings of a term that texts have.

use std::cmp::Reverse;

use pelorus_cancellation::Cancellation;

use super::{Expansion, ShareKind};
use crate::error::Result;
use crate::field_table::Slot;
use crate::query::{QueryTerm, Spelling, TermForm};
use crate::view::View;

/// Spellings of a term at most: each is a word or a phrase to look up.
const SPELLINGS_MAX: usize = 6;

/// The spellings of a term whose words texts have; where they are too many, those whose rarest word most documents hold.
/// Their words may stand apart in all texts.
pub(super) fn respelled(
    view: &View,
    term: &QueryTerm,
    spellings: Vec<Spelling>,
    cancellation: &Cancellation,
) -> Result<Vec<Expansion>> {
    let mut known: Vec<(u64, Vec<Expansion>)> = Vec::new();
    for Spelling { forms, text } in spellings {
        cancellation.check()?;
        let (mut documents, mut expansions) = (0, Vec::new());
        for form in forms.forms() {
            let is_own = |own: &TermForm| own.tokens == form.tokens;
            let rarest = match term.tokens.forms().iter().any(is_own) {
                true => 0,
                false => view.documents_with_rarest(&form.tokens)?,
            };
            if rarest > 0 {
                documents = u64::max(documents, rarest);
                let slots = 0..view.fields.names().len() as Slot;
                let slots = slots.filter(|slot| forms.stands_in(form, *slot));
                expansions.push(Expansion {
                    tokens: form.tokens.clone(),
                    word: text.to_lowercase(),
                    kind: ShareKind::Respelled,
                    slots: slots.collect(),
                });
            }
        }
        if documents > 0 {
            known.push((documents, expansions));
        }
    }
    known.sort_by_key(|(documents, _)| Reverse(*documents));
    known.truncate(SPELLINGS_MAX);
    Ok(known
        .into_iter()
        .flat_map(|(_, expansions)| expansions)
        .collect())
}
