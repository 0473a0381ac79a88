//! Whole searches whose scores and order are changed, compared with the plain formulas.

mod candidates;
mod diversity;
mod explained;
mod grouped;
mod kept;
mod oracle;
mod pinned;
mod totals;

use std::collections::HashMap;

use crate::support::{Fixture, definition, embed, full, ids, tensor_leg};
use oracle::{Counts, Oracle, Ranked, number};
use pelorus_random::SplitMix64;
use serde_json::{Value, json};

const DOCUMENTS: usize = 150;
const WORDS: [&str; 5] = ["river", "stone", "lamp", "winter", "coat"];
const DAY: u64 = 86_400;
const NOW: u64 = 20_000 * DAY;
/// Texts, and the dates that they are: seconds since 1970 and nanoseconds behind these.
const DATES: [(&str, Option<(i64, u32)>); 21] = [
    ("2024", Some((1_704_067_200, 0))),
    ("2024-01-01", Some((1_704_067_200, 0))),
    ("2024-02", Some((1_706_745_600, 0))),
    ("2024-02-29", Some((1_709_164_800, 0))),
    ("2024-02-29T12:30", Some((1_709_209_800, 0))),
    (
        "2024-02-29 12:30:05.25+02:00",
        Some((1_709_202_605, 250_000_000)),
    ),
    (
        "2024-02-29T10:30:05.250000001Z",
        Some((1_709_202_605, 250_000_001)),
    ),
    (
        "2024-02-29T10:30:05.249999999",
        Some((1_709_202_605, 249_999_999)),
    ),
    ("1969-12-31T23:59:59.5Z", Some((-1, 500_000_000))),
    ("1970-01-01", Some((0, 0))),
    ("0000-01-01", Some((-62_167_219_200, 0))),
    ("9999", Some((253_370_764_800, 0))),
    ("2024-10-03", Some((1_727_913_600, 0))),
    ("2024-10-01T06:00", Some((1_727_762_400, 0))),
    ("2024-10-04T12:00Z", Some((1_728_043_200, 0))),
    ("2024-10-06", Some((1_728_172_800, 0))),
    ("2024-09-30T23:30+05:30", Some((1_727_719_200, 0))),
    ("2023-02-29", None),
    ("2024-02-29T12:61", None),
    ("some day", None),
    ("99", None),
];
const KINDS: [&str; 2] = ["u", "s"];

/// A choice that a seed makes.
struct Dice(SplitMix64);

impl Dice {
    fn below(&mut self, count: usize) -> usize {
        self.0.below(count)
    }

    /// True once in `count`.
    fn one_in(&mut self, count: usize) -> bool {
        self.below(count) == 0
    }

    fn of<T: Clone>(&mut self, values: &[T]) -> T {
        self.0.pick(values).clone()
    }
}

/// Some documents lack a vector, a number, a time or an entry of the map; many share theirs.
fn documents() -> Vec<Value> {
    let mut dice = Dice(SplitMix64(7));
    let mut dates = Dice(SplitMix64(8));
    let document = |n: usize| {
        let title: Vec<&str> = (0..1 + dice.below(4)).map(|_| dice.of(&WORDS)).collect();
        let mut document = json!({"_id": format!("d{n}"), "title": title.join(" "), "flag": true,
                                  "sku": format!("sku {}", n * 7 % 60)});
        if !dice.one_in(4) {
            let vector = embed(&format!("vector {}", n % 90));
            document["v"] = json!({"vector": vector, "content": ""});
        }
        if !dice.one_in(3) {
            document["n"] = json!(dice.below(9) as i64 - 3);
        }
        if !dice.one_in(3) {
            document["f"] = json!(dice.below(40) as f64 / 4.0 - 2.0);
        }
        if !dice.one_in(3) {
            // Beyond the precision of a float of 64 bits.
            document["big"] = json!((1_i64 << 60) + dice.below(5) as i64);
        }
        if !dice.one_in(3) {
            document["m"] = json!({"k": dice.below(5), "l": dice.below(3)});
        }
        if n % 4 != 1 {
            document["tokens"] = json!(token_vectors(n));
        }
        if !dates.one_in(4) {
            document["d"] = json!(dates.of(&DATES).0);
        }
        match dice.below(4) {
            0 => {}
            1 if dice.one_in(3) => document["t"] = json!(0),
            _ => document["t"] = json!(NOW - 20 * DAY + 3_600 * dice.below(24 * 30) as u64),
        }
        document
    };
    (0..DOCUMENTS).map(document).collect()
}

