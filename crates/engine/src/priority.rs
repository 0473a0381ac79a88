//! Background work gives way to requests.

/// Lets the calling thread run after those of usual priority where they compete for a core: with
/// about a tenth of one's share against each. Where this is not known how to do, or not allowed,
/// the thread stays as it is.
pub(crate) fn lower() {
    // On Linux niceness belongs to the thread; elsewhere it would slow the whole process down.
    #[cfg(target_os = "linux")]
    let _ = rustix::process::setpriority_process(None, 10);
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
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
        let lowered = std::thread::spawn(|| {
            super::lower();
            niceness()
        });
        assert_eq!(lowered.join().unwrap(), Some(before.max(10)));
        assert_eq!(niceness(), Some(before));
    }
}
