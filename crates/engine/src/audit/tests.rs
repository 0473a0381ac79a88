#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use pelorus_documents::{FieldTensors, TensorKind};

use super::Structure;
use super::figures::AuditCounts;
use super::round::{Progress, Round};
use crate::background::maintenance::tests::index_of_vectors;
use crate::error::EngineError;
use crate::generated::{AuditFigures, EmbeddingReport, Severity};
use crate::index::Index;
use crate::write::add_batch::PreparedBatch;
use crate::write::job::Job;

/// An index of the documents `a`, `b` and `c`, of which `b` was replaced once.
fn three(directory: &Path) -> Arc<Index> {
    let (index, _) = index_of_vectors(directory, 0);
    for id in ["a", "b", "b", "c"] {
        put(&index, id);
    }
    index.reclaim();
    assert!(!index.views.has_retired());
    index
}

fn put(index: &Arc<Index>, id: &str) {
    let body = format!(
        r#"{{"documents": [{{"_id": "{id}", "text": "words of {id}", "price": 1,
            "v": {{"vector": [1, 2], "content": ""}}}}]}}"#
    );
    let options = r#"{"tensorFields": ["v"], "mappings": {"v": {"type": "custom_vector"}},
        "useExistingTensors": false, "textChunkPrefix": "", "maxDocBytes": 100000}"#;
    let batch = crate::split_documents(body.into_bytes()).unwrap();
    let (prepared, _) = PreparedBatch::prepare(index.clone(), &batch, options.as_bytes()).unwrap();
    let respond = prepared.response();
    let report: EmbeddingReport = serde_json::from_str(r#"{"failures": [], "parts": []}"#).unwrap();
    let (items, words) = prepared.with_vectors(&[], report).unwrap();
    let (done, answered) = std::sync::mpsc::channel();
    index.writes().unwrap().submit(Job::Put {
        within: None,
        items,
        words: words.map(Box::new),
        respond,
        done: Box::new(move |answer| done.send(answer.map(|answer| answer.success)).unwrap()),
    });
    assert_eq!(answered.recv().unwrap().unwrap(), 1);
}

/// Audits an index, and tells in which structures how many documents differ.
fn audited(index: &Arc<Index>) -> Vec<(Structure, usize)> {
    let counts = AuditCounts::default();
    let mut round = Round::of(index).unwrap();
    let progress = loop {
        match round.slice(index, &counts, Instant::now()) {
            Progress::More => {}
            progress => break progress,
        }
    };
    let AuditFigures { differences, .. } = AuditFigures::from(&counts);
    let of = |structure| match structure {
        Structure::Ordinals => differences.ordinals,
        Structure::Columns => differences.columns,
        Structure::Text => differences.text,
        Structure::Vectors => differences.vectors,
        Structure::Graph => differences.graph,
    };
    let found = Structure::ALL.map(|structure| (structure, of(structure)));
    let found: Vec<_> = found.into_iter().filter(|(_, count)| *count > 0).collect();
    let expected = match found.is_empty() {
        true => Progress::Passed,
        false => Progress::Differed,
    };
    assert_eq!(progress, expected);
    found
}

fn tensors() -> [FieldTensors; 1] {
    [FieldTensors {
        field: "v".into(),
        kind: TensorKind::Vector,
        weights: String::new(),
        chunks: vec![String::new()],
        vectors: vec![1.0, 2.0],
    }]
}

#[test]
fn each_structure_that_lacks_a_document_or_has_one_more_is_found() {
    // Ordinal 1 is the replaced version of `b`, 2 the living one.
    type Plant = fn(&Index);
    let planted: [(Structure, Plant); 8] = [
        (Structure::Columns, |index| index.columns.write().remove(2)),
        (Structure::Columns, |index| {
            index.columns.write().insert(1, "b", &[]);
        }),
        (Structure::Columns, |index| {
            let price = ("price".to_owned(), pelorus_columns::FieldValue::Int(2));
            index.columns.write().insert(3, "c", &[price]);
        }),
        (Structure::Text, |index| {
            index.lexical.remove(0);
            index.lexical.publish();
        }),
        (Structure::Vectors, |index| index.vectors.remove(&[0])),
        (Structure::Vectors, |index| {
            index.vectors.insert(1, &tensors()).unwrap();
        }),
        (Structure::Vectors, |index| {
            // A second chunk of the same document.
            index.vectors.insert(3, &tensors()).unwrap();
        }),
        (Structure::Vectors, |index| {
            let mut tensors = tensors();
            tensors[0].field = "w".into();
            index.vectors.insert(3, &tensors).unwrap();
        }),
    ];
    for (at, (structure, plant)) in planted.into_iter().enumerate() {
        let directory = tempfile::tempdir().unwrap();
        let index = three(directory.path());
        assert_eq!(audited(&index), [], "of {at}");
        assert!(index.status().is_none());
        plant(&index);
        assert_eq!(audited(&index), [(structure, 1)], "of {at}");
        let (severity, error) = index.status().unwrap();
        let expected = format!("1 documents differ from what is stored, in {structure}");
        assert!(
            matches!(&error, EngineError::Distrusted { reason } if *reason == expected),
            "{error}"
        );
        assert_eq!(severity, Severity::Yellow);
        index.close();
    }
}

#[test]
fn dead_versions_that_a_reader_may_see_are_no_difference() {
    let directory = tempfile::tempdir().unwrap();
    let index = three(directory.path());
    let reader = index.views.load();
    put(&index, "a");
    assert!(index.views.has_retired());
    assert_eq!(audited(&index), []);
    drop(reader);
    index.reclaim();
    assert_eq!(audited(&index), []);
    index.close();
}
