//! What an index finds in its directory when it opens.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod support;

use std::fs;
use std::path::{Path, PathBuf};

use pelorus_kernels::BitSet;
use pelorus_lexical::{LexicalError, LexicalIndex, LexicalOptions};
use support::{add, all, assert_close, docs, open_empty, query};

fn open(dir: &Path, alive: &BitSet) -> LexicalIndex {
    LexicalIndex::open(dir, LexicalOptions::default(), alive).unwrap()
}

/// Two segments with documents 0 to 2.
fn filled(dir: &Path) -> LexicalIndex {
    let index = open_empty(dir);
    add(
        &index,
        &[(0, &[("title", "dog")]), (1, &[("title", "dog and cat")])],
    );
    index.flush().unwrap();
    add(&index, &[(2, &[("body", "a lone cat")])]);
    index
}

fn files_under(dir: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(files_under(&path))
        } else {
            files.push(path)
        }
    }
    files
}

#[test]
fn flushed_documents_are_found_again_and_the_rest_is_asked_for() {
    let dir = tempfile::tempdir().unwrap();
    drop(filled(dir.path()));
    let index = open(dir.path(), &all(3));
    assert_eq!(index.watermark(), 2);
    assert_eq!(docs(&index, "cat"), [1]);
    add(&index, &[(2, &[("body", "a lone cat")])]);
    assert_eq!(docs(&index, "cat").len(), 2);
    assert_eq!(index.fields(), ["body", "title"]);
}

#[test]
fn a_closed_index_needs_nothing_again() {
    let dir = tempfile::tempdir().unwrap();
    filled(dir.path()).close().unwrap();
    let index = open(dir.path(), &all(3));
    assert_eq!(index.watermark(), 3);
    assert_eq!(docs(&index, "cat").len(), 2);
    assert_eq!(index.document_count(), 3);
}

#[test]
fn documents_deleted_while_the_index_was_away_are_gone_from_counts() {
    let dir = tempfile::tempdir().unwrap();
    filled(dir.path()).close().unwrap();
    let index = open(dir.path(), &[1].into_iter().collect());
    assert_eq!(index.document_count(), 1);
    index.flush().unwrap();
    assert_eq!(index.document_count(), 1);
    let found = index
        .search(&query("cat"), &[1].into_iter().collect())
        .unwrap();
    let idf_of_the_only_document = (1.0_f64 + 0.5 / 1.5).ln();
    assert_close(found.hits[0].1, idf_of_the_only_document, "one document");
}

#[test]
fn a_stored_document_that_the_files_lack_makes_the_index_start_over() {
    let dir = tempfile::tempdir().unwrap();
    let index = open_empty(dir.path());
    add(&index, &[(0, &[("a", "x")]), (5, &[("a", "y")])]);
    index.close().unwrap();
    drop(index);
    assert_eq!(open(dir.path(), &all(6)).watermark(), 0);
    assert!(files_under(dir.path()).is_empty());
}

#[test]
fn any_damaged_byte_of_any_file_is_noticed_after_a_crash() {
    let dir = tempfile::tempdir().unwrap();
    filled(dir.path()).flush().unwrap();
    let alive = all(3);
    for path in files_under(dir.path()) {
        let good = fs::read(&path).unwrap();
        for at in (0..good.len()).step_by(29) {
            let mut bad = good.clone();
            bad[at] ^= 0x40;
            fs::write(&path, bad).unwrap();
            let copy = tempfile::tempdir().unwrap();
            copy_dir(dir.path(), copy.path());
            let index = open(copy.path(), &alive);
            let intact = index.watermark() == 3 && index.document_count() == 3;
            assert!(
                index.watermark() == 0 || intact,
                "{} at {at}",
                path.display()
            );
            if intact {
                assert_eq!(
                    docs(&index, "dog cat").len(),
                    3,
                    "{} at {at}",
                    path.display()
                );
            }
        }
        fs::write(&path, good).unwrap();
    }
    assert_eq!(open(dir.path(), &alive).watermark(), 3);
}

#[test]
fn a_missing_or_shortened_file_makes_even_a_closed_index_start_over() {
    let dir = tempfile::tempdir().unwrap();
    filled(dir.path()).close().unwrap();
    for path in files_under(dir.path()) {
        if path.ends_with("synced") {
            continue;
        }
        for shorten in [false, true] {
            let copy = tempfile::tempdir().unwrap();
            copy_dir(dir.path(), copy.path());
            let target = copy.path().join(path.strip_prefix(dir.path()).unwrap());
            if shorten {
                let bytes = fs::read(&target).unwrap();
                fs::write(&target, &bytes[..bytes.len() / 2]).unwrap();
            } else {
                fs::remove_file(&target).unwrap();
            }
            let index = open(copy.path(), &all(3));
            assert_eq!(
                index.watermark(),
                0,
                "{} shortened: {shorten}",
                path.display()
            );
            add(&index, &[(0, &[("title", "dog")])]);
            assert_eq!(docs(&index, "dog"), [0]);
        }
    }
}

#[test]
fn strange_files_do_no_harm_and_left_over_segments_go() {
    let dir = tempfile::tempdir().unwrap();
    filled(dir.path()).close().unwrap();
    fs::write(dir.path().join("notes.txt"), "not ours").unwrap();
    fs::create_dir(dir.path().join("seg-999")).unwrap();
    fs::write(dir.path().join("seg-999").join("half"), "written").unwrap();
    let index = open(dir.path(), &all(3));
    assert_eq!(index.watermark(), 3);
    assert!(dir.path().join("notes.txt").exists());
    assert!(!dir.path().join("seg-999").exists());
}

#[test]
fn a_directory_of_something_else_is_emptied() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("meta.json"), "{}").unwrap();
    fs::create_dir(dir.path().join("seg-0")).unwrap();
    let index = open(dir.path(), &all(3));
    assert_eq!(index.watermark(), 0);
    add(&index, &[(0, &[("title", "dog")])]);
    index.flush().unwrap();
    assert_eq!(docs(&index, "dog"), [0]);
}

#[test]
fn ordinals_below_the_last_one_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    filled(dir.path()).close().unwrap();
    let index = open(dir.path(), &all(3));
    let error = index.add(2, &[]).unwrap_err();
    assert!(matches!(
        error,
        LexicalError::OrdinalNotAscending {
            expected: 3,
            received: 2
        }
    ));
}

#[test]
fn one_field_too_many_is_refused_and_nothing_is_added() {
    let dir = tempfile::tempdir().unwrap();
    let options = LexicalOptions {
        fields_max: 2,
        ..LexicalOptions::default()
    };
    let index = LexicalIndex::open(dir.path(), options, &BitSet::default()).unwrap();
    add(&index, &[(0, &[("a", "x"), ("b", "x")])]);
    assert!(index.check_fields(&["a", "b"]).is_ok());
    assert!(index.check_fields(&["c"]).is_err());
    let error = index.add(1, &[("a", "x"), ("c", "x")]).unwrap_err();
    assert!(matches!(
        error,
        LexicalError::TooManyFields { expected: 2, .. }
    ));
    index.publish();
    assert_eq!((docs(&index, "x"), index.document_count()), (vec![0], 1));
}

fn copy_dir(from: &Path, to: &Path) {
    for path in files_under(from) {
        let target = to.join(path.strip_prefix(from).unwrap());
        fs::create_dir_all(target.parent().unwrap()).unwrap();
        fs::copy(path, target).unwrap();
    }
}
