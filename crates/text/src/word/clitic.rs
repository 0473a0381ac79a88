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
        text.each(|rest, out| ending(&SHORT_CLITICS, rest, out));
        text.each(|rest, out| ending(&CLITICS, rest, out));
    }
}

/// A character that is no blank and no apostrophe, then a clitic, then a blank.
fn ending(clitics: &[&str], rest: &str, out: &mut String) -> usize {
    let Some(before) = rest.chars().next().filter(|c| !matches!(c, '\'' | ' ')) else {
        return 0;
    };
    let behind = &rest[before.len_utf8()..];
    let clitic = clitics.iter().find(|clitic| {
        behind
            .strip_prefix(**clitic)
            .is_some_and(|behind| behind.starts_with(' '))
    });
    let Some(clitic) = clitic else { return 0 };
    out.push(before);
    before.len_utf8() + padded(out, clitic) + 1
}

/// Splits contractions. The text has a blank at either end and no other white space.
pub(super) fn split_contractions(text: &mut Rewrite) {
    let mut in_word = false;
    text.each(|rest, out| {
        let replaced = if in_word { 0 } else { contraction(rest, out) };
        in_word = replaced == 0 && rest.starts_with(is_word);
        replaced
    });
    text.each(|rest, out| {
        let Some(behind) = rest.strip_prefix(' ') else {
            return 0;
        };
        let found = CONTRACTIONS_BEHIND_BLANK
            .iter()
            .find_map(|parts| parts_at(behind, parts));
        found.map_or(0, |(first, second)| 1 + split(behind, first, second, out))
    });
}

fn contraction(rest: &str, out: &mut String) -> usize {
    let whole = CONTRACTIONS.iter().find_map(|parts| parts_at(rest, parts));
    let found = whole.or_else(|| {
        let (first, second) = parts_at(rest, &CONTRACTION_BEFORE_BLANK)?;
        rest[first + second..]
            .starts_with(' ')
            .then_some((first, second))
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
    let mut chars = text.char_indices();
    for expected in prefix.chars() {
        let (_, c) = chars.next()?;
        if fold(c) != expected {
            return None;
        }
    }
    Some(text.len() - chars.as_str().len())
}

/// Lower case, as a match without case sees it: the long s and both Turkish i count as well.
fn fold(c: char) -> char {
    match c {
        'ſ' => 's',
        'ı' | 'İ' => 'i',
        _ => c.to_ascii_lowercase(),
    }
}
