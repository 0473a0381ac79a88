//! The attributes of a thread for the scheduler of Linux.

use std::io;

use libc::{SCHED_FLAG_RESET_ON_FORK, sched_attr};
use rustix::process::setpriority_process;

use crate::Priority;

/// The usual turn is of 1 to 3 milliseconds. Ten times that is where threads of one kind would begin to wait for each other.
const LONG_TURN_NS: u64 = 20_000_000;

/// Most calls are over by then.
const SHORT_TURN_NS: u64 = 300_000;

impl Priority {
    /// The niceness of threads that give way.
    fn niceness(self) -> Option<i32> {
        match self {
            Self::Prompt => None,
            Self::Bulk => Some(5),
            Self::Background => Some(10),
        }
    }

    /// The attributes to set for a thread that has the attributes `before`.
    fn after(self, before: &sched_attr) -> sched_attr {
        match self.niceness() {
            None => sched_attr {
                sched_flags: before.sched_flags | SCHED_FLAG_RESET_ON_FORK as u64,
                sched_runtime: before.sched_runtime.min(SHORT_TURN_NS),
                ..*before
            },
            Some(niceness) => sched_attr {
                sched_nice: before.sched_nice.max(niceness),
                sched_runtime: before.sched_runtime.max(LONG_TURN_NS),
                ..*before
            },
        }
    }
}

pub(crate) fn take(priority: Priority) {
    let taken = attributes().and_then(|before| set_attributes(&priority.after(&before)));
    if let (Err(_), Some(niceness)) = (taken, priority.niceness()) {
        // Systems that only look like Linux may know this much.
        let _ = setpriority_process(None, niceness);
    }
}

/// Those of the calling thread.
fn attributes() -> io::Result<sched_attr> {
    let size = size_of::<sched_attr>() as u32;
    let mut attributes = sched_attr {
        size,
        sched_policy: 0,
        sched_flags: 0,
        sched_nice: 0,
        sched_priority: 0,
        sched_runtime: 0,
        sched_deadline: 0,
        sched_period: 0,
    };
    // SAFETY: the kernel writes at most `size` bytes to the place, which is borrowed for the call.
    let outcome =
        unsafe { libc::syscall(libc::SYS_sched_getattr, 0, &raw mut attributes, size, 0) };
    done(outcome).map(|()| attributes)
}

/// Gives them to the calling thread.
fn set_attributes(attributes: &sched_attr) -> io::Result<()> {
    // SAFETY: the kernel reads as many bytes as the structure says that it has.
    let outcome = unsafe { libc::syscall(libc::SYS_sched_setattr, 0, &raw const *attributes, 0) };
    done(outcome)
}

fn done(outcome: libc::c_long) -> io::Result<()> {
    match outcome {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The attributes of a thread that takes `priorities`, and of one that it starts then.
    fn told(priorities: &'static [Priority]) -> (sched_attr, sched_attr) {
        let parent = std::thread::spawn(|| {
            priorities.iter().for_each(|priority| priority.take());
            let child = std::thread::spawn(|| attributes().unwrap());
            (attributes().unwrap(), child.join().unwrap())
        });
        parent.join().unwrap()
    }

    /// The attributes of this thread. None, loudly, on a system that cannot say.
    fn usual() -> Option<sched_attr> {
        let told = attributes();
        if let Err(error) = &told {
            eprintln!("SKIPPED: the system does not say how it schedules a thread: {error}");
        }
        told.ok()
    }

    /// Tells whether turns may be of different lengths. Kernels that do not know them say 0.
    fn knows_turns(usual: &sched_attr) -> bool {
        let knows = usual.sched_runtime > 0;
        if !knows {
            eprintln!("SKIPPED: this kernel knows no turns of different lengths");
        }
        knows
    }

    #[test]
    fn writes_and_background_work_give_way_with_all_that_they_start() {
        let Some(before) = usual() else { return };
        for priority in [&[Priority::Bulk], &[Priority::Background]] {
            let niceness = priority[0].niceness().unwrap();
            let (parent, child) = told(priority);
            for told in [parent, child] {
                assert_eq!(told.sched_nice, niceness.max(before.sched_nice));
                assert_eq!(told.sched_policy, before.sched_policy);
                if knows_turns(&before) {
                    assert!(told.sched_runtime > before.sched_runtime);
                }
            }
        }
        let after = attributes().unwrap();
        assert_eq!(after.sched_nice, before.sched_nice);
        assert_eq!(after.sched_runtime, before.sched_runtime);
    }

    #[test]
    fn a_prompt_thread_has_the_usual_share_and_short_turns_alone() {
        let Some(before) = usual() else { return };
        let (parent, child) = told(&[Priority::Prompt]);
        for told in [parent, child] {
            assert_eq!(told.sched_nice, before.sched_nice);
            assert_eq!(told.sched_policy, before.sched_policy);
        }
        if knows_turns(&before) {
            assert!(parent.sched_runtime < before.sched_runtime);
            assert_eq!(child.sched_runtime, before.sched_runtime);
        }
    }

    #[test]
    fn a_thread_that_gives_way_further_goes_on_doing_so() {
        if usual().is_none() {
            return;
        }
        let background = Priority::Background.niceness().unwrap();
        for then in [
            &[Priority::Background, Priority::Bulk],
            &[Priority::Background, Priority::Prompt],
        ] {
            assert!(told(then).0.sched_nice >= background);
        }
    }
}
