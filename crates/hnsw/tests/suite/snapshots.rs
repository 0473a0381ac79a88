//! An index that was saved and opened finds the same as before, and memory comes back after
//! removals.

use std::fs;
use std::path::Path;

use crate::support::{Clustered, params, recall, search, settle};
use pelorus_hnsw::{HnswParams, Metric, NumericType, SnapshotError, VectorHit, VectorIndex};
use pelorus_kernels::BitSet;

const COUNT: u32 = 4_000;
const DIM: usize = 64;

fn numbered(numeric: NumericType) -> HnswParams {
    HnswParams {
        numeric,
        ..params(DIM, Metric::PrenormalizedAngular)
    }
}

/// An index of `COUNT` documents, every tenth of which has two equal chunks, all linked.
fn filled(params: HnswParams, folder: &Path, data: &mut Clustered) -> VectorIndex {
    let index = VectorIndex::create(params, folder).expect("a folder to write to");
    for doc in 0..COUNT {
        let vector = data.draw();
        index.push(&vector, doc, 0).expect("a folder to write to");
        if doc % 10 == 0 {
            index.push(&vector, doc, 1).expect("a folder to write to");
        }
    }
    settle(&index);
    index
}

fn answers(index: &VectorIndex, queries: &[Vec<f32>], accept: &BitSet) -> Vec<Vec<VectorHit>> {
    let p = search(10, accept, accept.len());
    queries
        .iter()
        .map(|q| index.search(q, &p, accept))
        .collect()
}

fn draw(data: &mut Clustered, count: usize) -> Vec<Vec<f32>> {
    (0..count).map(|_| data.draw()).collect()
}

#[test]
fn saved_vectors_are_found_again_and_others_are_forgotten() {
    for numeric in NumericType::ALL {
        let folder = tempfile::tempdir().unwrap();
        let (mut data, params) = (Clustered::new(DIM, 21), numbered(numeric));
        let index = filled(params.clone(), folder.path(), &mut data);
        (0..200).for_each(|doc| index.remove(doc));
        settle(&index);
        let queries = draw(&mut data, 40);
        let accept: BitSet = (200..COUNT).collect();
        let before = answers(&index, &queries, &accept);
        index.save(COUNT).unwrap();
        assert_eq!(index.unsaved(), 0);
        // Some documents that come later, but of the same commit, may already be there.
        index.push(&data.draw(), COUNT, 0).unwrap();
        index.save(COUNT).unwrap();
        index.push(&data.draw(), COUNT + 1, 0).unwrap();
        let (len, memory) = (index.len(), index.memory_bytes());
        drop(index);
        let saved = fs::metadata(folder.path().join("graph.snapshot")).unwrap();
        // Two bytes a link and eight a node: codes alone would be more.
        let links = 2 * params.m as u64;
        assert!(
            saved.len() < u64::from(COUNT) * (2 * links + 8),
            "{saved:?}"
        );

        let (index, watermark) = VectorIndex::open(params, folder.path()).unwrap();
        assert_eq!((watermark, index.len()), (COUNT, len - 2));
        assert!(!index.docs().contains(&COUNT));
        assert_eq!(answers(&index, &queries, &accept), before);
        assert!(index.memory_bytes().abs_diff(memory) * 20 < memory);
        // It grows on from there.
        for doc in COUNT..COUNT + 2_000 {
            index.push(&data.draw(), doc, 0).unwrap();
        }
        settle(&index);
        assert_eq!(index.unreachable(), []);
        let accept: BitSet = (200..COUNT + 2_000).collect();
        assert!(recall(&index, &queries, 10, &accept, accept.len()) >= 0.98);
    }
}

#[test]
fn no_snapshot_and_one_of_other_parameters_are_told_apart() {
    let folder = tempfile::tempdir().unwrap();
    let (mut data, params) = (Clustered::new(DIM, 23), numbered(NumericType::Float));
    let open = |params| VectorIndex::open(params, folder.path()).err();
    assert!(matches!(open(params.clone()), Some(SnapshotError::Missing)));
    filled(params.clone(), folder.path(), &mut data)
        .save(COUNT)
        .unwrap();
    let other = HnswParams {
        m: 8,
        ..params.clone()
    };
    assert!(matches!(open(other), Some(SnapshotError::Parameter { .. })));
    let other = HnswParams {
        metric: Metric::Euclidean,
        ..params.clone()
    };
    assert!(matches!(open(other), Some(SnapshotError::Parameter { .. })));
    VectorIndex::create(params.clone(), folder.path()).unwrap();
    assert!(matches!(open(params), Some(SnapshotError::Missing)));
}

