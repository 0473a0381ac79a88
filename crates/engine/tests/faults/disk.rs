//! A disk of which a power cut leaves what was synced, and of the rest what chance says.
//!
//! A write that was not synced is left, lost, or left in some of its sectors or pages; a length may be left without the
//! bytes. A name that was made, changed or removed is so for certain once the folder was synced, after a rename that
//! of the new name; before, it may be as before, whatever became of the file. A rename itself is never seen half done.

use std::collections::{BTreeMap, HashMap};
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use pelorus_random::SplitMix64;

use super::journal::{Call, Inode, Journal};

/// The units that a disk writes whole.
const UNITS: [usize; 2] = [512, 4096];

/// The folder of a data directory.
const ROOT: usize = 0;

/// Chance as to what is left of calls that were not synced.
#[derive(Debug, Clone, Copy)]
pub enum Cut {
    /// Nothing of them is left.
    None,
    /// All is left, as at the end of a process.
    All,
    /// Names in their order up to a moment, as journals of file systems have them; of writes anything.
    Ordered,
    /// Anything.
    Any,
}

impl Cut {
    pub fn random(random: &mut SplitMix64) -> Self {
        match random.below(8) {
            0 => Self::None,
            1 => Self::All,
            2..5 => Self::Ordered,
            _ => Self::Any,
        }
    }
}

/// The content of a data directory.
#[derive(Hash)]
pub struct Image {
    folders: Vec<PathBuf>,
    files: Vec<(PathBuf, Vec<u8>)>,
}

impl Image {
    /// The image that a cut after the first `count` calls of a journal leaves.
    pub fn of(journal: &Journal, count: usize, cut: Cut, random: &mut SplitMix64) -> Self {
        let mut disk = Disk::before(journal);
        for call in &journal.calls[..count] {
            disk.follow(call);
        }
        disk.left(cut, random)
    }

    /// Makes the image a directory, which must not be there yet.
    pub fn write_to(&self, directory: &Path) {
        fs::create_dir(directory).unwrap();
        for folder in &self.folders {
            fs::create_dir(directory.join(folder)).unwrap();
        }
        for (path, content) in &self.files {
            fs::write(directory.join(path), content).unwrap();
        }
    }
}

/// A name in a folder.
type Name = (usize, OsString);

#[derive(Debug)]
enum NameChange {
    Add(Name, usize),
    Move(Name, Name, usize),
    Remove(Name, usize),
}

impl NameChange {
    /// The folder whose sync makes it certain.
    fn folder(&self) -> usize {
        match self {
            Self::Add((folder, _), _)
            | Self::Move(_, (folder, _), _)
            | Self::Remove((folder, _), _) => *folder,
        }
    }

    fn apply(&self, names: &mut BTreeMap<Name, usize>) {
        let mut remove = |name: &Name, node: usize| {
            if names.get(name) == Some(&node) {
                names.remove(name);
            }
        };
        match self {
            Self::Add(name, node) => _ = names.insert(name.clone(), *node),
            Self::Remove(name, node) => remove(name, *node),
            Self::Move(from, to, node) => {
                remove(from, *node);
                names.insert(to.clone(), *node);
            }
        }
    }
}

enum FileChange<'a> {
    Write { at: u64, bytes: &'a [u8] },
    SetLength(u64),
}

/// A file or folder, with or without a name.
#[derive(Default)]
struct Node<'a> {
    before: &'a [u8],
    is_folder: bool,
    changes: Vec<FileChange<'a>>,
    /// The number of changes that are synced.
    synced: usize,
}

struct Disk<'a> {
    journal: &'a Journal,
    nodes: Vec<Node<'a>>,
    /// The node that has an inode now.
    numbered: HashMap<Inode, usize>,
    before: BTreeMap<Name, usize>,
    now: BTreeMap<Name, usize>,
    changes: Vec<NameChange>,
    synced: Vec<bool>,
    /// Syncs that have begun: the node, and the changes that it had, of content or of names.
    syncs: HashMap<u64, (usize, usize)>,
}

impl<'a> Disk<'a> {
    fn before(journal: &'a Journal) -> Self {
        let mut disk = Self {
            journal,
            nodes: Vec::new(),
            numbered: HashMap::new(),
            before: BTreeMap::new(),
            now: BTreeMap::new(),
            changes: Vec::new(),
            synced: Vec::new(),
            syncs: HashMap::new(),
        };
        disk.add_node(journal.root, true, &[]);
        for found in &journal.before {
            let name = disk.name(&found.path).unwrap();
            let content = found.content.as_deref();
            let node = disk.add_node(found.inode, content.is_none(), content.unwrap_or_default());
            disk.now.insert(name, node);
        }
        disk.before = disk.now.clone();
        disk
    }

    fn add_node(&mut self, inode: Inode, is_folder: bool, before: &'a [u8]) -> usize {
        self.nodes.push(Node {
            before,
            is_folder,
            ..Node::default()
        });
        self.numbered.insert(inode, self.nodes.len() - 1);
        self.nodes.len() - 1
    }

    /// The name at a path; none where there is no such folder.
    fn name(&self, path: &Path) -> Option<Name> {
        let mut folder = ROOT;
        for part in path.parent()? {
            folder = *self.now.get(&(folder, part.to_owned()))?;
        }
        Some((folder, path.file_name()?.to_owned()))
    }

    fn change(&mut self, change: NameChange) {
        change.apply(&mut self.now);
        self.changes.push(change);
        self.synced.push(false);
    }

