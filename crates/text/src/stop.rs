//! Full stops of scripts other than those that write `.`, `?` and `!`: the characters of Unicode's property
//! `Sentence_Terminal` (UAX #29, version 16) but for the marks that Latin texts use too, and marks that end sentences,
//! verses or sections without having it.
//!
//! Behind such a stop a sentence is over, blank or not. A text without any is left as Punkt cuts it.

use unicode_properties::{GeneralCategory, UnicodeGeneralCategory};

use crate::character::{is_blank, is_digit};

/// A part of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Piece<'t> {
    pub(crate) text: &'t str,
    /// It stands right behind the one before it in the text, without a blank.
    pub(crate) adjoins: bool,
}

/// Cuts what Punkt takes for one sentence behind the stops in it.
pub(crate) fn pieces(sentence: &str) -> impl Iterator<Item = Piece<'_>> {
    let mut rest = Some(sentence);
    let mut adjoins = false;
    std::iter::from_fn(move || {
        let text = rest.take().filter(|text| !text.is_empty())?;
        let end = end_of_first(text).unwrap_or(text.len());
        let (piece, behind) = text.split_at(end);
        let piece = Piece {
            text: piece,
            adjoins,
        };
        let next = behind.trim_start_matches(is_blank);
        adjoins = next.len() == behind.len();
        rest = Some(next);
        Some(piece)
    })
}

/// The end of the first sentence that a stop ends: behind the stop, others, and closing quotes and brackets.
pub(crate) fn end_of_first(text: &str) -> Option<usize> {
    if text.is_ascii() {
        return None;
    }
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let next = chars.peek().map(|(_, next)| *next);
        if !ends_sentence(c, next) {
            continue;
        }
        let mut end = at + c.len_utf8();
        loop {
            while let Some((at, c)) = chars.next_if(|(_, c)| is_stop(*c) || closes(*c)) {
                end = at + c.len_utf8();
            }
            // Two of these end a sentence together, with a blank between them.
            let behind = text[end..].trim_start_matches(' ');
            if !behind.starts_with(is_shad) {
                return Some(end);
            }
            while chars.next_if(|(_, c)| *c == ' ').is_some() {}
        }
    }
    None
}

fn ends_sentence(c: char, next: Option<char>) -> bool {
    match c {
        // Wide full stops stand in numbers and names too.
        '．' | '﹒' => !next.is_some_and(|next| is_digit(next) || is_latin(next)),
        _ => is_stop(c),
    }
}

fn is_latin(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '０'..='９' | 'Ａ'..='Ｚ' | 'ａ'..='ｚ')
}

fn closes(c: char) -> bool {
    matches!(c, '!' | '?' | '"' | '\'')
        || matches!(
            c.general_category(),
            GeneralCategory::ClosePunctuation | GeneralCategory::FinalPunctuation
        )
}

/// Strokes of Tibetan.
fn is_shad(c: char) -> bool {
    matches!(c, '\u{f08}' | '\u{f0d}'..='\u{f12}')
}

/// Marks without `Sentence_Terminal`: the Hebrew end of a verse, and the ends of sections of Thai, Khmer, Lepcha and
/// Marchen.
fn is_end(c: char) -> bool {
    matches!(c, '\u{5c3}' | '\u{e5a}'..='\u{e5b}' | '\u{17da}' | '\u{1c3d}'..='\u{1c3f}' | '\u{11c71}')
}

fn is_stop(c: char) -> bool {
    is_shad(c) || is_end(c) || is_sentence_terminal(c)
}