/// One to three vectors of three numbers, of which many are alike.
fn token_vectors(seed: usize) -> Vec<Vec<f32>> {
    let number = |at: usize, i: usize| ((seed * 5 + at * 3 + i * 7) % 11) as f32 - 4.0;
    let vector = |at: usize| (0..3).map(|i| number(at, i)).collect();
    (0..1 + seed % 3).map(vector).collect()
}

/// Asks that the first hits of a ranking, up to so many, are ranked anew in one of the ways.
fn rank_anew(plan: &mut Value, dice: &mut Dice, candidates_max: usize) {
    let candidates = 1 + dice.below(candidates_max);
    if dice.one_in(2) {
        plan["diversity"] = json!({"lambda": dice.of(&[0.4, 0.5]), "candidates": candidates});
    } else {
        let vectors = token_vectors(dice.below(30));
        plan["lateInteraction"] =
            json!({"field": "tokens", "vectors": vectors, "candidates": candidates});
    }
}

fn catalogue(documents: &[Value]) -> Fixture {
    let fixture = Fixture::new();
    let field = |name: &str, kind: &str| json!({"name": name, "type": kind, "features": ["score_modifier"]});
    let structured = definition(json!({
        "type": "structured",
        "allFields": [
            {"name": "title", "type": "text", "features": ["lexical_search"]},
            {"name": "v", "type": "custom_vector", "features": []},
            {"name": "flag", "type": "bool", "features": []},
            field("n", "int"), field("f", "float"), field("big", "long"), field("t", "long"),
            field("m", "map<text, int>"),
            {"name": "sku", "type": "text", "features": []},
            {"name": "d", "type": "text", "features": ["filter"]},
            {"name": "tokens", "type": "multi_vector", "dimensions": 3},
        ],
        "tensorFields": ["v"],
    }));
    fixture
        .engine
        .create_index(
            "u",
            &definition(json!({"collapseFields": [{"name": "sku"}]})),
        )
        .unwrap();
    fixture.engine.create_index("s", &structured).unwrap();
    for some in documents.chunks(100) {
        let mappings = json!({"v": {"type": "custom_vector"}, "tokens": {"type": "multi_vector", "dimensions": 3}});
        let answer = fixture.add(
            "u",
            json!({"documents": some, "tensorFields": ["v"], "mappings": mappings}),
        );
        assert_eq!(answer["errors"], false, "{answer}");
        let answer = fixture.add("s", json!({"documents": some}));
        assert_eq!(answer["errors"], false, "{answer}");
    }
    fixture
}

fn modifiers(dice: &mut Dice) -> Value {
    let mut list = |count: usize| -> Vec<Value> {
        let modifier = |_| {
            let field = dice.of(&["n", "f", "m.k", "m.l", "big"]);
            let weight = match field {
                "big" => 1e-18,
                _ => dice.of(&[1.0, 0.5, -1.0, 2.0, 0.0]),
            };
            json!({"field": field, "weight": weight})
        };
        (0..count).map(modifier).collect()
    };
    json!({"multiply": list(2), "add": list(2)})
}

