//! A ranking that is kept: its pages are those of the search it began with, whatever is written.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use pelorus_engine::{Cancellation, RankedSearch};
use pelorus_random::SplitMix64;
use serde_json::{Value, json};

use super::{DOCUMENTS, Dice, KINDS, catalogue, documents, joined, plan, rank_anew};
use crate::support::{Fixture, embed, full, ids};

pub(super) fn rank(fixture: &Fixture, index: &str, plan: &Value, query: &[f32]) -> RankedSearch {
    let ranked = fixture.engine.rank_until(
        index,
        plan.to_string().as_bytes(),
        query,
        &Cancellation::never(),
    );
    ranked.unwrap()
}

fn page(ranked: &RankedSearch, start: usize, limit: usize) -> Value {
    let body = ranked.page(start, limit, &Cancellation::never()).unwrap();
    serde_json::from_slice(&body).unwrap()
}

pub(super) fn hits(ranked: &RankedSearch, start: usize, limit: usize) -> Vec<Value> {
    let page = page(ranked, start, limit);
    page["hits"].as_array().unwrap().clone()
}

/// A plan from the first hit on, the query of its vectors and the index it is for.
fn search(seed: u64) -> (Value, Vec<f32>, &'static str) {
    let mut dice = Dice(SplitMix64(seed));
    let (mut plan, query) = plan(&mut dice);
    plan["offset"] = json!(0);
    plan["explain"] = json!(false);
    plan["limit"] = json!(1 + dice.below(30));
    if plan["sort"].is_null() && dice.one_in(4) {
        rank_anew(&mut plan, &mut dice, 60);
    }
    if dice.one_in(2) {
        // Each page is ranked by itself.
        plan["rerankCount"] = Value::Null;
        plan["tensor"]["rerankDepth"] = Value::Null;
    }
    let is_limited = !plan["lexical"]["modifiedCount"].is_null();
    if seed.is_multiple_of(2) && !is_limited && dice.one_in(3) {
        let sort = json!({"field": "n", "order": "asc", "alwaysFetchVariants": true});
        let sort = dice.of(&[Value::Null, sort]);
        plan["collapse"] = json!({"field": "sku", "sort": sort, "counts": dice.one_in(2)});
    }
    (plan, query, KINDS[seed as usize % 2])
}

/// Adds, replaces, deletes and changes documents, in both indexes.
fn write(fixture: &Fixture, dice: &mut Dice) {
    let id = |n: usize| format!("d{n}");
    let title = ["river", "coat lamp", "stone stone stone", "winter"];
    let fresh = json!({"_id": id(dice.below(2 * DOCUMENTS)), "title": dice.of(&title), "n": dice.below(9),
                       "sku": "sku 7", "t": 0,
                       "v": {"vector": embed(&format!("vector {}", dice.below(90))), "content": ""}});
    let mappings = json!({"v": {"type": "custom_vector"}});
    let change = json!([{"_id": id(dice.below(DOCUMENTS)), "n": dice.below(9), "sku": "sku 14",
                         "t": 19_000 * 86_400_u64}]);
    let gone = id(dice.below(DOCUMENTS));
    fixture.add(
        "u",
        json!({"documents": [fresh], "tensorFields": ["v"], "mappings": mappings}),
    );
    fixture.add("s", json!({"documents": [fresh]}));
    for index in KINDS {
        fixture.update(index, change.clone());
        fixture.delete(index, &[&gone]);
    }
}

