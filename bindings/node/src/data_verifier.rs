//! `class DataVerifier`: the files of a data directory, checked while nobody uses it.

use std::path::{Path, PathBuf};

use napi::Env;
use napi::bindgen_prelude::{FnArgs, Function};
use napi_derive::napi;

use crate::error::answer;

/// A data directory that is held and checked, and not changed. Made by `openDataVerifier`. All its calls read files on the
/// thread that calls.
#[napi]
pub struct DataVerifier {
    verifier: pelorus_engine::DataVerifier,
    homes: Vec<PathBuf>,
}

#[napi]
impl DataVerifier {
    /// The number of indexes.
    #[napi(getter)]
    pub fn index_count(&self) -> u32 {
        self.homes.len() as u32
    }

    /// Checks the files of the index with a number and returns an `IndexVerification` as JSON; none past the last.
    /// `progress` is told how many documents of how many were read.
    #[napi(catch_unwind)]
    pub fn verify(
        &self,
        number: u32,
        progress: Function<'_, FnArgs<(f64, f64)>, ()>,
    ) -> Option<String> {
        let home = self.homes.get(number as usize)?;
        let found = self.verifier.verify(home, |done, total| {
            // The check goes on where a report of how far it is fails.
            let _ = progress.call((done as f64, total as f64).into());
        });
        Some(String::from_utf8_lossy(&found).into_owned())
    }
}

/// Holds the data directory at `path`. Throws `data_directory_in_use`, `data_directory_unreadable` and `newer_format`.
#[napi(catch_unwind)]
pub fn open_data_verifier(env: &Env, path: String) -> napi::Result<DataVerifier> {
    answer(env, || {
        let verifier = pelorus_engine::DataVerifier::open(Path::new(&path))?;
        let homes = verifier.indexes()?;
        Ok(DataVerifier { verifier, homes })
    })
}
