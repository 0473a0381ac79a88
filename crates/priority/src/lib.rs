//! Reads come first, writes give way to them, and background work to both.
//!
//! Where all cores are taken, a thread that wakes up has to wait for one, and an answer passes through several threads. On Linux
//! two things decide about that. The **share** of a core that a thread gets where others want it too is its niceness. Its
//! **turn** is how long it runs before others do: a thread that wakes up takes the core at once from one with longer
//! turns, and else waits until the turn of that one is over. Turns of their own are known since Linux 6.12.

#[cfg(target_os = "linux")]
mod linux;

/// The behaviour of a thread when others compete with it for a core. Where this is not known how to set, or not
/// allowed, threads stay as they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Priority {
    /// Short work that somebody waits for: short turns, and the usual share.
    Prompt,
    /// Work that callers wait for, a batch at a time: long turns, and about a third of the usual share.
    Bulk,
    /// Work that nobody waits for: long turns, and about a tenth.
    Background,
}

impl Priority {
    /// Gives it to the calling thread, for good. Threads that it starts then have it as well, but for those of a prompt
    /// one, which are usual threads. A thread that gives way further already goes on doing so.
    pub fn take(self) {
        // On Linux niceness belongs to the thread; elsewhere it would slow the whole process down.
        #[cfg(target_os = "linux")]
        linux::take(self);
    }
}
