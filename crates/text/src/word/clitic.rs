//! Clitics such as 's and n't, and contractions that are two words.

use super::rewrite::{Rewrite, padded};
use crate::character::is_word;

/// Endings of a word, all lower or all upper case where they have more than one letter.
const CLITICS: [&str; 8] = ["'ll", "'LL", "'re", "'RE", "'ve", "'VE", "n't", "N'T"];
const SHORT_CLITICS: [&str; 7] = ["'s", "'S", "'m", "'M", "'d", "'D", "'"];

/// Whole words in two parts. The last one counts before a blank only.
const CONTRACTIONS: [(&str, &str); 7] = [
    ("can", "not"),
    ("d", "'ye"),
    ("gim", "me"),
    ("gon", "na"),
    ("got", "ta"),
    ("lem", "me"),
    ("more", "'n"),
];
const CONTRACTION_BEFORE_BLANK: (&str, &str) = ("wan", "na");
/// These start with an apostrophe and count behind a blank only.
const CONTRACTIONS_BEHIND_BLANK: [(&str, &str); 2] = [("'t", "is"), ("'t", "was")];

/// Separates clitics from the word before them.
pub(super) fn detach(text: &mut Rewrite) {
    if text.as_str().contains('\'') {
        let before = |c| !matches!(c, '\'' | ' ');
        text.each(before, |rest, out| ending(&SHORT_CLITICS, rest, out));
        text.each(before, |rest, out| ending(&CLITICS, rest, out));
    }
}

/// A character, then a clitic, then a blank.
fn ending(clitics: &[&str], rest: &str, out: &mut String) -> usize {
    let before = rest.chars().next().map_or(0, char::len_utf8);
    let behind = &rest[before..];
    let stands = |clitic: &&&str| {
        behind
            .strip_prefix(**clitic)
            .is_some_and(|end| end.starts_with(' '))
    };
    let Some(clitic) = clitics.iter().find(stands) else {
        return 0;
    };
    out.push_str(&rest[..before]);
    before + padded(out, clitic) + 1
}

/// Splits contractions. The text has a blank at either end and no other white space.
pub(super) fn split_contractions(text: &mut Rewrite) {
    text.each(
        |c| matches!(fold(c), 'c' | 'd' | 'g' | 'l' | 'm' | 'w'),
        |rest, out| {
            let in_word = out.ends_with(is_word);
            if in_word { 0 } else { contraction(rest, out) }
        },
    );
    text.each(
        |c| c == ' ',
        |rest, out| {
            let behind = &rest[1..];
            let mut pairs = CONTRACTIONS_BEHIND_BLANK.iter();
            let found = pairs.find_map(|parts| parts_at(behind, parts));
            found.map_or(0, |(first, second)| 1 + split(behind, first, second, out))
        },
    );
}

fn contraction(rest: &str, out: &mut String) -> usize {
    let whole = CONTRACTIONS.iter().find_map(|parts| parts_at(rest, parts));
    let found = whole.or_else(|| {
        let parts = parts_at(rest, &CONTRACTION_BEFORE_BLANK);
        parts.filter(|(first, second)| rest[first + second..].starts_with(' '))
    });
    found.map_or(0, |(first, second)| split(rest, first, second, out))
}

/// Appends the two parts between blanks, and answers their length in bytes.
fn split(rest: &str, first: usize, second: usize, out: &mut String) -> usize {
    out.push(' ');
    out.push_str(&rest[..first]);
    padded(out, &rest[first..first + second]);
    first + second
}

/// The byte lengths of both parts when they stand at the head of a text, in any case, and end a
/// word there.
fn parts_at(rest: &str, (first, second): &(&str, &str)) -> Option<(usize, usize)> {
    let first_len = prefix_len(rest, first)?;
    let second_len = prefix_len(&rest[first_len..], second)?;
    let ends = !rest[first_len + second_len..].starts_with(is_word);
    ends.then_some((first_len, second_len))
}

/// The byte length of a prefix compared without case.
fn prefix_len(text: &str, prefix: &str) -> Option<usize> {
    let mut chars = text.chars();
    let matches = prefix
        .chars()
        .all(|expected| chars.next().map(fold) == Some(expected));
    matches.then(|| text.len() - chars.as_str().len())
}

/// Lower case, as a match without case sees it: the long s and both Turkish i count as well.
fn fold(c: char) -> char {
    match c {
        'ſ' => 's',
        'ı' | 'İ' => 'i',
        _ => c.to_ascii_lowercase(),
    }
}
