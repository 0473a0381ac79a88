//! The trained English tables, read in place: each is a text of lines sorted by their bytes, so a
//! look-up is a binary search and nothing is built, copied or held in memory beyond the program.

use std::cmp::Ordering;

static ABBREVIATIONS: &str = include_str!("../../data/punkt-english/abbrev_types.txt");
static COLLOCATIONS: &str = include_str!("../../data/punkt-english/collocations.tab");
static STARTERS: &str = include_str!("../../data/punkt-english/sent_starters.txt");
static ORTHOGRAPHY: &str = include_str!("../../data/punkt-english/ortho_context.tab");

/// Tells whether a lower-cased word without its full stop is a known abbreviation.
pub(super) fn is_abbreviation(word: &str) -> bool {
    find(ABBREVIATIONS, |line| line.cmp(word)).is_some()
}

/// Tells whether two types, the first one dotted, are known to stand together within a sentence.
pub(super) fn is_collocation(first: &str, second: &str) -> bool {
    let wanted = || first.bytes().chain([b'\t']).chain(second.bytes());
    find(COLLOCATIONS, |line| line.bytes().cmp(wanted())).is_some()
}

/// Tells whether a type often starts sentences.
pub(super) fn is_sentence_starter(word: &str) -> bool {
    find(STARTERS, |line| line.cmp(word)).is_some()
}

/// The places and cases in which a type was seen in training. All false for an unknown one.
pub(super) fn orthography(word: &str) -> Orthography {
    let line = find(ORTHOGRAPHY, |line| key(line).cmp(word));
    let bits = line.and_then(|line| line[key(line).len()..].trim_start().parse().ok());
    Orthography(bits.unwrap_or(0))
}

/// Sightings of a type: start, middle or unknown place of a sentence, capitalised or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Orthography(u8);

impl Orthography {
    const START_UPPER: u8 = 1 << 1;
    const MIDDLE_UPPER: u8 = 1 << 2;
    const UNKNOWN_UPPER: u8 = 1 << 3;
    const START_LOWER: u8 = 1 << 4;
    const MIDDLE_LOWER: u8 = 1 << 5;
    const UNKNOWN_LOWER: u8 = 1 << 6;

    pub fn upper(self) -> bool {
        self.0 & (Self::START_UPPER | Self::MIDDLE_UPPER | Self::UNKNOWN_UPPER) != 0
    }

    pub fn lower(self) -> bool {
        self.0 & (Self::START_LOWER | Self::MIDDLE_LOWER | Self::UNKNOWN_LOWER) != 0
    }

    pub fn upper_in_middle(self) -> bool {
        self.0 & Self::MIDDLE_UPPER != 0
    }

    pub fn lower_at_start(self) -> bool {
        self.0 & Self::START_LOWER != 0
    }
}

fn key(line: &str) -> &str {
    line.split_once('\t').map_or(line, |(key, _)| key)
}

/// The line of a sorted table for which `order` (line against the wanted one) says equal.
fn find(table: &str, order: impl Fn(&str) -> Ordering) -> Option<&str> {
    let bytes = table.as_bytes();
    let (mut low, mut high) = (0, table.len()); // both at line starts
    while low < high {
        let middle = low + (high - low) / 2;
        let start = bytes[low..middle]
            .iter()
            .rposition(|&b| b == b'\n')
            .map_or(low, |i| low + i + 1);
        let len = bytes[start..]
            .iter()
            .position(|&b| b == b'\n')
            .unwrap_or(table.len() - start);
        let line = &table[start..start + len];
        match order(line) {
            Ordering::Equal => return Some(line),
            Ordering::Less => low = start + len + 1,
            Ordering::Greater => high = start,
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_of_every_table_is_found() {
        assert!(ABBREVIATIONS.lines().all(is_abbreviation));
        assert!(STARTERS.lines().all(is_sentence_starter));
        for line in COLLOCATIONS.lines() {
            let (first, second) = line.split_once('\t').unwrap();
            assert!(is_collocation(first, second), "{line}");
        }
        for line in ORTHOGRAPHY.lines() {
            let (word, bits) = line.split_once('\t').unwrap();
            assert_eq!(orthography(word).0, bits.parse::<u8>().unwrap(), "{line}");
        }
    }

    #[test]
    fn a_word_that_no_table_holds_is_not_found() {
        for word in ["", " ", "\u{0}", "zzzzzz", "\u{10ffff}", "dr\n", "mr\t"] {
            assert!(
                !is_abbreviation(word) && !is_sentence_starter(word),
                "{word:?}"
            );
            assert!(!is_collocation(word, word), "{word:?}");
            assert_eq!(orthography(word), Orthography(0), "{word:?}");
        }
    }

    #[test]
    fn the_tables_are_whole() {
        let lines = |table: &str| table.lines().count();
        assert_eq!(
            [
                lines(ABBREVIATIONS),
                lines(COLLOCATIONS),
                lines(STARTERS),
                lines(ORTHOGRAPHY)
            ],
            [156, 37, 39, 20_366]
        );
    }
}
