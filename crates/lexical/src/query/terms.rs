//! A query as terms of tokens, for an index of the same tokens that is kept elsewhere.

use std::collections::HashMap;
use std::sync::Arc;

use super::{LexicalQuery, QueryAnalyses, QueryPlan, QueryTerm, TermForm, TermForms};
use crate::analysis::{AnalysisSet, FieldAnalysis};
use crate::error::Result;
use crate::field_table::FieldTable;
use crate::field_weights::FieldWeights;
use crate::highlight::Highlighter;

/// The text fields of an index that is kept elsewhere, and how their texts were analysed.
#[derive(Debug, Clone, Default)]
pub struct TextFields(Arc<FieldTable>);

impl TextFields {
    /// Fields, each with the numbers of the analyses that its texts had ([`TextFields::analysis_number`]).
    pub fn new<'n>(fields: impl IntoIterator<Item = (&'n str, Vec<u8>)>) -> Self {
        let fields = fields.into_iter().map(|(name, numbers)| {
            let analyses = AnalysisSet::all().filter(|one| numbers.contains(&one.number()));
            (name.to_owned(), analyses.collect::<AnalysisSet>())
        });
        Self(Arc::new(FieldTable::new(fields)))
    }

    /// The number of the analysis of a text in a field of an analysis; it never changes.
    pub fn analysis_number(field: FieldAnalysis, text: &str) -> u8 {
        field.of(text).number()
    }

    /// The names of the fields.
    pub fn names(&self) -> &[String] {
        self.0.names()
    }

    /// Tells whether a field is among them.
    pub fn has(&self, name: &str) -> bool {
        self.0.slot(name).is_some()
    }

    /// The forms of a phrase in a field. None of a field that is not there, and of a text without tokens.
    pub fn phrase(&self, field: &str, text: &str) -> Vec<SearchForm> {
        let analyses = QueryAnalyses::new(self.0.clone(), None);
        let phrase = analyses.phrase(text, &mut analyses.analyzer());
        phrase.map_or_else(Vec::new, |phrase| {
            let weights = FieldWeights::default();
            forms(&phrase, Some(&[field.to_owned()]), &weights, self)
        })
    }

    /// Finds the words of a query in texts. `analyses` are those of fields for which a request has set one.
    ///
    /// # Errors
    /// [`LexicalError::QueryTooLong`](crate::LexicalError::QueryTooLong).
    pub fn highlighter(
        &self,
        query: &LexicalQuery,
        analyses: Arc<HashMap<String, FieldAnalysis>>,
    ) -> Result<Highlighter> {
        let known = QueryAnalyses::new(self.0.clone(), query.language);
        let analyzer = &mut known.analyzer();
        let plan = QueryPlan::new(query, &known, analyzer)?;
        Ok(Highlighter::of_plan(plan, query, self.0.clone(), analyses))
    }
}

/// The condition of a match: all `required` terms or, where there are none, at least one of the `optional` ones.
#[derive(Debug, Clone, PartialEq)]
pub enum QueryTerms {
    /// Every document matches, with score 0.
    Everything,
    /// Nothing can match.
    Nothing,
    Terms {
        required: Vec<SearchTerm>,
        optional: Vec<SearchTerm>,
    },
}

/// A term of a query, whose occurrences in any of its forms add up to its score.
#[derive(Debug, Clone, PartialEq)]
pub struct SearchTerm {
    pub forms: Vec<SearchForm>,
    /// The number of times that the query names it, a factor of its score.
    pub count: u32,
}

/// A form of a term in one field.
#[derive(Debug, Clone, PartialEq)]
pub struct SearchForm {
    pub field: String,
    /// The weight of the field, a factor of its score.
    pub weight: f64,
    /// One token, or several that are a phrase.
    pub tokens: Vec<String>,
    /// The slop of the phrase: 0 where its tokens are consecutive.
    pub slop: u32,
}

impl QueryTerms {
    /// Reads a query, in some fields or all. `k` has no say.
    ///
    /// # Errors
    /// [`LexicalError::QueryTooLong`](crate::LexicalError::QueryTooLong).
    pub fn of(query: &LexicalQuery, fields: &TextFields) -> Result<Self> {
        let analyses = QueryAnalyses::new(fields.0.clone(), query.language);
        let analyzer = &mut analyses.analyzer();
        let plan = QueryPlan::new(query, &analyses, analyzer)?;
        let named = query.fields.as_deref();
        let weights = FieldWeights::new(&query.field_weights, &fields.0);
        let term = |one: &QueryTerm| SearchTerm {
            forms: forms(&one.tokens, named, &weights, fields),
            count: one.count,
        };
        Ok(match plan {
            QueryPlan::Everything => Self::Everything,
            QueryPlan::Nothing => Self::Nothing,
            QueryPlan::Terms { required, optional } => Self::Terms {
                required: required.iter().map(term).collect(),
                optional: optional.iter().map(term).collect(),
            },
        })
    }
}

fn forms(
    tokens: &TermForms,
    named: Option<&[String]>,
    weights: &FieldWeights,
    fields: &TextFields,
) -> Vec<SearchForm> {
    let names = fields.0.names().iter();
    let names = names.filter(|name| named.is_none_or(|named| named.contains(name)));
    let mut forms = Vec::new();
    for name in names {
        let Some(slot) = fields.0.slot(name) else {
            continue;
        };
        let stand_here = |form: &&TermForm| tokens.stands_in(form, slot);
        let here = tokens.forms().iter().filter(stand_here);
        forms.extend(here.map(|form| SearchForm {
            field: name.clone(),
            weight: weights.of(slot),
            tokens: form.tokens.clone(),
            slop: form.slop,
        }));
    }
    forms
}
