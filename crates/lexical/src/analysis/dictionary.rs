//! The words of scripts that are written without blanks.
//!
//! They are the dictionaries of ICU: one of Chinese and Japanese together, in which each word has a cost that is the
//! higher the rarer it is, and one each of Thai, Lao, Khmer and Burmese, whose words all cost the same.

use std::sync::LazyLock;

use icu_provider::prelude::*;
use icu_segmenter::provider::{
    Baked, DictionaryBreakData, SegmenterDictionaryAutoV2, SegmenterDictionaryExtendedV2,
};

/// The version of the dictionaries, and of the rules of [`segment`](super::segment) by which words are taken from them.
/// Texts that were cut by another are cut again.
pub(crate) const DICTIONARY_VERSION: u32 = 1;

/// The cost of a word in a dictionary that tells none.
const WORD_COST: u32 = 60;

/// A writing system whose words are looked up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Script {
    /// Han, Hiragana, Katakana and Bopomofo, which stand in one word together.
    ChineseJapanese,
    Thai,
    Lao,
    Myanmar,
    Khmer,
}

impl Script {
    /// The script of a character; none where its words are not in a dictionary.
    pub(super) fn of(c: char) -> Option<Script> {
        match u32::from(c) {
            0x0E00..=0x0E7F => Some(Script::Thai),
            0x0E80..=0x0EFF => Some(Script::Lao),
            0x1000..=0x109F => Some(Script::Myanmar),
            0x1780..=0x17FF => Some(Script::Khmer),
            0x3005 | 0x3007 | 0x3041..=0x312F | 0x31A0..=0x31BF | 0x31F0..=0x31FF => {
                Some(Script::ChineseJapanese)
            }
            0x3400..=0x4DBF | 0x4E00..=0x9FFF | 0xF900..=0xFAFF | 0x20000..=0x3FFFF => {
                Some(Script::ChineseJapanese)
            }
            _ => None,
        }
    }

    fn dictionary(self) -> &'static DictionaryBreakData<'static> {
        static ALL: LazyLock<[&DictionaryBreakData<'static>; 5]> = LazyLock::new(|| {
            [
                load::<SegmenterDictionaryAutoV2>("cjdict"),
                load::<SegmenterDictionaryExtendedV2>("thaidict"),
                load::<SegmenterDictionaryExtendedV2>("laodict"),
                load::<SegmenterDictionaryExtendedV2>("burmesedict"),
                load::<SegmenterDictionaryExtendedV2>("khmerdict"),
            ]
        });
        ALL[self as usize]
    }

    /// Calls `emit` with the length and the cost of each word that `text` begins with, the shortest first.
    pub(super) fn for_each_word(self, text: &[char], mut emit: impl FnMut(usize, u32)) {
        let numbered = text.iter().copied().zip(1..);
        match self.dictionary() {
            DictionaryBreakData::Char16Trie(trie) => {
                let mut cursor = trie.cursor();
                for (c, length) in numbered {
                    cursor.step32(c.into());
                    if let Some(cost) = cursor.value() {
                        emit(length, cost.unsigned_abs());
                    }
                    if cursor.is_empty() {
                        return;
                    }
                }
            }
            DictionaryBreakData::ZeroTrie { alphabet, trie } => {
                let mut cursor = trie.cursor();
                for (c, length) in numbered {
                    // The alphabet has less than 128 characters.
                    let Some(place) = alphabet.position32(c.into()) else {
                        return;
                    };
                    cursor.step(place as u8);
                    if cursor.take_value().is_some() {
                        emit(length, WORD_COST);
                    }
                    if cursor.is_empty() {
                        return;
                    }
                }
            }
        }
    }
}

fn load<M>(name: &'static str) -> &'static DictionaryBreakData<'static>
where
    M: DataMarker<DataStruct = DictionaryBreakData<'static>>,
    Baked: DataProvider<M>,
{
    let attributes = DataMarkerAttributes::from_str_or_panic(name);
    let request = DataRequest {
        id: DataIdentifierBorrowed::for_marker_attributes(attributes),
        ..DataRequest::default()
    };
    let loaded: Result<DataResponse<M>, _> = Baked.load(request);
    let dictionary = loaded.ok().and_then(|loaded| loaded.payload.get_static());
    dictionary.expect("the library has this dictionary in it")
}

#[cfg(test)]
mod tests {
    use pelorus_characters::is_unsegmented;

    use super::*;

    fn words(text: &str) -> Vec<String> {
        let chars: Vec<char> = text.chars().collect();
        let script = Script::of(chars[0]).expect("a script with a dictionary");
        let mut words = Vec::new();
        script.for_each_word(&chars, |length, _| {
            words.push(chars[..length].iter().collect());
        });
        words
    }

    #[test]
    fn each_script_has_words() {
        assert_eq!(words("研究生命"), ["研", "研究", "研究生"]);
        assert_eq!(words("東京都"), ["東", "東京"]);
        assert!(words("ข้าวผัด").contains(&"ข้าว".to_owned()));
        assert!(words("ພາສາລາວ").contains(&"ພາສາ".to_owned()));
        assert!(words("မြန်မာစာ").contains(&"မြန်မာ".to_owned()));
        assert!(words("ភាសាខ្មែរ").contains(&"ភាសា".to_owned()));
    }

    #[test]
    fn characters_of_a_dictionary_are_of_scripts_without_blanks() {
        let scripts = ('\0'..=char::MAX).filter(|&c| Script::of(c).is_some());
        assert!(scripts.clone().all(is_unsegmented));
        let others = ('\0'..=char::MAX).filter(|&c| is_unsegmented(c) && Script::of(c).is_none());
        // Syllables of Korean, and narrow Katakana, which composition widens.
        assert!(
            others
                .clone()
                .all(|c| matches!(c, '가'..='힣' | '\u{FF66}'..='\u{FF9D}'))
        );
    }

    #[test]
    fn common_words_cost_less_than_rare_ones() {
        let cost = |word: &str| {
            let chars: Vec<char> = word.chars().collect();
            let mut found = None;
            Script::ChineseJapanese.for_each_word(&chars, |length, cost| {
                if length == chars.len() {
                    found = Some(cost);
                }
            });
            found.expect("a word")
        };
        assert!(cost("研究") + cost("生命") < cost("研究生") + cost("命"));
        assert!(cost("の") < cost("起源"));
    }
}
