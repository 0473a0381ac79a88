//! Tests on a simulated disk, which loses power and fails calls.

mod failing_disk;
mod numbered_batches;
mod power_cut;
mod simulated_disk;
mod upgrade;
