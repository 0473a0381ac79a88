//! Searches that are cancelled at each place where they look whether they are.

use pelorus_cancellation::{Cancellation, Cancelled};
use pelorus_hnsw::{HnswParams, Metric, NumericType, VectorIndex, VectorSearch};
use pelorus_kernels::BitSet;
use pelorus_random::SplitMix64;

const DIM: usize = 16;
const DOCUMENTS: u32 = 5_000;

fn vector(random: &mut SplitMix64) -> Vec<f32> {
    (0..DIM).map(|_| random.unit() - 0.5).collect()
}

fn index(random: &mut SplitMix64) -> VectorIndex {
    let index = VectorIndex::new(HnswParams {
        dim: DIM,
        metric: Metric::Euclidean,
        numeric: NumericType::Float,
        m: 16,
        ef_construction: 64,
        seed: 1,
    });
    for doc in 0..DOCUMENTS {
        index.push(&vector(random), doc, 0).expect("room in memory");
    }
    index
}

/// Ends the search at each check, and compares the answer of the next one.
fn check_everywhere(index: &VectorIndex, query: &[f32], search: &VectorSearch, accept: &BitSet) {
    let expected = index.search(query, search, accept);
    assert_eq!(expected.len(), search.k);
    let mut checks = 0;
    loop {
        let cancellation = Cancellation::after_checks(checks);
        match index.search_until(query, search, accept, &cancellation) {
            Ok(hits) => {
                assert_eq!(hits, expected, "after {checks} checks");
                break;
            }
            Err(cancelled) => assert_eq!(cancelled, Cancelled::ByCaller),
        }
        assert_eq!(
            index.search(query, search, accept),
            expected,
            "after one of {checks} checks"
        );
        checks += 1;
    }
    // At the start, in the walk or the scan, and where a scan of codes is rescored.
    assert!(checks > 2, "{search:?} looked {checks} times");
}

#[test]
fn a_cancelled_search_of_any_path_answers_rightly_or_not_at_all() {
    let mut random = SplitMix64(11);
    let index = index(&mut random);
    let query = vector(&mut random);
    let all: BitSet = (0..DOCUMENTS).collect();
    let some: BitSet = (0..DOCUMENTS).filter(|doc| doc % 4 == 0).collect();
    let search = |accept: &BitSet, exact: bool, stops_early: bool| VectorSearch {
        k: 10,
        watched: 10,
        ef: 500,
        stops_early,
        exact,
        approximate_threshold: None,
        accept_count: accept.len(),
        live_docs: DOCUMENTS as usize,
    };
    // Nothing is linked yet, so that everything is scanned; then the graph is walked.
    for is_linked in [false, true] {
        while is_linked && index.maintain(1_000) > 0 {}
        for accept in [&all, &some] {
            for (exact, stops_early) in [(true, true), (false, true), (false, false)] {
                check_everywhere(&index, &query, &search(accept, exact, stops_early), accept);
            }
        }
    }
}
