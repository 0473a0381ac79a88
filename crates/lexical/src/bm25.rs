//! Okapi BM25 (Robertson and Zaragoza, "The Probabilistic Relevance Framework", 2009, section 3)
//! with the inverse document frequency that stays positive: ln(1 + (N - n + 0.5) / (n + 0.5)).

use crate::statistics::FieldLength;

/// BM25's k1, the saturation by occurrences of a term in a document.
pub const K1: f64 = 1.2;
/// BM25's b, the share of a document's length in that.
pub const B: f64 = 0.75;

/// Everything about one term in one field that does not depend on the document.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct TermWeight {
    /// count * idf * (k1 + 1)
    scale: f32,
    /// k1 * (1 - b)
    base: f32,
    /// k1 * b / average length
    per_token: f32,
    /// The weight of the field, which is in the scale.
    field: f32,
}

/// The inverse document frequency of a term that `matching` of so many documents hold.
pub(crate) fn idf(documents: u64, matching: u64) -> f64 {
    // Documents that hold a term in two forms count twice.
    let matching = matching.min(documents);
    let absent = (documents - matching) as f64;
    (1.0 + (absent + 0.5) / (matching as f64 + 0.5)).ln()
}

/// The part of BM25 that depends on a document, without k1 + 1: grows with the frequency from 0 to 1.
pub(crate) fn saturation(frequency: u32, length: FieldLength, average_length: f64) -> f32 {
    let norm = K1 * (1.0 - B) + K1 * B * f64::from(length) / average_length;
    (f64::from(frequency) / (f64::from(frequency) + norm)) as f32
}

impl TermWeight {
    /// The weight of shares of an inverse document frequency, times a factor: their whole is frequency and length together.
    pub(crate) fn of_shares(documents: u64, matching: u64, count: u32, factor: f64) -> Self {
        TermWeight {
            scale: (f64::from(count) * idf(documents, matching) * factor) as f32,
            base: 0.0,
            per_token: 1.0,
            field: 1.0,
        }
    }

    /// `documents` = N, `matching` = n, `count` = how often the query names the term.
    pub(crate) fn new(documents: u64, matching: u64, average_length: f64, count: u32) -> Self {
        debug_assert!(average_length > 0.0, "who has a field has a token in it");
        let idf = idf(documents, matching);
        TermWeight {
            scale: (f64::from(count) * idf * (K1 + 1.0)) as f32,
            base: (K1 * (1.0 - B)) as f32,
            per_token: (K1 * B / average_length) as f32,
            field: 1.0,
        }
    }

    /// The same for frequencies that count so many parts of an occurrence, a power of two.
    pub(crate) fn in_parts(self, parts: u32) -> Self {
        debug_assert!(parts.is_power_of_two(), "so that nothing is rounded");
        TermWeight {
            base: self.base * parts as f32,
            per_token: self.per_token * parts as f32,
            ..self
        }
    }

    /// The same in a field of a weight.
    pub(crate) fn in_field_of(self, weight: f64) -> Self {
        debug_assert!(self.field == 1.0, "a field has one weight");
        let field = weight as f32;
        TermWeight {
            scale: self.scale * field,
            field,
            ..self
        }
    }

    /// The weight of the field.
    pub(crate) fn field(&self) -> f32 {
        self.field
    }

    /// By which factors scores are larger than with `other` weights: at least, and at most.
    pub(crate) fn growth_since(&self, other: &TermWeight) -> (f32, f32) {
        let scale = self.scale / other.scale;
        let norm = other.per_token / self.per_token;
        (scale * norm.min(1.0), scale * norm.max(1.0))
    }

    /// Scores documents with these frequencies and lengths into `scores`, all equally long.
    #[inline]
    pub(crate) fn score_block(
        &self,
        frequencies: &[u32],
        lengths: &[FieldLength],
        scores: &mut [f32],
    ) {
        debug_assert!(
            frequencies.len() == lengths.len() && lengths.len() == scores.len(),
            "a frequency, a length and a score for each document"
        );
        for ((score, &frequency), &length) in scores.iter_mut().zip(frequencies).zip(lengths) {
            *score = self.score(frequency, length);
        }
    }

    #[inline]
    pub(crate) fn score(&self, frequency: u32, length: FieldLength) -> f32 {
        // Signed numbers convert in one instruction; no field repeats a word two billion times.
        let frequency = frequency as i32 as f32;
        let norm = self.base + self.per_token * f32::from(length);
        self.scale * frequency / (frequency + norm)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_documented_scores_come_out() {
        let expected = [
            (3, 3, 0.909_911_7),
            (1, 1, 0.803_432_7),
            (1, 2, 0.648_263_3),
        ];
        let weight = TermWeight::new(13, 7, 2.2, 1);
        for (frequency, length, score) in expected {
            assert!((weight.score(frequency, length) - score).abs() < 1e-6);
        }
        let older = TermWeight::new(13, 6, 2.2, 1);
        assert!((older.score(3, 3) - 1.118_528_6).abs() < 1e-6);
        let combined_field = TermWeight::new(13, 7, 30.0 / 13.0, 1);
        assert!((combined_field.score(3, 3) - 0.921_570_1).abs() < 1e-6);
    }

    #[test]
    fn a_term_in_every_document_still_scores_above_zero() {
        assert!(TermWeight::new(5, 5, 1.0, 1).score(1, 1) > 0.0);
    }
}
