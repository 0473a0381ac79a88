//! For tests: asserts that work grows no faster than its input, on a machine of any speed.
//!
//! A limit in seconds fails on a slow machine and passes a quadratic step on a fast one. Here the
//! same work is done on an input and on one eight times as long: linear work takes about eight
//! times as long, quadratic work sixty-four times. Time is counted on a processor by the thread, so
//! that other programs do not count.
//!
//! ```
//! pelorus_growth::assert_linear("counting", 100_000, |len| vec![1u8; len], |ones: &Vec<u8>| {
//!     std::hint::black_box(ones.iter().filter(|&&one| one == 1).count());
//! });
//! ```

use std::time::Duration;

/// The factor by which the long input is longer.
const FACTOR: usize = 8;
/// Between 8, linear, and 64, quadratic: three times the expected ratio leaves room for caches and
/// allocations that a long input falls out of or pays for.
const RATIO_MAX: u32 = 24;
/// The least time of one measurement, well above the steps of the clock.
const MEASURED_MIN: Duration = Duration::from_millis(if cfg!(windows) { 100 } else { 1 });
/// Measurements before a bad ratio counts; the least of each input is the least disturbed.
const ATTEMPTS: usize = 8;

/// Asserts that `work` on an input of length eight times `len` takes about eight times as long as
/// on one of `len`, or less.
///
/// # Panics
///
/// When it takes more than three times that, time after time; the message begins with `what`.
#[track_caller]
pub fn assert_linear<Input>(
    what: &str,
    len: usize,
    make: impl Fn(usize) -> Input,
    mut work: impl FnMut(&Input),
) {
    let (short, long) = (make(len), make(FACTOR * len));
    // The first run also pays for work that is done once.
    work(&short);
    let repeats = repeats_of(|| work(&short));
    let (mut short_min, mut long_min) = (Duration::MAX, Duration::MAX);
    for _ in 0..ATTEMPTS {
        short_min = short_min.min(time(repeats, || work(&short)));
        long_min = long_min.min(time(repeats, || work(&long)));
        if long_min <= short_min * RATIO_MAX {
            return;
        }
    }
    panic!(
        "{what}: {FACTOR} times the input takes {:.0} times as long, {long_min:?} after {short_min:?} \
         for {repeats} runs",
        long_min.as_secs_f64() / short_min.as_secs_f64()
    );
}

/// The number of times that `work` is done for one measurement to take long enough.
fn repeats_of(mut work: impl FnMut()) -> u32 {
    let mut repeats = 1;
    while time(repeats, &mut work) < MEASURED_MIN {
        repeats *= 2;
    }
    repeats
}

fn time(repeats: u32, mut work: impl FnMut()) -> Duration {
    let before = thread_time();
    for _ in 0..repeats {
        work();
    }
    thread_time() - before
}

/// Time that this thread has spent on a processor.
#[cfg(unix)]
pub fn thread_time() -> Duration {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    now.try_into().expect("no thread began before time did")
}

/// The time of day, so that a busy machine may need more than one attempt.
#[cfg(not(unix))]
pub fn thread_time() -> Duration {
    use std::sync::OnceLock;
    use std::time::Instant;
    static START: OnceLock<Instant> = OnceLock::new();
    START.get_or_init(Instant::now).elapsed()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(len: usize) -> Vec<u8> {
        (0..len).map(|at| (at % 251) as u8).collect()
    }

    fn sum(bytes: &[u8]) {
        std::hint::black_box(bytes.iter().map(|&byte| u64::from(byte)).sum::<u64>());
    }

    #[test]
    fn linear_work_passes() {
        assert_linear("sum", 10_000, bytes, |bytes| sum(bytes));
    }

    #[test]
    fn work_that_does_not_depend_on_its_input_passes() {
        assert_linear("head", 1_000, bytes, |bytes| sum(&bytes[..1_000]));
    }

    #[test]
    #[should_panic(expected = "tails: 8 times the input takes")]
    fn quadratic_work_does_not() {
        assert_linear("tails", 500, bytes, |bytes| {
            for at in 0..bytes.len() {
                sum(&bytes[at..]);
            }
        });
    }
}
