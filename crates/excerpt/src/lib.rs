//! Excerpts of request texts for messages: however long a text is, an answer is short.
#![forbid(unsafe_code)]

use std::borrow::Cow;

/// Longest echo of a text, in characters.
const TEXT_CHARS_MAX: usize = 256;
/// Longest list of names, in characters.
const LIST_CHARS_MAX: usize = 4096;

/// The start of `text`, at most 256 characters, with dots where that is not all of it.
pub fn truncated(text: &str) -> Cow<'_, str> {
    cut(text, TEXT_CHARS_MAX)
}

/// `names` in one line, at most 4096 characters, with dots where that is not all of it.
pub fn joined_truncated<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    let mut line = String::new();
    for (at, name) in names.into_iter().enumerate() {
        // No character has fewer bytes than one.
        if line.len() > LIST_CHARS_MAX * char::MAX_LEN_UTF8 {
            break;
        }
        if at > 0 {
            line.push_str(", ");
        }
        line.push_str(name);
    }
    cut(&line, LIST_CHARS_MAX).into_owned()
}

fn cut(text: &str, chars: usize) -> Cow<'_, str> {
    match text.char_indices().nth(chars) {
        Some((end, _)) => Cow::Owned(format!("{}...", &text[..end])),
        None => Cow::Borrowed(text),
    }
}

/// The part of `text` around the byte offset `at`, all of it where it is short, and how many of
/// its characters lie before `at`.
///
/// # Panics
/// If `at` is no boundary of characters, or past the end.
pub fn around(text: &str, at: usize) -> (&str, usize) {
    let (before, after) = text.split_at(at);
    if text.char_indices().nth(TEXT_CHARS_MAX).is_none() {
        return (text, before.chars().count());
    }
    let side = TEXT_CHARS_MAX / 2;
    let start = before.char_indices().rev().nth(side - 1);
    let start = start.map_or(0, |(start, _)| start);
    let end = after.char_indices().nth(side);
    let end = end.map_or(text.len(), |(end, _)| at + end);
    (&text[start..end], before[start..].chars().count())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_cut_between_characters_and_only_where_it_is_long() {
        let whole = "é".repeat(256);
        assert_eq!(truncated(&whole), whole.as_str());
        assert_eq!(truncated(&format!("{whole}x")), format!("{whole}..."));
    }

    #[test]
    fn names_are_listed_as_far_as_there_is_room() {
        assert_eq!(joined_truncated(["a", "b"]), "a, b");
        assert_eq!(joined_truncated([]), "");
        let long = "é".repeat(3000);
        let line = joined_truncated([long.as_str(); 9]);
        assert_eq!(line.chars().count(), 4096 + 3);
        assert!(line.ends_with("é..."), "{line}");
    }

    #[test]
    fn a_short_text_is_shown_whole_and_a_long_one_around_the_place() {
        assert_eq!(around("aéb", 3), ("aéb", 2));
        let long = format!("{}!{}", "é".repeat(300), "ü".repeat(300));
        let (part, before) = around(&long, 600);
        assert_eq!((part.chars().count(), before), (256, 128));
        assert_eq!(part.chars().nth(128), Some('!'));
        assert_eq!(around(&long, 0), (&*"é".repeat(128), 0));
        assert_eq!(around(&long, long.len()), (&*"ü".repeat(128), 128));
    }
}
