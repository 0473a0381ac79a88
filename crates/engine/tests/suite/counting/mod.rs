//! Facets, totals and grouped hits of whole searches, against a plain reading of all documents.

mod catalogue;
mod oracle;

use std::collections::BTreeSet;

use crate::support::{embed, tensor_leg};
use catalogue::{Catalogue, DOCUMENTS, KINDS, Tree, WORDS, tree};
use proptest::prelude::*;
use proptest::sample::{select, subsequence};
use proptest::test_runner::{TestRng, TestRunner};
use serde_json::{Value, json};

/// A search, and what its parts mean.
#[derive(Debug, Clone)]
struct Search {
    kind: usize,
    retrieval: &'static str,
    ranking: &'static str,
    alpha: f64,
    words: Vec<&'static str>,
    vector: u16,
    filter: Option<Tree>,
    limit: usize,
    offset: usize,
    /// The `sort` of a collapse, where there is one.
    collapse: Option<Value>,
    facets: Vec<Value>,
    max_depth: Option<usize>,
}

fn searches() -> impl Strategy<Value = Search> {
    let methods = select(vec![
        ("disjunction", "rrf"),
        ("disjunction", "rrf"),
        ("disjunction", "rrf"),
        ("tensor", "tensor"),
        ("lexical", "lexical"),
        ("tensor", "lexical"),
        ("lexical", "tensor"),
    ]);
    let alpha = select(vec![0.5, 0.3, 0.0, 1.0]);
    let words = subsequence(WORDS.to_vec(), 1..3);
    let limit = prop_oneof![1 => Just(0), 9 => 1..80_usize];
    let page = (limit, prop_oneof![2 => Just(0), 1 => 0..150_usize]);
    let sort = (select(vec!["asc", "desc"]), any::<bool>()).prop_map(
        |(order, always)| json!({"field": "price", "order": order, "alwaysFetchVariants": always}),
    );
    let collapse =
        prop_oneof![1 => Just(None), 1 => Just(Some(Value::Null)), 1 => sort.prop_map(Some)];
    let max_depth = prop_oneof![2 => Just(None), 1 => (1..150_usize).prop_map(Some)];
    let filter = prop::option::of(tree());
    let search = (
        0..2_usize,
        methods,
        alpha,
        words,
        any::<u16>(),
        filter,
        page,
        collapse,
        max_depth,
    );
    search.prop_flat_map(
        |(kind, (retrieval, ranking), alpha, words, vector, filter, page, collapse, max_depth)| {
            let terms = filter.as_ref().map(Tree::terms).unwrap_or_default();
            let search = Search {
                kind,
                retrieval,
                ranking,
                alpha: if ranking == "rrf" { alpha } else { 0.5 },
                words,
                vector,
                filter,
                limit: page.0,
                offset: page.1,
                collapse: collapse.filter(|_| kind == 0),
                facets: vec![],
                max_depth,
            };
            prop::collection::vec(facets(terms), 0..5).prop_map(move |facets| Search {
                facets,
                ..search.clone()
            })
        },
    )
}

fn facets(terms: Vec<String>) -> impl Strategy<Value = Value> {
    let range = |name: &str, from: Value, to: Value| json!({"name": name, "from": from, "to": to});
    let ranges = [
        Value::Null,
        json!([
            range("low", Value::Null, json!(10.25)),
            range("10.25:20.0", json!(10.25), json!(20))
        ]),
        json!([
            range("some", json!(5), json!(9)),
            range("high", json!(40), Value::Null)
        ]),
    ];
    let field = select(vec![
        ("brand", "string"),
        ("tags", "array"),
        ("tags", "string"),
        ("price", "number"),
        ("stock.north", "number"),
        ("price", "string"),
    ]);
    let count = terms.len();
    let excluded = subsequence(terms, 0..=count);
    let excluded = prop_oneof![1 => Just(vec![]), 1 => excluded];
    (field, 1..7_usize, select(vec!["asc", "desc"]), select(ranges.to_vec()), excluded).prop_map(
        |((field, kind), most, order, ranges, excluded)| {
            let ranges = if kind == "number" { ranges } else { Value::Null };
            json!({"field": field, "kind": kind, "maxResults": most, "order": order, "ranges": ranges,
                   "excludeTerms": excluded})
        },
    )
}

