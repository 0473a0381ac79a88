//! A folder that cannot be made or written to: the index goes on, leaves nothing half made, and
//! saves itself when the folder can be used again.

use std::fs;
use std::path::Path;

use crate::support::{Clustered, Model, exact, params, search, settle};
use pelorus_hnsw::{HnswParams, Metric, SnapshotError, VectorIndex};

const DIM: usize = 24;

fn small() -> HnswParams {
    params(DIM, Metric::Euclidean)
}

/// An index and its expected content.
struct Filled {
    index: VectorIndex,
    model: Model,
    data: Clustered,
}

impl Filled {
    fn new(index: VectorIndex, docs: u32) -> Self {
        let (model, data) = (Model::default(), Clustered::new(DIM, 31));
        let mut filled = Self { index, model, data };
        filled.push(0..docs);
        filled
    }

    fn push(&mut self, docs: std::ops::Range<u32>) {
        for doc in docs {
            let vector = self.data.draw();
            self.index.push(&vector, doc, 0).unwrap();
            self.model.chunks.push((doc, 0, vector));
        }
    }

    fn assert_answers(&mut self, index: &VectorIndex) {
        let accept = self.model.docs();
        assert_eq!(index.len(), self.model.chunks.len());
        for _ in 0..8 {
            let query = self.data.draw();
            let found = index.search(&query, &exact(search(7, &accept, accept.len())), &accept);
            let expected = self.model.search(Metric::Euclidean, &query, 7, &accept);
            assert_eq!(found, expected);
        }
    }

    fn assert_sound(&mut self) {
        let index = std::mem::replace(&mut self.index, VectorIndex::new(small()));
        self.assert_answers(&index);
        self.index = index;
    }

