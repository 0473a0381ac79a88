//! The state that a reader sees: the set of live document versions at one sequence.

use std::collections::VecDeque;
use std::sync::Arc;

use arc_swap::ArcSwap;
use parking_lot::Mutex;
use pelorus_kernels::BitSet;
use pelorus_store::{ReadView, Store};

/// One published state. Ordinals are never reused, so the set alone decides which documents are
/// visible; columns, graphs and postings may already hold more or still hold less.
pub(crate) struct View {
    /// Ordinals of the live version of every document.
    pub alive: BitSet,
    /// The number of those.
    pub live: usize,
    /// The number of their vectors. Indexes of vectors may have those of dead versions besides.
    pub vectors: usize,
    /// The store as of this state: a document that a search found here can also be fetched here.
    pub snapshot: ReadView,
    /// Open as long as anybody reads the snapshot: another may be the store of the index by then.
    pub _store: Arc<Store>,
}

/// The current view and the ones that readers may still hold.
///
/// A replaced or deleted version is taken out of the derived structures only when no reader
/// holds a view in which it was alive: so a search never misses a document because another
/// request replaced it meanwhile.
pub(crate) struct Views<V = View> {
    current: ArcSwap<V>,
    retired: Mutex<VecDeque<(Arc<V>, Vec<u32>)>>,
}

impl<V> Views<V> {
    pub fn new(view: V) -> Self {
        Self {
            current: ArcSwap::from_pointee(view),
            retired: Mutex::default(),
        }
    }

    pub fn load(&self) -> Arc<V> {
        // A full load: the count of holders must include this reader.
        self.current.load_full()
    }

    /// Makes `view` current; `dead` are the versions that it no longer shows.
    pub fn publish(&self, view: V, dead: Vec<u32>) {
        let mut retired = self.retired.lock();
        let old = self.current.swap(Arc::new(view));
        retired.push_back((old, dead));
    }

    /// The dead versions that no reader can see any more, oldest first.
    pub fn reclaim(&self) -> Vec<u32> {
        let mut retired = self.retired.lock();
        let mut free = Vec::new();
        while let Some((view, _)) = retired.front()
            && Arc::strong_count(view) == 1
        {
            let (_, dead) = retired.pop_front().expect("the front was just looked at");
            free.extend(dead);
        }
        free
    }

    /// The dead versions that wait for readers to let go.
    pub fn retired(&self) -> BitSet {
        let retired = self.retired.lock();
        retired.iter().flat_map(|(_, dead)| dead).copied().collect()
    }

    /// True while versions wait for readers to let go.
    pub fn has_retired(&self) -> bool {
        !self.retired.lock().is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dead_version_waits_for_the_oldest_reader_that_saw_it() {
        let views = Views::new("1 and 2");
        let reader = views.load();
        views.publish("1, 2 and 3", vec![]);
        views.publish("1 and 3", vec![2]);
        assert_eq!(views.reclaim(), Vec::<u32>::new());
        assert_eq!((*reader, *views.load()), ("1 and 2", "1 and 3"));
        drop(reader);
        assert_eq!(views.reclaim(), [2]);
        assert!(!views.has_retired());
    }
}
