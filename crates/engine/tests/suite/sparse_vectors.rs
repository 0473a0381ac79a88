//! Searches by a sparse vector, beside a look at every document.

use std::cmp::Ordering;

use pelorus_random::SplitMix64;
use serde_json::{Value, json};

use crate::support::{Fixture, embed, ids, tensor_leg, with};

const DOCUMENTS: usize = 400;
/// Ranks that reciprocal rank fusion counts.
const RRF_WINDOW: usize = 60;

struct Document {
    id: String,
    n: i64,
    group: usize,
    entries: Vec<(usize, f64)>,
}

impl Document {
    fn random(at: usize, random: &mut SplitMix64) -> Self {
        Self {
            id: format!("d{at}"),
            n: random.below(9) as i64,
            group: random.below(4),
            entries: random_entries(random, 8),
        }
    }

    fn json(&self) -> Value {
        let (indices, values): (Vec<usize>, Vec<f64>) = self.entries.iter().copied().unzip();
        json!({"_id": self.id, "n": self.n, "group": self.group, "v": {"vector": embed(&self.id)},
            "s": {"indices": indices, "values": values}})
    }

    fn score(&self, query: &[(usize, f64)]) -> f64 {
        let weight = |wanted: usize| {
            let entry = query.iter().find(|(index, _)| *index == wanted);
            entry.map_or(0.0, |(_, weight)| *weight)
        };
        let products = self
            .entries
            .iter()
            .map(|(index, value)| value * weight(*index));
        products.sum()
    }
}

/// Weights that 32 bits hold, many of them equal.
fn random_entries(random: &mut SplitMix64, count: usize) -> Vec<(usize, f64)> {
    let mut entries = std::collections::BTreeMap::new();
    for _ in 0..count {
        let below = random.below(200) + 1;
        entries.insert(random.below(below), 0.25 * (1 + random.below(6)) as f64);
    }
    entries.into_iter().collect()
}

fn filled() -> (Fixture, Vec<Document>, SplitMix64) {
    let fixture = Fixture::unstructured("m");
    let mut random = SplitMix64(17);
    let documents = (0..DOCUMENTS).map(|at| Document::random(at, &mut random));
    let documents: Vec<Document> = documents.collect();
    for some in documents.chunks(100) {
        let documents: Vec<Value> = some.iter().map(Document::json).collect();
        let mappings = json!({"s": {"type": "sparse_vector"}, "v": {"type": "custom_vector"}});
        let body = json!({"documents": documents, "tensorFields": ["v"], "mappings": mappings});
        fixture.add("m", body);
    }
    (fixture, documents, random)
}

/// The ids of the documents that match, best first, equal ones in the order in which they were added.
fn ranked<'d>(
    documents: impl Iterator<Item = &'d Document>,
    query: &[(usize, f64)],
    changed: impl Fn(&Document, f64) -> f64,
) -> Vec<(String, f64)> {
    let matches = documents.filter(|document| document.score(query) > 0.0);
    let scored = matches.map(|one| (one.id.clone(), changed(one, one.score(query))));
    let mut scored: Vec<(String, f64)> = scored.collect();
    scored.sort_by(|a, b| b.1.partial_cmp(&a.1).unwrap_or(Ordering::Equal));
    scored
}

fn plan(query: &[(usize, f64)], rest: Value) -> Value {
    let (indices, weights): (Vec<usize>, Vec<f64>) = query.iter().copied().unzip();
    let sparse = json!({"field": "s", "indices": indices, "weights": weights});
    let plan = json!({"retrievalMethod": "lexical", "rankingMethod": "lexical", "lexical": {"sparse": sparse}});
    with(plan, &rest)
}

fn found(answer: &Value) -> Vec<(String, f64)> {
    let scores = answer["hits"].as_array().unwrap().iter();
    let scores = scores.map(|hit| hit["_score"].as_f64().unwrap());
    ids(answer).into_iter().zip(scores).collect()
}

#[test]
fn pages_under_filters_are_cut_from_the_ranking_of_all_documents() {
    let (fixture, documents, mut random) = filled();
    for _ in 0..20 {
        let query = random_entries(&mut random, 5);
        let group = random.below(4);
        let expected = ranked(
            documents.iter().filter(|one| one.group == group),
            &query,
            |_, score| score,
        );
        for (offset, limit) in [(0, 10), (10, 20), (0, 1), (0, 400)] {
            let rest = json!({"filter": format!("group:{group}"), "offset": offset, "limit": limit, "trackTotalHits": true});
            let answer = fixture.search("m", plan(&query, rest), &[]);
            let page: Vec<_> = expected.iter().skip(offset).take(limit).cloned().collect();
            assert_eq!(found(&answer), page);
            assert_eq!(answer["totalHits"], expected.len());
        }
    }
}