#[test]
fn memory_of_the_removed_comes_back_and_the_rest_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let (mut data, params) = (Clustered::new(DIM, 24), numbered(NumericType::Float));
    let index = filled(params.clone(), folder.path(), &mut data);
    let (memory, stored) = (index.memory_bytes(), index.stored_bytes());
    let accept: BitSet = (0..COUNT).filter(|doc| doc % 2 == 1).collect();
    (0..COUNT).step_by(2).for_each(|doc| index.remove(doc));
    settle(&index);
    assert_eq!((index.removed(), index.len()), (0, accept.len()));
    assert!(
        index.memory_bytes() * 10 < memory * 6,
        "{} of {memory}",
        index.memory_bytes()
    );
    assert!(index.stored_bytes() * 10 < stored * 6);
    assert_eq!(index.unreachable(), []);
    let queries = draw(&mut data, 40);
    assert!(recall(&index, &queries, 10, &accept, accept.len()) >= 0.98);
    index.save(COUNT).unwrap();
    let files = fs::read_dir(folder.path()).unwrap().count();
    assert_eq!(files, 2, "the snapshot and one file of vectors");
    let before = answers(&index, &queries, &accept);
    drop(index);
    let (index, _) = VectorIndex::open(params, folder.path()).unwrap();
    assert_eq!(answers(&index, &queries, &accept), before);
}

#[test]
fn a_removed_first_of_equal_vectors_leaves_the_others_findable_after_compaction() {
    let mut data = Clustered::new(DIM, 25);
    let index = VectorIndex::new(numbered(NumericType::Float));
    let vectors = draw(&mut data, 1_500);
    for round in 0..3 {
        for (doc, vector) in (0..).zip(&vectors) {
            index.push(vector, round * 1_500 + doc, 0).unwrap();
        }
    }
    settle(&index);
    (0..1_500).for_each(|doc| index.remove(doc));
    settle(&index);
    assert_eq!((index.removed(), index.len()), (0, 3_000));
    let accept: BitSet = (1_500..4_500).collect();
    assert_eq!(index.unreachable(), []);
    assert!(recall(&index, &draw(&mut data, 40), 10, &accept, 3_000) >= 0.98);
}

#[test]
fn compaction_beside_searches_and_pushes_loses_nothing() {
    let mut data = Clustered::new(DIM, 26);
    let index = VectorIndex::new(numbered(NumericType::Float));
    let vectors = draw(&mut data, 6_000);
    for (doc, vector) in (0..3_000).zip(&vectors) {
        index.push(vector, doc, 0).unwrap();
    }
    settle(&index);
    (0..1_500).for_each(|doc| index.remove(doc));
    std::thread::scope(|scope| {
        scope.spawn(|| settle(&index));
        scope.spawn(|| {
            for (doc, vector) in (3_000..6_000).zip(&vectors[3_000..]) {
                index.push(vector, doc, 0).unwrap();
                if doc.is_multiple_of(4) {
                    index.remove(doc - 1_400);
                }
            }
        });
        for (doc, vector) in (1_500..1_600).zip(&vectors[1_500..]) {
            let only: BitSet = [doc].into_iter().collect();
            let hits = index.search(vector, &search(1, &only, 3_000), &only);
            assert_eq!(hits.first().map(|hit| hit.doc), Some(doc));
        }
    });
    settle(&index);
    let gone = |doc: u32| (1_600..4_600).contains(&doc) && (doc + 1_400).is_multiple_of(4);
    let accept: BitSet = (1_500..6_000).filter(|&doc| !gone(doc)).collect();
    assert_eq!(index.len(), accept.len());
    assert_eq!(index.unreachable(), []);
    assert!(recall(&index, &vectors[1_500..1_540], 10, &accept, accept.len()) >= 0.98);
}
