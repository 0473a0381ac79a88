//! Event loops that are watched from a thread of their own: `class LoopBeat`. A loop that hangs can tell of it by itself no
//! more than it can answer anything else.

use std::sync::{LazyLock, Once};
use std::thread;
use std::time::Duration;

use napi_derive::napi;
use parking_lot::Mutex;

use crate::process_end::end_process;

/// The time between two looks at all loops.
const LOOK: Duration = Duration::from_secs(1);

static WATCHED: LazyLock<Mutex<Watched>> = LazyLock::new(Mutex::default);

/// The loops that are watched, and how long each was silent. Time is counted in looks and not read from a clock: a process
/// that was stopped, or a machine that slept, has missed none.
#[derive(Default)]
struct Watched {
    loops: Vec<Loop>,
    next: u64,
}

struct Loop {
    id: u64,
    name: String,
    /// Looks without a beat after which it is told.
    told_looks: u32,
    /// Looks without a beat after which the process ends.
    looks_max: u32,
    has_beaten: bool,
    silent_looks: u32,
}

/// The state of a loop that a look found.
#[derive(Debug, PartialEq, Eq)]
enum Finding {
    Silent,
    Turning,
    Hung,
}

impl Watched {
    fn begin(&mut self, name: String, told_looks: u32, looks_max: u32) -> u64 {
        let id = self.next;
        self.next += 1;
        self.loops.push(Loop {
            id,
            name,
            told_looks,
            looks_max,
            has_beaten: true,
            silent_looks: 0,
        });
        id
    }

    fn beat(&mut self, id: u64) {
        if let Some(found) = self.loops.iter_mut().find(|one| one.id == id) {
            found.has_beaten = true;
        }
    }

    fn end(&mut self, id: u64) {
        self.loops.retain(|one| one.id != id);
    }

    /// Looks at all loops, and gives what is new: each with its name and the looks of its silence.
    fn look(&mut self) -> Vec<(Finding, String, u32)> {
        let mut found = Vec::new();
        for one in &mut self.loops {
            let was_silent = one.silent_looks;
            let has_beaten = std::mem::take(&mut one.has_beaten);
            one.silent_looks = if has_beaten { 0 } else { was_silent + 1 };
            let finding = if has_beaten && was_silent >= one.told_looks {
                (Finding::Turning, was_silent)
            } else if one.silent_looks >= one.looks_max {
                (Finding::Hung, one.silent_looks)
            } else if one.silent_looks == one.told_looks {
                (Finding::Silent, one.silent_looks)
            } else {
                continue;
            };
            found.push((finding.0, one.name.clone(), finding.1));
        }
        found
    }
}

fn watch() {
    loop {
        thread::sleep(LOOK);
        let found = WATCHED.lock().look();
        for (finding, name, seconds) in found {
            match finding {
                Finding::Silent => log::warn!("{name} has not turned for {seconds} s"),
                Finding::Turning => log::warn!("{name} turns again, after {seconds} s"),
                Finding::Hung => {
                    // The log is written by a loop, which may be this one.
                    eprintln!("{name} has not turned for {seconds} s: the process ends");
                    end_process(1);
                }
            }
        }
    }
}

/// A loop that has been silent.
#[napi(object, object_from_js = false)]
pub struct SilentLoop {
    pub name: String,
    /// For how long.
    pub seconds: u32,
}

/// The loops that have been silent for so many seconds or longer.
#[napi(catch_unwind)]
pub fn silent_loops(seconds: u32) -> Vec<SilentLoop> {
    let watched = WATCHED.lock();
    let silent = watched
        .loops
        .iter()
        .filter(|one| one.silent_looks >= seconds);
    let silent = silent.map(|one| SilentLoop {
        name: one.name.clone(),
        seconds: one.silent_looks,
    });
    silent.collect()
}

/// The sign of life of an event loop, which is watched until the end of this.
#[napi]
pub struct LoopBeat {
    id: u64,
}

#[napi]
impl LoopBeat {
    /// Watches the loop of the calling thread, which is to call `beat` once a second. `toldSeconds` without that are
    /// told in the log; after `secondsMax` the process ends with code 1.
    #[napi(factory, catch_unwind)]
    pub fn begin(name: String, told_seconds: u32, seconds_max: u32) -> Self {
        static STARTED: Once = Once::new();
        STARTED.call_once(|| {
            let started = thread::Builder::new()
                .name(String::from("loop-watch"))
                .spawn(watch);
            started.expect("the system can start a thread");
        });
        Self {
            id: WATCHED.lock().begin(name, told_seconds, seconds_max),
        }
    }

    /// Tells that the loop turns.
    #[napi(catch_unwind)]
    pub fn beat(&self) {
        WATCHED.lock().beat(self.id);
    }

    /// Watches it no more.
    #[napi(catch_unwind)]
    pub fn end(&self) {
        WATCHED.lock().end(self.id);
    }
}

impl Drop for LoopBeat {
    fn drop(&mut self) {
        self.end();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_loop_that_beats_is_found_as_nothing_and_one_that_does_not_is_told_and_hangs() {
        let mut watched = Watched::default();
        let (good, bad) = (
            watched.begin(String::from("good"), 2, 8),
            watched.begin(String::from("bad"), 2, 8),
        );
        watched.beat(bad);
        let mut told = Vec::new();
        for look in 0..=9 {
            watched.beat(good);
            told.extend(watched.look().into_iter().map(|found| (look, found)));
        }
        let bad_after = |silent, finding| (finding, String::from("bad"), silent);
        let expected = [
            (2, bad_after(2, Finding::Silent)),
            (8, bad_after(8, Finding::Hung)),
            (9, bad_after(9, Finding::Hung)),
        ];
        assert_eq!(told, expected);
        watched.end(bad);
        assert_eq!(watched.look(), []);
    }

    #[test]
    fn a_loop_that_turns_again_is_told_once_and_counts_from_nothing() {
        let mut watched = Watched::default();
        let id = watched.begin(String::from("slow"), 2, 8);
        let looks = |watched: &mut Watched, count| {
            let found = (0..count).flat_map(|_| watched.look());
            found.collect::<Vec<_>>()
        };
        let slow = |finding, silent| [(finding, String::from("slow"), silent)];
        // The first look finds the beginning.
        assert_eq!(looks(&mut watched, 6), slow(Finding::Silent, 2));
        watched.beat(id);
        assert_eq!(looks(&mut watched, 1), slow(Finding::Turning, 5));
        assert_eq!(looks(&mut watched, 7), slow(Finding::Silent, 2));
    }
}
