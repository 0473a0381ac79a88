//! Words of a query that are left out of it.

use std::collections::HashSet;
use std::sync::LazyLock;

use super::QueryAnalyses;
use crate::analysis::{Language, WordAnalyzer, function_words, told_language};

/// The words that a query leaves out, unless nothing would be left of it. Those of quoted phrases stay, and so does the
/// last word where it is a beginning.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum StopWords {
    /// None.
    #[default]
    None,
    /// The function words of the query's language: of the one that the query names, or its function words tell, or all
    /// texts are in, and English where none of these is known.
    Auto,
    /// The function words of a language.
    Of(Language),
    /// These, without case and accents.
    Words(Vec<String>),
}

/// The function words of each language as they are compared.
static FOLDED: LazyLock<Vec<(Language, HashSet<String>)>> = LazyLock::new(|| {
    let all = Language::ALL.into_iter();
    all.map(|language| (language, folded(function_words(language))))
        .collect()
});

/// Words without case and accents. Those of several words are none.
fn folded<'w>(words: impl IntoIterator<Item = &'w str>) -> HashSet<String> {
    let mut analyzer = WordAnalyzer::new();
    let words = words.into_iter();
    words
        .filter_map(|word| only_word(&mut analyzer, word))
        .collect()
}

fn only_word(analyzer: &mut WordAnalyzer, text: &str) -> Option<String> {
    let mut words = analyzer.words(text).into_iter();
    words.next().filter(|_| words.next().is_none())
}

impl StopWords {
    /// Tells which of the unquoted words of a query are among them; nothing where none are asked for.
    pub(super) fn among(
        &self,
        words: &[&str],
        text: &str,
        language: Option<Language>,
        analyses: &QueryAnalyses,
    ) -> Vec<bool> {
        let of = |language: Language| {
            let mut all = FOLDED.iter();
            all.find(|(one, _)| *one == language)
                .map(|(_, words)| words)
        };
        let own;
        let stop_words = match self {
            StopWords::None => return Vec::new(),
            StopWords::Auto => {
                let told = language.or_else(|| told_language(text));
                of(told
                    .or_else(|| analyses.only_language())
                    .unwrap_or_default())
            }
            StopWords::Of(language) => of(*language),
            StopWords::Words(words) => {
                own = folded(words.iter().map(String::as_str));
                Some(&own)
            }
        };
        let mut analyzer = WordAnalyzer::new();
        let is_among = |word: &&str| {
            let word = only_word(&mut analyzer, word);
            word.zip(stop_words)
                .is_some_and(|(word, all)| all.contains(&word))
        };
        words.iter().map(is_among).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_language_has_words_and_none_that_means_something() {
        for (language, words) in FOLDED.iter() {
            assert!(words.len() > 20, "{language:?}");
        }
        let of = |language| &FOLDED.iter().find(|(one, _)| *one == language).unwrap().1;
        assert!(of(Language::Fr).contains("a") && !of(Language::Fr).contains("ete"));
        assert!(of(Language::En).contains("the") && !of(Language::En).contains("one"));
        assert!(!of(Language::Tr).contains("guzel"));
    }
}
