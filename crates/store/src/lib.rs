//! The durable store of one index: a single checksummed file that holds its definition, its
//! documents with their tensors by ordinal, and the queries it suggests.
//!
//! Everything else an index has (graph, columns, postings) is derived from this file and can be thrown away, except the
//! vectors that it [refers](WriteOp::Refer) to in the place of tensors. So the promises made here are the promises of the
//! engine:
//!
//! - **Atomic and durable.** A [`WriteBatch`] is committed whole or not at all, and it has
//!   survived power loss by the time [`Store::commit`] returns.
//! - **Never wrong data.** Every page of the file carries a checksum that is checked whenever
//!   the page is read, and every value carries one bound to its table and key. A damaged byte is
//!   a [`StoreError::Damaged`], and a store that has met one refuses further work.
//! - **Never made worse.** A file that cannot be opened, be it damaged, of a newer format or no store at all, keeps
//!   every byte; one that cannot be created leaves nothing behind.
//! - **A failing disk is survived.** After a write that the system refused, reads go on, and
//!   [`Store::reopen`] makes a store that takes writes again, without a restart and without
//!   building on anything that did not reach the disk.
//! - **No larger than it has to be.** A [`CompactCopy`] has no free pages, and takes the place of the file in one step.
//!
//! Reading order: [`store`](Store) and `write_batch` for writes, [`read_view`](ReadView) for reads, `rows` for the
//! contents of the tables, `session` for a disk that fails, `checksummed_file` for the bytes on the disk.
//!
//! ```
//! use pelorus_store::{Store, WriteBatch, WriteOp};
//! # let folder = tempfile::tempdir().unwrap();
//! let store = Store::create(&folder.path().join("index.redb"), b"{}", 1 << 20)?;
//! store.commit(&WriteBatch {
//!     ops: vec![WriteOp::Put { doc: 0, replaces: None, document: b"{}".to_vec(), tensors: vec![] }],
//! })?;
//! assert_eq!(store.read()?.document(0)?.as_deref(), Some(&b"{}"[..]));
//! # Ok::<(), pelorus_store::StoreError>(())
//! ```
#![forbid(unsafe_code)]

mod checksummed_file;
mod compact_copy;
mod disk;
mod error;
mod file_header;
mod overlay;
mod page_sums;
mod pending_commit;
mod read_view;
mod rows;
mod session;
mod store;
mod store_file;
#[cfg(test)]
mod tests;
mod write_batch;

pub use compact_copy::CompactCopy;
pub use error::{Result, StoreError};
pub use file_header::FORMAT_VERSION;
pub use pending_commit::PendingCommit;
pub use read_view::ReadView;
pub use store::Store;
pub use write_batch::{WriteBatch, WriteOp};