    /// Asserts that a copy of the folder opens with `watermark`, and answers as the model does.
    fn assert_saved(&mut self, folder: &Path, watermark: u32) {
        let copy = tempfile::tempdir().unwrap();
        for name in names(folder) {
            fs::copy(folder.join(&name), copy.path().join(&name)).unwrap();
        }
        let (index, saved) = VectorIndex::open(small(), copy.path()).unwrap();
        assert_eq!(saved, watermark);
        self.assert_answers(&index);
    }
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut names: Vec<_> = entries
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

#[test]
fn without_its_folder_an_index_works_from_memory_and_saves_all_of_it_later() {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join("field");
    // No folder can be made where a file is.
    fs::write(&folder, "in the way").unwrap();
    assert!(VectorIndex::create(small(), &folder).is_err());
    let mut filled = Filled::new(VectorIndex::in_memory(small(), &folder), 3_000);
    settle(&filled.index);
    for _ in 0..2 {
        assert!(filled.index.save(3_000).is_err());
        assert_eq!(filled.index.unsaved(), 3_000);
        filled.assert_sound();
    }
    assert_eq!(fs::read(&folder).unwrap(), b"in the way");

    fs::remove_file(&folder).unwrap();
    filled.index.save(3_000).unwrap();
    filled.assert_saved(&folder, 3_000);
    assert_eq!((names(&folder).len(), filled.index.unsaved()), (2, 0));
    // The next one has a file of its own until it is whole.
    filled.push(3_000..3_500);
    fs::create_dir(folder.join("graph.snapshot.draft")).unwrap();
    assert!(filled.index.save(3_500).is_err());
    fs::remove_dir(folder.join("graph.snapshot.draft")).unwrap();
    assert_eq!(names(&folder).len(), 2);
    filled.index.save(3_500).unwrap();
    filled.assert_saved(&folder, 3_500);
    assert_eq!(names(&folder).len(), 2);
    // Compaction finds a folder again, and has a file from then on.
    let dead = 0..1_500;
    dead.clone().for_each(|doc| filled.index.remove(doc));
    filled.model.chunks.retain(|(doc, ..)| !dead.contains(doc));
    settle(&filled.index);
    assert_eq!(filled.index.removed(), 0);
    filled.assert_sound();
    filled.index.save(3_500).unwrap();
    filled.assert_saved(&folder, 3_500);
}

#[test]
fn memory_of_the_removed_comes_back_without_a_folder_too() {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join("field");
    fs::write(&folder, "in the way").unwrap();
    let mut filled = Filled::new(VectorIndex::in_memory(small(), &folder), 3_000);
    (0..1_500).for_each(|doc| filled.index.remove(doc));
    filled.model.chunks.retain(|&(doc, ..)| doc >= 1_500);
    settle(&filled.index);
    assert_eq!(filled.index.removed(), 0);
    filled.assert_sound();
}

#[test]
fn a_snapshot_that_cannot_be_written_leaves_the_one_before() {
    let folder = tempfile::tempdir().unwrap();
    let index = VectorIndex::create(small(), folder.path()).unwrap();
    let mut filled = Filled::new(index, 1_500);
    filled.index.save(1_500).unwrap();
    let before = fs::read(folder.path().join("graph.snapshot")).unwrap();
    filled.push(1_500..1_600);
    let obstacle = folder.path().join("graph.snapshot.draft");
    fs::create_dir(&obstacle).unwrap();
    assert!(filled.index.save(1_600).is_err());
    fs::remove_dir(&obstacle).unwrap();
    assert_eq!(names(folder.path()), ["graph.snapshot", "vectors-0.bin"]);
    let now = fs::read(folder.path().join("graph.snapshot")).unwrap();
    assert!(now == before && filled.index.unsaved() == 100);
    filled.index.save(1_600).unwrap();
    filled.assert_saved(folder.path(), 1_600);
}

#[test]
fn a_compaction_that_cannot_make_its_file_leaves_everything_as_it_was() {
    let home = tempfile::tempdir().unwrap();
    let (folder, away) = (home.path().join("field"), home.path().join("away"));
    fs::create_dir(&folder).unwrap();
    let index = VectorIndex::create(small(), &folder).unwrap();
    let mut filled = Filled::new(index, 3_000);
    fs::rename(&folder, &away).unwrap();
    (0..1_500).for_each(|doc| filled.index.remove(doc));
    filled.model.chunks.retain(|&(doc, ..)| doc >= 1_500);
    settle(&filled.index);
    assert_eq!(filled.index.removed(), 1_500);
    filled.assert_sound();
    assert!(!folder.exists());
    fs::rename(&away, &folder).unwrap();
    settle(&filled.index);
    assert_eq!(filled.index.removed(), 0);
    filled.assert_sound();
    filled.index.save(3_000).unwrap();
    filled.assert_saved(&folder, 3_000);
}

#[test]
fn a_document_that_was_pushed_half_way_is_taken_back_and_pushed_again() {
    let folder = tempfile::tempdir().unwrap();
    let index = VectorIndex::create(small(), folder.path()).unwrap();
    let mut filled = Filled::new(index, 2_500);
    settle(&filled.index);
    let chunks: Vec<_> = (0..4).map(|_| filled.data.draw()).collect();
    for half in [1, 3] {
        let pushed = (0..).zip(&chunks[..half]);
        pushed.for_each(|(chunk, x)| filled.index.push(x, 2_500, chunk).unwrap());
        filled.index.remove(2_500);
        filled.assert_sound();
        assert!(!filled.index.docs().contains(&2_500));
    }
    // Another document came in between.
    filled.push(2_501..2_502);
    for (chunk, vector) in (0..).zip(chunks) {
        filled.index.push(&vector, 2_500, chunk).unwrap();
        filled.model.chunks.push((2_500, chunk, vector));
    }
    filled.assert_sound();
    settle(&filled.index);
    filled.assert_sound();
    filled.index.save(2_502).unwrap();
    filled.assert_saved(folder.path(), 2_502);
    filled.index.remove(2_500);
    filled.model.chunks.retain(|&(doc, ..)| doc != 2_500);
    filled.assert_sound();
}

#[test]
fn a_retired_index_goes_on_without_its_folder() {
    let home = tempfile::tempdir().unwrap();
    let (folder, aside) = (home.path().join("field"), home.path().join("aside"));
    fs::create_dir(&folder).unwrap();
    let index = VectorIndex::create(small(), &folder).unwrap();
    let mut old = Filled::new(index, 3_000);
    old.index.save(3_000).unwrap();
    old.index.retire();
    fs::rename(&folder, &aside).unwrap();
    fs::create_dir(&folder).unwrap();
    let mut new = Filled::new(VectorIndex::create(small(), &folder).unwrap(), 100);
    new.index.save(100).unwrap();
    let (in_folder, in_aside) = (names(&folder), names(&aside));
    let snapshots = || [&folder, &aside].map(|f| fs::read(f.join("graph.snapshot")).unwrap());
    let before = snapshots();

    // It writes on to the file it has open, and would save and compact.
    old.push(3_000..4_000);
    (0..2_500).for_each(|doc| old.index.remove(doc));
    old.model.chunks.retain(|&(doc, ..)| doc >= 2_500);
    settle(&old.index);
    old.index.save(4_000).unwrap();
    old.assert_sound();
    assert!(old.index.unsaved() > 0);
    assert_eq!((names(&folder), names(&aside)), (in_folder, in_aside));
    assert!(snapshots() == before);
    new.assert_sound();
    new.assert_saved(&folder, 100);
}

#[test]
fn retiring_amid_snapshots_and_compactions_ends_them() {
    for round in 0..6 {
        let home = tempfile::tempdir().unwrap();
        let (folder, aside) = (home.path().join("field"), home.path().join("aside"));
        fs::create_dir(&folder).unwrap();
        let index = VectorIndex::create(small(), &folder).unwrap();
        let mut filled = Filled::new(index, 3_000);
        filled.index.save(3_000).unwrap();
        let index = &filled.index;
        std::thread::scope(|scope| {
            let saving = scope.spawn(|| (0..30).for_each(|_| index.save(3_000).unwrap()));
            scope.spawn(|| {
                (0..1_500).for_each(|doc| index.remove(doc));
                settle(index);
            });
            // Each round takes the others at another moment.
            (0..round * 20).for_each(|_| std::thread::yield_now());
            index.retire();
            fs::rename(&folder, &aside).unwrap();
            let before = names(&aside);
            saving.join().unwrap();
            assert!(!folder.exists());
            assert_eq!(names(&aside), before);
        });
        assert!(!folder.exists());
        assert!(!names(&aside).contains(&"graph.snapshot.draft".to_owned()));
        filled.model.chunks.retain(|&(doc, ..)| doc >= 1_500);
        filled.assert_sound();
        drop(filled);
        assert!(VectorIndex::open(small(), &aside).is_ok());
    }
}

#[test]
fn a_folder_that_is_gone_has_no_snapshot() {
    let home = tempfile::tempdir().unwrap();
    let error = VectorIndex::open(small(), &home.path().join("nowhere")).err();
    assert!(matches!(error, Some(SnapshotError::Missing)));
}
