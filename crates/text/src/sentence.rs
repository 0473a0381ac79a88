//! Punkt sentence boundaries (Kiss and Strunk 2006, "Unsupervised Multilingual Sentence Boundary
//! Detection"), classification only: the statistics come ready-made from [`model`].
//!
//! ```text
//! text ─ candidate ─> context ─ token ─> tokens ─ decision ─> break or not ─> slices ─> sentences
//! ```
//!
//! [`candidate`] finds every mark that may end a sentence and the words around it, [`token`] cuts
//! these into tokens, [`decision`] judges them, and here the text is sliced and closing quotes and
//! brackets return to the sentence they close.

mod candidate;
mod decision;
mod model;
mod token;

use std::ops::Range;

use crate::character::is_blank;

/// The sentences of an English text, in order, without the blanks between them. A text of blanks
/// only has none. Blanks before the first sentence belong to it.
pub fn sentences(text: &str) -> Vec<&str> {
    let slices = realigned(text, &slices(text));
    slices.into_iter().map(|slice| &text[slice]).collect()
}

/// The text cut after each mark that ends a sentence. The last slice may be empty.
fn slices(text: &str) -> Vec<Range<usize>> {
    let mut slices = Vec::new();
    let mut start = 0;
    for candidate in candidate::candidates(text) {
        if decision::has_break(&text[candidate.context.clone()]) {
            let end = candidate.mark + 1;
            slices.push(start..end);
            start = candidate.next_token.unwrap_or(end);
        }
    }
    let end = text.trim_end_matches(is_blank).len();
    slices.push(start..end);
    slices
}

/// Moves closing marks at the head of a slice back to the slice before, and drops slices left
/// empty: `(One.` `) Two.` becomes `(One.)` `Two.`
fn realigned(text: &str, slices: &[Range<usize>]) -> Vec<Range<usize>> {
    let mut realigned = Vec::with_capacity(slices.len());
    let mut moved = 0;
    for (i, slice) in slices.iter().enumerate() {
        let start = (slice.start + moved).min(slice.end);
        let next = slices.get(i + 1);
        let closers = next.and_then(|next| closers(&text[next.clone()]).zip(Some(next.start)));
        if let Some((closers, next_start)) = closers {
            realigned.push(start..next_start + closers.marks);
            moved = closers.marks + closers.blanks;
        } else {
            moved = 0;
            if start < slice.end {
                realigned.push(start..slice.end);
            }
        }
    }
    realigned
}

/// Closing marks at the head of a slice and the blanks behind them, in bytes.
struct Closers {
    marks: usize,
    blanks: usize,
}

/// The fewest closing quotes and brackets that are followed by a blank, a dash or the end.
fn closers(slice: &str) -> Option<Closers> {
    let marks = slice
        .find(|c| !matches!(c, '"' | '\'' | ')' | ']' | '}'))
        .unwrap_or(slice.len());
    let rest = &slice[marks..];
    let blanks = rest.len() - rest.trim_start_matches(is_blank).len();
    let closed = rest.is_empty() || blanks > 0 || rest.starts_with("--");
    (marks > 0 && closed).then_some(Closers { marks, blanks })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_closing_bracket_stays_with_its_sentence() {
        assert_eq!(
            sentences("(One is here.) Two is there."),
            ["(One is here.)", "Two is there."]
        );
        assert_eq!(
            sentences("He said \"Stop.\" Then he left."),
            ["He said \"Stop.\"", "Then he left."]
        );
    }

    #[test]
    fn abbreviations_and_initials_do_not_end_a_sentence() {
        assert_eq!(
            sentences("Mr. J. Smith met Dr. Jones at 5 p.m. yesterday.").len(),
            1
        );
        assert_eq!(sentences("It was 3.14. The end came.").len(), 2);
    }

    #[test]
    fn blanks_stay_before_the_first_sentence_and_nowhere_else() {
        assert_eq!(
            sentences("  One came.  \n Two went. \n"),
            ["  One came.", "Two went."]
        );
        assert!(sentences(" \n\t").is_empty() && sentences("").is_empty());
    }
}
