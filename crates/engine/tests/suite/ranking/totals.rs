//! Totals and facets that do not move: one number for one query, whatever the page, and whatever orders its hits.

use pelorus_random::SplitMix64;
use serde_json::{Value, json};

use super::{DOCUMENTS, Dice, catalogue, documents, hits, plan, rank_anew};
use crate::support::Fixture;

/// A plan whose documents are counted, with whatever else a search may have.
fn counted_plan(dice: &mut Dice) -> (Value, Vec<f32>) {
    let (mut plan, query) = plan(dice);
    plan["explain"] = json!(false);
    plan["trackTotalHits"] = json!(true);
    plan["tensor"]["approximate"] = json!(dice.one_in(2));
    let facet = |field: &str, kind: &str| {
        json!({"field": field, "kind": kind, "maxResults": 1_000, "order": "desc",
               "ranges": null, "excludeTerms": []})
    };
    plan["facets"] = json!({"fields": [facet("sku", "string"), facet("n", "number")],
                            "maxDepth": dice.of(&[Value::Null, Value::Null, json!(9)])});
    if plan["lexical"]["modifiedCount"].is_null() && dice.one_in(3) {
        plan["collapse"] = json!({"field": "sku", "sort": null, "counts": dice.one_in(2)});
    }
    if dice.one_in(3) {
        let pins = [(3, 0), (17, 5), (40, 70)];
        let pins = pins.map(|(doc, place)| json!({"id": format!("d{doc}"), "place": place}));
        plan["pinned"] = json!(pins);
    }
    if plan["sort"].is_null() && dice.one_in(3) {
        rank_anew(&mut plan, dice, 60);
    }
    (plan, query)
}

fn counts(fixture: &Fixture, plan: &Value, query: &[f32], page: (usize, usize)) -> [Value; 2] {
    let mut plan = plan.clone();
    (plan["limit"], plan["offset"]) = (json!(page.0), json!(page.1));
    let answer = fixture.search("u", plan, query);
    ["totalHits", "facets"].map(|name| answer[name].clone())
}

#[test]
fn every_page_tells_the_same_numbers() {
    let fixture = catalogue(&documents());
    for seed in 0..300 {
        let mut dice = Dice(SplitMix64(seed));
        let (plan, query) = counted_plan(&mut dice);
        let first = counts(&fixture, &plan, &query, (10, 0));
        assert!(first[0].is_u64(), "{plan}");
        for page in [(0, 0), (1, 7), (40, 40), (DOCUMENTS, 0), (7, 400)] {
            let found = counts(&fixture, &plan, &query, page);
            assert_eq!(found, first, "seed {seed}, page {page:?}: {plan}");
        }
    }
}

#[test]
fn pages_of_a_sort_are_cut_from_one_order() {
    let fixture = catalogue(&documents());
    let mut sorted = 0;
    for seed in 0..900 {
        let mut dice = Dice(SplitMix64(seed));
        let (mut plan, query) = counted_plan(&mut dice);
        if plan["sort"].is_null() {
            continue;
        }
        sorted += 1;
        (plan["limit"], plan["offset"]) = (json!(DOCUMENTS), json!(0));
        let whole = hits(&fixture, "u", &plan, &query);
        let size = 1 + dice.below(30);
        let mut joined = Vec::new();
        for offset in (0..=whole.len()).step_by(size) {
            (plan["limit"], plan["offset"]) = (json!(size), json!(offset));
            joined.extend(hits(&fixture, "u", &plan, &query));
        }
        assert_eq!(joined, whole, "seed {seed} by {size}: {plan}");
    }
    assert!(sorted > 100, "{sorted} sorts are too few to tell");
}