fn recency(dice: &mut Dice, is_disjunction: bool, has_sort: bool) -> Value {
    let mut slope = || {
        let falloff = dice.of(&["exponential", "linear", "gaussian", "binary"]);
        json!({"falloff": falloff, "scaleSeconds": DAY * (1 + dice.below(9) as u64),
               "offsetSeconds": DAY * dice.below(3) as u64, "floor": dice.of(&[0.1, 0.5, 1.0])})
    };
    let (decay, growth) = (slope(), slope());
    let (legs, fused) = dice.of(&[(true, true), (true, false), (false, true)]);
    let (legs, fused) = if has_sort {
        (true, false)
    } else {
        (legs, fused)
    };
    json!({"field": dice.of(&["t", "t", "d"]), "centerSeconds": NOW, "decay": decay,
           "growth": if dice.one_in(2) { growth } else { Value::Null },
           "addToScoreWeight": if dice.one_in(3) { json!(2.5) } else { Value::Null },
           "tensor": legs && !(is_disjunction && dice.one_in(4)),
           "lexical": legs && !(is_disjunction && dice.one_in(4)), "fused": fused})
}

fn sort(dice: &mut Dice, limit: usize, has_cutoff: bool) -> Value {
    let fields: Vec<Value> = (0..1 + dice.below(3))
        .map(|_| {
            let fields = ["n", "f", "big", "m.k", "flag", "nobody", "d", "d"];
            let (field, dates) = (dice.of(&fields), dice.one_in(2));
            json!({"field": field, "dates": dates || field == "d",
                   "descending": dice.one_in(2), "missingFirst": dice.one_in(2)})
        })
        .collect();
    let candidates = match has_cutoff && dice.one_in(2) {
        true => Value::Null,
        false => json!(limit.max(dice.of(&[1, 30, 60, 1_000]))),
    };
    let depth = dice.of(&[Value::Null, Value::Null, json!(1), json!(20)]);
    json!({"fields": fields, "depth": depth, "candidates": candidates})
}

fn cutoff(dice: &mut Dice, text: &str, is_disjunction: bool) -> Value {
    let (method, factor) = dice.of(&[
        ("relativeMaxScore", 0.3),
        ("relativeMaxScore", 0.9),
        ("meanStdDev", -0.5),
        ("meanStdDev", 1.0),
        ("gapDetection", 0.0),
    ]);
    let legs = if is_disjunction && dice.one_in(3) {
        "tensor"
    } else {
        "both"
    };
    let affects_facets = dice.one_in(2);
    json!({"method": method, "factor": factor, "legs": legs, "probeDepth": dice.of(&[1_000, 1_000, 12]),
           "sortsRelevant": legs == "both" && dice.one_in(2),
           "facetsRelevant": affects_facets, "totalsRelevant": affects_facets || dice.one_in(3),
           "probe": {"text": text, "operand": "or", "fields": null}})
}

