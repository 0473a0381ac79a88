//! A file that may not grow, on a real file system.
#![cfg(target_os = "linux")]
use std::path::Path;

use pelorus_file_limit::{is_in_child, limit_files};
use pelorus_store::{Store, StoreError, WriteBatch, WriteOp};

const CACHE_BYTES: usize = 1 << 18;

fn commit(store: &Store, len: usize) -> Result<(), StoreError> {
    let doc = store.read()?.next_doc()?;
    let put = WriteOp::Put {
        doc,
        replaces: None,
        document: doc.to_le_bytes().to_vec(),
        tensors: vec![doc as u8; len],
    };
    store.commit(&WriteBatch { ops: vec![put] })
}

/// Reads everything; the number of documents.
fn check(store: &Store) -> u32 {
    let mut count = 0;
    let view = store.read().unwrap();
    view.scan(0, 0, |doc, document, tensors| {
        assert_eq!(document, doc.to_le_bytes());
        assert!(tensors.unwrap().iter().all(|&byte| byte == doc as u8));
        assert_eq!(view.document(doc)?.as_deref(), Some(document));
        count += 1;
        Ok::<_, StoreError>(())
    })
    .unwrap();
    count
}

#[test]
fn a_full_disk_is_survived_in_the_process() {
    if !is_in_child("full_disk::a_full_disk_is_survived_in_the_process") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store");
    let mut store = Store::create(&path, b"definition", CACHE_BYTES).unwrap();
    for round in 0..4 {
        for _ in 0..20 {
            commit(&store, 10_000).unwrap();
        }
        let before = check(&store);
        limit_files(Some(std::fs::metadata(&path).unwrap().len()));
        // Twice the room there is, in one batch that fits into the cache or not.
        let len = [100_000, 3_000_000][round % 2];
        let error = loop {
            match commit(&store, len) {
                Ok(()) => {}
                Err(error) => break error,
            }
        };
        assert!(error.is_storage_full() && error.is_io(), "{error}");
        let found = check(&store);
        assert!(found >= before);
        let again = commit(&store, 10).unwrap_err();
        assert!(again.is_storage_full(), "{again}");

        // The disk has room for a small commit, and is still full for a large one.
        store = store.reopen().unwrap();
        assert!(store.is_writable());
        let found_anew = check(&store);
        assert!(found_anew == found || found_anew == found + 1);
        let error = commit(&store, 20_000_000).unwrap_err();
        assert!(error.is_storage_full(), "{error}");
        assert_eq!(check(&store), found_anew);

        limit_files(None);
        let old = store;
        store = old.reopen().unwrap();
        commit(&store, len).unwrap();
        drop(old);
        let count = check(&store);
        drop(store);
        store = Store::open(&path, CACHE_BYTES).unwrap();
        assert_eq!(check(&store), count);
    }
}

#[test]
fn a_store_that_cannot_be_made_leaves_nothing_behind() {
    if !is_in_child("full_disk::a_store_that_cannot_be_made_leaves_nothing_behind") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store");
    let files_in = |folder: &Path| std::fs::read_dir(folder).unwrap().count();
    let mut refused = 0;
    for bytes in (0..).step_by(2048) {
        limit_files(Some(bytes));
        let made = Store::create(&path, b"definition", CACHE_BYTES);
        limit_files(None);
        match made {
            Ok(store) => {
                commit(&store, 10).unwrap();
                assert_eq!(files_in(folder.path()), 1);
                break;
            }
            Err(error) => assert!(error.is_storage_full(), "{error}"),
        }
        assert_eq!(files_in(folder.path()), 0, "with {bytes} bytes");
        refused += 1;
    }
    assert!(refused > 3, "{refused} refusals");
}
