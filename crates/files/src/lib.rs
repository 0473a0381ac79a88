//! Files as a database needs them: replaced whole, locked, durable, compared with checksums, and
//! read and written at positions, on Unix and Windows alike.
#![forbid(unsafe_code)]

mod checksum;
mod directory;
mod draft;
mod lock;
mod manifest;
mod position;

pub use checksum::checksum;
pub use directory::{create_directories, sync_directory, sync_parent};
pub use draft::{Draft, Durability, draft_path, remove_drafts, replace};
pub use lock::{LockFile, lock_folder, open_locked};
pub use manifest::{ManifestError, read_manifest, write_manifest};
pub use position::{read_exact_at, write_all_at};
