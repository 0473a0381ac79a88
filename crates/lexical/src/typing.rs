//! Words that are still being typed: the rules by which words of a query match others.

use crate::expansion::CORRECTED_CHARS_MAX;

/// The beginnings that a search completes, the typos that it forgives, the spellings that it takes for one, and the
/// compounds that it looks into. The default
/// does nothing of it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Typing {
    /// The words that also match every word that they begin, in fields that are not named.
    pub prefix: PrefixWords,
    /// The same in some fields.
    pub prefix_fields: Vec<(String, PrefixWords)>,
    /// The typos that words may have; `None` for none.
    pub typos: Option<Typos>,
    /// Words also match themselves in two parts, and two neighbours in one word.
    pub split_join: bool,
    /// Words also match longer ones that they end, in texts of a language that compounds.
    pub compounds: bool,
}

/// The typos that a search forgives in words that are not quoted and have no digit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Typos {
    /// Characters of a word from which on one is forgiven. Default 4.
    pub one_from: usize,
    /// Characters from which on two are. Default 8.
    pub two_from: usize,
    /// Fields in which words are exact.
    pub exact_fields: Vec<String>,
}

impl Default for Typos {
    fn default() -> Self {
        Self {
            one_from: 4,
            two_from: 8,
            exact_fields: Vec::new(),
        }
    }
}

impl Typos {
    /// The edits that a word, folded, may have.
    pub(crate) fn edits(&self, word: &str) -> u8 {
        let chars = word.chars().count();
        match word.contains(|c: char| c.is_numeric()) || chars > CORRECTED_CHARS_MAX {
            true => 0,
            false => {
                u8::from(chars >= self.one_from)
                    + u8::from(chars >= self.two_from.max(self.one_from))
            }
        }
    }

    /// Tells whether a word, folded, has so few characters that it may have a typo only if it lost one.
    pub(crate) fn may_lack_one(&self, word: &str) -> bool {
        word.chars().count() + 1 == self.one_from && !word.contains(|c: char| c.is_numeric())
    }

    /// Tells whether words of a field may have typos.
    pub(crate) fn forgives(&self, field: &str) -> bool {
        self.exact_fields.iter().all(|exact| exact != field)
    }
}

/// The words of a query that are taken for beginnings of words. Quoted ones never are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PrefixWords {
    #[default]
    None,
    /// The last, where no quoted phrase ends the query.
    Last,
    All,
}

impl Typing {
    /// Tells whether every word matches itself alone.
    pub(crate) fn is_exact(&self) -> bool {
        self.typos.is_none() && !self.split_join && !self.compounds && !self.completes_last()
    }

    /// Tells whether the last word of the query is a beginning in any field.
    pub(crate) fn completes_last(&self) -> bool {
        let mut all = self.prefix_fields.iter().map(|(_, words)| *words);
        self.prefix != PrefixWords::None || all.any(|words| words != PrefixWords::None)
    }

    /// Tells whether a word of the query is a beginning in a field.
    pub(crate) fn completes(&self, is_last: bool, field: &str) -> bool {
        let named = self.prefix_fields.iter().rfind(|(name, _)| name == field);
        match named.map_or(self.prefix, |(_, words)| *words) {
            PrefixWords::None => false,
            PrefixWords::Last => is_last,
            PrefixWords::All => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_named_field_has_its_own_words() {
        let typing = Typing {
            prefix: PrefixWords::Last,
            typos: None,
            split_join: false,
            compounds: false,
            prefix_fields: vec![
                ("sku".to_owned(), PrefixWords::None),
                ("title".to_owned(), PrefixWords::All),
            ],
        };
        let of = |field| [false, true].map(|is_last| typing.completes(is_last, field));
        assert_eq!(of("sku"), [false, false]);
        assert_eq!(of("title"), [true, true]);
        assert_eq!(of("body"), [false, true]);
        assert!(!typing.is_exact() && Typing::default().is_exact());
    }

    #[test]
    fn longer_words_may_have_more_typos_and_numbers_none() {
        let typos = Typos::default();
        let edits = |words: [&str; 4]| words.map(|word| typos.edits(word));
        assert_eq!(edits(["ket", "kett", "kettles", "kettlebe"]), [0, 1, 1, 2]);
        assert_eq!(edits(["при", "прив", "x2000000", "übungen1"]), [0, 1, 0, 0]);
        assert_eq!(typos.edits(&"x".repeat(CORRECTED_CHARS_MAX + 1)), 0);
        let strict = Typos {
            one_from: 6,
            two_from: 3,
            ..typos
        };
        assert_eq!(["abc", "abcdef"].map(|word| strict.edits(word)), [0, 2]);
        let lacking = ["ke", "ket", "при", "k2t", "kett"];
        let lacking = lacking.map(|word| Typos::default().may_lack_one(word));
        assert_eq!(lacking, [false, true, true, false, false]);
    }
}
