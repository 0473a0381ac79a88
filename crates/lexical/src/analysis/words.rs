//! The boundaries of words.
//!
//! Boundaries are those of UAX 29, tailored in four ways. Punctuation separates everywhere (`t-shirt`, `don't` and
//! `3.14` are two words each). Scripts without blanks between words give one piece per character, or the words that a
//! dictionary knows ([`segment`](super::segment)). Invisible parts of a word are dropped: format characters, variation
//! selectors, soft hyphens, joiners. A decimal digit of any script is the ASCII digit of the same value.

mod located;

use std::cell::Cell;

use pelorus_characters::{is_ignorable, is_unsegmented};
use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfkc_quick};
use unicode_properties::{GeneralCategory, UnicodeGeneralCategory};

use super::dictionary::Script;
use super::segment::Cutter;

pub(super) use located::split_located;

/// A piece of a text between separators.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Piece {
    /// Letters, digits and their marks.
    Word,
    /// One character of a script without blanks.
    Character,
    /// A word of such a script, which a dictionary told from those around it.
    Segment,
    /// One symbol as it is seen, which may be several emoji joined, or the two letters of a flag.
    Symbol,
}

/// Arrows, mathematics, shapes, emoji. Below them are signs that belong to the character before them, such as those of
/// degrees, currencies and registered names.
const FIRST_SYMBOL: char = '\u{2190}';

/// Is this a symbol that is searched by itself?
pub(crate) fn is_symbol(c: char) -> bool {
    use GeneralCategory::{MathSymbol, OtherSymbol};
    c >= FIRST_SYMBOL && matches!(c.general_category(), OtherSymbol | MathSymbol)
}

/// Calls `emit` with each piece of `text` in order, after its compatibility composition (NFKC). `word`
/// is where pieces are made; a word is in the case it came in. Scripts without blanks are cut into words by a `cutter`,
/// and else into characters.
pub(super) fn split(
    text: &str,
    word: &mut String,
    cutter: Option<&mut Cutter>,
    emit: impl FnMut(Piece, &mut String),
) {
    let bit = Cell::default();
    let mut splitter = Splitter::new(word, cutter, &bit, emit);
    let is_composed = is_nfkc_quick(text.chars()) == IsNormalized::Yes;
    match is_composed {
        true => text.chars().for_each(|c| splitter.push(c)),
        false => {
            let plain = |c| if is_trademark(c) { ' ' } else { c };
            let composed = text.chars().map(plain).nfkc();
            composed.for_each(|c| splitter.push(c));
        }
    }
    splitter.end_piece();
}

/// Composed they would be letters of the word that they follow.
fn is_trademark(c: char) -> bool {
    matches!(c, '\u{2120}' | '\u{2122}')
}

struct Splitter<'w, F> {
    /// The piece at hand.
    word: &'w mut String,
    /// Its kind, if there is one; never [`Piece::Character`], which is complete at once.
    open: Option<Piece>,
    /// Tells whether a joiner follows the symbol at hand.
    is_joined: bool,
    /// Holds the characters of [`Piece::Segment`] while that is open.
    cutter: Option<&'w mut Cutter>,
    /// Where the character at hand comes from, and a segment that is emitted, for those who ask.
    bit: &'w Cell<(usize, usize)>,
    emit: F,
}

impl<'w, F: FnMut(Piece, &mut String)> Splitter<'w, F> {
    fn new(
        word: &'w mut String,
        cutter: Option<&'w mut Cutter>,
        bit: &'w Cell<(usize, usize)>,
        emit: F,
    ) -> Self {
        word.clear();
        Self {
            word,
            open: None,
            is_joined: false,
            cutter,
            bit,
            emit,
        }
    }

    #[inline]
    fn push(&mut self, c: char) {
        match c.is_ascii() {
            true if c.is_ascii_alphanumeric() => self.push_letter(c),
            true => self.end_piece(),
            false => self.push_beyond_ascii(c),
        }
    }

    fn push_letter(&mut self, c: char) {
        if self.open != Some(Piece::Word) {
            self.end_piece();
            self.open = Some(Piece::Word);
        }
        self.word.push(c);
    }

