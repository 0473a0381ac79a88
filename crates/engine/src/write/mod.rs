//! The way of a write: a checked batch, the queue, the index's only writer, one durable commit.

pub(crate) mod add_batch;
pub(crate) mod budget;
pub(crate) mod commit;
pub(crate) mod delete_all;
pub(crate) mod disk_reserve;
pub(crate) mod field_limits;
pub(crate) mod job;
pub(crate) mod queue;
pub(crate) mod update_batch;
pub(crate) mod writer;
