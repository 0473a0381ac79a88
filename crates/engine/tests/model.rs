//! Long random runs against a model that is a map of documents: whatever is acknowledged is
//! found by id, by words, by filter and by vector, and nothing else is, also after reopening.
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

mod support;

use std::collections::{BTreeMap, BTreeSet};

use pelorus_random::SplitMix64;
use serde_json::{Value, json};
use support::{Fixture, embed, ids, tensor_leg};

#[derive(Clone, PartialEq, Debug)]
struct Stored {
    word: usize,
    group: usize,
    /// Seed of the vector, where the document has one.
    vector: Option<usize>,
}

const WORDS: [&str; 4] = ["apple", "pear", "plum", "quince"];
const IDS: usize = 40;

impl Stored {
    fn random(random: &mut SplitMix64) -> Self {
        let vector = (random.below(4) > 0).then(|| random.below(30));
        Self {
            word: random.below(WORDS.len()),
            group: random.below(3),
            vector,
        }
    }

    fn json(&self, id: usize) -> Value {
        let mut document = json!({"_id": format!("d{id}"), "group": self.group});
        document["title"] = json!(format!("{} pie", WORDS[self.word]));
        if let Some(seed) = self.vector {
            document["v"] = json!({"vector": embed(&format!("vector {seed}"))});
        }
        document
    }
}

type Model = BTreeMap<usize, Stored>;

fn name(id: &usize) -> String {
    format!("d{id}")
}

fn add(fixture: &Fixture, model: &mut Model, random: &mut SplitMix64) {
    let count = 1 + random.below(5);
    let batch: Vec<(usize, Stored)> = (0..count)
        .map(|_| (random.below(IDS), Stored::random(random)))
        .collect();
    let mut documents: Vec<Value> = batch.iter().map(|(id, stored)| stored.json(*id)).collect();
    // One that must leave no trace.
    documents.push(json!({"_id": "refused", "title": null}));
    let answer = fixture.add(
        "m",
        json!({"documents": documents, "tensorFields": ["v"],
               "mappings": {"v": {"type": "custom_vector"}}}),
    );
    let items = answer["items"].as_array().unwrap();
    let distinct: BTreeSet<usize> = batch.iter().map(|(id, _)| *id).collect();
    assert_eq!(items.len(), distinct.len() + 1);
    model.extend(batch);
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

fn verify(fixture: &Fixture, model: &Model, random: &mut SplitMix64) {
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
    assert_eq!(
        found(lexical("*", in_group.clone()), &[]),
        expect(model, |stored| stored.group == group)
    );
    let plan = json!({"limit": 100, "filter": in_group, "tensor": tensor_leg()});
    let seed = random.below(30);
    let query = embed(&format!("vector {seed}"));
    assert_eq!(
        found(plan, &query),
        expect(model, |stored| stored.group == group
            && stored.vector.is_some())
    );
    let all: Vec<String> = (0..IDS).map(|id| name(&id)).collect();
    let all: Vec<&str> = all.iter().map(String::as_str).collect();
    let read = fixture.get("m", &all, true);
    for (id, result) in read["results"].as_array().unwrap().iter().enumerate() {
        match model.get(&id) {
            None => assert_eq!(result["_found"], false, "d{id}"),
            Some(stored) => {
                assert_eq!(result["title"], format!("{} pie", WORDS[stored.word]));
                let facets = result["_tensor_facets"].as_array().unwrap();
                assert_eq!(facets.len(), usize::from(stored.vector.is_some()));
            }
        }
    }
    let stats: Value = serde_json::from_slice(&fixture.engine.stats("m").unwrap()).unwrap();
    assert_eq!(stats["numberOfDocuments"], model.len());
}

#[test]
fn acknowledged_documents_are_found_in_every_way_and_no_others() {
    for seed in 0..3 {
        let mut random = SplitMix64(seed);
        let mut model = Model::new();
        let mut fixture = Fixture::unstructured("m");
        for step in 0..100 {
            match random.below(10) {
                0..6 => add(&fixture, &mut model, &mut random),
                6..9 => delete(&fixture, &mut model, &mut random),
                _ if random.below(2) == 0 => fixture = fixture.reopen(),
                _ => fixture = fixture.crash(),
            }
            if step % 3 == 0 {
                verify(&fixture, &model, &mut random);
            }
        }
        let fixture = fixture.reopen();
        verify(&fixture, &model, &mut random);
    }
}
