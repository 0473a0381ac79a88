//! Words without case and without the marks that writers leave out.

use std::cell::RefCell;

use tantivy::tokenizer::{AsciiFoldingFilter, RawTokenizer, TextAnalyzer, TokenStream};
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::{canonical_combining_class, decompose_canonical};

/// Drops the case of a word: full case folding, as the upper case of each character in lower case.
/// Where they differ (`ß`, final sigma, ligatures), this makes two words the same.
pub(super) fn fold_case(word: &str, folded: &mut String) {
    folded.clear();
    for c in word.chars() {
        match c.is_ascii() {
            true => folded.push(c.to_ascii_lowercase()),
            false => folded.extend(c.to_uppercase().flat_map(char::to_lowercase)),
        }
    }
}

thread_local! {
    static MARKS: RefCell<MarkFolder> = RefCell::default();
}

/// A text without case and without the marks that words are found without: the same for all encodings of a text.
pub fn fold_text(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    let composed: String = text.nfc().collect();
    let mut folded = String::with_capacity(composed.len());
    fold_case(&composed, &mut folded);
    let mut plain = String::with_capacity(folded.len());
    let mut letter = String::new();
    MARKS.with_borrow_mut(|marks| {
        // Letter by letter: of a word with a letter beyond ASCII the folding of Latin changes punctuation too.
        for c in folded.nfc() {
            if c.is_ascii() {
                plain.push(c);
                continue;
            }
            letter.clear();
            letter.push(c);
            marks.fold(&mut letter);
            // Small capitals become capitals.
            letter.make_ascii_lowercase();
            plain.push_str(&letter);
        }
    });
    plain
}

/// As [`fold_case`] in the languages that have an i with and one without a dot.
pub(super) fn fold_turkish_case(word: &str, folded: &mut String) {
    folded.clear();
    for c in word.chars() {
        match c {
            'I' => folded.push('ı'),
            'İ' => folded.push('i'),
            _ => folded.extend(c.to_lowercase()),
        }
    }
}

/// Drops marks. One for each thread.
#[derive(Clone, Default)]
pub(super) struct MarkFolder {
    /// Letters of the Latin script that are no other letter with a mark: `ø`, `ł`, `æ`.
    latin: Option<TextAnalyzer>,
    unmarked: String,
}

impl MarkFolder {
    /// Drops the marks of a word whose case is folded.
    pub(super) fn fold(&mut self, word: &mut String) {
        if word.is_ascii() {
            return;
        }
        self.unmarked.clear();
        for c in word.chars() {
            push_unmarked(c, &mut self.unmarked);
        }
        std::mem::swap(word, &mut self.unmarked);
        if word.chars().any(is_latin_beyond_ascii) {
            let latin = self.latin.get_or_insert_with(|| {
                let whole = TextAnalyzer::builder(RawTokenizer::default());
                whole.filter(AsciiFoldingFilter).build()
            });
            let mut stream = latin.token_stream(word);
            if stream.advance() {
                self.unmarked.clone_from(&stream.token().text);
            }
            drop(stream);
            std::mem::swap(word, &mut self.unmarked);
        }
    }
}

/// The stroke that widens an Arabic word and stands for no sound.
const LENGTHENING: char = '\u{640}';

fn push_unmarked(c: char, out: &mut String) {
    if c == LENGTHENING {
        return;
    }
    if let Some(letter) = same_letter(c) {
        out.push(letter);
    } else if is_cyrillic_letter_of_its_own(c) {
        out.push(c);
    } else if !is_mark_left_out(c) {
        // A letter of which all marks may be left out is the letter alone.
        let (mut base, mut is_marked_only) = (None, true);
        decompose_canonical(c, |part| match base {
            None => base = Some(part),
            Some(_) => is_marked_only &= is_mark_left_out(part),
        });
        out.push(base.filter(|_| is_marked_only).unwrap_or(c));
    }
}

/// By canonical combining class (UAX 44, table 15). The marks that stay are the viramas and the vowel, tone and voicing
/// signs without which a word of an Indic or East Asian script is another word.
fn is_mark_left_out(c: char) -> bool {
    match canonical_combining_class(c) {
        // Overlays, and the nuktas of Indic scripts.
        1 | 7 => true,
        // Points of Hebrew, vowel signs of Arabic and Syriac.
        10..=36 => true,
        // Above, below and beside any letter.
        200.. => true,
        _ => false,
    }
}