#[test]
fn changed_scores_rank_every_match() {
    let (fixture, documents, mut random) = filled();
    let mut query = plan(&random_entries(&mut random, 6), json!({"limit": 30}));
    let modifiers = json!({"multiply": [{"field": "n", "weight": 2.0}], "add": []});
    query["lexical"]["scoreModifiers"] = modifiers;
    let answer = fixture.search("m", query.clone(), &[]);
    let entries = query["lexical"]["sparse"]["indices"]
        .as_array()
        .unwrap()
        .iter();
    let weights = query["lexical"]["sparse"]["weights"]
        .as_array()
        .unwrap()
        .iter();
    let entries = entries.map(|index| index.as_u64().unwrap() as usize);
    let entries: Vec<(usize, f64)> = entries
        .zip(weights.map(|weight| weight.as_f64().unwrap()))
        .collect();
    let expected = ranked(documents.iter(), &entries, |one, score| {
        score * one.n as f64 * 2.0
    });
    assert_eq!(found(&answer), expected[..30]);
}

#[test]
fn an_explanation_adds_up_to_the_score() {
    let (fixture, _, mut random) = filled();
    let query = random_entries(&mut random, 8);
    let answer = fixture.search("m", plan(&query, json!({"explain": true})), &[]);
    for hit in answer["hits"].as_array().unwrap() {
        let explanation = &hit["_explanation"];
        assert_eq!(explanation["value"], hit["_score"]);
        let details = explanation["details"].as_array().unwrap();
        let sum: f64 = details
            .iter()
            .map(|detail| detail["value"].as_f64().unwrap())
            .sum();
        assert!(
            !details.is_empty() && sum == hit["_score"].as_f64().unwrap(),
            "{explanation}"
        );
        assert_eq!(details[0]["field"], "s");
    }
}

#[test]
fn ranks_are_fused_with_those_of_the_nearest_vectors() {
    let (fixture, documents, mut random) = filled();
    let query = random_entries(&mut random, 5);
    let vector = embed("somewhere");
    let leg = with(tensor_leg(), &json!({"approximate": false}));
    let tensor = json!({"tensor": leg, "limit": 400});
    let near = ids(&fixture.search("m", tensor, &vector));
    let words: Vec<String> = ranked(documents.iter(), &query, |_, score| score)
        .into_iter()
        .map(|hit| hit.0)
        .collect();
    let rest = json!({"retrievalMethod": "disjunction", "rankingMethod": "rrf", "limit": 20,
        "rrf": {"alpha": 0.3, "k": 60.0}, "tensor": leg});
    let answer = fixture.search("m", plan(&query, rest), &vector);
    for (id, score) in found(&answer) {
        let share = |list: &[String], weight: f64| {
            let place = list.iter().position(|other| *other == id);
            place.map_or(0.0, |place| weight / (60.0 + (place + 1) as f64))
        };
        let fused =
            share(&near[..RRF_WINDOW], 0.3) + share(&words[..words.len().min(RRF_WINDOW)], 0.7);
        assert!((fused - score).abs() < 1e-9, "{id}: {fused} and {score}");
    }
}

#[test]
fn a_malformed_vector_is_refused_and_a_field_without_any_warned_of() {
    let (fixture, ..) = filled();
    for (sparse, message) in [
        (
            json!({"field": "s", "indices": [1, 2], "weights": [1.0]}),
            "'sparseQuery' has as many indices as values, but received 2 and 1",
        ),
        (
            json!({"field": "s", "indices": [1, 1], "weights": [1.0, 2.0]}),
            "'sparseQuery': each index stands once, but received 1 more than once",
        ),
        (
            json!({"field": "s", "indices": [1], "weights": [1e39]}),
            "'sparseQuery': a weight is a finite number of at least 0, but received inf",
        ),
        (
            json!({"field": "s", "indices": [4_294_967_296_u64], "weights": [1.0]}),
            "'sparseQuery': an index is an integer from 0 to 4294967295, but received 4294967296",
        ),
    ] {
        let asked = plan(&[], json!({"lexical": {"sparse": sparse}}));
        let error = fixture.try_search("m", asked, &[]).unwrap_err();
        assert_eq!(
            (error.code(), error.to_string().as_str()),
            ("invalid_argument", message)
        );
    }
    let sparse = json!({"field": "other", "indices": [1], "weights": [1.0]});
    let answer = fixture.search("m", plan(&[], json!({"lexical": {"sparse": sparse}})), &[]);
    assert!(answer["hits"].as_array().unwrap().is_empty());
    let warning = "No document has a sparse vector in the field 'other', which 'sparseQuery' names";
    assert!(answer.to_string().contains(warning), "{answer}");
}
