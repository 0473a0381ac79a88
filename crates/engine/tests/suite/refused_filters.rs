//! Filters that no value of a field of numbers can equal: refused, unless the field has ever had texts.

use crate::support::{Fixture, ids};
use serde_json::{Value, json};

fn found(fixture: &Fixture, filter: &str) -> Result<Vec<String>, String> {
    let plan = json!({"retrievalMethod": "lexical", "rankingMethod": "lexical", "filter": filter,
        "lexical": {"text": "*", "fields": null}});
    let found = fixture.try_search("u", plan, &[]);
    found
        .map(|answer| ids(&answer))
        .map_err(|error| error.to_string())
}

fn add(fixture: &Fixture, documents: Value) {
    let added = fixture.add("u", json!({"documents": documents}));
    assert_eq!(added["errors"], false);
}

#[test]
fn a_filter_is_answered_for_good_once_its_field_had_texts() {
    let mut fixture = Fixture::unstructured("u");
    assert_eq!(
        found(&fixture, "f:5kg"),
        Ok(vec![]),
        "no document has the field"
    );
    add(
        &fixture,
        json!([{"_id": "a", "f": 5}, {"_id": "b", "g": 7}]),
    );
    let refusal = found(&fixture, "f:5USD").unwrap_err();
    assert!(refusal.ends_with("Expected f:5"), "{refusal}");
    assert!(found(&fixture, "g:7 OR f:5kg").is_err());
    assert_eq!(found(&fixture, "f:cheap"), Ok(vec![]));
    add(
        &fixture,
        json!([{"_id": "c", "f": "5kg"}, {"_id": "d", "g": "7kg ".repeat(20)}]),
    );
    assert_eq!(found(&fixture, "f:5kg"), Ok(vec!["c".to_owned()]));
    fixture.delete("u", &["c", "d"]);
    for _ in 0..2 {
        assert_eq!(found(&fixture, "f:5kg"), Ok(vec![]));
        assert_eq!(
            found(&fixture, "g:7kg"),
            Ok(vec![]),
            "too long for a column"
        );
        assert_eq!(found(&fixture, "f:5"), Ok(vec!["a".to_owned()]));
        fixture = fixture.reopen();
    }
}

#[test]
fn a_filter_is_refused_after_an_update_as_before() {
    let fixture = Fixture::unstructured("u");
    add(
        &fixture,
        json!([{"_id": "a", "f": 5}, {"_id": "b", "f": 6}]),
    );
    assert!(found(&fixture, "f:1k").is_err());
    let updated = fixture.update("u", json!([{"_id": "a", "f": 7}]));
    assert_eq!(updated["errors"], false);
    let refusal = found(&fixture, "f:7USD").unwrap_err();
    assert!(refusal.ends_with("Expected f:7"), "{refusal}");
    assert_eq!(found(&fixture, "f:7"), Ok(vec!["a".to_owned()]));
}
