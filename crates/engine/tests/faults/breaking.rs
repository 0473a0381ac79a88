//! Damage to one file or folder of a data directory, and the undoing of it.

use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};

use super::directory::{copy, kind, tree};
use pelorus_random::SplitMix64;

/// The kind of file that holds the documents.
pub const STORE: &str = "index.redb";

/// Tells whether a kind of file or folder may hold rows of vectors that the store refers to, and that cannot be made
/// anew therefore. Their list is there twice.
pub fn holds_rows(kind: &str) -> bool {
    ["vectors/", "vectors/N/", "vectors/N/vectors-N.bin"].contains(&kind)
}

/// Trials on the store, among all. Every other kind has the same share of the rest.
const STORE_ONE_IN: usize = 4;

#[derive(Debug, Clone, Copy)]
pub enum Damage {
    FlippedBit,
    ZeroedPage,
    Truncated,
    Appended,
    Missing,
    /// A folder where a file was, or a file where a folder was.
    Obstacle,
    /// With another file of its kind, of any index.
    Swapped,
}

const OF_FILES: [Damage; 9] = [
    Damage::FlippedBit,
    Damage::FlippedBit,
    Damage::FlippedBit,
    Damage::ZeroedPage,
    Damage::Truncated,
    Damage::Appended,
    Damage::Missing,
    Damage::Obstacle,
    Damage::Swapped,
];
const OF_FOLDERS: [Damage; 2] = [Damage::Missing, Damage::Obstacle];

/// Something that was broken.
pub struct Broken {
    root: PathBuf,
    pub path: PathBuf,
    pub kind: String,
    pub damage: Damage,
    how: How,
}

enum How {
    /// A folder that is gone; something else may be there.
    Folder,
    /// A file that is gone; something else may be there.
    File(Vec<u8>),
    Bytes(Change),
    /// With another file, and the content of that one.
    Swapped(PathBuf, Vec<u8>, Vec<u8>),
}

/// Bytes of a file before and after, and where they differ.
struct Change {
    before: Vec<u8>,
    after: Vec<u8>,
    at: Range<usize>,
}

impl Broken {
    /// Breaks something of the data directory `root`. The kind is chosen first, so that rare ones are
    /// not lost among many segments.
    pub fn choose(random: &mut SplitMix64, root: &Path) -> Self {
        let mut paths: Vec<(String, PathBuf)> = tree(root)
            .unwrap()
            .into_iter()
            .filter_map(|path| Some((kind(root, &path)?, path)))
            .collect();
        let mut kinds: Vec<String> = paths.iter().map(|(kind, _)| kind.clone()).collect();
        kinds.sort();
        kinds.dedup();
        let kind = match random.below(STORE_ONE_IN) {
            0 => STORE.to_owned(),
            _ => random.pick(&kinds).clone(),
        };
        paths.retain(|(of, _)| *of == kind);
        let paths: Vec<PathBuf> = paths.into_iter().map(|(_, path)| path).collect();
        let path = random.pick(&paths).clone();
        let is_folder = path.is_dir();
        let damage = match is_folder {
            true => *random.pick(&OF_FOLDERS),
            false => *random.pick(&OF_FILES),
        };
        let how = match damage {
            _ if is_folder => remove_folder(&path, damage),
            Damage::Missing | Damage::Obstacle => remove_file(&path, damage),
            Damage::Swapped => swap(&path, random.pick::<PathBuf>(&paths)),
            _ => change(random, &path, damage),
        };
        Self {
            root: root.to_owned(),
            path,
            kind,
            damage,
            how,
        }
    }

    /// The place and kind of the damage, for a message.
    pub fn place(&self) -> String {
        let path = self.path.strip_prefix(&self.root).unwrap().display();
        match &self.how {
            How::Bytes(change) => format!("{path}, bytes {:?}", change.at),
            How::Swapped(with, ..) => format!("{path} with {}", with.display()),
            _ => path.to_string(),
        }
    }

