//! System calls that fail, in a process of their own: see `failing_calls.c`.

use std::fs::{File, OpenOptions};
use std::os::unix::fs::FileExt;
use std::path::Path;

/// The source of the library that makes calls fail.
pub const SOURCE: &str = include_str!("failing_calls.c");
const CONTROL_BYTES: usize = 4096;
const TEXT: u64 = 64;

/// The call that fails, its error, and for how long.
#[derive(Debug, Clone, Copy, Default)]
pub struct Fault {
    /// The first of the calls that can fail like this, counted from 1; 0 for none.
    pub first: u64,
    pub count: u64,
    /// One of errno.h.
    pub error: u64,
    /// Tells whether a failing write writes half.
    pub torn: bool,
    /// Tells whether only the syncs of stores are counted, and fail.
    pub store_syncs: bool,
}

/// The errors that calls are made to fail with: numbers of errno.h and their names.
pub fn errors() -> [(u64, &'static str); 5] {
    [
        (5, "EIO"),
        (28, "ENOSPC"),
        (13, "EACCES"),
        (24, "EMFILE"),
        (12, "ENOMEM"),
    ]
}

/// The file through which the process, its parent and the library speak.
pub struct Control(File);

impl Control {
    pub fn create(path: &Path, fault: Fault) -> Self {
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .create_new(true)
            .open(path)
            .unwrap();
        file.set_len(CONTROL_BYTES as u64).unwrap();
        let control = Self(file);
        control.set(3, fault.error);
        control.set(4, fault.torn.into());
        control.set(6, fault.store_syncs.into());
        control.set(2, fault.count);
        control.set(1, fault.first);
        control
    }

    pub fn open(path: &Path) -> Self {
        Self(
            OpenOptions::new()
                .read(true)
                .write(true)
                .open(path)
                .unwrap(),
        )
    }

    fn set(&self, word: u64, value: u64) {
        self.0.write_all_at(&value.to_ne_bytes(), 8 * word).unwrap();
    }

    fn word(&self, word: u64) -> u64 {
        let mut bytes = [0; 8];
        self.0.read_exact_at(&mut bytes, 8 * word).unwrap();
        u64::from_ne_bytes(bytes)
    }

    /// No call fails any more.
    pub fn switch_off(&self) {
        self.set(1, 0);
    }

    pub fn calls(&self) -> u64 {
        self.word(0)
    }

    pub fn failed(&self) -> u64 {
        self.word(5)
    }

    /// The first call that failed, and the path in the data directory.
    pub fn first_failed(&self) -> String {
        let mut text = vec![0; CONTROL_BYTES - TEXT as usize];
        self.0.read_exact_at(&mut text, TEXT).unwrap();
        let text: Vec<u8> = text.into_iter().take_while(|byte| *byte != 0).collect();
        String::from_utf8_lossy(&text).into_owned()
    }
}
