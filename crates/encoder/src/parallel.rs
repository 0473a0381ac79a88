//! Work of a load, done by several threads at once.

use std::num::NonZero;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// Most threads of one load: memory is what limits it, and a few take all there is.
const THREADS_MAX: usize = 4;

/// Does a part of work for each of some things, and answers the results in their order. Each thread has a scratch of its own.
/// No other part is begun after one that failed.
///
/// # Errors
/// The first in their order of those that failed.
pub(crate) fn each<T: Sync, S: Default, R: Send, E: Send>(
    things: &[T],
    work: impl Fn(&T, &mut S) -> Result<R, E> + Sync,
) -> Result<Vec<R>, E> {
    let next = AtomicUsize::new(0);
    let done = Mutex::new(Vec::with_capacity(things.len()));
    let take_turns = || {
        let mut scratch = S::default();
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(thing) = things.get(at) else {
                return;
            };
            let result = work(thing, &mut scratch);
            if result.is_err() {
                next.store(things.len(), Ordering::Relaxed);
            }
            let mut done = done.lock().unwrap_or_else(PoisonError::into_inner);
            done.push((at, result));
        }
    };
    let cores = thread::available_parallelism().map_or(1, NonZero::get);
    thread::scope(|scope| {
        for _ in 1..cores.min(THREADS_MAX).min(things.len()) {
            // Where there are no more threads, this one does it all.
            let helper = thread::Builder::new().name("pelorus-load".into());
            if helper.spawn_scoped(scope, take_turns).is_err() {
                break;
            }
        }
        take_turns();
    });
    let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    done.sort_unstable_by_key(|(at, _)| *at);
    done.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_the_order_of_the_things() {
        let things: Vec<usize> = (0..1000).collect();
        let doubled = each(&things, |&thing, _: &mut ()| Ok::<_, ()>(2 * thing));
        assert!(doubled.is_ok_and(|doubled| doubled.into_iter().eq((0..1000).map(|at| 2 * at))));
    }

    #[test]
    fn the_first_failure_is_told() {
        let things: Vec<usize> = (0..1000).collect();
        let failed = each(&things, |&thing, _: &mut ()| match thing {
            // All before one that failed were begun, and are done.
            300.. => Err(thing),
            _ => Ok(()),
        });
        assert_eq!(failed, Err(300));
        assert_eq!(each(&[], |_: &(), _: &mut ()| Ok::<(), ()>(())), Ok(vec![]));
    }
}
