//! The threads that calls run on.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::LazyLock;
use std::thread;

use crossbeam_channel::{Sender, unbounded};

type Job = Box<dyn FnOnce() + Send>;

/// Fewest threads: with one, a long call would hold up every short one.
const THREADS_MIN: usize = 2;

static POOL: LazyLock<Pool> = LazyLock::new(|| {
    let cores = thread::available_parallelism().map_or(THREADS_MIN, usize::from);
    Pool::start(cores.max(THREADS_MIN))
});

/// Runs `job` on the pool, which starts with the first job and lives as long as the process. The
/// queue has no bound of its own: callers bound the calls they have in flight.
pub(crate) fn spawn(job: impl FnOnce() + Send + 'static) {
    POOL.spawn(job);
}

struct Pool {
    jobs: Sender<Job>,
}

impl Pool {
    fn start(threads: usize) -> Self {
        let (jobs, queue) = unbounded::<Job>();
        for number in 0..threads {
            let queue = queue.clone();
            thread::Builder::new()
                .name(format!("pelorus-call-{number}"))
                .spawn(move || {
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
        let pool = Pool::start(2);
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
        spawn(move || assert!(wait.recv().is_err(), "released when the test is over"));
        spawn(move || done.send(()).unwrap());
        finished.recv().unwrap();
        drop(release);
    }
}
