//! Updates of single fields, as callers and searches see them.

use std::sync::mpsc;

use crate::support::{EMBEDDED, Fixture, definition, embed, ids, tensor_leg};
use pelorus_engine::split_documents;
use serde_json::{Value, json};

/// An unstructured index `u` with two documents.
fn unstructured() -> Fixture {
    let fixture = Fixture::new();
    let definition = definition(json!({"model": "random"}));
    fixture.engine.create_index("u", &definition).unwrap();
    let documents = json!([
        {"_id": "1", "title": "red shoe", "color": "red", "price": 10, "tags": ["a"], "sizes": {"s": 1}},
        {"_id": "2", "title": "blue hat", "color": "blue", "price": 20},
    ]);
    fixture.add(
        "u",
        json!({"documents": documents, "tensorFields": ["title"]}),
    );
    fixture
}

fn structured() -> Fixture {
    let fixture = Fixture::new();
    let definition = definition(json!({
        "model": "random", "type": "structured",
        "allFields": [
            {"name": "title", "type": "text", "features": ["lexical_search"]},
            {"name": "note", "type": "text", "features": ["lexical_search"]},
            {"name": "price", "type": "float", "features": ["filter", "score_modifier"]},
        ],
        "tensorFields": ["title"],
    }));
    fixture.engine.create_index("s", &definition).unwrap();
    let documents = json!([{"_id": "1", "title": "red shoe", "price": 10}]);
    fixture.add("s", json!({ "documents": documents }));
    fixture
}

fn words(text: &str, filter: Value) -> Value {
    json!({"retrievalMethod": "lexical", "rankingMethod": "lexical", "filter": filter, "lexical": {"text": text}})
}

fn items(answer: &Value) -> &Vec<Value> {
    answer["items"].as_array().unwrap()
}

fn get(fixture: &Fixture, index: &str, id: &str) -> Value {
    fixture.get(index, &[id], true)["results"][0].clone()
}

#[test]
fn every_search_and_read_sees_an_update_and_a_restart_does_too() {
    let mut fixture = unstructured();
    let before = get(&fixture, "u", "1");
    let answer = fixture.update(
        "u",
        json!([
            {"_id": "1", "price": 30, "color": "green", "new": true, "tags": ["b"], "sizes": {"m": 2}},
            {"_id": "2"},
        ]),
    );
    assert_eq!(
        answer,
        json!({"errors": false, "items": [{"status": 200, "_id": "1"}, {"status": 200, "_id": "2"}]})
    );
    let mut expected = before;
    for (field, value) in [
        ("price", json!(30)),
        ("color", json!("green")),
        ("new", json!(true)),
        ("tags", json!(["b"])),
        ("sizes.m", json!(2)),
    ] {
        expected[field] = value;
    }
    expected.as_object_mut().unwrap().remove("sizes.s");
    for _ in 0..2 {
        assert_eq!(get(&fixture, "u", "1"), expected);
        let found = |plan| ids(&fixture.search("u", plan, &[]));
        for (filter, passing) in [
            ("price:30", vec!["1"]),
            ("price:10", vec![]),
            (
                "color:green AND new:true AND tags:b AND sizes.m:2",
                vec!["1"],
            ),
            ("color:red OR tags:a OR sizes.s:1", vec![]),
        ] {
            assert_eq!(found(words("*", json!(filter))), passing, "{filter}");
        }
        assert_eq!(found(words("green", Value::Null)), ["1"]);
        assert_eq!(
            found(words("red", json!("color:green"))),
            ["1"],
            "by its title"
        );
        let plan = json!({"filter": "price:30", "tensor": tensor_leg()});
        let nearest = fixture.search("u", plan, &embed("red shoe"));
        assert_eq!(ids(&nearest), ["1"]);
        assert_eq!(
            nearest["hits"][0]["_highlights"],
            json!([{"title": "red shoe"}])
        );
        fixture = fixture.reopen();
    }
}

#[test]
fn a_refused_item_changes_nothing() {
    let fixture = unstructured();
    let before = get(&fixture, "u", "1");
    let answer = fixture.update(
        "u",
        json!([
            {"_id": "1", "price": 11, "title": "new"},
            {"_id": "nobody", "price": 11},
            {"price": 11},
            {"_id": 5},
            {"_id": "2", "price": 21},
        ]),
    );
    let statuses = items(&answer).iter();
    let statuses: Vec<Value> = statuses
        .map(|item| json!([item["_id"], item["status"]]))
        .collect();
    assert_eq!(
        json!(statuses),
        json!([
            ["1", 400],
            ["nobody", 400],
            ["", 400],
            ["5", 400],
            ["2", 200]
        ])
    );
    for item in &items(&answer)[..2] {
        let message = item["message"].as_str().unwrap();
        assert!(message.starts_with("Marqo vector store couldn't update the document."));
        assert_eq!(item["error"], item["message"]);
        assert_eq!(item.get("code"), None);
    }
    assert_eq!(get(&fixture, "u", "1"), before);
    assert_eq!(get(&fixture, "u", "2")["price"], 21);
    assert_eq!(get(&fixture, "u", "nobody")["_found"], false);
}

