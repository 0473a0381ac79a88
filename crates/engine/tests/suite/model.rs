//! Long random runs against a model that is a map of documents: whatever is acknowledged is
//! found by id, by words, by filter and by vector, and nothing else is, also after reopening.

use std::collections::{BTreeMap, BTreeSet};

use crate::support::{DIMENSIONS, Fixture, definition, embed, ids, tensor_leg};
use pelorus_columns::{MaxSim, MultiVector};
use pelorus_random::SplitMix64;
use serde_json::{Value, json};

#[derive(Clone, PartialEq, Debug)]
struct Stored {
    word: usize,
    group: usize,
    /// Seed of the vector, where the document has one.
    vector: Option<usize>,
    /// A second text, without a vector.
    note: Option<usize>,
    price: Option<i64>,
    /// Seed of the sparse vector.
    sparse: Option<usize>,
    /// Seed of the many vectors of one field.
    multi: Option<usize>,
}

const WORDS: [&str; 4] = ["apple", "pear", "plum", "quince"];
const NOTES: [&str; 3] = ["ripe", "sour", "sweet"];
const IDS: usize = 40;
/// A document that is never changed: by it an unstructured index knows texts in the field `note`.
const FIRST: usize = IDS;

impl Stored {
    fn random(random: &mut SplitMix64) -> Self {
        let vector = (random.below(4) > 0).then(|| random.below(30));
        Self {
            word: random.below(WORDS.len()),
            group: random.below(3),
            vector,
            note: (random.below(2) > 0).then(|| random.below(NOTES.len())),
            price: (random.below(2) > 0).then(|| random.below(5) as i64),
            sparse: (random.below(3) > 0).then(|| random.below(40)),
            multi: (random.below(3) > 0).then(|| random.below(40)),
        }
    }

    fn json(&self, id: usize) -> Value {
        let mut document = json!({"_id": name(&id), "group": self.group});
        document["title"] = json!(format!("{} pie", WORDS[self.word]));
        if let Some(seed) = self.vector {
            document["v"] = json!({"vector": vector_of(seed)});
        }
        if let Some(note) = self.note {
            document["note"] = json!(NOTES[note]);
        }
        if let Some(price) = self.price {
            document["price"] = json!(price);
        }
        if let Some(seed) = self.sparse {
            document["s"] = sparse_of(seed);
        }
        if let Some(seed) = self.multi {
            document["m"] = json!(vectors_of(seed));
        }
        document
    }
}

fn vector_of(seed: usize) -> Vec<f32> {
    embed(&format!("vector {seed}"))
}

/// A sparse vector of three of eight indices, in its stored form.
fn sparse_of(seed: usize) -> Value {
    let first = seed % 6;
    let weight = |at: usize| 0.5 * (1 + (seed / 6 + at) % 4) as f64;
    json!({"indices": [first, first + 1, first + 2], "values": [weight(0), weight(1), weight(2)]})
}

/// One to four vectors of three numbers, which 32 bits hold.
fn vectors_of(seed: usize) -> Vec<Vec<f32>> {
    let number = |at: usize, i: usize| ((seed * 7 + at * 5 + i * 3) % 9) as f32 - 3.5;
    let vector = |at: usize| (0..3).map(|i| number(at, i)).collect();
    (0..1 + seed % 4).map(vector).collect()
}

/// The inner product of two sparse vectors, by a loop over both.
fn inner_product(a: &Value, b: &Value) -> f64 {
    let entries = |vector: &Value| -> Vec<(u64, f64)> {
        let indices = vector["indices"].as_array().unwrap().iter();
        let values = vector["values"].as_array().unwrap().iter();
        let entries = indices.zip(values);
        entries
            .map(|(index, value)| (index.as_u64().unwrap(), value.as_f64().unwrap()))
            .collect()
    };
    let b = entries(b);
    let products = entries(a).into_iter().flat_map(|(index, weight)| {
        let same = b.iter().filter(move |(other, _)| *other == index);
        same.map(move |(_, other)| weight * other)
            .collect::<Vec<_>>()
    });
    products.sum()
}

type Model = BTreeMap<usize, Stored>;

fn name(id: &usize) -> String {
    format!("d{id}")
}

#[derive(Clone, Copy, PartialEq, Debug)]
enum Kind {
    Unstructured,
    Structured,
}

