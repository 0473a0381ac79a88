//! Searches against brute force over the same documents.

use crate::support::{DIMENSIONS, Fixture, definition, embed, ids, tensor_leg};
use serde_json::{Value, json};

const BRANDS: [&str; 3] = ["acme", "zed", "Ünicorn"];
const WORDS: [&str; 6] = ["river", "stone", "lamp", "winter", "coat", "green"];

/// A catalogue whose vectors, words and filter fields all follow from the number.
fn document(number: usize) -> Value {
    let text = format!("{} {}", WORDS[number % 6], WORDS[(number / 6) % 6]);
    json!({
        "_id": format!("d{number}"), "title": text, "brand": BRANDS[number % 3],
        "price": number, "ratio": number as f64 / 10.0, "on": number.is_multiple_of(2),
        "tags": [format!("t{}", number % 5)],
        "v": {"vector": embed(&format!("vector {number}")), "content": ""}
    })
}

fn body(numbers: impl Iterator<Item = usize>) -> Value {
    json!({"documents": numbers.map(document).collect::<Vec<_>>(), "tensorFields": ["v"],
           "mappings": {"v": {"type": "custom_vector"}}})
}

fn catalogue(count: usize) -> Fixture {
    let fixture = Fixture::unstructured("u");
    for start in (0..count).step_by(100) {
        let answer = fixture.add("u", body(start..(start + 100).min(count)));
        assert_eq!(answer["errors"], false);
    }
    fixture
}

