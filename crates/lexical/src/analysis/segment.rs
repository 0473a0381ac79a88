//! The cut of texts in scripts that are written without blanks.
//!
//! A run of characters of one script falls into the words of the least cost together: those of its dictionary, and for
//! each part that no word of it has, a word of one character as it is seen, which costs as much as several. It is what
//! ICU does for Chinese and Japanese (`CjkBreakEngine`): the best path forward through all words, in time linear in the
//! text. Words that are longer do not win by themselves: `研究生命` is `研究`, `生命`, and not `研究生`, `命`.

use pelorus_characters::is_unsegmented;
use unicode_properties::{GeneralCategory, UnicodeGeneralCategory};

use super::dictionary::{DICTIONARY_VERSION, Script};

/// The cost of a character that is no word.
const UNKNOWN_COST: u32 = 255;

/// Characters of a run that are looked at together, and those at its end that are looked at once more with what
/// follows: more than any word has.
const RUN_MAX: usize = 1_024;
const RUN_KEPT: usize = 64;

/// The tokens of texts in scripts that are written without blanks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Segmentation {
    /// Characters, and pairs of neighbouring ones.
    #[default]
    Pairs,
    /// Words, as dictionaries know them; Korean, which has blanks between words that grow many endings, stays in pairs.
    Words,
}

impl Segmentation {
    /// The name used in index settings.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pairs => "pairs",
            Self::Words => "words",
        }
    }

    /// The segmentation of a name used in index settings.
    pub fn from_name(name: &str) -> Option<Self> {
        let all = [Self::Pairs, Self::Words];
        all.into_iter().find(|one| one.as_str() == name)
    }

    /// Tells whether characters such as this are tokens, and two that are neighbours a token as well.
    pub(crate) fn pairs(self, c: char) -> bool {
        is_unsegmented(c) && (self == Self::Pairs || Script::of(c).is_none())
    }

    /// The version of the dictionaries by which texts are cut, where they are.
    pub(crate) fn dictionary(self) -> Option<u32> {
        (self == Self::Words).then_some(DICTIONARY_VERSION)
    }
}

/// Cuts runs of characters into words. One for each thread.
#[derive(Debug, Clone, Default)]
pub(super) struct Cutter {
    script: Option<Script>,
    chars: Vec<char>,
    /// For each character the bytes of the text that it was made of.
    places: Vec<(usize, usize)>,
    /// By character, and for the end of all: whether a word may begin there, the least cost of a cut up to there, and
    /// where the last word of it begins.
    nodes: Vec<Node>,
    word_ends: Vec<usize>,
}

#[derive(Debug, Clone, Copy)]
struct Node {
    is_boundary: bool,
    cost: u32,
    word_start: usize,
}

impl Cutter {
    /// Tells whether a character may be added to the run at hand.
    pub(super) fn is_of(&self, script: Script) -> bool {
        self.script == Some(script) && !self.chars.is_empty()
    }

    /// Adds a character to the run at hand, which is of its script or empty.
    pub(super) fn push(&mut self, script: Script, c: char, place: (usize, usize)) {
        debug_assert!(self.chars.is_empty() || self.script == Some(script));
        self.script = Some(script);
        self.chars.push(c);
        self.places.push(place);
        if matches!(script, Script::Thai | Script::Lao) {
            self.compose_last();
        }
    }

    /// Puts together what compatibility composition took apart and dictionaries have as one: the vowel `am`, also where a
    /// tone stands within it, and the letters of Lao for `hn` and `hm`.
    fn compose_last(&mut self) {
        let composed = match *self.chars.as_slice() {
            [.., '\u{0E4D}', '\u{0E32}'] => ['\u{0E33}'].as_slice(),
            [.., '\u{0ECD}', '\u{0EB2}'] => &['\u{0EB3}'],
            [.., '\u{0E4D}', tone @ '\u{0E48}'..='\u{0E4B}', '\u{0E32}'] => &[tone, '\u{0E33}'],
            [.., '\u{0ECD}', tone @ '\u{0EC8}'..='\u{0ECB}', '\u{0EB2}'] => &[tone, '\u{0EB3}'],
            [.., '\u{0EAB}', '\u{0E99}'] => &['\u{0EDC}'],
            [.., '\u{0EAB}', '\u{0EA1}'] => &['\u{0EDD}'],
            _ => return,
        };
        let from = self.chars.len() - composed.len() - 1;
        let place = (self.places[from].0, self.places[self.places.len() - 1].1);
        self.chars.truncate(from);
        self.places.truncate(from);
        self.chars.extend_from_slice(composed);
        self.places.resize(self.chars.len(), place);
    }

