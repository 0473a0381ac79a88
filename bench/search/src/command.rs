//! The commands; `bench/src/search/engine.ts` is the other side.

use serde::{Deserialize, Serialize};

#[derive(Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum Command {
    /// Runs the queries of a cell once, one after the other.
    Search {
        cell: Cell,
        k: usize,
        /// Only the first of them.
        count: usize,
    },
    /// Builds the index anew.
    Build,
}

/// Queries of one kind.
#[derive(Deserialize, Clone)]
pub struct Cell {
    /// The frequency class of the words: a name in the definition.
    pub words: String,
    pub terms: usize,
    /// The fields searched; all when absent.
    pub fields: Option<Vec<String>>,
    /// Tells whether a document must hold all words.
    #[serde(default)]
    pub required: bool,
    /// Only documents with this mark.
    pub mark: Option<String>,
    /// Tells whether the number of all matches is asked for.
    #[serde(default)]
    pub total: bool,
    /// Tells whether the last word stands for those that it begins.
    #[serde(default)]
    pub prefix: bool,
    /// Tells whether words stand for those that differ by a typo or two.
    #[serde(default)]
    pub typos: bool,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Built {
    pub seconds: f64,
    /// Processor time of all threads.
    pub processor_seconds: f64,
}

#[derive(Serialize, Default)]
pub struct Searched {
    /// Microseconds of each query.
    pub micros: Vec<f64>,
    /// Matches of each query, where they were asked for.
    pub totals: Vec<u64>,
    /// `[queries][k]`, best first.
    pub hits: Vec<Vec<u32>>,
}
