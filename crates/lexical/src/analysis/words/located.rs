//! The places of the pieces into which a text is split.

use std::cell::Cell;
use std::ops::Range;

use unicode_normalization::char::{canonical_combining_class, decompose_compatible};
use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfkc_quick};

use super::{Cutter, Piece, Splitter, is_trademark};

/// As [`split`](super::split), with the bytes of `text` that each piece was made of.
///
/// The text is composed bit by bit, from one place that no composition reaches across to the next: the composed bits
/// are those of the composed whole.
pub(in crate::analysis) fn split_located(
    text: &str,
    word: &mut String,
    cutter: Option<&mut Cutter>,
    mut emit: impl FnMut(Piece, &mut String, Range<usize>),
) {
    // The places of the bit at hand and of the piece at hand, and a flag that a piece came to its
    // end.
    let (bit, piece) = (Cell::new((0, 0)), Cell::new((0, 0)));
    let has_ended = Cell::new(false);
    let mut splitter = Splitter::new(word, cutter, &bit, |kind, word: &mut String| {
        let (start, end) = match kind {
            Piece::Character | Piece::Segment => bit.get(),
            Piece::Word | Piece::Symbol => piece.get(),
        };
        has_ended.set(true);
        emit(kind, word, start..end);
    });
    for range in bits(text) {
        bit.set((range.start, range.end));
        let mut push = |c| {
            let before = splitter.word.len();
            has_ended.set(false);
            splitter.push(c);
            let is_fresh = has_ended.get() || before == 0;
            if splitter.open.is_some() && is_fresh {
                piece.set((range.start, range.end));
            } else if splitter.word.len() > before {
                piece.set((piece.get().0, range.end));
            }
        };
        match text.as_bytes()[range.clone()] {
            // ASCII, which is composed already.
            [byte] => push(char::from(byte)),
            _ => {
                let plain = |c| if is_trademark(c) { ' ' } else { c };
                let composed = text[range.clone()].chars().map(plain).nfkc();
                composed.for_each(push);
            }
        }
    }
    splitter.end_piece();
}

/// The parts of a text that are composed each by itself.
fn bits(text: &str) -> impl Iterator<Item = Range<usize>> {
    let mut chars = text.char_indices().skip(1).peekable();
    let mut start = 0;
    std::iter::from_fn(move || {
        if start == text.len() {
            return None;
        }
        let next = chars.by_ref().find(|&(_, c)| begins_bit(c));
        let end = next.map_or(text.len(), |(at, _)| at);
        let bit = start..end;
        start = end;
        Some(bit)
    })
}

/// Tells whether neither this character nor its parts are moved or composed with the characters before it.
fn begins_bit(c: char) -> bool {
    if c.is_ascii() {
        return true;
    }
    let mut first = None;
    decompose_compatible(c, |part| {
        first.get_or_insert(part);
    });
    first.is_some_and(|first| {
        canonical_combining_class(first) == 0
            && is_nfkc_quick(std::iter::once(first)) == IsNormalized::Yes
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::split;
    use super::*;

    fn located(text: &str, cutter: Option<&mut Cutter>) -> Vec<(Piece, String, Range<usize>)> {
        let mut pieces = Vec::new();
        split_located(text, &mut String::new(), cutter, |kind, piece, range| {
            pieces.push((kind, piece.clone(), range));
        });
        pieces
    }

    /// Characters of which many compose, are moved, or are joined.
    fn lively() -> impl Strategy<Value = String> {
        let lively = "aZé1٣ \u{301}\u{327}\u{345}\u{1112}\u{1161}\u{11AB}한가ガｶﾞｯﾂﬁ™℠²Ⅳかがกำंकि\u{200C}\u{200D}\
                      \u{FE0F}\u{200B}👩🚀👍🏽🇫🇷→手机研究生命東京都コーヒ・ทำน้ขวเດໍາຫນမန်္ခ្មែ-'\u{AD}ب\u{640}\u{64E}\u{FDFA}\u{1E0A}\u{323}\u{DDC}\u{0B47}\u{0B56}";
        let one = prop_oneof![
            4 => proptest::sample::select(lively.chars().collect::<Vec<_>>()),
            1 => any::<char>(),
        ];
        proptest::collection::vec(one, 0..24).prop_map(String::from_iter)
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 4_096, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn pieces_are_those_of_the_text_as_a_whole(text in lively()) {
            for mut cutter in [None, Some(Cutter::default())] {
                let mut pieces = Vec::new();
                let collect = |kind, piece: &mut String| pieces.push((kind, piece.clone()));
                split(&text, &mut String::new(), cutter.as_mut(), collect);
                let located = located(&text, cutter.as_mut());
                let found: Vec<_> = located.iter().map(|(kind, piece, _)| (*kind, piece.clone())).collect();
                prop_assert_eq!(found, pieces);
                prop_assert!(located.iter().all(|(.., range)| !range.is_empty()));
                prop_assert!(located.iter().all(|(.., range)| text.get(range.clone()).is_some()));
                prop_assert!(located.windows(2).all(|two| two[0].2.start <= two[1].2.start));
            }
        }
    }

    #[test]
    fn a_piece_is_where_its_characters_are() {
        let text = "go e\u{301}té, x™ 手机 ﬁne!";
        let found = |cutter| {
            let located = located(text, cutter).into_iter();
            located.map(|(.., range)| &text[range]).collect::<Vec<_>>()
        };
        assert_eq!(found(None), ["go", "e\u{301}té", "x", "手", "机", "ﬁne"]);
        assert_eq!(
            found(Some(&mut Cutter::default())),
            ["go", "e\u{301}té", "x", "手机", "ﬁne"]
        );
    }
}
