//! A file that may not grow, on a real file system. Each test runs its steps in a child process,
//! whose limit on the size of a file it lowers and raises.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::path::{Path, PathBuf};
use std::process::Command;

use pelorus_store::{Store, StoreError, WriteBatch, WriteOp};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

const CACHE_BYTES: usize = 1 << 18;
const FOLDER: &str = "PELORUS_STORE_FULL_DISK";

/// The folder to work in, in the child; starts the child and returns nothing in the parent.
fn in_child(test: &str) -> Option<PathBuf> {
    if let Some(folder) = std::env::var_os(FOLDER) {
        return Some(folder.into());
    }
    let folder = tempfile::tempdir().unwrap();
    // A write past the limit fails only where the signal that comes with it is ignored.
    let child = Command::new("sh")
        .args(["-c", "trap '' XFSZ; exec \"$0\" \"$@\""])
        .arg(std::env::current_exe().unwrap())
        .args([test, "--exact", "--nocapture"])
        .env(FOLDER, folder.path())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&child.stderr).into_owned();
    assert!(child.status.success(), "{said}");
    None
}

/// Lets no file grow past `bytes`; `None` lifts the limit.
fn limit_files(bytes: Option<u64>) {
    let maximum = getrlimit(Resource::Fsize).maximum;
    let limit = Rlimit {
        current: bytes.or(maximum),
        maximum,
    };
    setrlimit(Resource::Fsize, limit).unwrap();
}

fn commit(store: &Store, len: usize) -> Result<(), StoreError> {
    let doc = store.read()?.next_doc()?;
    let put = WriteOp::Put {
        id: format!("id-{doc}"),
        doc,
        document: doc.to_le_bytes().to_vec(),
        tensors: vec![doc as u8; len],
    };
    store.commit(&WriteBatch { ops: vec![put] }).map(drop)
}

/// Reads everything; the number of documents.
fn check(store: &Store) -> u32 {
    let mut count = 0;
    let view = store.read().unwrap();
    view.scan(0, 0, |doc, document, tensors| {
        assert_eq!(document, doc.to_le_bytes());
        assert!(tensors.unwrap().iter().all(|&byte| byte == doc as u8));
        assert_eq!(view.doc_of(&format!("id-{doc}"))?, Some(doc));
        count += 1;
        Ok::<_, StoreError>(())
    })
    .unwrap();
    count
}

#[test]
fn a_full_disk_is_survived_in_the_process() {
    let Some(folder) = in_child("a_full_disk_is_survived_in_the_process") else {
        return;
    };
    let path = folder.join("truth");
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

        // Room for what is small: still full for what is not.
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
    let Some(folder) = in_child("a_store_that_cannot_be_made_leaves_nothing_behind") else {
        return;
    };
    let path = folder.join("truth");
    let listed = |folder: &Path| std::fs::read_dir(folder).unwrap().count();
    let mut refused = 0;
    for bytes in (0..).step_by(2048) {
        limit_files(Some(bytes));
        let made = Store::create(&path, b"definition", CACHE_BYTES);
        limit_files(None);
        match made {
            Ok(store) => {
                commit(&store, 10).unwrap();
                assert_eq!(listed(&folder), 1);
                break;
            }
            Err(error) => assert!(error.is_storage_full(), "{error}"),
        }
        assert_eq!(listed(&folder), 0, "with {bytes} bytes");
        refused += 1;
    }
    assert!(refused > 3, "{refused} refusals");
}
