//! The tokens of a segment by their ends, for those who look for compounds.
//!
//! The dictionary is in the order of beginnings. Its longer words are put in the order of their ends, letters reversed, in
//! memory, when a search first asks for one: few indexes have texts of languages that compound, and to write a second
//! dictionary with every segment would be for them alone. About 25 bytes for each such word.

use std::sync::OnceLock;

use pelorus_cancellation::Cancellation;

use super::TextSegment;
use crate::error::Result;
use crate::word_list::WordList;

/// Letters of a word that ends others, and of what stands before it in these, at least.
pub(crate) const HEAD_MIN: usize = 4;
const REST_MIN: usize = 3;
/// Letters of the longest compound.
const COMPOUND_MAX: usize = 40;
/// Tokens between two looks at whether the search is cancelled.
const TOKENS_PER_CHECK: usize = 4_096;

/// The reversed tokens of compounds, once they were asked for.
#[derive(Default)]
pub(super) struct TokenEnds(OnceLock<WordList>);

impl TokenEnds {
    pub(super) fn memory_bytes(&self) -> usize {
        self.0.get().map_or(0, WordList::memory_bytes)
    }
}

/// Tells whether a token is long enough to end with another, and has letters alone.
fn may_be_compound(token: &str) -> bool {
    let letters = token.chars().count();
    (HEAD_MIN + REST_MIN..=COMPOUND_MAX).contains(&letters)
        && token.chars().all(char::is_alphabetic)
}

/// Tells whether a token ends with another behind some letters.
pub(crate) fn ends_with(token: &str, end: &str) -> bool {
    let rest = token.strip_suffix(end);
    rest.is_some_and(|rest| rest.chars().count() >= REST_MIN) && may_be_compound(token)
}

fn reversed(text: &str) -> String {
    text.chars().rev().collect()
}

impl TextSegment {
    /// Gives each token that ends with another behind some letters, and the documents with it, dead ones included.
    pub(crate) fn for_each_ending(
        &self,
        end: &str,
        cancellation: &Cancellation,
        mut visit: impl FnMut(&str, u32),
    ) -> Result<()> {
        let ends = match self.token_ends.0.get() {
            Some(ends) => ends,
            None => {
                let ends = self.read_token_ends(cancellation)?;
                self.token_ends.0.get_or_init(|| ends)
            }
        };
        let beginning = reversed(end);
        let from = ends.lower_bound(beginning.as_bytes());
        for at in from..ends.len() {
            let key = ends.key(at);
            if !key.starts_with(beginning.as_bytes()) {
                break;
            }
            if at.is_multiple_of(TOKENS_PER_CHECK) {
                cancellation.check()?;
            }
            if let Ok(key) = std::str::from_utf8(key)
                && key[beginning.len()..].chars().count() >= REST_MIN
            {
                visit(&reversed(key), ends.documents(at));
            }
        }
        Ok(())
    }

    fn read_token_ends(&self, cancellation: &Cancellation) -> Result<WordList> {
        let tokens = self.any.terms();
        let mut stream = tokens.stream().map_err(tantivy::TantivyError::from)?;
        let (mut ends, mut read) = (Vec::new(), 0_usize);
        while stream.advance() {
            read += 1;
            if read.is_multiple_of(TOKENS_PER_CHECK) {
                cancellation.check()?;
            }
            let token = std::str::from_utf8(stream.key()).ok();
            if let Some(token) = token.filter(|token| may_be_compound(token)) {
                ends.push((reversed(token), stream.value().doc_freq));
            }
        }
        ends.sort_unstable();
        Ok(WordList::of_ascending(ends))
    }
}
