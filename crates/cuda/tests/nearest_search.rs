//! The exact search for the nearest on the emulated machine, beside a search of every row in plain Rust.

mod machine;

use std::sync::Arc;

use machine::{Counts, has_compiler, libraries, with};
use pelorus_cuda::{Cuda, Device, DeviceError, NearestSearch, Nearness, Neighbor, encode_key};
use pelorus_random::SplitMix64;

const EVERYTHING: usize = usize::MAX;

fn device() -> Arc<Device> {
    let cuda = Arc::new(Cuda::find(libraries()).expect("a device"));
    Device::open(&cuda, 0).expect("it opens")
}

type Make = fn(&mut SplitMix64, usize) -> Vec<f32>;

/// Values of which many are equal, so that many rows are as near as others.
fn coarse(random: &mut SplitMix64, count: usize) -> Vec<f32> {
    (0..count).map(|_| random.below(3) as f32 - 1.0).collect()
}

fn fine(random: &mut SplitMix64, count: usize) -> Vec<f32> {
    (0..count).map(|_| random.normal()).collect()
}

/// One after the other, as kernels add up.
fn score(query: &[f32], row: &[f32], nearness: Nearness) -> f32 {
    let pairs = query.iter().zip(row);
    match nearness {
        Nearness::Dot => pairs.fold(0.0, |sum, (a, b)| a.mul_add(*b, sum)),
        Nearness::L2 => pairs.fold(0.0, |sum, (a, b)| (b - a).mul_add(a - b, sum)),
    }
}

/// The nearest by a search of every row: the largest score first, of equal ones the first row.
fn expected(
    vectors: &[f32],
    queries: &[f32],
    dim: usize,
    nearness: Nearness,
    k: usize,
    among: Option<&[u32]>,
) -> Vec<Neighbor> {
    let all: Vec<u32> = (0..(vectors.len() / dim) as u32).collect();
    let rows = among.unwrap_or(&all);
    let mut found = Vec::new();
    for query in queries.chunks_exact(dim) {
        let scored = rows.iter().map(|&row| Neighbor {
            row,
            score: score(query, &vectors[row as usize * dim..][..dim], nearness),
        });
        let mut scored: Vec<_> = scored.collect();
        scored.sort_by_key(|one| std::cmp::Reverse(encode_key(one.score, one.row)));
        scored.truncate(k);
        found.extend(scored);
    }
    found
}

/// Bytes in which the search below has to do with tiles of few rows.
fn little(dim: usize, queries: usize, k: usize) -> usize {
    let tile = 128 * (2 * (dim + 1) + queries) * 4;
    tile + queries * (dim * 4 + 5 * k * 8)
}

#[test]
fn the_nearest_are_those_of_a_search_of_every_row_whatever_the_tiles() {
    if !has_compiler() {
        return;
    }
    let device = device();
    let mut random = SplitMix64(1);
    for (rows, dim, queries, k) in [(1, 1, 1, 5), (520, 9, 3, 20), (130, 16, 65, 7)] {
        for (make, nearness) in [(coarse as Make, Nearness::Dot), (fine, Nearness::L2)] {
            let vectors = make(&mut random, rows * dim);
            let searched = make(&mut random, queries * dim);
            let some: Vec<u32> = (0..rows as u32).filter(|_| random.below(3) == 0).collect();
            for bytes_max in [EVERYTHING, little(dim, queries, k)] {
                let search = NearestSearch::new(&device, &vectors, dim, nearness, bytes_max, None);
                let mut search = search.expect("it is ready");
                assert_eq!(search.is_resident(), bytes_max == EVERYTHING || rows != 520);
                for among in [None, Some(&some[..]), Some(&[])] {
                    let found = search.nearest(&searched, k, among).expect("neighbors");
                    let of = expected(&vectors, &searched, dim, nearness, k, among);
                    assert_eq!(found, of, "{rows} rows, {nearness:?}");
                }
            }
        }
    }
}

#[test]
fn few_queries_and_many_have_the_same_neighbors() {
    if !has_compiler() {
        return;
    }
    let (device, mut random, dim) = (device(), SplitMix64(2), 8);
    let vectors = fine(&mut random, 300 * dim);
    let queries = fine(&mut random, 20 * dim);
    let whole = NearestSearch::new(&device, &vectors, dim, Nearness::Dot, EVERYTHING, None);
    let whole = whole.expect("it is ready").nearest(&queries, 10, None);
    let whole = whole.expect("neighbors");
    // Room for a few queries at once.
    let bytes_max = little(dim, 3, 10);
    let search = NearestSearch::new(&device, &vectors, dim, Nearness::Dot, bytes_max, None);
    let mut search = search.expect("it is ready");
    let launches = || with(|machine| machine.counts.launches);
    let before = launches();
    assert_eq!(search.nearest(&queries, 10, None), Ok(whole.clone()));
    assert!(launches() > before + 7 * 8, "many groups of queries");
    for (query, neighbors) in queries.chunks_exact(dim).zip(whole.chunks_exact(10)) {
        assert_eq!(search.nearest(query, 10, None).as_deref(), Ok(neighbors));
    }
}

