//! Documents that are found elsewhere are ranked as those of an index: legs of an embedded engine stand for elsewhere.

use std::collections::BTreeSet;

use std::sync::Arc;

use pelorus_documents::{FieldTensors, TensorKind};
use pelorus_engine::{
    Cancellation, CandidateChunk, CandidateFields, CandidateIndex, CandidateSearch, CandidateStep,
    ChunkText, Needs,
};
use pelorus_lexical::{FieldAnalysis, TextFields};
use pelorus_random::SplitMix64;
use serde_json::{Value, json};

use super::{DOCUMENTS, Dice, catalogue, documents, plan, rank_anew};
use crate::support::{Fixture, definition};

/// More fetches than any search takes.
const FETCHES_MAX: usize = 12;

/// The stored form of a document, by its layout.
fn stored(document: &Value) -> Vec<u8> {
    let mut bytes = vec![1];
    let mut push = |text: &str| {
        bytes.extend_from_slice(&(text.len() as u32).to_le_bytes());
        bytes.extend_from_slice(text.as_bytes());
    };
    push(document["_id"].as_str().unwrap());
    for (name, value) in document.as_object().unwrap() {
        match value {
            _ if name == "_id" || name == "_found" => {}
            // Maps are stored flat.
            Value::Object(entries) => entries.iter().for_each(|(key, value)| {
                push(&format!("{name}.{key}"));
                push(&value.to_string());
            }),
            value => {
                push(name);
                push(&value.to_string());
            }
        }
    }
    bytes
}

/// Begins a search of the index of [`catalogue`].
fn begin(plan: &Value, query: &[f32]) -> pelorus_engine::Result<CandidateSearch> {
    let definition = definition(json!({"collapseFields": [{"name": "sku"}]}));
    let number = TextFields::analysis_number(FieldAnalysis::default(), "river");
    let fields = CandidateFields {
        text: TextFields::new(["title", "sku"].map(|name| (name, vec![number]))),
        tensor: vec!["v".to_owned()],
        ..CandidateFields::default()
    };
    let index = Arc::new(CandidateIndex::new("u", &definition, b"{}", fields)?);
    let never = Cancellation::never();
    CandidateSearch::begin(&index, plan.to_string().as_bytes(), query, &never)
}

/// The place where documents are found: single legs of an engine, and its documents.
struct Elsewhere<'a> {
    fixture: &'a Fixture,
    plan: &'a Value,
    query: &'a [f32],
}

