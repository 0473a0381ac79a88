//! A document on its way to a cluster and back.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use pelorus_columns::{Schema, TypedRules};
use pelorus_documents::{
    DocumentSchema, DocumentsError, EmbeddedInputs, IndexKind, PreparedDocuments, ReadyDocument,
    StoredDocument, split_documents,
};
use pelorus_hnsw::NumericType;
use pelorus_opensearch::{DocumentWriter, Facts, MappedIndex, StoredSource, id_term, key};
use pelorus_text::{ChunkMethod, ChunkSpec};
use serde_json::{Value, json};

const DIMENSIONS: usize = 2;

/// A document with the vector `[row, 0.1]` for each of its inputs.
fn ready(document: &Value) -> ReadyDocument {
    let schema = DocumentSchema {
        index: "a".to_owned(),
        kind: IndexKind::Unstructured {
            filter_string_max_length: 50,
            collapse_field: None,
        },
        model: "random/small".to_owned(),
        embeds: true,
        dimensions: DIMENSIONS,
        normalize: false,
        refuses_zero_vectors: false,
        numbers: NumericType::Float,
        chunks: ChunkSpec::new(ChunkMethod::Sentence, 1, 0).expect("a chunk is a sentence"),
        media_images: false,
        media_all: false,
    };
    let body = json!({ "documents": [document] }).to_string();
    let batch = split_documents(body.into_bytes()).expect("the body is JSON");
    let options = br#"{"tensorFields": ["title", "a_b"], "mappings": {
        "place": {"type": "geo_point"}, "splade": {"type": "sparse_vector"}}}"#;
    let nothing = |_: &str| Ok::<_, DocumentsError>(None);
    let (prepared, inputs) = PreparedDocuments::prepare(&schema, &batch, options, nothing)
        .expect("the options are read");
    let vectors: Vec<f32> = (0..inputs.len())
        .flat_map(|row| [row as f32, 0.1])
        .collect();
    let embedded = EmbeddedInputs {
        vectors: &vectors,
        ..EmbeddedInputs::default()
    };
    let mut documents = prepared
        .with_vectors(&schema, embedded)
        .expect("each input has its vector");
    documents.remove(0).expect("the document is taken")
}

/// The lines of the document in a bulk body.
fn written(document: &ReadyDocument, facts: Facts) -> [Value; 2] {
    let rules = TypedRules::new(Schema::Unstructured {
        filter_string_max_length: 50,
        collapse_field: None,
    });
    let mut body = DocumentWriter::new(&rules, facts).write(document);
    assert_eq!(body.pop(), Some(b'\n'), "a bulk body ends with a line");
    let lines: Vec<Value> = body
        .split(|byte| *byte == b'\n')
        .map(|line| serde_json::from_slice(line).expect("each line is JSON"))
        .collect();
    lines.try_into().expect("a document has two lines")
}

/// The facts of a mapping with these properties.
fn mapped(properties: &Value) -> Facts {
    let definition = json!({
        "settings": {
            "type": "unstructured", "model": "random/small",
            "textPreprocessing": {"splitLength": 1, "splitOverlap": 0, "splitMethod": "sentence"},
            "annParameters": {"spaceType": "dotproduct", "parameters": {"efConstruction": 8, "m": 4}},
        },
        "resolved": {"dimensions": DIMENSIONS},
    });
    let meta = json!({"pelorus": {"name": "a", "id": "1", "definition": definition.to_string()}});
    let mapping = json!({"_meta": meta, "properties": properties}).to_string();
    let index = MappedIndex::read(mapping.as_bytes(), b"{}").expect("the mapping is one of ours");
    index.facts
}

#[test]
fn a_document_has_words_and_values_by_field_and_type() {
    let document = ready(&json!({
        "_id": "id/1", "title": "Red dogs. 手机", "tags": ["A", "b"], "year": 9_007_199_254_740_993_i64,
        "price": 9.5, "shown": true, "day": "2024-02-29", "map": {"key": 1},
    }));
    let [action, source] = written(&document, Facts::default());
    assert_eq!(action, json!({"index": {"_id": "iid/1"}}));
    assert_eq!(source["id"], "id/1");
    assert_eq!(source["words"]["title"], json!(["red dog 手 机\u{1}手机"]));
    let terms = source["values"]
        .as_array()
        .expect("values are a list of terms");
    let has = |term: &str| terms.iter().any(|one| one == term);
    assert!(has(&id_term("id/1")), "{terms:?}");
    for term in [
        "t4:tags:=a",
        "t4:tags:=b",
        "t3:day:=2024-02-29",
        "b5:shown:1",
    ] {
        assert!(has(term), "{term} of {terms:?}");
    }
    let starts = |start: &str| {
        terms
            .iter()
            .any(|one| one.as_str().is_some_and(|one| one.starts_with(start)))
    };
    for start in ["m3:day:", "f5:price:", "i7:map.key:"] {
        assert!(starts(start), "{start} of {terms:?}");
    }
    assert!(has(&format!(
        "i4:year:{:016x}",
        9_007_199_254_740_993_u64 | 1 << 63
    )));
}