/// Letters that are written for one another, by keyboard or by habit: the Arabic alphabet's final and
/// Persian forms.
fn same_letter(c: char) -> Option<char> {
    match c {
        'ى' | 'ی' => Some('ي'),
        'ک' => Some('ك'),
        _ => None,
    }
}

/// Their mark makes another letter of them, which nobody writes without it, unlike `ё`.
fn is_cyrillic_letter_of_its_own(c: char) -> bool {
    matches!(c, 'й' | 'ї' | 'ў' | 'ѓ' | 'ќ')
}

fn is_latin_beyond_ascii(c: char) -> bool {
    matches!(u32::from(c), 0x80..=0x24F | 0x250..=0x2AF | 0x1D00..=0x1DBF | 0x1E00..=0x1EFF | 0x2C60..=0x2C7F | 0xA720..=0xA7FF)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folded(word: &str) -> String {
        let mut folded = String::new();
        fold_case(word, &mut folded);
        MarkFolder::default().fold(&mut folded);
        folded
    }

    #[test]
    fn case_is_dropped_in_every_script() {
        for (word, expected) in [
            ("STRASSE", "strasse"),
            ("Straße", "strasse"),
            ("ΟΔΥΣΣΕΎΣ", "οδυσσευσ"),
            ("Οδυσσεύς", "οδυσσευσ"),
            ("ЁЛКА", "елка"),
            ("ԱՐԵՒ", "արեւ"),
            ("արև", "արեւ"),
            ("IĞDIR", "igdir"),
            ("ığdır", "igdir"),
            ("İstanbul", "istanbul"),
        ] {
            assert_eq!(folded(word), expected);
        }
    }

    #[test]
    fn marks_that_are_left_out_are_dropped() {
        for (word, expected) in [
            ("Crème", "creme"),
            ("Việt", "viet"),
            ("smørrebrød", "smorrebrod"),
            ("Łódź", "lodz"),
            ("Ærø", "aero"),
            ("шалҡ\u{301}", "шалҡ"),
            ("שָׁלוֹם", "שלום"),
            ("كُتُبٌ", "كتب"),
            ("كـــتب", "كتب"),
            ("أحمد", "احمد"),
            ("کتابی", "كتابي"),
            ("क़लम", "कलम"),
        ] {
            assert_eq!(folded(word), expected);
        }
    }

    #[test]
    fn texts_are_folded_as_their_words_are() {
        for (text, expected) in [
            ("Café  AU lait!", "cafe  au lait!"),
            ("“É” – Ærø", "“e” – aero"),
            ("Straße 5½", "strasse 5½"),
            ("STRASSE", "strasse"),
            ("ガーデン", "ガーデン"),
            ("कि", "कि"),
            ("Йод и Ёлка", "йод и елка"),
            ("Việt Nam", "viet nam"),
            ("", ""),
        ] {
            assert_eq!(fold_text(text), expected);
            let decomposed: String = text.nfd().collect();
            assert_eq!(fold_text(&decomposed), expected, "decomposed {text}");
        }
        for word in ["Crème", "Łódź", "שָׁלוֹם", "كُتُبٌ", "क़लम", "ΟΔΥΣΣΕΎΣ"]
        {
            assert_eq!(fold_text(word), folded(word));
        }
    }

    #[test]
    fn every_encoding_and_case_of_a_character_has_one_fold() {
        for c in (0..0x1_1000).filter_map(char::from_u32) {
            let text = format!("a{c}b");
            let fold = fold_text(&text);
            for other in [
                text.nfd().collect::<String>(),
                text.nfc().collect(),
                text.chars().flat_map(char::to_lowercase).collect(),
            ] {
                assert_eq!(fold_text(&other), fold, "{c:?} {:x}", u32::from(c));
            }
            assert_eq!(fold_text(&fold), fold, "again {c:?} {:x}", u32::from(c));
        }
    }

    #[test]
    fn signs_that_make_another_word_stay() {
        for word in ["हिन्दी", "தமிழ்", "мой", "ガ", "한국", "їжак"]
        {
            assert_eq!(folded(word), word);
        }
    }
}
