//! The states in which an index finds its directory when it opens.

use std::fs;
use std::path::Path;

use crate::support::{add, all, assert_close, docs, files_under, open_empty, query};
use pelorus_kernels::BitSet;
use pelorus_lexical::{LexicalError, LexicalIndex, LexicalOptions};

fn open(dir: &Path, alive: &BitSet) -> LexicalIndex {
    LexicalIndex::open(dir, LexicalOptions::default(), alive)
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
fn an_index_without_a_directory_works_from_memory_until_there_is_one() {
    let home = tempfile::tempdir().unwrap();
    // No directory can be made where a file is.
    let obstacle = home.path().join("obstacle");
    fs::write(&obstacle, "in the way").unwrap();
    for dir in [obstacle.clone(), obstacle.join("lexical")] {
        let index = open(&dir, &all(3));
        let reason = index.rebuild_reason();
        assert!(
            matches!(reason, Some(LexicalError::Io { .. })),
            "{reason:?}"
        );
        assert_eq!(index.watermark(), 0);
        add(
            &index,
            &[(0, &[("title", "dog")]), (1, &[("title", "cat")])],
        );
        for _ in 0..2 {
            assert!(matches!(index.flush(), Err(LexicalError::Io { .. })));
            assert!(index.close().is_err());
        }
        // Documents that a failed flush has set aside are searched beside those that came later.
        add(&index, &[(2, &[("title", "a lone cat")])]);
        assert_eq!(docs(&index, "cat").len(), 2);
        assert_eq!(fs::read(&obstacle).unwrap(), b"in the way");

        fs::remove_file(&obstacle).unwrap();
        index.flush().unwrap();
        assert_eq!(index.watermark(), 3);
        drop(index);
        assert_eq!(open(&dir, &all(3)).watermark(), 3);
        fs::remove_dir_all(&obstacle).unwrap();
        fs::write(&obstacle, "in the way").unwrap();
    }
}

#[test]
fn a_manifest_that_cannot_be_written_leaves_no_segment_behind() {
    let dir = tempfile::tempdir().unwrap();
    let index = filled(dir.path());
    let before = files_under(dir.path());
    // No file can be made where a directory is.
    let obstacle = dir.path().join("manifest.draft");
    fs::create_dir(&obstacle).unwrap();
    assert!(index.flush().is_err());
    assert_eq!(files_under(dir.path()), before);
    assert_eq!((index.watermark(), docs(&index, "cat").len()), (2, 2));
    fs::remove_dir(&obstacle).unwrap();
    index.flush().unwrap();
    assert_eq!((index.watermark(), docs(&index, "cat").len()), (3, 2));
}

#[test]
fn an_obstacle_to_a_new_segment_is_passed_by() {
    let dir = tempfile::tempdir().unwrap();
    let index = filled(dir.path());
    fs::write(dir.path().join("seg-1"), "in the way").unwrap();
    index.flush().unwrap();
    assert_eq!((index.watermark(), docs(&index, "cat").len()), (3, 2));
    assert_eq!(open(dir.path(), &all(3)).watermark(), 3);
    assert!(!dir.path().join("seg-1").exists());
}

#[test]
fn a_directory_that_is_taken_away_is_made_again() {
    let home = tempfile::tempdir().unwrap();
    let dir = home.path().join("lexical");
    let index = open_empty(&dir);
    add(
        &index,
        &[(0, &[("title", "dog")]), (1, &[("title", "cat")])],
    );
    fs::remove_dir_all(&dir).unwrap();
    index.flush().unwrap();
    assert_eq!((docs(&index, "cat"), index.watermark()), (vec![1], 2));
    assert_eq!(open(&dir, &all(2)).watermark(), 2);
}

#[test]
fn ordinals_below_the_last_one_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    filled(dir.path()).close().unwrap();
    let index = open(dir.path(), &all(3));
    assert!(index.rebuild_reason().is_none());
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
    let index = LexicalIndex::open(dir.path(), options, &BitSet::default());
    add(&index, &[(0, &[("a", "x"), ("b", "x")])]);
    let error = index.add(1, &[("a", "x"), ("c", "x")]).unwrap_err();
    assert!(matches!(
        error,
        LexicalError::TooManyFields { expected: 2, .. }
    ));
    index.publish();
    assert_eq!((docs(&index, "x"), index.document_count()), (vec![0], 1));
}
