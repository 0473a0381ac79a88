//! Passes over a set of queries. Only searching is inside the clock.

use std::time::Instant;

use serde_json::{Value, json};

use crate::graph::{Accept, Graph, Wish};

/// What every search of a pass has in common.
pub struct Pass<'a> {
    pub graph: &'a Graph,
    pub accept: &'a Accept,
    pub dim: usize,
    pub wish: Wish,
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

    /// As `run` on one thread, `lanes` queries at once.
    pub fn run_interleaved(&self, queries: &[f32], lanes: usize) -> Value {
        let queries: Vec<&[f32]> = queries.chunks_exact(self.dim).collect();
        let mut found = Vec::with_capacity(queries.len());
        let started = Instant::now();
        for queries in queries.chunks(lanes) {
            found.extend(self.graph.search_many(queries, self.wish, self.accept));
        }
        answer(started, found)
    }

    fn search_all(&self, queries: &[f32]) -> Vec<Vec<u32>> {
        let searches = queries.chunks_exact(self.dim);
        searches
            .map(|query| self.graph.search(query, self.wish, self.accept))
            .collect()
    }
}

fn answer(started: Instant, neighbors: Vec<Vec<u32>>) -> Value {
    json!({ "seconds": started.elapsed().as_secs_f64(), "neighbors": neighbors })
}