    fn push_beyond_ascii(&mut self, c: char) {
        use GeneralCategory::{DecimalNumber, EnclosingMark, Format, NonspacingMark, SpacingMark};
        let category = c.general_category();
        match category {
            DecimalNumber => self.push_letter(ascii_digit(c)),
            _ if is_unsegmented(c) => self.push_unsegmented(c, category),
            _ if is_ignorable(c) => self.pass_ignorable(c),
            NonspacingMark | SpacingMark | EnclosingMark => {
                if self.open == Some(Piece::Word) && category != EnclosingMark {
                    self.word.push(c);
                }
            }
            Format => {}
            _ if c.is_alphanumeric() => self.push_letter(c),
            _ if is_symbol(c) => self.push_symbol(c),
            // The tone of the skin is to an emoji as an accent is to a letter.
            _ if is_skin_tone(c) => {}
            _ => self.end_piece(),
        }
    }

    fn push_unsegmented(&mut self, c: char, category: GeneralCategory) {
        use GeneralCategory::{NonspacingMark, SpacingMark};
        let has_cutter = self.cutter.is_some();
        if let Some(script) = Script::of(c).filter(|_| has_cutter) {
            match c.is_alphanumeric() || matches!(category, NonspacingMark | SpacingMark) {
                true => self.push_to_segment(script, c),
                false => self.end_piece(),
            }
        } else if c.is_alphanumeric() {
            // Marks that are no letters (tones, viramas) say little of a character and are often left out.
            self.end_piece();
            self.word.push(c);
            (self.emit)(Piece::Character, self.word);
            self.word.clear();
        }
    }

    fn push_to_segment(&mut self, script: Script, c: char) {
        let is_open = self.open == Some(Piece::Segment);
        if !(is_open && self.cutter.as_ref().is_some_and(|one| one.is_of(script))) {
            self.end_piece();
            self.open = Some(Piece::Segment);
        }
        let Some(cutter) = &mut self.cutter else {
            return;
        };
        cutter.push(script, c, self.bit.get());
        if cutter.is_full() {
            self.take_segments(false);
        }
    }

    fn take_segments(&mut self, is_over: bool) {
        let Some(cutter) = &mut self.cutter else {
            return;
        };
        let (bit, at_hand) = (self.bit, self.bit.get());
        cutter.take_words(is_over, self.word, |word, place| {
            bit.set(place);
            (self.emit)(Piece::Segment, word);
        });
        bit.set(at_hand);
    }

    fn pass_ignorable(&mut self, c: char) {
        match (c, self.open) {
            ('\u{200D}', Some(Piece::Symbol)) => self.is_joined = true,
            // The writer's own cut.
            ('\u{200B}', Some(Piece::Segment)) => self.end_piece(),
            // In Persian and its neighbours it parts a stem from its suffix, as a narrow blank.
            ('\u{200C}', Some(Piece::Word))
                if self.word.chars().next_back().is_some_and(is_arabic) =>
            {
                self.end_piece();
            }
            _ => {}
        }
    }

    fn push_symbol(&mut self, c: char) {
        let is_half_a_flag = |c: char| matches!(c, '\u{1F1E6}'..='\u{1F1FF}');
        let ends_flag = is_half_a_flag(c)
            && self.open == Some(Piece::Symbol)
            && self.word.len() == c.len_utf8()
            && self.word.chars().all(is_half_a_flag);
        if !(self.is_joined || ends_flag) {
            self.end_piece();
        }
        self.open = Some(Piece::Symbol);
        self.is_joined = false;
        self.word.push(c);
    }

    fn end_piece(&mut self) {
        self.is_joined = false;
        match self.open.take() {
            None => {}
            Some(Piece::Segment) => self.take_segments(true),
            Some(piece) => {
                (self.emit)(piece, self.word);
                self.word.clear();
            }
        }
    }
}

pub(super) fn is_arabic(c: char) -> bool {
    matches!(u32::from(c), 0x0600..=0x06FF | 0x0750..=0x077F)
}

fn is_skin_tone(c: char) -> bool {
    matches!(c, '\u{1F3FB}'..='\u{1F3FF}')
}