fn cosine(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

/// Ids by falling cosine among the numbers that pass.
fn nearest(query: &[f32], count: usize, pass: impl Fn(usize) -> bool) -> Vec<String> {
    let mut found: Vec<(f32, usize)> = (0..count)
        .filter(|n| pass(*n))
        .map(|n| (cosine(query, &embed(&format!("vector {n}"))), n))
        .collect();
    found.sort_by(|a, b| b.0.total_cmp(&a.0));
    found.into_iter().map(|(_, n)| format!("d{n}")).collect()
}

#[test]
fn filtered_tensor_search_equals_brute_force_on_every_page() {
    let fixture = catalogue(400).reopen();
    let query = embed("a query");
    type Case = (&'static str, fn(usize) -> bool);
    let cases: [Case; 8] = [
        ("brand:acme", |n| n.is_multiple_of(3)),
        ("brand:(ünicorn)", |n| n % 3 == 2),
        ("price:[10 TO 19.5]", |n| (10..20).contains(&n)),
        ("ratio:[* TO 1.2] AND on:true", |n| {
            n <= 12 && n.is_multiple_of(2)
        }),
        ("NOT (brand:acme OR tags:t1)", |n| n % 3 != 0 && n % 5 != 1),
        ("_id:d7 OR _id IN (d9, d11, nope)", |n| {
            [7, 9, 11].contains(&n)
        }),
        ("title CONTAINS (river stone)", |n| {
            n % 6 == 0 && (n / 6) % 6 == 1
        }),
        ("missing:1", |_| false),
    ];
    for (filter, pass) in cases {
        let expected = nearest(&query, 400, pass);
        for offset in [0, 3, 20] {
            let plan =
                json!({"filter": filter, "limit": 5, "offset": offset, "tensor": tensor_leg()});
            let answer = fixture.search("u", plan, &query);
            let page: Vec<_> = expected.iter().skip(offset).take(5).cloned().collect();
            assert_eq!(ids(&answer), page, "{filter} from {offset}");
        }
    }
    let plan = json!({"limit": 20, "tensor": tensor_leg()});
    let answer = fixture.search("u", plan, &query);
    assert_eq!(ids(&answer), nearest(&query, 400, |_| true)[..20]);
    let best = cosine(&query, &embed(&format!("vector {}", &ids(&answer)[0][1..])));
    let score = answer["hits"][0]["_score"].as_f64().unwrap();
    assert!((score - 1.0 / (2.0 - f64::from(best))).abs() < 1e-6);
}

#[test]
fn replaced_and_deleted_documents_are_gone_from_every_method_at_once_and_after_a_restart() {
    let mut fixture = catalogue(60);
    let answer = fixture.delete("u", &["d6", "d7", "nope"]);
    assert_eq!(
        answer["details"],
        json!({"receivedDocumentIds": 3, "deletedDocuments": 2})
    );
    let mut changed = document(8);
    changed["title"] = json!("wholly different");
    changed["brand"] = json!("new");
    fixture.add(
        "u",
        json!({"documents": [changed], "tensorFields": ["v"],
                            "mappings": {"v": {"type": "custom_vector"}}}),
    );
    for round in 0..3 {
        let all = json!({"limit": 100, "tensor": tensor_leg()});
        let found = ids(&fixture.search("u", all, &embed("vector 7")));
        assert_eq!(found.len(), 58, "round {round}");
        assert!(!found.contains(&"d6".to_owned()) && !found.contains(&"d7".to_owned()));
        let words = |text: &str, filter: Value| {
            let plan = json!({"retrievalMethod": "lexical", "rankingMethod": "lexical", "limit": 100, "filter": filter,
                              "lexical": {"text": text, "fields": null}});
            ids(&fixture.search("u", plan, &[]))
        };
        assert!(!words("river stone", Value::Null).contains(&"d6".to_owned()));
        assert_eq!(words("different", Value::Null), ["d8"]);
        assert!(!words("lamp", Value::Null).contains(&"d8".to_owned()));
        assert_eq!(words("*", json!("brand:new")), ["d8"]);
        assert_eq!(
            fixture.get("u", &["d7"], false)["results"][0]["_found"],
            false
        );
        fixture = fixture.reopen();
    }
}

#[test]
fn hybrid_scores_follow_the_ranks_of_both_legs() {
    let fixture = catalogue(120);
    let query = embed("vector 31");
    let plan = |extra: Value| {
        let mut plan = json!({"retrievalMethod": "disjunction", "rankingMethod": "rrf", "limit": 10, "tensor": tensor_leg(),
            "lexical": {"text": "winter coat", "fields": null},
            "rrf": {"alpha": 0.7, "k": 60}});
        for (name, value) in extra.as_object().unwrap() {
            plan[name] = value.clone();
        }
        plan
    };
    // Ranks add up to the sixtieth of either leg.
    let tensor = json!({"limit": 60, "tensor": tensor_leg()});
    let mut tensor = ids(&fixture.search("u", tensor, &query));
    let lexical = json!({"retrievalMethod": "lexical", "rankingMethod": "lexical", "limit": 60,
                         "lexical": {"text": "winter coat", "fields": null}});
    let mut lexical = ids(&fixture.search("u", lexical, &[]));
    let answer = fixture.search("u", plan(json!({})), &query);
    for hit in answer["hits"].as_array().unwrap() {
        let id = hit["_id"].as_str().unwrap().to_owned();
        let share = |ranks: &[String], weight: f64| {
            ranks
                .iter()
                .position(|x| *x == id)
                .map_or(0.0, |at| weight / (61.0 + at as f64))
        };
        let expected = share(&tensor, 0.7) + share(&lexical, 0.3);
        assert!(
            (hit["_score"].as_f64().unwrap() - expected).abs() < 1e-9,
            "{hit}"
        );
        assert_eq!(hit.get("_tensor_score").is_some(), tensor.contains(&id));
        assert_eq!(hit.get("_lexical_score").is_some(), lexical.contains(&id));
    }
    // A leg without weight may be left out: the other alone ranks.
    let alone = |leg: &str, alpha: f64| {
        let mut plan = plan(json!({"rrf": {"alpha": alpha, "k": 60}}));
        plan[leg] = Value::Null;
        ids(&fixture.search("u", plan, if leg == "tensor" { &[] } else { &query }))
    };
    assert_eq!(alone("tensor", 0.0), lexical[..10]);
    assert_eq!(alone("lexical", 1.0), tensor[..10]);
    tensor.truncate(10);
    lexical.truncate(10);
    let ranked = |retrieval: &str, ranking: &str| {
        let methods = json!({"retrievalMethod": retrieval, "rankingMethod": ranking});
        ids(&fixture.search("u", plan(methods), &query))
    };
    assert_eq!(ranked("tensor", "tensor"), tensor);
    assert_eq!(ranked("lexical", "lexical"), lexical);
    // Ranked by the other leg, page by page: the same documents in another order.
    let sorted = |mut ids: Vec<String>| {
        ids.sort();
        ids
    };
    assert_eq!(sorted(ranked("lexical", "tensor")), sorted(lexical));
    assert_eq!(sorted(ranked("tensor", "lexical")), sorted(tensor));
    for (retrieval, ranking) in [("lexical", "tensor"), ("tensor", "lexical")] {
        let mut paged = std::collections::HashSet::new();
        for offset in (0..30).step_by(10) {
            let methods =
                json!({"retrievalMethod": retrieval, "rankingMethod": ranking, "offset": offset});
            let plan = plan(methods);
            paged.extend(ids(&fixture.search("u", plan, &query)));
        }
        let methods = json!({"retrievalMethod": retrieval, "rankingMethod": ranking, "limit": 30});
        let whole = plan(methods);
        let whole: std::collections::HashSet<_> = ids(&fixture.search("u", whole, &query))
            .into_iter()
            .collect();
        assert_eq!(paged, whole, "{retrieval}/{ranking}");
    }
}

#[test]
fn a_lexical_leg_asks_for_one_of_its_words_or_for_all() {
    let fixture = catalogue(72);
    let found = |text: &str, operand: &str| {
        let plan = json!({"retrievalMethod": "lexical", "rankingMethod": "lexical", "limit": 100,
                          "lexical": {"text": text, "operand": operand}});
        let mut found = ids(&fixture.search("u", plan, &[]));
        found.sort();
        found
    };
    let expected = |pass: fn(bool, bool) -> bool| {
        let words = |n: usize| [WORDS[n % 6], WORDS[(n / 6) % 6]];
        let has = |n: usize, word: &str| words(n).contains(&word);
        let numbers = (0..72).filter(|&n| pass(has(n, "river"), has(n, "coat")));
        let mut ids: Vec<String> = numbers.map(|n| format!("d{n}")).collect();
        ids.sort();
        ids
    };
    assert_eq!(found("river coat", "or"), expected(|a, b| a || b));
    assert_eq!(found("river coat", "and"), expected(|a, b| a && b));
    assert!(found("river absent", "and").is_empty());
}

#[test]
fn highlights_name_the_nearest_chunk_and_attributes_limit_the_hit() {
    let fixture = Fixture::new();
    fixture
        .engine
        .create_index("u", &definition(json!({"model": "random/small"})))
        .unwrap();
    let text = "First sentence here. Second sentence there. Third one.";
    let answer = fixture.add(
        "u",
        json!({"tensorFields": ["t", "s"], "documents": [
        {"_id": "a", "t": text, "s": "short", "map": {"k": 1}, "n": 5}]}),
    );
    assert_eq!(answer["errors"], false, "{answer}");
    let query = embed("Second sentence there.");
    let search = |attributes: Value| {
        let plan = json!({"tensor": tensor_leg(), "attributesToRetrieve": attributes});
        fixture.search("u", plan, &query)["hits"][0].clone()
    };
    let hit = search(Value::Null);
    assert_eq!(hit["_highlights"], json!([{"t": "Second sentence there."}]));
    assert!((hit["_score"].as_f64().unwrap() - 1.0).abs() < 1e-6);
    assert_eq!((&hit["map.k"], &hit["n"]), (&json!(1), &json!(5)));
    let hit = search(json!(["map"]));
    assert_eq!(
        (&hit["map.k"], hit.get("n"), &hit["_highlights"]),
        (&json!(1), None, &json!([]))
    );
    let hit = search(json!([]));
    assert_eq!(hit.as_object().unwrap().len(), 3, "{hit}");
    let mut plan = json!({"tensor": tensor_leg(), "showHighlights": false});
    plan["tensor"]["fields"] = json!(["s"]);
    let hit = fixture.search("u", plan, &query)["hits"][0].clone();
    assert!(hit.get("_highlights").is_none());
}

#[test]
fn weighted_vectors_are_combined_before_the_search() {
    let fixture = catalogue(50);
    let rows: Vec<f32> = [embed("vector 3"), embed("vector 4")].concat();
    let mut plan = json!({"tensor": tensor_leg(), "limit": 50});
    plan["tensor"]["weights"] = json!([2.0, -0.5]);
    plan["tensor"]["interpolation"] = json!("nlerp");
    let answer = ids(&fixture.search("u", plan.clone(), &rows));
    let mut combined: Vec<f32> = (0..DIMENSIONS)
        .map(|i| 2.0 * rows[i] - 0.5 * rows[DIMENSIONS + i])
        .collect();
    let norm = cosine(&combined, &combined).sqrt();
    combined.iter_mut().for_each(|x| *x /= norm);
    assert_eq!(answer[..10], nearest(&combined, 50, |_| true)[..10]);
    plan["tensor"]["weights"] = json!([0.0, 0.0]);
    let error = fixture.try_search("u", plan, &rows).unwrap_err();
    assert_eq!(error.code(), "bad_request");
}

#[test]
fn boosts_change_the_scores_of_a_field_before_the_best_of_a_document_counts() {
    let fixture = Fixture::new();
    fixture
        .engine
        .create_index("u", &definition(json!({"model": "random/small"})))
        .unwrap();
    let text = |field: &str, n: usize| format!("{field} {n}");
    let documents: Vec<Value> = (0..40)
        .map(|n| json!({"_id": format!("d{n}"), "a": text("a", n), "b": text("b", n)}))
        .collect();
    fixture.add(
        "u",
        json!({"tensorFields": ["a", "b"], "documents": documents}),
    );
    let query = embed("a query");
    let closeness = |field: &str, n: usize| 1.0 / (2.0 - cosine(&query, &embed(&text(field, n))));
    let boosts = json!([{"field": "a", "weight": 2.0, "bias": -0.4}, {"field": "none", "weight": 9.0, "bias": 9.0}]);
    let mut plan = json!({"tensor": tensor_leg(), "limit": 40, "explain": true});
    plan["tensor"]["boosts"] = boosts;
    let mut expected: Vec<(f32, String, &str)> = (0..40)
        .map(|n| {
            let (a, b) = (2.0 * closeness("a", n) - 0.4, closeness("b", n));
            let (score, field) = if a > b { (a, "a") } else { (b, "b") };
            (score, format!("d{n}"), field)
        })
        .collect();
    expected.sort_by(|a, b| b.0.total_cmp(&a.0));
    assert!(
        ["a", "b"].map(|name| expected.iter().any(|(_, _, field)| *field == name)) == [true; 2]
    );
    let answer = fixture.search("u", plan, &query);
    for (hit, (score, id, field)) in answer["hits"].as_array().unwrap().iter().zip(expected) {
        assert_eq!(hit["_id"], *id, "{answer}");
        assert!((hit["_score"].as_f64().unwrap() - f64::from(score)).abs() < 1e-5);
        assert!(hit["_highlights"][0].get(field).is_some(), "{hit}");
        let explanation = &hit["_explanation"];
        assert_eq!(explanation["value"], hit["_score"]);
        let details = explanation["details"].as_array().map_or(0, Vec::len);
        assert_eq!(details, if field == "a" { 2 } else { 1 }, "{explanation}");
    }
}

#[test]
fn fields_that_the_index_does_not_have_are_named() {
    let fixture = catalogue(10);
    let tensor_fields = |fields: Value| {
        let mut leg = tensor_leg();
        leg["fields"] = fields;
        json!({"tensor": leg})
    };
    let lexical_fields = |fields: Value| json!({"retrievalMethod": "lexical", "rankingMethod": "lexical", "lexical": {"text": "x", "fields": fields}});
    let cases = [
        (
            tensor_fields(json!(["title"])),
            "invalid_field_name",
            "Index u has no tensor field title. Available tensor fields are: v",
        ),
        (
            lexical_fields(json!(["price"])),
            "invalid_field_name",
            "Index u has no lexically searchable field price.",
        ),
        (
            json!({"tensor": tensor_leg(), "filter": "a b"}),
            "invalid_argument",
            "Error parsing filter",
        ),
        (
            json!({"tensor": tensor_leg(), "filter": "price CONTAINS x"}),
            "invalid_argument",
            "CONTAINS filter field 'price' is not found in index 'u'",
        ),
    ];
    for (plan, code, message) in cases {
        let error = fixture
            .try_search("u", plan.clone(), &embed("x"))
            .unwrap_err();
        assert_eq!(error.code(), code, "{plan}: {error}");
        assert!(error.to_string().contains(message), "{plan}: {error}");
    }
    let short = fixture
        .try_search("u", json!({"tensor": tensor_leg()}), &[1.0])
        .unwrap_err();
    assert!(
        short
            .to_string()
            .contains("of 4 dimensions, one for each of 1 weights, but 1 numbers came")
    );
    for methods in [("disjunction", "tensor"), ("lexical", "rrf")] {
        let plan = json!({"retrievalMethod": methods.0, "rankingMethod": methods.1});
        let error = fixture.try_search("u", plan, &[]).unwrap_err();
        assert_eq!(error.code(), "invalid_argument", "{error}");
    }
    let empty = Fixture::unstructured("e");
    for plan in [json!({"tensor": tensor_leg()}), lexical_fields(Value::Null)] {
        assert!(ids(&empty.search("e", plan, &embed("x"))).is_empty());
    }
}

#[test]
fn a_structured_index_refuses_a_leg_that_it_has_no_fields_for() {
    let fixture = Fixture::new();
    let fields = json!([{"name": "price", "type": "float", "features": ["filter"]}]);
    let settings = json!({"type": "structured", "allFields": fields, "tensorFields": []});
    fixture
        .engine
        .create_index("s", &definition(settings))
        .unwrap();
    let lexical = json!({"text": "x", "fields": null});
    for (plan, message) in [
        (
            json!({"tensor": tensor_leg()}),
            "Index s has no tensor fields, thus tensor search cannot be performed. Please create an index with a tensor field,",
        ),
        (
            json!({"retrievalMethod": "lexical", "rankingMethod": "lexical", "lexical": lexical}),
            "Index s has no lexically searchable fields, thus lexical search cannot be performed.",
        ),
        (
            json!({"retrievalMethod": "disjunction", "rankingMethod": "rrf", "tensor": tensor_leg(), "lexical": lexical}),
            "Index s either has no tensor fields or no lexically searchable fields, thus hybrid search cannot",
        ),
    ] {
        let error = fixture.try_search("s", plan, &embed("x")).unwrap_err();
        assert_eq!(error.code(), "invalid_argument");
        assert!(error.to_string().starts_with(message), "{error}");
    }
}

#[test]
fn a_structured_index_refuses_a_filter_that_has_no_meaning_for_it() {
    let fixture = Fixture::new();
    let fields = json!([
        {"name": "title", "type": "text", "features": ["lexical_search"]},
        {"name": "price", "type": "float", "features": ["filter"]},
    ]);
    let settings = json!({"type": "structured", "allFields": fields, "tensorFields": []});
    fixture
        .engine
        .create_index("s", &definition(settings))
        .unwrap();
    for (filter, code, message) in [
        (
            "title:x",
            "invalid_field_name",
            "Index 's' has no filterable field 'title'. Available filterable fields are: 'price'",
        ),
        (
            "price IN (1, x)",
            "invalid_argument",
            "Attempting to use the IN filter operator on field: 'price' of type: 'float'",
        ),
        (
            "price CONTAINS x",
            "bad_request",
            "The 'CONTAINS' filter keyword is not supported for structured indexes",
        ),
    ] {
        let plan = json!({"retrievalMethod": "lexical", "rankingMethod": "lexical", "lexical": {"text": "x", "fields": null}, "filter": filter});
        let error = fixture.try_search("s", plan, &[]).unwrap_err();
        assert_eq!(error.code(), code, "{error}");
        assert!(error.to_string().starts_with(message), "{error}");
    }
}

#[test]
fn scores_are_written_with_the_digits_of_64_bits() {
    let fixture = Fixture::unstructured("documents");
    let numbers = [1_700_000_128_i64, 4_294_967_296, 9_007_199_254_740_993];
    let documents = numbers.map(|p| json!({"_id": p.to_string(), "title": "river", "p": p}));
    fixture.add("documents", json!({"documents": documents}));
    let by_p = json!({"multiply": [], "add": [{"field": "p", "weight": 1.0}]});
    let plan = json!({
        "retrievalMethod": "lexical", "rankingMethod": "lexical", "explain": true,
        "lexical": {"text": "*", "scoreModifiers": by_p},
    });
    let answer = fixture.search("documents", plan, &[]);
    let hits = answer["hits"].as_array().unwrap();
    let scores: Vec<f64> = hits
        .iter()
        .map(|hit| hit["_score"].as_f64().unwrap())
        .collect();
    assert_eq!(
        scores,
        [9_007_199_254_740_992.0, 4_294_967_296.0, 1_700_000_128.0]
    );
    for hit in hits {
        assert_eq!(hit["_explanation"]["value"], hit["_score"]);
    }
}

#[test]
fn scores_below_zero_rank_by_their_value_and_are_shown_as_zero() {
    let fixture = Fixture::unstructured("documents");
    let vector = |n: usize| json!({"vector": embed(&format!("vector {n}")), "content": ""});
    let document = |(n, age): (usize, &i64)| json!({"_id": age.to_string(), "title": "river", "age": age, "v": vector(n)});
    let documents: Vec<Value> = [900, 100, 2_000].iter().enumerate().map(document).collect();
    let mappings = json!({"v": {"type": "custom_vector"}});
    fixture.add(
        "documents",
        json!({"documents": documents, "tensorFields": ["v"], "mappings": mappings}),
    );
    let youngest = json!({"multiply": [], "add": [{"field": "age", "weight": -1.0}]});
    let leg = json!({"text": "river", "scoreModifiers": youngest});
    for (retrieval, ranking) in [
        ("tensor", "tensor"),
        ("lexical", "lexical"),
        ("tensor", "lexical"),
        ("lexical", "tensor"),
        ("disjunction", "rrf"),
    ] {
        let mut tensor = tensor_leg();
        if ranking == "tensor" {
            tensor["scoreModifiers"] = youngest.clone();
        }
        let mut plan = json!({
            "retrievalMethod": retrieval, "rankingMethod": ranking, "tensor": tensor, "lexical": leg,
        });
        if ranking == "rrf" {
            plan["rrf"] = json!({"alpha": 0.5, "k": 60});
            plan["lexical"]["scoreModifiers"] = Value::Null;
            plan["rescoring"] = json!({"scoreModifiers": youngest, "depth": null});
        }
        let answer = fixture.search("documents", plan.clone(), &embed("query"));
        assert_eq!(ids(&answer), ["100", "900", "2000"], "{plan}");
        for hit in answer["hits"].as_array().unwrap() {
            assert_eq!(hit["_score"], json!(0.0), "{hit}");
        }
    }
}

#[test]
fn the_very_characters_of_a_query_decide_between_equal_scores() {
    let fixture = Fixture::unstructured("documents");
    let titles = [
        "C++ primer",
        "C primer",
        "(C#) primer",
        "c++, primer",
        "C# primer",
        "C primer",
    ];
    let document = |(n, title): (usize, &&str)| json!({"_id": n.to_string(), "title": title});
    let documents: Vec<Value> = titles.iter().enumerate().map(document).collect();
    fixture.add("documents", json!({"documents": documents}));
    let found = |text: &str, offset: usize, limit: usize| {
        let plan = json!({
            "retrievalMethod": "lexical", "rankingMethod": "lexical", "lexical": {"text": text},
            "offset": offset, "limit": limit,
        });
        fixture.search("documents", plan, &[])
    };
    for (text, expected) in [
        ("c", ["0", "1", "2", "3", "4", "5"]),
        ("C#", ["2", "4", "0", "1", "3", "5"]),
        ("primer c++", ["0", "3", "1", "2", "4", "5"]),
    ] {
        let whole = found(text, 0, 10);
        assert_eq!(ids(&whole), expected, "{text}");
        let plain = found(&text.replace(['#', '+'], ""), 0, 10);
        assert_eq!(whole["hits"][0]["_score"], plain["hits"][0]["_score"]);
        let pages: Vec<String> = (0..6)
            .flat_map(|offset| ids(&found(text, offset, 1)))
            .collect();
        assert_eq!(pages, expected, "{text}");
    }
}