impl Kind {
    fn index(self, numbers: &str) -> Fixture {
        let mut changes = match self {
            Self::Unstructured => json!({}),
            Self::Structured => {
                let field = |name: &str, kind: &str, features: &[&str]| json!({"name": name, "type": kind, "features": features});
                json!({
                    "type": "structured",
                    "allFields": [
                        field("title", "text", &["lexical_search"]),
                        field("note", "text", &["lexical_search", "filter"]),
                        field("group", "int", &["filter"]),
                        field("price", "long", &["filter"]),
                        field("v", "custom_vector", &[]),
                        field("s", "sparse_vector", &[]),
                        json!({"name": "m", "type": "multi_vector", "dimensions": 3}),
                    ],
                    "tensorFields": ["v"],
                })
            }
        };
        changes["vectorNumericType"] = json!(numbers);
        let fixture = Fixture::new();
        let definition = definition(changes);
        fixture.engine.create_index("m", &definition).unwrap();
        fixture
    }

    fn add(self, fixture: &Fixture, documents: &[Value]) -> Value {
        let mut body = json!({"documents": documents});
        if self == Self::Unstructured {
            body["tensorFields"] = json!(["v"]);
            body["mappings"] = json!({"v": {"type": "custom_vector"}, "s": {"type": "sparse_vector"},
                "m": {"type": "multi_vector", "dimensions": 3}});
        }
        fixture.add("m", body)
    }

    fn status_of_missing(self) -> u16 {
        match self {
            Self::Unstructured => 400,
            Self::Structured => 404,
        }
    }
}

fn add(kind: Kind, fixture: &Fixture, model: &mut Model, random: &mut SplitMix64) {
    let count = 1 + random.below(5);
    let batch: Vec<(usize, Stored)> = (0..count)
        .map(|_| (random.below(IDS), Stored::random(random)))
        .collect();
    let mut documents: Vec<Value> = batch.iter().map(|(id, stored)| stored.json(*id)).collect();
    // One that must leave no trace.
    documents.push(json!({"_id": "refused", "title": null}));
    let answer = kind.add(fixture, &documents);
    let items = answer["items"].as_array().unwrap();
    let distinct: BTreeSet<usize> = batch.iter().map(|(id, _)| *id).collect();
    assert_eq!(items.len(), distinct.len() + 1);
    model.extend(batch);
}

/// Changes some fields of some documents, removes others, and is refused for documents that are missing
/// or whose vector it would have to change.
fn update(kind: Kind, fixture: &Fixture, model: &mut Model, random: &mut SplitMix64) {
    let chosen: BTreeSet<usize> = (0..1 + random.below(5))
        .map(|_| random.below(IDS))
        .collect();
    let (mut documents, mut statuses) = (Vec::new(), Vec::new());
    for id in chosen {
        let mut changes = json!({"_id": name(&id)});
        let mut stored = model.get(&id).cloned();
        let mut after = stored.clone().unwrap_or(Stored::random(random));
        if random.below(2) > 0 {
            after.group = random.below(3);
            changes["group"] = json!(after.group);
        }
        if random.below(2) > 0 {
            after.price = (random.below(3) > 0).then(|| random.below(5) as i64);
            changes["price"] = json!(after.price);
        }
        if random.below(3) == 0 {
            after.note = (random.below(3) > 0).then(|| random.below(NOTES.len()));
            changes["note"] = json!(after.note.map(|note| NOTES[note]));
        }
        if random.below(3) == 0 {
            after.sparse = (random.below(3) > 0).then(|| random.below(40));
            changes["s"] = after.sparse.map_or(Value::Null, sparse_of);
        }
        if random.below(3) == 0 {
            after.multi = (random.below(3) > 0).then(|| random.below(40));
            changes["m"] = after
                .multi
                .map_or(Value::Null, |seed| json!(vectors_of(seed)));
        }
        let mut status = match &stored {
            Some(_) => 200,
            None => kind.status_of_missing(),
        };
        if random.below(6) == 0 && stored.as_ref().is_some_and(|of| of.vector.is_some()) {
            changes["v"] = Value::Null;
            status = 400;
        }
        if status == 200 {
            stored = Some(after);
        }
        if let Some(stored) = stored {
            model.insert(id, stored);
        }
        documents.push(changes);
        statuses.push(json!([name(&id), status]));
    }
    let answer = fixture.update("m", json!(documents));
    let items = answer["items"].as_array().unwrap();
    let items: Vec<Value> = items
        .iter()
        .map(|item| json!([item["_id"], item["status"]]))
        .collect();
    assert_eq!(items, statuses, "{answer}");
}

