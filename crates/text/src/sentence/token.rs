//! Tokens of a context. A token keeps its full stops; other punctuation stands alone.

use super::candidate::ends_word;
use crate::character::{is_all_blank, is_blank};

/// The tokens of a context, line by line.
pub(super) fn tokens(context: &str) -> impl Iterator<Item = &str> {
    context
        .split('\n')
        .filter(|line| !is_all_blank(line))
        .flat_map(line_tokens)
}

fn line_tokens(line: &str) -> impl Iterator<Item = &str> {
    let mut rest = line;
    std::iter::from_fn(move || {
        rest = rest.trim_start_matches(is_blank);
        let len = token_len(rest)?;
        let (token, after) = rest.split_at(len);
        rest = after;
        Some(token)
    })
}

/// Length in bytes of the token at the head of a text that does not start with a blank.
fn token_len(text: &str) -> Option<usize> {
    let first = text.chars().next()?;
    if let Some(len) = dashes_or_dots(text) {
        return Some(len);
    }
    if !starts_word(first) {
        return Some(first.len_utf8());
    }
    let mut offsets = text.char_indices().map(|(offset, _)| offset).skip(1);
    Some(
        offsets
            .find(|&offset| word_ends(&text[offset..]))
            .unwrap_or(text.len()),
    )
}

fn starts_word(c: char) -> bool {
    !matches!(
        c,
        '(' | '"'
            | '`'
            | '{'
            | '['
            | ':'
            | ';'
            | '&'
            | '#'
            | '*'
            | '@'
            | ')'
            | '}'
            | ']'
            | '-'
            | ','
    )
}

/// Tells whether a word cannot go on with the text behind it.
fn word_ends(rest: &str) -> bool {
    match rest.strip_prefix(',') {
        Some(behind) => stops_word(behind),
        None => stops_word(rest),
    }
}

fn stops_word(rest: &str) -> bool {
    let stops = |c| is_blank(c) || ends_word(c);
    rest.chars().next().is_none_or(stops) || dashes_or_dots(rest).is_some()
}

/// Length of a run of two dashes or more, of two full stops or more, or of three spaced full
/// stops or more.
fn dashes_or_dots(text: &str) -> Option<usize> {
    let mark = text
        .bytes()
        .next()
        .filter(|byte| matches!(byte, b'-' | b'.'))?;
    let run = text.bytes().take_while(|&byte| byte == mark).count();
    if run >= 2 {
        return Some(run);
    }
    if mark == b'.' {
        spaced_dots(text)
    } else {
        None
    }
}

fn spaced_dots(text: &str) -> Option<usize> {
    let mut end = 0;
    let mut dots = 0;
    let mut chars = text.char_indices();
    while let Some((offset, '.')) = chars.next() {
        end = offset + 1;
        dots += 1;
        if !chars.next().is_some_and(|(_, c)| is_blank(c)) {
            break;
        }
    }
    (dots >= 3).then_some(end)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(context: &str) -> Vec<&str> {
        tokens(context).collect()
    }

    #[test]
    fn full_stops_stay_and_other_punctuation_stands_alone() {
        assert_eq!(of("acting!!! I"), ["acting", "!", "!", "!", "I"]);
        assert_eq!(of("(U.S. \"Army"), ["(", "U.S.", "\"", "Army"]);
    }

    #[test]
    fn a_comma_splits_at_the_end_of_a_word_only() {
        assert_eq!(
            of("1,000 a, b,) c,-- d,e"),
            ["1,000", "a", ",", "b", ",", ")", "c", ",", "--", "d,e"]
        );
    }

    #[test]
    fn ellipses_and_dashes_are_single_tokens() {
        assert_eq!(
            of("so.... well . . . then --- no"),
            ["so", "....", "well", ". . .", "then", "---", "no"]
        );
        assert_eq!(of(". . x"), [".", ".", "x"]);
        assert_eq!(of(". . . .."), [". . . .", "."]);
    }
}
