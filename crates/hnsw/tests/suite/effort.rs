//! A default search costs a part of what its ceiling would and finds as much: where sign bits tell
//! the way, and where they do not.

use crate::support::{Clustered, Rng, exact, params, recall, search, settle};
use pelorus_cancellation::Cancellation;
use pelorus_hnsw::{Metric, VectorIndex, VectorSearch};
use pelorus_kernels::BitSet;

const COUNT: u32 = 9_000;
const DIM: usize = 128;

/// An index of `vectors`, each a document, of which is known whether it goes by sign bits.
fn indexed(vectors: impl Iterator<Item = Vec<f32>>, by_bits: bool) -> VectorIndex {
    let index = VectorIndex::new(params(DIM, Metric::PrenormalizedAngular));
    for (vector, doc) in vectors.zip(0..) {
        index.push(&vector, doc, 0).expect("room in memory");
    }
    settle(&index);
    assert_eq!(index.traversal_is_binary(), by_bits);
    index
}

/// The share of the ten nearest that a walk to its ceiling finds.
fn recall_of_ceiling(index: &VectorIndex, queries: &[Vec<f32>], accept: &BitSet) -> f64 {
    let ceiling = VectorSearch {
        stops_early: false,
        ..search(10, accept, COUNT as usize)
    };
    recall_of(index, queries, &ceiling, accept)
}

/// The share of the documents to be watched that a search finds.
fn recall_of(
    index: &VectorIndex,
    queries: &[Vec<f32>],
    params: &VectorSearch,
    accept: &BitSet,
) -> f64 {
    let found = queries.iter().map(|query| {
        let truth = index.search(query, &exact(params.clone()), accept);
        let hits = index.search(query, params, accept);
        let bound = truth[params.watched - 1].distance;
        hits.iter().filter(|hit| hit.distance <= bound).count()
    });
    found.sum::<usize>() as f64 / (params.watched * queries.len()) as f64
}

/// A unit vector of any direction.
fn direction(rng: &mut Rng) -> Vec<f32> {
    let x: Vec<f32> = (0..DIM).map(|_| rng.normal()).collect();
    let length = x.iter().map(|x| x * x).sum::<f32>().sqrt();
    x.iter().map(|x| x / length).collect()
}

fn assert_reaches_ceiling(name: &str, by_bits: bool, mut draw: impl FnMut() -> Vec<f32>) {
    let index = indexed((0..COUNT).map(|_| draw()), by_bits);
    let queries: Vec<Vec<f32>> = (0..60).map(|_| draw()).collect();
    let all = BitSet::full(COUNT);
    let ceiling = recall_of_ceiling(&index, &queries, &all);
    let found = recall(&index, &queries, 10, &all, COUNT as usize);
    assert!(ceiling >= 0.99, "{name}: the ceiling finds {ceiling}");
    assert!(found >= 0.995 * ceiling, "{name}: {found} of {ceiling}");
}

#[test]
fn easy_queries_find_what_the_ceiling_finds() {
    let mut data = Clustered::new(DIM, 1);
    assert_reaches_ceiling("clustered", true, || data.draw());
}

#[test]
fn queries_in_a_narrow_cone_find_what_the_ceiling_finds() {
    let mut data = Clustered::new(DIM, 2).in_a_cone();
    assert_reaches_ceiling("cone", true, || data.draw());
}

#[test]
fn queries_without_any_cluster_to_lead_them_find_what_the_ceiling_finds() {
    let mut rng = Rng(3);
    assert_reaches_ceiling("isotropic", false, || direction(&mut rng));
}

#[test]
fn a_walk_whose_beam_ends_before_it_settles_gives_way_to_a_scan() {
    let mut rng = Rng(9);
    let index = indexed((0..COUNT).map(|_| direction(&mut rng)), false);
    let queries: Vec<Vec<f32>> = (0..60).map(|_| direction(&mut rng)).collect();
    let all = BitSet::full(COUNT);
    let narrow = VectorSearch {
        ef: 150,
        ..search(10, &all, COUNT as usize)
    };
    let to_the_end = VectorSearch {
        stops_early: false,
        ..narrow.clone()
    };
    let walked = recall_of(&index, &queries, &to_the_end, &all);
    let found = recall_of(&index, &queries, &narrow, &all);
    assert!(
        walked < 0.98 && found >= 0.995,
        "{found} in place of {walked}"
    );
}

#[test]
fn the_documents_that_are_watched_are_found_among_more_that_are_asked_for() {
    let mut data = Clustered::new(DIM, 10);
    let index = indexed((0..COUNT).map(|_| data.draw()), true);
    let queries: Vec<Vec<f32>> = (0..60).map(|_| data.draw()).collect();
    let all = BitSet::full(COUNT);
    let params = VectorSearch {
        watched: 20,
        ..search(60, &all, COUNT as usize)
    };
    let found = recall_of(&index, &queries, &params, &all);
    assert!(found >= 0.99, "{found}");
    let hits = index.search(&queries[0], &params, &all);
    assert_eq!(hits.len(), 60);
}

