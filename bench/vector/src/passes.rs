//! Passes over a set of queries. Only searching is inside the clock.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::graph::{Accept, Graph, Wish};

/// The parts that all searches of a pass share.
pub struct Pass<'a> {
    pub graph: &'a Graph,
    pub accept: &'a Accept,
    pub dim: usize,
    pub wish: Wish,
}

impl Pass<'_> {
    /// Searches for each of `queries`, `[n, dim]`, one after the other.
    pub fn run(&self, queries: &[f32]) -> Value {
        let started = Instant::now();
        let found = queries.chunks_exact(self.dim);
        let found = found.map(|query| self.search(query)).collect();
        answer(started.elapsed(), found)
    }

    /// Searches for each of `queries` so many times, whichever thread is free taking the next, and
    /// answers what one time over all of them took on average.
    pub fn run_on(&self, threads: usize, queries: &[f32], times: usize) -> Value {
        let queries: Vec<&[f32]> = queries.chunks_exact(self.dim).collect();
        let next = AtomicUsize::new(0);
        let take = || {
            let mut found = Vec::new();
            loop {
                let taken = next.fetch_add(1, Ordering::Relaxed);
                if taken >= times * queries.len() {
                    return found;
                }
                let at = taken % queries.len();
                let neighbors = self.search(queries[at]);
                if taken < queries.len() {
                    found.push((at, neighbors));
                }
            }
        };
        let started = Instant::now();
        let mut found = thread::scope(|scope| {
            let workers: Vec<_> = (0..threads).map(|_| scope.spawn(take)).collect();
            let found = workers.into_iter().map(|worker| worker.join());
            let found = found.map(|found| found.expect("searching does not panic"));
            found.collect::<Vec<_>>().concat()
        });
        let elapsed = started.elapsed() / times as u32;
        found.sort_unstable();
        answer(elapsed, found.into_iter().map(|(_, found)| found).collect())
    }

    fn search(&self, query: &[f32]) -> Vec<u32> {
        self.graph.search(query, self.wish, self.accept)
    }
}

fn answer(elapsed: Duration, neighbors: Vec<Vec<u32>>) -> Value {
    json!({ "seconds": elapsed.as_secs_f64(), "neighbors": neighbors })
}
