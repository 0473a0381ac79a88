//! Searches of an index on a cluster: the requests, and answers made of the cluster's.

#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use pelorus_engine::Cancellation;
use pelorus_lexical::{FieldAnalysis, TextFields};
use pelorus_opensearch::{ClusterSearch, SearchedFields, Step};
use serde_json::{Value, json};

/// More steps than any of these searches takes.
const STEPS_MAX: usize = 6;

const DOCUMENTS: [(&str, &str); 3] = [("a", "red dog"), ("b", "red cat"), ("c", "green cat")];

fn definition(space: &str) -> Vec<u8> {
    let settings = json!({
        "type": "unstructured", "model": "no_model", "normalizeEmbeddings": true,
        "treatUrlsAndPointersAsImages": false, "treatUrlsAndPointersAsMedia": false,
        "filterStringMaxLength": 50,
        "textPreprocessing": {"splitLength": 1, "splitOverlap": 0, "splitMethod": "sentence"},
        "annParameters": {"spaceType": space, "parameters": {"efConstruction": 64, "m": 8}}
    });
    let resolved = json!({"dimensions": 2, "embeds": false});
    let definition = json!({"settings": settings, "resolved": resolved});
    definition.to_string().into_bytes()
}

fn plan(members: Value) -> Value {
    let mut plan = json!({
        "limit": 10, "offset": 0, "filter": null, "attributesToRetrieve": null, "showHighlights": true,
        "retrievalMethod": "tensor", "rankingMethod": "tensor", "rrf": null, "tensor": null, "lexical": null,
        "trackTotalHits": false, "explain": false, "lexicalHighlights": null,
    });
    for (name, value) in members.as_object().unwrap() {
        plan[name] = value.clone();
    }
    plan
}

fn words(text: &str) -> Value {
    json!({"retrievalMethod": "lexical", "rankingMethod": "lexical",
           "lexical": {"text": text, "operand": "or", "fields": null}})
}

fn tensor() -> Value {
    json!({"tensor": {"fields": null, "efSearch": 100, "approximate": true, "approximateThreshold": null,
                      "weights": [1.0], "interpolation": null}})
}

fn begin(space: &str, plan: &Value, vector: &[f32]) -> Result<ClusterSearch, String> {
    let english = TextFields::analysis_number(FieldAnalysis::default(), "red dog");
    let fields = SearchedFields {
        text: TextFields::new([("title", vec![english])]),
        tensor: vec!["v".to_owned()],
    };
    let plan = plan.to_string();
    let never = Cancellation::never();
    ClusterSearch::begin(
        "u",
        &definition(space),
        b"{}",
        fields,
        plan.as_bytes(),
        vector,
        &never,
    )
    .map_err(|error| format!("{}: {error}", error.code()))
}

/// The stored form of a document, by its layout.
fn stored(id: &str, title: &str) -> String {
    let mut bytes = vec![1];
    for text in [id, "title", &json!(title).to_string()] {
        bytes.extend_from_slice(&(text.len() as u32).to_le_bytes());
        bytes.extend_from_slice(text.as_bytes());
    }
    BASE64_STANDARD.encode(bytes)
}

/// A hit of the cluster, with the stored form where the request asks for it.
fn hit(body: &Value, (id, title): (&str, &str), score: f64) -> Value {
    let mut hit = json!({"_score": score, "_source": {"id": id}});
    let shown = body["_source"].as_array().unwrap();
    if shown.contains(&json!("stored")) {
        hit["_source"]["stored"] = json!(stored(id, title));
    }
    hit
}

/// Runs a search whose requests `cluster` answers; gives the bodies of the requests and the answer.
fn run(mut search: ClusterSearch, cluster: impl Fn(&Value) -> Value) -> (Vec<Value>, Value) {
    let (mut bodies, mut answers) = (Vec::new(), Vec::new());
    for _ in 0..STEPS_MAX {
        match search.step(&answers).unwrap() {
            Step::Done(body) => return (bodies, serde_json::from_slice(&body).unwrap()),
            Step::Send(requests) => {
                answers = requests.iter().map(|one| cluster(&one.body)).collect();
                bodies.extend(requests.into_iter().map(|one| one.body));
            }
        }
    }
    panic!("it asks for ever: {bodies:?}");
}

/// The ids and scores of hits, in order.
fn ranked(answer: &Value) -> Vec<(&str, f64)> {
    let hits = answer["hits"].as_array().unwrap().iter();
    hits.map(|hit| {
        (
            hit["_id"].as_str().unwrap(),
            hit["_score"].as_f64().unwrap(),
        )
    })
    .collect()
}

