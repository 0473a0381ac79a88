//! Hits kept apart from those like them: the formula of maximal marginal relevance over whole rankings, and pages of it.

use pelorus_random::SplitMix64;
use serde_json::{Value, json};

use super::{DOCUMENTS, Dice, KINDS, catalogue, documents, hits, joined, plan, rank_anew};
use crate::support::Fixture;

/// A plan whose hits have scores as they rank, and the query of its vectors.
fn ranked_plan(dice: &mut Dice) -> (Value, Vec<f32>) {
    let (mut plan, query) = plan(dice);
    plan["sort"] = Value::Null;
    plan["explain"] = json!(false);
    (plan, query)
}

/// Tells whether scores are shown as they rank: those that modifiers bring below 0 are not.
fn shows_scores(plan: &Value) -> bool {
    let modifiers = [
        &plan["tensor"]["scoreModifiers"],
        &plan["lexical"]["scoreModifiers"],
        &plan["rescoring"],
    ];
    modifiers.iter().all(|one| one.is_null())
}

/// All hits of a plan, on one page.
fn all(fixture: &Fixture, index: &str, plan: &Value, query: &[f32]) -> Vec<Value> {
    let mut plan = plan.clone();
    (plan["limit"], plan["offset"]) = (json!(DOCUMENTS), json!(0));
    hits(fixture, index, &plan, query)
}

fn id(hit: &Value) -> &str {
    hit["_id"].as_str().unwrap()
}

/// The score that one vector of length 1 has for another, 0 where a document has none.
fn similarity(a: Option<&Value>, b: Option<&Value>) -> f64 {
    let (Some(a), Some(b)) = (a, b) else {
        return 0.0;
    };
    let numbers = |vector: &Value| -> Vec<f64> {
        let numbers = vector["vector"].as_array().unwrap().iter();
        numbers.map(|x| x.as_f64().unwrap()).collect()
    };
    let products = numbers(a).into_iter().zip(numbers(b)).map(|(a, b)| a * b);
    1.0 / (2.0 - products.sum::<f64>())
}

/// Checks that each hit has the highest value of those that are left, but for rounding.
fn check_order(documents: &[Value], ranking: &[Value], found: &[Value], lambda: f64, seed: u64) {
    let score = |hit: &Value| hit["_score"].as_f64().unwrap();
    // No hit is more relevant than those before it.
    let mut least = f64::INFINITY;
    let scores: Vec<f64> = ranking
        .iter()
        .map(|hit| {
            least = score(hit).min(least);
            least
        })
        .collect();
    let (best, worst) = (scores[0], scores[scores.len() - 1]);
    let relevance = |hit: &Value| {
        let place = ranking.iter().position(|one| id(one) == id(hit)).unwrap();
        match best > worst {
            true => (scores[place] - worst) / (best - worst),
            false => 1.0,
        }
    };
    let vector = |hit: &Value| {
        let number: usize = id(hit)[1..].parse().unwrap();
        documents[number].get("v")
    };
    for (place, taken) in found.iter().enumerate() {
        let value = |hit: &Value| {
            let before = found[..place].iter();
            let alike = before.map(|other| similarity(vector(other), vector(hit)));
            let likeness = alike.reduce(f64::max).unwrap_or(0.0);
            lambda * relevance(hit) - (1.0 - lambda) * likeness
        };
        let highest = found[place..].iter().map(value).fold(f64::MIN, f64::max);
        assert!(
            value(taken) >= highest - 1e-5,
            "seed {seed}, place {place}: {} and {highest}",
            value(taken)
        );
    }
}

#[test]
fn the_first_hits_are_in_the_order_of_the_formula_and_the_others_follow() {
    let documents = documents();
    let fixture = catalogue(&documents);
    let mut moved = 0;
    for seed in 0..400 {
        let mut dice = Dice(SplitMix64(seed));
        let (plan, query) = ranked_plan(&mut dice);
        let index = KINDS[seed as usize % 2];
        let ranking = all(&fixture, index, &plan, &query);
        let (lambda, count) = (dice.of(&[0.0, 0.3, 0.7, 1.0]), 1 + dice.below(80));
        let mut diverse = plan.clone();
        diverse["diversity"] = json!({"lambda": lambda, "candidates": count});
        let found = all(&fixture, index, &diverse, &query);
        let count = count.min(ranking.len());
        assert_eq!(found.len(), ranking.len(), "seed {seed}");
        assert_eq!(found[count..], ranking[count..], "seed {seed}");
        let sorted = |hits: &[Value]| {
            let mut hits = hits.to_vec();
            hits.sort_by(|a, b| id(a).cmp(id(b)));
            hits
        };
        assert_eq!(sorted(&found), sorted(&ranking), "seed {seed}: {diverse}");
        if lambda == 1.0 {
            assert_eq!(found, ranking, "seed {seed}");
        }
        if count > 0 && shows_scores(&plan) {
            check_order(&documents, &ranking[..count], &found[..count], lambda, seed);
            moved += usize::from(found != ranking);
        }
    }
    assert!(moved > 30, "{moved} rankings are too few to tell");
}

#[test]
fn pages_of_any_size_are_cut_from_one_order() {
    let documents = documents();
    let fixture = catalogue(&documents);
    for seed in 0..120 {
        let mut dice = Dice(SplitMix64(seed));
        let (mut plan, query) = ranked_plan(&mut dice);
        rank_anew(&mut plan, &mut dice, 80);
        let index = KINDS[seed as usize % 2];
        if dice.one_in(2) {
            // Each leg then finds for the other what a page needs.
            plan["rerankCount"] = Value::Null;
            plan["tensor"]["rerankDepth"] = Value::Null;
        }
        if index == "u" && plan["lexical"]["modifiedCount"].is_null() && dice.one_in(3) {
            plan["collapse"] = json!({"field": "sku", "sort": null});
        }
        let pins = [(3, 0), (17, 5), (40, 70)];
        let pins = pins.map(|(doc, place)| json!({"id": format!("d{doc}"), "place": place}));
        if dice.one_in(3) {
            plan["pinned"] = json!(pins);
        }
        let whole = all(&fixture, index, &plan, &query);
        for size in [1 + dice.below(12), 7, 50] {
            let pages = joined(&fixture, index, &plan, &query, size, DOCUMENTS + size);
            assert_eq!(pages, whole, "seed {seed} by {size}: {plan}");
        }
    }
}

#[test]
fn a_page_behind_the_last_hit_is_empty() {
    let fixture = catalogue(&documents());
    let mut dice = Dice(SplitMix64(1));
    let (mut plan, query) = ranked_plan(&mut dice);
    plan["diversity"] = json!({"lambda": 0.5, "candidates": 1_000});
    (plan["limit"], plan["offset"]) = (json!(10), json!(9_000));
    assert!(hits(&fixture, "u", &plan, &query).is_empty());
}
