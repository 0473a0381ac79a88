//! The budget of memory for int8 codes: those beyond it lie in files, of which the system keeps as many pages in memory
//! as it has room for.
//!
//! int8 codes are the largest part of an index beside its full vectors, and a walk reads only those of the nodes that
//! it expands; sign bits and links, which it reads for every neighbour, stay in memory. The file of an index's codes has
//! no name, so that it is gone when the process is: codes are made anew of the full vectors at each start.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use memmap2::MmapRaw;

use crate::storage::pages::Pages;
use crate::sync::Mutex;

/// The memory that int8 codes of this process may take, ...
static LIMIT: AtomicUsize = AtomicUsize::new(usize::MAX);
/// ... and that they take.
static TAKEN: AtomicUsize = AtomicUsize::new(0);

/// Bounds the memory that int8 codes of all indexes of this process take together. Those made from then on lie in files
/// beyond it, beside the vectors of their index; not those of an index in memory, nor where the system has no such
/// files or no room on the disk.
pub fn limit_code_memory(bytes: usize) {
    LIMIT.store(bytes, Ordering::Relaxed);
}

/// Memory that counts.
pub(crate) struct Share(usize);

impl Share {
    /// So much of it, if that is within the budget.
    fn within_limit(bytes: usize) -> Option<Self> {
        let limit = LIMIT.load(Ordering::Relaxed);
        let more = |taken: usize| taken.checked_add(bytes).filter(|&sum| sum <= limit);
        let taken = TAKEN.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more);
        // A share that was not taken must not be made: its end would give back what nobody has.
        taken.is_ok().then(|| Self(bytes))
    }

    fn in_any_case(bytes: usize) -> Self {
        TAKEN.fetch_add(bytes, Ordering::Relaxed);
        Self(bytes)
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        TAKEN.fetch_sub(self.0, Ordering::Relaxed);
    }
}

/// The place of codes: memory as long as the budget has room, then a file.
pub(crate) struct CodeMemory {
    /// The folder of the file; none for an index in memory.
    folder: Option<PathBuf>,
    file: Mutex<File>,
}

/// A file that grows.
enum File {
    NotMade,
    Open(std::fs::File, u64),
    /// The system has none to give.
    None,
}

impl CodeMemory {
    pub fn new(folder: Option<&Path>) -> Self {
        Self {
            folder: folder.map(Path::to_owned),
            file: Mutex::new(File::NotMade),
        }
    }

    /// The folder of the file.
    pub fn folder(&self) -> Option<&Path> {
        self.folder.as_deref()
    }

    /// Zeros, whole pages of them.
    pub fn pages(&self, bytes: usize) -> Pages {
        if let Some(share) = Share::within_limit(bytes) {
            return Pages::zeroed(bytes).counted(share);
        }
        match self.map(bytes) {
            Some(map) => Pages::of_file(map),
            None => Pages::zeroed(bytes).counted(Share::in_any_case(bytes)),
        }
    }

    /// The next part of the file.
    fn map(&self, bytes: usize) -> Option<MmapRaw> {
        let folder = self.folder()?;
        let mut file = self.file.lock();
        if matches!(*file, File::NotMade) {
            *file = system::nameless_file(folder).map_or(File::None, |made| File::Open(made, 0));
        }
        let File::Open(open, len) = &mut *file else {
            return None;
        };
        let map = system::map_more(open, *len, bytes)?;
        *len += bytes as u64;
        Some(map)
    }
}

#[cfg(target_os = "linux")]
mod system {
    use std::fs::{File, OpenOptions};
    use std::os::fd::AsRawFd;
    use std::os::unix::fs::OpenOptionsExt;
    use std::path::Path;

    use memmap2::{Advice, MmapOptions, MmapRaw};

    /// A file that only this process can read, and that nobody finds.
    pub fn nameless_file(folder: &Path) -> Option<File> {
        let mut options = OpenOptions::new();
        options.read(true).write(true).mode(0o600);
        options.custom_flags(libc::O_TMPFILE);
        options.open(folder).ok()
    }

    /// Maps `bytes` more of a file of length `len`. They are sure to have room on the disk: a write to a map that finds
    /// none would end the process.
    pub fn map_more(file: &File, len: u64, bytes: usize) -> Option<MmapRaw> {
        let (start, more) = (
            libc::off_t::try_from(len).ok()?,
            libc::off_t::try_from(bytes).ok()?,
        );
        // SAFETY: the file is open, and the call touches no memory.
        if unsafe { libc::posix_fallocate(file.as_raw_fd(), start, more) } != 0 {
            return None;
        }
        let map = MmapOptions::new()
            .offset(len)
            .len(bytes)
            .map_raw(file)
            .ok()?;
        // As of full vectors: what lies beside a code is of no use.
        let _ = map.advise(Advice::Random);
        Some(map)
    }
}

#[cfg(not(target_os = "linux"))]
mod system {
    use std::fs::File;
    use std::path::Path;

    use memmap2::MmapRaw;

    pub fn nameless_file(_folder: &Path) -> Option<File> {
        None
    }

    pub fn map_more(_file: &File, _len: u64, _bytes: usize) -> Option<MmapRaw> {
        None
    }
}
