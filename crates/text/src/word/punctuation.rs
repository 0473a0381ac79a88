//! Punctuation that is a word of its own.

use super::rewrite::{Rewrite, padded};
use crate::character::{is_blank, is_digit};

/// Separates punctuation, brackets and dashes from words.
pub(super) fn separate(text: &mut Rewrite) {
    full_stop(
        text,
        |c| {
            matches!(
                c,
                ']' | ')' | '}' | '>' | '"' | '\'' | '»' | '”' | '’' | ' '
            )
        },
        true,
    );
    text.each(colon_or_comma);
    final_colon_or_comma(text);
    text.each(dots);
    text.pad(|c| matches!(c, ';' | '@' | '#' | '$' | '%' | '&'));
    full_stop(
        text,
        |c| matches!(c, ']' | ')' | '}' | '>' | '"' | '\''),
        false,
    );
    text.pad(|c| matches!(c, '?' | '!'));
    text.each(closing_apostrophe);
    text.pad(|c| c == '*');
    text.pad(|c| matches!(c, ']' | '[' | '(' | ')' | '{' | '}' | '<' | '>'));
    text.replace_padded("--", "--");
}

/// Separates the full stop that ends the text, with whatever closes behind it, unless it is the
/// last of several.
fn full_stop(text: &mut Rewrite, closes: impl Fn(char) -> bool, pad_closers: bool) {
    let whole = text.as_str();
    let Some(stop) = whole.rfind('.') else { return };
    let behind = &whole[stop + 1..];
    let blanks_at = behind.find(|c| !closes(c)).unwrap_or(behind.len());
    let (closers, blanks) = behind.split_at(blanks_at);
    let before = whole[..stop].chars().next_back();
    if before.is_none_or(|c| c == '.') || !blanks.chars().all(is_blank) {
        return;
    }
    let gap = if pad_closers { " " } else { "" };
    let tail = format!(" .{gap}{closers} ");
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
    let (line, feed) = whole
        .strip_suffix('\n')
        .map_or((whole, ""), |line| (line, "\n"));
    if let Some(mark) = line.chars().next_back().filter(|c| matches!(c, ':' | ',')) {
        let tail = format!(" {mark} {feed}");
        let start = line.len() - 1;
        text.set_tail(start, &tail);
    }
}

/// A run of two full stops or more.
fn dots(rest: &str, out: &mut String) -> usize {
    match rest.bytes().take_while(|&byte| byte == b'.').count() {
        0 | 1 => 0,
        run => padded(out, &rest[..run]),
    }
}

/// An apostrophe between a character that is none and a blank.
fn closing_apostrophe(rest: &str, out: &mut String) -> usize {
    let Some(before) = rest.chars().next().filter(|&c| c != '\'') else {
        return 0;
    };
    if !rest[before.len_utf8()..].starts_with("' ") {
        return 0;
    }
    out.push(before);
    padded(out, "'");
    before.len_utf8() + 2
}
