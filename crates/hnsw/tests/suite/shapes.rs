//! The default search finds the same as the exact one in data of awkward shape: vectors far longer
//! than the rest, equal ones, one that is near to all, clusters that hold more than a row of links.

use crate::support::{Rng, params, recall, settle};
use pelorus_hnsw::{Metric, VectorIndex};
use pelorus_kernels::BitSet;

const COUNT: usize = 4_500;
const DIM: usize = 32;

fn gauss(rng: &mut Rng, scale: f32) -> Vec<f32> {
    (0..DIM).map(|_| scale * rng.normal()).collect()
}

fn sum(x: &[f32], y: &[f32]) -> Vec<f32> {
    x.iter().zip(y).map(|(x, y)| x + y).collect()
}

fn unit(x: &[f32]) -> Vec<f32> {
    let length = x.iter().map(|x| x * x).sum::<f32>().sqrt();
    x.iter().map(|x| x / length).collect()
}

/// An index of `vectors`, put in a thousand at a time, each a document of its own.
fn indexed(metric: Metric, vectors: &[Vec<f32>]) -> VectorIndex {
    let index = VectorIndex::new(params(DIM, metric));
    for (doc, vector) in vectors.iter().enumerate() {
        index
            .push(vector, doc as u32, 0)
            .expect("an index in memory");
        if doc % 1_000 == 999 {
            settle(&index);
        }
    }
    settle(&index);
    index
}

/// Recall without a filter and with ones that let much and little pass, each at least `least`;
/// all nodes reachable; and both again after a third of the documents went.
fn assert_found(
    name: &str,
    metric: Metric,
    vectors: &[Vec<f32>],
    queries: &[Vec<f32>],
    least: f64,
) {
    let index = indexed(metric, vectors);
    let count = vectors.len() as u32;
    let check = |stage: &str, alive: &dyn Fn(u32) -> bool| {
        assert_eq!(index.unreachable(), [], "{name} {metric}, {stage}");
        for tenths in [10, 7, 1] {
            let passes = |&doc: &u32| doc * 7 % 10 < tenths && alive(doc);
            let accept: BitSet = (0..count).filter(passes).collect();
            let found = recall(&index, queries, 10, &accept, index.len());
            assert!(
                found >= least,
                "{name} {metric}, {stage}, {tenths} of 10 pass: {found}"
            );
        }
    };
    check("all there", &|_| true);
    let gone = |doc: u32| doc.is_multiple_of(3);
    (0..count)
        .filter(|&doc| gone(doc))
        .for_each(|doc| index.remove(doc));
    settle(&index);
    check("a third gone", &|doc| !gone(doc));
}

#[test]
fn a_few_very_long_vectors_leave_the_rest_findable() {
    for metric in [
        Metric::Euclidean,
        Metric::DotProduct,
        Metric::PrenormalizedAngular,
    ] {
        for (one_in, length) in [(COUNT, 1000.0), (300, 100.0)] {
            let mut rng = Rng(1);
            let vectors: Vec<Vec<f32>> = (0..COUNT)
                .map(|i| gauss(&mut rng, if i % one_in == 5 { length } else { 1.0 }))
                .collect();
            let queries: Vec<Vec<f32>> = (0..40).map(|_| gauss(&mut rng, 1.0)).collect();
            assert_found("long", metric, &vectors, &queries, 0.98);
        }
    }
}

#[test]
fn vectors_of_two_scales_or_of_many_are_found() {
    for metric in [Metric::Euclidean, Metric::DotProduct] {
        let mut rng = Rng(2);
        let mut halves = |i: usize| gauss(&mut rng, if i.is_multiple_of(2) { 1.0 } else { 100.0 });
        let vectors: Vec<Vec<f32>> = (0..COUNT).map(&mut halves).collect();
        let queries: Vec<Vec<f32>> = (0..40).map(&mut halves).collect();
        assert_found("halves", metric, &vectors, &queries, 0.98);
        let mut any = |_| {
            let scale = (0.5 * rng.normal()).exp();
            gauss(&mut rng, scale)
        };
        let vectors: Vec<Vec<f32>> = (0..COUNT).map(&mut any).collect();
        let queries: Vec<Vec<f32>> = (0..40).map(&mut any).collect();
        assert_found("many scales", metric, &vectors, &queries, 0.98);
    }
}

#[test]
fn equal_vectors_are_all_found_and_hide_no_other() {
    for (name, equal) in [("fifty", 1..51), ("half", 1_000..4_000)] {
        let mut rng = Rng(3);
        let same = gauss(&mut rng, 1.0);
        let vectors: Vec<Vec<f32>> = (0..COUNT)
            .map(|i| match equal.contains(&i) {
                true => same.clone(),
                false => gauss(&mut rng, 1.0),
            })
            .collect();
        let mut queries: Vec<Vec<f32>> = (0..40).map(|_| gauss(&mut rng, 1.0)).collect();
        queries.push(same);
        assert_found(name, Metric::Euclidean, &vectors, &queries, 0.98);
    }
    let mut rng = Rng(4);
    let places: Vec<Vec<f32>> = (0..COUNT / 5).map(|_| gauss(&mut rng, 1.0)).collect();
    let vectors: Vec<Vec<f32>> = places.iter().cycle().take(COUNT).cloned().collect();
    let queries: Vec<Vec<f32>> = (0..40).map(|_| gauss(&mut rng, 1.0)).collect();
    assert_found("five of each", Metric::Euclidean, &vectors, &queries, 0.98);
}

