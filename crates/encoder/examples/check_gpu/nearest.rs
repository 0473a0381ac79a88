//! The exact search for the nearest, beside a search of every row.

use std::time::Instant;

use pelorus_cuda::{NearestSearch, Nearness, Neighbor, reference};
use pelorus_random::SplitMix64;

use crate::peers::{self, Peers};
use crate::report::Report;
use crate::{Bench, Failure};

/// Neighbors that are looked for.
const K: usize = 10;

pub fn check(bench: &Bench<'_>, report: &mut Report) -> Result<(), Failure> {
    let Bench {
        device,
        kernels,
        settings,
        scratch,
    } = bench;
    // The bound has tiles go by: it is less than all vectors take.
    let (rows, dim, queries, bound) = if settings.is_small {
        (1000, 48, 5, 200_000)
    } else {
        (100_000, 384, 64, 64 << 20)
    };
    let mut random = SplitMix64(5);
    let mut floats = |count: usize| -> Vec<f32> { (0..count).map(|_| random.normal()).collect() };
    let (vectors, searched) = (floats(rows * dim), floats(queries * dim));
    let some: Vec<u32> = (0..rows as u32).step_by(7).collect();
    for nearness in [Nearness::Dot, Nearness::L2] {
        // With all rows there, and with tiles.
        for bytes_max in [usize::MAX, bound] {
            let search =
                NearestSearch::new(device, &vectors, dim, nearness, bytes_max, Some(kernels));
            let mut search = search?;
            for among in [None, Some(&some[..])] {
                let found = search.nearest(&searched, K, among)?;
                let worst = worst(&vectors, &searched, dim, nearness, among, &found);
                let place = if search.is_resident() {
                    "resident"
                } else {
                    "tiles"
                };
                let kind = if among.is_some() { ", filtered" } else { "" };
                let what = format!("nearest {nearness:?}, {place}{kind}");
                let figure = format!("{worst:.1e} is the largest difference of a score");
                report.judge(&what, worst < 1e-4, &figure);
            }
        }
    }
    let search = NearestSearch::new(
        device,
        &vectors,
        dim,
        Nearness::Dot,
        usize::MAX,
        Some(kernels),
    );
    let mut search = search?;
    let found = search.nearest(&searched, K, None)?;
    let rounds = if settings.is_small { 1 } else { 10 };
    let begun = Instant::now();
    for _ in 0..rounds {
        search.nearest(&searched, K, None)?;
    }
    let seconds = begun.elapsed().as_secs_f64() / f64::from(rounds);
    let rate = queries as f64 / seconds;
    let figure =
        format!("{rate:.0} queries a second among {rows} rows of {dim}, {queries} at once");
    report.figure("nearest, ours", &figure);
    let peers = Peers::of(settings);
    let figures = peers.nearest(scratch, &vectors, &searched, dim, &found)?;
    peers::judge_nearest(&figures, rate, report);
    Ok(())
}

/// The largest difference, relative to the score, between a neighbor that was found and the one of its place.
fn worst(
    vectors: &[f32],
    queries: &[f32],
    dim: usize,
    nearness: Nearness,
    among: Option<&[u32]>,
    found: &[Neighbor],
) -> f32 {
    let all: Vec<u32> = (0..(vectors.len() / dim) as u32).collect();
    let rows = among.unwrap_or(&all);
    let width = K.min(rows.len());
    if found.len() != queries.len() / dim * width {
        return f32::INFINITY;
    }
    let mut worst: f32 = 0.0;
    // A few queries do: the processor takes its time.
    let some = queries
        .chunks_exact(dim)
        .zip(found.chunks_exact(width))
        .take(8);
    for (query, found) in some {
        let mut scores = reference::nearness(query, vectors, rows, dim, nearness);
        let own: Vec<u32> = found.iter().map(|neighbor| neighbor.row).collect();
        let of_rows = reference::nearness(query, vectors, &own, dim, nearness);
        scores.sort_by(|a, b| b.total_cmp(a));
        for ((neighbor, of_row), expected) in found.iter().zip(of_rows).zip(scores) {
            let is_row = among.is_none_or(|among| among.binary_search(&neighbor.row).is_ok());
            let size = expected.abs().max(1.0);
            let error = (of_row - expected)
                .abs()
                .max((neighbor.score - of_row).abs())
                / size;
            worst = worst.max(if is_row && !error.is_nan() {
                error
            } else {
                f32::INFINITY
            });
        }
    }
    worst
}
