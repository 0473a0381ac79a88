//! A disk that takes no more bytes: vectors are pushed all or not at all, snapshots leave nothing
//! half written, and everything is found on.

#![cfg(unix)]

use std::fs;
use std::path::Path;

use crate::support::{Clustered, Model, exact, params, search, settle};
use pelorus_file_limit::{is_in_child, limit_files};
use pelorus_hnsw::{HnswParams, Metric, VectorIndex};

const DIM: usize = 20;
const ROW: u64 = DIM as u64 * 4;

fn small() -> HnswParams {
    params(DIM, Metric::Euclidean)
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap().flatten();
    let mut names: Vec<_> = entries
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

fn assert_answers(index: &VectorIndex, model: &Model, data: &mut Clustered) {
    let accept = model.docs();
    assert_eq!(index.len(), model.chunks.len());
    for _ in 0..8 {
        let query = data.draw();
        let found = index.search(&query, &exact(search(7, &accept, accept.len())), &accept);
        assert_eq!(found, model.search(Metric::Euclidean, &query, 7, &accept));
    }
}

#[test]
fn documents_whose_vectors_found_no_room_are_taken_back_and_pushed_later() {
    if !is_in_child(
        "full_disk::documents_whose_vectors_found_no_room_are_taken_back_and_pushed_later",
    ) {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let (mut model, mut data) = (Model::default(), Clustered::new(DIM, 51));
    let index = VectorIndex::create(small(), folder.path()).unwrap();
    // Three chunks each. The disk is full amid the second chunk, where the file has to grow, and
    // amid rows that it has been grown for.
    let mut late = Vec::new();
    for doc in 0..1_200 {
        let room = match doc {
            170 => Some(511 * ROW + 7),
            342 => Some(1_024 * ROW),
            800 => Some(2_396 * ROW + 1),
            _ => None,
        };
        let chunks: Vec<_> = (0..3).map(|_| data.draw()).collect();
        let push = || {
            let mut pushed = (0..).zip(&chunks);
            pushed.try_for_each(|(chunk, vector)| index.push(vector, doc, chunk))
        };
        limit_files(room);
        let pushed = push();
        let again = room.map(|_| index.push(&chunks[2], doc, 2));
        limit_files(None);
        if pushed.is_err() {
            assert!(again.unwrap().is_err());
            index.remove(doc);
            late.push((doc, chunks));
        } else {
            let chunks = (0..).zip(chunks);
            model
                .chunks
                .extend(chunks.map(|(chunk, vector)| (doc, chunk, vector)));
        }
        if room.is_some() {
            assert_answers(&index, &model, &mut data);
        }
    }
    assert_eq!(
        late.iter().map(|(doc, _)| *doc).collect::<Vec<_>>(),
        [170, 342, 800]
    );
    index.save(170).unwrap();
    for (doc, chunks) in late {
        for (chunk, vector) in (0..).zip(chunks) {
            index.push(&vector, doc, chunk).unwrap();
            model.chunks.push((doc, chunk, vector));
        }
    }
    assert_answers(&index, &model, &mut data);
    settle(&index);
    assert_answers(&index, &model, &mut data);
    index.save(1_200).unwrap();
    drop(index);
    let (index, _) = VectorIndex::open(small(), folder.path()).unwrap();
    assert_answers(&index, &model, &mut data);
}

#[test]
fn a_snapshot_that_finds_no_room_leaves_the_one_before() {
    if !is_in_child("full_disk::a_snapshot_that_finds_no_room_leaves_the_one_before") {
        return;
    }
    for in_memory in [false, true] {
        let folder = tempfile::tempdir().unwrap();
        let index = match in_memory {
            false => VectorIndex::create(small(), folder.path()).unwrap(),
            true => VectorIndex::in_memory(small(), folder.path()),
        };
        let (mut model, mut data) = (Model::default(), Clustered::new(DIM, 52));
        let mut push = |docs: std::ops::Range<u32>, model: &mut Model| {
            for doc in docs {
                let vector = data.draw();
                index.push(&vector, doc, 0).unwrap();
                model.chunks.push((doc, 0, vector));
            }
        };
        push(0..2_500, &mut model);
        settle(&index);
        index.save(2_500).unwrap();
        push(2_500..3_000, &mut model);
        let before = names(folder.path());
        let snapshot = || fs::read(folder.path().join("graph.snapshot")).unwrap();
        let saved = snapshot();
        let long = saved.len() as u64;
        for room in [0, 1, 70, 4_096, long / 4, long / 2, long] {
            limit_files(Some(room));
            let result = index.save(3_000);
            limit_files(None);
            assert!(result.is_err(), "room for {room} bytes");
            assert_eq!(names(folder.path()), before, "room for {room} bytes");
            assert!(snapshot() == saved);
            assert_eq!(index.unsaved(), 500);
        }
        index.save(3_000).unwrap();
        assert_eq!(names(folder.path()).len(), 2);
        let mut data = Clustered::new(DIM, 53);
        assert_answers(&index, &model, &mut data);
        drop(index);
        let (index, _) = VectorIndex::open(small(), folder.path()).unwrap();
        assert_answers(&index, &model, &mut data);
    }
}

#[test]
fn a_compaction_that_finds_no_room_leaves_everything_as_it_was() {
    if !is_in_child("full_disk::a_compaction_that_finds_no_room_leaves_everything_as_it_was") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let (mut model, mut data) = (Model::default(), Clustered::new(DIM, 54));
    let index = VectorIndex::create(small(), folder.path()).unwrap();
    for doc in 0..6_000 {
        let vector = data.draw();
        index.push(&vector, doc, 0).unwrap();
        model.chunks.push((doc, 0, vector));
    }
    (0..2_000).for_each(|doc| index.remove(doc));
    model.chunks.retain(|&(doc, ..)| doc >= 2_000);
    limit_files(Some(3_000 * ROW));
    settle(&index);
    limit_files(None);
    assert_eq!(index.removed(), 2_000);
    assert_eq!(names(folder.path()), ["vectors-0.bin"]);
    assert_answers(&index, &model, &mut data);
    settle(&index);
    assert_eq!(index.removed(), 0);
    assert_answers(&index, &model, &mut data);
    index.save(6_000).unwrap();
    drop(index);
    let (index, _) = VectorIndex::open(small(), folder.path()).unwrap();
    assert_answers(&index, &model, &mut data);
}
