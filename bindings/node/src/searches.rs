//! Searches that wait for a thread. A thread takes several of one index, because together they cost
//! less than one after the other; it takes what already waits and waits for no more.

use std::collections::{HashMap, VecDeque};

use parking_lot::Mutex;
use pelorus_engine::{Engine, SearchRequest};

use crate::bytes::Bytes;
use crate::pool;
use crate::promise::Pending;

/// Searches taken together at most: walks of more crowd each other out of the nearest cache.
const TOGETHER_MAX: usize = 4;

/// One search and its promise.
pub(crate) struct Search {
    pub plan: Vec<u8>,
    pub vectors: Vec<f32>,
    pub pending: Pending<Bytes>,
}

impl Search {
    fn request(&self) -> SearchRequest<'_> {
        SearchRequest {
            plan: &self.plan,
            vectors: &self.vectors,
        }
    }
}

/// What waits for each index, oldest first.
pub(crate) type Searches = Lines<Search>;

/// Answers what waits for `index`: several searches, or none where another thread took them all.
/// With one call for each search none is forgotten, and none waits longer than it would alone in
/// its place.
pub(crate) fn run(engine: &Engine, searches: &Searches, index: &str) {
    let taken = searches.take(index, |waiting| share(waiting, pool::idle()));
    let requests: Vec<SearchRequest<'_>> = taken.iter().map(Search::request).collect();
    let answers = engine.search_many(index, &requests);
    for (search, answer) in taken.into_iter().zip(answers) {
        search.pending.settle(answer.map(Bytes).map_err(Into::into));
    }
}

/// How many of those that wait one thread takes: threads without work get theirs.
fn share(waiting: usize, idle_threads: usize) -> usize {
    waiting.div_ceil(idle_threads + 1).min(TOGETHER_MAX)
}

/// Queues by name.
pub(crate) struct Lines<T> {
    lines: Mutex<HashMap<String, VecDeque<T>>>,
}

impl<T> Lines<T> {
    pub fn new() -> Self {
        Lines {
            lines: Mutex::default(),
        }
    }

    pub fn push(&self, name: &str, item: T) {
        let mut lines = self.lines.lock();
        match lines.get_mut(name) {
            Some(line) => line.push_back(item),
            None => _ = lines.insert(name.to_owned(), VecDeque::from([item])),
        }
    }

    /// Takes as many of the oldest as `share` makes of their number.
    fn take(&self, name: &str, share: impl FnOnce(usize) -> usize) -> Vec<T> {
        let mut lines = self.lines.lock();
        let Some(line) = lines.get_mut(name) else {
            return Vec::new();
        };
        let count = share(line.len()).min(line.len());
        let taken = line.drain(..count).collect();
        // Names are any the callers make up: those nobody waits for must not add up.
        if line.is_empty() {
            lines.remove(name);
        }
        taken
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_takes_the_oldest_and_leaves_idle_threads_their_share() {
        assert_eq!([0, 1, 3, 9].map(|waiting| share(waiting, 0)), [0, 1, 3, 4]);
        assert_eq!([0, 1, 3, 9].map(|waiting| share(waiting, 1)), [0, 1, 2, 4]);
        assert_eq!([0, 1, 3, 9].map(|waiting| share(waiting, 7)), [0, 1, 1, 2]);
        let lines = Lines::new();
        (0..6).for_each(|number| lines.push("a", number));
        lines.push("b", 6);
        assert_eq!(lines.take("a", |_| 4), [0, 1, 2, 3]);
        lines.push("a", 7);
        assert_eq!(lines.take("a", |waiting| waiting), [4, 5, 7]);
        assert!(lines.take("a", |waiting| waiting).is_empty());
        assert_eq!(lines.lines.lock().len(), 1, "an empty line is gone");
        assert_eq!(lines.take("b", |_| 4), [6]);
    }
}
