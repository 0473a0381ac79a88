//! The part of `npm run bench -- vector` that must not pay for JavaScript.
//!
//! - `generate DIRECTORY DEFINITION` makes a data set, with the exact neighbors of its queries, which a CUDA device finds
//!   where `PELORUS_BENCH_TRUTH` is `cuda`.
//! - `serve DIRECTORY` answers commands about our index on that data set, one JSON object a line,
//!   so that the harness can take turns between engines.
//! - `scale DIRECTORY RECIPE` indexes a set that need not fit in memory, and tells of it, one JSON object a line.
//! - `filtered DIRECTORY` prints how long searches under filters take on that data set, and what they find.
#![cfg_attr(not(test), forbid(unsafe_code))]

mod churn;
mod command;
mod control;
mod corpus;
mod dataset;
mod device;
mod filtered;
mod filters;
mod generate;
mod graph;
#[cfg(all(test, target_os = "linux"))]
#[path = "../../../crates/cuda/tests/machine/mod.rs"]
mod machine;
mod passes;
mod random;
mod resident;
mod sample;
mod scale;
mod serve;
mod streaming;
mod truth;

use std::path::Path;

fn main() -> dataset::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["generate", directory, definition] => {
            let device = device::asked_for()?;
            let definition = serde_json::from_str(definition)?;
            generate::generate(Path::new(directory), &definition, device.as_ref())
        }
        ["serve", directory, ..] => serve::serve(Path::new(directory)),
        ["scale", directory, recipe] => scale::scale(Path::new(directory), recipe),
        ["scale-opened", directory, recipe] => scale::scale_opened(Path::new(directory), recipe),
        ["filtered", directory] => filtered::measure(Path::new(directory)),
        _ => Err(
            "expected: generate DIRECTORY DEFINITION, serve DIRECTORY, scale DIRECTORY RECIPE, \
                  or filtered DIRECTORY"
                .into(),
        ),
    }
}
