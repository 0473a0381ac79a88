//! The outcome for one document: stored exactly, or refused with a reason.

mod structured;
mod unstructured;
mod vectors;

use crate::support::{EMBEDDED, Fixture, definition};
use serde_json::{Value, json};

fn refusal(fixture: &Fixture, index: &str, document: Value) -> (String, String) {
    refusal_with(
        fixture,
        index,
        json!({"documents": [document], "tensorFields": ["t"]}),
    )
}

fn refusal_with(fixture: &Fixture, index: &str, body: Value) -> (String, String) {
    let answer = fixture.add(index, body);
    assert_eq!(answer["errors"], true, "{answer}");
    let item = &answer["items"][0];
    assert_eq!(
        (&item["status"], &item["message"]),
        (&json!(400), &item["error"])
    );
    (
        item["code"].as_str().unwrap().to_owned(),
        item["message"].as_str().unwrap().to_owned(),
    )
}

#[test]
fn every_value_reads_back_exactly_and_maps_read_back_flat() {
    let fixture = Fixture::unstructured("u");
    let document = json!({
        "_id": "weird/id?#é \u{1}", "text": "naïve \"quote\" \\ \u{2028}", "empty": "",
        "big": 9_007_199_254_740_993i64, "low": i64::MIN, "float": 1.0, "tiny": 1e-300,
        "yes": true, "tags": ["a", "b"], "none": [], "map": {"x.y": 1, "z": 2.5}, "void": {},
        "__proto__": "name", "constructor": "other"
    });
    let answer = fixture.add("u", json!({"documents": [document]}));
    assert_eq!(answer["errors"], false, "{answer}");
    let fixture = fixture.reopen();
    let mut expected = document.clone();
    expected.as_object_mut().unwrap().remove("map");
    expected["map.x.y"] = json!(1);
    expected["map.z"] = json!(2.5);
    expected["_found"] = json!(true);
    let read = fixture.get("u", &["weird/id?#é \u{1}", "absent", ""], false);
    assert_eq!(read["results"][0], expected);
    assert_eq!(read["results"][1]["_found"], false);
    assert_eq!(read["results"][2]["status"], 400);
    assert_eq!(read["errors"], true);
}

#[test]
fn the_last_document_of_one_id_counts_even_when_it_is_refused() {
    let fixture = Fixture::unstructured("u");
    let answer = fixture.add(
        "u",
        json!({"documents": [{"_id": "a", "n": 1}, {"_id": "b", "n": 1}, {"_id": "a", "n": null},
                             {"_id": "b", "n": 2}, {"n": 3}]}),
    );
    let items = answer["items"].as_array().unwrap();
    assert_eq!(items.len(), 3);
    assert_eq!(
        (&items[0]["_id"], &items[0]["status"]),
        (&json!("a"), &json!(400))
    );
    assert_eq!(
        (&items[1]["_id"], &items[1]["status"]),
        (&json!("b"), &json!(200))
    );
    assert_eq!(items[2]["_id"].as_str().unwrap().len(), 36);
    let read = fixture.get("u", &["a", "b"], false);
    assert_eq!(
        (&read["results"][0]["_found"], &read["results"][1]["n"]),
        (&json!(false), &json!(2))
    );
}

#[test]
fn encodings_of_one_id_are_one_document_in_every_request() {
    let (composed, decomposed) = ("caf\u{e9}", "cafe\u{301}");
    let fixture = Fixture::unstructured("u");
    let count = || {
        let stats = fixture.engine.stats("u").unwrap();
        let stats: Value = serde_json::from_slice(&stats).unwrap();
        stats["numberOfDocuments"].clone()
    };
    let add = |ids: [&str; 2], first: u32| {
        let documents = json!([{"_id": ids[0], "n": first}, {"_id": ids[1], "n": first + 1}]);
        let answer = fixture.add("u", json!({"documents": documents}));
        let items = json!([{"status": 200, "_id": ids[1]}]);
        assert_eq!(answer, json!({"errors": false, "items": items}));
    };
    add([composed, decomposed], 1);
    add([decomposed, composed], 3);
    assert_eq!(count(), 1);
    for id in [composed, decomposed] {
        let document = json!({"_id": composed, "n": 4, "_found": true});
        assert_eq!(fixture.get("u", &[id], false)["results"], json!([document]));
    }
    let changes = json!([{"_id": composed, "n": 5}, {"_id": decomposed, "n": 6}]);
    let answer = fixture.update("u", changes);
    assert_eq!(answer["items"], json!([{"status": 200, "_id": decomposed}]));
    assert_eq!(fixture.get("u", &[composed], false)["results"][0]["n"], 6);
    let deleted = fixture.delete("u", &[decomposed, composed]);
    assert_eq!(deleted["details"]["deletedDocuments"], 1);
    assert_eq!(deleted["items"][1]["status"], 404);
    assert_eq!(count(), 0);
}