#[test]
fn a_vector_that_is_near_to_all_is_not_their_only_way() {
    let mut rng = Rng(5);
    let centre = unit(&gauss(&mut rng, 1.0));
    let mut draw = |_| {
        let noise = unit(&gauss(&mut rng, 1.0));
        let noise: Vec<f32> = noise.iter().map(|x| 0.3 * x).collect();
        unit(&sum(&centre, &noise))
    };
    let mut vectors: Vec<Vec<f32>> = (0..COUNT).map(&mut draw).collect();
    let queries: Vec<Vec<f32>> = (0..40).map(&mut draw).collect();
    vectors[0] = centre.clone();
    assert_found(
        "hub",
        Metric::PrenormalizedAngular,
        &vectors,
        &queries,
        0.98,
    );
}

#[test]
fn clusters_that_came_one_after_the_other_and_their_common_centre_are_found() {
    let mut rng = Rng(6);
    let centres: Vec<Vec<f32>> = (0..30).map(|_| gauss(&mut rng, 1.0)).collect();
    let mut near = |centre: &[f32], spread| sum(centre, &gauss(&mut rng, spread));
    let vectors: Vec<Vec<f32>> = (0..COUNT)
        .map(|i| near(&centres[i * 30 / COUNT], 0.02))
        .collect();
    let queries: Vec<Vec<f32>> = (0..40).map(|i| near(&centres[i * 7 % 30], 0.02)).collect();
    assert_found("clusters", Metric::Euclidean, &vectors, &queries, 0.98);
    let origin = [0.0; DIM];
    let of = |i: usize| {
        if i < COUNT / 2 {
            &centres[i % 30][..]
        } else {
            &origin
        }
    };
    let vectors: Vec<Vec<f32>> = (0..COUNT).map(|i| near(of(i), 0.3)).collect();
    let queries: Vec<Vec<f32>> = (0..40).map(|i| near(of(i * COUNT / 40), 0.3)).collect();
    assert_found("common centre", Metric::Euclidean, &vectors, &queries, 0.98);
}

#[test]
fn vectors_that_codes_cannot_tell_apart_are_found() {
    let mut rng = Rng(7);
    let places: Vec<Vec<f32>> = (0..60).map(|_| gauss(&mut rng, 1.0)).collect();
    let mut near = |i: usize| sum(&places[i % 60], &gauss(&mut rng, 1e-3));
    let vectors: Vec<Vec<f32>> = (0..COUNT).map(&mut near).collect();
    let queries: Vec<Vec<f32>> = (0..40).map(&mut near).collect();
    assert_found("nearly equal", Metric::Euclidean, &vectors, &queries, 0.98);
    let mut wide = |_| {
        let mut x = gauss(&mut rng, 1.0);
        x[0] *= 1000.0;
        x
    };
    let vectors: Vec<Vec<f32>> = (0..COUNT).map(&mut wide).collect();
    let queries: Vec<Vec<f32>> = (0..40).map(&mut wide).collect();
    assert_found(
        "one wide dimension",
        Metric::Euclidean,
        &vectors,
        &queries,
        0.98,
    );
}

#[test]
fn data_that_changes_after_training_is_found() {
    for (name, offset, spread) in [("far", 3_000.0, 1.0), ("tight", 8.0, 1e-3)] {
        let mut rng = Rng(8);
        let mut draw = |late: bool| {
            let mut x = gauss(&mut rng, if late { spread } else { 1.0 });
            x[0] += if late { offset } else { 0.0 };
            x
        };
        let vectors: Vec<Vec<f32>> = (0..COUNT).map(|i| draw(i > COUNT * 3 / 5)).collect();
        let queries: Vec<Vec<f32>> = (0..40).map(|i| draw(i % 2 == 0)).collect();
        assert_found(name, Metric::Euclidean, &vectors, &queries, 0.98);
    }
}

#[test]
fn an_index_that_loses_nearly_all_or_all_goes_on_with_others() {
    for left in [0, 1, 2, 3, 40] {
        let mut rng = Rng(9);
        let mut vectors: Vec<Vec<f32>> = (0..2_000).map(|_| gauss(&mut rng, 1.0)).collect();
        let index = indexed(Metric::Euclidean, &vectors);
        (left..2_000).for_each(|doc| index.remove(doc));
        settle(&index);
        // The first time the dead were left behind, which ended it.
        settle(&index);
        assert_eq!(index.len(), left as usize);
        for doc in 2_000..3_500 {
            let mut vector = gauss(&mut rng, 1.0);
            vector[0] += 50.0;
            index.push(&vector, doc, 0).expect("an index in memory");
            vectors.push(vector);
            if doc < 2_005 || doc % 500 == 0 {
                settle(&index);
            }
        }
        settle(&index);
        let accept: BitSet = (0..left).chain(2_000..3_500).collect();
        let queries: Vec<Vec<f32>> = vectors[2_000..].iter().step_by(40).cloned().collect();
        let found = recall(&index, &queries, 10, &accept, index.len());
        assert!(found >= 0.98, "{left} left: {found}");
    }
}
