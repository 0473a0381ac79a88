//! Short names for endless words.
//!
//! A pasted blob should be found by itself without filling the dictionary, and not by another
//! blob that begins alike. Its token is its beginning and a hash of the rest.

use std::fmt::Write;

use pelorus_random::fnv1a;

/// Words up to this many characters stay as they are.
const WORD_CHARS_MAX: usize = 128;

/// Shortens a word without case and marks, so that spellings of one word agree, and tells whether it did. The result is
/// longer than any word it leaves alone; its ending is not to be cut.
pub(super) fn shorten(word: &mut String) -> bool {
    if word.len() <= WORD_CHARS_MAX {
        return false;
    }
    let Some((end, _)) = word.char_indices().nth(WORD_CHARS_MAX) else {
        return false;
    };
    // Stored, so it must never be another hash.
    let hash = fnv1a(&word.as_bytes()[end..]);
    word.truncate(end);
    // Not to keep a blob's memory for the next word.
    word.shrink_to(WORD_CHARS_MAX);
    write!(word, "{hash:020}").expect("a string takes any text");
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::{Analysis, Analyzer};

    fn token(text: &str) -> String {
        let mut tokens = Analyzer::default().tokens(text, Analysis::default());
        assert_eq!(tokens.len(), 1);
        tokens.remove(0)
    }

    #[test]
    fn long_words_stay_apart_and_short() {
        let texts = [128, 129, 130, 200, 5_000].map(|count| token(&"b".repeat(count)));
        for (i, text) in texts.iter().enumerate() {
            assert!(text.chars().count() <= WORD_CHARS_MAX + 20, "{text}");
            assert!(!texts[..i].contains(text), "{text}");
        }
        let begins_alike = ["x", "xs", "xed", "ying"].map(|end| token(&("b".repeat(200) + end)));
        assert_eq!(token(&"é".repeat(128)), "e".repeat(128));
        assert!(begins_alike.windows(2).all(|pair| pair[0] != pair[1]));
    }

    #[test]
    fn spellings_of_one_long_word_agree() {
        let long = "cafe1".repeat(100);
        assert_eq!(token(&"Café1".repeat(100)), token(&long));
        assert_eq!(token(&"CAFE\u{301}1".repeat(100)), token(&long));
    }

    #[test]
    fn a_blob_is_analysed_in_linear_time() {
        let blob = |count: usize| "ying".repeat(count);
        pelorus_growth::assert_linear("blob", 1 << 17, blob, |blob: &String| {
            assert_eq!(token(blob).len(), WORD_CHARS_MAX + 20);
        });
    }
}
