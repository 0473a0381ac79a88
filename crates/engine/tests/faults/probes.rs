//! Asks an engine everything that the oracle knows an answer to, and judges the answers.

use std::collections::{BTreeMap, BTreeSet};

use pelorus_engine::{Engine, EngineError};
use serde_json::{Map, Value, json};

use super::oracle::{
    Document, GROUPS, IDS, Model, Oracle, States, WORDS, id_of, query_of, vector_of,
};
use crate::support::{definition, full, tensor_leg};

/// The engine computes in 32 bits, and vectors are rounded to length one.
const TOLERANCE: f64 = 1e-5;

/// One question to an index.
#[derive(Debug, Clone, Copy)]
pub enum Probe {
    /// Every document by id, with its vectors.
    Get,
    Stats,
    Group(usize),
    Word(usize),
    Phrase(usize),
    Nearest {
        seed: usize,
        approximate: bool,
    },
    NearestInGroup(usize),
    /// Every query that is suggested.
    Suggested,
    Definition,
}

pub fn probes() -> Vec<Probe> {
    let mut probes = vec![Probe::Get, Probe::Stats];
    probes.extend((0..GROUPS).map(Probe::Group));
    probes.extend((0..WORDS.len()).flat_map(|word| [Probe::Word(word), Probe::Phrase(word)]));
    for approximate in [true, false] {
        probes.extend((0..3).map(|seed| Probe::Nearest { seed, approximate }));
    }
    probes.extend((0..GROUPS).map(Probe::NearestInGroup));
    probes.extend([Probe::Suggested, Probe::Definition]);
    probes
}

impl Probe {
    /// The answer in a form that does not depend on the order of equal hits: a map by id.
    pub fn ask(self, engine: &Engine, index: &str) -> Result<Value, EngineError> {
        let query = vector_of(match self {
            Self::Nearest { seed, .. } | Self::NearestInGroup(seed) => seed,
            _ => 0,
        });
        let plan = match self {
            Self::Get => return get(engine, index),
            Self::Stats => return count(engine, index),
            Self::Suggested => return suggested(engine, index),
            Self::Definition => return note(engine, index),
            Self::Group(group) => words("*", Some(group)),
            Self::Word(word) => words(WORDS[word], None),
            Self::Phrase(word) => words(&format!("\"with {}\"", WORDS[word]), None),
            Self::Nearest { approximate, .. } => {
                let mut leg = tensor_leg();
                leg["approximate"] = json!(approximate);
                json!({"limit": 2 * IDS, "tensor": leg})
            }
            Self::NearestInGroup(group) => json!({"limit": 2 * IDS, "tensor": tensor_leg(),
                "filter": format!("group:{group}")}),
        };
        let is_tensor = plan.get("tensor").is_some();
        let query = if is_tensor { &query[..] } else { &[] };
        let body = engine.search(index, full(plan).to_string().as_bytes(), query)?;
        let answer: Value = serde_json::from_slice(&body).unwrap();
        let mut hits = Map::new();
        for hit in answer["hits"].as_array().unwrap() {
            let id = hit["_id"].as_str().unwrap();
            let value = json!({"score": hit["_score"], "title": hit["title"]});
            if hits.insert(id.to_owned(), value).is_some() {
                return Ok(json!(format!("{id} came twice")));
            }
        }
        Ok(Value::Object(hits))
    }

