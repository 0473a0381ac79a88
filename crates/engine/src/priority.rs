//! Writes give way to reads, and background work to both.

/// What a thread does when others compete with it for a core. Where this is not known how to set, or not
/// allowed, threads stay as they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Priority {
    /// Work that callers wait for, a batch at a time: about a third of the share of a usual thread, so that whoever
    /// waits for one answer is not behind it.
    Bulk,
    /// Work that nobody waits for: about a tenth.
    Background,
}

impl Priority {
    /// Gives it to the calling thread, for good, and to those that it starts.
    pub fn take(self) {
        // On Linux niceness belongs to the thread; elsewhere it would slow the whole process down.
        #[cfg(target_os = "linux")]
        let _ = rustix::process::setpriority_process(None, self.niceness());
    }

    #[cfg(target_os = "linux")]
    fn niceness(self) -> i32 {
        match self {
            Self::Bulk => 5,
            Self::Background => 10,
        }
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::Priority;

    /// The niceness of the calling thread.
    fn niceness() -> Option<i32> {
        let stat = std::fs::read_to_string("/proc/thread-self/stat").ok()?;
        // The name, in parentheses, is the second field and may hold anything.
        let (_, fields) = stat.rsplit_once(") ")?;
        fields.split(' ').nth(16)?.parse().ok()
    }

    #[test]
    fn only_the_calling_thread_gives_way() {
        let before = niceness().unwrap();
        for priority in [Priority::Bulk, Priority::Background] {
            let lowered = std::thread::spawn(move || {
                priority.take();
                niceness()
            });
            assert_eq!(
                lowered.join().unwrap(),
                Some(before.max(priority.niceness()))
            );
        }
        assert_eq!(niceness(), Some(before));
    }
}
