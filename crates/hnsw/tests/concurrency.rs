//! Searches go on while vectors are pushed, removed, linked and repaired.

mod support;

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::thread;
use std::time::Duration;

use pelorus_hnsw::{Metric, VectorIndex};
use pelorus_kernels::BitSet;
use support::{Clustered, Rng, assert_well_formed, exact, params, recall, search, settle};

const DIM: usize = 24;
const DOCS: u32 = 9_000;
/// Documents below this are never removed, every third one from there on is.
const KEPT: u32 = 3_000;

fn is_removed(doc: u32) -> bool {
    doc >= KEPT && doc.is_multiple_of(3)
}

#[test]
fn searches_beside_writers_answer_only_what_is_accepted_and_alive() {
    let index = VectorIndex::new(params(DIM, Metric::PrenormalizedAngular));
    // Documents below the first are pushed, those below the second that go are gone.
    let (pushed, removed, done) = (AtomicU32::new(0), AtomicU32::new(0), AtomicBool::new(false));
    thread::scope(|scope| {
        scope.spawn(|| {
            let mut data = Clustered::new(DIM, 1);
            for doc in 0..DOCS {
                index.push(&data.draw(), doc, 0).unwrap();
                pushed.store(doc + 1, Ordering::Release);
                if doc % 16 == 0 {
                    // Lets the graph catch up, so that searches meet it in every state.
                    thread::sleep(Duration::from_millis(2));
                }
                // Removals follow at a distance, through nodes that are linked and ones that are not.
                if let Some(old) = doc.checked_sub(500)
                    && is_removed(old)
                {
                    index.remove(old);
                    removed.store(old + 1, Ordering::Release);
                }
            }
            done.store(true, Ordering::Release);
        });
        for _ in 0..2 {
            scope.spawn(|| {
                while !done.load(Ordering::Acquire) {
                    index.maintain(16);
                }
            });
        }
        for seed in 0..2 {
            let (index, pushed, removed, done) = (&index, &pushed, &removed, &done);
            scope.spawn(move || {
                let (mut data, mut rng) = (Clustered::new(DIM, 1), Rng(seed));
                while !done.load(Ordering::Acquire) {
                    // Both before the search: vectors that it may meet later, it need not.
                    let gone = removed.load(Ordering::Acquire);
                    let seen = pushed.load(Ordering::Acquire) as usize;
                    let accept: BitSet = (0..DOCS).filter(|_| rng.below(10) > 0).collect();
                    let p = search(10, &accept, DOCS as usize);
                    let hits = match rng.below(8) {
                        0 => index.search(&data.draw(), &exact(p), &accept),
                        _ => index.search(&data.draw(), &p, &accept),
                    };
                    assert_well_formed(&hits, &accept);
                    assert!(
                        hits.iter()
                            .all(|hit| hit.doc >= gone || !is_removed(hit.doc))
                    );
                    assert!(hits.iter().all(|hit| hit.chunk == 0));
                    assert!(seen < 1_000 || hits.len() == 10, "{} of {seen}", hits.len());
                }
            });
        }
    });
    settle(&index);
    let alive: BitSet = (0..DOCS)
        .filter(|&doc| !is_removed(doc) || doc >= DOCS - 500)
        .collect();
    let mut data = Clustered::new(DIM, 1);
    let queries: Vec<Vec<f32>> = (0..40).map(|_| data.draw()).collect();
    let found = recall(&index, &queries, 10, &alive, alive.len());
    assert!(found >= 0.98, "{found}");
}

#[test]
fn a_pushed_vector_is_found_by_the_next_search_at_every_size() {
    let index = VectorIndex::new(params(DIM, Metric::Euclidean));
    let mut data = Clustered::new(DIM, 2);
    let stop = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            while !stop.load(Ordering::Acquire) {
                index.maintain(64);
            }
        });
        for doc in 0..6_000 {
            let vector = data.draw();
            index.push(&vector, doc, 0).unwrap();
            if doc % 7 == 0 {
                let accept = BitSet::full(doc + 1);
                let hits = index.search(&vector, &search(1, &accept, doc as usize + 1), &accept);
                assert_eq!((hits[0].doc, hits[0].distance), (doc, 0.0));
            }
        }
        stop.store(true, Ordering::Release);
    });
}