#[test]
fn the_address_of_a_picture_is_no_text_on_an_index_for_pictures() {
    let fixture = Fixture::new();
    let changes = json!({"model": "random/small", "treatUrlsAndPointersAsImages": true});
    fixture
        .engine
        .create_index("u", &definition(changes))
        .unwrap();
    for address in [
        "http://x.example/a.png",
        "https://x.example/a.JPEG?w=1&sig=2",
        "https://x.example/a.webp#b",
    ] {
        let (_, got) = refusal(&fixture, "u", json!({"t": address}));
        assert!(got.contains("does not support image"), "{address}: {got}");
    }
    for text in [
        "a.png",
        "http://x.example/png",
        "http://x.example/?a.png",
        "http://x.example/a.mp4",
    ] {
        let body = json!({"documents": [{"t": text}], "tensorFields": ["t"]});
        assert_eq!(fixture.add("u", body)["errors"], false, "{text}");
    }
}

#[test]
fn values_are_stored_without_the_blanks_and_escapes_of_their_request() {
    let fixture = Fixture::unstructured("u");
    let body = r#"{"documents":[{"_id":"a","t":"caf\u00e9 \ud83d\ude00","l":[ "x" ,"\u00e9"]}]}"#;
    let batch = pelorus_engine::split_documents(body.as_bytes().to_vec()).unwrap();
    let (prepared, _) = fixture.engine.prepare("u", &batch, b"{}").unwrap();
    let (done, response) = std::sync::mpsc::channel();
    let send = Box::new(move |r| done.send(r).unwrap());
    fixture.engine.apply(prepared, vec![], EMBEDDED, send);
    response.recv().unwrap().unwrap();
    let request = br#"{"documentIds":["a"],"exposeFacets":false}"#;
    let answer = fixture.engine.get_documents("u", request).unwrap();
    let text = String::from_utf8(answer.body).unwrap();
    assert!(text.contains(r#""t":"café 😀","l":["x","é"]"#), "{text}");
}

#[test]
fn a_document_over_a_bound_is_refused_and_its_neighbours_are_stored() {
    let fixture = Fixture::unstructured("u");
    let wide = |prefix: &str, count: usize| -> Value {
        (0..count)
            .map(|n| (format!("{prefix}{n}"), json!(n)))
            .collect::<serde_json::Map<_, _>>()
            .into()
    };
    let (_, message) = refusal(&fixture, "u", wide("a", 1_001));
    assert!(message.contains("at most 1000 fields"), "{message}");
    for batch in 0..10 {
        let answer = fixture.add(
            "u",
            json!({"documents": [wide(&format!("b{batch}_"), 999)]}),
        );
        assert_eq!(answer["errors"], false);
    }
    let documents = json!([{"_id": "before", "n": 1}, wide("c", 100), {"_id": "after", "n": 1}]);
    let answer = fixture.add("u", json!({"documents": documents}));
    let statuses: Vec<&Value> = answer["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|item| &item["status"])
        .collect();
    assert_eq!(statuses, [&json!(200), &json!(400), &json!(200)]);
    assert!(
        answer["items"][1]["message"]
            .as_str()
            .unwrap()
            .contains("at most 10000 distinct")
    );
    assert_eq!(
        fixture.get("u", &["before", "after"], false)["errors"],
        false
    );
}