fn is_sentence_terminal(c: char) -> bool {
    matches!(c,
        '\u{589}' | '\u{61d}'..='\u{61f}' | '\u{6d4}' | '\u{700}'..='\u{702}' | '\u{7f9}'
        | '\u{837}' | '\u{839}' | '\u{83d}'..='\u{83e}' | '\u{964}'..='\u{965}'
        | '\u{104a}'..='\u{104b}' | '\u{1362}' | '\u{1367}'..='\u{1368}' | '\u{166e}'
        | '\u{1735}'..='\u{1736}' | '\u{17d4}'..='\u{17d5}' | '\u{1803}' | '\u{1809}'
        | '\u{1944}'..='\u{1945}' | '\u{1aa8}'..='\u{1aab}' | '\u{1b4e}'..='\u{1b4f}'
        | '\u{1b5a}'..='\u{1b5b}' | '\u{1b5e}'..='\u{1b5f}' | '\u{1b7d}'..='\u{1b7f}'
        | '\u{1c3b}'..='\u{1c3c}' | '\u{1c7e}'..='\u{1c7f}' | '\u{2cf9}'..='\u{2cfb}'
        | '\u{3002}' | '\u{a4ff}' | '\u{a60e}'..='\u{a60f}' | '\u{a6f3}' | '\u{a6f7}'
        | '\u{a876}'..='\u{a877}' | '\u{a8ce}'..='\u{a8cf}' | '\u{a92f}'
        | '\u{a9c8}'..='\u{a9c9}' | '\u{aa5d}'..='\u{aa5f}' | '\u{aaf0}'..='\u{aaf1}'
        | '\u{abeb}' | '\u{fe12}' | '\u{fe15}'..='\u{fe16}' | '\u{fe52}'
        | '\u{fe56}'..='\u{fe57}' | '\u{ff01}' | '\u{ff0e}' | '\u{ff1f}' | '\u{ff61}'
        | '\u{10a56}'..='\u{10a57}' | '\u{10f55}'..='\u{10f59}' | '\u{10f86}'..='\u{10f89}'
        | '\u{11047}'..='\u{11048}' | '\u{110be}'..='\u{110c1}' | '\u{11141}'..='\u{11143}'
        | '\u{111c5}'..='\u{111c6}' | '\u{111cd}' | '\u{111de}'..='\u{111df}'
        | '\u{11238}'..='\u{11239}' | '\u{1123b}'..='\u{1123c}' | '\u{112a9}'
        | '\u{113d4}'..='\u{113d5}' | '\u{1144b}'..='\u{1144c}' | '\u{115c2}'..='\u{115c3}' | '\u{115c9}'..='\u{115d7}'
        | '\u{11641}'..='\u{11642}' | '\u{1173c}'..='\u{1173e}' | '\u{11944}' | '\u{11946}'
        | '\u{11a42}'..='\u{11a43}' | '\u{11a9b}'..='\u{11a9c}' | '\u{11c41}'..='\u{11c42}'
        | '\u{11ef7}'..='\u{11ef8}' | '\u{11f43}'..='\u{11f44}' | '\u{16a6e}'..='\u{16a6f}'
        | '\u{16af5}' | '\u{16b37}'..='\u{16b38}' | '\u{16b44}' | '\u{16d6e}'..='\u{16d6f}' | '\u{16e98}' | '\u{1bc9f}'
        | '\u{1da88}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(sentence: &str) -> Vec<&str> {
        pieces(sentence).map(|piece| piece.text).collect()
    }

    #[test]
    fn a_sentence_is_over_behind_a_stop_and_what_closes_it() {
        assert_eq!(
            texts("他说「好。」她走了！？真的"),
            ["他说「好。」", "她走了！？", "真的"]
        );
        assert_eq!(texts("यह एक है। यह दो है॥"), ["यह एक है।", "यह दो है॥"]);
        assert_eq!(texts("هل هذا؟ نعم۔ لا"), ["هل هذا؟", "نعم۔", "لا"]);
        assert_eq!(texts("ሰላም። ደህና፨"), ["ሰላም።", "ደህና፨"]);
        assert_eq!(texts("半角｡です｡"), ["半角｡", "です｡"]);
        assert_eq!(texts("あ。\"い。\"う"), ["あ。\"", "い。\"", "う"]);
    }

    #[test]
    fn marks_of_every_script_end_a_sentence() {
        assert_eq!(
            texts("བཀྲ་ཤིས། །བདེ་ལེགས། ཡིན།། གཅིག"),
            ["བཀྲ་ཤིས། །", "བདེ་ལེགས།", "ཡིན།།", "གཅིག"]
        );
        for stop in [
            '\u{5c3}',
            '\u{f0e}',
            '\u{e5b}',
            '\u{17d4}',
            '\u{1362}',
            '\u{1c3f}',
            '\u{113d4}',
            '\u{11c71}',
            '\u{16d6f}',
            '\u{1da88}',
        ] {
            let text = format!("α{stop}β{stop}");
            assert_eq!(texts(&text).len(), 2, "{stop:?}");
        }
    }

    #[test]
    fn blanks_between_are_told() {
        let adjoins: Vec<_> = pieces("一。二。 三。\u{3000}四")
            .map(|piece| piece.adjoins)
            .collect();
        assert_eq!(adjoins, [false, true, false, false]);
    }

    #[test]
    fn a_wide_stop_in_a_number_or_a_name_ends_nothing() {
        assert_eq!(
            texts("値は３．１４です．次に"),
            ["値は３．１４です．", "次に"]
        );
        assert_eq!(texts("ｗｗｗ．ａ．ｊｐ"), ["ｗｗｗ．ａ．ｊｐ"]);
    }

    #[test]
    fn texts_with_marks_of_latin_are_left_alone() {
        for text in [
            "Café… ¿no? “Yes.” Mr. Ж. Что?",
            "Wow‽ Really‼ it is",
            "a;b · c",
            "",
        ] {
            assert!(pieces(text).count() <= 1, "{text}");
        }
    }
}
