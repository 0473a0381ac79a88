//! The threads that calls run on.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::LazyLock;
use std::thread;

use crossbeam_channel::{Sender, unbounded};
use pelorus_priority::Priority;

type Job = Box<dyn FnOnce() + Send>;

/// Fewest threads: with one, a long call would hold up every short one.
const THREADS_MIN: usize = 2;

/// The kind of threads that a call runs on. Calls of one lane wait for each other, and for none of the other's: where
/// many documents come, each batch takes milliseconds, and a search would wait for all that came before it.
#[derive(Clone, Copy)]
pub(crate) enum Lane {
    /// Somebody waits for the answer: searches, reads, tokenizing.
    Interactive,
    /// Writes, scans, and what takes as long as there is to do.
    Bulk,
}

static INTERACTIVE: LazyLock<Pool> =
    LazyLock::new(|| Pool::start("call", || Priority::Prompt.take()));
static BULK: LazyLock<Pool> = LazyLock::new(|| Pool::start("bulk", || Priority::Bulk.take()));

/// Runs `job` on the threads of a lane, which start with its first job and live as long as the process. The
/// queue has no bound of its own: callers bound the calls they have in flight.
pub(crate) fn spawn(lane: Lane, job: impl FnOnce() + Send + 'static) {
    match lane {
        Lane::Interactive => INTERACTIVE.spawn(job),
        Lane::Bulk => BULK.spawn(job),
    }
}

struct Pool {
    jobs: Sender<Job>,
}

impl Pool {
    /// As many threads as there are cores, each of which runs `begin` first.
    fn start(name: &str, begin: fn()) -> Self {
        let cores = thread::available_parallelism().map_or(THREADS_MIN, usize::from);
        let (jobs, queue) = unbounded::<Job>();
        for number in 0..cores.max(THREADS_MIN) {
            let queue = queue.clone();
            thread::Builder::new()
                .name(format!("pelorus-{name}-{number}"))
                .spawn(move || {
                    begin();
                    for job in queue {
                        // A job reports its own failures; what still escapes must not end the
                        // thread.
                        let _ = catch_unwind(AssertUnwindSafe(job));
                    }
                })
                .expect("the system can start a thread");
        }
        Self { jobs }
    }

    fn spawn(&self, job: impl FnOnce() + Send + 'static) {
        self.jobs
            .send(Box::new(job))
            .expect("the pool's threads outlive every caller");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panicking_job_takes_no_thread_with_it() {
        let pool = Pool::start("test", || {});
        let (done, finished) = unbounded();
        for number in 0..50 {
            let done = done.clone();
            pool.spawn(move || {
                assert!(number % 2 == 0, "odd jobs panic");
                done.send(number).unwrap();
            });
        }
        drop(done);
        let mut even: Vec<i32> = finished.iter().collect();
        even.sort_unstable();
        assert_eq!(even, (0..50).step_by(2).collect::<Vec<_>>());
    }

    #[test]
    fn a_long_job_does_not_hold_up_a_short_one() {
        let (release, wait) = unbounded::<()>();
        let (done, finished) = unbounded();
        spawn(Lane::Interactive, move || {
            assert!(wait.recv().is_err(), "released when the test is over");
        });
        spawn(Lane::Interactive, move || done.send(()).unwrap());
        finished.recv().unwrap();
        drop(release);
    }

    #[test]
    fn bulk_holds_up_no_interactive_call_however_much_of_it_there_is() {
        let (release, wait) = unbounded::<()>();
        let (done, finished) = unbounded();
        for _ in 0..100 {
            let wait = wait.clone();
            spawn(Lane::Bulk, move || {
                assert!(wait.recv().is_err(), "released when the test is over");
            });
        }
        spawn(Lane::Interactive, move || done.send(()).unwrap());
        finished.recv().unwrap();
        drop(release);
    }
}
