//! Hostile bytes for everything that reads bytes of others: requests, files of an index, models, pictures.
//!
//! A [`Target`] reads bytes and may refuse them; it must neither panic nor break a promise that it asserts. Each input is
//! a seed of the corpus, changed by the rules of [`mutation`] and random numbers that follow from the number of the run:
//! so a run that fails is repeated by its target and number, on any machine. A library that steers by coverage finds more
//! in a long time, and needs a compiler of its own; this one runs wherever the tests do.
//!
//! ```sh
//! # what CI does
//! cargo test -p pelorus-fuzz
//! # an hour of one target, and one run of it again
//! npm run fuzz -- filter --minutes 60
//! npm run fuzz -- filter --from 4711 --runs 1
//! ```
#![forbid(unsafe_code)]

pub mod mutation;
pub mod targets;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use pelorus_random::{SplitMix64, fnv1a};

use crate::mutation::mutated;

/// A reader of bytes.
pub trait Target {
    /// Well-formed inputs, from which hostile ones are made.
    fn seeds(&self) -> &[Vec<u8>];

    /// Words that mean something to the reader.
    fn words(&self) -> &[&str] {
        &[]
    }

    /// Makes the checksums right again of an input that was changed, so that the reader looks further. Only half of the
    /// inputs are given to it.
    fn reseal(&self, _input: &mut Vec<u8>) {}

    /// Reads an input. Panics where a promise is broken.
    fn read(&self, input: &[u8]);
}

/// An input that made a target panic.
#[derive(Debug)]
pub struct Failure {
    pub target: String,
    /// The number of the run, by which it is repeated.
    pub run: u64,
    pub message: String,
    pub input: Vec<u8>,
}

/// Makes the input of a run.
pub fn input_of(name: &str, target: &dyn Target, run: u64) -> Vec<u8> {
    let mut random = SplitMix64(fnv1a(name.as_bytes()) ^ run.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    let mut input = mutated(target.seeds(), target.words(), &mut random);
    if random.below(2) == 0 {
        target.reseal(&mut input);
    }
    input
}

/// Gives a target the input of one run.
///
/// # Errors
/// The input that made it panic.
pub fn run(name: &str, target: &dyn Target, run: u64) -> Result<(), Box<Failure>> {
    let input = input_of(name, target, run);
    let outcome = catch_unwind(AssertUnwindSafe(|| target.read(&input)));
    outcome.map_err(|panic| {
        let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
        let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
        Box::new(Failure {
            target: name.to_owned(),
            run,
            message: text.unwrap_or_default(),
            input,
        })
    })
}

/// A folder of the corpus.
pub fn corpus(folder: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("corpus")
        .join(folder)
}

/// The files of a folder, by name.
///
/// # Panics
/// If they cannot be read.
pub fn files_in(folder: &Path) -> Vec<Vec<u8>> {
    let entries = std::fs::read_dir(folder).expect("a folder of seeds");
    let mut paths: Vec<PathBuf> = entries
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.is_file())
        .collect();
    paths.sort();
    let read = |path: &PathBuf| std::fs::read(path).expect("a seed");
    paths.iter().map(read).collect()
}

/// The lines of the files of a folder of the corpus.
///
/// # Panics
/// If they cannot be read.
pub fn lines_in(folder: &str) -> Vec<Vec<u8>> {
    let files = files_in(&corpus(folder));
    let lines = files
        .iter()
        .flat_map(|file| file.split(|&byte| byte == b'\n'));
    lines
        .filter(|line| !line.is_empty())
        .map(<[u8]>::to_vec)
        .collect()
}
