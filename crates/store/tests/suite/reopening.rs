//! A store may be opened anew while it is open: the file stays locked, and only the newest store
//! that may write does.
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, RwLock};

use pelorus_store::{Store, StoreError, WriteBatch, WriteOp};

const CACHE_BYTES: usize = 1 << 16;
/// Tells the child of a test which file to open.
const OPENED_BY_CHILD: &str = "PELORUS_STORE_OPENED_BY_CHILD";

fn commit(store: &Store, id: &str) {
    let doc = store.read().unwrap().next_doc().unwrap();
    let put = WriteOp::Put {
        doc,
        replaces: living(store).remove(id),
        document: id.as_bytes().to_vec(),
        tensors: vec![doc as u8; 20_000],
    };
    store.commit(&WriteBatch { ops: vec![put] }).unwrap();
}

/// The ordinals of the living documents by id, which is what the documents are.
fn living(store: &Store) -> BTreeMap<String, u32> {
    let mut living = BTreeMap::new();
    let view = store.read().unwrap();
    view.scan(0, 0, |doc, id, tensors| {
        assert!(tensors.unwrap().iter().all(|&byte| byte == doc as u8));
        let id = String::from_utf8(id.to_vec()).unwrap();
        assert_eq!(living.insert(id, doc), None);
        Ok::<_, StoreError>(())
    })
    .unwrap();
    living
}

/// In the order in which they were committed.
fn ids(store: &Store) -> Vec<String> {
    let mut living: Vec<_> = living(store).into_iter().collect();
    living.sort_by_key(|(_, doc)| *doc);
    living.into_iter().map(|(id, _)| id).collect()
}

/// Tells whether another process can open the file. `test` names the test that asks.
fn opens_elsewhere(path: &Path, test: &str) -> bool {
    let child = Command::new(std::env::current_exe().unwrap())
        .args([&format!("reopening::{test}"), "--exact", "--nocapture"])
        .env(OPENED_BY_CHILD, path)
        .output()
        .unwrap();
    let said = String::from_utf8(child.stdout).unwrap();
    assert!(child.status.success(), "{said}");
    match (said.contains("it is free"), said.contains("it is in use")) {
        (true, false) => true,
        (false, true) => false,
        _ => panic!("{said}"),
    }
}

fn open_as_child() -> bool {
    let Some(path) = std::env::var_os(OPENED_BY_CHILD) else {
        return false;
    };
    match Store::open(Path::new(&path), CACHE_BYTES) {
        Ok(_) => println!("it is free"),
        Err(StoreError::InUse(_)) => println!("it is in use"),
        Err(other) => panic!("{other}"),
    }
    true
}

#[test]
fn the_file_stays_locked_until_the_last_store_is_dropped() {
    if open_as_child() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store");
    let free = || {
        opens_elsewhere(
            &path,
            "the_file_stays_locked_until_the_last_store_is_dropped",
        )
    };
    let first = Store::create(&path, b"definition", CACHE_BYTES).unwrap();
    commit(&first, "a");
    let view = first.read().unwrap();
    let second = first.reopen().unwrap();
    assert!(!free());
    drop(first);
    assert!(!free());
    let third = second.reopen_for_reading().unwrap();
    drop(second);
    assert!(!free());
    let fourth = third.reopen().unwrap();
    drop(third);
    assert!(!free());
    drop(fourth);
    assert!(free(), "a view alone holds no lock");
    drop(view);
}