/// A plan, whole, and the query of its vectors.
fn plan(dice: &mut Dice) -> (Value, Vec<f32>) {
    let (retrieval, ranking) = dice.of(&[
        ("disjunction", "rrf"),
        ("disjunction", "rrf"),
        ("disjunction", "rrf"),
        ("tensor", "tensor"),
        ("lexical", "lexical"),
        ("tensor", "lexical"),
        ("lexical", "tensor"),
    ]);
    let is_disjunction = ranking == "rrf";
    let text = dice.of(&["river coat", "lamp", "stone winter river", "nothing"]);
    let limit = 1 + dice.below(40);
    let filter = dice.of(&[Value::Null, Value::Null, json!("_id:d3 OR NOT _id:d4")]);
    let mut plan = full(json!({
        "retrievalMethod": retrieval, "rankingMethod": ranking, "filter": filter,
        "limit": limit, "offset": dice.of(&[0, 0, limit, 3 * limit]), "explain": dice.one_in(2),
        "tensor": tensor_leg(), "lexical": {"text": text},
    }));
    plan["tensor"]["approximate"] = json!(false);
    if is_disjunction {
        plan["rrf"] = json!({"alpha": dice.of(&[0.5, 0.5, 0.8, 0.0, 1.0]), "k": dice.of(&[60, 1])});
    }
    match (retrieval, ranking) {
        ("tensor", "lexical") => plan["tensor"]["rerankDepth"] = json!(1_000),
        ("lexical", "tensor") => plan["rerankCount"] = json!(1_000),
        _ => {}
    }
    if dice.one_in(2) && ranking != "lexical" {
        plan["tensor"]["scoreModifiers"] = modifiers(dice);
    }
    if dice.one_in(2) && (ranking != "tensor" || retrieval == "lexical") {
        plan["lexical"]["scoreModifiers"] = modifiers(dice);
        if dice.one_in(3) && ranking != "tensor" && retrieval != "tensor" {
            plan["lexical"]["modifiedCount"] = json!(1 + dice.below(30));
        }
    }
    if dice.one_in(3) {
        plan["relevanceCutoff"] = cutoff(dice, text, is_disjunction);
    }
    let has_cutoff = plan.get("relevanceCutoff").is_some();
    if has_cutoff {
        let numbers = json!({"field": "n", "kind": "number", "maxResults": 1, "order": "desc",
                             "ranges": null, "excludeTerms": []});
        plan["facets"] =
            json!({"fields": [numbers], "maxDepth": dice.of(&[Value::Null, json!(9)])});
        plan["trackTotalHits"] = json!(true);
    }
    if dice.one_in(3) {
        plan["sort"] = sort(dice, limit, has_cutoff);
    } else if is_disjunction && dice.one_in(2) {
        let depth = dice.of(&[Value::Null, json!(0), json!(10), json!(500)]);
        plan["rescoring"] = json!({"scoreModifiers": modifiers(dice), "depth": depth});
    }
    if dice.one_in(2) {
        plan["recency"] = recency(dice, is_disjunction, plan.get("sort").is_some());
    }
    (plan, embed(&format!("query {}", dice.below(5))))
}

/// The ranking of all documents by one leg.
fn leg(fixture: &Fixture, index: &str, name: &str, plan: &Value, query: &[f32]) -> Vec<Ranked> {
    let mut alone = json!({"limit": 1_000, "retrievalMethod": name, "rankingMethod": name, "filter": plan["filter"]});
    alone[name] = match name {
        "tensor" => json!({"approximate": false}),
        _ => json!({"text": plan["lexical"]["text"]}),
    };
    let query = if name == "tensor" { query } else { &[] };
    let answer = fixture.search(index, alone, query);
    let hit = |hit: &Value| Ranked {
        doc: hit["_id"].as_str().unwrap()[1..].parse().unwrap(),
        score: hit["_score"].as_f64().unwrap(),
    };
    answer["hits"].as_array().unwrap().iter().map(hit).collect()
}

/// The same but for the order in which the numbers of a score were added up.
fn near_to(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-13 * a.abs().max(b.abs()).max(1.0)
}

