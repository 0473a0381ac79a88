//! Searches of many matches by changed scores answer as if every match was scored, whatever is remembered of
//! documents and whatever was written since.

use crate::support::{Fixture, with};
use pelorus_random::SplitMix64;
use serde_json::{Value, json};

/// Enough that bounds are added up and most of the documents are passed over.
const DOCUMENTS: usize = 10_000;
const DAY: u64 = 86_400;
const NOW: u64 = 20_000 * DAY;

fn document(at: usize, random: &mut SplitMix64) -> Value {
    let mut words = vec!["river"; 1 + random.below(3)];
    words.extend((0..random.below(6)).map(|_| ["stone", "lamp", "coat"][random.below(3)]));
    let mut document = json!({"_id": format!("d{at}"), "title": words.join(" ")});
    for (name, value) in numbers(random) {
        document[name] = value;
    }
    document
}

/// Some are missing, many are equal.
fn numbers(random: &mut SplitMix64) -> Vec<(&'static str, Value)> {
    let mut numbers = Vec::new();
    if random.below(4) > 0 {
        numbers.push(("n", json!(random.below(50) as i64 - 10)));
    }
    if random.below(4) > 0 {
        numbers.push(("f", json!(f64::from(random.unit()))));
    }
    match random.below(5) {
        0 => {}
        1 => numbers.push(("t", json!(0))),
        _ => numbers.push((
            "t",
            json!(NOW - random.below(90 * DAY as usize) as u64 + 9 * DAY),
        )),
    }
    numbers
}

/// The changes to the scores of a search: one of few, so that much of it is asked for again.
fn changes(random: &mut SplitMix64) -> Value {
    let modifier = |field: &str, weight: f64| json!({"field": field, "weight": weight});
    let (n, f) = (modifier("n", 0.5), modifier("f", 1.0));
    let modifiers = match random.below(9) {
        0 => json!({"multiply": [n, f], "add": []}),
        1 => json!({"multiply": [f], "add": [n]}),
        2 => json!({"multiply": [modifier("f", -1.0)], "add": []}),
        3 => json!({"multiply": [modifier("n", 1e300), modifier("f", 1e300)], "add": [n]}),
        4 => json!({"multiply": [], "add": [modifier("f", 0.01)]}),
        5 => json!({"multiply": [], "add": [modifier("n", -9.0)]}),
        6 => json!({"multiply": [modifier("f", -1.0)], "add": [modifier("f", -20.0)]}),
        _ => Value::Null,
    };
    let falloff = *random.pick(&["exponential", "linear", "gaussian", "binary"]);
    let slope =
        json!({"falloff": falloff, "scaleSeconds": 20 * DAY, "offsetSeconds": DAY, "floor": 0.2});
    let recency = json!({
        "field": "t", "centerSeconds": NOW - random.below(40 * DAY as usize) as u64, "decay": slope,
        "growth": if random.below(2) == 0 { slope.clone() } else { Value::Null },
        "addToScoreWeight": *random.pick(&[None, None, Some(0.5), Some(-0.5)]),
        "tensor": false, "lexical": true, "fused": false,
    });
    let recency = match random.below(2) {
        0 if !modifiers.is_null() => Value::Null,
        _ => recency,
    };
    json!({"modifiers": modifiers, "recency": recency})
}

fn check(fixture: &Fixture, random: &mut SplitMix64) {
    let changes = changes(random);
    let text = *random.pick(&["river", "river stone", "lamp", "\"coat\" river"]);
    // The scores of a leg that is fused are shown as they are, below zero too.
    let (retrieval, ranking) = *random.pick(&[("lexical", "lexical"), ("disjunction", "rrf")]);
    let is_fused = ranking == "rrf";
    let plan = json!({
        "limit": *random.pick(&[1, 10, 40]), "offset": *random.pick(&[0, 0, 5]),
        "retrievalMethod": retrieval, "rankingMethod": ranking, "trackTotalHits": random.below(2) == 0,
        "rrf": if is_fused { json!({"alpha": 0.0, "k": 60}) } else { Value::Null },
        "attributesToRetrieve": ["_id", "_lexical_score"], "recency": changes["recency"],
        "lexical": {"text": text, "scoreModifiers": changes["modifiers"]},
    });
    let mut every = plan.clone();
    every["lexical"] = with(
        every["lexical"].clone(),
        &json!({"modifiedCount": 1_000_000}),
    );
    let expected = fixture.search("documents", every, &[]);
    assert!(!expected["hits"].as_array().unwrap().is_empty());
    for time in 0..3 {
        let received = fixture.search("documents", plan.clone(), &[]);
        let what = format!("{plan}, time {time}");
        assert_eq!(
            received.get("totalHits"),
            expected.get("totalHits"),
            "{what}"
        );
        let shown = if is_fused { "_lexical_score" } else { "_score" };
        assert_eq!(ranked(&received, shown), ranked(&expected, shown), "{what}");
    }
}

/// The scores of hits in order, and what has them; not of the first and the last of these, as those with the same
/// score beyond the page may be others: who scores a given number of documents leaves equal ones by BM25.
fn ranked(answer: &Value, shown: &str) -> (Vec<f64>, Vec<(String, String)>) {
    let hits = answer["hits"].as_array().unwrap();
    let score = |hit: &Value| hit[shown].as_f64().unwrap();
    let scores: Vec<f64> = hits.iter().map(score).collect();
    let ends = [scores.first(), scores.last()];
    let inner = hits.iter().filter(|hit| !ends.contains(&Some(&score(hit))));
    let mut named: Vec<(String, String)> = inner
        .map(|hit| (hit[shown].to_string(), hit["_id"].to_string()))
        .collect();
    named.sort();
    (scores, named)
}

/// Changes numbers in place, replaces documents, takes some out and adds others.
fn write(fixture: &Fixture, random: &mut SplitMix64, next: &mut usize) {
    let some = |random: &mut SplitMix64| random.below(*next);
    let mut updates = Vec::new();
    for _ in 0..random.below(20) {
        let mut changed =
            json!({"_id": format!("d{}", some(random)), "f": f64::from(random.unit())});
        changed["t"] = json!(NOW - random.below(90 * DAY as usize) as u64);
        updates.push(changed);
    }
    let removed = format!("d{}", some(random));
    let mut added: Vec<Value> = (0..3).map(|_| document(some(random), random)).collect();
    added.push(document(*next, random));
    *next += 1;
    if !updates.is_empty() {
        fixture.update("documents", json!(updates));
    }
    fixture.delete("documents", &[&removed]);
    fixture.add("documents", json!({"documents": added}));
}

#[test]
fn searches_answer_as_if_every_match_was_scored() {
    let mut random = SplitMix64(17);
    let mut fixture = Fixture::unstructured("documents");
    let documents: Vec<Value> = (0..DOCUMENTS).map(|at| document(at, &mut random)).collect();
    for some in documents.chunks(1_000) {
        fixture.add("documents", json!({"documents": some}));
    }
    // Documents in memory move to a segment, of which bounds are remembered.
    fixture = fixture.reopen();
    let mut next = DOCUMENTS;
    for _ in 0..40 {
        for _ in 0..3 {
            check(&fixture, &mut random);
        }
        write(&fixture, &mut random, &mut next);
    }
}
