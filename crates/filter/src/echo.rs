//! What messages show of texts that came with a request: however long those are, an answer is short.

use std::borrow::Cow;

/// Longest echo of a text, in characters.
const TEXT_CHARS: usize = 256;
/// Longest list of names, in characters.
const LIST_CHARS: usize = 4096;

/// The start of `text`, at most 256 characters, with dots where that is not all of it.
pub fn shown(text: &str) -> Cow<'_, str> {
    cut(text, TEXT_CHARS)
}

/// `names` in one line, at most 4096 characters, with dots where that is not all of it.
pub fn listed<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    let mut line = String::new();
    for (at, name) in names.into_iter().enumerate() {
        // No character has fewer bytes than one.
        if line.len() > LIST_CHARS * char::MAX_LEN_UTF8 {
            break;
        }
        if at > 0 {
            line.push_str(", ");
        }
        line.push_str(name);
    }
    cut(&line, LIST_CHARS).into_owned()
}

fn cut(text: &str, chars: usize) -> Cow<'_, str> {
    match text.char_indices().nth(chars) {
        Some((end, _)) => Cow::Owned(format!("{}...", &text[..end])),
        None => Cow::Borrowed(text),
    }
}

/// The part of `text` around the byte offset `at`, all of it where it is short, and how many of
/// its characters lie before `at`.
pub(crate) fn around(text: &str, at: usize) -> (&str, usize) {
    let (before, after) = text.split_at(at);
    if text.char_indices().nth(TEXT_CHARS).is_none() {
        return (text, before.chars().count());
    }
    let side = TEXT_CHARS / 2;
    let start = before.char_indices().rev().nth(side - 1);
    let start = start.map_or(0, |(start, _)| start);
    let end = after.char_indices().nth(side);
    let end = end.map_or(text.len(), |(end, _)| at + end);
    (&text[start..end], before[start..].chars().count())
}

#[cfg(test)]
mod tests {
    use super::{around, listed, shown};

    #[test]
    fn a_text_is_cut_between_characters_and_only_where_it_is_long() {
        let whole = "é".repeat(256);
        assert_eq!(shown(&whole), whole.as_str());
        assert_eq!(shown(&format!("{whole}x")), format!("{whole}..."));
    }

    #[test]
    fn names_are_listed_as_far_as_there_is_room() {
        assert_eq!(listed(["a", "b"]), "a, b");
        assert_eq!(listed([]), "");
        let long = "é".repeat(3000);
        let line = listed([long.as_str(); 9]);
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
