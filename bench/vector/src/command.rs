//! The commands; `bench/src/vector/engine.ts` is the other side.

use std::path::PathBuf;

use serde::Deserialize;
use serde_json::Value;

use crate::graph::Shape;

#[derive(Deserialize)]
#[serde(tag = "op", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Command {
    Build {
        #[serde(flatten)]
        shape: Shape,
        threads: usize,
        /// The folder of full vectors and snapshots; without it all is in memory.
        directory: Option<PathBuf>,
    },
    Search(Search),
    /// As `Search`, with the search list of a request that names none.
    Default {
        k: usize,
        count: Option<usize>,
    },
    /// As `Search`, without ever stopping early.
    Ceiling {
        ef: usize,
        k: usize,
        count: Option<usize>,
    },
    Streaming {
        writes_per_second: usize,
        seconds: f64,
        k: usize,
    },
    Churn {
        generations: usize,
        share: f64,
        k: usize,
        threads: usize,
    },
    /// Writes a snapshot to the directory of the build.
    Save,
    /// Opens the snapshot in a directory and searches.
    Restart {
        #[serde(flatten)]
        shape: Shape,
        directory: PathBuf,
        k: usize,
    },
    /// Times the control work.
    Control,
}

/// Runs the first `count` queries of a set once, all when absent.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Search {
    pub ef: usize,
    pub k: usize,
    #[serde(default = "queries")]
    pub set: String,
    pub pass_rate: Option<Value>,
    pub threads: Option<usize>,
    /// Number of times that the queries are repeated, with `threads`.
    pub times: Option<usize>,
    pub count: Option<usize>,
}

fn queries() -> String {
    "queries".into()
}

impl Search {
    /// All queries on one thread, unfiltered.
    pub fn plain(ef: usize, k: usize, count: Option<usize>) -> Self {
        Search {
            ef,
            k,
            set: queries(),
            pass_rate: None,
            threads: None,
            times: None,
            count,
        }
    }

    /// The filter by its name, or by its pass rate; empty for none.
    pub fn filter(&self) -> String {
        match &self.pass_rate {
            None => String::new(),
            Some(Value::String(name)) => name.clone(),
            Some(rate) => rate.to_string(),
        }
    }
}
