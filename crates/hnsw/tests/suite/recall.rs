//! The default search finds the same as the exact one, whatever the metric, the filter and the
//! history of the index.

use crate::support::{Clustered, Rng, params, recall, settle};
use pelorus_hnsw::{Metric, VectorIndex};
use pelorus_kernels::BitSet;

const COUNT: usize = 6_000;
const DIM: usize = 32;

fn filled(index: &VectorIndex, data: &mut Clustered, count: usize) {
    for doc in 0..count as u32 {
        index
            .push(&data.draw(), doc, 0)
            .expect("an index in memory");
    }
    settle(index);
}

fn queries(data: &mut Clustered, count: usize) -> Vec<Vec<f32>> {
    (0..count).map(|_| data.draw()).collect()
}

fn recall_of(metric: Metric, mut data: Clustered, dim: usize) -> f64 {
    let index = VectorIndex::new(params(dim, metric));
    filled(&index, &mut data, COUNT);
    recall(
        &index,
        &queries(&mut data, 50),
        10,
        &BitSet::full(COUNT as u32),
        COUNT,
    )
}

#[test]
fn unit_vectors_are_found_by_every_angular_metric() {
    for metric in [
        Metric::PrenormalizedAngular,
        Metric::Angular,
        Metric::Euclidean,
    ] {
        let found = recall_of(metric, Clustered::new(DIM, 1), DIM);
        assert!(found >= 0.98, "{metric}: {found}");
    }
}

#[test]
fn vectors_of_any_length_are_found_by_every_metric() {
    for metric in [
        Metric::Angular,
        Metric::Euclidean,
        Metric::DotProduct,
        Metric::L1,
        Metric::Linf,
    ] {
        let found = recall_of(metric, Clustered::new(DIM, 2).of_any_length(), DIM);
        assert!(found >= 0.98, "{metric}: {found}");
    }
}

#[test]
fn vectors_in_a_narrow_cone_are_found() {
    for metric in [Metric::PrenormalizedAngular, Metric::Euclidean] {
        let found = recall_of(metric, Clustered::new(64, 3).in_a_cone(), 64);
        assert!(found >= 0.98, "{metric}: {found}");
    }
}

#[test]
fn a_few_dimensions_are_enough() {
    for dim in [2, 3, 8] {
        let found = recall_of(
            Metric::Euclidean,
            Clustered::new(dim, 4).of_any_length(),
            dim,
        );
        assert!(found >= 0.98, "{dim}: {found}");
    }
}

#[test]
fn places_on_earth_are_found() {
    let index = VectorIndex::new(params(2, Metric::Geodegrees));
    let mut rng = Rng(5);
    let mut place = || vec![rng.unit() * 180.0 - 90.0, rng.unit() * 360.0 - 180.0];
    for doc in 0..COUNT as u32 {
        index.push(&place(), doc, 0).unwrap();
    }
    settle(&index);
    let queries: Vec<Vec<f32>> = (0..50).map(|_| place()).collect();
    let found = recall(&index, &queries, 10, &BitSet::full(COUNT as u32), COUNT);
    assert!(found >= 0.98, "{found}");
}

#[test]
fn binary_vectors_are_found_by_hamming_distance() {
    let index = VectorIndex::new(params(64, Metric::Hamming));
    let mut rng = Rng(6);
    let prototypes: Vec<u64> = (0..40).map(|_| rng.bits()).collect();
    let mut draw = || -> Vec<f32> {
        let noise = rng.bits() & rng.bits() & rng.bits();
        let bits = prototypes[rng.below(40)] ^ noise;
        (0..64).map(|i| (bits >> i & 1) as f32).collect()
    };
    for doc in 0..COUNT as u32 {
        index.push(&draw(), doc, 0).unwrap();
    }
    settle(&index);
    let queries: Vec<Vec<f32>> = (0..50).map(|_| draw()).collect();
    let found = recall(&index, &queries, 10, &BitSet::full(COUNT as u32), COUNT);
    assert!(found >= 0.98, "{found}");
}

#[test]
fn filters_of_any_pass_rate_keep_recall() {
    let mut data = Clustered::new(DIM, 7);
    let index = VectorIndex::new(params(DIM, Metric::PrenormalizedAngular));
    filled(&index, &mut data, 12_000);
    let queries = queries(&mut data, 30);
    let mut rng = Rng(8);
    for percent in [0, 1, 5, 20, 50, 80, 99] {
        let accept: BitSet = (0..12_000).filter(|_| rng.below(100) < percent).collect();
        let found = recall(&index, &queries, 10, &accept, 12_000);
        assert!(found >= 0.98 || percent == 0, "{percent} %: {found}");
    }
}