impl Elsewhere<'_> {
    /// The hits of one leg by its own scores, of some documents or all.
    fn leg(&self, name: &str, count: usize, among: Option<&[u32]>) -> Value {
        let mut filters: Vec<String> = Vec::new();
        filters.extend(self.plan["filter"].as_str().map(|text| format!("({text})")));
        if let Some(docs) = among {
            let ids: Vec<String> = docs.iter().map(|doc| format!("d{doc}")).collect();
            filters.push(format!("_id IN ({})", ids.join(", ")));
        }
        let filter = match filters.is_empty() {
            true => Value::Null,
            false => json!(filters.join(" AND ")),
        };
        let mut alone = json!({"limit": count.min(DOCUMENTS), "retrievalMethod": name, "rankingMethod": name,
                               "filter": filter, "trackTotalHits": true, "attributesToRetrieve": []});
        let mut leg = self.plan[name].clone();
        leg["scoreModifiers"] = Value::Null;
        if name == "lexical" {
            leg["modifiedCount"] = Value::Null;
        }
        alone[name] = leg;
        let query = if name == "tensor" { self.query } else { &[] };
        self.fixture.search("u", alone, query)
    }

    fn fetch(&self, search: &mut CandidateSearch, needs: &Needs) {
        let number = |hit: &Value| -> u32 { hit["_id"].as_str().unwrap()[1..].parse().unwrap() };
        let chunk = |hit: &Value| {
            let score = hit["_score"].as_f64().unwrap() as f32;
            let text = hit["_highlights"][0]["v"].as_str().unwrap_or_default();
            vec![CandidateChunk {
                field: "v".into(),
                distance: 1.0 / score - 1.0,
                text: Some(ChunkText {
                    place: 0,
                    text: text.to_owned(),
                }),
            }]
        };
        let hits = |answer: &Value| answer["hits"].as_array().unwrap().clone();
        if let Some(count) = needs.nearest {
            let found = hits(&self.leg("tensor", count, None));
            found
                .iter()
                .for_each(|hit| search.set_chunks(number(hit), chunk(hit)));
            search.note_nearest(0, count, found.len());
        }
        if let Some(count) = needs.words {
            let answer = self.leg("lexical", count, None);
            let found = hits(&answer);
            let score = |hit: &Value| hit["_score"].as_f64();
            found
                .iter()
                .for_each(|hit| search.set_bm25(number(hit), score(hit)));
            search.note_words(0, count, found.len(), answer["totalHits"].as_u64());
        }
        if !needs.distances.is_empty() {
            let docs: Vec<u32> = needs.distances.iter().copied().collect();
            let found = hits(&self.leg("tensor", DOCUMENTS, Some(&docs)));
            found
                .iter()
                .for_each(|hit| search.set_chunks(number(hit), chunk(hit)));
            search.note_without_chunks(&docs);
        }
        if !needs.bm25.is_empty() {
            let docs: Vec<u32> = needs.bm25.iter().copied().collect();
            let score = |hit: &Value| hit["_score"].as_f64();
            for hit in hits(&self.leg("lexical", DOCUMENTS, Some(&docs))) {
                search.set_bm25(number(&hit), score(&hit));
            }
            search.note_without_words(&docs);
        }
        if !needs.vectors.is_empty() {
            let ids: Vec<String> = needs.vectors.iter().map(|doc| format!("d{doc}")).collect();
            let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
            let found = self.fixture.get("u", &ids, true);
            for document in found["results"].as_array().unwrap() {
                let facets = document["_tensor_facets"].as_array().unwrap();
                let embeddings = facets.iter().map(|facet| &facet["_embedding"]);
                let vectors = embeddings.flat_map(|embedding| embedding.as_array().unwrap());
                let vectors = vectors.map(|x| x.as_f64().unwrap() as f32).collect();
                search.set_vectors(
                    number(document),
                    vec![FieldTensors {
                        field: "v".to_owned(),
                        kind: TensorKind::Vector,
                        weights: String::new(),
                        chunks: vec![String::new(); facets.len()],
                        vectors,
                    }],
                );
            }
            let docs: Vec<u32> = needs.vectors.iter().copied().collect();
            search.note_without_vectors(&docs);
        }
        let wanted: BTreeSet<String> = needs.stored.iter().map(|doc| format!("d{doc}")).collect();
        let ids: Vec<&str> = wanted.iter().map(String::as_str).collect();
        for document in self.fixture.get("u", &ids, false)["results"]
            .as_array()
            .unwrap()
        {
            search
                .set_stored(number(document), stored(document))
                .unwrap();
        }
    }

    /// Finds every document that passes the filter, those of other groups than a set is of among them.
    fn find_all(&self, search: &mut CandidateSearch, set: usize) {
        // The one filter of plans leaves out this document alone.
        let left_out = self.plan["filter"].as_str().map(|_| 4);
        for doc in (0..DOCUMENTS).filter(|&doc| Some(doc) != left_out) {
            search.candidate(set, &format!("d{doc}"));
        }
        search.note_all(set);
    }

    fn answer(&self) -> Value {
        let mut search = begin(self.plan, self.query).unwrap();
        // Equal hits are in the order of numbers, which are those of the index here.
        for doc in 0..DOCUMENTS as u32 {
            assert_eq!(search.candidate(0, &format!("d{doc}")), doc);
        }
        for _ in 0..FETCHES_MAX {
            match search.step().unwrap() {
                CandidateStep::Done(body) => return serde_json::from_slice(&body).unwrap(),
                CandidateStep::Ranked(_) => panic!("a page was searched"),
                CandidateStep::Fetch(needs) => {
                    for (set, needs) in &needs {
                        if needs.all {
                            self.find_all(&mut search, *set);
                            continue;
                        }
                        assert_eq!(*set, 0, "there is one filter");
                        self.fetch(&mut search, needs);
                    }
                }
            }
        }
        panic!("it asks for ever: {}", self.plan);
    }
}

/// Tells whether two answers are equal but for the last digits of scores, which came as those of 32 bits.
fn are_alike(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => {
            let (a, b) = (a.as_f64().unwrap(), b.as_f64().unwrap());
            (a - b).abs() <= 1e-5 * a.abs().max(b.abs()).max(1e-3)
        }
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| are_alike(a, b))
        }
        (Value::Object(a), Value::Object(b)) => {
            let alike = |(name, a): (&String, &Value)| b.get(name).is_some_and(|b| are_alike(a, b));
            a.len() == b.len() && a.iter().all(alike)
        }
        (a, b) => a == b,
    }
}

#[test]
fn documents_found_elsewhere_are_ranked_as_those_of_an_index() {
    let documents = documents();
    let fixture = catalogue(&documents);
    let mut shown = 0;
    for seed in 0..400 {
        let mut dice = Dice(SplitMix64(seed));
        let (mut plan, query) = plan(&mut dice);
        plan["explain"] = json!(false);
        plan["trackTotalHits"] = json!(dice.one_in(2));
        if dice.one_in(4) {
            let sort = json!({"field": "n", "order": "asc", "alwaysFetchVariants": true});
            let is_limited = !plan["lexical"]["modifiedCount"].is_null();
            let sort = dice.of(&[Value::Null, sort]);
            if !is_limited {
                plan["collapse"] = json!({"field": "sku", "sort": sort, "counts": dice.one_in(2)});
            }
        }
        if plan["sort"].is_null() && dice.one_in(3) {
            rank_anew(&mut plan, &mut dice, 60);
        }
        let elsewhere = Elsewhere {
            fixture: &fixture,
            plan: &plan,
            query: &query,
        };
        let (answer, expected) = (
            elsewhere.answer(),
            fixture.search("u", plan.clone(), &query),
        );
        assert!(
            are_alike(&answer, &expected),
            "seed {seed}: {plan}\n{answer}\n{expected}"
        );
        shown += expected["hits"].as_array().unwrap().len();
    }
    assert!(shown > 1_000, "{shown} hits are too few to tell");
}