#[test]
fn known_documents_are_found_however_soon_a_walk_stops() {
    let mut data = Clustered::new(DIM, 12);
    let index = indexed((0..COUNT).map(|_| data.draw()), true);
    let all = BitSet::full(COUNT);
    let soon = VectorSearch {
        watched: 1,
        ef: 60,
        ..search(60, &all, COUNT as usize)
    };
    let mut missed = 0;
    for _ in 0..40 {
        let query = data.draw();
        let truth = index.search(&query, &exact(soon.clone()), &all);
        let near: Vec<u32> = truth.iter().map(|hit| hit.doc).collect();
        let walked = index.search(&query, &soon, &all);
        missed += usize::from(walked != truth);
        let never = Cancellation::never();
        // Those that are not near and those that do not exist are no hits.
        let known: Vec<u32> = near.into_iter().chain([0, COUNT, u32::MAX]).collect();
        let found = index.search_knowing(&query, &soon, &all, &known, &never);
        assert_eq!(found, Ok(truth));
    }
    assert!(missed > 10, "{missed}");
}

#[test]
fn filters_of_any_pass_rate_keep_recall() {
    let mut data = Clustered::new(DIM, 4);
    let index = indexed((0..COUNT).map(|_| data.draw()), true);
    let queries: Vec<Vec<f32>> = (0..30).map(|_| data.draw()).collect();
    let mut rng = Rng(5);
    for share in [1.0, 0.9, 0.7, 0.5, 0.3, 0.1, 0.03, 0.01, 0.001, 0.0001] {
        let pass = |_: &u32| rng.unit() < share;
        let accept: BitSet = (0..COUNT).filter(pass).chain([17]).collect();
        let found = recall(&index, &queries, 10, &accept, COUNT as usize);
        assert!(found >= 0.98, "{share}: {found}");
        if share >= 0.3 {
            let found = recall_of_ceiling(&index, &queries, &accept);
            assert!(found >= 0.98, "{share}, the ceiling: {found}");
        }
    }
}

#[test]
fn filters_that_accept_only_what_is_near_or_far_keep_recall() {
    let mut data = Clustered::new(DIM, 6);
    let index = indexed(
        (0..COUNT as usize).map(|doc| data.draw_near(doc % 60)),
        true,
    );
    let queries: Vec<Vec<f32>> = (0..30).map(|i| data.draw_near(i % 15)).collect();
    for (name, clusters) in [("near", 0..15), ("far", 15..60), ("farther", 50..60)] {
        let passes = |doc: &u32| clusters.contains(&(doc % 60));
        let accept: BitSet = (0..COUNT).filter(passes).collect();
        let found = recall(&index, &queries, 10, &accept, COUNT as usize);
        assert!(found >= 0.98, "{name}: {found}");
    }
}

#[test]
fn every_metric_that_codes_serve_finds_its_way_at_any_dimension() {
    for dim in [64, 300, 1536] {
        for metric in [
            Metric::PrenormalizedAngular,
            Metric::Angular,
            Metric::Euclidean,
            Metric::DotProduct,
        ] {
            let mut data = Clustered::new(dim, 7);
            let index = VectorIndex::new(params(dim, metric));
            for doc in 0..2_100 {
                index.push(&data.draw(), doc, 0).unwrap();
            }
            settle(&index);
            let queries: Vec<Vec<f32>> = (0..20).map(|_| data.draw()).collect();
            let accept = BitSet::full(2_100);
            let found = recall(&index, &queries, 10, &accept, 2_100);
            let walked = recall_of_ceiling(&index, &queries, &accept);
            assert!(
                found.min(walked) >= 0.98,
                "{metric} {dim}: {found} {walked}"
            );
        }
    }
}

#[test]
fn fifty_generations_of_churn_cost_next_to_no_recall() {
    let mut data = Clustered::new(64, 8);
    let metric = Metric::PrenormalizedAngular;
    let index = VectorIndex::new(params(64, metric));
    let mut alive: Vec<u32> = (0..4_000).collect();
    for &doc in &alive {
        index.push(&data.draw(), doc, 0).unwrap();
    }
    settle(&index);
    let queries: Vec<Vec<f32>> = (0..100).map(|_| data.draw()).collect();
    let recall =
        |alive: &[u32]| recall_of_ceiling(&index, &queries, &alive.iter().copied().collect());
    let before = recall(&alive);
    let mut rng = Rng(9);
    for generation in 0..50 {
        for i in 0..200 {
            let doc = alive.swap_remove(rng.below(alive.len()));
            index.remove(doc);
            // Half of them come back under the name they had.
            let doc = if i % 2 == 0 {
                doc
            } else {
                4_000 + generation * 200 + i
            };
            index.push(&data.draw(), doc, 0).unwrap();
            alive.push(doc);
        }
        settle(&index);
    }
    let after = recall(&alive);
    assert!(after >= before - 0.005, "{after} after {before}");
    assert_eq!(index.unreachable(), []);
    assert_eq!(index.len(), 4_000);
}