#[test]
fn a_search_takes_no_more_than_its_memory() {
    if !has_compiler() {
        return;
    }
    let (device, mut random, dim) = (device(), SplitMix64(3), 16);
    let vectors = fine(&mut random, 1000 * dim);
    let queries = fine(&mut random, 5 * dim);
    // A driver rounds each piece up to 512 bytes.
    let rounding = 10 * 512;
    for bytes_max in [little(dim, 5, 4), 70_000, 100_000] {
        with(|machine| machine.room = machine.counts.bytes + bytes_max + rounding);
        let search = NearestSearch::new(&device, &vectors, dim, Nearness::L2, bytes_max, None);
        let mut search = search.expect("it is ready");
        let found = search.nearest(&queries, 4, None);
        let of = expected(&vectors, &queries, dim, Nearness::L2, 4, None);
        assert_eq!(found, Ok(of));
    }
}

#[test]
fn little_memory_makes_tiles_smaller_and_too_little_is_told() {
    if !has_compiler() {
        return;
    }
    let (device, mut random, dim) = (device(), SplitMix64(4), 16);
    let vectors = fine(&mut random, 1000 * dim);
    let queries = fine(&mut random, 5 * dim);
    let of = expected(&vectors, &queries, dim, Nearness::Dot, 4, None);
    let new = || NearestSearch::new(&device, &vectors, dim, Nearness::Dot, EVERYTHING, None);
    // Others took the memory: there is room for all vectors, or for tiles, but not for both.
    with(|machine| machine.room = machine.counts.bytes + 70_000);
    let mut search = new().expect("it is ready");
    assert!(search.is_resident());
    assert_eq!(search.nearest(&queries, 4, None), Ok(of.clone()));
    drop(search);
    with(|machine| machine.room = machine.counts.bytes + 60_000);
    let mut search = new().expect("it is ready");
    assert!(!search.is_resident(), "the vectors have no room");
    assert_eq!(search.nearest(&queries, 4, None), Ok(of.clone()));
    let before = with(|machine| machine.counts.bytes);
    drop(search);
    with(|machine| machine.room = machine.counts.bytes + 4_000);
    let mut search = new().expect("it is ready");
    for _ in 0..2 {
        let refused = search.nearest(&queries, 4, None);
        let is_told = matches!(refused, Err(DeviceError::OutOfMemory { .. }));
        assert!(is_told, "{refused:?}");
    }
    assert!(with(|machine| machine.counts.bytes) < before);
    with(|machine| machine.room = usize::MAX);
    assert_eq!(search.nearest(&queries, 4, None), Ok(of));
    // The bound is too low, however much there is.
    let search = NearestSearch::new(&device, &vectors, dim, Nearness::Dot, 5_000, None);
    let refused = search.expect("it is ready").nearest(&queries, 4, None);
    let is_told = matches!(refused, Err(DeviceError::OutOfMemory { bytes: 5_001.. }));
    assert!(is_told, "{refused:?}");
}

#[test]
fn more_results_than_the_kernels_find_are_refused() {
    if !has_compiler() {
        return;
    }
    let device = device();
    let search = NearestSearch::new(&device, &[1.0], 1, Nearness::Dot, EVERYTHING, None);
    let mut search = search.expect("it is ready");
    for k in [0, 1025, usize::MAX] {
        let refused = search.nearest(&[1.0], k, None);
        assert!(matches!(refused, Err(DeviceError::Size(_))), "{refused:?}");
    }
    let only = Neighbor { row: 0, score: 2.0 };
    assert_eq!(search.nearest(&[2.0], 1024, None), Ok(vec![only]));
    assert_eq!(search.nearest(&[], 3, None), Ok(vec![]));
}

#[test]
fn scores_that_are_no_numbers_come_last() {
    if !has_compiler() {
        return;
    }
    let device = device();
    let vectors = [f32::NAN, 1.0, f32::INFINITY, f32::NEG_INFINITY, -0.0, 0.0];
    let search = NearestSearch::new(&device, &vectors, 1, Nearness::Dot, EVERYTHING, None);
    let found = search.expect("it is ready").nearest(&[1.0], 6, None);
    let rows: Vec<u32> = found
        .expect("neighbors")
        .iter()
        .map(|one| one.row)
        .collect();
    assert_eq!(rows, [2, 1, 4, 5, 3, 0]);
}

#[test]
#[should_panic(expected = "rows are those of the vectors")]
fn a_row_that_is_not_there_is_never_looked_at() {
    let device = device();
    let search = NearestSearch::new(&device, &[1.0], 1, Nearness::Dot, EVERYTHING, None);
    let _ = search.expect("it is ready").nearest(&[1.0], 1, Some(&[1]));
}

#[test]
fn a_lost_device_is_told_and_everything_is_given_back() {
    if !has_compiler() {
        return;
    }
    let vectors = [1.0, 2.0, 3.0];
    {
        let device = device();
        let search = NearestSearch::new(&device, &vectors, 1, Nearness::Dot, EVERYTHING, None);
        let mut search = search.expect("it is ready");
        search.nearest(&[1.0], 2, None).expect("neighbors");
    }
    let Counts { bytes, objects, .. } = with(|machine| machine.counts);
    assert_eq!((bytes, objects), (0, 0));
    let device = device();
    let search = NearestSearch::new(&device, &vectors, 1, Nearness::Dot, EVERYTHING, None);
    let mut search = search.expect("it is ready");
    with(|machine| machine.failing.insert("cuStreamSynchronize", 719));
    let lost = search.nearest(&[1.0], 2, None);
    assert!(matches!(lost, Err(DeviceError::Lost { .. })), "{lost:?}");
    with(|machine| machine.failing.clear());
    assert_eq!(search.nearest(&[1.0], 2, None), lost);
}
