use std::collections::HashSet;
use std::result::Result;

use pelorus_hnsw::NumericType;
use pelorus_text::{ChunkMethod, ChunkSpec};

use super::*;
use crate::error::DocumentsError;
use crate::options::Weights;
use crate::prepare::{EmbeddedInputs, PreparedDocuments, ReadyDocument};
use crate::schema::StructuredField;
use crate::split_documents;
use crate::stored::{StoredDocument, encode_document};
use crate::stored_version::StoredFields;
use crate::tensors::{FieldTensors, TensorKind, encode_tensors};
use crate::values::IndexedValues;

const GENERIC: &str = "Marqo vector store couldn't update the document. Please see: ";

fn schema(kind: IndexKind) -> DocumentSchema {
    DocumentSchema {
        index: "i".into(),
        kind,
        model: "m".into(),
        embeds: true,
        dimensions: 1,
        normalize: true,
        refuses_zero_vectors: false,
        numbers: NumericType::Float,
        chunks: ChunkSpec::new(ChunkMethod::Sentence, 1, 0).unwrap(),
        media_images: false,
        media_all: false,
    }
}

fn unstructured() -> DocumentSchema {
    schema(IndexKind::Unstructured {
        filter_string_max_length: 50,
        collapse_field: Some("sku".into()),
    })
}

fn structured() -> DocumentSchema {
    let field = |name: &str, kind: &str, dependent: &[&str]| StructuredField {
        name: name.into(),
        kind: kind.into(),
        features: vec!["filter".into(), "lexical_search".into()],
        dependent_fields: (!dependent.is_empty()).then(|| {
            let weights = dependent.iter().map(|name| ((*name).to_owned(), 1.0));
            Weights(weights.collect())
        }),
        dimensions: None,
    };
    let fields = vec![
        field("title", "text", &[]),
        field("note", "text", &[]),
        field("part", "text", &[]),
        field("whole", "multimodal_combination", &["part"]),
        field("own", "custom_vector", &[]),
        field("n", "int", &[]),
        field("f", "float", &[]),
        field("b", "bool", &[]),
        field("tags", "array<text>", &[]),
        field("map", "map<text, int>", &[]),
    ];
    let tensor_fields = ["title", "whole", "own"].map(str::to_owned).to_vec();
    schema(IndexKind::Structured(StructuredFields::new(
        fields,
        tensor_fields,
    )))
}

/// Fields that texts, and lists of texts, were seen in.
#[derive(Default)]
struct Known {
    texts: HashSet<&'static str>,
    lists: HashSet<&'static str>,
}

impl KnownFields for Known {
    fn has_texts(&self, field: &str) -> bool {
        self.texts.contains(field)
    }

    fn has_text_lists(&self, field: &str) -> bool {
        self.lists.contains(field)
    }

    fn has_points(&self, field: &str) -> bool {
        field == "place"
    }
}

fn known() -> Known {
    Known {
        texts: HashSet::from(["color", "title"]),
        lists: HashSet::from(["tags"]),
    }
}