fn delete(fixture: &Fixture, model: &mut Model, random: &mut SplitMix64) {
    let chosen: Vec<usize> = (0..1 + random.below(4))
        .map(|_| random.below(IDS))
        .collect();
    let names: Vec<String> = chosen.iter().map(name).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let answer = fixture.delete("m", &names);
    let existed = chosen
        .iter()
        .filter(|id| model.remove(id).is_some())
        .count();
    assert_eq!(answer["details"]["deletedDocuments"], existed);
}

fn expect(model: &Model, pass: impl Fn(&Stored) -> bool) -> BTreeSet<String> {
    model
        .iter()
        .filter(|(_, stored)| pass(stored))
        .map(|(id, _)| name(id))
        .collect()
}

fn verify(fixture: &Fixture, model: &Model, random: &mut SplitMix64, error_max: f32) {
    let found = |plan: Value, query: &[f32]| -> BTreeSet<String> {
        let found = ids(&fixture.search("m", plan, query));
        let distinct: BTreeSet<String> = found.iter().cloned().collect();
        assert_eq!(distinct.len(), found.len(), "a document came twice");
        distinct
    };
    let lexical = |text: &str, filter: Value| {
        json!({"retrievalMethod": "lexical", "rankingMethod": "lexical", "limit": 100, "filter": filter,
               "lexical": {"text": text, "fields": null}})
    };
    let word = random.below(WORDS.len());
    let group = random.below(3);
    let in_group = json!(format!("group:{group}"));
    assert_eq!(
        found(lexical(WORDS[word], Value::Null), &[]),
        expect(model, |stored| stored.word == word)
    );
    let note = random.below(NOTES.len());
    let with_note = expect(model, |stored| stored.note == Some(note));
    assert_eq!(found(lexical(NOTES[note], Value::Null), &[]), with_note);
    let filter = json!(format!("note:{}", NOTES[note]));
    assert_eq!(found(lexical("*", filter), &[]), with_note);
    let price = random.below(5) as i64;
    let filter = json!(format!("price:[{price} TO 4] AND NOT group:{group}"));
    assert_eq!(
        found(lexical("*", filter), &[]),
        expect(model, |stored| stored.price >= Some(price)
            && stored.group != group)
    );
    assert_eq!(
        found(lexical("*", in_group.clone()), &[]),
        expect(model, |stored| stored.group == group)
    );
    let plan = json!({"limit": 100, "filter": in_group, "tensor": tensor_leg()});
    let seed = random.below(30);
    assert_eq!(
        found(plan, &vector_of(seed)),
        expect(model, |stored| stored.group == group
            && stored.vector.is_some())
    );
    verify_sparse(fixture, model, random, group);
    verify_late(fixture, model, random, group);
    let all: Vec<String> = (0..=IDS).map(|id| name(&id)).collect();
    let all: Vec<&str> = all.iter().map(String::as_str).collect();
    let read = fixture.get("m", &all, true);
    for (id, result) in read["results"].as_array().unwrap().iter().enumerate() {
        match model.get(&id) {
            None => assert_eq!(result["_found"], false, "d{id}"),
            Some(stored) => verify_document(result, stored, id, error_max),
        }
    }
    let stats: Value = serde_json::from_slice(&fixture.engine.stats("m").unwrap()).unwrap();
    assert_eq!(stats["numberOfDocuments"], model.len());
    let with_vector = model.values().filter(|stored| stored.vector.is_some());
    assert_eq!(stats["numberOfVectors"], with_vector.count());
}

/// The documents of a group with an index of a sparse query, each with its inner product, best first.
fn verify_sparse(fixture: &Fixture, model: &Model, random: &mut SplitMix64, group: usize) {
    let query = sparse_of(random.below(40));
    let mut expected = BTreeMap::new();
    for (id, stored) in model.iter().filter(|(_, stored)| stored.group == group) {
        let score = stored
            .sparse
            .map_or(0.0, |seed| inner_product(&sparse_of(seed), &query));
        if score > 0.0 {
            expected.insert(name(id), score);
        }
    }
    let sparse = json!({"field": "s", "indices": query["indices"], "weights": query["values"]});
    let plan = json!({"retrievalMethod": "lexical", "rankingMethod": "lexical", "limit": 100,
        "filter": format!("group:{group}"), "lexical": {"sparse": sparse}});
    let answer = fixture.search("m", plan, &[]);
    let hits = answer["hits"].as_array().unwrap();
    let found = hits.iter().map(|hit| {
        (
            hit["_id"].as_str().unwrap().to_owned(),
            hit["_score"].as_f64().unwrap(),
        )
    });
    let found: Vec<(String, f64)> = found.collect();
    assert!(found.is_sorted_by(|a, b| a.1 >= b.1), "{found:?}");
    assert_eq!(found.len(), expected.len());
    assert_eq!(found.into_iter().collect::<BTreeMap<_, _>>(), expected);
}