    pub(super) fn is_full(&self) -> bool {
        self.chars.len() >= RUN_MAX
    }

    /// Takes words out of the run and calls `emit` with each, made in `word`, and its place: all of them where the run
    /// `is_over`, or else those that nothing behind it will change.
    pub(super) fn take_words(
        &mut self,
        is_over: bool,
        word: &mut String,
        mut emit: impl FnMut(&mut String, (usize, usize)),
    ) {
        let Some(script) = self.script else { return };
        self.find_words(script);
        let sure = self.chars.len().saturating_sub(RUN_KEPT);
        let is_sure = |end: &&usize| is_over || **end <= sure;
        let taken = match self.word_ends.iter().take_while(is_sure).count() {
            // Marks without end.
            0 => self.word_ends.len(),
            taken => taken,
        };
        let mut start = 0;
        for &end in &self.word_ends[..taken] {
            let chars = &self.chars[start..end];
            if chars.iter().any(|c| c.is_alphanumeric()) {
                word.clear();
                word.extend(chars);
                emit(word, (self.places[start].0, self.places[end - 1].1));
            }
            start = end;
        }
        word.clear();
        self.chars.drain(..start);
        self.places.drain(..start);
    }

    /// Finds the ends of the words of the run.
    fn find_words(&mut self, script: Script) {
        let Self {
            chars,
            nodes,
            word_ends,
            ..
        } = self;
        nodes.clear();
        nodes.extend((0..=chars.len()).map(|at| Node {
            is_boundary: is_boundary(script, chars, at),
            cost: u32::MAX,
            word_start: 0,
        }));
        nodes[0].cost = 0;
        for start in 0..chars.len() {
            let Node {
                is_boundary, cost, ..
            } = nodes[start];
            if !is_boundary {
                continue;
            }
            debug_assert!(cost < u32::MAX, "each boundary is the end of some word");
            let one = (start + 1..nodes.len()).find(|&end| nodes[end].is_boundary);
            let one = one.expect("the end is a boundary");
            let mut reach = |end: usize, more: u32| {
                let node = &mut nodes[end];
                if node.is_boundary && cost + more < node.cost {
                    node.cost = cost + more;
                    node.word_start = start;
                }
            };
            script.for_each_word(&chars[start..], |length, more| reach(start + length, more));
            if let Some((length, more)) = katakana(chars, start) {
                reach(start + length, more);
            }
            reach(one, UNKNOWN_COST);
        }
        word_ends.clear();
        let mut end = chars.len();
        while end > 0 {
            word_ends.push(end);
            end = nodes[end].word_start;
        }
        word_ends.reverse();
    }
}

/// Katakana writes foreign words and names, of which no dictionary has all: where it begins, what there is of it may be
/// a word, by how long it is. The costs are those of ICU.
fn katakana(chars: &[char], start: usize) -> Option<(usize, u32)> {
    const COSTS: [u32; 9] = [8_192, 984, 408, 240, 204, 252, 300, 372, 480];
    const LENGTH_MAX: usize = 19;
    let is_katakana = |c: &char| matches!(*c, '\u{30A1}'..='\u{30FA}' | '\u{30FC}'..='\u{30FE}');
    let before = start.checked_sub(1).map(|before| &chars[before]);
    if before.is_some_and(is_katakana) {
        return None;
    }
    let length = chars[start..].iter().take(LENGTH_MAX + 1);
    let length = length.take_while(|&c| is_katakana(c)).count();
    let cost = COSTS.get(length).unwrap_or(&COSTS[0]);
    (1..=LENGTH_MAX)
        .contains(&length)
        .then_some((length, *cost))
}

