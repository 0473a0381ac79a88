//! Vectors linked in haste are found, and linked again once nothing is new: after a restart, too.

use std::path::Path;

use crate::support::{Clustered, params, recall, settle};
use pelorus_hnsw::{HnswParams, Metric, VectorIndex};
use pelorus_kernels::BitSet;

const COUNT: u32 = 6_000;
const DIM: usize = 64;

/// An index of `COUNT` documents, all linked in haste, and vectors to search for.
fn in_haste(folder: &Path) -> (VectorIndex, Vec<Vec<f32>>) {
    let mut data = Clustered::new(DIM, 31);
    let index = VectorIndex::create(params(DIM, Metric::PrenormalizedAngular), folder);
    let index = index.expect("a folder to write to");
    for doc in 0..COUNT {
        index.push(&data.draw(), doc, 0).expect("room on the disk");
    }
    // Codes are trained by those who have the time.
    index.maintain(0);
    while index.link(500) > 0 {}
    let queries = (0..60).map(|_| data.draw()).collect();
    (index, queries)
}

fn found(index: &VectorIndex, queries: &[Vec<f32>]) -> f64 {
    recall(index, queries, 10, &BitSet::full(COUNT), COUNT as usize)
}

#[test]
fn vectors_linked_in_haste_are_found_and_linked_again_at_rest() {
    let folder = tempfile::tempdir().unwrap();
    let (index, queries) = in_haste(folder.path());
    assert_eq!((index.unlinked(), index.to_relink()), (0, COUNT as usize));
    assert!(found(&index, &queries) >= 0.95);
    // In slices, and behind new nodes.
    assert_eq!(index.maintain(1_000), COUNT as usize - 1_000);
    assert_eq!(index.relinked(), 1_000);
    index.push(&queries[0], COUNT, 0).unwrap();
    assert_eq!(index.maintain(1), COUNT as usize - 1_000);
    assert_eq!(index.unlinked(), 0);
    settle(&index);
    assert_eq!((index.to_relink(), index.relinked()), (0, COUNT as usize));
    assert_eq!(index.unreachable(), []);
    index.remove(COUNT);
    assert!(found(&index, &queries) >= 0.99);
}

#[test]
fn a_second_linking_gives_what_one_with_time_gives() {
    let folders = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
    let (hurried, queries) = in_haste(folders[0].path());
    settle(&hurried);
    let mut data = Clustered::new(DIM, 31);
    let index = VectorIndex::create(params(DIM, Metric::PrenormalizedAngular), folders[1].path());
    let index = index.unwrap();
    for doc in 0..COUNT {
        index.push(&data.draw(), doc, 0).unwrap();
    }
    settle(&index);
    let [twice, once] = [&hurried, &index].map(|index| found(index, &queries));
    assert!(twice >= once - 0.005, "{twice} of {once}");
}

#[test]
fn a_snapshot_knows_what_is_to_be_linked_again() {
    let folder = tempfile::tempdir().unwrap();
    let (index, queries) = in_haste(folder.path());
    index.maintain(2_000);
    index.save(COUNT).unwrap();
    assert_eq!((index.unsaved(), index.relinked()), (0, 0));
    drop(index);
    let params = params(DIM, Metric::PrenormalizedAngular);
    let (index, _) = VectorIndex::open(params, folder.path()).unwrap();
    assert_eq!(index.to_relink(), COUNT as usize - 2_000);
    settle(&index);
    assert_eq!(index.relinked(), COUNT as usize - 2_000);
    assert!(found(&index, &queries) >= 0.99);
}

#[test]
fn where_the_beam_may_not_widen_nothing_is_linked_twice() {
    let narrow = HnswParams {
        ef_construction: 64,
        ..params(DIM, Metric::PrenormalizedAngular)
    };
    let (index, mut data) = (VectorIndex::new(narrow), Clustered::new(DIM, 32));
    (0..3_000).for_each(|doc| index.push(&data.draw(), doc, 0).unwrap());
    index.maintain(0);
    assert_eq!((index.link(3_000), index.to_relink()), (3_000, 0));
}

#[test]
fn some_link_in_haste_while_others_have_time_and_documents_come_and_go() {
    let index = VectorIndex::new(params(DIM, Metric::Euclidean));
    let mut data = Clustered::new(DIM, 33);
    for generation in 0..5u32 {
        let docs = generation * 2_000..(generation + 1) * 2_000;
        docs.for_each(|doc| {
            index
                .push(&data.draw_near(doc as usize % 40), doc, 0)
                .unwrap()
        });
        std::thread::scope(|scope| {
            scope.spawn(|| while index.maintain(16) > 0 {});
            scope.spawn(|| while index.link(16) > 0 || index.unlinked() > 0 {});
            if let Some(before) = generation.checked_sub(1) {
                let gone = before * 2_000..(before + 1) * 2_000;
                gone.filter(|doc| doc % 40 < 20)
                    .for_each(|doc| index.remove(doc));
            }
        });
    }
    settle(&index);
    assert_eq!((index.to_relink(), index.unreachable()), (0, vec![]));
    let alive: BitSet = (0..10_000)
        .filter(|doc| doc % 40 >= 20 || *doc >= 8_000)
        .collect();
    let queries: Vec<Vec<f32>> = (0..40).map(|i| data.draw_near(i)).collect();
    let found = recall(&index, &queries, 10, &alive, alive.len());
    assert!(found >= 0.98, "{found}");
}
