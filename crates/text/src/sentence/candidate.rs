//! Marks that may end a sentence, with the words that decide it.

use std::ops::Range;

use crate::character::{is_ascii_blank, is_blank};

/// A `.`, `?` or `!` that punctuation follows, or blanks and another token.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Candidate {
    /// Byte offset of the mark.
    pub mark: usize,
    /// The word before the mark, the mark, and the punctuation or token after it.
    pub context: Range<usize>,
    /// The start of the following token, when blanks stand between.
    pub next_token: Option<usize>,
}

/// Tells whether a character always ends a word. The full stop does not: it may be part of one.
pub(super) fn ends_word(c: char) -> bool {
    matches!(
        c,
        ')' | '"' | ';' | '}' | ']' | '*' | ':' | '@' | '\'' | '(' | '{' | '[' | '?' | '!'
    )
}

/// The candidates of a text, in order; of several in one word, the last.
pub(super) fn candidates(text: &str) -> impl Iterator<Item = Candidate> {
    let mut marks = text
        .bytes()
        .enumerate()
        .filter(|(_, byte)| matches!(byte, b'.' | b'?' | b'!'))
        .filter_map(|(mark, _)| following(text, mark).map(|following| (mark, following)));
    let mut previous: Option<Candidate> = None;
    std::iter::from_fn(move || {
        for (mark, (end, next_token)) in marks.by_ref() {
            let (since, word) = previous
                .as_ref()
                .map_or((0, 0), |p| (p.mark, p.context.start));
            // A blank at the very start of the stretch does not separate.
            let start = match text[since..mark].rfind(is_ascii_blank) {
                Some(blank) if blank > 0 => since + blank + 1,
                _ => word,
            };
            let candidate = Candidate {
                mark,
                context: start..end,
                next_token,
            };
            if let Some(complete) = previous.replace(candidate)
                && complete.mark <= start
            {
                return Some(complete);
            }
        }
        previous.take()
    })
}

/// Returns the end of the mark's context and the start of the next token, or `None` when the mark
/// stands inside a word or at the end of the text.
fn following(text: &str, mark: usize) -> Option<(usize, Option<usize>)> {
    let after = &text[mark + 1..];
    let next = after.chars().next()?;
    if ends_word(next) {
        return Some((mark + 1 + next.len_utf8(), None));
    }
    if !is_blank(next) {
        return None;
    }
    let token = after.find(|c| !is_blank(c))?;
    let token_len = after[token..].find(is_blank).unwrap_or(after.len() - token);
    let start = mark + 1 + token;
    Some((start + token_len, Some(start)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_of_several_marks_in_a_word_counts() {
        let text = "Very bad acting!!! I promise.";
        let found: Vec<_> = candidates(text).collect();
        assert_eq!(
            found,
            [Candidate {
                mark: 17,
                context: 9..20,
                next_token: Some(19)
            }]
        );
        assert_eq!(&text[9..20], "acting!!! I");
    }

    #[test]
    fn a_mark_inside_a_word_or_at_the_end_is_no_candidate() {
        assert_eq!(candidates("pi is 3.14 or so. \n").count(), 0);
    }
}