/// Tells whether a word may end before the character at a place: not within what is seen as one, nor within a syllable
/// where its writing tells.
fn is_boundary(script: Script, chars: &[char], at: usize) -> bool {
    use GeneralCategory::{EnclosingMark, NonspacingMark, SpacingMark};
    if at == 0 || at == chars.len() {
        return true;
    }
    let (before, c) = (chars[at - 1], chars[at]);
    let is_mark = |c: char| {
        let category = c.general_category();
        matches!(category, NonspacingMark | SpacingMark | EnclosingMark)
    };
    if is_mark(c) {
        return false;
    }
    match script {
        Script::ChineseJapanese => true,
        // Vowels that stand behind a consonant, and those that stand before it and are spoken behind it.
        Script::Thai => {
            !matches!(c, '\u{0E30}' | '\u{0E32}' | '\u{0E33}' | '\u{0E45}')
                && !matches!(before, '\u{0E40}'..='\u{0E44}')
        }
        Script::Lao => {
            !matches!(c, '\u{0EB0}' | '\u{0EB2}' | '\u{0EB3}' | '\u{0EBD}')
                && !matches!(before, '\u{0EC0}'..='\u{0EC4}')
        }
        // The sign that stacks consonants.
        Script::Khmer => before != '\u{17D2}',
        // The same sign, and consonants that end a syllable or are stacked upon.
        Script::Myanmar => {
            let behind = match chars.get(at + 1) {
                Some('\u{1037}') => chars.get(at + 2),
                behind => behind,
            };
            before != '\u{1039}' && !matches!(behind, Some('\u{1039}' | '\u{103A}'))
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn cut(text: &str) -> Vec<String> {
        let mut words = Vec::new();
        let mut emit = |word: &mut String, _| words.push(word.clone());
        let (mut cutter, mut word) = (Cutter::default(), String::new());
        for (at, c) in text.char_indices() {
            let script = Script::of(c).expect("a script with a dictionary");
            if !cutter.is_of(script) {
                cutter.take_words(true, &mut word, &mut emit);
            }
            cutter.push(script, c, (at, at + c.len_utf8()));
            if cutter.is_full() {
                cutter.take_words(false, &mut word, &mut emit);
            }
        }
        cutter.take_words(true, &mut word, &mut emit);
        words
    }

    #[test]
    fn chinese_falls_into_words() {
        for words in [
            "研究|生命|起源",
            "我在|北京|大学|学习",
            "结婚|的|和|尚未|结婚|的",
            "手机|壳|和|充电|器",
            "南京市|长江|大|桥",
            "蘋果|手機|保護|殼",
        ] {
            assert_eq!(cut(&words.replace('|', "")).join("|"), words);
        }
    }

    #[test]
    fn japanese_falls_into_words() {
        for words in [
            "日本語|の|形態素|解析",
            "機械|学習|を|勉強|し|てい|ます",
            "すもも|も|も|も|も|も|もの|うち",
            "コーヒー|メーカー|の|掃除|方法",
        ] {
            assert_eq!(cut(&words.replace('|', "")).join("|"), words);
        }
    }

    #[test]
    fn a_foreign_name_in_katakana_is_one_word() {
        assert_eq!(cut("ペロルスの検索"), ["ペロルス", "の", "検索"]);
    }

    #[test]
    fn thai_and_its_neighbours_fall_into_words() {
        let sentences = [
            "ฉัน|ชอบ|กิน|ข้าว|ผัด|กุ้ง",
            "ภาษา|ไทย|เขียน|ติด|กัน",
            "ตากลม",
            "ພາສາ|ລາວ",
            "မြန်မာ|စာ",
            "ភាសាខ្មែរ|ភាសាខ្មែរ",
        ];
        let cut = sentences.map(|words| cut(&words.replace('|', "")).join("|"));
        assert_eq!(cut, sentences);
    }

    #[test]
    fn unknown_words_are_cut_into_characters_as_they_are_seen() {
        assert_eq!(cut("\u{3400}\u{3401}\u{3402}").len(), 3);
        assert_eq!(cut("ฏั้ฏู"), ["ฏั้", "ฏู"]);
        // No vowel stands by itself.
        assert_eq!(cut("เฌฌา"), ["เฌ", "ฌา"]);
    }

    #[test]
    fn a_vowel_that_composition_took_apart_is_one_again() {
        for (text, word) in [
            ("ท\u{E4D}\u{E32}", "ท\u{E33}"),
            ("น\u{E49}\u{E4D}\u{E32}", "น\u{E49}\u{E33}"),
            ("น\u{E4D}\u{E49}\u{E32}", "น\u{E49}\u{E33}"),
            ("ນ\u{EC9}\u{ECD}\u{EB2}", "ນ\u{EC9}\u{EB3}"),
            ("\u{EAB}\u{EA1}\u{EB2}", "\u{EDD}\u{EB2}"),
        ] {
            assert_eq!(cut(text), [word]);
        }
    }

    #[test]
    fn a_text_without_end_is_cut_as_one_with() {
        let sentence = "研究生命起源，".replace('，', "");
        let long = cut(&sentence.repeat(1_000));
        assert_eq!(long, ["研究", "生命", "起源"].repeat(1_000));
        let marks = format!("ก{}", "\u{E31}".repeat(5_000));
        assert!(cut(&marks).concat() == marks);
    }

    #[test]
    fn a_text_is_cut_in_linear_time() {
        for words in ["研究生命", "データベース", "ขาวดำ", "မြန်မာ", "\u{17D2}ក"]
        {
            let text = |count: usize| words.repeat(count);
            pelorus_growth::assert_linear(words, 1 << 12, text, |text: &String| {
                assert!(!cut(text).is_empty());
            });
        }
    }

    /// Words, and characters that make none.
    fn texts() -> impl Strategy<Value = String> {
        let words = [
            "研究",
            "生",
            "命",
            "大学",
            "の",
            "ます",
            "コー",
            "ヒ",
            "ー",
            "\u{3099}",
            "ㄅ",
            "กิน",
            "ข้าว",
            "น้ำ",
            "เ",
            "า",
            "\u{E49}",
            "ພາສາ",
            "ລາວ",
            "\u{EB0}",
            "မြန်မာ",
            "\u{1039}",
            "စာ",
            "ភាសា",
            "\u{17D2}",
            "ខ្មែរ",
        ];
        let word = prop_oneof![
            8 => proptest::sample::select(words.to_vec()).prop_map(str::to_owned),
            1 => prop_oneof![
                proptest::char::range('\u{E00}', '\u{EFF}'),
                proptest::char::range('\u{1000}', '\u{109F}'),
                proptest::char::range('\u{1780}', '\u{17FF}'),
                proptest::char::range('\u{3041}', '\u{312F}'),
                proptest::char::range('\u{4E00}', '\u{9FFF}'),
            ].prop_map(|c| c.to_string()),
        ];
        proptest::collection::vec(word, 0..40).prop_map(|words| words.concat())
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 2_048, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn words_together_are_the_text(text in texts()) {
            // But for marks without a letter, and for what is put together again.
            let is_plain = !["\u{E4D}", "\u{ECD}", "\u{EAB}"].iter().any(|one| text.contains(one));
            let words = cut(&text);
            prop_assert!(words.iter().all(|word| word.contains(char::is_alphanumeric)));
            let mut rest = &*text;
            for word in words.iter().filter(|_| is_plain) {
                let at = rest.find(&**word);
                prop_assert!(at.is_some(), "{word} in {rest}");
                let (skipped, found) = rest.split_at(at.unwrap_or_default());
                prop_assert!(!skipped.contains(char::is_alphanumeric), "{skipped} of {text}");
                rest = &found[word.len()..];
            }
            if is_plain {
                prop_assert!(!rest.contains(char::is_alphanumeric), "{rest} of {text}");
            }
        }

        #[test]
        fn no_cut_costs_less(text in texts()) {
            // All cuts, one after the other, by a rule as simple as it can be.
            let chars: Vec<char> = text.chars().take(9).collect();
            let Some(script) = chars.first().and_then(|&c| Script::of(c)) else { return Ok(()) };
            let same = chars.iter().take_while(|&&c| Script::of(c) == Some(script)).count();
            let mut cutter = Cutter::default();
            for &c in &chars[..same] {
                cutter.push(script, c, (0, 0));
            }
            let chars = cutter.chars.clone();
            let cost_of = |from: usize, to: usize| {
                let is_one = (from + 1..to).all(|at| !is_boundary(script, &chars, at));
                let mut least = is_one.then_some(UNKNOWN_COST);
                script.for_each_word(&chars[from..], |length, cost| if from + length == to {
                    least = Some(least.map_or(cost, |least| least.min(cost)));
                });
                let run = katakana(&chars, from).filter(|(length, _)| from + length == to);
                least.into_iter().chain(run.map(|(_, cost)| cost)).min()
            };
            let least = (0..1_u32 << chars.len().saturating_sub(1)).filter_map(|cuts| {
                let (mut from, mut sum) = (0, 0);
                for to in 1..=chars.len() {
                    let is_end = to == chars.len();
                    if is_end || cuts & 1 << (to - 1) != 0 {
                        if !is_end && !is_boundary(script, &chars, to) {
                            return None;
                        }
                        sum += cost_of(from, to)?;
                        from = to;
                    }
                }
                Some(sum)
            }).min();
            cutter.find_words(script);
            prop_assert_eq!(cutter.nodes.last().map(|node| node.cost), least);
        }
    }
}
