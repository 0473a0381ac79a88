//! The analysis of the texts of a field: their language, and the treatment of endings.

use frostem::Algorithm;
use serde::{Deserialize, Serialize};

/// A language whose words are written in Latin letters and whose endings are cut. Words in other
/// scripts are analysed by their script, whatever the language is: Cyrillic ones as Russian, Greek,
/// Arabic and Devanagari ones as Greek, Arabic and Hindi.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default, Serialize, Deserialize,
)]
#[serde(rename_all = "lowercase")]
pub enum Language {
    /// The language assumed for any text that is short, uncertain, or in a language without a
    /// stemmer.
    #[default]
    En,
    Ca,
    Da,
    De,
    Es,
    Fi,
    Fr,
    Ga,
    Hu,
    Id,
    It,
    Nl,
    No,
    Pl,
    Pt,
    Ro,
    Sv,
    Tr,
}

impl Language {
    /// Every language, by its number.
    pub(crate) const ALL: [Language; 18] = [
        Language::En,
        Language::Ca,
        Language::Da,
        Language::De,
        Language::Es,
        Language::Fi,
        Language::Fr,
        Language::Ga,
        Language::Hu,
        Language::Id,
        Language::It,
        Language::Nl,
        Language::No,
        Language::Pl,
        Language::Pt,
        Language::Ro,
        Language::Sv,
        Language::Tr,
    ];

    /// The language of a tag such as `de`, `pt-BR` or `en_US`; English for tags that are unknown, and
    /// for those of languages that are told by their script.
    pub fn from_tag(tag: &str) -> Language {
        let primary = tag.split(['-', '_']).next().unwrap_or_default();
        match primary.to_ascii_lowercase().as_str() {
            "ca" => Language::Ca,
            "da" => Language::Da,
            "de" => Language::De,
            "es" => Language::Es,
            "fi" => Language::Fi,
            "fr" => Language::Fr,
            "ga" => Language::Ga,
            "hu" => Language::Hu,
            "id" => Language::Id,
            "it" => Language::It,
            "nl" => Language::Nl,
            "no" | "nb" | "nn" => Language::No,
            "pl" => Language::Pl,
            "pt" => Language::Pt,
            "ro" => Language::Ro,
            "sv" => Language::Sv,
            "tr" => Language::Tr,
            _ => Language::En,
        }
    }

    /// Tells whether it writes several words as one, the last of which says what it is.
    pub(crate) fn compounds(self) -> bool {
        use Language::{Da, De, Fi, Hu, Nl, No, Sv};
        matches!(self, Da | De | Fi | Hu | Nl | No | Sv)
    }

    pub(super) fn algorithm(self) -> Algorithm {
        match self {
            Language::En => Algorithm::English,
            Language::Ca => Algorithm::Catalan,
            Language::Da => Algorithm::Danish,
            Language::De => Algorithm::German,
            Language::Es => Algorithm::Spanish,
            Language::Fi => Algorithm::Finnish,
            Language::Fr => Algorithm::French,
            Language::Ga => Algorithm::Irish,
            Language::Hu => Algorithm::Hungarian,
            Language::Id => Algorithm::Indonesian,
            Language::It => Algorithm::Italian,
            Language::Nl => Algorithm::Dutch,
            Language::No => Algorithm::Norwegian,
            Language::Pl => Algorithm::Polish,
            Language::Pt => Algorithm::Portuguese,
            Language::Ro => Algorithm::Romanian,
            Language::Sv => Algorithm::Swedish,
            Language::Tr => Algorithm::Turkish,
        }
    }
}

/// The treatment of the endings of words.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default, Serialize, Deserialize,
)]
#[serde(rename_all = "lowercase")]
pub enum Stemming {
    /// Nothing.
    None,
    /// They are cut as the language's stemmer says.
    #[default]
    Best,
    /// As `Best`, unless the word is shorter than the stemmer's result.
    Shortest,
    /// The word is found by its stem and, with a higher score, as it is.
    Multiple,
}

impl Stemming {
    pub(crate) const ALL: [Stemming; 4] = [
        Stemming::None,
        Stemming::Best,
        Stemming::Shortest,
        Stemming::Multiple,
    ];
}

/// The analysis of one text.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default, Serialize, Deserialize,
)]
pub(crate) struct Analysis {
    pub(crate) language: Language,
    pub(crate) stemming: Stemming,
}

impl Analysis {
    /// A number of its own; it never changes.
    pub(crate) fn number(self) -> u8 {
        AnalysisSet::from(self).0.trailing_zeros() as u8
    }
}

/// The analysis of the texts of a field from its first one on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct FieldAnalysis {
    /// `None` when it is detected, text by text.
    pub language: Option<Language>,
    /// `Best` where nothing was said.
    pub stemming: Stemming,
}

/// Several [`Analysis`], a bit each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub(crate) struct AnalysisSet(u128);

impl AnalysisSet {
    pub(crate) fn insert(&mut self, analysis: Analysis) {
        self.0 |= AnalysisSet::from(analysis).0;
    }

    pub(crate) fn union(self, other: AnalysisSet) -> AnalysisSet {
        AnalysisSet(self.0 | other.0)
    }

    pub(crate) fn intersects(self, other: AnalysisSet) -> bool {
        self.0 & other.0 != 0
    }

    /// Those that cut endings in this way.
    pub(crate) fn with_stemming(self, stemming: Stemming) -> AnalysisSet {
        self.iter().filter(|one| one.stemming == stemming).collect()
    }

    pub(crate) fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// In the order of languages, English first.
    pub(crate) fn iter(self) -> impl Iterator<Item = Analysis> {
        AnalysisSet::all().filter(move |&one| self.intersects(one.into()))
    }

    /// Every analysis that there is.
    pub(crate) fn all() -> impl Iterator<Item = Analysis> {
        let languages = Language::ALL.into_iter();
        languages.flat_map(|language| {
            let stemmings = Stemming::ALL.into_iter();
            stemmings.map(move |stemming| Analysis { language, stemming })
        })
    }
}

impl From<Analysis> for AnalysisSet {
    fn from(one: Analysis) -> AnalysisSet {
        AnalysisSet(1 << (one.language as u32 * Stemming::ALL.len() as u32 + one.stemming as u32))
    }
}

impl FromIterator<Analysis> for AnalysisSet {
    fn from_iter<T: IntoIterator<Item = Analysis>>(all: T) -> AnalysisSet {
        let sets = all.into_iter().map(AnalysisSet::from);
        sets.fold(AnalysisSet::default(), AnalysisSet::union)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tag_names_its_language_and_any_other_is_english() {
        for (tag, language) in [
            ("de", Language::De),
            ("pt-BR", Language::Pt),
            ("SV_se", Language::Sv),
            ("nb", Language::No),
            ("ru", Language::En),
            ("", Language::En),
            ("klingon", Language::En),
        ] {
            assert_eq!(Language::from_tag(tag), language, "{tag}");
        }
    }

    #[test]
    fn a_set_holds_what_was_put_in() {
        let all = Language::ALL
            .into_iter()
            .flat_map(|language| Stemming::ALL.map(|stemming| Analysis { language, stemming }));
        let mut set = AnalysisSet::default();
        for (count, one) in all.enumerate() {
            assert!(!set.intersects(one.into()));
            set.insert(one);
            assert!(set.intersects(one.into()));
            assert_eq!(set.iter().count(), count + 1);
        }
        let none = set.with_stemming(Stemming::None);
        assert_eq!(none.iter().count(), Language::ALL.len());
        assert!(none.iter().all(|one| one.stemming == Stemming::None));
    }
}