    /// The answer that is right. A score is null where the oracle does not compute it.
    pub fn expected(self, model: &Model) -> Value {
        let documents = model.iter().filter_map(|(id, document)| {
            let score = |seed: usize| {
                let scores = document.vectors.values();
                let scores = scores.map(|of| closeness(&vector_of(seed), &vector_of(*of)));
                scores.max_by(f64::total_cmp).map(|score| json!(score))
            };
            let unscored = |pass: bool| pass.then_some(Value::Null);
            let score = match self {
                Self::Get => return Some((id_of(*id), whole(document))),
                Self::Stats | Self::Suggested | Self::Definition => return None,
                Self::Group(group) => unscored(document.group == group)?,
                Self::Word(word) => json!(bm25(model, word, document)?),
                Self::Phrase(word) => unscored(document.topping == word)?,
                Self::Nearest { seed, .. } => score(seed)?,
                Self::NearestInGroup(group) => score(group).filter(|_| document.group == group)?,
            };
            Some((
                id_of(*id),
                json!({"score": score, "title": document.title()}),
            ))
        });
        match self {
            Self::Stats => json!(model.len()),
            // The higher number is the more popular one.
            Self::Suggested => model
                .queries
                .iter()
                .rev()
                .map(|one| query_of(*one))
                .collect(),
            Self::Definition => json!(model.note),
            _ => Value::Object(documents.collect()),
        }
    }
}

fn words(text: &str, group: Option<usize>) -> Value {
    json!({"retrievalMethod": "lexical", "rankingMethod": "lexical", "limit": 2 * IDS,
        "filter": group.map(|group| format!("group:{group}")),
        "lexical": {"text": text, "fields": null}})
}

/// BM25 with the usual k1 and b; none where the document does not have the word.
fn bm25(model: &Model, word: usize, document: &Document) -> Option<f64> {
    let frequency = document.frequency(word) as f64;
    let documents = model.len() as f64;
    let matching = model.values().filter(|d| d.frequency(word) > 0).count() as f64;
    let lengths: usize = model.values().map(Document::length).sum();
    let idf = (1.0 + (documents - matching + 0.5) / (matching + 0.5)).ln();
    let norm = 0.25 + 0.75 * document.length() as f64 * documents / lengths as f64;
    (frequency > 0.0).then(|| idf * frequency * 2.2 / (frequency + 1.2 * norm))
}

/// The documented score of `prenormalized-angular` for vectors of length one.
fn closeness(a: &[f32], b: &[f32]) -> f64 {
    let dot: f64 = a.iter().zip(b).map(|(a, b)| f64::from(a * b)).sum();
    1.0 / (2.0 - dot)
}

fn whole(document: &Document) -> Value {
    let vectors = document.vectors.iter();
    let vectors: Map<String, Value> = vectors
        .map(|(field, seed)| (field.clone(), json!(vector_of(*seed))))
        .collect();
    json!({"title": document.title(), "group": document.group, "vectors": vectors})
}

fn get(engine: &Engine, index: &str) -> Result<Value, EngineError> {
    let ids: Vec<String> = (0..IDS).map(id_of).collect();
    let request = json!({"documentIds": ids, "exposeFacets": true}).to_string();
    let response = engine.get_documents(index, request.as_bytes())?;
    let answer: Value = serde_json::from_slice(&response.body).unwrap();
    let mut documents = Map::new();
    for (id, found) in ids.into_iter().zip(answer["results"].as_array().unwrap()) {
        if found["_id"] != json!(id) {
            return Ok(json!(format!("asked for {id}, came {found}")));
        }
        if found["_found"] == json!(true) {
            let mut vectors = Map::new();
            for facet in found["_tensor_facets"].as_array().unwrap() {
                let facet = facet.as_object().unwrap();
                let field = facet.keys().find(|key| *key != "_embedding").unwrap();
                vectors.insert(field.clone(), facet["_embedding"].clone());
            }
            let document =
                json!({"title": found["title"], "group": found["group"], "vectors": vectors});
            documents.insert(id, document);
        }
    }
    Ok(Value::Object(documents))
}

fn count(engine: &Engine, index: &str) -> Result<Value, EngineError> {
    let stats: Value = serde_json::from_slice(&engine.stats(index)?).unwrap();
    Ok(stats["numberOfDocuments"].clone())
}

