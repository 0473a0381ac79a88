//! A query as terms of tokens, for an index of the same tokens that is kept elsewhere.

use std::sync::Arc;

use super::{LexicalQuery, QueryAnalyses, QueryPlan, QueryTerm, TermForm};
use crate::analysis::{Analysis, AnalysisSet, Analyzer, FieldAnalysis};
use crate::error::Result;
use crate::field_table::FieldTable;

/// The text fields of an index that is kept elsewhere, and how their texts were analysed.
#[derive(Debug, Clone, Default)]
pub struct TextFields(Arc<FieldTable>);

impl TextFields {
    /// Fields, each with the numbers of the analyses that its texts had ([`TextFields::analysis_number`]).
    pub fn new<'n>(fields: impl IntoIterator<Item = (&'n str, Vec<u8>)>) -> Self {
        let fields = fields.into_iter().map(|(name, numbers)| {
            let analyses = AnalysisSet::all().filter(|one| numbers.contains(&number(*one)));
            (name.to_owned(), analyses.collect::<AnalysisSet>())
        });
        Self(Arc::new(FieldTable::new(fields)))
    }

    /// The number of the analysis of a text in a field of an analysis; it never changes.
    pub fn analysis_number(field: FieldAnalysis, text: &str) -> u8 {
        number(field.of(text))
    }
}

fn number(analysis: Analysis) -> u8 {
    AnalysisSet::from(analysis).first_place()
}

/// The condition of a match: all `required` terms or, where there are none, at least one of the `optional` ones.
#[derive(Debug, Clone, PartialEq, Eq)]
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
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchTerm {
    pub forms: Vec<SearchForm>,
    /// The number of times that the query names it, a factor of its score.
    pub count: u32,
}

/// A form of a term in one field.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct SearchForm {
    pub field: String,
    /// One token, or several that must be consecutive.
    pub tokens: Vec<String>,
}

impl QueryTerms {
    /// Reads a query, in some fields or all. `k` has no say.
    ///
    /// # Errors
    /// [`LexicalError::QueryTooLong`](crate::LexicalError::QueryTooLong).
    pub fn of(query: &LexicalQuery, fields: &TextFields) -> Result<Self> {
        let analyses = QueryAnalyses::new(fields.0.clone(), query.language);
        let analyzer = &mut Analyzer::default();
        let plan = QueryPlan::new(&query.text, query.operand, &analyses, analyzer)?;
        let named = query.fields.as_deref();
        Ok(match plan {
            QueryPlan::Everything => Self::Everything,
            QueryPlan::Nothing => Self::Nothing,
            QueryPlan::Terms { required, optional } => Self::Terms {
                required: required
                    .iter()
                    .map(|one| term(one, named, fields))
                    .collect(),
                optional: optional
                    .iter()
                    .map(|one| term(one, named, fields))
                    .collect(),
            },
        })
    }
}

fn term(term: &QueryTerm, named: Option<&[String]>, fields: &TextFields) -> SearchTerm {
    let names = fields.0.names().iter();
    let names = names.filter(|name| named.is_none_or(|named| named.contains(name)));
    let mut forms = Vec::new();
    for name in names {
        let Some(slot) = fields.0.slot(name) else {
            continue;
        };
        let stand_here = |form: &&TermForm| term.tokens.stands_in(form, slot);
        let here = term.tokens.forms().iter().filter(stand_here);
        forms.extend(here.map(|form| SearchForm {
            field: name.clone(),
            tokens: form.tokens.clone(),
        }));
    }
    SearchTerm {
        forms,
        count: term.count,
    }
}
