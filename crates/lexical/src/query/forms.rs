use std::sync::Arc;

use crate::analysis::{Analysis, AnalysisSet, Analyzer, Language, Segmentation, Stemming};
use crate::field_table::{FieldTable, Slot};
use crate::phrase::FREQUENCY_PARTS;
use crate::positions::pair_up;

/// The ways in which a query is analysed: as texts of the index were, unless it names a language.
pub(crate) struct QueryAnalyses {
    /// The analyses of the query for fields in which one of the set was used.
    ways: Vec<(AnalysisSet, Analysis)>,
    fields: Arc<FieldTable>,
}

/// The forms of a term in the index: in every language that texts are in, which is seldom more than one form.
#[derive(Debug, Clone)]
pub(crate) struct TermForms {
    /// Distinct by their tokens.
    forms: Vec<TermForm>,
    /// The fields, needed to know which form each has when there are several forms.
    fields: Option<Arc<FieldTable>>,
}

/// One token, or several that are a phrase in one field.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct TermForm {
    pub(crate) tokens: Vec<String>,
    /// The slop of several tokens: 0 where these are consecutive.
    pub(crate) slop: u32,
    /// The form stands in fields in which one of them was used.
    analyses: AnalysisSet,
}

impl QueryAnalyses {
    /// The analyses of a query in `language`, or in that of the texts where it is not known.
    pub(crate) fn new(fields: Arc<FieldTable>, language: Option<Language>) -> QueryAnalyses {
        let used = fields.all_analyses();
        let ways = match language {
            None => used.iter().map(|one| (one.into(), one)).collect(),
            Some(language) => Stemming::ALL
                .map(|stemming| {
                    (
                        used.with_stemming(stemming),
                        Analysis { language, stemming },
                    )
                })
                .into_iter()
                .filter(|(used, _)| !used.is_empty())
                .collect(),
        };
        QueryAnalyses { ways, fields }
    }

    /// The language that all texts are in, or the query; `None` where there are several.
    pub(super) fn only_language(&self) -> Option<Language> {
        let mut languages = self.ways.iter().map(|(_, analysis)| analysis.language);
        let first = languages.next()?;
        languages.all(|one| one == first).then_some(first)
    }

    /// An analyzer for texts like those of the index.
    pub(crate) fn analyzer(&self) -> Analyzer {
        Analyzer::new(self.fields.segmentation())
    }

    /// The cut of texts in scripts without blanks.
    pub(crate) fn segmentation(&self) -> Segmentation {
        self.fields.segmentation()
    }

    /// The forms that `text` may have in the index, word by word.
    pub(crate) fn words(&self, text: &str, analyzer: &mut Analyzer) -> WordForms<'_> {
        let mut forms: Vec<TermForm> = Vec::new();
        let mut add = |tokens: Vec<String>, analyses| add_form(&mut forms, tokens, analyses);
        for &(used, analysis) in &self.ways {
            add(analyzer.tokens(text, analysis), used);
            if analysis.stemming == Stemming::Multiple {
                add(analyzer.whole_tokens(text, analysis), used);
            }
        }
        if self.ways.is_empty() {
            // An index without texts.
            add(
                analyzer.tokens(text, Analysis::default()),
                AnalysisSet::default(),
            );
        }
        WordForms {
            forms,
            fields: &self.fields,
        }
    }

    /// The `at`-th word of `text` in each analysis, folded; none where it is no word to complete.
    pub(crate) fn typed(&self, text: &str, at: usize, analyzer: &mut Analyzer) -> Vec<String> {
        let ways = self.ways.iter().map(|(_, analysis)| *analysis);
        let mut typed: Vec<String> = Vec::new();
        for analysis in ways {
            let words = analyzer.words(text, analysis);
            let word = words.into_iter().nth(at).filter(|word| !word.is_empty());
            typed.extend(word.filter(|word| !typed.contains(word)));
        }
        typed
    }

    /// `text` as one phrase, if it has a token.
    pub(crate) fn phrase(&self, text: &str, analyzer: &mut Analyzer) -> Option<TermForms> {
        let words = self.words(text, analyzer);
        let count = words.len();
        (count > 0).then(|| words.term(0..count))
    }
}

/// The words of a text, each in several forms.
pub(crate) struct WordForms<'q> {
    /// All of them with as many tokens.
    forms: Vec<TermForm>,
    fields: &'q Arc<FieldTable>,
}

impl WordForms<'_> {
    pub(crate) fn len(&self) -> usize {
        self.first().len()
    }

    /// In the first form. Which words are characters or symbols is the same in each.
    pub(super) fn first(&self) -> &[String] {
        self.forms.first().map_or(&[], |form| &form.tokens)
    }

    /// The words of a range as one term.
    pub(crate) fn term(&self, words: std::ops::Range<usize>) -> TermForms {
        let mut forms = Vec::new();
        for form in &self.forms {
            let tokens = form.tokens[words.clone()].to_vec();
            let tokens = pair_up(tokens, self.fields.segmentation());
            add_form(&mut forms, tokens, form.analyses);
        }
        TermForms {
            fields: (forms.len() > 1).then(|| self.fields.clone()),
            forms,
        }
    }
}

fn add_form(forms: &mut Vec<TermForm>, tokens: Vec<String>, analyses: AnalysisSet) {
    match forms.iter_mut().find(|form| form.tokens == tokens) {
        Some(form) => form.analyses = form.analyses.union(analyses),
        None => forms.push(TermForm {
            tokens,
            slop: 0,
            analyses,
        }),
    }
}

impl TermForms {
    pub(crate) fn forms(&self) -> &[TermForm] {
        &self.forms
    }

    /// As a phrase of a slop, if it is one.
    pub(crate) fn with_slop(mut self, slop: u32) -> Self {
        let phrases = self.forms.iter_mut().filter(|form| form.tokens.len() > 1);
        phrases.for_each(|form| form.slop = slop);
        self
    }

    /// The number by which frequencies of the term count an occurrence.
    pub(crate) fn frequency_parts(&self) -> u32 {
        match self.forms.iter().any(|form| form.slop > 0) {
            true => FREQUENCY_PARTS,
            false => 1,
        }
    }

    /// Tokens of each form.
    pub(crate) fn token_count(&self) -> usize {
        self.forms.first().map_or(0, |form| form.tokens.len())
    }

    /// Tells whether the texts of a field may have `form`.
    pub(crate) fn stands_in(&self, form: &TermForm, slot: Slot) -> bool {
        let fields = self.fields.as_ref();
        fields.is_none_or(|fields| fields.analyses(slot).intersects(form.analyses))
    }
}