fn suggested(engine: &Engine, index: &str) -> Result<Value, EngineError> {
    let plan = json!({"text": "*", "limit": 1_000, "editsMax": 0, "fuzzyCharsMin": 0,
        "popularityWeight": 1, "bm25Weight": 1, "matchesAll": false});
    let answer = engine.suggest(index, plan.to_string().as_bytes())?;
    let answer: Value = serde_json::from_slice(&answer).unwrap();
    let suggestions = answer["suggestions"].as_array().unwrap().iter();
    Ok(suggestions.map(|one| one["suggestion"].clone()).collect())
}

fn note(engine: &Engine, index: &str) -> Result<Value, EngineError> {
    let definition: Value = serde_json::from_slice(&engine.definition(index)?).unwrap();
    Ok(definition["settings"]["note"].clone())
}

/// Tells whether two answers are the same, but for roundings and scores that are not known.
pub fn same(answer: &Value, expected: &Value) -> bool {
    match (answer, expected) {
        (Value::Number(_), Value::Null) => true,
        (Value::Number(a), Value::Number(b)) => {
            (a.as_f64().unwrap() - b.as_f64().unwrap()).abs() <= TOLERANCE
        }
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b))
        }
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len()
                && b.iter()
                    .all(|(key, b)| a.get(key).is_some_and(|a| same(a, b)))
        }
        _ => answer == expected,
    }
}

/// The first difference of two answers, and the number of hits or documents in each.
fn difference(answer: &Value, expected: &Value) -> String {
    let (Value::Object(a), Value::Object(b)) = (answer, expected) else {
        return format!("answered {answer}, expected {expected}");
    };
    let mut keys = a.keys().chain(b.keys());
    let missing = Value::Null;
    let of = |map: &Map<String, Value>, key: &str| map.get(key).unwrap_or(&missing).clone();
    let key = keys.find(|key| {
        !same(&of(a, key), &of(b, key)) || a.contains_key(*key) != b.contains_key(*key)
    });
    let key = key.map_or("", String::as_str);
    let (answered, wanted) = (of(a, key), of(b, key));
    format!(
        "answered {} of {}, first difference at {key}: answered {answered}, expected {wanted}",
        a.len(),
        b.len()
    )
}

/// Fields of documents whose vectors are damaged.
pub type Damaged = BTreeMap<usize, BTreeSet<String>>;

/// The vectors of an index that a scan finds damaged.
fn damaged(engine: &Engine, name: &str) -> Damaged {
    let mut damaged = Damaged::new();
    let request = json!({"exposeFacets": false, "exposeTensors": true}).to_string();
    let Ok(scan) = engine.scan_documents(name, request.as_bytes()) else {
        return damaged;
    };
    let Ok(page) = scan.page(0, 2 * IDS) else {
        return damaged;
    };
    let page: Value = serde_json::from_slice(&page.body).unwrap();
    for document in page["documents"].as_array().unwrap() {
        let id = document["_id"].as_str().unwrap()[1..].parse().unwrap();
        for tensors in document["_tensors"].as_array().unwrap() {
            if tensors["vectors"].is_null() {
                let field = tensors["field"].as_str().unwrap().to_owned();
                damaged.entry(id).or_default().insert(field);
            }
        }
    }
    damaged
}

/// The number of documents of an index whose vectors are damaged, as health tells it.
fn told(engine: &Engine, name: &str) -> Option<usize> {
    let health: Value = serde_json::from_slice(&engine.health()).unwrap();
    let mut indexes = health["indexes"].as_array().unwrap().iter();
    let index =
        indexes.find(|index| index["name"] == name && index["code"] == "vectors_damaged")?;
    assert_eq!(index["status"], "yellow");
    let mut words = index["reason"].as_str().unwrap().split(' ');
    words.find_map(|word| word.parse().ok())
}

/// The errors that came in place of answers, as `code: message`. None where all was served.
pub type Said = BTreeSet<String>;

