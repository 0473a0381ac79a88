//! Pinned and hidden documents: the ranking of the others, with each pinned one put at its place.

use std::collections::{HashMap, HashSet};

use pelorus_random::SplitMix64;
use serde_json::{Value, json};

use super::kept::{hits as kept_hits, rank};
use super::{DOCUMENTS, Dice, KINDS, catalogue, documents, explained, joined, plan};
use crate::support::Fixture;

const HITS: usize = 70;

/// A search with pinned and hidden documents.
struct Curated {
    index: &'static str,
    plan: Value,
    query: Vec<f32>,
    /// Ids of pinned documents, some of which are not there, by their places.
    pins: Vec<(usize, String)>,
    hidden: Vec<String>,
    /// Ids that a filter leaves out, of the search itself or of its caller.
    refused: Vec<String>,
}

impl Curated {
    fn of(seed: u64) -> Self {
        let mut dice = Dice(SplitMix64(seed));
        let (mut plan, query) = plan(&mut dice);
        let mut names: Vec<String> = (0..DOCUMENTS + 10).map(|n| format!("d{n}")).collect();
        let mut take = |dice: &mut Dice, count: usize| -> Vec<String> {
            let taken = (0..count).map(|_| names.swap_remove(dice.below(names.len())));
            taken.collect()
        };
        let count = 1 + dice.below(6);
        let ids = take(&mut dice, count);
        let mut places: Vec<usize> = (0..30).chain([60, 500]).collect();
        let places = ids
            .iter()
            .map(|_| places.swap_remove(dice.below(places.len())));
        let mut pins: Vec<(usize, String)> = places.zip(ids.clone()).collect();
        pins.sort();
        let count = dice.below(4);
        let mut hidden = take(&mut dice, count);
        let count = dice.below(30);
        let mut refused = take(&mut dice, count);
        if dice.one_in(3) {
            hidden.push(dice.of(&ids));
        }
        if dice.one_in(3) {
            refused.push(dice.of(&ids));
        }
        let index = KINDS[seed as usize % 2];
        let is_limited = !plan["lexical"]["modifiedCount"].is_null();
        if index == "u" && !is_limited && dice.one_in(3) {
            let sort = json!({"field": "n", "order": "asc", "alwaysFetchVariants": true});
            let sort = dice.of(&[Value::Null, sort]);
            plan["collapse"] = json!({"field": "sku", "sort": sort});
        }
        let filter = match refused.is_empty() {
            true => Value::Null,
            false => json!(without(&refused)),
        };
        plan["filter"] = Value::Null;
        match dice.of(&["filter", "within", "addedFilters"]) {
            "addedFilters" if !filter.is_null() => {
                plan["addedFilters"] = json!(["NOT _id:nobody", filter]);
            }
            "addedFilters" => {}
            by => plan[by] = filter,
        }
        plan["trackTotalHits"] = json!(true);
        plan["offset"] = json!(0);
        Self {
            index,
            plan,
            query,
            pins,
            hidden,
            refused,
        }
    }

    /// The plan whose engine pins and hides.
    fn curated(&self) -> Value {
        let pinned = self.pins.iter();
        let pinned: Vec<Value> = pinned
            .map(|(place, id)| json!({"id": id, "place": place}))
            .collect();
        let mut plan = self.plan.clone();
        plan["pinned"] = json!(pinned);
        plan["hidden"] = json!(self.hidden);
        plan
    }

    /// The plan that ranks the documents which are neither, nor of a group that a pinned one stands for.
    fn others(&self, documents: &[Value]) -> Value {
        let ids = self.pins.iter().map(|(_, id)| id).chain(&self.hidden);
        let mut ids: Vec<String> = ids.cloned().collect();
        if !self.plan["collapse"].is_null() {
            let shown = self.shown(documents);
            let is_of_pinned =
                |document: &&Value| shown.iter().any(|(_, pin)| pin["sku"] == document["sku"]);
            let grouped = documents.iter().filter(is_of_pinned);
            ids.extend(grouped.map(|document| document["_id"].as_str().unwrap().to_owned()));
        }
        let mut plan = self.plan.clone();
        plan["filter"] = match plan["filter"].as_str() {
            Some(filter) => json!(format!("({filter}) AND {}", without(&ids))),
            None => json!(without(&ids)),
        };
        plan
    }

    /// The pinned documents that are shown.
    fn shown<'d>(&self, documents: &'d [Value]) -> Vec<(usize, &'d Value)> {
        let by_id: HashMap<&str, &Value> = documents
            .iter()
            .map(|document| (document["_id"].as_str().unwrap(), document))
            .collect();
        let is_out = |id: &String| self.hidden.contains(id) || self.refused.contains(id);
        let pins = self.pins.iter().filter(|(_, id)| !is_out(id));
        let mut shown: Vec<(usize, &Value)> = pins
            .filter_map(|(place, id)| Some((*place, *by_id.get(id.as_str())?)))
            .collect();
        if !self.plan["collapse"].is_null() {
            let mut groups = HashSet::new();
            shown.retain(|(_, document)| groups.insert(document["sku"].as_str().unwrap()));
        }
        shown
    }

    /// The list of `others`, with the pinned documents at their places.
    fn expected(&self, documents: &[Value], others: Vec<Value>) -> Vec<Value> {
        let shown = self.shown(documents);
        let mut others = others.into_iter();
        let mut pins: HashMap<usize, &Value> = shown.iter().copied().collect();
        let mut expected = Vec::new();
        loop {
            let hit = match pins.remove(&expected.len()) {
                Some(pinned) => Some(pinned.clone()),
                None => others.next(),
            };
            match hit {
                Some(hit) => expected.push(hit),
                None => break,
            }
        }
        let mut rest: Vec<(usize, &Value)> = pins.into_iter().collect();
        rest.sort_by_key(|(place, _)| *place);
        expected.extend(rest.into_iter().map(|(_, pinned)| pinned.clone()));
        expected
    }
}

