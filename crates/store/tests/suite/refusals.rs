//! Files that are not ours to open are refused, and not a byte of them changes.
use std::path::Path;

use pelorus_store::{FORMAT_VERSION, Store, StoreError};

const CACHE_BYTES: usize = 1 << 20;

fn refuses_untouched(path: &Path, content: &[u8]) -> StoreError {
    std::fs::write(path, content).unwrap();
    let refused = Store::open(path, CACHE_BYTES).unwrap_err();
    assert!(std::fs::read(path).unwrap() == content, "the file changed");
    refused
}

fn a_store_file(folder: &Path) -> Vec<u8> {
    let path = folder.join("model");
    drop(Store::create(&path, b"definition", CACHE_BYTES).unwrap());
    std::fs::read(path).unwrap()
}

#[test]
fn a_newer_format_is_named_and_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let mut content = a_store_file(folder.path());
    let newer = FORMAT_VERSION + 1;
    content[8..12].copy_from_slice(&newer.to_le_bytes());
    let sum = crc32fast::hash(&content[..12]);
    content[12..16].copy_from_slice(&sum.to_le_bytes());
    let refused = refuses_untouched(&folder.path().join("newer"), &content);
    assert!(
        matches!(refused, StoreError::NewerFormat { found, supported: FORMAT_VERSION } if found == newer),
        "{refused}"
    );
}

#[test]
fn a_file_that_is_no_store_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("stranger");
    let store = a_store_file(folder.path());
    let strangers: [&[u8]; 6] = [
        b"",
        b"hello",
        &[0; 8192],
        &[7; 70_000],
        &store[..16],
        &store[..store.len() - 100],
    ];
    for content in strangers {
        let refused = refuses_untouched(&path, content);
        assert!(matches!(refused, StoreError::Damaged { .. }), "{refused}");
    }
}

#[test]
fn a_missing_file_is_not_made() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("missing");
    let refused = Store::open(&path, CACHE_BYTES).unwrap_err();
    assert!(matches!(refused, StoreError::Io { .. }), "{refused}");
    assert!(refused.to_string().contains("missing"), "{refused}");
    assert!(!path.exists());
}

#[test]
fn a_file_that_exists_is_not_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("taken");
    std::fs::write(&path, "precious").unwrap();
    let refused = Store::create(&path, b"", CACHE_BYTES).unwrap_err();
    assert!(matches!(refused, StoreError::Exists(_)), "{refused}");
    assert_eq!(std::fs::read(&path).unwrap(), b"precious");
}

#[test]
fn a_store_is_open_once() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store");
    let store = Store::create(&path, b"", CACHE_BYTES).unwrap();
    let second = Store::open(&path, CACHE_BYTES).unwrap_err();
    assert!(matches!(second, StoreError::InUse(_)), "{second}");
    drop(store);
    Store::open(&path, CACHE_BYTES).unwrap();
}

#[test]
fn a_draft_left_by_a_crash_is_no_obstacle() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("store.draft"), [3; 5000]).unwrap();
    let store = Store::create(&folder.path().join("store"), b"new", CACHE_BYTES).unwrap();
    assert_eq!(store.definition().unwrap(), b"new");
    assert!(!folder.path().join("store.draft").exists());
}

#[test]
fn a_store_that_cannot_be_made_leaves_nothing_behind() {
    let folder = tempfile::tempdir().unwrap();
    let names = || {
        let entries = std::fs::read_dir(folder.path()).unwrap();
        let mut names: Vec<_> = entries.map(|e| e.unwrap().file_name()).collect();
        names.sort();
        names
    };
    let missing = folder.path().join("missing").join("store");
    let refused = Store::create(&missing, b"", CACHE_BYTES).unwrap_err();
    assert!(refused.is_io() && !refused.is_storage_full(), "{refused}");
    assert!(names().is_empty());

    let path = folder.path().join("store");
    let taken = folder.path().join("taken");
    std::fs::write(&taken, "precious").unwrap();
    Store::create(&taken, b"", CACHE_BYTES).unwrap_err();
    std::fs::create_dir(folder.path().join("store.draft")).unwrap();
    let refused = Store::create(&path, b"", CACHE_BYTES).unwrap_err();
    assert!(refused.is_io(), "{refused}");
    assert_eq!(names(), ["store.draft", "taken"]);
    std::fs::remove_dir(folder.path().join("store.draft")).unwrap();
    Store::create(&path, b"", CACHE_BYTES).unwrap();
    assert_eq!(names(), ["store", "taken"]);
}

#[test]
fn a_store_that_is_being_made_is_not_made_twice() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store");
    let makers: Vec<_> = std::thread::scope(|scope| {
        let make = || Store::create(&path, b"definition", CACHE_BYTES);
        let makers: Vec<_> = (0..8).map(|_| scope.spawn(make)).collect();
        makers.into_iter().map(|m| m.join().unwrap()).collect()
    });
    let made = makers.iter().filter(|made| made.is_ok()).count();
    assert_eq!(made, 1);
    for refused in makers.iter().filter_map(|made| made.as_ref().err()) {
        let expected = matches!(refused, StoreError::Exists(_) | StoreError::InUse(_));
        assert!(expected, "{refused}");
    }
    drop(makers);
    let store = Store::open(&path, CACHE_BYTES).unwrap();
    assert_eq!(store.definition().unwrap(), b"definition");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
}
