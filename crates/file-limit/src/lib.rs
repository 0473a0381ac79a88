//! For tests: files that may not grow stand in for a full disk. Writes past the limit fail half way,
//! on a real file system.
//!
//! The limit is one of the whole process, so a test runs its steps in a process of its own:
//!
//! ```no_run
//! # #[cfg(unix)]
//! fn a_write_that_finds_no_room_fails() {
//!     if !pelorus_file_limit::is_in_child("a_write_that_finds_no_room_fails") {
//!         return;
//!     }
//!     pelorus_file_limit::limit_files(Some(10));
//!     // ...
//!     pelorus_file_limit::limit_files(None);
//! }
//! ```
#![cfg(unix)]
#![forbid(unsafe_code)]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::process::Command;

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

const CHILD: &str = "PELORUS_TEST_FILE_SIZE_LIMIT";

/// Runs `test` of the running executable again, in a process in which a write past the limit is an
/// error rather than its end; tells whether this is that process.
///
/// # Panics
/// If the test fails there, or there is no test of this name.
pub fn is_in_child(test: &str) -> bool {
    if std::env::var_os(CHILD).is_some() {
        return true;
    }
    // Only where the signal that comes with such a write is ignored does the write return.
    let output = Command::new("sh")
        .args(["-c", "trap '' XFSZ; exec \"$0\" \"$@\""])
        .arg(std::env::current_exe().unwrap())
        .args(["--exact", test, "--nocapture"])
        .env(CHILD, "1")
        .output()
        .unwrap();
    let told = String::from_utf8_lossy(&output.stdout);
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{told}{error}");
    assert!(told.contains("1 passed"), "{told}{error}");
    false
}

/// Lets no file of this process grow past `bytes`; `None` lifts the limit.
///
/// # Panics
/// If the system refuses.
pub fn limit_files(bytes: Option<u64>) {
    let maximum = getrlimit(Resource::Fsize).maximum;
    let limit = Rlimit {
        current: bytes.or(maximum),
        maximum,
    };
    setrlimit(Resource::Fsize, limit).unwrap();
}