fn without(ids: &[String]) -> String {
    format!("NOT _id IN ({})", ids.join(", "))
}

/// Checks that hits are the expected ones: those that are ranked are the same whole, and pinned ones are marked.
#[track_caller]
fn check(curated: &Curated, found: &[Value], expected: &[Value]) {
    let plan = curated.curated();
    let ids =
        |hits: &[Value]| -> Vec<String> { hits.iter().map(|hit| hit["_id"].to_string()).collect() };
    assert_eq!(ids(found), ids(expected), "{} {plan}", curated.index);
    for (hit, expected) in found.iter().zip(expected) {
        if expected.get("_score").is_some() {
            assert_eq!(hit, expected, "{} {plan}", curated.index);
            continue;
        }
        assert_eq!(
            (&hit["_pinned"], &hit["_score"]),
            (&json!(true), &json!(0.0))
        );
        for (name, value) in expected.as_object().unwrap() {
            // A vector shows its content.
            assert!(name == "v" || name == "m" || &hit[name] == value, "{hit}");
        }
        if plan["explain"] == true {
            explained::check(hit);
        }
    }
}

fn search_count(fixture: &Fixture, curated: &Curated, plan: Value, name: &str) -> u64 {
    let answer = fixture.search(curated.index, plan, &curated.query);
    answer[name].as_u64().unwrap_or_default()
}

#[test]
fn each_stands_at_its_place_among_the_ranking_of_the_others() {
    let documents = documents();
    let fixture = catalogue(&documents);
    for seed in 0..600 {
        let curated = Curated::of(seed);
        let size = curated.plan["limit"].as_u64().unwrap() as usize;
        let pages = |plan: &Value, count: usize| {
            joined(&fixture, curated.index, plan, &curated.query, size, count)
        };
        let others = pages(&curated.others(&documents), HITS);
        let mut expected = curated.expected(&documents, others);
        expected.truncate(HITS);
        check(&curated, &pages(&curated.curated(), HITS), &expected);
        let count = |plan, name| search_count(&fixture, &curated, plan, name);
        let pinned = curated.shown(&documents).len() as u64;
        for name in ["totalHits", "_postProcessCandidates"] {
            let of_pinned = match curated.plan["relevanceCutoff"].is_null() && name != "totalHits" {
                true => 0,
                false => pinned,
            };
            let is_grouped = !curated.plan["collapse"].is_null();
            if is_grouped && name == "totalHits" && curated.plan["retrievalMethod"] != "lexical" {
                // Documents of the groups that are pinned are among the nearest ones, which are counted.
                continue;
            }
            let others = count(curated.others(&documents), name);
            let all = count(curated.curated(), name);
            assert_eq!(all, others + of_pinned, "{name} {}", curated.curated());
        }
    }
}

#[test]
fn a_kept_ranking_has_them_too() {
    let documents = documents();
    let fixture = catalogue(&documents);
    for seed in 5_000..5_200 {
        let mut curated = Curated::of(seed);
        curated.plan["explain"] = json!(false);
        let all = |plan: &Value| {
            let ranked = rank(&fixture, curated.index, plan, &curated.query);
            let mut hits = kept_hits(&ranked, 0, 7);
            hits.extend(kept_hits(&ranked, 7, ranked.count()));
            hits
        };
        let expected = curated.expected(&documents, all(&curated.others(&documents)));
        check(&curated, &all(&curated.curated()), &expected);
    }
}

#[test]
fn facets_count_them_and_no_hidden_ones() {
    let documents = documents();
    let fixture = catalogue(&documents);
    let facet = |field: &str| {
        json!({"field": field, "kind": "string", "maxResults": 1_000, "order": "desc",
                                     "ranges": null, "excludeTerms": []})
    };
    for seed in (6_000..6_300).step_by(2) {
        let mut curated = Curated::of(seed);
        if !curated.plan["collapse"].is_null() || !curated.plan["relevanceCutoff"].is_null() {
            continue;
        }
        curated.plan["facets"] = json!({"fields": [facet("sku")], "maxDepth": null});
        let counts = |plan: Value| -> HashMap<String, u64> {
            let answer = fixture.search("u", plan, &curated.query);
            let texts = answer["facets"]["sku"].as_object().unwrap().iter();
            texts
                .map(|(text, facet)| (text.clone(), facet["count"].as_u64().unwrap()))
                .collect()
        };
        let mut expected = counts(curated.others(&documents));
        for (_, pinned) in curated.shown(&documents) {
            let text = pinned["sku"].as_str().unwrap().to_owned();
            *expected.entry(text).or_default() += 1;
        }
        assert_eq!(counts(curated.curated()), expected, "{}", curated.curated());
    }
}
