//! Vectors kept in fewer bytes: searches answer as if the vectors had been rounded before they came.

use crate::support::{Clustered, Model, Rng, exact, params, recall, search, settle};
use pelorus_hnsw::{HnswParams, Metric, NumericType, VectorIndex};
use proptest::prelude::*;

fn params_of(numeric: NumericType, dim: usize, metric: Metric) -> HnswParams {
    HnswParams {
        numeric,
        ..params(dim, metric)
    }
}

fn metrics() -> impl Strategy<Value = Metric> {
    prop::sample::select(vec![
        Metric::PrenormalizedAngular,
        Metric::Angular,
        Metric::Euclidean,
        Metric::DotProduct,
        Metric::L1,
    ])
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// Exact searches, in memory and from a file that is opened again, against rounded vectors in a list.
    #[test]
    fn an_index_answers_as_a_plain_search_of_rounded_vectors(
        seed in any::<u64>(), dim in 1usize..40, metric in metrics(),
        numeric in prop::sample::select(&NumericType::ALL[..]), is_in_file in any::<bool>(),
    ) {
        let mut random = Rng(seed);
        let mut vector = || -> Vec<f32> { (0..dim).map(|_| random.normal()).collect() };
        let folder = tempfile::tempdir().unwrap();
        let params = params_of(numeric, dim, metric);
        let mut index = match is_in_file {
            true => VectorIndex::create(params.clone(), folder.path()).unwrap(),
            false => VectorIndex::new(params.clone()),
        };
        let mut model = Model::default();
        for doc in 0..60 {
            for chunk in 0..1 + doc % 3 {
                let mut vector = vector();
                index.push(&vector, doc, chunk).unwrap();
                numeric.round(&mut vector, dim);
                model.chunks.push((doc, chunk, vector));
            }
        }
        if is_in_file {
            settle(&index);
            index.save(60).unwrap();
            drop(index);
            index = VectorIndex::open(params, folder.path()).unwrap().0;
        }
        let accept = model.docs();
        for _ in 0..8 {
            let query = vector();
            let hits = index.search(&query, &exact(search(10, &accept, 60)), &accept);
            prop_assert_eq!(hits, model.search(metric, &query, 10, &accept));
        }
    }
}

/// Ten thousand vectors, so that searches walk by codes: these stand for the vectors as they are kept.
#[test]
fn a_graph_of_rounded_vectors_finds_them() {
    const COUNT: u32 = 10_000;
    for numeric in [NumericType::Bfloat16, NumericType::Int8] {
        let mut data = Clustered::new(64, 5);
        let index = VectorIndex::new(params_of(numeric, 64, Metric::Angular));
        let mut kept = Vec::new();
        for doc in 0..COUNT {
            let vector = data.draw();
            index.push(&vector, doc, 0).unwrap();
            kept.extend((doc % 500 == 0).then_some((doc, vector)));
        }
        settle(&index);
        let accept = (0..COUNT).collect();
        let queries: Vec<Vec<f32>> = (0..50).map(|_| data.draw()).collect();
        let found = recall(&index, &queries, 10, &accept, COUNT as usize);
        assert!(found >= 0.98, "{numeric}: {found}");
        for (doc, mut vector) in kept {
            let hits = index.search(&vector, &search(1, &accept, COUNT as usize), &accept);
            assert_eq!(hits[0].doc, doc);
            let query = vector.clone();
            numeric.round(&mut vector, 64);
            assert_eq!(hits[0].distance, Metric::Angular.distance(&query, &vector));
        }
    }
}
