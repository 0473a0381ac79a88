//! Other spellings of the words of a query: two neighbours in one word, and one word in two.
//!
//! `Wi-Fi`, `Wi Fi` and `WiFi` are one word to those who write them and different tokens to an index. So a word is also
//! looked for with two of its parts joined, with one of them split anywhere, and joined with the word beside it; the parts
//! stand side by side, as those of a phrase. Which of these spellings texts have at all, the dictionary tells
//! ([`expand`](crate::expansion::expand)). A point or blank between two digits stays: `3.5` is not 35.

use unicode_segmentation::UnicodeSegmentation;

use super::{QueryAnalyses, TermForms};
use crate::analysis::Analyzer;
use crate::expansion::CORRECTED_CHARS_MAX;

/// Parts of a word, such as the two of `Wi-Fi`, up to which it is spelled otherwise.
const PARTS_MAX: usize = 8;

/// A term in another spelling.
#[derive(Debug, Clone)]
pub(crate) struct Spelling {
    pub(crate) forms: TermForms,
    /// Its words, with blanks between them.
    pub(crate) text: String,
}

/// A word of a query, up to the blanks around it, as the parts that punctuation leaves.
pub(super) struct SpelledWord<'q> {
    parts: Vec<&'q str>,
    /// Tells whether it begins and ends with a part.
    is_bare: [bool; 2],
}

/// The other spellings of a word by itself; none of one that is no single term.
pub(crate) fn spellings_of(
    word: &str,
    analyses: &QueryAnalyses,
    analyzer: &mut Analyzer,
) -> Vec<Spelling> {
    let spelled = SpelledWord::new(word, analyzer);
    let texts = spelled.map_or(Vec::new(), |spelled| spelled.spellings());
    let forms = texts.into_iter().filter_map(|text| {
        let forms = analyses.phrase(&text, analyzer)?;
        Some(Spelling { forms, text })
    });
    forms.collect()
}

impl<'q> SpelledWord<'q> {
    /// None of a word with many parts.
    pub(super) fn new(word: &'q str, analyzer: &mut Analyzer) -> Option<Self> {
        let places = analyzer.places(word);
        let (first, last) = (places.first()?, places.last()?);
        let is_bare = [first.start == 0, last.end == word.len()];
        (places.len() <= PARTS_MAX).then(|| SpelledWord {
            parts: places.into_iter().map(|place| &word[place]).collect(),
            is_bare,
        })
    }

    /// The word with two neighbouring parts joined, with all joined, and with a part split in two.
    pub(super) fn spellings(&self) -> Vec<String> {
        let parts = &*self.parts;
        let joints = (1..parts.len()).filter(|&at| may_touch(parts[at - 1], parts[at]));
        let joints: Vec<usize> = joints.collect();
        let mut spellings: Vec<String> = joints.iter().map(|at| spelled(parts, &[*at])).collect();
        if joints.len() > 1 && joints.len() == parts.len() - 1 {
            spellings.push(spelled(parts, &joints));
        }
        for (at, part) in parts.iter().enumerate() {
            if part.chars().count() > CORRECTED_CHARS_MAX {
                continue;
            }
            for (place, _) in part.grapheme_indices(true).skip(1) {
                let (a, b) = part.split_at(place);
                if may_touch(a, b) {
                    let split = [&parts[..at], &[a, b], &parts[at + 1..]].concat();
                    spellings.push(spelled(&split, &[]));
                }
            }
        }
        spellings
    }

    /// The word and the next in one; none where punctuation stands between them.
    pub(super) fn joined_with(&self, next: &Self) -> Option<String> {
        let parts = [&*self.parts, &next.parts].concat();
        let joint = self.parts.len();
        let may_join =
            self.is_bare[1] && next.is_bare[0] && may_touch(parts[joint - 1], parts[joint]);
        (may_join && parts.len() <= PARTS_MAX).then(|| spelled(&parts, &[joint]))
    }
}

/// Tells whether two parts may be one word: two digits never are neighbours by joining or splitting.
fn may_touch(before: &str, after: &str) -> bool {
    !(before.ends_with(char::is_numeric) && after.starts_with(char::is_numeric))
}

/// Parts with blanks between them, but for those before the parts of some places.
fn spelled(parts: &[&str], joints: &[usize]) -> String {
    let mut text = String::new();
    for (at, part) in parts.iter().enumerate() {
        if at > 0 && !joints.contains(&at) {
            text.push(' ');
        }
        text.push_str(part);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn word(word: &str) -> SpelledWord<'_> {
        SpelledWord::new(word, &mut Analyzer::default()).unwrap()
    }

    #[test]
    fn a_word_is_joined_and_split_between_any_two_letters() {
        assert_eq!(word("Wi-Fi").spellings(), ["WiFi", "W i Fi", "Wi F i"]);
        assert_eq!(word("u.s.a.").spellings(), ["us a", "u sa", "usa"]);
        assert_eq!(word("(wifi)").spellings(), ["w ifi", "wi fi", "wif i"]);
        assert_eq!(word("cafe\u{301}s").spellings().len(), 4);
        let endless = "x".repeat(CORRECTED_CHARS_MAX + 1);
        assert!(word(&endless).spellings().is_empty());
    }

    #[test]
    fn digits_stay_apart_and_together() {
        assert_eq!(word("3.5mm").spellings(), ["3 5 mm", "3 5m m"]);
        assert_eq!(word("12").spellings(), [""; 0]);
        assert_eq!(word("1,2x").spellings(), ["1 2 x"]);
        assert_eq!(
            word("3.5").joined_with(&word("mm")).as_deref(),
            Some("3 5mm")
        );
        assert_eq!(word("3").joined_with(&word("5")), None);
    }

    #[test]
    fn neighbours_without_punctuation_between_them_are_joined() {
        assert_eq!(
            word("(wi").joined_with(&word("fi)")).as_deref(),
            Some("wifi")
        );
        assert_eq!(word("red,").joined_with(&word("dress")), None);
        assert_eq!(word("red").joined_with(&word("(dress)")), None);
        assert!(SpelledWord::new("a-b-c-d-e-f-g-h-i", &mut Analyzer::default()).is_none());
        assert!(SpelledWord::new("!!", &mut Analyzer::default()).is_none());
    }
}
