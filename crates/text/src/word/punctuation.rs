//! Punctuation that is a word of its own.

use super::rewrite::{Rewrite, padded};
use crate::character::{is_all_blank, is_digit};

/// Separates punctuation, brackets and dashes from words.
pub(super) fn separate(text: &mut Rewrite) {
    full_stop(
        text,
        &['"', '\'', ')', ']', '}', '>', '»', '”', '’', ' '],
        " ",
    );
    text.each(|c| matches!(c, ':' | ','), colon_or_comma);
    final_colon_or_comma(text);
    text.each(|c| c == '.', dots);
    text.pad(|c| matches!(c, ';' | '@' | '#' | '$' | '%' | '&'));
    full_stop(text, &['"', '\'', ')', ']', '}', '>'], "");
    text.pad(|c| matches!(c, '?' | '!'));
    if text.as_str().contains("' ") {
        text.each(|c| c != '\'', closing_apostrophe);
    }
    text.pad(|c| c == '*');
    text.pad(|c| matches!(c, ']' | '[' | '(' | ')' | '{' | '}' | '<' | '>'));
    text.replace_padded("--", "--");
}

/// Separates the full stop that ends the text, but for `closers` and blanks behind it, unless it
/// is the last of several. `gap` comes between the stop and the closers.
fn full_stop(text: &mut Rewrite, closers: &[char], gap: &str) {
    let Some((before, behind)) = text.as_str().rsplit_once('.') else {
        return;
    };
    let blanks = behind.trim_start_matches(closers);
    if before.is_empty() || before.ends_with('.') || !is_all_blank(blanks) {
        return;
    }
    let closing = &behind[..behind.len() - blanks.len()];
    let tail = format!(" .{gap}{closing} ");
    let stop = before.len();
    text.set_tail(stop, &tail);
}

/// A colon or comma before anything but a digit, which is passed over.
fn colon_or_comma(rest: &str, out: &mut String) -> usize {
    let Some(behind) = rest.strip_prefix([':', ',']) else {
        return 0;
    };
    let Some(next) = behind.chars().next().filter(|&c| !is_digit(c)) else {
        return 0;
    };
    padded(out, &rest[..1]);
    out.push(next);
    1 + next.len_utf8()
}

/// A colon or comma at the end, or before a line feed that is the end.
fn final_colon_or_comma(text: &mut Rewrite) {
    let whole = text.as_str();
    let line = whole.strip_suffix('\n').unwrap_or(whole);
    if line.ends_with([':', ',']) {
        let mark = line.len() - 1;
        let tail = format!(" {} {}", &line[mark..], &whole[line.len()..]);
        text.set_tail(mark, &tail);
    }
}

/// A run of two full stops or more.
fn dots(rest: &str, out: &mut String) -> usize {
    match rest.len() - rest.trim_start_matches('.').len() {
        0 | 1 => 0,
        run => padded(out, &rest[..run]),
    }
}

/// A character, then an apostrophe, then a blank.
fn closing_apostrophe(rest: &str, out: &mut String) -> usize {
    let before = rest.chars().next().map_or(0, char::len_utf8);
    if !rest[before..].starts_with("' ") {
        return 0;
    }
    out.push_str(&rest[..before]);
    padded(out, "'");
    before + 2
}
