//! Documents that a caller knows of are not missed by a walk, wherever they lie, and change nothing else.

use crate::support::{Clustered, Rng, assert_well_formed, exact, params, search, settle};
use pelorus_cancellation::Cancellation;
use pelorus_hnsw::{Metric, VectorHit, VectorIndex, VectorSearch};
use pelorus_kernels::BitSet;

const DIM: usize = 24;
const DOCUMENTS: u32 = 4_000;
const K: usize = 10;

/// Documents of one or two chunks, some of which were removed, most of them linked.
fn filled(rng: &mut Rng, vectors: &mut Clustered) -> (VectorIndex, BitSet) {
    let index = VectorIndex::new(params(DIM, Metric::Euclidean));
    let mut alive = BitSet::new(0);
    for doc in 0..DOCUMENTS {
        for chunk in 0..1 + doc % 2 {
            index
                .push(&vectors.draw(), doc, chunk)
                .expect("room in memory");
        }
        alive.insert(doc);
        if doc == DOCUMENTS / 8 * 7 {
            settle(&index);
        }
    }
    for _ in 0..DOCUMENTS / 10 {
        let doc = rng.below(DOCUMENTS as usize) as u32;
        index.remove(doc);
        alive.remove(doc);
    }
    (index, alive)
}

/// A walk that stops too soon to find all of the nearest.
fn hurried(accept: &BitSet, live_docs: usize) -> VectorSearch {
    VectorSearch {
        ef: K,
        ..search(K, accept, live_docs)
    }
}

fn knowing(
    index: &VectorIndex,
    query: &[f32],
    params: &VectorSearch,
    accept: &BitSet,
    known: &[u32],
) -> Vec<VectorHit> {
    let found = index.search_knowing(query, params, accept, known, &Cancellation::never());
    found.expect("nobody cancels it")
}

#[test]
fn a_walk_misses_no_known_document_among_the_nearest_and_no_other_for_it() {
    let (mut rng, mut vectors) = (Rng(5), Clustered::new(DIM, 6));
    let (index, alive) = filled(&mut rng, &mut vectors);
    let mut missed = 0;
    for round in 0..60 {
        let accept: BitSet = alive
            .iter()
            .filter(|doc| round % 3 == 0 || doc % 3 != 0)
            .collect();
        let (query, params) = (vectors.draw(), hurried(&accept, alive.len()));
        let truth = index.search(&query, &exact(params.clone()), &accept);
        let plain = index.search(&query, &params, &accept);
        missed += truth.iter().filter(|hit| !plain.contains(hit)).count();

        // Documents that are near, far, removed, not accepted, never there, and named twice.
        let mut known: Vec<u32> = truth
            .iter()
            .map(|hit| hit.doc)
            .filter(|doc| doc % 2 == 0)
            .collect();
        known.extend((0..40).map(|_| rng.below(DOCUMENTS as usize + 100) as u32));
        known.extend(known.clone());
        let hits = knowing(&index, &query, &params, &accept, &known);
        assert_well_formed(&hits, &accept);
        assert_eq!(hits.len(), K);
        for hit in &truth {
            let is_due = known.contains(&hit.doc) || plain.contains(hit);
            assert!(
                !is_due || hits.contains(hit),
                "round {round}: {hit:?} of {hits:?}"
            );
        }

        let all: Vec<u32> = truth.iter().map(|hit| hit.doc).collect();
        assert_eq!(
            knowing(&index, &query, &params, &accept, &all),
            truth,
            "round {round}"
        );
    }
    assert!(missed > 0, "a walk that misses nothing shows nothing");
}

#[test]
fn where_nothing_is_wanted_known_documents_are_not_found_either() {
    let (mut rng, mut vectors) = (Rng(7), Clustered::new(DIM, 8));
    let (index, alive) = filled(&mut rng, &mut vectors);
    let query = vectors.draw();
    let known: Vec<u32> = (0..50).collect();
    let none = VectorSearch {
        k: 0,
        watched: 0,
        ..hurried(&alive, alive.len())
    };
    assert!(knowing(&index, &query, &none, &alive, &known).is_empty());
    let nobody = BitSet::new(0);
    let params = hurried(&nobody, alive.len());
    assert!(knowing(&index, &query, &params, &nobody, &known).is_empty());
}
