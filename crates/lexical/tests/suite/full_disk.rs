//! A disk that takes no more bytes: everything stays searchable, and nothing is left behind.

#![cfg(unix)]

use crate::support;
use std::fs;
use std::path::Path;

use crate::support::{all, open_empty, query};
use pelorus_file_limit::{is_in_child, limit_files};
use pelorus_lexical::{LexicalIndex, LexicalOptions, MergePolicy};

fn add(index: &LexicalIndex, docs: std::ops::Range<u32>) {
    for doc in docs {
        let text = format!("often word{} w{doc}", doc % 19);
        index.add(doc, &[("body", &text)]).unwrap();
    }
    index.publish();
}

fn names(dir: &Path) -> Vec<String> {
    let entries = fs::read_dir(dir).unwrap().flatten();
    let mut names: Vec<_> = entries
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

fn assert_finds(index: &LexicalIndex, count: u32) {
    let alive = all(count);
    let total = |text: &str| index.search(&query(text), &alive).unwrap().total;
    let last = format!("w{}", count - 1);
    assert_eq!((total("often"), total(&last)), (u64::from(count), 1));
}

#[test]
fn a_flush_that_fails_half_way_leaves_nothing_and_is_tried_again() {
    if !is_in_child("full_disk::a_flush_that_fails_half_way_leaves_nothing_and_is_tried_again") {
        return;
    }
    for bytes in [0, 1, 60, 200, 500, 1_000] {
        let dir = tempfile::tempdir().unwrap();
        let index = open_empty(dir.path());
        add(&index, 0..900);
        index.flush().unwrap();
        let before = names(dir.path());
        add(&index, 900..1_000);
        limit_files(Some(bytes));
        let flushed = [index.flush(), index.close()];
        limit_files(None);
        assert!(flushed.iter().all(Result::is_err), "at {bytes} bytes");
        assert_eq!(names(dir.path()), before, "at {bytes} bytes");
        assert!(index.needs_flush(MergePolicy::Leveled));
        assert_eq!(index.watermark(), 900);
        add(&index, 1_000..1_100);
        assert_finds(&index, 1_100);
        let reopen = || LexicalIndex::open(dir.path(), LexicalOptions::default(), &all(1_100));
        assert_eq!(reopen().watermark(), 900);

        index.flush().unwrap();
        assert_eq!(index.watermark(), 1_100);
        assert_finds(&index, 1_100);
        drop(index);
        assert_eq!(reopen().watermark(), 1_100);
        assert_finds(&reopen(), 1_100);
    }
}

#[test]
fn a_merge_that_fails_half_way_leaves_the_segments_as_they_were() {
    if !is_in_child("full_disk::a_merge_that_fails_half_way_leaves_the_segments_as_they_were") {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let index = open_empty(dir.path());
    add(&index, 0..3_000);
    index.flush().unwrap();
    add(&index, 3_000..5_000);
    let largest = |dir: &Path| {
        let files = support::files_under(dir).into_iter();
        files
            .map(|path| path.metadata().unwrap().len())
            .max()
            .unwrap()
    };
    // Two thirds of the documents fit, all of them do not.
    limit_files(Some(largest(dir.path())));
    let flushed = index.flush();
    limit_files(None);
    assert!(flushed.is_err());
    assert_eq!(names(dir.path()), ["manifest", "seg-0", "seg-1"]);
    assert_eq!(index.watermark(), 5_000);
    assert_finds(&index, 5_000);
    assert!(index.needs_flush(MergePolicy::Leveled));
    index.flush().unwrap();
    assert_eq!(names(dir.path()).len(), 2);
    assert_finds(&index, 5_000);
    drop(index);
    let index = LexicalIndex::open(dir.path(), LexicalOptions::default(), &all(5_000));
    assert_eq!(index.watermark(), 5_000);
    assert_finds(&index, 5_000);
}
