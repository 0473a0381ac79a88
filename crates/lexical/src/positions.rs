//! The places of a field's tokens, and the pairs of them that are tokens as well.
//!
//! In scripts that give one token per character ([`Segmentation::pairs`]) each two neighbouring characters are a token
//! too, at the position of the second. A pair is found as fast as a word, and as its occurrences are
//! exactly those of the two-character phrase, scores are the same.

use crate::analysis::Segmentation;

/// Numbers the tokens of one field of one document.
#[derive(Debug, Default)]
pub(crate) struct Positions {
    segmentation: Segmentation,
    next: u32,
    /// The character before, if it pairs up.
    pairable: Option<char>,
    count: u32,
}

impl Positions {
    /// Positions in texts that are cut in this way.
    pub(crate) fn new(segmentation: Segmentation) -> Self {
        Self {
            segmentation,
            ..Self::default()
        }
    }

    /// Begins another text of the same field, a position apart: no phrase spans two texts.
    pub(crate) fn begin_text(&mut self) {
        if self.count > 0 {
            self.next += 1;
            self.pairable = None;
        }
    }

    /// Emits `token` with its position, and then the pair that it ends, made in `pair`.
    pub(crate) fn push(&mut self, token: &str, pair: &mut String, mut emit: impl FnMut(u32, &str)) {
        let position = self.next;
        self.next += 1;
        self.count += 1;
        emit(position, token);
        let character = token.chars().next().filter(|&c| self.segmentation.pairs(c));
        let before = std::mem::replace(&mut self.pairable, character);
        if let (Some(before), Some(_)) = (before, character) {
            pair.clear();
            pair.push(before);
            pair.push_str(token);
            emit(position, pair);
        }
    }

    /// Emits `token` where the one before stands: another form of the same word.
    pub(crate) fn push_beside(&self, token: &str, emit: impl FnOnce(u32, &str)) {
        if let Some(position) = self.next.checked_sub(1) {
            emit(position, token);
        }
    }

    /// Tokens pushed; pairs and other forms do not count.
    pub(crate) fn count(&self) -> u32 {
        self.count
    }
}

/// The query side: tokens that all pair up become the pairs, which mean the same phrase.
pub(crate) fn pair_up(tokens: Vec<String>, segmentation: Segmentation) -> Vec<String> {
    let pairs = |c| segmentation.pairs(c);
    let pairable = |token: &String| token.chars().next().is_some_and(pairs);
    if tokens.len() < 2 || !tokens.iter().all(pairable) {
        return tokens;
    }
    tokens.windows(2).map(<[String]>::concat).collect()
}

/// Tells whether this token is a pair, which stands at the place of its second character.
pub(crate) fn is_pair(token: &str, segmentation: Segmentation) -> bool {
    let mut chars = token.chars();
    chars.next().is_some_and(|c| segmentation.pairs(c)) && chars.next().is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbered(texts: &[&[&str]]) -> (u32, Vec<(u32, String)>) {
        let (mut positions, mut emitted) = (Positions::default(), Vec::new());
        for text in texts {
            positions.begin_text();
            for token in *text {
                positions.push(token, &mut String::new(), |position, token| {
                    emitted.push((position, token.to_owned()));
                });
            }
        }
        (positions.count(), emitted)
    }

    fn owned(tokens: &[(u32, &str)]) -> Vec<(u32, String)> {
        let owned = |&(position, token): &(u32, &str)| (position, token.to_owned());
        tokens.iter().map(owned).collect()
    }

    #[test]
    fn words_stand_one_behind_the_other() {
        let expected = owned(&[(0, "red"), (1, "dog")]);
        assert_eq!(numbered(&[&["red", "dog"]]), (2, expected));
    }

    #[test]
    fn neighbouring_characters_are_pairs_at_the_place_of_the_second() {
        let expected = owned(&[
            (0, "x"),
            (1, "手"),
            (2, "机"),
            (2, "手机"),
            (3, "壳"),
            (3, "机壳"),
            (4, "y"),
            (5, "手"),
        ]);
        let text = ["x", "手", "机", "壳", "y", "手"];
        assert_eq!(numbered(&[&text]), (6, expected));
    }

    #[test]
    fn texts_of_one_field_are_a_position_apart() {
        let expected = owned(&[(0, "手"), (2, "机")]);
        assert_eq!(numbered(&[&[], &["手"], &["机"], &[]]), (2, expected));
    }

    #[test]
    fn only_a_phrase_of_such_characters_alone_becomes_pairs() {
        let owned = |tokens: &[&str]| tokens.iter().map(|&t| t.to_owned()).collect::<Vec<_>>();
        let pair_up = |tokens| pair_up(owned(tokens), Segmentation::Pairs);
        assert_eq!(pair_up(&["手", "机", "壳"]), ["手机", "机壳"]);
        assert_eq!(pair_up(&["手"]), ["手"]);
        assert_eq!(pair_up(&["x", "手", "机"]), ["x", "手", "机"]);
    }
}
