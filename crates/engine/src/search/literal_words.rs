//! The very characters of a query, which decide between hits of equal scores.
//!
//! The text index knows `C#` and `C++` by the same word: what punctuation tells apart is not in it.

use std::cmp::Reverse;

use pelorus_documents::{IndexedValues, StoredDocument};

use super::documents::Documents;
use super::hits::Hit;
use super::query::Query;
use crate::error::Result;
use crate::generated::LexicalLeg;

/// Best hits of a ranking among which equal ones are compared. Fixed, so that pages of any size are cut from one list.
pub(super) const COMPARED: usize = 200;

/// Characters that may stand around a word and are none of it.
const OPENING: [char; 9] = ['(', '[', '{', '"', '\'', '“', '‘', '«', '„'];
const CLOSING: [char; 13] = [
    ')', ']', '}', '"', '\'', '”', '’', '»', '.', ',', ';', '!', '?',
];

/// The words of a query that punctuation tells from others, in lower case.
pub(super) struct LiteralWords(Vec<String>);

impl LiteralWords {
    /// None for a query without such words. Hyphens and apostrophes tell no words apart.
    pub fn of(leg: &LexicalLeg) -> Option<Self> {
        let is_plain = |c: char| c.is_alphanumeric() || "-‐‑–'’".contains(c);
        let tells =
            |word: &&str| word.contains(char::is_alphanumeric) && word.contains(|c| !is_plain(c));
        let words = leg.text.split(|c: char| c.is_whitespace() || c == '"');
        let mut words: Vec<String> = words
            .map(bare)
            .filter(tells)
            .map(str::to_lowercase)
            .collect();
        words.sort_unstable();
        words.dedup();
        (!words.is_empty()).then_some(Self(words))
    }

    /// Puts, among hits of equal scores, those first that hold more of the words as typed; the others keep their order.
    pub fn decide(
        &self,
        documents: &dyn Documents,
        query: &Query,
        leg: &LexicalLeg,
        hits: &mut [Hit],
    ) -> Result<()> {
        let best = COMPARED.min(hits.len());
        for equal in hits[..best].chunk_by_mut(|a, b| a.score == b.score) {
            if equal.len() == 1 {
                continue;
            }
            query.cancellation.check()?;
            let counts: Vec<usize> = equal
                .iter()
                .map(|hit| self.count(documents, leg, hit.doc))
                .collect::<Result<_>>()?;
            let mut places: Vec<usize> = (0..equal.len()).collect();
            places.sort_by_key(|&place| Reverse(counts[place]));
            let sorted: Vec<Hit> = places.iter().map(|&place| equal[place].clone()).collect();
            equal.clone_from_slice(&sorted);
        }
        Ok(())
    }

    /// Counts the words that a document holds in the fields that are searched.
    fn count(&self, documents: &dyn Documents, leg: &LexicalLeg, doc: u32) -> Result<usize> {
        let Some(bytes) = documents.document(doc)? else {
            return Ok(0);
        };
        let document = StoredDocument::decode(&bytes)?;
        let values = IndexedValues::of_stored(&documents.definition().documents, &document)?;
        let is_searched = |field: &str| {
            let fields = leg.fields.as_ref();
            fields.is_none_or(|fields| fields.iter().any(|one| one == field))
        };
        let texts = values.lexical.iter();
        let texts: Vec<&str> = texts
            .filter(|(field, _)| is_searched(field))
            .map(|(_, text)| &**text)
            .collect();
        let is_held = |word: &&String| {
            let mut held = texts.iter().flat_map(|text| text.split_whitespace());
            held.any(|other| bare(other).to_lowercase() == **word)
        };
        Ok(self.0.iter().filter(is_held).count())
    }
}

/// A word without the characters around it.
fn bare(word: &str) -> &str {
    word.trim_start_matches(OPENING).trim_end_matches(CLOSING)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generated::LexicalOperand;

    fn words(text: &str) -> Vec<String> {
        let leg = LexicalLeg {
            text: text.to_owned(),
            operand: LexicalOperand::Or,
            fields: None,
            score_modifiers: None,
            modified_count: None,
            language: None,
            typing: None,
            field_weights: Vec::new(),
            stop_words: None,
            phrase_slop: 0,
            sparse: None,
            text_ranking: None,
        };
        LiteralWords::of(&leg).map_or(Vec::new(), |words| words.0)
    }

    #[test]
    fn words_are_those_that_punctuation_tells_apart() {
        assert_eq!(words("C# or (C++), not \".NET\"!"), [".net", "c#", "c++"]);
        assert_eq!(words("AT&T c# C#"), ["at&t", "c#"]);
        for plain in [
            "t-shirt men's",
            "Hello, world!",
            "*",
            "\"red shoe\"",
            "+++",
            "手机",
        ] {
            assert!(words(plain).is_empty(), "{plain}");
        }
    }
}