/// The ASCII digit of the same value. Decimal digits are coded in runs from zero to nine
/// (The Unicode Standard, section 4.6), and after NFKC no two runs follow each other.
fn ascii_digit(c: char) -> char {
    let is_digit = |code: u32| {
        let digit = char::from_u32(code);
        digit.is_some_and(|c| c.general_category() == GeneralCategory::DecimalNumber)
    };
    let code = u32::from(c);
    let below = (1..10)
        .take_while(|&offset| is_digit(code - offset))
        .count();
    char::from(b'0' + below as u8)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pieces(text: &str) -> Vec<String> {
        let mut pieces = Vec::new();
        split(text, &mut String::new(), None, |_, piece| {
            pieces.push(piece.clone());
        });
        pieces
    }

    #[test]
    fn punctuation_of_every_kind_separates_words() {
        assert_eq!(
            pieces("t-shirt, field_1's — 3.14«x»"),
            ["t", "shirt", "field", "1", "s", "3", "14", "x"]
        );
        assert!(pieces("!!! -- _ \\ € ° ©").is_empty());
    }

    #[test]
    fn marks_belong_to_the_word_before_them() {
        assert_eq!(pieces("हिन्दी"), ["हिन्दी"]);
        assert_eq!(pieces("и\u{306}огурт"), ["йогурт"]);
        assert_eq!(pieces("\u{301}x"), ["x"]);
    }

    #[test]
    fn invisible_characters_are_dropped() {
        for hidden in [
            '\u{AD}', '\u{200B}', '\u{200D}', '\u{2060}', '\u{FEFF}', '\u{FE0F}',
        ] {
            assert_eq!(pieces(&format!("soft{hidden}hyphen")), ["softhyphen"]);
        }
        assert_eq!(pieces("कर\u{200C}ना"), ["करना"]);
        assert_eq!(pieces("کتاب\u{200C}ها"), ["کتاب", "ها"]);
    }

    #[test]
    fn every_form_of_a_character_is_its_usual_one() {
        assert_eq!(
            pieces("ｶﾞｯﾂ ﬁne Ⅳ № x² ＡＢ１２"),
            ["ガ", "ッ", "ツ", "fine", "IV", "No", "x2", "AB12"]
        );
        assert_eq!(pieces("Nike™ Air®"), ["Nike", "Air"]);
        assert_eq!(pieces("\u{1112}\u{1161}\u{11AB}"), ["한"]);
    }

    #[test]
    fn digits_of_every_script_are_equal() {
        for zero in ['٠', '۰', '०', '০', '๐', '០', '၀', '𝟎', '０'] {
            let digits = (0..10).filter_map(|n| char::from_u32(u32::from(zero) + n));
            let text: String = digits.collect();
            assert_eq!(pieces(&text), ["0123456789"], "{zero}");
        }
    }

    #[test]
    fn a_symbol_is_what_is_seen_as_one() {
        assert_eq!(
            pieces("go👩‍🚀!👍🏽👍 ❤️x"),
            ["go", "👩🚀", "👍", "👍", "❤", "x"]
        );
        assert_eq!(pieces("🇫🇷🇩🇪"), ["🇫🇷", "🇩🇪"]);
        assert_eq!(pieces("a→b ≤"), ["a", "→", "b", "≤"]);
        assert_eq!(pieces("1️⃣"), ["1"]);
    }

    #[test]
    fn scripts_without_spaces_give_one_piece_per_character() {
        assert_eq!(pieces("iPhone手机壳2"), ["iPhone", "手", "机", "壳", "2"]);
        assert_eq!(pieces("トート ๑๒"), ["ト", "ー", "ト", "12"]);
    }

    #[test]
    fn a_text_is_split_in_linear_time() {
        let marked = |count: usize| "a\u{301}\u{200D}👍\u{200D}".repeat(count);
        pelorus_growth::assert_linear("marks", 1 << 14, marked, |text: &String| {
            assert!(!pieces(text).is_empty());
        });
        let flags = |count: usize| "\u{1F1E6}\u{200D}".repeat(count);
        pelorus_growth::assert_linear("flags", 1 << 14, flags, |text: &String| {
            assert!(!pieces(text).is_empty());
        });
    }
}
