//! The tokens of a text by their places, for postings that are kept elsewhere.

use crate::analysis::{Analyzer, FieldAnalysis, TokenPlace};
use crate::positions::Positions;

/// Finds the tokens that an index of ours has for a text. Each thread uses its own.
#[derive(Default)]
pub struct PlaceAnalyzer {
    analyzer: Analyzer,
    pair: String,
}

impl PlaceAnalyzer {
    /// Calls `emit` with each token of a text, in order, and tells whether it begins a place: the others stand at the
    /// place of the one before, and lengths do not count them. No token holds a blank or a control character. Gives the
    /// number of the text's analysis ([`TextFields::new`](crate::TextFields::new)).
    pub fn for_each_token(
        &mut self,
        text: &str,
        analysis: FieldAnalysis,
        mut emit: impl FnMut(&str, bool),
    ) -> u8 {
        let mut positions = Positions::new(self.analyzer.segmentation());
        let pair = &mut self.pair;
        let mut last = None;
        let mut occur = |position: u32, token: &str| {
            emit(token, last != Some(position));
            last = Some(position);
        };
        let analysis = analysis.of(text);
        self.analyzer
            .for_each_token(text, analysis, |token, place| match place {
                TokenPlace::Next => positions.push(token, pair, &mut occur),
                TokenPlace::Same => positions.push_beside(token, &mut occur),
            });
        analysis.number()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Stemming;

    fn places(text: &str, stemming: Stemming) -> Vec<Vec<String>> {
        let analysis = FieldAnalysis {
            language: None,
            stemming,
        };
        let mut places: Vec<Vec<String>> = Vec::new();
        PlaceAnalyzer::default().for_each_token(text, analysis, |token, begins| {
            if begins {
                places.push(Vec::new());
            }
            places
                .last_mut()
                .expect("the first token begins a place")
                .push(token.to_owned());
        });
        places
    }

    #[test]
    fn pairs_of_characters_stand_at_the_place_of_the_second() {
        assert_eq!(
            places("Dogs 手机", Stemming::default()),
            [vec!["dog"], vec!["手"], vec!["机", "手机"]]
        );
    }

    #[test]
    fn other_forms_of_a_word_share_its_place() {
        let places = places("universities, hotels", Stemming::Multiple);
        assert_eq!(places.len(), 2);
        assert!(places[0].len() > 1, "{places:?}");
    }

    #[test]
    fn no_token_holds_a_blank_or_a_control_character() {
        for c in (0..0x3100).filter_map(char::from_u32) {
            for place in places(&format!("a{c}b {c}"), Stemming::Multiple) {
                let is_plain = |c: char| !c.is_whitespace() && !c.is_control();
                assert!(
                    place.iter().all(|token| token.chars().all(is_plain)),
                    "{c:?}: {place:?}"
                );
            }
        }
    }
}