/// Asks everything of every index that the oracle knows of.
///
/// # Errors
/// A description of the first answer that breaks the rule: an index that is neither served nor
/// says why not, a wrong answer, one that is hidden, one that should not be there.
pub fn judge(engine: &Engine, oracle: &Oracle) -> Result<Said, String> {
    match judge_but_damaged(engine, oracle)? {
        (said, 0) => Ok(said),
        (_, damaged) => Err(format!("vectors of {damaged} documents are damaged")),
    }
}

/// As [`judge`], but vectors may be damaged: then health says so, no search finds them, and whoever asks for them is
/// told. Gives of how many documents, too.
///
/// # Errors
/// As there.
pub fn judge_but_damaged(engine: &Engine, oracle: &Oracle) -> Result<(Said, usize), String> {
    let listed = engine.list_indexes();
    for name in &listed {
        if !oracle.indexes.contains_key(name) {
            return Err(format!("an index {name} is listed that nobody made"));
        }
    }
    let (mut said, mut count) = (Said::new(), 0);
    for (name, states) in &oracle.indexes {
        let is_listed = listed.contains(name);
        let damaged = match is_listed {
            true => damaged(engine, name),
            false => Damaged::new(),
        };
        let told = told(engine, name).unwrap_or(0);
        if told != damaged.len() {
            return Err(format!("{name}: {damaged:?} are damaged, {told} are told"));
        }
        count += damaged.len();
        said.append(&mut judge_index(engine, name, states, is_listed, &damaged)?);
    }
    Ok((said, count))
}

/// The oracle without contents that an index does not have: of each, all answers are of one content.
///
/// # Errors
/// A description of the index that has none of its possible contents.
pub fn narrowed(engine: &Engine, oracle: &Oracle) -> Result<Oracle, String> {
    let listed = engine.list_indexes();
    let mut oracle = oracle.clone();
    for (name, states) in &mut oracle.indexes {
        if states.len() == 1 {
            continue;
        }
        states.retain(|state| match state {
            None => !listed.contains(name),
            Some(model) => {
                let is_answered = |probe: Probe| {
                    let answer = probe.ask(engine, name);
                    answer.is_ok_and(|answer| same(&answer, &probe.expected(model)))
                };
                listed.contains(name) && probes().into_iter().all(is_answered)
            }
        });
        if states.is_empty() {
            return Err(format!("{name} has answers of several contents"));
        }
    }
    Ok(oracle)
}

fn judge_index(
    engine: &Engine,
    name: &str,
    states: &States,
    is_listed: bool,
    damaged: &Damaged,
) -> Result<Said, String> {
    let mut said = Said::new();
    if !is_listed {
        if !states.contains(&None) {
            return Err(format!("{name} is not listed"));
        }
        return Ok(said);
    }
    let models: Vec<&Model> = states.iter().flatten().collect();
    if models.is_empty() {
        return Err(format!("{name} is listed after it was dropped"));
    }
    for probe in probes() {
        match probe.ask(engine, name) {
            Ok(answer) => {
                let expected = models.iter().map(|model| match probe {
                    Probe::Get | Probe::Nearest { .. } | Probe::NearestInGroup(_) => {
                        probe.expected(&model.without(damaged, matches!(probe, Probe::Get)))
                    }
                    _ => probe.expected(model),
                });
                let expected: Vec<Value> = expected.collect();
                if !expected.iter().any(|expected| same(&answer, expected)) {
                    let difference = difference(&answer, &expected[0]);
                    return Err(format!("{name}, {probe:?}: {difference}"));
                }
            }
            Err(error) if error.code() == "index_not_found" => {
                return Err(format!("{name}, {probe:?}: {error}"));
            }
            Err(error) => {
                said.insert(format!("{}: {error}", error.code()));
            }
        }
    }
    match engine.create_index(name, &definition(json!({}))) {
        Err(error) if error.code() == "index_already_exists" => Ok(said),
        Err(error) => Err(format!("{name} can be made again: {error}")),
        Ok(()) => Err(format!("{name} was made a second time")),
    }
}