impl Search {
    fn plan(&self) -> Value {
        let mut tensor = tensor_leg();
        tensor["approximate"] = json!(false);
        let has = |leg: &str, other: f64| match self.ranking {
            "rrf" => self.alpha != other,
            ranking => self.retrieval == leg || ranking == leg,
        };
        let facets = json!({"fields": self.facets, "maxDepth": self.max_depth});
        let collapse = self
            .collapse
            .as_ref()
            .map(|sort| json!({"field": "sku", "sort": sort, "counts": true}));
        json!({
            "limit": self.limit, "offset": self.offset,
            "filter": self.filter.as_ref().map(Tree::text),
            "retrievalMethod": self.retrieval, "rankingMethod": self.ranking,
            "rrf": if self.ranking == "rrf" { json!({"alpha": self.alpha, "k": 60}) } else { Value::Null },
            "tensor": if has("tensor", 0.0) { tensor } else { Value::Null },
            "lexical": if has("lexical", 1.0) { json!({"text": self.words.join(" ")}) } else { Value::Null },
            "collapse": collapse,
            "facets": if self.facets.is_empty() { Value::Null } else { facets },
            "trackTotalHits": true,
        })
    }

    fn query(&self) -> Vec<f32> {
        match self.plan()["tensor"].is_null() {
            true => vec![],
            false => embed(&format!("query {}", self.vector)),
        }
    }

    /// All documents in the order of one leg, whatever passes the filter.
    fn ranking(&self, catalogue: &Catalogue, leg: &str) -> Vec<(usize, f64)> {
        let alone = Search {
            retrieval: if leg == "tensor" { "tensor" } else { "lexical" },
            ranking: if leg == "tensor" { "tensor" } else { "lexical" },
            filter: None,
            limit: 1_000,
            offset: 0,
            collapse: None,
            facets: vec![],
            ..self.clone()
        };
        let leg_is_there = !self.plan()[leg].is_null();
        let answer = leg_is_there.then(|| {
            catalogue
                .fixture
                .search(KINDS[self.kind], alone.plan(), &alone.query())
        });
        let hits = answer
            .iter()
            .flat_map(|answer| answer["hits"].as_array().unwrap());
        let ranked = |hit: &Value| {
            let doc = hit["_id"].as_str().unwrap()[1..].parse().unwrap();
            (doc, hit["_score"].as_f64().unwrap())
        };
        hits.map(ranked).collect()
    }
}

/// The answer to one search by the rules.
struct Expected<'a> {
    search: &'a Search,
    documents: &'a [Value],
    near: Vec<usize>,
    words: Vec<usize>,
    /// The scores of `words`.
    word_scores: Vec<f64>,
}

