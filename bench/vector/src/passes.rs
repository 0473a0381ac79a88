//! Passes over a set of queries. Only searching is inside the clock.

use std::time::Instant;

use serde_json::{Value, json};

use crate::graph::{Accept, Graph};

/// What every search of a pass has in common.
pub struct Pass<'a> {
    pub graph: &'a Graph,
    pub accept: &'a Accept,
    pub dim: usize,
    pub k: usize,
    pub ef: usize,
}

impl Pass<'_> {
    /// Searches for each of `queries`, `[n, dim]`, one after the other on each thread.
    pub fn run(&self, queries: &[f32], threads: usize) -> Value {
        let share = (queries.len() / self.dim).div_ceil(threads).max(1) * self.dim;
        let started = Instant::now();
        let parts: Vec<Vec<Vec<u32>>> = if threads == 1 {
            vec![self.search_all(queries)]
        } else {
            std::thread::scope(|scope| {
                let search = |part| scope.spawn(move || self.search_all(part));
                let workers: Vec<_> = queries.chunks(share).map(search).collect();
                workers
                    .into_iter()
                    .map(|worker| worker.join().expect("searching does not panic"))
                    .collect()
            })
        };
        answer(started, parts.concat())
    }

    fn search_all(&self, queries: &[f32]) -> Vec<Vec<u32>> {
        let searches = queries.chunks_exact(self.dim);
        searches
            .map(|query| self.graph.search(query, self.k, self.ef, self.accept))
            .collect()
    }
}

fn answer(started: Instant, neighbors: Vec<Vec<u32>>) -> Value {
    json!({ "seconds": started.elapsed().as_secs_f64(), "neighbors": neighbors })
}
