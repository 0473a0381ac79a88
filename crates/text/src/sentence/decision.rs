//! The decision whether a context holds a sentence break: a first judgement of each token by its
//! type alone, then a second of each dotted token by its successor (sections 3 and 4 of the paper).

use super::{model, token::tokens};
use crate::character::{is_digit, is_word};

/// All numbers are one type.
const NUMBER: &str = "##number##";

/// Tells whether a token before the last one ends a sentence.
pub(super) fn has_break(context: &str) -> bool {
    let mut tokens = tokens(context).map(Token::judged_by_type);
    let Some(mut token) = tokens.next() else {
        return false;
    };
    for next in tokens {
        if token.breaks_before(&next) {
            return true;
        }
        token = next;
    }
    false
}

struct Token<'t> {
    text: &'t str,
    /// Lower-cased, numbers folded.
    kind: String,
    judgement: Judgement,
}

/// The judgement of a token by its own type.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Judgement {
    Break,
    Abbreviation,
    Ellipsis,
    Plain,
}

/// The evidence of spelling about a token being the first of a sentence.
#[derive(PartialEq, Eq)]
enum Opener {
    Yes,
    No,
    Undecided,
}

impl<'t> Token<'t> {
    fn judged_by_type(text: &'t str) -> Self {
        let kind = text.to_lowercase();
        let kind = if is_number(&kind) {
            NUMBER.to_owned()
        } else {
            kind
        };
        Self {
            text,
            kind,
            judgement: judge(text),
        }
    }

    /// The final judgement, made with the token that follows.
    fn breaks_before(&self, next: &Token<'_>) -> bool {
        let breaks = self.judgement == Judgement::Break;
        if !self.text.ends_with('.') {
            return breaks;
        }
        let kind = without_stop(&self.kind);
        let next_kind = next.kind_without_break();
        if model::is_collocation(kind, next_kind) {
            return false;
        }
        let initial = is_initial(self.text);
        let opener = next.opener();
        let unbroken = matches!(
            self.judgement,
            Judgement::Abbreviation | Judgement::Ellipsis
        );
        if unbroken && !initial {
            let starter = next.is_upper() && model::is_sentence_starter(next_kind);
            if opener == Opener::Yes || starter {
                return true;
            }
        }
        if initial || kind == NUMBER {
            let name = initial && next.is_upper() && !model::orthography(next_kind).lower();
            if opener == Opener::No || (opener == Opener::Undecided && name) {
                return false;
            }
        }
        breaks
    }

    fn opener(&self) -> Opener {
        if matches!(self.text, ";" | ":" | "," | "." | "!" | "?") {
            return Opener::No;
        }
        let seen = model::orthography(self.kind_without_break());
        if self.is_upper() && seen.lower() && !seen.upper_in_middle() {
            return Opener::Yes;
        }
        if self.is_lower() && (seen.upper() || !seen.lower_at_start()) {
            return Opener::No;
        }
        Opener::Undecided
    }

    /// The type, without the full stop of a token that was judged to end a sentence.
    fn kind_without_break(&self) -> &str {
        match self.judgement {
            Judgement::Break => without_stop(&self.kind),
            _ => &self.kind,
        }
    }

    fn is_upper(&self) -> bool {
        self.text.starts_with(char::is_uppercase)
    }

    fn is_lower(&self) -> bool {
        self.text.starts_with(char::is_lowercase)
    }
}

fn judge(token: &str) -> Judgement {
    if matches!(token, "." | "?" | "!") {
        return Judgement::Break;
    }
    if token.len() >= 2 && token.bytes().all(|byte| byte == b'.') {
        return Judgement::Ellipsis;
    }
    let Some(stem) = token.strip_suffix('.').filter(|stem| !stem.ends_with('.')) else {
        return Judgement::Plain;
    };
    let stem = stem.to_lowercase();
    let last_part = stem.rsplit('-').next().unwrap_or(&stem);
    if model::is_abbreviation(&stem) || model::is_abbreviation(last_part) {
        Judgement::Abbreviation
    } else {
        Judgement::Break
    }
}

/// A single letter and a full stop.
fn is_initial(token: &str) -> bool {
    let mut chars = token.chars();
    let letter = chars.next().is_some_and(|c| is_word(c) && !is_digit(c));
    letter && chars.as_str() == "."
}

/// A digit behind an optional sign and an optional point, then digits, commas, points and dashes.
fn is_number(token: &str) -> bool {
    let unsigned = token.strip_prefix('-').unwrap_or(token);
    let digits = unsigned.strip_prefix(['.', ',']).unwrap_or(unsigned);
    digits.starts_with(is_digit)
        && digits
            .chars()
            .all(|c| is_digit(c) || matches!(c, ',' | '.' | '-'))
}

fn without_stop(kind: &str) -> &str {
    match kind.strip_suffix('.') {
        Some(stem) if !stem.is_empty() => stem,
        _ => kind,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_told_from_words() {
        for number in ["7", "-3.5", ".5", "1,000.", "2024-01-31", "٣", "1.-,."] {
            assert!(is_number(number), "{number}");
        }
        for word in ["", "-", ".", "a1", "1a", "--1", "..1", "$5"] {
            assert!(!is_number(word), "{word}");
        }
    }

    #[test]
    fn an_initial_is_one_letter_and_a_full_stop() {
        assert!(is_initial("J.") && is_initial("é.") && is_initial("字."));
        assert!(!is_initial("J") && !is_initial("7.") && !is_initial("St.") && !is_initial("J.."));
    }

    #[test]
    fn a_break_needs_a_token_behind_it() {
        assert!(!has_break("end."));
        assert!(has_break("end. The"));
        assert!(!has_break(""));
    }
}
