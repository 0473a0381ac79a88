//! The choice among too many words that a typed one may stand for.

use std::cmp::Reverse;

use super::reach::Holders;
use super::{EXPANSIONS_MAX, ShareKind};
use crate::error::Result;
use crate::word_list::token_of_key;

/// A word by its nearness, its documents and its key, so that the best is the greatest.
pub(super) type RankedWord = (Reverse<ShareKind>, u64, Reverse<Vec<u8>>);

/// Chooses at most 50 of the words that living documents hold in the fields that are searched: the best one, then those that a
/// document holds which passes the filter, then others, in each case the best first. `next` gives all words, best
/// first, which are left out where `is_own`. Answers them best first.
pub(super) fn choose(
    mut next: impl FnMut() -> Result<Option<RankedWord>>,
    holders: &Holders<'_>,
    is_own: impl Fn(&str) -> bool,
) -> Result<Vec<RankedWord>> {
    let mut next = || -> Result<Option<(String, RankedWord)>> {
        loop {
            let Some(word) = next()? else {
                return Ok(None);
            };
            let (_, _, Reverse(key)) = &word;
            if let Some(token) = token_of_key(key).filter(|token| !is_own(token)) {
                return Ok(Some((token, word)));
            }
        }
    };
    // One more where there is a filter, to tell whether there are too many.
    let wanted = EXPANSIONS_MAX + usize::from(holders.has_filter());
    let mut best = Vec::new();
    while best.len() < wanted
        && let Some((token, word)) = next()?
    {
        if holders.holds(&token)? {
            best.push((token, word));
        } else if !holders.has_looks_left() {
            break;
        }
    }
    if best.len() <= EXPANSIONS_MAX {
        return Ok(best.into_iter().map(|(_, word)| word).collect());
    }
    let mut chosen = Vec::new();
    let mut others = Vec::new();
    let mut best = best.into_iter();
    chosen.extend(best.next().map(|(_, word)| word));
    while chosen.len() < EXPANSIONS_MAX && holders.has_looks_left() {
        let (is_held, (token, word)) = match best.next() {
            Some(word) => (true, word),
            None => match next()? {
                Some(word) => (false, word),
                None => break,
            },
        };
        match holders.passes(&token)? {
            true => chosen.push(word),
            false if is_held => others.push(word),
            false => {}
        }
    }
    others.extend(best.map(|(_, word)| word));
    others.truncate(EXPANSIONS_MAX - chosen.len());
    chosen.append(&mut others);
    chosen.sort_by(|a, b| b.cmp(a));
    Ok(chosen)
}
