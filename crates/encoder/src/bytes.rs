//! Bytes of weights: in memory, or still in their file.

use std::borrow::Cow;
use std::fs::{File, Metadata};
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use pelorus_files::read_exact_at;

use crate::Refusal;

/// Bytes that are read and looked at before the next ones: they stay in the cache in between.
pub(crate) const CACHED_BYTES: usize = 1 << 16;

/// A file as it was when it was opened.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct FileState {
    path: PathBuf,
    pub(crate) bytes: u64,
    changed: Option<SystemTime>,
}

impl FileState {
    pub(crate) fn of(path: &Path, found: &Metadata) -> Self {
        Self {
            path: path.to_owned(),
            bytes: found.len(),
            changed: found.modified().ok(),
        }
    }
}

/// An open file, whose bytes are read when they are needed.
///
/// They are never mapped: a file that is cut in its place meanwhile would end the process.
pub(crate) struct OpenFile {
    file: File,
    pub(crate) state: FileState,
}

impl OpenFile {
    /// Opens a file of at most `bytes_max` bytes.
    pub(crate) fn open(path: &Path, bytes_max: u64) -> Result<Self, Refusal> {
        let unreadable = |error| unreadable(path, &error);
        let file = File::open(path).map_err(unreadable)?;
        let state = FileState::of(path, &file.metadata().map_err(unreadable)?);
        let len = state.bytes;
        if len > bytes_max {
            let name = name(path);
            return Err(Refusal::damaged(format!(
                "{name} has {len} bytes, more than {bytes_max}"
            )));
        }
        Ok(Self { file, state })
    }

    /// Bytes that it had when it was opened.
    pub(crate) fn len(&self) -> u64 {
        self.state.bytes
    }

    /// All bytes, where they are.
    pub(crate) fn bytes(&self) -> Bytes<'_> {
        Bytes::There {
            file: self,
            at: 0,
            len: usize::try_from(self.len()).unwrap_or(usize::MAX),
        }
    }

    /// Fills `bytes` from a place on.
    ///
    /// # Errors
    /// [`Refusal`] when the file ends before, or cannot be read.
    pub(crate) fn fill(&self, at: u64, bytes: &mut [u8]) -> Result<(), Refusal> {
        read_exact_at(&self.file, bytes, at).map_err(|error| self.unreadable(&error))
    }

    /// Adds `len` bytes from a place on to others.
    ///
    /// # Errors
    /// As `fill` has it, and when there is no memory for them.
    pub(crate) fn add(&self, at: u64, len: u64, bytes: &mut Vec<u8>) -> Result<(), Refusal> {
        let len = usize::try_from(len).unwrap_or(usize::MAX);
        make_room(bytes, len)?;
        let (begin, mut done) = (bytes.len(), 0);
        while done < len {
            let some = CACHED_BYTES.min(len - done);
            bytes.resize(begin + done + some, 0);
            self.fill(at + done as u64, &mut bytes[begin + done..])?;
            done += some;
        }
        Ok(())
    }

    /// Refuses a file that somebody wrote to since it was opened: its weights may be of two models.
    pub(crate) fn check_unchanged(&self) -> Result<(), Refusal> {
        let path = &self.state.path;
        let found = self
            .file
            .metadata()
            .map_err(|error| self.unreadable(&error))?;
        if FileState::of(path, &found) == self.state {
            return Ok(());
        }
        let name = name(path);
        Err(Refusal::damaged(format!(
            "{name} was written to while it was read"
        )))
    }

    fn unreadable(&self, error: &io::Error) -> Refusal {
        let path = &self.state.path;
        if error.kind() == io::ErrorKind::UnexpectedEof {
            return Refusal::damaged(format!("{} was cut while it was read", name(path)));
        }
        unreadable(path, error)
    }
}

/// Makes room for `more` values.
///
/// # Errors
/// [`Refusal`] when there is no memory for them.
pub(crate) fn make_room<T>(values: &mut Vec<T>, more: usize) -> Result<(), Refusal> {
    let room = values.try_reserve_exact(more);
    room.map_err(|_| Refusal::no_memory())
}

fn unreadable(path: &Path, error: &io::Error) -> Refusal {
    Refusal::Unreadable {
        reason: format!("{}: {error}", name(path)),
    }
}

fn name(path: &Path) -> Cow<'_, str> {
    path.file_name().unwrap_or_default().to_string_lossy()
}

/// Bytes in memory, or in a file.
#[derive(Clone, Copy)]
pub(crate) enum Bytes<'a> {
    Here(&'a [u8]),
    There {
        file: &'a OpenFile,
        at: u64,
        len: usize,
    },
}

