//! Calls that changed files, as `journal.c` recorded them in the order in which they took effect.

use std::fs;
use std::ops::Range;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::directory::tree;

/// The source of the library that records the calls.
pub const SOURCE: &str = include_str!("journal.c");
/// The variables in which the library finds the folder of data directories, and that of journals.
pub const ROOT: &str = "PELORUS_JOURNAL_ROOT";
pub const JOURNALS: &str = "PELORUS_JOURNALS";

/// Bytes of a record before its paths.
const HEAD_BYTES: usize = 32;

/// A file or folder, as the system numbers it while it is there.
pub type Inode = u64;

/// One call that changed something. Paths begin at the data directory.
#[derive(Debug)]
pub enum Call {
    /// A file was opened that is made where it is missing.
    Create {
        path: PathBuf,
        inode: Inode,
    },
    Write {
        inode: Inode,
        at: u64,
        bytes: Range<usize>,
    },
    SetLength {
        inode: Inode,
        length: u64,
    },
    Rename {
        from: PathBuf,
        to: PathBuf,
    },
    Link {
        from: PathBuf,
        to: PathBuf,
    },
    Remove {
        path: PathBuf,
    },
    CreateFolder {
        path: PathBuf,
        inode: Inode,
    },
    SyncBegins {
        inode: Inode,
        number: u64,
    },
    SyncEnds {
        number: u64,
    },
    Mark {
        bytes: Range<usize>,
    },
}

/// A path of a data directory, its inode, and the content of a file.
pub struct Found {
    pub path: PathBuf,
    pub inode: Inode,
    pub content: Option<Vec<u8>>,
}

/// A data directory at first, and all calls that changed it.
pub struct Journal {
    pub before: Vec<Found>,
    /// The inode of the directory itself.
    pub root: Inode,
    pub calls: Vec<Call>,
    directory: PathBuf,
    bytes: Vec<u8>,
}

/// The part of a kept journal that is neither bytes of calls nor content of files.
#[derive(Serialize, Deserialize)]
struct Kept {
    directory: PathBuf,
    root: Inode,
    before: Vec<(PathBuf, Inode)>,
}

impl Journal {
    /// Begins the journal of a data directory in the folder of them. No other process changes it.
    pub fn begin(directory: &Path) -> Self {
        let found = |path: PathBuf| Found {
            inode: fs::metadata(&path).unwrap().ino(),
            content: path.is_file().then(|| fs::read(&path).unwrap()),
            path: path.strip_prefix(directory).unwrap().to_owned(),
        };
        let journal = Self {
            before: tree(directory).unwrap().into_iter().map(found).collect(),
            root: fs::metadata(directory).unwrap().ino(),
            calls: Vec::new(),
            directory: directory.to_owned(),
            bytes: Vec::new(),
        };
        fs::write(file_of(directory), "").unwrap();
        journal
    }

    /// Ends the journal and reads all calls of it.
    pub fn end(mut self) -> Self {
        let file = file_of(&self.directory);
        self.bytes = fs::read(&file).unwrap();
        fs::remove_file(file).unwrap();
        self.read_calls();
        self
    }

    fn read_calls(&mut self) {
        let mut at = 0;
        while let Some((call, end)) = self.read_call(at) {
            self.calls.push(call);
            at = end;
        }
    }

    /// Writes the journal into a folder, which is made.
    pub fn keep(&self, folder: &Path) {
        let before = self.before.iter();
        let kept = Kept {
            directory: self.directory.clone(),
            root: self.root,
            before: before
                .map(|found| (found.path.clone(), found.inode))
                .collect(),
        };
        fs::create_dir_all(folder.join("before")).unwrap();
        fs::write(folder.join("calls"), &self.bytes).unwrap();
        fs::write(
            folder.join("journal.json"),
            serde_json::to_vec(&kept).unwrap(),
        )
        .unwrap();
        for found in &self.before {
            let path = folder.join("before").join(&found.path);
            match &found.content {
                Some(content) => fs::write(path, content).unwrap(),
                None => fs::create_dir(path).unwrap(),
            }
        }
    }

    /// Reads what [`keep`](Self::keep) wrote.
    pub fn kept(folder: &Path) -> Self {
        let kept = fs::read(folder.join("journal.json")).unwrap();
        let kept: Kept = serde_json::from_slice(&kept).unwrap();
        let found = |(path, inode): (PathBuf, Inode)| Found {
            content: fs::read(folder.join("before").join(&path)).ok(),
            inode,
            path,
        };
        let mut journal = Self {
            before: kept.before.into_iter().map(found).collect(),
            root: kept.root,
            calls: Vec::new(),
            directory: kept.directory,
            bytes: fs::read(folder.join("calls")).unwrap(),
        };
        journal.read_calls();
        journal
    }

    /// The call at a place, and the place after it; none at the end, or where the last record is still being written.
    fn read_call(&self, start: usize) -> Option<(Call, usize)> {
        let head = self.bytes.get(start..start + HEAD_BYTES)?;
        let number = |at: usize| u32::from_ne_bytes(head[at..at + 4].try_into().unwrap()) as usize;
        let long = |at: usize| u64::from_ne_bytes(head[at..at + 8].try_into().unwrap());
        let (inode, at) = (long(16), long(24));
        let first = start + HEAD_BYTES;
        let second = first + number(4);
        let data = second + number(8);
        let end = data + number(12);
        let text = |range: Range<usize>| String::from_utf8(self.bytes.get(range)?.to_vec()).ok();
        let path = |range: Range<usize>| {
            let whole = PathBuf::from(text(range)?);
            Some(whole.strip_prefix(&self.directory).unwrap().to_owned())
        };
        self.bytes.get(start..end)?;
        let bytes = data..end;
        let call = match number(0) {
            1 => Call::Create {
                path: path(first..second)?,
                inode,
            },
            2 => Call::Write { inode, at, bytes },
            3 => Call::SetLength { inode, length: at },
            4 => Call::Rename {
                from: path(first..second)?,
                to: path(second..data)?,
            },
            5 => Call::Link {
                from: path(first..second)?,
                to: path(second..data)?,
            },
            6 | 8 => Call::Remove {
                path: path(first..second)?,
            },
            7 => Call::CreateFolder {
                path: path(first..second)?,
                inode,
            },
            9 => Call::SyncBegins { inode, number: at },
            10 => Call::SyncEnds { number: at },
            11 => Call::Mark { bytes },
            _ => panic!("a call that no image can show: {:?}", text(first..second)),
        };
        Some((call, end))
    }

    /// The bytes of a write or a mark.
    pub fn bytes(&self, range: &Range<usize>) -> &[u8] {
        &self.bytes[range.clone()]
    }

    /// The marks among the first `count` calls, one after the other.
    pub fn marks(&self, count: usize) -> String {
        let mut marks = Vec::new();
        for call in &self.calls[..count] {
            if let Call::Mark { bytes } = call {
                marks.extend_from_slice(self.bytes(bytes));
            }
        }
        String::from_utf8_lossy(&marks).into_owned()
    }
}

fn file_of(directory: &Path) -> PathBuf {
    let journals = PathBuf::from(std::env::var_os(JOURNALS).unwrap());
    journals.join(directory.file_name().unwrap())
}

/// The file whose writes are marks in the journal of a data directory.
pub fn marks_of(directory: &Path) -> PathBuf {
    directory.with_extension("marks")
}