#[track_caller]
fn check(fixture: &Fixture, documents: &[Value], index: &str, plan: &Value, query: &[f32]) {
    let oracle = Oracle {
        documents,
        tensor: leg(fixture, index, "tensor", plan, query),
        lexical: leg(fixture, index, "lexical", plan, query),
        plan,
    };
    let (offset, limit) = (
        plan["offset"].as_u64().unwrap() as usize,
        plan["limit"].as_u64().unwrap() as usize,
    );
    let (ranking, counts) = oracle.ranking(offset + limit);
    let answer = fixture.search(index, plan.clone(), query);
    let count = |name: &str| Some(answer.get(name)?.as_u64().unwrap() as usize);
    let told = Counts {
        sort_candidates: count("_sortCandidates"),
        probe: count("_probeCandidates"),
        relevant: count("_relevantCandidates"),
        left: count("_postProcessCandidates"),
        total: count("totalHits").filter(|_| plan["relevanceCutoff"]["totalsRelevant"] == true),
        numbers: (plan["relevanceCutoff"]["facetsRelevant"] == true)
            .then(|| answer["facets"]["n"]["count"].as_u64().unwrap() as usize),
    };
    assert_eq!(told, counts, "{index} {plan}");
    let expected: Vec<&Ranked> = ranking.iter().skip(offset).take(limit).collect();
    let hits = answer["hits"].as_array().unwrap();
    assert_eq!(hits.len(), expected.len(), "{index} {plan}");
    let numbered = ids(&answer);
    for (place, (hit, expected)) in hits.iter().zip(&expected).enumerate() {
        match plan["explain"] == true {
            true => explained::check(hit),
            false => assert!(hit.get("_explanation").is_none()),
        }
        let score = hit["_score"].as_f64().unwrap();
        let is_right = numbered[place] == format!("d{}", expected.doc)
            && near_to(score, oracle.shown(expected.score));
        assert!(
            is_right,
            "{index} {plan}\nat {place}: {hit}\nexpected {expected:?}"
        );
        let recency = hit
            .get("_recency_score")
            .map(|score| score.as_f64().unwrap());
        match plan["recency"].is_null() {
            true => assert_eq!(recency, None),
            false => assert!(
                near_to(recency.unwrap(), oracle.recency(expected.doc)),
                "{hit}"
            ),
        }
        assert_eq!(
            hit.get("_pre_rerank_score").is_some(),
            !plan["rescoring"].is_null()
        );
    }
}

#[test]
fn searches_answer_by_the_formulas() {
    let documents = documents();
    let fixture = catalogue(&documents);
    for seed in 0..7_000 {
        let mut dice = Dice(SplitMix64(seed));
        let (mut plan, query) = plan(&mut dice);
        let is_limited = !plan["lexical"]["modifiedCount"].is_null();
        if seed % 2 == 0 && !is_limited && dice.one_in(3) {
            plan["collapse"] = json!({"field": "sku", "sort": null});
        }
        check(
            &fixture,
            &documents,
            KINDS[seed as usize % 2],
            &plan,
            &query,
        );
    }
}

fn hits(fixture: &Fixture, index: &str, plan: &Value, query: &[f32]) -> Vec<Value> {
    let answer = fixture.search(index, plan.clone(), query);
    answer["hits"].as_array().unwrap().clone()
}

/// The first `count` hits, in pages of one size.
fn joined(
    fixture: &Fixture,
    index: &str,
    plan: &Value,
    query: &[f32],
    size: usize,
    count: usize,
) -> Vec<Value> {
    let mut joined = Vec::new();
    for offset in (0..count).step_by(size) {
        let mut plan = plan.clone();
        (plan["offset"], plan["limit"]) = (json!(offset), json!(size));
        joined.extend(hits(fixture, index, &plan, query));
    }
    joined.truncate(count);
    joined
}

#[test]
fn pages_of_any_size_join_to_one_list() {
    let documents = documents();
    let fixture = catalogue(&documents);
    for seed in 1_000..1_030 {
        let mut dice = Dice(SplitMix64(seed));
        let (mut plan, query) = plan(&mut dice);
        // Pools smaller than the ranking that is paged through, and not smaller than a page.
        plan["tensor"]["rerankDepth"] = json!(12);
        plan["rerankCount"] = json!(12);
        if plan
            .get("sort")
            .is_some_and(|sort| !sort["candidates"].is_null())
        {
            plan["sort"]["candidates"] = json!(12);
        }
        let index = KINDS[seed as usize % 2];
        let long = joined(&fixture, index, &plan, &query, 12, 120);
        for size in [1 + dice.below(11), 7] {
            let short = joined(&fixture, index, &plan, &query, size, 120);
            assert_eq!(short, long, "{index} {plan} by {size}");
        }
    }
}