impl<'a> Bytes<'a> {
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Here(bytes) => bytes.len(),
            Self::There { len, .. } => *len,
        }
    }

    /// Those from a place on; none where there are not so many.
    pub(crate) fn part(&self, start: usize, len: usize) -> Option<Self> {
        let end = start.checked_add(len).filter(|&end| end <= self.len())?;
        Some(match *self {
            Self::Here(bytes) => Self::Here(&bytes[start..end]),
            Self::There { file, at, .. } => Self::There {
                file,
                at: at + start as u64,
                len,
            },
        })
    }

    /// Adds them to others.
    ///
    /// # Errors
    /// [`Refusal`] when they cannot be read, or there is no memory for them.
    pub(crate) fn add_to(&self, others: &mut Vec<u8>) -> Result<(), Refusal> {
        match *self {
            Self::Here(bytes) => {
                make_room(others, bytes.len())?;
                others.extend_from_slice(bytes);
            }
            Self::There { file, at, len } => file.add(at, len as u64, others)?,
        }
        Ok(())
    }

    /// Copies them; `to` has their length.
    ///
    /// # Errors
    /// [`Refusal`] when they cannot be read.
    pub(crate) fn copy_to(&self, to: &mut [u8]) -> Result<(), Refusal> {
        match *self {
            Self::Here(bytes) => to.copy_from_slice(bytes),
            Self::There { file, at, .. } => file.fill(at, to)?,
        }
        Ok(())
    }

    /// They themselves, read where they are not in memory.
    ///
    /// # Errors
    /// As `add_to` has it.
    pub(crate) fn read(&self) -> Result<Cow<'a, [u8]>, Refusal> {
        if let Self::Here(bytes) = *self {
            return Ok(Cow::Borrowed(bytes));
        }
        let mut bytes = Vec::new();
        self.add_to(&mut bytes)?;
        Ok(Cow::Owned(bytes))
    }
}

#[cfg(test)]
mod tests {
    use std::fs::{self, OpenOptions};
    use std::io::Write;

    use super::*;

    const BYTES: usize = 3 * CACHED_BYTES / 2;

    fn file() -> (tempfile::TempDir, PathBuf, Vec<u8>) {
        let folder = tempfile::tempdir().expect("there is room");
        let path = folder.path().join("model.onnx");
        let bytes: Vec<u8> = (0..BYTES).map(|at| (at % 251) as u8).collect();
        fs::write(&path, &bytes).expect("it can be written");
        (folder, path, bytes)
    }

    fn reason<T>(result: Result<T, Refusal>) -> String {
        result
            .err()
            .map(|refusal| refusal.to_string())
            .unwrap_or_default()
    }

    #[test]
    fn parts_of_a_file_are_those_of_its_bytes_in_memory() {
        let (_folder, path, bytes) = file();
        let open = OpenFile::open(&path, BYTES as u64).expect("it is there");
        let (here, there) = (Bytes::Here(&bytes), open.bytes());
        for (start, len) in [(0, BYTES), (1, CACHED_BYTES + 1), (BYTES - 3, 3), (7, 0)] {
            let parts = [here, there].map(|bytes| bytes.part(start, len));
            let read = parts.map(|part| part.and_then(|part| part.read().ok()));
            assert_eq!(read[0].as_deref(), Some(&bytes[start..start + len]));
            assert_eq!(read[0], read[1]);
        }
        for (start, len) in [(0, BYTES + 1), (BYTES, 1), (usize::MAX, 2)] {
            assert!(here.part(start, len).is_none() && there.part(start, len).is_none());
        }
    }

    #[test]
    fn a_file_that_is_cut_or_written_to_while_it_is_read_is_told() {
        let (_folder, path, _) = file();
        let open = OpenFile::open(&path, BYTES as u64).expect("it is there");
        assert!(open.check_unchanged().is_ok());
        let write = OpenOptions::new().append(true).open(&path);
        let mut write = write.expect("it can be written");
        write.write_all(b"more").expect("there is room");
        assert!(reason(open.check_unchanged()).contains("was written to while it was read"));
        write.set_len(10).expect("it can be cut");
        assert!(reason(open.bytes().read()).contains("was cut while it was read"));
    }

    #[test]
    fn files_of_more_bytes_than_may_be_are_refused() {
        let (_folder, path, _) = file();
        let refused = OpenFile::open(&path, BYTES as u64 - 1).map(drop);
        assert!(reason(refused).contains("more than"));
    }
}
