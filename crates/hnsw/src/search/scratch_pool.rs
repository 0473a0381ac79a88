//! Scratch memory of walks that are not running.

use crate::search::walk::WalkScratch;
use crate::sync::Mutex;

/// Bytes kept at most, for each node of the index and in all: enough for some fifty usual walks at
/// once. Many wide ones could need as much as the index itself, and may never come again.
const KEPT_PER_NODE: usize = 16;
const KEPT_MIN: usize = 512 << 10;

/// What the next walks can use again.
#[derive(Default)]
pub(crate) struct ScratchPool(Mutex<Idle>);

#[derive(Default)]
struct Idle {
    scratch: Vec<WalkScratch>,
    bytes: usize,
}

impl ScratchPool {
    /// What was given back last, or new.
    pub fn take(&self) -> WalkScratch {
        let mut idle = self.0.lock();
        let taken = idle.scratch.pop();
        idle.bytes -= taken.as_ref().map_or(0, WalkScratch::memory_bytes);
        taken.unwrap_or_default()
    }

    /// Keeps what a walk through an index of `nodes` used, or frees it where enough is kept.
    pub fn give(&self, scratch: WalkScratch, nodes: usize) {
        let bytes = scratch.memory_bytes();
        let mut idle = self.0.lock();
        if idle.bytes + bytes <= KEPT_MIN + KEPT_PER_NODE * nodes {
            idle.bytes += bytes;
            idle.scratch.push(scratch);
        }
    }

    /// Bytes of what is kept.
    pub fn memory_bytes(&self) -> usize {
        self.0.lock().bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn used(nodes: u32) -> WalkScratch {
        let mut scratch = WalkScratch::default();
        scratch.frontier.reset(nodes as usize, false);
        (0..nodes).for_each(|node| _ = scratch.frontier.insert(node as f32, node));
        scratch
    }

    #[test]
    fn what_was_used_is_used_again() {
        let pool = ScratchPool::default();
        let scratch = used(100);
        let bytes = scratch.memory_bytes();
        assert!(bytes >= 800);
        pool.give(scratch, 100);
        assert_eq!(pool.memory_bytes(), bytes);
        assert_eq!(pool.take().memory_bytes(), bytes);
        assert_eq!((pool.memory_bytes(), pool.take().memory_bytes()), (0, 0));
    }

    #[test]
    fn a_burst_of_wide_walks_leaves_little_behind() {
        let (pool, nodes) = (ScratchPool::default(), 10_000);
        (0..64).for_each(|_| pool.give(used(nodes), nodes as usize));
        let most = KEPT_MIN + KEPT_PER_NODE * nodes as usize;
        assert!((most / 2..=most).contains(&pool.memory_bytes()));
    }
}