#[test]
fn operations_on_the_old_store_do_not_reach_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store");
    let old = Store::create(&path, b"definition", CACHE_BYTES).unwrap();
    commit(&old, "a");
    let view = old.read().unwrap();
    let doc = view.next_doc().unwrap();
    let put = WriteOp::Put {
        doc,
        replaces: None,
        document: b"never".to_vec(),
        tensors: vec![1; 200_000],
    };
    let batch = WriteBatch { ops: vec![put] };
    let pending = old.begin(&batch).unwrap();

    let new = old.reopen().unwrap();
    commit(&new, "b");
    let content = std::fs::read(&path).unwrap();
    let refused = pending.commit().unwrap_err();
    assert!(refused.is_io(), "{refused}");
    assert!(!old.is_writable());
    for refused in [
        old.commit(&batch),
        old.read().map(drop),
        old.reopen().map(drop),
        old.reopen_for_reading().map(drop),
    ] {
        assert!(matches!(refused, Err(StoreError::Closed)), "{refused:?}");
    }
    match view.tensors(0) {
        Ok(tensors) => assert_eq!(tensors.unwrap(), vec![0; 20_000]),
        Err(error) => assert!(matches!(error, StoreError::Closed), "{error}"),
    }
    drop((view, old));
    assert!(std::fs::read(&path).unwrap() == content);

    assert_eq!(ids(&new), ["a", "b"]);
    commit(&new, "c");
    drop(new);
    let new = Store::open(&path, CACHE_BYTES).unwrap();
    assert_eq!(ids(&new), ["a", "b", "c"]);
    assert_eq!(new.definition().unwrap(), b"definition");
}

#[test]
fn a_store_for_reading_never_changes_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store");
    let store = Store::create(&path, b"definition", CACHE_BYTES).unwrap();
    for id in ["a", "b", "c"] {
        commit(&store, id);
    }
    let content = std::fs::read(&path).unwrap();

    let reading = store.reopen_for_reading().unwrap();
    assert!(!reading.is_writable() && !store.is_writable());
    assert_eq!(ids(&reading), ["a", "b", "c"]);
    assert_eq!(ids(&store), ["a", "b", "c"], "the old one reads on");
    let refused = reading.commit(&WriteBatch::default()).unwrap_err();
    assert!(matches!(refused, StoreError::ReadOnly), "{refused}");
    let another = reading.reopen_for_reading().unwrap();
    drop((reading, store));
    assert_eq!(ids(&another), ["a", "b", "c"]);
    drop(another);
    assert!(std::fs::read(&path).unwrap() == content);

    let store = Store::open(&path, CACHE_BYTES).unwrap();
    commit(&store, "d");
    let reading = store.reopen_for_reading().unwrap();
    let writing = reading.reopen().unwrap();
    commit(&writing, "e");
    assert_eq!(ids(&writing), ["a", "b", "c", "d", "e"]);
}

#[test]
fn readers_meet_the_old_store_or_the_new_one_and_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store");
    let store = Store::create(&path, b"definition", CACHE_BYTES).unwrap();
    let newest = RwLock::new(Arc::new(store));
    let done = AtomicBool::new(false);
    let read_on = || {
        let mut answers = 0;
        while !done.load(Ordering::SeqCst) || answers == 0 {
            let store = Arc::clone(&newest.read().unwrap());
            let mut count = 0;
            let scanned = store.read().and_then(|view| {
                view.scan(0, 0, |doc, _, tensors| {
                    assert!(tensors.unwrap().iter().all(|&byte| byte == doc as u8));
                    count += 1;
                    Ok::<_, StoreError>(())
                })?;
                view.count()
            });
            match &scanned {
                Ok(expected) => assert_eq!(count, *expected),
                Err(error) => assert!(matches!(error, StoreError::Closed), "{error}"),
            }
            answers += u32::from(scanned.is_ok());
        }
    };
    std::thread::scope(|scope| {
        let readers = [scope.spawn(read_on), scope.spawn(read_on)];
        for round in 0..15 {
            let store = Arc::clone(&newest.read().unwrap());
            for i in 0..3 {
                commit(&store, &format!("{}", (round + i) % 7));
            }
            *newest.write().unwrap() = Arc::new(store.reopen().unwrap());
        }
        done.store(true, Ordering::SeqCst);
        for reader in readers {
            reader.join().unwrap();
        }
    });
    assert_eq!(ids(&newest.read().unwrap()).len(), 7);
}