#[test]
fn a_filter_that_accepts_only_what_is_far_from_the_query_keeps_recall() {
    let mut data = Clustered::new(DIM, 9);
    let index = VectorIndex::new(params(DIM, Metric::PrenormalizedAngular));
    let clusters: Vec<usize> = (0..12_000).map(|doc| doc % 60).collect();
    for (doc, &cluster) in clusters.iter().enumerate() {
        index.push(&data.draw_near(cluster), doc as u32, 0).unwrap();
    }
    settle(&index);
    let accept: BitSet = (0..12_000)
        .filter(|&doc| clusters[doc as usize] >= 30)
        .collect();
    let queries: Vec<Vec<f32>> = (0..30).map(|i| data.draw_near(i)).collect();
    let found = recall(&index, &queries, 10, &accept, 12_000);
    assert!(found >= 0.98, "{found}");
}

#[test]
fn many_chunks_of_a_document_crowd_no_other_out() {
    let mut data = Clustered::new(DIM, 10);
    let index = VectorIndex::new(params(DIM, Metric::PrenormalizedAngular));
    // Every other document keeps all its chunks in one place, up to forty of them.
    let docs = 600;
    for doc in 0..docs {
        let home = data.draw();
        for chunk in 0..1 + doc % 40 {
            let mut vector = if doc % 2 == 0 {
                home.clone()
            } else {
                data.draw()
            };
            vector[0] += chunk as f32 * 1e-4;
            index.push(&vector, doc, chunk).unwrap();
        }
    }
    settle(&index);
    let queries = queries(&mut data, 40);
    for k in [1, 10, 100, 600] {
        let found = recall(&index, &queries, k, &BitSet::full(docs), docs as usize);
        assert!(found >= 0.98, "{k}: {found}");
    }
}

#[test]
fn churn_keeps_recall_and_every_living_node_findable() {
    let mut data = Clustered::new(DIM, 12);
    let index = VectorIndex::new(params(DIM, Metric::PrenormalizedAngular));
    let mut nodes: Vec<(u32, Vec<f32>)> = Vec::new();
    let mut next_doc = 0;
    let mut add = |nodes: &mut Vec<_>, vector: Vec<f32>| {
        index.push(&vector, next_doc, 0).unwrap();
        nodes.push((next_doc, vector));
        next_doc += 1;
    };
    (0..5_000).for_each(|_| add(&mut nodes, data.draw()));
    settle(&index);
    let mut rng = Rng(13);
    for _generation in 0..8 {
        for _ in 0..500 {
            let (doc, _) = nodes.swap_remove(rng.below(nodes.len()));
            index.remove(doc);
            add(&mut nodes, data.draw());
        }
        settle(&index);
    }
    let accept: BitSet = nodes.iter().map(|&(doc, _)| doc).collect();
    let queries = queries(&mut data, 50);
    let found = recall(&index, &queries, 10, &accept, nodes.len());
    assert!(found >= 0.98, "{found}");
    let own: Vec<Vec<f32>> = nodes.iter().step_by(10).map(|(_, v)| v.clone()).collect();
    assert!(recall(&index, &own, 1, &accept, nodes.len()) >= 0.99);
    assert_eq!(index.len(), nodes.len());
}

#[test]
fn a_cluster_that_is_removed_and_added_again_is_found() {
    let mut data = Clustered::new(DIM, 14);
    let index = VectorIndex::new(params(DIM, Metric::PrenormalizedAngular));
    for doc in 0..6_000 {
        index
            .push(&data.draw_near(doc as usize % 6), doc, 0)
            .unwrap();
    }
    settle(&index);
    (0..6_000).step_by(6).for_each(|doc| index.remove(doc));
    for doc in 6_000..7_000 {
        index.push(&data.draw_near(0), doc, 0).unwrap();
    }
    settle(&index);
    let accept: BitSet = (0..7_000)
        .filter(|doc| *doc >= 6_000 || doc % 6 != 0)
        .collect();
    let queries: Vec<Vec<f32>> = (0..30).map(|_| data.draw_near(0)).collect();
    let found = recall(&index, &queries, 10, &accept, accept.len());
    assert!(found >= 0.98, "{found}");
}

#[test]
fn an_index_that_was_emptied_works_again() {
    let mut data = Clustered::new(DIM, 15);
    let index = VectorIndex::new(params(DIM, Metric::PrenormalizedAngular));
    filled(&index, &mut data, 4_000);
    (0..4_000).for_each(|node| index.remove(node));
    settle(&index);
    assert!(index.is_empty());
    for doc in 4_000..9_000 {
        index.push(&data.draw(), doc, 0).unwrap();
    }
    settle(&index);
    let accept: BitSet = (4_000..9_000).collect();
    let found = recall(&index, &queries(&mut data, 30), 10, &accept, 5_000);
    assert!(found >= 0.98, "{found}");
}