    /// Puts back files that are still as they were broken. Files that the engine has made anew
    /// since are its own.
    pub fn undo(&self, pristine: &Path) {
        let path = &self.path;
        match &self.how {
            How::Folder => {
                if path.is_file() {
                    fs::remove_file(path).unwrap();
                }
                if !path.exists() && path.parent().unwrap().is_dir() {
                    copy(&pristine.join(path.strip_prefix(&self.root).unwrap()), path);
                }
            }
            How::File(before) => {
                // A folder that holds something is the engine's.
                let _ = fs::remove_dir(path);
                if !path.exists() && path.parent().unwrap().is_dir() {
                    fs::write(path, before).unwrap();
                }
            }
            How::Bytes(change) => change.undo(path),
            // Truths are not made anew: they go back to where they belong, as they are now.
            How::Swapped(with, ..) if self.kind == STORE => {
                let (here, there) = (fs::read(path).unwrap(), fs::read(with).unwrap());
                fs::write(path, there).unwrap();
                fs::write(with, here).unwrap();
            }
            How::Swapped(with, here, there) => {
                restore(path, there, here);
                restore(with, here, there);
            }
        }
    }
}

fn remove_folder(path: &Path, damage: Damage) -> How {
    fs::remove_dir_all(path).unwrap();
    if let Damage::Obstacle = damage {
        fs::write(path, "in the way").unwrap();
    }
    How::Folder
}

fn remove_file(path: &Path, damage: Damage) -> How {
    let before = fs::read(path).unwrap();
    fs::remove_file(path).unwrap();
    if let Damage::Obstacle = damage {
        fs::create_dir(path).unwrap();
    }
    How::File(before)
}

fn swap(path: &Path, with: &Path) -> How {
    let (here, there) = (fs::read(path).unwrap(), fs::read(with).unwrap());
    fs::write(path, &there).unwrap();
    fs::write(with, &here).unwrap();
    How::Swapped(with.to_owned(), here, there)
}

fn change(random: &mut SplitMix64, path: &Path, damage: Damage) -> How {
    let before = fs::read(path).unwrap();
    let mut after = before.clone();
    // The ends are where files are special: they get more than their share.
    let at = match (before.len(), random.below(8)) {
        (0, _) | (_, 0) => 0,
        (length, 1) => length - 1,
        (length, _) => random.below(length),
    };
    match damage {
        Damage::FlippedBit if !after.is_empty() => after[at] ^= 1 << random.below(8),
        Damage::ZeroedPage => {
            let page = at / 4096 * 4096;
            let end = after.len().min(page + 4096);
            after[page..end].fill(0);
        }
        Damage::Truncated => after.truncate(at),
        // An empty file has no bit to flip.
        _ => {
            let length = 1 + random.below(5000);
            after.extend((0..length).map(|_| random.below(256) as u8));
        }
    }
    fs::write(path, &after).unwrap();
    let differs = |at: &usize| before.get(*at) != after.get(*at);
    let all = 0..before.len().max(after.len());
    let first = all.clone().find(differs).unwrap_or(0);
    let end = all.rev().find(differs).map_or(first, |last| last + 1);
    How::Bytes(Change {
        before,
        after,
        at: first..end,
    })
}

fn restore(path: &Path, broken: &[u8], before: &[u8]) {
    if fs::read(path).is_ok_and(|now| now == broken) {
        fs::write(path, before).unwrap();
    }
}

impl Change {
    fn undo(&self, path: &Path) {
        let Ok(mut now) = fs::read(path) else {
            return;
        };
        if now == self.after {
            fs::write(path, &self.before).unwrap();
            return;
        }
        // The file was written to since, here or elsewhere: the bytes around tell.
        let around = self.at.start.saturating_sub(8)..self.at.end + 8;
        if self.before.len() == self.after.len()
            && let (Some(is), Some(was)) = (now.get(around.clone()), self.after.get(around))
            && is == was
        {
            now[self.at.clone()].copy_from_slice(&self.before[self.at.clone()]);
            fs::write(path, now).unwrap();
        }
    }
}