#[test]
fn a_missing_document_of_a_structured_index_is_not_found() {
    let fixture = structured();
    let answer = fixture.update(
        "s",
        json!([{"_id": "nobody", "price": 1}, {"_id": "1", "price": 2}]),
    );
    let missing = "Document does not exist in the index";
    assert_eq!(
        answer,
        json!({"errors": true, "items": [
            {"status": 404, "_id": "nobody", "message": missing, "error": missing},
            {"status": 200, "_id": "1"},
        ]})
    );
    assert_eq!(get(&fixture, "s", "1")["price"], 2.0);
    let answer = fixture.update("s", json!([{"_id": "1", "note": "sturdy"}]));
    assert_eq!(answer["errors"], false);
    assert_eq!(
        ids(&fixture.search("s", words("sturdy", json!("price:2")), &[])),
        ["1"]
    );
    fixture.update("s", json!([{"_id": "1", "note": null}]));
    assert_eq!(
        ids(&fixture.search("s", words("sturdy", Value::Null), &[])),
        [""; 0]
    );
    assert_eq!(get(&fixture, "s", "1").get("note"), None);
}

/// Requests of all kinds that wait in the queue together: they are committed as one group.
#[test]
fn changes_of_one_group_see_each_other_in_their_order() {
    let fixture = unstructured();
    let (answers, order) = mpsc::channel();
    let update = |what: &'static str, documents: Value| {
        let body = json!({"documents": documents}).to_string();
        let batch = split_documents(body.into_bytes()).unwrap();
        let answers = answers.clone();
        let done = Box::new(move |response: Result<pelorus_engine::ItemsResponse, _>| {
            answers.send((what, response.unwrap().failure)).unwrap();
        });
        fixture.engine.update_documents("u", &batch, b"{}", done);
    };
    let add = |documents: Value| {
        let body = json!({"documents": documents}).to_string();
        let batch = split_documents(body.into_bytes()).unwrap();
        let (prepared, _) = fixture.engine.prepare("u", &batch, b"{}").unwrap();
        let answers = answers.clone();
        let done = Box::new(move |response: Result<pelorus_engine::ItemsResponse, _>| {
            answers.send(("add", response.unwrap().failure)).unwrap();
        });
        fixture.engine.apply(prepared, Vec::new(), EMBEDDED, done);
    };
    for round in 0..50 {
        let id = format!("round {round}");
        let brand = format!("brand{round}");
        update("missing", json!([{"_id": id, "n": 0}]));
        add(json!([{"_id": id, "n": 1, brand.clone(): "x", "kinds": ["k"]}]));
        update("first", json!([{"_id": id, "a": 1}]));
        update(
            "second",
            json!([{"_id": id, "n": 2, brand.clone(): "y"}, {"_id": "1", brand: "z"}]),
        );
        let delete = json!({"documentIds": [id]}).to_string();
        if round % 2 == 0 {
            fixture
                .engine
                .delete_documents("u", delete.as_bytes(), Box::new(|_| ()));
            update("deleted", json!([{"_id": id, "n": 3}]));
        }
        let expected: &[(&str, u32)] = &[
            ("missing", 1),
            ("add", 0),
            ("first", 0),
            ("second", 0),
            ("deleted", 1),
        ];
        for expected in &expected[..4 + (round + 1) % 2] {
            assert_eq!(order.recv().unwrap(), *expected, "round {round}");
        }
        let found = get(&fixture, "u", &id);
        if round % 2 == 0 {
            assert_eq!(found["_found"], false);
        } else {
            assert_eq!((&found["n"], &found["a"]), (&json!(2), &json!(1)));
        }
    }
}

#[test]
fn texts_and_lists_are_taken_as_long_as_the_index_has_some() {
    let fixture = unstructured();
    let refusals = |documents: Value| {
        let answer = fixture.update("u", documents);
        items(&answer)
            .iter()
            .filter(|item| item["status"] != 200)
            .count()
    };
    assert_eq!(
        refusals(json!([{"_id": "2", "brand": "x"}, {"_id": "1", "kinds": ["x"]}])),
        2
    );
    assert_eq!(
        refusals(json!([{"_id": "2", "tags": ["x"], "color": "y"}])),
        0
    );
    fixture.add(
        "u",
        json!({"documents": [{"_id": "3", "brand": "x", "kinds": ["x"]}]}),
    );
    assert_eq!(
        refusals(json!([{"_id": "2", "brand": "x"}, {"_id": "1", "kinds": ["x"]}])),
        0
    );
}

#[test]
fn only_a_changed_text_makes_a_new_version() {
    let fixture = unstructured();
    let vectors = || {
        let stats = fixture.engine.stats("u").unwrap();
        let stats: Value = serde_json::from_slice(&stats).unwrap();
        stats["numberOfVectors"].clone()
    };
    let before = vectors();
    for round in 0..20 {
        let changes = json!({"_id": "1", "price": round, "tags": [format!("t{round}")], "sizes": {"s": round}});
        fixture.update("u", json!([changes]));
        assert_eq!(vectors(), before);
        let filter = json!(format!(
            "price:{round} AND tags:t{round} AND sizes.s:{round}"
        ));
        assert_eq!(ids(&fixture.search("u", words("*", filter), &[])), ["1"]);
    }
    fixture.update("u", json!([{"_id": "1", "color": "green"}]));
    assert_eq!(
        ids(&fixture.search("u", words("green", Value::Null), &[])),
        ["1"]
    );
    let fixture = fixture.crash();
    assert_eq!(get(&fixture, "u", "1")["price"], 19);
    assert_eq!(
        ids(&fixture.search("u", words("green", json!("price:19")), &[])),
        ["1"]
    );
}
