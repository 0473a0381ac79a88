//! An index answers as a plain list of its vectors would, through any sequence of pushes,
//! removals and maintenance.

use crate::support::{Model, Rng, exact, params, search};
use pelorus_hnsw::{Metric, VectorIndex, VectorSearch};
use pelorus_kernels::BitSet;
use proptest::collection::vec;
use proptest::prelude::*;

/// All that measure vectors of any length.
fn metrics() -> Vec<Metric> {
    let mut metrics = Metric::ALL.to_vec();
    metrics.retain(|&metric| metric != Metric::Geodegrees);
    metrics
}

#[derive(Clone, Debug)]
enum Step {
    /// Documents to add, each with this many chunks.
    Push {
        docs: usize,
        chunks: u32,
    },
    /// One living node in this many.
    Remove {
        one_in: usize,
    },
    Maintain {
        budget: usize,
    },
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        (1usize..60, 1u32..4).prop_map(|(docs, chunks)| Step::Push { docs, chunks }),
        (2usize..12).prop_map(|one_in| Step::Remove { one_in }),
        (1usize..80).prop_map(|budget| Step::Maintain { budget }),
    ];
    vec(step, 1..12)
}

/// Components on a coarse grid, so that distances tie.
fn draw(rng: &mut Rng, dim: usize) -> Vec<f32> {
    (0..dim).map(|_| rng.below(7) as f32 - 3.0).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn small_indexes_and_exact_searches_agree_with_the_model(
        steps in steps(),
        metric in prop::sample::select(metrics()),
        dim in prop::sample::select(&[1usize, 3, 16, 40][..]),
        seed in any::<u64>(),
    ) {
        let (index, mut model, mut rng) = (VectorIndex::new(params(dim, metric)), Model::default(), Rng(seed));
        let mut next_doc = 0;
        for step in steps {
            match step {
                Step::Push { docs, chunks } => for _ in 0..docs {
                    for chunk in 0..chunks {
                        let vector = draw(&mut rng, dim);
                        index.push(&vector, next_doc, chunk).unwrap();
                        model.chunks.push((next_doc, chunk, vector));
                    }
                    next_doc += 1;
                },
                Step::Remove { one_in } => {
                    let gone: BitSet = model.docs().iter().step_by(one_in).collect();
                    gone.iter().for_each(|doc| index.remove(doc));
                    model.chunks.retain(|&(doc, _, _)| !gone.contains(doc));
                }
                Step::Maintain { budget } => { index.maintain(budget); }
            }
            prop_assert_eq!(index.len(), model.chunks.len());
            let query = draw(&mut rng, dim);
            let docs = model.docs();
            let accept: BitSet = docs.iter().filter(|_| rng.below(3) > 0).collect();
            for k in [1, 7, 1000] {
                let p = search(k, &accept, docs.len());
                let expected = model.search(metric, &query, k, &accept);
                prop_assert_eq!(&index.search(&query, &exact(p.clone()), &accept), &expected);
                prop_assert_eq!(&index.search(&query, &p, &accept), &expected);
            }
        }
    }
}

#[test]
fn exact_searches_agree_with_the_model_beside_a_graph() {
    let (mut rng, mut model) = (Rng(3), Model::default());
    let index = VectorIndex::new(params(24, Metric::Euclidean));
    for doc in 0..2_500 {
        let vector: Vec<f32> = (0..24).map(|_| rng.normal()).collect();
        index.push(&vector, doc, 0).unwrap();
        model.chunks.push((doc, 0, vector));
    }
    index.maintain(500);
    (0..2_500).step_by(3).for_each(|doc| index.remove(doc));
    model.chunks.retain(|&(doc, _, _)| doc % 3 != 0);
    let accept = model.docs();
    for _ in 0..20 {
        let query: Vec<f32> = (0..24).map(|_| rng.normal()).collect();
        let found = index.search(&query, &exact(search(10, &accept, accept.len())), &accept);
        assert_eq!(found, model.search(Metric::Euclidean, &query, 10, &accept));
    }
}

#[test]
fn a_threshold_above_the_accepted_share_makes_the_search_exact() {
    let (mut rng, mut model) = (Rng(4), Model::default());
    let index = VectorIndex::new(params(16, Metric::DotProduct));
    for doc in 0..3_000 {
        let vector: Vec<f32> = (0..16).map(|_| rng.normal()).collect();
        index.push(&vector, doc, 0).unwrap();
        model.chunks.push((doc, 0, vector));
    }
    while index.maintain(500) > 0 {}
    let accept: BitSet = (0..3_000).step_by(2).collect();
    let p = VectorSearch {
        ef: 10,
        stops_early: true,
        approximate_threshold: Some(0.6),
        ..search(50, &accept, 3_000)
    };
    for _ in 0..20 {
        let query: Vec<f32> = (0..16).map(|_| rng.normal()).collect();
        let expected = model.search(Metric::DotProduct, &query, 50, &accept);
        assert_eq!(index.search(&query, &p, &accept), expected);
    }
}

#[test]
fn nothing_is_found_in_an_empty_index_or_for_nothing_asked() {
    let index = VectorIndex::new(params(4, Metric::Euclidean));
    let accept = BitSet::full(10);
    let query = [0.0; 4];
    assert!(
        index
            .search(&query, &search(10, &accept, 10), &accept)
            .is_empty()
    );
    assert!(
        index
            .search(&query, &exact(search(10, &accept, 10)), &accept)
            .is_empty()
    );
    index.push(&[1.0; 4], 3, 0).unwrap();
    assert!(
        index
            .search(&query, &search(0, &accept, 10), &accept)
            .is_empty()
    );
    let none = BitSet::default();
    assert!(
        index
            .search(&query, &search(10, &none, 10), &none)
            .is_empty()
    );
    assert_eq!(
        index
            .search(&query, &search(10, &accept, 10), &accept)
            .len(),
        1
    );
}
