//! Libraries of C that are preloaded into a process, to stand between it and the system.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Makes the library to preload in `directory` from its source. None, and a line that says so, where it cannot be
/// made: it needs Linux, glibc and a C compiler.
pub fn library(directory: &Path, name: &str, source: &str) -> Option<PathBuf> {
    let library = directory.join(format!("{name}.so"));
    let path = directory.join(format!("{name}.c"));
    fs::write(&path, source).unwrap();
    if !cfg!(all(target_os = "linux", target_env = "gnu")) {
        println!("SKIPPED: system calls can be caught on Linux with glibc only");
        return None;
    }
    let made = Command::new("cc")
        .args(["-shared", "-fPIC", "-O1", "-o"])
        .args([&library, &path])
        .args(["-ldl", "-lpthread"])
        .output();
    match made {
        Ok(output) if output.status.success() => Some(library),
        Ok(output) => panic!("cc: {}", String::from_utf8_lossy(&output.stderr)),
        Err(error) => {
            println!("SKIPPED: there is no C compiler to catch system calls with: {error}");
            None
        }
    }
}
