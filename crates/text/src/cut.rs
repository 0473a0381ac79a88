//! The places where a text with more tokens than a model takes is cut: behind a sentence, else before a word, else
//! between characters as people see them.

use unicode_segmentation::GraphemeCursor;

use crate::character::is_blank;
use crate::stop::end_of_first;

/// The place to cut `text` so that the part before it has `end` bytes at most, at least half of them where a sentence
/// or a word ends there. Not 0 where `end` is not.
pub(crate) fn cut_before(text: &str, end: usize) -> usize {
    // With the blank behind it, where a word or a sentence ends just there.
    let blank = text[end..].chars().next().filter(|&next| is_blank(next));
    let head = &text[..end + blank.map_or(0, char::len_utf8)];
    let half = end / 2;
    last_sentence_end(head, half)
        .or_else(|| last_blank(head, half))
        .unwrap_or_else(|| last_character(text, end))
}

fn last_sentence_end(head: &str, least: usize) -> Option<usize> {
    let behind_stops = std::iter::successors(Some(0), |&start| {
        end_of_first(&head[start..]).map(|end| start + end)
    });
    let behind_marks = head.char_indices().filter_map(|(at, c)| {
        let before = head[..at].chars().next_back();
        (is_blank(c) && matches!(before, Some('.' | '?' | '!'))).then_some(at)
    });
    let ends = behind_stops.chain(behind_marks);
    ends.filter(|&end| end > least).max()
}

fn last_blank(head: &str, least: usize) -> Option<usize> {
    head.rfind(is_blank).filter(|&at| at > least)
}

/// Between two characters, or amid one that is longer than all that fits.
fn last_character(text: &str, end: usize) -> usize {
    let mut cursor = GraphemeCursor::new(end, text.len(), true);
    if cursor.is_boundary(text, 0) == Ok(true) {
        return end;
    }
    match cursor.prev_boundary(text, 0) {
        Ok(Some(boundary)) if boundary > 0 => boundary,
        _ => end,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(text: &str, end: usize) -> &str {
        &text[..cut_before(text, end)]
    }

    #[test]
    fn a_sentence_is_kept_whole_before_a_word_and_a_word_before_a_character() {
        assert_eq!(cut("One. Two three four", 7), "One.");
        assert_eq!(cut("One. Two. Three", 9), "One. Two.");
        assert_eq!(cut("one two three", 7), "one two");
        assert_eq!(cut("Alpha beta. Gamma", 16), "Alpha beta.");
        assert_eq!(cut("a. bb cc dd ee ff", 12), "a. bb cc dd");
        assert_eq!(cut("一二三。四五六七", 18), "一二三。");
        assert_eq!(cut("一二三四五六七", 12), "一二三四");
    }

    #[test]
    fn no_character_is_torn_that_people_see_as_one() {
        assert_eq!(cut("ab👩‍👩‍👧cd", 9), "ab");
        assert_eq!(cut("กำกี่กู", 15), "กำกี่");
        assert_eq!(cut("e\u{301}e\u{301}", 4), "e\u{301}");
        assert_eq!(cut("🇩🇪🇫🇷", 12), "🇩🇪");
        // One that does not fit by itself is torn, so that there is an end.
        assert_eq!(cut("e\u{301}\u{302}\u{303}", 3), "e\u{301}");
    }
}