#[test]
fn pages_of_a_kept_ranking_are_those_of_the_search() {
    let documents = documents();
    let fixture = catalogue(&documents);
    for seed in 0..400 {
        let (mut plan, query, index) = search(seed);
        let size = plan["limit"].as_u64().unwrap() as usize;
        plan["trackTotalHits"] = json!(true);
        let ranked = rank(&fixture, index, &plan, &query);
        let list = hits(&ranked, 0, usize::MAX);
        assert_eq!(list.len(), ranked.count(), "{index} {plan}");
        let whole = joined(&fixture, index, &plan, &query, size, DOCUMENTS + size);
        assert_eq!(list, whole, "{index} {plan}");
        let mut start = 0;
        while start < list.len() {
            let limit = 1 + seed as usize % 13;
            let end = list.len().min(start + limit);
            assert_eq!(hits(&ranked, start, limit), list[start..end]);
            start = end;
        }
        assert!(hits(&ranked, start, 1).is_empty());
        let total = &page(&ranked, 0, 1)["totalHits"];
        for (offset, limit) in [(0, size), (3 * size, size), (0, DOCUMENTS)] {
            let mut plan = plan.clone();
            (plan["offset"], plan["limit"]) = (json!(offset), json!(limit));
            let answer = fixture.search(index, plan.clone(), &query);
            assert_eq!(total, &answer["totalHits"], "{index} {plan}");
        }
        assert!(page(&ranked, 1, 1).get("totalHits").is_none());
    }
}

#[test]
fn pages_skip_and_repeat_nothing_while_documents_are_written() {
    let documents = documents();
    let fixture = catalogue(&documents);
    let mut changed = 0;
    for seed in 0..40 {
        let (plan, query, index) = search(seed);
        let size = plan["limit"].as_u64().unwrap() as usize;
        let mut dice = Dice(SplitMix64(seed));
        let expected = joined(&fixture, index, &plan, &query, size, 2 * DOCUMENTS);
        let ranked = rank(&fixture, index, &plan, &query);
        let over = AtomicBool::new(false);
        let pages = thread::scope(|scope| {
            scope.spawn(|| {
                let mut dice = Dice(SplitMix64(!seed));
                while !over.load(Ordering::Relaxed) {
                    write(&fixture, &mut dice);
                }
            });
            let mut pages = Vec::new();
            while pages.len() < ranked.count() {
                write(&fixture, &mut dice);
                let start = pages.len();
                pages.append(&mut hits(&ranked, start, 1 + dice.below(30)));
            }
            over.store(true, Ordering::Relaxed);
            pages
        });
        assert_eq!(pages, expected, "{index} {plan}");
        let now = joined(&fixture, index, &plan, &query, size, 2 * DOCUMENTS);
        changed += usize::from(now != expected);
    }
    assert!(changed > 20, "writes changed {changed} of the rankings");
}

fn by_words() -> Value {
    let by = "lexical";
    full(json!({"retrievalMethod": by, "rankingMethod": by, "lexical": {"text": "river coat"}}))
}

#[test]
fn a_kept_ranking_outlives_its_documents() {
    let documents = documents();
    let fixture = catalogue(&documents);
    let plan = by_words();
    let ranked = rank(&fixture, "u", &plan, &[]);
    let before = page(&ranked, 0, 1_000);
    let all: Vec<String> = (0..DOCUMENTS).map(|n| format!("d{n}")).collect();
    let all: Vec<&str> = all.iter().map(String::as_str).collect();
    fixture.delete("u", &all);
    assert!(!ids(&before).is_empty());
    assert_eq!(page(&ranked, 0, 1_000), before);
    assert_eq!(rank(&fixture, "u", &plan, &[]).count(), 0);
}

#[test]
fn a_page_that_nobody_waits_for_is_not_written() {
    let documents = documents();
    let fixture = catalogue(&documents);
    let plan = by_words();
    let gone = Cancellation::new(None);
    gone.cancel();
    let ranked = rank(&fixture, "u", &plan, &[]);
    let error = ranked.page(0, 10, &gone).unwrap_err();
    assert_eq!(error.code(), "client_closed_request");
    let bytes = plan.to_string();
    let refused = fixture.engine.rank_until("u", bytes.as_bytes(), &[], &gone);
    assert_eq!(refused.err().unwrap().code(), "client_closed_request");
}