/// The documents of a group: those with many vectors by their scores, best first, and behind them the others.
fn verify_late(fixture: &Fixture, model: &Model, random: &mut SplitMix64, group: usize) {
    let query = vectors_of(random.below(40));
    let search = MaxSim::new(&MultiVector::new(&query).unwrap());
    let score = |seed| search.score(&MultiVector::new(&vectors_of(seed)).unwrap());
    let in_group = model.iter().filter(|(_, stored)| stored.group == group);
    let expected: BTreeMap<String, Option<f64>> = in_group
        .map(|(id, stored)| (name(id), stored.multi.and_then(score)))
        .collect();
    let plan = json!({"retrievalMethod": "lexical", "rankingMethod": "lexical", "limit": 100,
        "filter": format!("group:{group}"), "lexical": {"text": "*", "fields": null},
        "lateInteraction": {"field": "m", "vectors": query, "candidates": 1000}});
    let answer = fixture.search("m", plan, &[]);
    let hits = answer["hits"].as_array().unwrap();
    assert_eq!(hits.len(), expected.len());
    let mut last = Some(f64::INFINITY);
    for hit in hits {
        let wanted = expected[hit["_id"].as_str().unwrap()];
        if let Some(score) = wanted {
            assert_eq!(hit["_score"].as_f64(), Some(score), "{hit}");
        }
        assert!(last >= wanted, "{hit}");
        last = wanted;
    }
}

fn verify_document(result: &Value, stored: &Stored, id: usize, error_max: f32) {
    let mut expected = stored.json(id);
    if stored.vector.is_some() {
        // A vector reads back as its text.
        expected["v"] = json!("");
    }
    for (field, value) in expected.as_object().unwrap() {
        assert_eq!(&result[field], value, "{field} of d{id}");
    }
    for field in ["note", "price", "s", "m"] {
        assert_eq!(result.get(field), expected.get(field), "{field} of d{id}");
    }
    let facets = result["_tensor_facets"].as_array().unwrap();
    assert_eq!(facets.len(), usize::from(stored.vector.is_some()));
    if let Some(seed) = stored.vector {
        let stored: Vec<f32> = serde_json::from_value(facets[0]["_embedding"].clone()).unwrap();
        let pairs = stored.iter().zip(vector_of(seed));
        let distance: f32 = pairs.map(|(a, b)| (a - b).abs()).sum();
        assert!(
            stored.len() == DIMENSIONS && distance < error_max,
            "vector of d{id}"
        );
    }
}

/// The types of stored numbers, each with the largest sum of errors of a vector.
const NUMBERS: [(&str, f32); 3] = [("float", 1e-5), ("bfloat16", 0.008), ("int8", 0.016)];

fn run(kind: Kind, seed: u64) {
    let (numbers, error_max) = NUMBERS[seed as usize % NUMBERS.len()];
    let mut random = SplitMix64(seed);
    let mut model = Model::new();
    let mut fixture = kind.index(numbers);
    let first = Stored {
        note: Some(0),
        ..Stored::random(&mut random)
    };
    kind.add(&fixture, &[first.json(FIRST)]);
    model.insert(FIRST, first);
    for step in 0..100 {
        match random.below(12) {
            0..5 => add(kind, &fixture, &mut model, &mut random),
            5..9 => update(kind, &fixture, &mut model, &mut random),
            9..11 => delete(&fixture, &mut model, &mut random),
            _ if random.below(2) == 0 => fixture = fixture.reopen(),
            _ => fixture = fixture.crash(),
        }
        if step % 3 == 0 {
            verify(&fixture, &model, &mut random, error_max);
        }
    }
    let fixture = fixture.reopen();
    verify(&fixture, &model, &mut random, error_max);
}

#[test]
fn acknowledged_documents_are_found_in_every_way_and_no_others() {
    for kind in [Kind::Unstructured, Kind::Structured] {
        for seed in 0..3 {
            println!("{kind:?}, seed {seed}");
            run(kind, seed);
        }
    }
}
