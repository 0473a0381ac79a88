//! A batch that waits for its commit is seen by nobody, and dropped it never was.
use std::sync::atomic::{AtomicBool, Ordering};

use pelorus_store::{ReadView, Store, StoreError, WriteBatch, WriteOp};

const CACHE_BYTES: usize = 1 << 20;

fn put(doc: u32, replaces: Option<u32>) -> WriteOp {
    WriteOp::Put {
        doc,
        replaces,
        document: vec![doc as u8; 100],
        tensors: vec![7; 5000],
    }
}

fn batch(ops: Vec<WriteOp>) -> WriteBatch {
    WriteBatch { ops }
}

/// The ordinals of the living documents.
fn docs(view: &ReadView) -> Vec<u32> {
    let mut docs = Vec::new();
    view.scan(0, 0, |doc, document, _| {
        assert_eq!(document, [doc as u8; 100]);
        docs.push(doc);
        Ok::<_, StoreError>(())
    })
    .unwrap();
    docs
}

#[test]
fn a_pending_batch_is_seen_once_it_is_committed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store");
    let store = Store::create(&path, b"", CACHE_BYTES).unwrap();
    store.commit(&batch(vec![put(0, None)])).unwrap();
    let delete = WriteOp::Delete { doc: 2 };
    let pending = store
        .begin(&batch(vec![put(1, Some(0)), put(2, None), delete]))
        .unwrap();
    let before = store.read().unwrap();
    assert_eq!(docs(&before), [0]);
    pending.commit().unwrap();
    assert_eq!(docs(&before), [0]);
    assert_eq!(docs(&store.read().unwrap()), [1]);
    drop((before, store));
    let store = Store::open(&path, CACHE_BYTES).unwrap();
    assert_eq!(docs(&store.read().unwrap()), [1]);
}

#[test]
fn a_pending_batch_that_is_dropped_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store");
    let store = Store::create(&path, b"", CACHE_BYTES).unwrap();
    store.commit(&batch(vec![put(0, None)])).unwrap();
    for _ in 0..3 {
        drop(store.begin(&batch(vec![put(1, Some(0))])).unwrap());
        let refused = store.begin(&batch(vec![put(2, Some(0)), put(2, None)]));
        let as_expected = matches!(refused, Err(StoreError::OrdinalOrder { .. }));
        assert!(as_expected, "{refused:?}");
        let refused = store.begin(&batch(vec![put(2, Some(0)), WriteOp::Delete { doc: 0 }]));
        let as_expected = matches!(refused, Err(StoreError::Damaged { .. }));
        assert!(as_expected, "{refused:?}");
        assert!(store.is_writable());
        let view = store.read().unwrap();
        assert_eq!(docs(&view), [0]);
        assert_eq!((view.sequence().unwrap(), view.next_doc().unwrap()), (1, 1));
    }
    store.commit(&batch(vec![put(1, Some(0))])).unwrap();
    drop(store);
    let store = Store::open(&path, CACHE_BYTES).unwrap();
    assert_eq!(docs(&store.read().unwrap()), [1]);
}

#[test]
fn a_batch_without_effect_commits_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::create(&folder.path().join("store"), b"", CACHE_BYTES).unwrap();
    let unknown = batch(vec![
        WriteOp::Unsuggest { key: "a".into() },
        WriteOp::UnsuggestAll,
        WriteOp::Refer {
            references: vec![(0, vec![7])],
            places: vec![7],
        },
    ]);
    store.begin(&unknown).unwrap().commit().unwrap();
    let view = store.read().unwrap();
    assert_eq!(view.sequence().unwrap(), 0);
    assert_eq!(view.places().unwrap(), None);
}

#[test]
fn batches_take_turns() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::create(&folder.path().join("store"), b"", CACHE_BYTES).unwrap();
    let committed = AtomicBool::new(false);
    let pending = store.begin(&batch(vec![put(0, None)])).unwrap();
    std::thread::scope(|scope| {
        let second = scope.spawn(|| {
            // Begins only where the first is there to be replaced.
            let second = store.begin(&batch(vec![put(1, Some(0))])).unwrap();
            assert!(committed.load(Ordering::SeqCst), "two batches at a time");
            second.commit().unwrap();
        });
        committed.store(true, Ordering::SeqCst);
        pending.commit().unwrap();
        second.join().unwrap();
    });
    assert_eq!(docs(&store.read().unwrap()), [1]);
}