    fn follow(&mut self, call: &Call) {
        match call {
            Call::Create { path, inode } => {
                let name = self.name(path).unwrap();
                let there = self.now.get(&name);
                if there.is_none() || there != self.numbered.get(inode) {
                    let node = self.add_node(*inode, false, &[]);
                    self.change(NameChange::Add(name, node));
                }
            }
            Call::CreateFolder { path, inode } => {
                let name = self.name(path).unwrap();
                let node = self.add_node(*inode, true, &[]);
                self.change(NameChange::Add(name, node));
            }
            Call::Write { inode, at, bytes } => {
                let (at, bytes) = (*at, self.journal.bytes(bytes));
                self.change_file(*inode, FileChange::Write { at, bytes });
            }
            Call::SetLength { inode, length } => {
                self.change_file(*inode, FileChange::SetLength(*length));
            }
            Call::Rename { from, to } => {
                let (from, to) = (self.name(from).unwrap(), self.name(to).unwrap());
                let node = self.now[&from];
                self.change(NameChange::Move(from, to, node));
            }
            Call::Link { from, to } => {
                let (from, to) = (self.name(from).unwrap(), self.name(to).unwrap());
                let node = self.now[&from];
                self.change(NameChange::Add(to, node));
            }
            Call::Remove { path } => {
                let name = self.name(path).unwrap();
                let node = self.now[&name];
                self.change(NameChange::Remove(name, node));
            }
            Call::SyncBegins { inode, number } => {
                if let Some(&node) = self.numbered.get(inode) {
                    let count = match self.nodes[node].is_folder {
                        true => self.changes.len(),
                        false => self.nodes[node].changes.len(),
                    };
                    self.syncs.insert(*number, (node, count));
                }
            }
            Call::SyncEnds { number } => {
                if let Some((node, count)) = self.syncs.remove(number) {
                    self.sync(node, count);
                }
            }
            Call::Mark { .. } => {}
        }
    }

    fn change_file(&mut self, inode: Inode, change: FileChange<'a>) {
        // A file without a name that was never followed is nothing that could be left.
        if let Some(&node) = self.numbered.get(&inode) {
            self.nodes[node].changes.push(change);
        }
    }

    fn sync(&mut self, node: usize, count: usize) {
        if !self.nodes[node].is_folder {
            let synced = &mut self.nodes[node].synced;
            *synced = count.max(*synced);
            return;
        }
        for (change, synced) in self.changes[..count].iter().zip(&mut self.synced) {
            *synced |= change.folder() == node;
        }
    }

    fn left(&self, cut: Cut, random: &mut SplitMix64) -> Image {
        let unsynced = self.synced.iter().filter(|synced| !**synced).count();
        // The number that is left of eight.
        let (of_names, of_writes) = (random.below(9), random.below(9));
        let mut in_order = random.below(unsynced + 1);
        let mut names = self.before.clone();
        for (change, synced) in self.changes.iter().zip(&self.synced) {
            let is_left = *synced
                || match cut {
                    Cut::None => false,
                    Cut::All => true,
                    Cut::Any => random.below(8) < of_names,
                    Cut::Ordered => {
                        let is_before = in_order > 0;
                        in_order = in_order.saturating_sub(1);
                        is_before
                    }
                };
            if is_left {
                change.apply(&mut names);
            }
        }
        let mut image = Image {
            folders: Vec::new(),
            files: Vec::new(),
        };
        let mut waiting = vec![(ROOT, PathBuf::new())];
        while let Some((folder, path)) = waiting.pop() {
            let from = (folder, OsString::new());
            for ((_, name), node) in names.range(from..).take_while(|((of, _), _)| *of == folder) {
                let path = path.join(name);
                if self.nodes[*node].is_folder {
                    image.folders.push(path.clone());
                    waiting.push((*node, path));
                } else {
                    let content = self.nodes[*node].left(cut, of_writes, random);
                    image.files.push((path, content));
                }
            }
        }
        image
    }
}

impl Node<'_> {
    fn left(&self, cut: Cut, of_writes: usize, random: &mut SplitMix64) -> Vec<u8> {
        let (synced, unsynced) = self.changes.split_at(self.synced);
        let mut content = self.before.to_vec();
        synced.iter().for_each(|change| change.apply(&mut content));
        if unsynced.is_empty() || matches!(cut, Cut::None) {
            return content;
        }
        if matches!(cut, Cut::All) {
            unsynced
                .iter()
                .for_each(|change| change.apply(&mut content));
            return content;
        }
        let tears = random.below(2) == 0;
        for change in unsynced {
            if random.below(8) < of_writes {
                match tears && random.below(2) == 0 {
                    true => change.apply_torn(&mut content, random),
                    false => change.apply(&mut content),
                }
            }
        }
        if random.below(4) == 0 {
            let mut whole = content.clone();
            unsynced.iter().for_each(|change| change.apply(&mut whole));
            content.resize(whole.len(), 0);
        }
        content
    }
}

impl FileChange<'_> {
    fn apply(&self, content: &mut Vec<u8>) {
        match self {
            Self::SetLength(length) => content.resize(*length as usize, 0),
            Self::Write { at, bytes } => write(content, *at as usize, bytes),
        }
    }

    /// Applies some of the sectors or pages that a write spans.
    fn apply_torn(&self, content: &mut Vec<u8>, random: &mut SplitMix64) {
        let Self::Write { at, bytes } = self else {
            return self.apply(content);
        };
        let unit = *random.pick(&UNITS);
        let (mut at, mut rest) = (*at as usize, *bytes);
        while !rest.is_empty() {
            let (part, behind) = rest.split_at(rest.len().min(unit - at % unit));
            if random.below(2) == 0 {
                write(content, at, part);
            }
            at += part.len();
            rest = behind;
        }
    }
}

fn write(content: &mut Vec<u8>, at: usize, bytes: &[u8]) {
    let end = at + bytes.len();
    if content.len() < end {
        content.resize(end, 0);
    }
    content[at..end].copy_from_slice(bytes);
}