impl Expected<'_> {
    fn group(&self, doc: usize) -> String {
        match self.search.collapse {
            Some(_) => self.documents[doc]["sku"].as_str().unwrap().to_owned(),
            None => doc.to_string(),
        }
    }

    /// The members of a ranking that pass the rest of the filter.
    fn passing(&self, ranking: &[usize], excluded: &[String]) -> Vec<usize> {
        let passes = |&doc: &usize| {
            let filter = self.search.filter.as_ref();
            filter.is_none_or(|tree| tree.passes(&self.documents[doc], excluded).unwrap_or(true))
        };
        ranking.iter().copied().filter(passes).collect()
    }

    /// The tensor candidates that are counted.
    fn candidates(&self, excluded: &[String]) -> Vec<usize> {
        let mut nearest = self.passing(&self.near, excluded);
        // Groups of what words rank are made of more.
        let is_ranked_in_groups =
            self.search.ranking == "lexical" && self.search.collapse.is_some();
        nearest.truncate(if is_ranked_in_groups { 1_000 } else { 60 });
        nearest
    }

    fn counted(&self, excluded: &[String], max_depth: Option<usize>) -> Vec<usize> {
        let near = self.candidates(excluded);
        // By the documents, not by the finds of the leg.
        let matches = |doc: &usize| {
            let title = self.documents[*doc]["title"].as_str().unwrap();
            self.search
                .words
                .iter()
                .any(|word| title.split(' ').any(|other| other == *word))
        };
        let has_words = !self.search.plan()["lexical"].is_null();
        let all: Vec<usize> = (0..DOCUMENTS)
            .filter(|doc| has_words && matches(doc))
            .collect();
        let words = self.passing(&all, excluded);
        let ranked_words = self.passing(&self.words, excluded);
        let (mut counted, best): (Vec<usize>, Vec<usize>) = match self.search.retrieval {
            "tensor" => (near.clone(), near),
            "lexical" => (words, ranked_words),
            _ => {
                let fused =
                    oracle::fuse(&near, &ranked_words, self.search.alpha, |d| d.to_string());
                (
                    [near, words].concat(),
                    fused.into_iter().map(|(doc, _)| doc).collect(),
                )
            }
        };
        counted.sort_unstable();
        counted.dedup();
        match max_depth {
            Some(depth) if depth < counted.len() => best[..depth].to_vec(),
            _ => counted,
        }
    }

    /// The hits of the page before a better document of their group takes their place. Fused ones
    /// come with their score.
    fn page(&self) -> Vec<(usize, Option<f64>)> {
        let collapsed = |ranking: &[usize]| {
            oracle::collapse(&self.passing(ranking, &[]), |doc| self.group(doc))
        };
        let (near, words) = (collapsed(&self.near), collapsed(&self.words));
        let is_grouped = self.search.collapse.is_some();
        let hits: Vec<(usize, Option<f64>)> = match self.search.retrieval {
            "tensor" if is_grouped && self.search.ranking == "lexical" => {
                let score = |doc: &usize| {
                    let place = self.words.iter().position(|other| other == doc);
                    place.map_or(0.0, |place| self.word_scores[place])
                };
                let mut ranked = self.near.clone();
                ranked.sort_by(|a, b| score(b).total_cmp(&score(a)));
                collapsed(&ranked)
                    .into_iter()
                    .map(|doc| (doc, None))
                    .collect()
            }
            "lexical" if is_grouped && self.search.ranking == "tensor" => {
                let is_word = |doc: &&usize| self.words.contains(*doc);
                let mut ranked: Vec<usize> = self.near.iter().filter(is_word).copied().collect();
                ranked.extend(self.words.iter().filter(|doc| !self.near.contains(*doc)));
                collapsed(&ranked)
                    .into_iter()
                    .map(|doc| (doc, None))
                    .collect()
            }
            "tensor" => near.into_iter().map(|doc| (doc, None)).collect(),
            "lexical" => words.into_iter().map(|doc| (doc, None)).collect(),
            _ => {
                let fused = oracle::fuse(&near, &words, self.search.alpha, |doc| self.group(doc));
                fused
                    .into_iter()
                    .map(|(doc, score)| (doc, Some(score)))
                    .collect()
            }
        };
        let page = hits.into_iter().skip(self.search.offset);
        page.take(self.search.limit).collect()
    }

    /// The document that is shown for a hit.
    fn shown(&self, hit: usize) -> usize {
        let Some(sort) = self.search.collapse.as_ref().filter(|sort| !sort.is_null()) else {
            return hit;
        };
        let price = |doc: usize| self.documents[doc]["price"].as_f64();
        let sign = if sort["order"] == "asc" { 1.0 } else { -1.0 };
        let own = price(hit);
        if own.is_none() && sort["alwaysFetchVariants"] == false {
            return hit;
        }
        let all: Vec<usize> = (0..DOCUMENTS).collect();
        let group = self.passing(&all, &[]).into_iter();
        let group = group.filter(|&doc| self.group(doc) == self.group(hit));
        let best = group.filter(|&doc| price(doc).is_some()).min_by(|&a, &b| {
            let by_price = (sign * price(a).unwrap()).total_cmp(&(sign * price(b).unwrap()));
            by_price.then_with(|| format!("d{a}").cmp(&format!("d{b}")))
        });
        let better = |best: &usize| own.is_none_or(|own| sign * price(*best).unwrap() < sign * own);
        best.filter(better).unwrap_or(hit)
    }
}

