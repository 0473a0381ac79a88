//! Rankings by late interaction, beside a look at every document.

use std::cmp::Ordering;

use pelorus_columns::{MaxSim, MultiVector};
use pelorus_random::SplitMix64;
use serde_json::{Value, json};

use crate::support::{Fixture, embed, ids, tensor_leg, with};

const DOCUMENTS: usize = 300;
const DIMENSIONS: usize = 6;

type Vectors = Vec<Vec<f32>>;

struct Document {
    id: String,
    group: usize,
    vectors: Option<Vectors>,
}

impl Document {
    fn random(at: usize, random: &mut SplitMix64) -> Self {
        let count = random.below(6);
        Self {
            id: format!("d{at}"),
            group: random.below(3),
            vectors: (count > 0).then(|| random_vectors(count, random)),
        }
    }

    fn json(&self) -> Value {
        let mut document = json!({"_id": self.id, "group": self.group, "title": "storm ".repeat(1 + self.group),
            "v": {"vector": embed(&self.id)}});
        if let Some(vectors) = &self.vectors {
            document["m"] = json!(vectors);
        }
        document
    }
}

/// Numbers that 32 bits hold, so that many products are equal.
fn random_vectors(count: usize, random: &mut SplitMix64) -> Vectors {
    let mut vector = || {
        (0..DIMENSIONS)
            .map(|_| random.below(5) as f32 - 2.0)
            .collect()
    };
    (0..count).map(|_| vector()).collect()
}

fn filled() -> (Fixture, Vec<Document>, SplitMix64) {
    let fixture = Fixture::unstructured("m");
    let mut random = SplitMix64(23);
    let documents = (0..DOCUMENTS).map(|at| Document::random(at, &mut random));
    let documents: Vec<Document> = documents.collect();
    for some in documents.chunks(100) {
        let documents: Vec<Value> = some.iter().map(Document::json).collect();
        let mappings = json!({"m": {"type": "multi_vector", "dimensions": DIMENSIONS}, "v": {"type": "custom_vector"}});
        let body = json!({"documents": documents, "tensorFields": ["v"], "mappings": mappings});
        fixture.add("m", body);
    }
    (fixture, documents, random)
}

/// The searches whose first hits are ranked anew, each with its query vector.
fn searches() -> [(Value, Vec<f32>); 5] {
    let vector = embed("somewhere");
    let near = with(tensor_leg(), &json!({"approximate": false}));
    let words = json!({"text": "storm", "fields": null});
    let plan = |retrieval: &str, ranking: &str| json!({"retrievalMethod": retrieval, "rankingMethod": ranking, "tensor": near, "lexical": words});
    let fused = with(
        plan("disjunction", "rrf"),
        &json!({"rrf": {"alpha": 0.4, "k": 60.0}}),
    );
    [
        (json!({"tensor": near}), vector.clone()),
        (
            json!({"retrievalMethod": "lexical", "rankingMethod": "lexical", "lexical": words}),
            Vec::new(),
        ),
        (fused, vector.clone()),
        (plan("tensor", "lexical"), vector.clone()),
        (plan("lexical", "tensor"), vector),
    ]
}

fn late(query: &Vectors, candidates: usize) -> Value {
    json!({"lateInteraction": {"field": "m", "vectors": query, "candidates": candidates}})
}

fn found(answer: &Value) -> Vec<(String, f64)> {
    let scores = answer["hits"].as_array().unwrap().iter();
    let scores = scores.map(|hit| hit["_score"].as_f64().unwrap());
    ids(answer).into_iter().zip(scores).collect()
}

/// The first hits by their scores, those without vectors behind them, and the rest as it was.
fn expected(
    before: &[(String, f64)],
    documents: &[Document],
    query: &Vectors,
    candidates: usize,
) -> Vec<(String, f64)> {
    let search = MaxSim::new(&MultiVector::new(query).unwrap());
    let score = |id: &str| {
        let document = documents.iter().find(|document| document.id == id).unwrap();
        let vectors = document.vectors.as_ref()?;
        search.score(&MultiVector::new(vectors).unwrap())
    };
    let (first, rest) = before.split_at(candidates.min(before.len()));
    let mut scored = Vec::new();
    let mut others = Vec::new();
    for hit in first {
        match score(&hit.0) {
            Some(score) => scored.push((hit.0.clone(), score)),
            None => others.push(hit.clone()),
        }
    }
    scored.sort_by(|a, b| b.1.partial_cmp(&a.1).unwrap_or(Ordering::Equal));
    [scored, others, rest.to_vec()].concat()
}

