//! Searches while documents are written: the rate, the latencies, and the recall of what was
//! answered at the moment it was answered.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use serde_json::{Value, json};

use crate::corpus::Corpus;
use crate::graph::{Accept, Graph, Wish};
use crate::truth::exact_neighbors;

/// Units of maintenance between two looks for the end: what the engine's maintenance does at once.
const SLICE: usize = 16;
/// Searches whose answers are compared with an exact search afterwards.
const CHECKED: usize = 200;

pub struct Stream<'a> {
    pub graph: &'a Graph,
    pub corpus: &'a Mutex<Corpus>,
    /// `[n, dim]`
    pub queries: &'a [f32],
    pub wish: Wish,
    pub writes_per_second: usize,
    pub seconds: f64,
}

/// One search: when it ran, in events, and what it answered.
struct Searched {
    query: usize,
    events: usize,
    micros: f64,
    found: Vec<u32>,
}

impl Stream<'_> {
    /// One thread searches, one writes (adding, replacing and removing in turn), one keeps up.
    pub fn run(&self) -> Value {
        let stop = AtomicBool::new(false);
        let started = Instant::now();
        let searched = thread::scope(|scope| {
            scope.spawn(|| self.maintain(&stop));
            if self.writes_per_second > 0 {
                scope.spawn(|| self.write(&stop));
            }
            let searched = self.search();
            stop.store(true, Ordering::Relaxed);
            searched
        });
        let seconds = started.elapsed().as_secs_f64();
        let mut micros: Vec<f64> = searched.iter().map(|searched| searched.micros).collect();
        micros.sort_by(f64::total_cmp);
        let quantile = |q: f64| micros[((micros.len() - 1) as f64 * q).round() as usize];
        json!({
            "qps": searched.len() as f64 / seconds,
            "p50Us": quantile(0.5),
            "p99Us": quantile(0.99),
            "recall": self.recall(&searched),
        })
    }

    fn search(&self) -> Vec<Searched> {
        let dim = self.corpus.lock().dim;
        let count = self.queries.len() / dim;
        let mut searched = Vec::new();
        let mut accept = Accept::all(0);
        let begin = Instant::now();
        while begin.elapsed().as_secs_f64() < self.seconds {
            let query = searched.len() % count;
            let events = self.look(&mut accept);
            let started = Instant::now();
            let vector = &self.queries[query * dim..][..dim];
            let found = self.graph.search(vector, self.wish, &accept);
            let micros = started.elapsed().as_secs_f64() * 1e6;
            let undisturbed = self.corpus.lock().events() == events;
            searched.push(Searched {
                query,
                events: if undisturbed { events } else { usize::MAX },
                micros,
                found,
            });
        }
        searched
    }

    /// The moment. All documents there have been are accepted: removed ones the index leaves out.
    fn look(&self, accept: &mut Accept) -> usize {
        let corpus = self.corpus.lock();
        if accept.count != corpus.len() {
            *accept = Accept::all(corpus.len());
        }
        corpus.events()
    }

    /// Does the work of the engine's maintenance, at its low priority.
    fn maintain(&self, stop: &AtomicBool) {
        #[cfg(target_os = "linux")]
        let _ = rustix::process::setpriority_process(None, 10);
        while !stop.load(Ordering::Relaxed) {
            if !self.graph.maintain(SLICE) {
                thread::sleep(Duration::from_millis(1));
            }
        }
    }

    fn write(&self, stop: &AtomicBool) {
        let started = Instant::now();
        let mut written = 0;
        while !stop.load(Ordering::Relaxed) {
            let due = (started.elapsed().as_secs_f64() * self.writes_per_second as f64) as usize;
            (written..due).for_each(|number| self.write_one(number));
            written = due;
            thread::sleep(Duration::from_micros(500));
        }
    }

    /// The corpus stays locked until the index has the change, so that events and answers agree.
    fn write_one(&self, number: usize) {
        let mut corpus = self.corpus.lock();
        if number % 3 != 2 {
            let document = corpus.add();
            self.graph.push(corpus.row(document));
        }
        if !number.is_multiple_of(3) {
            let document = corpus.any_living();
            self.graph.remove(document);
            corpus.remove(document);
        }
    }

    /// The mean over searches during which nothing was written, spread over the whole time.
    fn recall(&self, searched: &[Searched]) -> Option<f64> {
        let corpus = self.corpus.lock();
        let quiet: Vec<&Searched> = searched
            .iter()
            .filter(|one| one.events != usize::MAX)
            .collect();
        let step = quiet.len().div_ceil(CHECKED).max(1);
        let mut by_moment: HashMap<usize, Vec<&Searched>> = HashMap::new();
        for one in quiet.iter().step_by(step) {
            by_moment.entry(one.events).or_default().push(one);
        }
        let (mut hits, mut wanted) = (0, 0);
        for (events, searched) in by_moment {
            let living = corpus.living_after(events);
            for one in searched {
                let query = &self.queries[one.query * corpus.dim..][..corpus.dim];
                let among = [Some(&living[..])];
                let truth =
                    exact_neighbors(corpus.vectors(), query, corpus.dim, self.wish.k, &among);
                hits += truth[0].iter().filter(|id| one.found.contains(id)).count();
                wanted += truth[0].len();
            }
        }
        (wanted > 0).then(|| hits as f64 / wanted as f64)
    }
}
