//! Filters in OpenSearch's query DSL.

use pelorus_columns::TypedFilter;
use pelorus_engine::{CandidateIndex, Result};
use serde_json::{Value, json};

use crate::area::area_query;
use crate::layout::VALUES;
use crate::value_terms::{
    float_term, id_term, int_term, moment_term, starts, text_starts, text_term, truth_term,
};
use crate::words::any_form;

/// Writes a filter of documents of an index.
///
/// # Errors
/// For words of a text that the index cannot be asked.
pub(crate) fn index_filter(index: &CandidateIndex, filter: &TypedFilter) -> Result<Value> {
    let contains = |field: &str, words: &str| -> Result<Value> {
        index.check_contains(field)?;
        Ok(any_form(&index.text_fields().phrase(field, words)))
    };
    filter_query(filter, &contains)
}

/// Writes a filter. `contains` writes the terms that ask for the words of a text.
///
/// # Errors
/// Those of `contains`.
pub fn filter_query<E>(
    filter: &TypedFilter,
    contains: &impl Fn(&str, &str) -> std::result::Result<Value, E>,
) -> std::result::Result<Value, E> {
    Ok(match filter {
        TypedFilter::And(filters) => {
            let mut all = Vec::new();
            let mut none = Vec::new();
            for filter in filters {
                match filter {
                    TypedFilter::Not(filter) => none.push(filter_query(filter, contains)?),
                    filter => all.push(filter_query(filter, contains)?),
                }
            }
            json!({"bool": {"filter": all, "must_not": none}})
        }
        // The bool query of no clauses matches everything.
        TypedFilter::Or(filters) if filters.is_empty() => json!({"match_none": {}}),
        TypedFilter::Or(filters) => {
            // Values of all fields are terms of one field, and any of many terms is one clause: nodes bound the clauses.
            let mut values = Vec::new();
            let mut any = Vec::new();
            for filter in filters {
                if !add_values(filter, &mut values) {
                    any.push(filter_query(filter, contains)?);
                }
            }
            if any.is_empty() {
                return Ok(terms(values));
            }
            if !values.is_empty() {
                any.push(terms(values));
            }
            json!({"bool": {"should": any, "minimum_should_match": 1}})
        }
        TypedFilter::Not(filter) => {
            json!({"bool": {"must_not": [filter_query(filter, contains)?]}})
        }
        TypedFilter::Ids(_)
        | TypedFilter::Texts { .. }
        | TypedFilter::Truth { .. }
        | TypedFilter::Ints { .. }
        | TypedFilter::Floats { .. } => {
            let mut values = Vec::new();
            add_values(filter, &mut values);
            terms(values)
        }
        TypedFilter::IntRange { field, least, most } => {
            range(&int_term(field, *least), &int_term(field, *most))
        }
        TypedFilter::FloatRange { field, least, most } => {
            range(&float_term(field, *least), &float_term(field, *most))
        }
        TypedFilter::MomentRange { field, least, most } => {
            let least = least.unwrap_or(pelorus_filter::Moment::MIN);
            let most = most.unwrap_or(pelorus_filter::Moment::MAX);
            range(&moment_term(field, least), &moment_term(field, most))
        }
        TypedFilter::IdPrefix(start) => prefixes([id_term(start)].into_iter()),
        TypedFilter::TextPrefix { field, key } => prefixes(text_starts(field, key).into_iter()),
        TypedFilter::Within { field, area } => area_query(field, area),
        TypedFilter::Exists { field } => prefixes(starts(field)),
        TypedFilter::Contains { field, words } => contains(field, words)?,
    })
}

/// Adds the terms of a filter that is one of values: `false`, with nothing added, where it asks for anything else.
fn add_values(filter: &TypedFilter, values: &mut Vec<String>) -> bool {
    match filter {
        TypedFilter::Ids(ids) => values.extend(ids.iter().map(|id| id_term(id))),
        TypedFilter::Texts { field, keys } => {
            values.extend(keys.iter().map(|key| text_term(field, key)));
        }
        TypedFilter::Truth { field, truth } => values.push(truth_term(field, *truth)),
        TypedFilter::Ints { field, ints } => {
            values.extend(ints.iter().map(|&int| int_term(field, int)));
        }
        TypedFilter::Floats { field, floats } => {
            values.extend(floats.iter().map(|&float| float_term(field, float)));
        }
        TypedFilter::Or(filters) => {
            let before = values.len();
            if !filters.iter().all(|filter| add_values(filter, values)) {
                values.truncate(before);
                return false;
            }
        }
        _ => return false,
    }
    true
}

/// The query of the documents that have one of some values.
pub(crate) fn terms(terms: Vec<String>) -> Value {
    match &*terms {
        [] => json!({"match_none": {}}),
        [term] => json!({"term": {VALUES: term}}),
        terms => json!({"terms": {VALUES: terms}}),
    }
}

/// Any term that begins with one of these.
fn prefixes(starts: impl Iterator<Item = String>) -> Value {
    let starts = starts.map(|start| json!({"prefix": {VALUES: start}}));
    let any: Vec<Value> = starts.collect();
    json!({"bool": {"should": any, "minimum_should_match": 1}})
}

fn range(least: &str, most: &str) -> Value {
    json!({"range": {VALUES: {"gte": least, "lte": most}}})
}
