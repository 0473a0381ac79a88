//! Quotation marks: which open, which close.

use super::rewrite::{Rewrite, padded};
use crate::character::{is_blank, is_word};

/// Rules for opening quotes, before anything else has changed.
pub(super) fn open(text: &mut Rewrite) {
    text.each(
        |c| matches!(c, '`' | '«' | '“' | '‘' | '„'),
        opening_quote_or_backticks,
    );
    if let Some(quoted) = text.as_str().strip_prefix('"') {
        let opened = format!("``{quoted}");
        text.set_tail(0, &opened);
    }
    text.replace_padded("``", "``");
    text.each(opener, quote_behind_opener);
    text.each(|c| c == '\'', quote_before_single_letter);
}

/// A quote that only ever opens, or a run of backticks.
fn opening_quote_or_backticks(rest: &str, out: &mut String) -> usize {
    let backticks = rest.len() - rest.trim_start_matches('`').len();
    let len = match backticks {
        0 => rest.chars().next().map_or(0, char::len_utf8),
        run => run,
    };
    padded(out, &rest[..len])
}

/// Behind these a straight quote opens.
fn opener(c: char) -> bool {
    matches!(c, ' ' | '(' | '[' | '{' | '<')
}

/// `("` and the like: a straight quote behind a blank or an opening bracket opens.
fn quote_behind_opener(rest: &str, out: &mut String) -> usize {
    let Some(behind) = rest.strip_prefix(opener) else {
        return 0;
    };
    let quote_len = match behind {
        _ if behind.starts_with('"') => 1,
        _ if behind.starts_with("''") => 2,
        _ => return 0,
    };
    out.push_str(&rest[..1]);
    padded(out, "``");
    1 + quote_len
}

/// `'a `: a word of one letter loses the apostrophe before it, unless it is a clitic.
fn quote_before_single_letter(rest: &str, out: &mut String) -> usize {
    let Some(behind) = rest.strip_prefix('\'') else {
        return 0;
    };
    let mut behind = behind.chars();
    let Some(letter) = behind.next().filter(|&c| is_word(c)) else {
        return 0;
    };
    let clitic = matches!(
        letter.to_ascii_lowercase(),
        'm' | 't' | 's' | 'ſ' | 'd' | 'n'
    );
    if clitic || behind.next().is_some_and(is_word) {
        return 0;
    }
    out.push_str("' ");
    out.push(letter);
    1 + letter.len_utf8()
}

/// Rules for closing quotes, and every run of blanks made one. The text is between blanks.
pub(super) fn close(text: &mut Rewrite) {
    text.pad(|c| matches!(c, '»' | '”' | '’'));
    text.replace_padded("''", "''");
    text.replace_padded("\"", "''");
    text.each(is_blank, |rest, out| {
        out.push(' ');
        rest.len() - rest.trim_start_matches(is_blank).len()
    });
}
