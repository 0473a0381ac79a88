//! The part of a text that a tokenizer needs to see when only the first tokens are kept.

/// Bytes of text that nearly always hold a token, several times what prose needs.
pub(crate) const TOKEN_BYTES: usize = 16;
/// Characters of one unbroken run that hold a token in any vocabulary, unless the run is a single
/// token (an unknown word) or none (blanks) however long it is.
const RUN_CHARS_PER_TOKEN: usize = 64;
/// So that a limit of a few tokens still sees whole words.
const RUN_CHARS_MIN: usize = 4_096;
/// Runs of the greatest length that are looked at. Only a text whose words have a thousand
/// characters each is not full by then.
const RUNS_MAX: usize = 16;

/// The words of a text that is far too long which should suffice for `max_tokens`, so that a
/// megabyte costs no more than the part that is kept of it. Cut before a blank, which no token
/// reaches across, they have the tokens the whole text starts with. A shorter text is returned
/// whole.
pub(crate) fn leading_words(text: &str, max_tokens: usize) -> &str {
    let head_bytes = max_tokens.saturating_mul(TOKEN_BYTES);
    if text.len() / 4 < head_bytes {
        return text;
    }
    let head = &text[..text.floor_char_boundary(head_bytes)];
    head.rfind(char::is_whitespace)
        .map_or(text, |blank| &head[..blank])
}

/// The text with its endless runs, of blanks or of anything else, cut to what decides the first
/// `max_tokens` tokens.
///
/// A run this long either has more tokens than are kept, and those far from its end do not depend
/// on it, or its length does not matter.
pub(crate) fn without_endless_runs(text: &str, max_tokens: usize) -> String {
    let run_chars = max_tokens
        .saturating_mul(RUN_CHARS_PER_TOKEN)
        .max(RUN_CHARS_MIN);
    let mut chars_left = run_chars.saturating_mul(RUNS_MAX);
    let mut kept = String::new();
    let mut rest = text;
    while chars_left > 0 && !rest.is_empty() {
        let blank = rest.starts_with(char::is_whitespace);
        let end = rest.find(|c: char| c.is_whitespace() != blank);
        let (run, behind) = rest.split_at(end.unwrap_or(rest.len()));
        for c in run.chars().take(run_chars.min(chars_left)) {
            kept.push(c);
            chars_left -= 1;
        }
        rest = behind;
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_endless_runs_are_cut() {
        let prose = "two  words\n".repeat(2_000);
        assert_eq!(without_endless_runs(&prose, 3), prose);
        let run = |chars: usize| "é".repeat(chars);
        let text = format!("a {} b{}c", run(5_000), " ".repeat(9_000));
        let cut = format!("a {} b{}c", run(4_096), " ".repeat(4_096));
        assert_eq!(without_endless_runs(&text, 3), cut);
        assert!(without_endless_runs(&text, 100).starts_with(&text[..12_000]));
    }

    #[test]
    fn many_endless_words_are_bounded_too() {
        let text = ("x".repeat(8_000) + " ").repeat(100);
        assert_eq!(without_endless_runs(&text, 1).len(), 16 * 4_096);
    }

    #[test]
    fn leading_words_end_at_a_blank() {
        let text = "word ".repeat(100);
        assert_eq!(leading_words(&text, 1), "word word word");
        assert_eq!(leading_words(&text, 50), text);
        let unbroken = "x".repeat(500);
        assert_eq!(leading_words(&unbroken, 1), unbroken);
    }
}