#[test]
fn fused_scores_are_changed_by_those_of_the_legs() {
    let documents = documents();
    let fixture = catalogue(&documents);
    for seed in 0..40 {
        let mut dice = Dice(SplitMix64(seed));
        let query = embed(&format!("query {seed}"));
        let mut plan = full(json!({
            "retrievalMethod": "disjunction", "rankingMethod": "rrf", "limit": DOCUMENTS, "explain": true,
            "rrf": {"alpha": 0.5, "k": 60}, "tensor": tensor_leg(),
            "lexical": {"text": dice.of(&["river coat", "\"lamp\" stone", "nothing"])},
        }));
        plan["tensor"]["approximate"] = json!(false);
        let scores = |name: &str| -> HashMap<usize, f64> {
            let ranked = leg(&fixture, "u", name, &plan, &query);
            let highest = ranked.first().map_or(1.0, |hit| hit.score);
            let ranked = ranked.iter().map(|hit| (hit.doc, hit.score / highest));
            ranked.collect()
        };
        let (near, words) = (scores("tensor"), scores("lexical"));
        let of = |hit: &Value| hit["_id"].as_str().unwrap()[1..].parse::<usize>().unwrap();
        let fused = hits(&fixture, "u", &plan, &query);
        let weight = dice.of(&[1.0, -0.5]);
        let mut expected: Vec<(usize, f64)> = fused
            .iter()
            .map(|hit| {
                let n = number(hit, "n").map_or(0.0, |n| n.as_f64().unwrap());
                let factor = near.get(&of(hit)).map_or(1.0, |score| 2.0 * score);
                let sum = n + words.get(&of(hit)).map_or(0.0, |score| weight * score);
                (of(hit), hit["_score"].as_f64().unwrap() * factor + sum)
            })
            .collect();
        expected.sort_by(|a, b| b.1.total_cmp(&a.1));
        let by = |field: &str, weight: f64| json!({"field": field, "weight": weight});
        let vectors = dice.of(&["sum", "field_v"]);
        plan["rescoring"] = json!({"depth": null, "scoreModifiers": {
            "multiply": [by(&format!("marqo__score_closeness_retrieval_vector_{vectors}"), 2.0)],
            "add": [by("n", 1.0), by("marqo__score_bm25_field_title", weight)],
        }});
        let changed = hits(&fixture, "u", &plan, &query);
        assert_eq!(changed.len(), expected.len());
        for (hit, (_, score)) in changed.iter().zip(&expected) {
            assert!(
                near_to(hit["_score"].as_f64().unwrap(), score.max(0.0)),
                "{plan} {hit} {score}"
            );
            explained::check(hit);
        }
    }
}

#[test]
fn sorted_pages_of_any_size_join_to_one_sorted_list() {
    let documents = documents();
    let fixture = catalogue(&documents);
    for seed in 0..300 {
        let mut dice = Dice(SplitMix64(seed));
        let (mut plan, query) = plan(&mut dice);
        if plan.get("sort").is_none() || plan.get("relevanceCutoff").is_some() {
            continue;
        }
        let fields = json!([{"field": "n", "descending": dice.one_in(2), "missingFirst": false}]);
        plan["sort"] = json!({"fields": fields, "depth": null, "candidates": null});
        let index = KINDS[seed as usize % 2];
        let long = joined(&fixture, index, &plan, &query, DOCUMENTS, DOCUMENTS);
        let mut values: Vec<Option<&Value>> = long.iter().map(|hit| number(hit, "n")).collect();
        if fields[0]["descending"] == true {
            let numbers = values.iter().filter(|value| value.is_some()).count();
            values[..numbers].reverse();
        }
        // A document without a number is last.
        let key = |value: &Option<&Value>| value.map_or(i64::MAX, |n| n.as_i64().unwrap());
        assert!(values.is_sorted_by_key(key), "{index} {plan}");
        for size in [1 + dice.below(11), 40] {
            let short = joined(&fixture, index, &plan, &query, size, DOCUMENTS + size);
            assert_eq!(short, long, "{index} {plan} by {size}");
        }
    }
}

