//! The tokens of a field as one string, from analysis to memory and disk.
//!
//! Tokens are separated by single spaces. One that begins with [`SAME_PLACE`] stands at the
//! position of the token before it; these are pairs: in scripts that give one token per character
//! each two neighbouring characters are a token as well. A pair is found as fast as a word, and as
//! its occurrences are exactly those of the two-character phrase, scores are the same.

use crate::analysis::is_unsegmented;

const SAME_PLACE: char = '\u{1}';
const GAP: &str = "\u{2}";

/// Builds the string.
#[derive(Default)]
pub(crate) struct PackedTokens {
    text: String,
    /// Byte offset of the last token if it is a character that pairs up.
    pairable: Option<usize>,
    count: usize,
}

impl PackedTokens {
    /// Begins another text of the same field.
    pub(crate) fn begin_text(&mut self) {
        if self.count > 0 {
            self.text.push(' ');
            self.text.push_str(GAP);
            self.pairable = None;
        }
    }

    pub(crate) fn push(&mut self, token: &str) {
        if self.count > 0 {
            self.text.push(' ');
        }
        let start = self.text.len();
        self.text.push_str(token);
        let previous = self.pairable.take();
        self.count += 1;
        if token.chars().next().is_some_and(is_unsegmented) {
            self.pairable = Some(start);
            if let Some(previous) = previous {
                let first = self.text[previous..].chars().next();
                self.text.extend([' ', SAME_PLACE]);
                self.text.extend(first);
                self.text.push_str(token);
            }
        }
    }

    /// Tokens pushed; pairs and gaps do not count.
    pub(crate) fn count(&self) -> usize {
        self.count
    }

    pub(crate) fn into_text(self) -> Box<str> {
        self.text.into()
    }
}

/// Reads the string: each token with its position.
#[derive(Clone)]
pub(crate) struct PackedTokensIter<'a> {
    tokens: std::str::Split<'a, char>,
    next_position: usize,
}

/// The tokens of a packed string that holds at least one.
pub(crate) fn unpack(text: &str) -> PackedTokensIter<'_> {
    PackedTokensIter {
        tokens: text.split(' '),
        next_position: 0,
    }
}

impl<'a> Iterator for PackedTokensIter<'a> {
    type Item = (usize, &'a str);

    fn next(&mut self) -> Option<(usize, &'a str)> {
        loop {
            let token = self.tokens.next()?;
            if let Some(pair) = token.strip_prefix(SAME_PLACE) {
                return Some((self.next_position - 1, pair));
            }
            self.next_position += 1;
            if token != GAP {
                return Some((self.next_position - 1, token));
            }
        }
    }
}

/// The query side: tokens that all pair up become the pairs, which mean the same phrase.
pub(crate) fn pair_up(tokens: Vec<String>) -> Vec<String> {
    let pairable = |token: &String| token.chars().next().is_some_and(is_unsegmented);
    if tokens.len() < 2 || !tokens.iter().all(pairable) {
        return tokens;
    }
    tokens.windows(2).map(<[String]>::concat).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn packed(tokens: &[&str]) -> (usize, Box<str>) {
        let mut packed = PackedTokens::default();
        tokens.iter().for_each(|token| packed.push(token));
        (packed.count(), packed.into_text())
    }

    #[test]
    fn words_come_back_with_their_positions() {
        let (count, text) = packed(&["red", "dog"]);
        assert_eq!(count, 2);
        assert_eq!(unpack(&text).collect::<Vec<_>>(), [(0, "red"), (1, "dog")]);
    }

    #[test]
    fn neighbouring_characters_are_pairs_at_the_place_of_the_second() {
        let (count, text) = packed(&["x", "手", "机", "壳", "y", "手"]);
        assert_eq!(count, 6);
        let expected = [
            (0, "x"),
            (1, "手"),
            (2, "机"),
            (2, "手机"),
            (3, "壳"),
            (3, "机壳"),
            (4, "y"),
            (5, "手"),
        ];
        assert_eq!(unpack(&text).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn texts_of_one_field_are_a_position_apart() {
        let mut packed = PackedTokens::default();
        for text in [&[][..], &["手"], &["机"], &[]] {
            packed.begin_text();
            text.iter().for_each(|token| packed.push(token));
        }
        assert_eq!(packed.count(), 2);
        let text = packed.into_text();
        assert_eq!(unpack(&text).collect::<Vec<_>>(), [(0, "手"), (2, "机")]);
    }

    #[test]
    fn only_a_phrase_of_such_characters_alone_becomes_pairs() {
        let owned = |tokens: &[&str]| tokens.iter().map(|&t| t.to_owned()).collect::<Vec<_>>();
        assert_eq!(pair_up(owned(&["手", "机", "壳"])), ["手机", "机壳"]);
        assert_eq!(pair_up(owned(&["手"])), ["手"]);
        assert_eq!(pair_up(owned(&["x", "手", "机"])), ["x", "手", "机"]);
    }
}
