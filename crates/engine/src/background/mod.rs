//! Work that no call waits for: linking, merging, saving, compacting, and storing references to rows.

pub(crate) mod activity;
pub(crate) mod backoff;
pub(crate) mod compaction;
mod compaction_schedule;
mod linker;
pub(crate) mod maintenance;
pub(crate) mod reaper;
mod reference_progress;
pub(crate) mod row_references;
pub(crate) mod state;

pub(crate) use linker::keep_up;