#[test]
fn places_and_sparse_vectors_are_packed_where_the_mapping_has_a_field_for_them() {
    let document = ready(&json!({
        "_id": "1", "place": {"lat": -0.000_000_1, "lon": 11.5},
        "splade": {"indices": [258, 4_294_967_295_u32], "values": [2, 0.5]},
    }));
    let packed = mapped(&json!({"points": {"type": "binary"}, "sparse": {"type": "binary"}}));
    let [_, source] = written(&document, packed);
    let bytes = |list: &Value| -> Vec<u8> {
        let text = list[0].as_str().expect("one value is packed");
        STANDARD.decode(text).expect("it is base64")
    };
    let point = [
        &b"\0\0\0\x05place\xff\xff\xff\xff"[..],
        &115_000_000_i32.to_be_bytes(),
    ]
    .concat();
    assert_eq!(bytes(&source["points"]), point);
    let sparse = b"\0\0\0\x06splade\0\0\x01\x02\x40\0\0\0\xff\xff\xff\xff\x3f\0\0\0";
    assert_eq!(bytes(&source["sparse"]), sparse);
    let terms = source["values"].as_array().expect("values are terms");
    for term in [
        "o5:place:",
        "y5:place:7fffffff",
        "x5:place:86dac2c0",
        "n6:splade:102",
        "n6:splade:ffffffff",
    ] {
        assert!(terms.iter().any(|one| one == term), "{term} of {terms:?}");
    }
    let [_, before] = written(&document, Facts::default());
    assert_eq!(
        (&before["points"], &before["sparse"]),
        (&Value::Null, &Value::Null)
    );
}

#[test]
fn ids_of_any_length_have_keys_that_fit() {
    assert_eq!(key("a/b é"), "ia/b é");
    assert_eq!(key("e\u{301}"), key("é"), "they are one id");
    let long = "é".repeat(251);
    assert_eq!(key(&long).len(), 65);
    assert_ne!(key(&long), key(&format!("{long}x")));
    assert_eq!(key(&"x".repeat(500)).len(), 501);
}

#[test]
fn a_field_is_analysed_as_a_request_has_set_it() {
    let document = ready(&json!({"_id": "1", "note": "dogs"}));
    let [_, source] = written(
        &document,
        mapped(&json!({"facts": {"properties": {
            "text-note": {"type": "constant_keyword", "value": "{\"stemming\":\"none\"}"},
        }}})),
    );
    assert_eq!(source["words"]["note"], json!(["dogs"]));
}

#[test]
fn a_document_reads_back_with_its_tensors() {
    let document = ready(&json!({"_id": "é", "title": "One. Two.", "n": 1}));
    let [_, source] = written(&document, Facts::default());
    let source: StoredSource = serde_json::from_value(source).expect("the parts are there");
    let bytes = source.document().expect("the stored form is whole");
    assert_eq!(bytes, document.document);
    assert_eq!(
        StoredDocument::decode(&bytes).expect("it reads back").id,
        "é"
    );
    assert_eq!(
        source
            .tensors(DIMENSIONS)
            .expect("every chunk has its vector"),
        document.tensors
    );
}

#[test]
fn a_vector_of_another_length_is_refused() {
    let document = ready(&json!({"_id": "1", "title": "One."}));
    let [_, source] = written(&document, Facts::default());
    let source: StoredSource = serde_json::from_value(source).expect("the parts are there");
    assert!(source.tensors(DIMENSIONS + 1).is_err());
}

#[test]
fn the_mapping_tells_what_documents_have_told() {
    let document = ready(&json!({
        "_id": "1", "title": "Hunde", "a_b": "One.", "tags": ["x", "2024"], "n": 5, "on": true, "day": "2024-02-29",
    }));
    let rules = TypedRules::new(Schema::Unstructured {
        filter_string_max_length: 50,
        collapse_field: None,
    });
    let mut writer = DocumentWriter::new(&rules, Facts::default());
    writer.write(&document);
    let told = writer.facts;
    let lacking = told.beyond(&Facts::default()).expect("nothing is known");
    let mut lacking: Value = serde_json::from_slice(&lacking).expect("it is JSON");
    assert_eq!(lacking["tensors"], json!(["chunks_a_5fb", "chunks_title"]));
    assert_eq!(lacking["words"], json!(["a_5fb", "day", "title"]));
    let mut properties = json!({"facts": {"properties": lacking["facts"].take()}});
    for name in ["chunks_title", "chunks_a_5fb"] {
        properties[name] = json!({"type": "nested"});
    }
    let read = mapped(&properties);
    assert_eq!(read, told);
    assert_eq!(told.beyond(&read), None);
}
