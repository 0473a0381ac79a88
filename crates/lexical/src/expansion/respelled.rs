//! The other spellings of a term that texts have.

use std::cmp::Reverse;

use super::{Expansion, Reach, ShareKind};
use crate::error::Result;
use crate::query::{QueryTerm, Spelling, TermForm};

/// Spellings of a term at most: each is a word or a phrase to look up.
const SPELLINGS_MAX: usize = 6;

/// The spellings of a term whose words a search reaches; where they are too many, those of documents that pass the filter
/// first, and then those whose rarest word most documents hold. Their words may stand apart in all texts.
pub(super) fn respelled(
    reach: &Reach<'_>,
    term: &QueryTerm,
    spellings: Vec<Spelling>,
    terms: usize,
) -> Result<Vec<Expansion>> {
    let mut known: Vec<(bool, u64, Vec<Expansion>)> = Vec::new();
    for Spelling { forms, text } in spellings {
        reach.cancellation.check()?;
        let (mut passes, mut documents, mut expansions) = (false, 0, Vec::new());
        for form in forms.forms() {
            let is_own = |own: &TermForm| own.tokens == form.tokens;
            if term.tokens.forms().iter().any(is_own) {
                continue;
            }
            let rarest = reach.view.documents_with_rarest(&form.tokens)?;
            let searched = reach.slots(|_| true);
            let slots = searched.iter().copied();
            let slots = slots.filter(|slot| forms.stands_in(form, *slot));
            let holders = reach.holders(slots.collect(), terms);
            if rarest > 0 && holds_each(&form.tokens, |token| holders.holds(token))? {
                passes |= holds_each(&form.tokens, |token| holders.passes(token))?;
                documents = u64::max(documents, rarest);
                expansions.push(Expansion {
                    tokens: form.tokens.clone(),
                    word: text.to_lowercase(),
                    kind: ShareKind::Respelled,
                    slots: holders.slots().clone(),
                });
            }
        }
        if documents > 0 {
            known.push((passes, documents, expansions));
        }
    }
    known.sort_by_key(|(passes, documents, _)| Reverse((*passes, *documents)));
    known.truncate(SPELLINGS_MAX);
    Ok(known
        .into_iter()
        .flat_map(|(_, _, expansions)| expansions)
        .collect())
}

fn holds_each(tokens: &[String], holds: impl Fn(&str) -> Result<bool>) -> Result<bool> {
    for token in tokens {
        if !holds(token)? {
            return Ok(false);
        }
    }
    Ok(true)
}
