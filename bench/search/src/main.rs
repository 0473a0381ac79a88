//! The part of `npm run bench -- search` that must not pay for JavaScript.
//!
//! - `generate DIRECTORY DEFINITION` makes documents and queries out of words by Zipf's law.
//! - `serve ENGINE DIRECTORY` answers commands, one JSON object a line, so that the harness can take turns
//!   between engines: to build the index of these documents, and to search it. `ours` and `tantivy` are
//!   here, `peers/lucene/Search.java` speaks the same.
#![forbid(unsafe_code)]

mod command;
mod corpus;
mod ours;
mod peer;
mod serve;

use std::path::Path;

/// A bench that fails says so and ends.
pub type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["generate", directory, definition] => {
            corpus::generate(Path::new(directory), &serde_json::from_str(definition)?)
        }
        ["serve", "ours", directory] => serve::serve::<ours::Ours>(Path::new(directory), "ours"),
        ["serve", "tantivy", directory] => {
            serve::serve::<peer::Tantivy>(Path::new(directory), "tantivy")
        }
        _ => Err("expected: generate DIRECTORY DEFINITION, or serve ENGINE DIRECTORY".into()),
    }
}
