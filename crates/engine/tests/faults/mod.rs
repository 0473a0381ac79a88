//! The shared parts of the tests of faults: numbers from a seed, documents whose answers are known, copies of data
//! directories, and counts of the trials' outcomes.
//!
//! A sample runs with every test. Many, one again, or every call of the script with every error:
//! ```sh
//! PELORUS_FAULTS=2000 cargo test -p pelorus-engine --test damage -- --nocapture
//! PELORUS_FAULTS=1 PELORUS_FAULTS_SEED=1234 cargo test -p pelorus-engine --test damage -- --nocapture
//! PELORUS_FAULTS_EVERY=1 cargo test -p pelorus-engine --test failing_calls -- --nocapture
//! ```
#![allow(dead_code, reason = "each test binary uses its own part of this")]

pub mod breaking;
pub mod directory;
#[cfg(unix)]
pub mod disk;
#[cfg(unix)]
pub mod failing;
#[cfg(unix)]
pub mod journal;
pub mod oracle;
#[cfg(unix)]
pub mod preloaded;
pub mod probes;
#[cfg(unix)]
pub mod script;
#[cfg(unix)]
pub mod transcript;
pub mod trials;