/// More documents than a pool has, without vectors.
fn without_vectors(count: usize) -> (Vec<Value>, Fixture) {
    let some = documents();
    let document = |n: usize| {
        let mut document = some[n * 13 % some.len()].clone();
        for vectors in ["v", "tokens"] {
            document.as_object_mut().unwrap().remove(vectors);
        }
        document["_id"] = json!(format!("d{n}"));
        document
    };
    let documents: Vec<Value> = (0..count).map(document).collect();
    let fixture = Fixture::new();
    let settings = definition(json!({"collapseFields": [{"name": "sku"}]}));
    fixture.engine.create_index("u", &settings).unwrap();
    for some in documents.chunks(100) {
        assert_eq!(
            fixture.add("u", json!({"documents": some}))["errors"],
            false
        );
    }
    (documents, fixture)
}

#[test]
fn a_sort_by_words_alone_is_of_all_documents_that_match() {
    let (documents, fixture) = without_vectors(2_500);
    let ranked = |hits: &[Value]| -> Vec<Ranked> {
        let ranked = |hit: &Value| Ranked {
            doc: hit["_id"].as_str().unwrap()[1..].parse().unwrap(),
            score: hit["_score"].as_f64().unwrap(),
        };
        hits.iter().map(ranked).collect()
    };
    for seed in 0..120 {
        let mut dice = Dice(SplitMix64(seed));
        let leg = json!({"text": dice.of(&["*", "river", "stone lamp", "\"winter\" coat", "nothing"]),
                         "scoreModifiers": if dice.one_in(4) { modifiers(&mut dice) } else { Value::Null }});
        let by_relevance = json!({"retrievalMethod": "lexical", "rankingMethod": "lexical", "limit": 2_500,
                                  "filter": dice.of(&[Value::Null, json!("n:[0 TO 4]"), json!("f:1.5")]),
                                  "lexical": leg});
        let expected = hits(&fixture, "u", &by_relevance, &[]);
        let mut plan = by_relevance.clone();
        let (limit, offset) = (1 + dice.below(60), dice.of(&[0, 7, 400, 1_900]));
        plan["limit"] = json!(limit);
        plan["offset"] = json!(offset);
        plan["trackTotalHits"] = json!(true);
        plan["sort"] = sort(&mut dice, limit, true);
        plan["sort"]["candidates"] = Value::Null;
        plan["sort"]["depth"] =
            dice.of(&[Value::Null, Value::Null, json!(1), json!(405), json!(9_000)]);
        let mut expected = ranked(&expected);
        let oracle = Oracle {
            documents: &documents,
            tensor: Vec::new(),
            lexical: Vec::new(),
            plan: &plan,
        };
        let depth = plan["sort"]["depth"].as_u64().unwrap_or(u64::MAX) as usize;
        let depth = depth.min(expected.len());
        expected[..depth].sort_by(|a, b| oracle.order(a, b));
        let answer = fixture.search("u", full(plan.clone()), &[]);
        let page = ranked(answer["hits"].as_array().unwrap());
        let docs = |hits: &[Ranked]| hits.iter().map(|hit| hit.doc).collect::<Vec<_>>();
        let shown = &expected[offset.min(expected.len())..(offset + limit).min(expected.len())];
        assert_eq!(docs(&page), docs(shown), "seed {seed}: {plan}");
        assert_eq!(
            answer["totalHits"].as_u64().unwrap() as usize,
            expected.len()
        );
        assert_eq!(answer["_sortCandidates"], answer["totalHits"], "{plan}");
        for (place, hit) in page.iter().enumerate() {
            assert!(near_to(hit.score, 1.0 / (offset + place + 1) as f64));
        }
    }
}

