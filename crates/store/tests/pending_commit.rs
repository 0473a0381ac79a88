//! A batch that waits for its commit is seen by nobody, and dropped it never was.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::sync::atomic::{AtomicBool, Ordering};

use pelorus_store::{Store, StoreError, WriteBatch, WriteOp};

const CACHE_BYTES: usize = 1 << 20;

fn put(id: &str, doc: u32) -> WriteOp {
    WriteOp::Put {
        id: id.into(),
        doc,
        document: vec![doc as u8; 100],
        tensors: vec![7; 5000],
    }
}

fn batch(ops: Vec<WriteOp>) -> WriteBatch {
    WriteBatch { ops }
}

#[test]
fn a_pending_batch_is_seen_once_it_is_committed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store");
    let store = Store::create(&path, b"", CACHE_BYTES).unwrap();
    store.commit(&batch(vec![put("a", 0)])).unwrap();
    let delete = WriteOp::Delete { id: "b".into() };
    let pending = store
        .begin(&batch(vec![put("a", 1), put("b", 2), delete]))
        .unwrap();
    assert_eq!(pending.replaced(), [Some(0), None, Some(2)]);
    let before = store.read().unwrap();
    assert_eq!(before.doc_of("a").unwrap(), Some(0));
    pending.commit().unwrap();
    assert_eq!(before.doc_of("a").unwrap(), Some(0));
    assert_eq!(store.read().unwrap().doc_of("a").unwrap(), Some(1));
    drop((before, store));
    let store = Store::open(&path, CACHE_BYTES).unwrap();
    assert_eq!(store.read().unwrap().doc_of("a").unwrap(), Some(1));
}

#[test]
fn a_pending_batch_that_is_dropped_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store");
    let store = Store::create(&path, b"", CACHE_BYTES).unwrap();
    store.commit(&batch(vec![put("a", 0)])).unwrap();
    for _ in 0..3 {
        drop(store.begin(&batch(vec![put("a", 1)])).unwrap());
        let refused = store.begin(&batch(vec![put("a", 2), put("", 3)]));
        assert!(matches!(refused, Err(StoreError::EmptyId)), "{refused:?}");
        assert!(store.is_writable());
        let view = store.read().unwrap();
        assert_eq!(view.doc_of("a").unwrap(), Some(0));
        assert_eq!((view.sequence().unwrap(), view.next_doc().unwrap()), (1, 1));
    }
    assert_eq!(store.commit(&batch(vec![put("a", 1)])).unwrap(), [Some(0)]);
    drop(store);
    let store = Store::open(&path, CACHE_BYTES).unwrap();
    assert_eq!(store.read().unwrap().doc_of("a").unwrap(), Some(1));
}

#[test]
fn a_batch_without_effect_commits_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::create(&folder.path().join("store"), b"", CACHE_BYTES).unwrap();
    let unknown = batch(vec![WriteOp::Delete { id: "a".into() }]);
    let pending = store.begin(&unknown).unwrap();
    assert_eq!(pending.replaced(), [None]);
    pending.commit().unwrap();
    assert_eq!(store.read().unwrap().sequence().unwrap(), 0);
}

#[test]
fn batches_take_turns() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::create(&folder.path().join("store"), b"", CACHE_BYTES).unwrap();
    let committed = AtomicBool::new(false);
    let pending = store.begin(&batch(vec![put("a", 0)])).unwrap();
    std::thread::scope(|scope| {
        let second = scope.spawn(|| {
            let second = store.begin(&batch(vec![put("a", 1)])).unwrap();
            assert!(committed.load(Ordering::SeqCst), "two batches at a time");
            assert_eq!(second.replaced(), [Some(0)]);
            second.commit().unwrap();
        });
        committed.store(true, Ordering::SeqCst);
        pending.commit().unwrap();
        second.join().unwrap();
    });
    assert_eq!(store.read().unwrap().doc_of("a").unwrap(), Some(1));
}
