//! The memory of this process, by the system's account.

/// Bytes of this process that lie in memory, by what backs them.
#[derive(Clone, Copy, Default)]
pub struct Resident {
    /// Memory that only this process can give back.
    pub own: u64,
    /// Pages of files, which the system may drop whenever it wants.
    pub files: u64,
}

impl Resident {
    /// None where the system does not tell (it is Linux that does).
    pub fn now() -> Option<Self> {
        let rollup = std::fs::read_to_string("/proc/self/status").ok()?;
        let kib = |name: &str| -> Option<u64> {
            let line = rollup.lines().find(|line| line.starts_with(name))?;
            line.split_whitespace().nth(1)?.parse().ok()
        };
        Some(Resident {
            own: (kib("RssAnon:")? + kib("RssShmem:")?) * 1024,
            files: kib("RssFile:")? * 1024,
        })
    }

    pub fn since(self, earlier: Self) -> Self {
        Resident {
            own: self.own.saturating_sub(earlier.own),
            files: self.files.saturating_sub(earlier.files),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(target_os = "linux")]
    fn memory_that_was_written_is_counted() {
        let before = Resident::now().unwrap();
        let memory = std::hint::black_box(vec![1u8; 64 << 20]);
        let grown = Resident::now().unwrap().since(before).own;
        assert!(grown >= 60 << 20, "{grown} of {}", memory.len());
    }
}