fn found(hits: Vec<Value>, total: usize) -> Value {
    json!({"hits": {"total": {"value": total}, "hits": hits}})
}

#[test]
fn words_are_counted_first_and_then_boosted_by_their_rarity() {
    let search = begin("prenormalized-angular", &plan(words("red cat dog")), &[]).unwrap();
    let cluster = |body: &Value| {
        if body.get("aggs").is_some() {
            // The terms are in the order of the query.
            let mut answer = found(Vec::new(), DOCUMENTS.len());
            answer["aggregations"] =
                json!({"0": {"doc_count": 2}, "1": {"doc_count": 2}, "2": {"doc_count": 1}});
            return answer;
        }
        let scores = [1.75, 0.5, 0.25];
        let hits = DOCUMENTS.into_iter().zip(scores);
        found(
            hits.map(|(document, score)| hit(body, document, score))
                .collect(),
            3,
        )
    };
    let (bodies, answer) = run(search, cluster);
    assert_eq!(ranked(&answer), [("a", 1.75), ("b", 0.5), ("c", 0.25)]);
    assert_eq!(answer["hits"][0]["title"], "red dog");
    let clauses = bodies[1]["query"]["bool"]["must"][0]["bool"]["should"].clone();
    let boosts: Vec<f64> = (0..3)
        .map(|at| {
            let term = &clauses[at]["bool"]["should"][0]["term"]["words.title"];
            term["boost"].as_f64().unwrap()
        })
        .collect();
    let rarity = |matching: f64| (1.0 + (3.0 - matching + 0.5) / (matching + 0.5)).ln();
    for (boost, matching) in boosts.iter().zip([2.0, 2.0, 1.0]) {
        assert!((boost - rarity(matching)).abs() < 1e-12, "{clauses}");
    }
}

#[test]
fn the_nearest_pass_the_filter_and_have_our_scores() {
    let mut whole = plan(tensor());
    whole["filter"] = json!("title:(red dog)");
    let search = begin("prenormalized-angular", &whole, &[1.0, 0.0]).unwrap();
    let cluster = |body: &Value| {
        let dots = [1.0, 0.5];
        let hits = DOCUMENTS.into_iter().zip(dots).map(|(document, dot)| {
            let mut hit = hit(body, document, 1.0 + dot);
            let chunk = json!({"_score": 1.0 + dot, "_nested": {"offset": 0}, "_source": {"text": document.1}});
            hit["inner_hits"] = json!({"chunks_v": {"hits": {"hits": [chunk]}}});
            hit
        });
        found(hits.collect(), 2)
    };
    let (bodies, answer) = run(search, cluster);
    let nearest = &bodies[0]["query"]["bool"]["must"][0]["dis_max"]["queries"][0]["nested"];
    assert_eq!(nearest["path"], "chunks_v");
    let knn = &nearest["query"]["knn"]["chunks_v.vector"];
    assert_eq!(knn["vector"], json!([1.0, 0.0]));
    assert!(!knn["filter"].is_null(), "{knn}");
    // A similarity of ours is 1 over 1 and the distance, which is 1 less the product here.
    let ranked = ranked(&answer);
    let expected = [("a", 1.0), ("b", 1.0 / 1.5)];
    assert_eq!(ranked.len(), expected.len());
    for ((id, score), (wanted, similarity)) in ranked.into_iter().zip(expected) {
        assert_eq!(id, wanted);
        assert!((score - similarity).abs() < 1e-6, "{id}: {score}");
    }
    assert_eq!(answer["hits"][0]["_highlights"], json!([{"v": "red dog"}]));
}

#[test]
fn answers_that_are_none_are_errors() {
    for answer in [
        json!({}),
        json!({"hits": {"hits": [{"_score": 1.0}]}}),
        json!({"hits": {"hits": [{"_score": 1.0, "_source": {"id": "a", "stored": "?"}}]}}),
    ] {
        let mut search = begin("prenormalized-angular", &plan(tensor()), &[1.0, 0.0]).unwrap();
        assert!(matches!(search.step(&[]), Ok(Step::Send(_))));
        let error = search.step(&[answer]).unwrap_err();
        assert!(error.to_string().contains("cluster"), "{error}");
    }
}

#[test]
fn searches_that_a_cluster_cannot_answer_are_refused() {
    let refused = begin("geodegrees", &plan(tensor()), &[1.0, 0.0]).err();
    assert!(refused.unwrap().starts_with("invalid_argument"));
    let mut contains = plan(words("red"));
    contains["filter"] = json!("title CONTAINS red");
    let refused = begin("prenormalized-angular", &contains, &[]).err();
    assert!(refused.unwrap().starts_with("invalid_argument"));
}