/// Links everything with several threads.
fn settle_with(threads: usize, index: &VectorIndex) {
    thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| while index.maintain(16) > 0 {});
        }
    });
    assert_eq!(index.maintain(1), 0, "the threads left nothing");
}

#[test]
fn a_graph_that_several_threads_built_finds_what_that_of_one_does() {
    let mut data = Clustered::new(DIM, 3);
    let vectors: Vec<Vec<f32>> = (0..20_000).map(|_| data.draw()).collect();
    let queries: Vec<Vec<f32>> = (0..100).map(|_| data.draw()).collect();
    let accept = BitSet::full(20_000);
    let found = [1, 2, 5].map(|threads| {
        let index = VectorIndex::new(params(DIM, Metric::PrenormalizedAngular));
        for (doc, vector) in vectors.iter().enumerate() {
            index.push(vector, doc as u32, 0).unwrap();
        }
        settle_with(threads, &index);
        assert_eq!(index.unreachable(), [], "{threads} threads");
        recall(&index, &queries, 10, &accept, 20_000)
    });
    assert!(found[0] >= 0.98, "{found:?}");
    assert!(
        found.iter().all(|&many| many >= found[0] - 0.005),
        "{found:?}"
    );
}

#[test]
fn equal_vectors_that_are_linked_at_the_same_time_are_all_found() {
    let index = VectorIndex::new(params(DIM, Metric::Euclidean));
    let mut data = Clustered::new(DIM, 4);
    let places: Vec<Vec<f32>> = (0..1_000).map(|_| data.draw()).collect();
    // Each three times in a row, and all of them a second time.
    let docs = (0..6_000).map(|doc| (doc, &places[doc as usize / 3 % 1_000]));
    docs.for_each(|(doc, vector)| index.push(vector, doc, 0).unwrap());
    settle_with(3, &index);
    assert_eq!(index.unreachable(), []);
    let accept = BitSet::full(6_000);
    for (place, vector) in (0..).zip(&places).step_by(9) {
        let hits = index.search(vector, &search(6, &accept, 6_000), &accept);
        let docs: Vec<u32> = hits.iter().map(|hit| hit.doc).collect();
        let first = place * 3;
        let same = [
            first,
            first + 1,
            first + 2,
            first + 3_000,
            first + 3_001,
            first + 3_002,
        ];
        assert_eq!(docs, same);
        assert!(hits.iter().all(|hit| hit.distance == 0.0));
    }
}

#[test]
fn several_threads_link_and_sweep_while_clusters_come_and_go() {
    let index = VectorIndex::new(params(DIM, Metric::Euclidean));
    let mut data = Clustered::new(DIM, 5);
    for generation in 0..6u32 {
        for doc in generation * 1_500..(generation + 1) * 1_500 {
            index
                .push(&data.draw_near(doc as usize % 40), doc, 0)
                .unwrap();
        }
        thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|| while index.maintain(16) > 0 {});
            }
            if let Some(before) = generation.checked_sub(1) {
                // Half of the clusters of the generation before, while this one is linked.
                let gone = before * 1_500..(before + 1) * 1_500;
                gone.filter(|doc| doc % 40 < 20)
                    .for_each(|doc| index.remove(doc));
            }
        });
    }
    settle(&index);
    assert_eq!(index.unreachable(), []);
    let alive: BitSet = (0..9_000)
        .filter(|doc| doc % 40 >= 20 || *doc >= 7_500)
        .collect();
    let queries: Vec<Vec<f32>> = (0..40).map(|i| data.draw_near(i)).collect();
    let found = recall(&index, &queries, 10, &alive, alive.len());
    assert!(found >= 0.98, "{found}");
}