fn check(schema: &DocumentSchema, documents: &str) -> Vec<Result<DocumentUpdate, ItemError>> {
    let body = format!(r#"{{"documents":[{documents}]}}"#);
    let batch = split_documents(body.into_bytes()).unwrap();
    let options = UpdateOptions::parse(br#"{"maxDocBytes": 300}"#).unwrap();
    check_updates(schema, &batch, &options).unwrap()
}

/// A stored document, its fields given as names and JSON.
fn stored(fields: &[(&str, &str)], tensors: &[FieldTensors]) -> StoredFields {
    let fields: Vec<Field> = fields
        .iter()
        .map(|(name, json)| Field::read(name, json).unwrap())
        .collect();
    let tensors = encode_tensors(tensors, NumericType::Float);
    StoredFields::decode(&encode_document("1", &fields), &tensors, 1).unwrap()
}

fn tensor(field: &str, kind: TensorKind, weights: &str) -> FieldTensors {
    FieldTensors {
        field: field.into(),
        kind,
        weights: weights.into(),
        chunks: vec!["text".into()],
        vectors: vec![1.0],
    }
}

/// The fields that document 1 has after an update, as JSON; none where nothing changed.
fn updated(
    schema: &DocumentSchema,
    before: StoredFields,
    changes: &str,
) -> Result<Option<String>, String> {
    let document = match changes {
        "" => r#"{"_id":"1"}"#.to_owned(),
        changes => format!(r#"{{"_id":"1",{changes}}}"#),
    };
    let update = check(schema, &document).remove(0);
    let merged = update.and_then(|update| update.merge(schema, before, &known()));
    match merged {
        Err(error) => {
            assert_eq!(error.id.as_deref(), Some("1"));
            Err(error.message)
        }
        Ok(Updated::Unchanged { id }) => {
            assert_eq!(id, "1");
            Ok(None)
        }
        Ok(updated) => {
            let (id, document, values) = match updated {
                Updated::Unchanged { .. } => unreachable!("an arm before"),
                Updated::Revised(revision) => (revision.id, revision.document, revision.values),
                Updated::Replaced(replaced) => (replaced.id, replaced.document, replaced.values),
            };
            assert_eq!(id, "1");
            let read = StoredDocument::decode(&document).unwrap();
            assert_eq!(IndexedValues::of_stored(schema, &read).unwrap(), values);
            let fields = read.fields.iter();
            let fields = fields.map(|(name, json)| format!("{name}:{json}"));
            Ok(Some(fields.collect::<Vec<_>>().join(" ")))
        }
    }
}

/// The documents that most updates of unstructured indexes here are of.
fn sample() -> StoredFields {
    let fields = [
        ("n", "1"),
        ("color", r#""red""#),
        ("m.x", "1"),
        ("f", "1.5"),
        ("m.y", "2"),
        ("b", "true"),
        ("g.x", "0.5"),
        ("tags", r#"["a"]"#),
        ("mixed.i", "1"),
        ("mixed.f", "1.5"),
    ];
    stored(&fields, &[])
}

fn of_sample(changes: &str) -> Result<Option<String>, String> {
    updated(&unstructured(), sample(), changes)
}

#[test]
fn values_are_changed_in_their_places_and_new_ones_come_last() {
    let changes = r#""new":true,"n":2,"color":"blue","f":2.5,"b":false,"tags":["b","c"]"#;
    let expected = r#"n:2 color:"blue" m.x:1 f:2.5 m.y:2 b:false g.x:0.5 tags:["b","c"] mixed.i:1 mixed.f:1.5 new:true"#;
    assert_eq!(of_sample(changes), Ok(Some(expected.to_owned())));
}

#[test]
fn a_value_that_a_document_holds_already_is_no_change() {
    for changes in [
        "",
        r#""n":1,"color":"red","f":1.5"#,
        r#""g":{"x":0.5},"tags":["a"]"#,
        r#""nothing":null"#,
        r#""nothing":{}"#,
    ] {
        assert_eq!(of_sample(changes), Ok(None), "{changes}");
    }
}

#[test]
fn null_removes_a_field_and_so_does_an_empty_map() {
    let rest = r#"f:1.5 b:true g.x:0.5 tags:["a"] mixed.i:1 mixed.f:1.5"#;
    for changes in [
        r#""n":null,"color":null,"m":null"#,
        r#""n":null,"color":null,"m":{}"#,
    ] {
        assert_eq!(of_sample(changes), Ok(Some(rest.to_owned())), "{changes}");
    }
    let declared = stored(
        &[("n", "1"), ("map", r#"{"a":1}"#), ("note", r#""x""#)],
        &[],
    );
    assert_eq!(
        updated(&structured(), declared, r#""map":null,"note":null"#),
        Ok(Some("n:1".to_owned()))
    );
}

#[test]
fn a_map_is_replaced_as_a_whole() {
    let before = || stored(&[("m.x", "1"), ("a", "1"), ("m.y", "2")], &[]);
    let changed = |changes| updated(&unstructured(), before(), changes);
    assert_eq!(
        changed(r#""m":{"z":3,"y":2}"#),
        Ok(Some("m.z:3 m.y:2 a:1".to_owned()))
    );
    let declared = stored(&[("map", r#"{"a":1,"b":2}"#)], &[]);
    assert_eq!(
        updated(&structured(), declared, r#""map":{"c":3}"#),
        Ok(Some(r#"map:{"c":3}"#.to_owned()))
    );
}

#[test]
fn an_object_is_a_geo_point_where_the_field_holds_one_or_is_known_for_them() {
    let point = ("home", r#"{"lat":48.1,"lon":11.5}"#);
    let of_point = |changes| updated(&unstructured(), stored(&[point], &[]), changes);
    assert_eq!(
        of_point(r#""home":{"lon":2,"lat":1.5}"#),
        Ok(Some(r#"home:{"lat":1.5,"lon":2}"#.to_owned()))
    );
    assert_eq!(of_point(r#""home":{"lat":48.1,"lon":11.5}"#), Ok(None));
    assert_eq!(of_point(r#""home":null"#), Ok(Some(String::new())));
    assert_eq!(
        of_point(r#""place":{"lat":1,"lon":2}"#),
        Ok(Some(format!(
            "home:{} place:{}",
            point.1, r#"{"lat":1,"lon":2}"#
        )))
    );
    // A map where nothing says otherwise.
    assert_eq!(
        of_point(r#""map":{"lat":1,"lon":2}"#),
        Ok(Some(format!("home:{} map.lat:1 map.lon:2", point.1)))
    );
    let with_map = stored(&[("place.lat", "1.0")], &[]);
    assert_eq!(
        updated(&unstructured(), with_map, r#""place":{"lat":3.0}"#),
        Ok(Some("place.lat:3.0".to_owned()))
    );
    for (change, reason) in [
        (
            r#""home":{"lat":91,"lon":0}"#,
            "Field 'home': a latitude is -90 to 90 degrees",
        ),
        (
            r#""home":{"lat":1}"#,
            "Field 'home' holds geo points, and {'lat': 1} is none. Expected an object",
        ),
        (r#""place":{"x":1}"#, "Field 'place' holds geo points"),
        (
            r#""home":5"#,
            "is of type geo_point, and an update cannot change that to int",
        ),
    ] {
        let message = of_point(change).unwrap_err();
        assert!(message.contains(reason), "{message}");
    }
}

#[test]
fn a_field_keeps_its_type_but_numbers_may_be_whole_or_broken() {
    for (changes, place, old, new) in [
        (r#""n":true"#, "n", "int", "bool"),
        (r#""n":{"x":1}"#, "n", "int", "dict"),
        (r#""b":1"#, "b", "bool", "int"),
        (r#""color":1"#, "color", "str", "int"),
        (r#""m":1"#, "m", "dict", "int"),
        (r#""tags":"a","title":"t""#, "tags", "list", "str"),
        (r#""f":true"#, "f", "float", "bool"),
        (r#""b":1.5"#, "b", "bool", "float"),
    ] {
        let mut known = known();
        known.texts.insert("tags");
        let document = format!(r#"{{"_id":"1",{changes}}}"#);
        let update = check(&unstructured(), &document).remove(0).unwrap();
        let refused = update.merge(&unstructured(), sample(), &known).unwrap_err();
        let expected = format!(
            "Field '{place}' of this document is of type {old}, and an update cannot change that to {new}"
        );
        assert!(refused.message.starts_with(GENERIC), "{}", refused.message);
        assert!(refused.message.ends_with(&expected), "{}", refused.message);
    }
    let taken = of_sample(r#""f":2,"g":{"x":3,"y":4},"mixed":{"f":2,"new":1,"other":1.5}"#);
    let expected = r#"n:1 color:"red" m.x:1 f:2.0 m.y:2 b:true g.x:3.0 g.y:4.0 tags:["a"] mixed.f:2.0 mixed.new:1 mixed.other:1.5"#;
    assert_eq!(taken, Ok(Some(expected.to_owned())));
    let taken = of_sample(r#""n":19.99,"m":{"x":1.5,"new":2.5},"mixed":{"i":1.5}"#);
    let fields = taken.unwrap().unwrap();
    for changed in ["n:19.99", "m.x:1.5", "m.new:2.5", "mixed.i:1.5"] {
        assert!(fields.split(' ').any(|field| field == changed), "{fields}");
    }
    // An integer that no float is stays exact in a field of floats too.
    let taken = of_sample(r#""f":9007199254740993,"g":{"x":-9223372036854775807}"#);
    let fields = taken.unwrap().unwrap();
    for exact in ["f:9007199254740993", "g.x:-9223372036854775807"] {
        assert!(fields.split(' ').any(|field| field == exact), "{fields}");
    }
    // An integer of 64 bits stays exact.
    let exact = of_sample(r#""n":9007199254740993"#).unwrap().unwrap();
    assert!(exact.contains("n:9007199254740993"), "{exact}");
}

#[test]
fn texts_and_lists_are_taken_where_the_index_has_seen_some() {
    assert!(of_sample(r#""title":"t""#).is_ok());
    assert_eq!(
        of_sample(r#""brand":"b""#).unwrap_err(),
        "brand of type str does not exist in the original document. Marqo does not support adding new lexical fields in partial updates"
    );
    let only_lists =
        "Unstructured index updates only support updating existing string array fields";
    for changes in [
        r#""sizes":["a"]"#,
        r#""sizes":[]"#,
        r#""tags":["a",1]"#,
        r#""tags":[1]"#,
    ] {
        let refused = of_sample(changes).unwrap_err();
        assert!(refused.starts_with(only_lists), "{refused}");
    }
    assert!(of_sample(r#""tags":[]"#).is_ok());
    let own = stored(&[("sizes", "[]")], &[]);
    assert_eq!(
        updated(&unstructured(), own, r#""sizes":["a"]"#),
        Ok(Some(r#"sizes:["a"]"#.to_owned()))
    );
}

#[test]
fn fields_behind_a_vector_stay() {
    let weights = r#"{"image":0.5,"caption":0.5}"#;
    let tensors = [
        tensor("title", TensorKind::Text, ""),
        tensor("own", TensorKind::Vector, ""),
        tensor("mm", TensorKind::Multimodal, weights),
    ];
    let before = || stored(&[("title", r#""t""#), ("caption", r#""c""#)], &tensors);
    for (changes, reason) in [
        (
            r#""title":"new""#,
            "Field 'title' is a tensor field of this document",
        ),
        (
            r#""title":null"#,
            "Field 'title' is a tensor field of this document",
        ),
        (
            r#""own":null"#,
            "Field 'own' is a tensor field of this document",
        ),
        (
            r#""mm":1"#,
            "Field 'mm' is a multimodal combination field of this document",
        ),
        (
            r#""caption":"d""#,
            "Field 'caption' is part of the multimodal combination field 'mm' of this document",
        ),
        (
            r#""image":1"#,
            "Field 'image' is part of the multimodal combination field 'mm' of this document",
        ),
        (
            r#""sku":"x""#,
            "Field 'sku' groups the documents of this index and cannot be changed by an update",
        ),
    ] {
        let refused = updated(&unstructured(), before(), changes).unwrap_err();
        assert!(refused.starts_with(GENERIC), "{refused}");
        assert!(refused.ends_with(reason), "{refused}");
    }
    assert!(updated(&unstructured(), before(), r#""n":1"#).is_ok());
}

#[test]
fn declared_fields_behind_a_vector_stay_and_others_keep_to_their_type() {
    let declared = || stored(&[("n", "1"), ("f", "1.0")], &[]);
    let changed = |changes| updated(&structured(), declared(), changes);
    let dependent = "this is a dependent field of a multimodal combination field";
    for (changes, refusal) in [
        (r#""title":"t""#, "You cannot modify 'title' field as this is a tensor field".into()),
        (r#""title":null"#, "You cannot modify 'title' field as this is a tensor field".into()),
        (r#""own":1"#, "You cannot modify 'own' field as this is a tensor field".into()),
        (r#""whole":1"#, "You cannot modify 'whole' field as this is a tensor field".into()),
        (r#""part":"p""#, format!("You cannot modify 'part' field as {dependent}")),
        (
            r#""a.b":1"#,
            "Invalid field name a.b for index i. Valid field names are title, note, part, whole, own, n, f, b, tags, map".into(),
        ),
        (
            r#""n":1.0"#,
            "Invalid value 1.0 for field n with Marqo type int. Expected a value of type <class 'int'>, but found <class 'float'>".into(),
        ),
        (
            r#""b":1"#,
            "Invalid value 1 for field b with Marqo type bool. Expected a value of type <class 'bool'>, but found <class 'int'>".into(),
        ),
    ] {
        assert_eq!(changed(changes), Err(refusal), "{changes}");
    }
    let all = r#""note":"new","n":2,"f":3,"b":true,"tags":["a"],"map":{"a":1}"#;
    let expected = r#"n:2 f:3.0 note:"new" b:true tags:["a"] map:{"a":1}"#;
    assert_eq!(changed(all), Ok(Some(expected.to_owned())));
}

#[test]
fn a_document_is_named_by_an_id_that_one_can_have() {
    let refused = |document: &str| {
        let error = check(&unstructured(), document).remove(0).unwrap_err();
        (error.id, error.message)
    };
    let (id, message) = refused(r#"{"a":1}"#);
    assert_eq!(
        (id, message.as_str()),
        (None, "'_id' is a required field but it does not exist")
    );
    let (id, message) = refused(r#"{"_id":5}"#);
    assert_eq!(id.as_deref(), Some("5"));
    assert!(
        message.starts_with("Document _id must be a string type! Received _id 5 of type `int`")
    );
    let (id, message) = refused(r#"{"_id":""}"#);
    assert_eq!(
        (id.as_deref(), message.as_str()),
        (Some(""), "Document ID can't be empty")
    );
    let (id, message) = refused(r#"{"_id":"1","a b":1}"#);
    assert_eq!(id.as_deref(), Some("1"));
    assert!(
        message.starts_with("\"a b\": Field name must match"),
        "{message}"
    );
}

#[test]
fn the_last_of_documents_with_one_id_counts_but_a_number_is_no_id() {
    let checked = check(
        &unstructured(),
        r#"{"_id":"1","a":1},{"_id":"2"},{"_id":"1","a":"b","c.d":1},{"_id":2}"#,
    );
    let ids = checked.iter().map(|update| match update {
        Ok(update) => (true, update.id.as_str()),
        Err(error) => (false, error.id.as_deref().unwrap_or("")),
    });
    let ids: Vec<_> = ids.collect();
    assert_eq!(ids, [(true, "2"), (false, "1"), (false, "2")]);
}

#[test]
fn the_values_of_a_map_are_told_as_updates_tell_them() {
    let refused = of_sample(r#""m":{"x":"text"}"#).unwrap_err();
    assert!(
        refused.starts_with("Unsupported field type <class 'str'> for field m in doc 1. We only support int and float types for map values when updating a document"),
        "{refused}"
    );
    let refused = of_sample(r#""m":{"x":9223372036854775808}"#).unwrap_err();
    assert!(refused.contains("signed 64-bit range"), "{refused}");
}

#[test]
fn a_document_grows_no_larger_than_one_may_be_and_may_shrink_whatever_it_is() {
    let long = format!("\"{}\"", "x".repeat(400));
    let changed = |before: &[(&str, &str)], changes: &str| {
        updated(&unstructured(), stored(before, &[]), changes)
    };
    let refused = changed(&[], &format!(r#""title":{long}"#)).unwrap_err();
    assert!(
        refused.ends_with("exceeds the allowed document size limit of [300]."),
        "{refused}"
    );
    let half = format!("\"{}\"", "x".repeat(150));
    let refused = changed(&[("a", &half)], &format!(r#""title":{half}"#)).unwrap_err();
    assert!(
        refused.starts_with("Document _id:`1` with length `3"),
        "{refused}"
    );
    assert!(changed(&[("a", &long), ("n", "10")], r#""n":1"#).is_ok());
    assert!(changed(&[("a", &long), ("n", "10")], r#""n":100"#).is_err());
    let fields: Vec<String> = (0..1000).map(|n| format!("f{n}")).collect();
    let fields: Vec<(&str, &str)> = fields.iter().map(|name| (name.as_str(), "1")).collect();
    let refused = changed(&fields, r#""new":1"#).unwrap_err();
    assert!(
        refused.starts_with("A document has at most 1000 fields"),
        "{refused}"
    );
}

#[test]
fn a_document_gets_a_new_version_only_where_a_text_that_is_searched_changes() {
    let is_revised = |schema: &DocumentSchema, before, changes: &str| {
        let document = format!(r#"{{"_id":"1",{changes}}}"#);
        let update = check(schema, &document).remove(0).unwrap();
        match update.merge(schema, before, &known()).unwrap() {
            Updated::Revised(_) => true,
            Updated::Replaced(_) => false,
            Updated::Unchanged { .. } => panic!("{changes} is a change"),
        }
    };
    for (changes, revised) in [
        (
            r#""n":2,"f":2,"b":false,"m":{"z":1},"tags":["b"],"new":1"#,
            true,
        ),
        (r#""n":null,"m":null,"tags":null"#, true),
        (r#""n":2,"color":"blue""#, false),
        (r#""color":null"#, false),
        (r#""title":"t""#, false),
    ] {
        assert_eq!(
            is_revised(&unstructured(), sample(), changes),
            revised,
            "{changes}"
        );
    }
    let declared = || stored(&[("note", r#""x""#), ("n", "1")], &[]);
    assert!(is_revised(
        &structured(),
        declared(),
        r#""n":2,"map":{"a":1}"#
    ));
    assert!(!is_revised(&structured(), declared(), r#""tags":["a"]"#));
    assert!(!is_revised(&structured(), declared(), r#""note":null"#));
}

/// An update of document 1 by an add that keeps other fields; its texts have tensors, but for `note` and `sku`.
fn embedded(schema: &DocumentSchema, fields: &str) -> Result<DocumentUpdate, ItemError> {
    let body = format!(r#"{{"documents":[{{"_id":"1",{fields}}}]}}"#);
    let batch = split_documents(body.into_bytes()).unwrap();
    let options = match schema.structured() {
        Some(_) => r#"{"keepsOtherFields": true}"#,
        None => r#"{"keepsOtherFields": true, "nonTensorFields": ["note", "sku"]}"#,
    };
    let nothing = |_: &str| Ok::<_, DocumentsError>(None);
    let prepared = PreparedDocuments::prepare(schema, &batch, options.as_bytes(), nothing);
    let (prepared, inputs) = prepared.unwrap();
    assert!(prepared.keeps_other_fields());
    let vectors = vec![2.0; inputs.len()];
    let vectors = EmbeddedInputs {
        vectors: &vectors,
        ..EmbeddedInputs::default()
    };
    let mut updates = prepared.updates_with_vectors(schema, vectors).unwrap();
    updates.remove(0)
}

/// The fields and tensors that document 1 has after such an update.
fn with_embedded(
    schema: &DocumentSchema,
    before: &[(&str, &str)],
    tensors: &[FieldTensors],
    changes: &str,
) -> Result<String, String> {
    let merged = embedded(schema, changes)
        .and_then(|one| one.merge(schema, stored(before, tensors), &known()));
    match merged.map_err(|refused| refused.message)? {
        Updated::Unchanged { .. } => Ok("unchanged".to_owned()),
        Updated::Revised(_) => Ok("revised".to_owned()),
        Updated::Replaced(replacement) => Ok(shown(&replacement.with_tensors(tensors.to_vec()))),
    }
}

/// A document's fields, then the first number of each of its tensors.
fn shown(document: &ReadyDocument) -> String {
    let read = StoredDocument::decode(&document.document).unwrap();
    let fields = read
        .fields
        .iter()
        .map(|(name, json)| format!("{name}:{json}"));
    let tensors = document.tensors.iter();
    let tensors = tensors.map(|tensor| format!("{}={}", tensor.field, tensor.vectors[0]));
    fields.chain(tensors).collect::<Vec<_>>().join(" ")
}

#[test]
fn an_embedded_update_replaces_the_tensors_of_its_fields_and_keeps_the_others() {
    let before = [("title", r#""t""#), ("kept", r#""k""#), ("n", "1")];
    let tensors = ["title", "kept"].map(|field| tensor(field, TensorKind::Text, ""));
    for (changes, expected) in [
        (
            r#""title":"new""#,
            r#"title:"new" kept:"k" n:1 kept=1 title=2"#,
        ),
        (
            r#""unseen":"new""#,
            r#"title:"t" kept:"k" n:1 unseen:"new" title=1 kept=1 unseen=2"#,
        ),
        (r#""title":null"#, r#"kept:"k" n:1 kept=1"#),
        (
            r#""note":"x","m":{"a":1,"b":2}"#,
            r#"title:"t" kept:"k" n:1 note:"x" m.a:1 m.b:2 title=1 kept=1"#,
        ),
        (r#""n":2"#, "revised"),
        (r#""n":1"#, "unchanged"),
        (r#""nothing":null"#, "unchanged"),
    ] {
        let merged = with_embedded(&unstructured(), &before, &tensors, changes);
        assert_eq!(merged.as_deref(), Ok(expected), "{changes}");
    }
    let declared = with_embedded(
        &structured(),
        &before[..1],
        &tensors[..1],
        r#""title":"new","n":2"#,
    );
    assert_eq!(declared.as_deref(), Ok(r#"title:"new" n:2 title=2"#));
}

#[test]
fn an_embedded_update_changes_no_part_of_a_combination_no_type_and_no_group() {
    let whole = [tensor("mm", TensorKind::Multimodal, r#"{"caption":1}"#)];
    let before = [("caption", r#""c""#), ("n", "1"), ("sku", r#""s""#)];
    for (changes, part) in [
        (
            r#""caption":"x""#,
            "part of the multimodal combination field 'mm'",
        ),
        (r#""mm":"x""#, "'mm' is a multimodal combination field"),
        (r#""n":"x""#, "cannot change that to str"),
        (r#""sku":"x""#, "'sku' groups the documents"),
        (r#""sku":null"#, "'sku' groups the documents"),
    ] {
        let refused = with_embedded(&unstructured(), &before, &whole, changes).unwrap_err();
        assert!(refused.contains(part), "{changes}: {refused}");
    }
    for (changes, part) in [
        (r#""part":"x""#, "'part' field as this is a dependent field"),
        (r#""whole":null"#, "whole is a multimodal combination field"),
    ] {
        let refused = with_embedded(&structured(), &[], &[], changes).unwrap_err();
        assert!(refused.contains(part), "{changes}: {refused}");
    }
}

#[test]
fn an_embedded_update_of_nothing_is_the_document_itself() {
    let create = |schema: &DocumentSchema, fields: &str| {
        let created = embedded(schema, fields).and_then(|one| one.create(schema));
        created.map(|document| shown(&document))
    };
    let schema = unstructured();
    let created = create(&schema, r#""sku":"s","title":"t","m":{"a":1}"#);
    assert_eq!(created, Ok(r#"sku:"s" title:"t" m.a:1 title=2"#.to_owned()));
    for (fields, part) in [
        (r#""title":"t""#, "missing required field 'sku'"),
        (r#""sku":"s","n":null"#, "The field is 'n'"),
    ] {
        let refused = create(&schema, fields).unwrap_err();
        assert_eq!(refused.id.as_deref(), Some("1"));
        assert!(refused.message.contains(part), "{}", refused.message);
    }
    let declared = create(&structured(), r#""part":"p","title":"t""#);
    assert_eq!(
        declared,
        Ok(r#"part:"p" title:"t" title=2 whole=1"#.to_owned())
    );
}

#[test]
fn a_document_of_many_fields_takes_no_more_than_its_length() {
    let entries = |len: usize, value: usize| {
        let entries = (0..len).map(|n| format!(r#""k{n}":{value}"#));
        entries.collect::<Vec<_>>().join(",")
    };
    let inputs = |len| {
        let fields: Vec<String> = (0..len)
            .flat_map(|n| [format!("f{n}"), format!("m.k{n}")])
            .collect();
        let fields: Vec<(&str, &str)> = fields.iter().map(|name| (name.as_str(), "1")).collect();
        let parts = entries(len, 1);
        let whole = tensor("whole", TensorKind::Multimodal, &format!("{{{parts}}}"));
        let changes = (0..len).map(|n| format!(r#""f{n}":2"#));
        let changes = changes.collect::<Vec<_>>().join(",");
        let document = format!(r#"{{"_id":"1","m":{{{}}},{changes}}}"#, entries(len, 2));
        let body = format!(r#"{{"documents":[{document}]}}"#).into_bytes();
        let fields: Vec<Field> = fields
            .iter()
            .map(|(name, json)| Field::read(name, json).unwrap())
            .collect();
        let tensors = encode_tensors(&[whole], NumericType::Float);
        (body, encode_document("1", &fields), tensors)
    };
    let work = |(body, document, tensors): &(Vec<u8>, Vec<u8>, Vec<u8>)| {
        let schema = unstructured();
        let batch = split_documents(body.clone()).unwrap();
        let update = check_updates(&schema, &batch, &UpdateOptions::default())
            .unwrap()
            .remove(0);
        let stored = StoredFields::decode(document, tensors, 1).unwrap();
        // Larger than a document may be: that is found out last.
        let merged = update.unwrap().merge(&schema, stored, &known());
        assert!(merged.unwrap_err().message.contains("at most 1000 fields"));
    };
    pelorus_growth::assert_linear("fields of an update", 1_000, inputs, work);
}
