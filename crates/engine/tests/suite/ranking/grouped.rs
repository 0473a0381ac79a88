//! Further documents of groups: those that the formulas rank where no other documents are.

use pelorus_random::SplitMix64;
use serde_json::{Value, json};

use super::oracle::{Oracle, Ranked};
use super::{Dice, catalogue, documents, hits, leg, near_to, plan};
use crate::support::embed;

/// The plan by which the documents of one group are ranked.
fn alone(plan: &Value) -> Value {
    let mut alone = plan.clone();
    alone["collapse"] = Value::Null;
    alone["relevanceCutoff"] = Value::Null;
    // A cut-off may tell how many are sorted, and is not there.
    if !alone["sort"].is_null() && alone["sort"]["candidates"].is_null() {
        alone["sort"]["candidates"] = json!(1_000);
    }
    alone
}

/// Takes the number of documents out of a hit that it stands for.
fn take_count(hit: &mut Value) -> u64 {
    let count = hit.as_object_mut().unwrap().remove("_groupCount");
    count.unwrap().as_u64().unwrap()
}

#[test]
fn a_hit_shows_the_best_others_of_its_group() {
    let documents = documents();
    let fixture = catalogue(&documents);
    let mut shown = 0;
    for seed in 0..1_000 {
        let mut dice = Dice(SplitMix64(seed));
        let (mut plan, query) = plan(&mut dice);
        if dice.one_in(2) {
            // The reference ranks all that one leg finds for the other, as one does that is told of no number.
            plan["rerankCount"] = Value::Null;
            if plan["rankingMethod"] == "lexical" {
                plan["tensor"]["rerankDepth"] = Value::Null;
            }
        }
        plan["collapse"] = json!({"field": "sku", "sort": null, "counts": true});
        let plain = hits(&fixture, "u", &plan, &query);
        let others = 1 + dice.below(3);
        plan["collapse"]["others"] = json!(others);
        let tensor = leg(&fixture, "u", "tensor", &plan, &query);
        let lexical = leg(&fixture, "u", "lexical", &plan, &query);
        let alone = alone(&plan);
        let grouped = hits(&fixture, "u", &plan, &query);
        assert_eq!(grouped.len(), plain.len(), "seed {seed}: {plan}");
        for (mut hit, mut plain) in grouped.into_iter().zip(plain) {
            let told = hit.as_object_mut().unwrap().remove("_groupHits").unwrap();
            let [count, found] = [&mut hit, &mut plain].map(take_count);
            let shown_count = told.as_array().unwrap().len() as u64;
            assert!(
                (found.max(1 + shown_count)..=found + shown_count).contains(&count),
                "seed {seed}: {count} of {found} found, {shown_count} others shown: {plan}"
            );
            assert_eq!(hit, plain, "seed {seed}: {plan}");
            let doc: usize = hit["_id"].as_str().unwrap()[1..].parse().unwrap();
            let of_group = |list: &[Ranked]| -> Vec<Ranked> {
                let is_other = |other: &&Ranked| {
                    other.doc != doc && documents[other.doc]["sku"] == documents[doc]["sku"]
                };
                list.iter().filter(is_other).copied().collect()
            };
            let oracle = Oracle {
                documents: &documents,
                tensor: of_group(&tensor),
                lexical: of_group(&lexical),
                plan: &alone,
            };
            let (mut expected, _) = oracle.ranking(others);
            expected.truncate(others);
            let told = told.as_array().unwrap();
            assert_eq!(told.len(), expected.len(), "seed {seed}, d{doc}: {plan}");
            for (told, expected) in told.iter().zip(&expected) {
                match plan["explain"] == true {
                    true => assert_eq!(
                        told["_explanation"]["value"], told["_score"],
                        "seed {seed}: {plan}"
                    ),
                    false => assert!(told["_explanation"].is_null(), "seed {seed}: {plan}"),
                }
                let is_right = told["_id"] == format!("d{}", expected.doc)
                    && near_to(
                        told["_score"].as_f64().unwrap(),
                        oracle.shown(expected.score),
                    );
                assert!(
                    is_right,
                    "seed {seed}: {plan}\n{told}\nexpected {expected:?}"
                );
            }
            shown += told.len();
        }
    }
    assert!(shown > 1_000, "{shown}");
}

#[test]
fn a_hit_stands_for_those_that_it_shows_though_they_were_too_far_to_be_found() {
    let documents = documents();
    let fixture = catalogue(&documents);
    let mut further = 0;
    for sort in [
        Value::Null,
        json!({"field": "n", "order": "desc", "alwaysFetchVariants": true}),
    ] {
        let plan = json!({
            "limit": 100, "retrievalMethod": "tensor", "rankingMethod": "tensor",
            "tensor": {"approximate": false},
            "collapse": {"field": "sku", "sort": sort, "counts": true, "others": 0},
        });
        let mut showing = plan.clone();
        showing["collapse"]["others"] = json!(9);
        let query = embed("query 1");
        let found = hits(&fixture, "u", &plan, &query);
        for (hit, found) in hits(&fixture, "u", &showing, &query).iter().zip(&found) {
            let shown = 1 + hit["_groupHits"].as_array().unwrap().len() as u64;
            assert!(hit["_groupCount"].as_u64().unwrap() >= shown, "{hit}");
            further += usize::from(hit["_groupCount"] != found["_groupCount"]);
        }
    }
    assert!(further > 0, "all others were near");
}
