//! The words of a query in OpenSearch's query DSL, and the statistics that their scores take.
//!
//! A clause is one form of a term in one field. The similarity of the index gives it the part of BM25 that depends on the
//! document, and its boost is the rest: `count · idf`, by the documents of all shards.

use pelorus_lexical::{QueryTerms, SearchForm, SearchTerm};
use serde_json::{Map, Value, json};

use crate::layout::words_path;

/// The source of the scripted similarity that an index gives its text fields.
pub fn similarity_script() -> String {
    let (k1, b) = (pelorus_lexical::BM25_K1, pelorus_lexical::BM25_B);
    format!(
        "double average = (double) field.sumTotalTermFreq / field.docCount; \
         return query.boost * {} * doc.freq / (doc.freq + {k1} * ({} + {b} * doc.length / average));",
        k1 + 1.0,
        1.0 - b,
    )
}

/// Documents of an index, and how many of them hold each term of a query.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct WordStatistics {
    documents: u64,
    /// For each term, required ones first: by its forms, as many as it has.
    matching: Vec<Vec<u64>>,
}

/// Tells whether documents are counted in any field together, or in each field that the query names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    All,
    Named,
}

fn all_terms(terms: &QueryTerms) -> impl Iterator<Item = &SearchTerm> {
    let (required, optional): (&[SearchTerm], &[SearchTerm]) = match terms {
        QueryTerms::Everything | QueryTerms::Nothing => (&[], &[]),
        QueryTerms::Terms { required, optional } => (required, optional),
    };
    required.iter().chain(optional)
}

/// The body of the search that counts documents for scores.
pub fn statistics_request(terms: &QueryTerms, scope: Scope) -> Value {
    let mut counts = Map::new();
    for (at, term) in all_terms(terms).enumerate() {
        match scope {
            Scope::All => {
                counts.insert(format!("{at}"), json!({"filter": any_form(&term.forms)}));
            }
            Scope::Named => {
                for (place, fields) in by_field(term).into_iter().enumerate() {
                    let forms: Vec<SearchForm> = fields.into_iter().cloned().collect();
                    counts.insert(format!("{at}.{place}"), json!({"filter": any_form(&forms)}));
                }
            }
        }
    }
    json!({"size": 0, "track_total_hits": true, "query": {"match_all": {}}, "aggs": counts})
}

/// Reads the answer of [`statistics_request`]; none where it is no such answer.
pub fn read_statistics(terms: &QueryTerms, scope: Scope, answer: &Value) -> Option<WordStatistics> {
    let count = |name: &str| answer["aggregations"][name]["doc_count"].as_u64();
    let mut matching = Vec::new();
    for (at, term) in all_terms(terms).enumerate() {
        matching.push(match scope {
            Scope::All => vec![count(&format!("{at}"))?; term.forms.len()],
            Scope::Named => {
                let mut counts = vec![0; term.forms.len()];
                for (place, forms) in by_field(term).into_iter().enumerate() {
                    let of_field = count(&format!("{at}.{place}"))?;
                    for form in forms {
                        let here = term.forms.iter().position(|one| one == form)?;
                        counts[here] = of_field;
                    }
                }
                counts
            }
        });
    }
    Some(WordStatistics {
        documents: answer["hits"]["total"]["value"].as_u64()?,
        matching,
    })
}

/// The forms of a term, field by field.
fn by_field(term: &SearchTerm) -> Vec<Vec<&SearchForm>> {
    let mut fields: Vec<Vec<&SearchForm>> = Vec::new();
    for form in &term.forms {
        match fields.iter_mut().find(|forms| forms[0].field == form.field) {
            Some(forms) => forms.push(form),
            None => fields.push(vec![form]),
        }
    }
    fields
}

/// The query of the documents that match, with their scores.
pub fn words_query(terms: &QueryTerms, statistics: &WordStatistics) -> Value {
    let QueryTerms::Terms { required, optional } = terms else {
        return match terms {
            QueryTerms::Everything => {
                json!({"constant_score": {"filter": {"match_all": {}}, "boost": 0.0}})
            }
            _ => json!({"match_none": {}}),
        };
    };
    let scored = |(at, term): (usize, &SearchTerm)| {
        let matching = statistics.matching.get(at);
        let clauses = term.forms.iter().enumerate().map(|(form, one)| {
            let matching = matching.and_then(|counts| counts.get(form)).copied();
            let boost = f64::from(term.count) * idf(statistics.documents, matching.unwrap_or(0));
            // The similarity adds up the score of each token of a phrase.
            clause(one, boost / one.tokens.len() as f64)
        });
        any(clauses.collect())
    };
    let must: Vec<Value> = required.iter().enumerate().map(scored).collect();
    let later = optional.iter().enumerate();
    let should: Vec<Value> = later
        .map(|(at, term)| scored((required.len() + at, term)))
        .collect();
    let least = usize::from(must.is_empty());
    json!({"bool": {"must": must, "should": should, "minimum_should_match": least}})
}

/// The inverse document frequency, as `crates/lexical` has it.
fn idf(documents: u64, matching: u64) -> f64 {
    let matching = matching.min(documents);
    (1.0 + ((documents - matching) as f64 + 0.5) / (matching as f64 + 0.5)).ln()
}

fn any_form(forms: &[SearchForm]) -> Value {
    any(forms.iter().map(|form| clause(form, 1.0)).collect())
}

fn any(clauses: Vec<Value>) -> Value {
    match clauses.is_empty() {
        true => json!({"match_none": {}}),
        false => json!({"bool": {"should": clauses, "minimum_should_match": 1}}),
    }
}

fn clause(form: &SearchForm, boost: f64) -> Value {
    let path = words_path(&form.field);
    match &*form.tokens {
        [token] => json!({"term": {path: {"value": token, "boost": boost}}}),
        tokens => json!({"match_phrase": {path: {"query": tokens.join(" "), "boost": boost}}}),
    }
}
