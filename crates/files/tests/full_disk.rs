//! Files that are replaced while the disk is full.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

use std::fs;

use pelorus_file_limit::{is_in_child, limit_files};
use pelorus_files::{Durability, draft_path, replace};

#[test]
fn a_file_without_room_for_the_new_bytes_keeps_the_old_ones() {
    if !is_in_child("a_file_without_room_for_the_new_bytes_keeps_the_old_ones") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("list");
    for durability in [Durability::None, Durability::Synced] {
        replace(&path, b"old", durability).unwrap();
        limit_files(Some(10));
        replace(&path, &[b'n'; 11], durability).unwrap_err();
        limit_files(None);
        assert_eq!(fs::read(&path).unwrap(), b"old");
        assert!(!draft_path(&path).exists());
        replace(&path, &[b'n'; 11], durability).unwrap();
        assert_eq!(fs::read(&path).unwrap(), [b'n'; 11]);
    }
}