#[test]
fn pages_are_cut_from_one_ranking_of_the_first_candidates() {
    let (fixture, documents, mut random) = filled();
    for (plan, vector) in searches() {
        let filter = json!({"filter": format!("group:{}", random.below(3))});
        let plan = with(plan, &filter);
        // As many hits as the candidates of any search here: legs that rank what others found find the same then.
        let all = with(plan.clone(), &json!({"limit": 1000}));
        let before = found(&fixture.search("m", all, &vector));
        assert!(before.len() > 60, "{plan}");
        for candidates in [1, 7, 100, 1000] {
            let query = random_vectors(4, &mut random);
            let plan = with(plan.clone(), &late(&query, candidates));
            let whole = with(plan.clone(), &json!({"limit": 1000}));
            let whole = found(&fixture.search("m", whole, &vector));
            let wanted = expected(&before, &documents, &query, candidates);
            assert_eq!(whole, wanted, "{plan}");
            for (offset, limit) in [(0, 1), (0, 10), (3, 5), (5, 10), (15, 10), (50, 10)] {
                let page = with(plan.clone(), &json!({"offset": offset, "limit": limit}));
                let page = found(&fixture.search("m", page, &vector));
                assert_eq!(page, whole[offset..offset + limit], "{plan} from {offset}");
            }
        }
    }
}

#[test]
fn an_explanation_adds_up_to_the_score() {
    let (fixture, _, mut random) = filled();
    for (plan, vector) in searches() {
        let query = random_vectors(3, &mut random);
        let asked = json!({"explain": true, "limit": 20});
        let plan = with(with(plan, &late(&query, 12)), &asked);
        let answer = fixture.search("m", plan, &vector);
        let mut ranked = 0;
        for hit in answer["hits"].as_array().unwrap() {
            let explanation = &hit["_explanation"];
            assert_eq!(explanation["value"], hit["_score"]);
            if explanation["field"] != "m" {
                continue;
            }
            ranked += 1;
            let details = explanation["details"].as_array().unwrap();
            let values = details
                .iter()
                .map(|detail| detail["value"].as_f64().unwrap());
            assert_eq!(Some(values.sum()), hit["_score"].as_f64());
            assert_eq!(details.len(), 3);
        }
        assert!((1..=12).contains(&ranked), "{ranked}");
    }
}

#[test]
fn vectors_of_other_dimensions_stand_behind_and_those_that_no_document_has_are_refused() {
    let (fixture, documents, _) = filled();
    let (plan, vector) = searches()[1].clone();
    let query = |count: usize| late(&vec![vec![1.0; count]; 2], 1000);
    let refused = |plan: Value| {
        let error = fixture.try_search("m", plan, &vector).unwrap_err();
        (error.code(), error.to_string())
    };
    let message = "Field 'm' has vectors of 6 numbers, but those of 'lateInteraction' have 4";
    let dimensions = refused(with(plan.clone(), &query(4)));
    assert_eq!(dimensions, ("invalid_argument", message.to_owned()));
    let uneven =
        json!({"lateInteraction": {"field": "m", "vectors": [[1.0, 2.0], [1.0]], "candidates": 9}});
    let (code, message) = refused(with(plan.clone(), &uneven));
    assert_eq!(code, "invalid_argument");
    assert!(message.starts_with("'lateInteraction': all vectors have as many"));
    let large =
        json!({"lateInteraction": {"field": "m", "vectors": [[1.0, 1e39]], "candidates": 9}});
    let (_, message) = refused(with(plan.clone(), &large));
    assert!(
        message.starts_with("'lateInteraction': a vector has finite"),
        "{message}"
    );
    let other =
        json!({"lateInteraction": {"field": "title", "vectors": [[1.0, 2.0]], "candidates": 9}});
    let answer = fixture.search("m", with(plan.clone(), &other), &vector);
    let warning =
        "No document has a list of vectors in the field 'title', which 'lateInteraction' names";
    assert!(answer.to_string().contains(warning), "{answer}");
    let before = found(&fixture.search("m", plan.clone(), &vector));
    assert_eq!(found(&answer), before, "without vectors nothing changes");
    let mappings = json!({"m": {"type": "multi_vector", "dimensions": 4}});
    let document = json!({"_id": "other", "title": "storm", "m": [[1, 2, 3, 4]]});
    fixture.add(
        "m",
        json!({"documents": [document], "mappings": mappings, "tensorFields": []}),
    );
    let four = with(with(plan, &query(4)), &json!({"limit": 1000}));
    let answer = fixture.search("m", four, &vector);
    assert_eq!(ids(&answer)[0], "other");
    assert_eq!(ids(&answer).len(), documents.len() + 1);
}
