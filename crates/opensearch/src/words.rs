//! The words of a query in OpenSearch's query DSL, and the statistics that their scores take.
//!
//! A clause is one form of a term in one field. The similarity of the index gives it the part of BM25 that depends on the
//! document, and its boost is the rest: `weight · count · idf`, by the documents of all shards.

use pelorus_lexical::{QueryTerms, SearchForm, SearchTerm, TermScore};
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

/// Counts the clauses of [`words_query`].
pub fn clause_count(terms: &QueryTerms) -> usize {
    all_terms(terms).map(|term| term.forms.len()).sum()
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
            clause(one, one.weight * boost / one.tokens.len() as f64)
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

/// The terms that a score adds up from, by the cluster's explanation of [`words_query`]; none where it is no such
/// explanation.
pub fn term_scores(
    terms: &QueryTerms,
    statistics: &WordStatistics,
    explanation: &Value,
) -> Option<Vec<TermScore>> {
    let mut weights = Vec::new();
    collect_weights(explanation, &mut weights);
    let mut scores = Vec::new();
    for (at, term) in all_terms(terms).enumerate() {
        for (place, form) in term.forms.iter().enumerate() {
            let start = weight_start(form);
            let is_of_form = |weight: &&Value| {
                let description = weight["description"].as_str();
                description.is_some_and(|description| description.starts_with(&start))
            };
            let Some(weight) = weights.iter().copied().find(is_of_form) else {
                continue;
            };
            let (documents, matching) = (statistics.documents, statistics.matching.get(at)?);
            let matching = matching.get(place).copied()?.min(documents);
            let parts = scored_parts(weight)?;
            let part = |name: &str| {
                let mut parts = parts.iter();
                parts.find(|part| part["description"] == name)?["value"].as_f64()
            };
            scores.push(TermScore {
                term: form.tokens.join(" "),
                field: form.field.clone(),
                score: weight["value"].as_f64()? as f32,
                weight: form.weight,
                count: term.count,
                idf: idf(documents, matching),
                documents,
                matching,
                frequency: part("doc.freq")?,
                length: part("doc.length")? as u32,
                average_length: part("field.sumTotalTermFreq")? / part("field.docCount")?,
                share: None,
            });
        }
    }
    Some(scores)
}

/// Finds the parts of an explanation that are scores of clauses.
fn collect_weights<'e>(explanation: &'e Value, weights: &mut Vec<&'e Value>) {
    let description = explanation["description"].as_str().unwrap_or_default();
    if description.starts_with("weight(") {
        weights.push(explanation);
        return;
    }
    for detail in explanation["details"].as_array().into_iter().flatten() {
        collect_weights(detail, weights);
    }
}

/// Begins the description of the score of a clause.
fn weight_start(form: &SearchForm) -> String {
    let path = words_path(&form.field);
    match &*form.tokens {
        [token] => format!("weight({path}:{token} in "),
        tokens if form.slop == 0 => format!("weight({path}:\"{}\" in ", tokens.join(" ")),
        tokens => format!("weight({path}:\"{}\"~{} in ", tokens.join(" "), form.slop),
    }
}

/// The numbers that the similarity made a score of; those of the first token of a phrase, whose tokens share them.
fn scored_parts(weight: &Value) -> Option<&Vec<Value>> {
    let details = weight["details"].as_array()?;
    let has_frequency =
        |parts: &[Value]| parts.iter().any(|part| part["description"] == "doc.freq");
    match has_frequency(details) {
        true => Some(details),
        false => details.iter().find_map(scored_parts),
    }
}

/// The inverse document frequency, as `crates/lexical` has it.
fn idf(documents: u64, matching: u64) -> f64 {
    let matching = matching.min(documents);
    (1.0 + ((documents - matching) as f64 + 0.5) / (matching as f64 + 0.5)).ln()
}

/// The query of the documents that hold one of some forms.
pub(crate) fn any_form(forms: &[SearchForm]) -> Value {
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
        tokens => {
            let (query, slop) = (tokens.join(" "), form.slop);
            json!({"match_phrase": {path: {"query": query, "slop": slop, "boost": boost}}})
        }
    }
}