#[test]
fn facets_of_a_sort_by_words_alone_count_all_documents_that_match() {
    let (documents, fixture) = without_vectors(2_500);
    let numbers = json!({"field": "n", "kind": "number", "maxResults": 1, "order": "desc",
                         "ranges": null, "excludeTerms": []});
    let fields = json!([{"field": "f", "descending": false, "missingFirst": false}]);
    let plan = json!({"retrievalMethod": "lexical", "rankingMethod": "lexical", "limit": 3,
                      "lexical": {"text": "river stone"}, "trackTotalHits": true,
                      "facets": {"fields": [numbers], "maxDepth": null},
                      "sort": {"fields": fields, "depth": null, "candidates": null}});
    let answer = fixture.search("u", full(plan), &[]);
    let has_word = |document: &&Value| {
        let title = document["title"].as_str().unwrap();
        title.contains("river") || title.contains("stone")
    };
    let matching: Vec<&Value> = documents.iter().filter(has_word).collect();
    let with_number = matching
        .iter()
        .filter(|document| number(document, "n").is_some());
    assert!(matching.len() > 1_000, "more than a pool");
    assert_eq!(
        answer["totalHits"].as_u64().unwrap() as usize,
        matching.len()
    );
    assert_eq!(
        answer["facets"]["n"]["count"].as_u64().unwrap() as usize,
        with_number.count()
    );
}

#[test]
fn documents_are_ranked_by_the_values_that_they_are_shown_with() {
    let documents = documents();
    let fixture = catalogue(&documents);
    let by_n = json!({"multiply": [], "add": [{"field": "n", "weight": 1.0}]});
    let everything = json!({"text": "*", "scoreModifiers": by_n});
    let lexical = json!({"retrievalMethod": "lexical", "rankingMethod": "lexical", "limit": 150, "lexical": everything,
                         "explain": true});
    let mut sorted = lexical.clone();
    sorted["lexical"]["scoreModifiers"] = Value::Null;
    sorted["sort"] = json!({"fields": [{"field": "n", "descending": true, "missingFirst": false}],
                            "depth": null, "candidates": 150});
    let mut first_sorted = sorted.clone();
    first_sorted["sort"]["candidates"] = Value::Null;
    first_sorted["limit"] = json!(60);
    let value = |hit: &Value| number(hit, "n").map_or(0.0, |n| n.as_f64().unwrap());
    std::thread::scope(|scope| {
        let fixture = &fixture;
        let writer = scope.spawn(move || {
            for round in 0..120_i64 {
                let change =
                    |n: usize| json!({"_id": format!("d{n}"), "n": round * (n as i64 % 7 - 3)});
                let changed = (0..100).map(change).collect();
                assert_eq!(fixture.update("u", Value::Array(changed))["errors"], false);
            }
        });
        while !writer.is_finished() {
            for hit in hits(fixture, "u", &lexical, &[]) {
                assert_eq!(
                    hit["_score"].as_f64().unwrap(),
                    value(&hit).max(0.0),
                    "{hit}"
                );
                explained::check(&hit);
            }
            for plan in [&sorted, &first_sorted] {
                let values: Vec<Option<i64>> = hits(fixture, "u", plan, &[])
                    .iter()
                    .map(|hit| hit["n"].as_i64())
                    .collect();
                assert!(values.is_sorted_by(|a, b| a >= b), "{values:?}");
            }
        }
        writer.join().unwrap();
    });
}

#[test]
fn scores_are_explained_by_the_words_that_they_were_made_of() {
    let documents = documents();
    let fixture = catalogue(&documents);
    let words = json!({"text": "river coat \"stone\""});
    let lexical = json!({"retrievalMethod": "lexical", "rankingMethod": "lexical", "limit": 150, "lexical": words,
                         "explain": true});
    std::thread::scope(|scope| {
        let fixture = &fixture;
        let writer = scope.spawn(move || {
            for round in 0..60 {
                let title = |n: usize| ["river stone", "stone coat", "lamp"][(n + round) % 3];
                let added =
                    |n: usize| json!({"_id": format!("d{n}"), "title": title(n), "sku": "s"});
                let documents: Vec<Value> = (0..50).map(added).collect();
                let answer = fixture.add("u", json!({"documents": documents}));
                assert_eq!(answer["errors"], false);
            }
        });
        while !writer.is_finished() {
            hits(fixture, "u", &lexical, &[])
                .iter()
                .for_each(explained::check);
        }
        writer.join().unwrap();
    });
}