fn check(catalogue: &Catalogue, search: &Search) -> Result<(), TestCaseError> {
    let ids = |ranking: &[(usize, f64)]| ranking.iter().map(|&(doc, _)| doc).collect();
    let near = search.ranking(catalogue, "tensor");
    let words = search.ranking(catalogue, "lexical");
    let expected = Expected {
        search,
        documents: &catalogue.documents[search.kind],
        near: ids(&near),
        words: ids(&words),
        word_scores: words.iter().map(|&(_, score)| score).collect(),
    };
    let answer = catalogue
        .fixture
        .search(KINDS[search.kind], search.plan(), &search.query());
    let grouped = search.collapse.is_some();

    let groups = |docs: Vec<usize>| {
        let groups: BTreeSet<String> = docs.into_iter().map(|doc| expected.group(doc)).collect();
        groups.len()
    };
    prop_assert_eq!(
        &answer["totalHits"],
        &json!(groups(expected.counted(&[], None)))
    );
    for facet in &search.facets {
        // A field that is asked for twice is there twice, of which reading keeps the last.
        let same = |other: &&Value| other["field"] == facet["field"];
        if search.facets.iter().rfind(same) != Some(facet) {
            continue;
        }
        let excluded: Vec<String> = serde_json::from_value(facet["excludeTerms"].clone()).unwrap();
        let counted = expected.counted(&excluded, search.max_depth);
        let documents: Vec<&Value> = counted
            .iter()
            .map(|&doc| &expected.documents[doc])
            .collect();
        let rows = oracle::facet(facet, &documents, grouped, search.kind == 1);
        let rows = Value::Object(rows.into_iter().collect());
        let received = &answer["facets"][facet["field"].as_str().unwrap()];
        prop_assert_eq!(
            oracle::as_floats(received),
            oracle::as_floats(&rows),
            "{}",
            facet
        );
    }

    let page = expected.page();
    let hits = answer["hits"].as_array().unwrap();
    let original = |hit: &Value| {
        let id = hit.get("_originalId").unwrap_or(&hit["_id"]);
        id.as_str().unwrap()[1..].parse::<usize>().unwrap()
    };
    let mut received: Vec<usize> = hits.iter().map(original).collect();
    let mut wanted: Vec<usize> = page.iter().map(|(doc, _)| *doc).collect();
    if search.retrieval != search.ranking && search.ranking != "rrf" && !grouped {
        // Ranked anew within the page.
        received.sort_unstable();
        wanted.sort_unstable();
    }
    prop_assert_eq!(received, wanted);
    for (hit, (_, score)) in hits.iter().zip(&page) {
        let received = hit["_score"].as_f64().unwrap();
        prop_assert!(score.is_none_or(|score| (score - received).abs() < 1e-9));
    }
    let found = expected.counted(&[], None);
    for hit in hits {
        let own = original(hit);
        let is_of_group = |doc: &&usize| expected.group(**doc) == expected.group(own);
        let others = found.iter().filter(|doc| **doc != own).filter(is_of_group);
        let count = grouped.then(|| json!(1 + others.count()));
        prop_assert_eq!(hit.get("_groupCount"), count.as_ref());
        let shown = format!("d{}", expected.shown(original(hit)));
        prop_assert_eq!(&hit["_id"], &json!(shown));
        prop_assert_eq!(
            hit.get("_originalId").is_some(),
            original(hit) != expected.shown(original(hit))
        );
        if hit.get("_originalId").is_some() {
            prop_assert_eq!(&hit["_highlights"], &json!([{}]));
        }
    }
    Ok(())
}

#[test]
fn every_page_of_any_size_counts_alike() {
    let catalogue = Catalogue::new();
    let mut runner = TestRunner::new_with_rng(
        ProptestConfig::with_cases(300),
        TestRng::deterministic_rng(Default::default()),
    );
    let limit = prop_oneof![1 => Just(0), 3 => 1..200_usize];
    let pages = prop::collection::vec((limit, 0..400_usize), 3);
    let cases = (searches(), pages, any::<bool>(), any::<[bool; 3]>());
    let outcome = runner.run(&cases, |(mut search, pages, approximate, changed)| {
        let modifiers = json!({"multiply": [], "add": [{"field": "price", "weight": 0.5}]});
        let mut counted = |limit, offset| {
            (search.limit, search.offset) = (limit, offset);
            let mut plan = search.plan();
            if !plan["tensor"].is_null() {
                plan["tensor"]["approximate"] = json!(approximate);
            }
            // Only this kind of index changes scores by fields that its settings do not name.
            let changed = changed.map(|is_changed| is_changed && search.kind == 0);
            for (leg, is_changed) in ["tensor", "lexical"].into_iter().zip(changed) {
                if is_changed && !plan[leg].is_null() {
                    plan[leg]["scoreModifiers"] = modifiers.clone();
                }
            }
            if changed[2] {
                plan["rescoring"] = json!({"scoreModifiers": modifiers, "depth": null});
            }
            let kind = KINDS[search.kind];
            let answer = catalogue.fixture.search(kind, plan, &search.query());
            (answer["totalHits"].clone(), answer["facets"].clone())
        };
        let first = counted(10, 0);
        for (limit, offset) in pages {
            prop_assert_eq!(&counted(limit, offset), &first, "{} from {}", limit, offset);
        }
        Ok(())
    });
    outcome.unwrap();
}

#[test]
fn whole_searches_count_and_group_as_a_plain_reading_does() {
    let catalogue = Catalogue::new();
    let mut runner = TestRunner::new_with_rng(
        ProptestConfig::with_cases(3_000),
        TestRng::deterministic_rng(Default::default()),
    );
    runner
        .run(&searches(), |search| check(&catalogue, &search))
        .unwrap();
}
