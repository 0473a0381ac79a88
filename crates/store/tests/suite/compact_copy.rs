//! A copy without free pages takes the place of a store, whoever reads and writes meanwhile.
#![cfg(unix)]
use std::cell::Cell;
use std::fs;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::{Path, PathBuf};

use pelorus_store::{CompactCopy, ReadView, Store, StoreError, WriteBatch, WriteOp};

const CACHE_BYTES: usize = 1 << 18;
const DOCUMENTS: u32 = 3_000;

fn put(doc: u32) -> WriteOp {
    WriteOp::Put {
        doc,
        replaces: None,
        document: doc.to_le_bytes().repeat(20),
        tensors: vec![doc as u8; 1_500],
    }
}

fn commit(store: &Store, ops: Vec<WriteOp>) {
    store.commit(&WriteBatch { ops }).unwrap();
}

/// A store most of whose pages are free: references took the place of its tensors.
fn store_with_free_pages(path: &Path) -> Store {
    let store = Store::create(path, b"definition", CACHE_BYTES).unwrap();
    for first in (0..DOCUMENTS).step_by(500) {
        commit(&store, (first..first + 500).map(put).collect());
    }
    let references = (0..DOCUMENTS).map(|doc| (doc, doc.to_le_bytes().to_vec()));
    let refer = WriteOp::Refer {
        references: references.collect(),
        places: b"places".to_vec(),
    };
    commit(&store, vec![refer]);
    store
}

/// Compares a view with the documents that [`store_with_free_pages`] made.
fn check(view: &ReadView) {
    let mut next = 0;
    view.scan(0, 0, |doc, document, tensors| {
        assert_eq!(doc, next);
        next += 1;
        assert_eq!(document, doc.to_le_bytes().repeat(20));
        assert_eq!(tensors.unwrap(), doc.to_le_bytes());
        assert_eq!(view.document(doc)?.as_deref(), Some(document));
        assert_eq!(view.tensors(doc)?.as_deref(), tensors);
        Ok::<_, StoreError>(())
    })
    .unwrap();
    assert_eq!((next, view.count().unwrap()), (DOCUMENTS, DOCUMENTS.into()));
    assert_eq!(view.places().unwrap().unwrap(), b"places");
}

fn bytes_on_disk(path: &Path) -> u64 {
    fs::metadata(path).unwrap().blocks() * 512
}

fn draft(path: &Path) -> PathBuf {
    path.with_extension("draft")
}

#[test]
fn a_copy_takes_the_place_of_a_larger_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store");
    let original = store_with_free_pages(&path);
    let view = original.read().unwrap();
    let before = bytes_on_disk(&path);
    let held = view.page_bytes().unwrap();
    assert!(before > 3 * held, "{before} bytes for {held}");
    let copy = CompactCopy::make(&view, &path, CACHE_BYTES, || true).unwrap();
    let store = copy.unwrap().replace(&original, &path).unwrap().unwrap();
    let after = bytes_on_disk(&path);
    assert!(after < 2 * held, "{after} bytes for {held}");
    assert!(!draft(&path).exists());

    // Whoever reads the original goes on reading, and nobody writes to a file that no name leads
    // to.
    check(&view);
    check(&original.read().unwrap());
    assert!(!original.is_writable());
    let batch = WriteBatch {
        ops: vec![put(DOCUMENTS)],
    };
    assert!(matches!(
        original.commit(&batch),
        Err(StoreError::Io { .. })
    ));

    check(&store.read().unwrap());
    assert_eq!(store.definition().unwrap(), b"definition");
    assert!(matches!(
        Store::open(&path, CACHE_BYTES),
        Err(StoreError::InUse(_))
    ));
    commit(&store, vec![put(DOCUMENTS)]);
    drop((view, original, store));
    let opened = Store::open(&path, CACHE_BYTES).unwrap();
    let last = opened.read().unwrap().document(DOCUMENTS).unwrap();
    assert_eq!(last.unwrap(), DOCUMENTS.to_le_bytes().repeat(20));
}

#[test]
fn writes_made_meanwhile_are_not_lost() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store");
    let original = store_with_free_pages(&path);
    let view = original.read().unwrap();
    let copy = CompactCopy::make(&view, &path, CACHE_BYTES, || true).unwrap();
    commit(&original, vec![put(DOCUMENTS)]);
    assert!(copy.unwrap().replace(&original, &path).unwrap().is_none());
    assert!(!draft(&path).exists());
    commit(&original, vec![put(DOCUMENTS + 1)]);
    drop((view, original));
    let opened = Store::open(&path, CACHE_BYTES).unwrap();
    assert_eq!(
        opened.read().unwrap().count().unwrap(),
        u64::from(DOCUMENTS) + 2
    );
}

#[test]
fn one_copy_is_made_at_a_time_and_as_long_as_it_is_wanted() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store");
    let original = store_with_free_pages(&path);
    let view = original.read().unwrap();
    let looks = Cell::new(0);
    let copy = CompactCopy::make(&view, &path, CACHE_BYTES, || {
        looks.set(looks.get() + 1);
        assert!(draft(&path).exists());
        let second = CompactCopy::make(&view, &path, CACHE_BYTES, || true);
        assert!(matches!(second, Err(StoreError::InUse(_))));
        looks.get() < 4
    });
    assert!(copy.unwrap().is_none());
    assert_eq!(looks.get(), 4);
    assert!(!draft(&path).exists());
    check(&view);
    commit(&original, vec![put(DOCUMENTS)]);
}

#[test]
fn the_rest_of_a_copy_that_crashed_is_removed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store");
    drop(store_with_free_pages(&path));
    fs::write(draft(&path), "half a copy").unwrap();
    let opened = Store::open(&path, CACHE_BYTES).unwrap();
    assert!(!draft(&path).exists());
    check(&opened.read().unwrap());
}

#[test]
fn nothing_damaged_is_copied() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store");
    let original = store_with_free_pages(&path);
    // Wherever a document is, or was.
    let document = (DOCUMENTS / 2).to_le_bytes().repeat(20);
    let bytes = fs::read(&path).unwrap();
    let places = bytes.windows(document.len()).enumerate();
    let places = places.filter_map(|(at, bytes)| (bytes == document).then_some(at));
    let file = fs::OpenOptions::new().write(true).open(&path).unwrap();
    places.for_each(|at| file.write_all_at(&[!document[0]], at as u64).unwrap());

    let view = original.read().unwrap();
    let copy = CompactCopy::make(&view, &path, CACHE_BYTES, || true);
    assert!(matches!(copy, Err(StoreError::Damaged { .. })), "{copy:?}");
    assert!(!draft(&path).exists());
    assert_eq!(
        fs::metadata(&path).unwrap().ino(),
        file.metadata().unwrap().ino()
    );
}
