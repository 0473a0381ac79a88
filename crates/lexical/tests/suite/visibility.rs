//! The documents that searches see while they come, go and move.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use crate::support::{add, all, docs, open_empty, query};
use pelorus_kernels::BitSet;
use pelorus_lexical::{LexicalIndex, LexicalOptions, LexicalQuery, MergePolicy};

#[test]
fn a_published_document_is_found_at_once_and_not_before() {
    let dir = tempfile::tempdir().unwrap();
    let index = open_empty(dir.path());
    index.add(0, &[("a", "dog")]).unwrap();
    assert!(docs(&index, "dog").is_empty());
    assert!(index.fields().is_empty());
    index.publish();
    assert_eq!(docs(&index, "dog"), [0]);
}

#[test]
fn a_document_removed_before_it_was_published_is_never_counted() {
    let dir = tempfile::tempdir().unwrap();
    let index = open_empty(dir.path());
    index.add(0, &[("a", "dog")]).unwrap();
    index.add(1, &[("a", "dog")]).unwrap();
    index.remove(0);
    index.remove(0);
    index.remove(77);
    index.publish();
    assert_eq!(index.document_count(), 1);
}

#[test]
fn a_failed_flush_loses_nothing_and_the_next_one_makes_up_for_it() {
    let dir = tempfile::tempdir().unwrap();
    let index = open_empty(dir.path());
    add(&index, &[(0, &[("a", "dog")])]);
    // No file can be made where a directory is.
    let obstacle = dir.path().join("manifest.draft");
    std::fs::create_dir(&obstacle).unwrap();
    assert!(index.flush().is_err());
    assert!(index.needs_flush(MergePolicy::Leveled));
    std::fs::remove_dir(&obstacle).unwrap();
    add(&index, &[(1, &[("a", "dog")])]);
    index.remove(0);
    index.publish();
    assert_eq!(index.document_count(), 1);
    index.flush().unwrap();
    assert_eq!(index.watermark(), 2);
    let found = index
        .search(&query("dog"), &[1].into_iter().collect())
        .unwrap();
    assert_eq!((found.total, found.hits[0].0), (1, 1));
}

#[test]
fn many_flushes_leave_few_segments_on_disk() {
    let dir = tempfile::tempdir().unwrap();
    let index = open_empty(dir.path());
    for doc in 0..40 {
        add(&index, &[(doc, &[("a", "dog")])]);
        index.flush().unwrap();
    }
    while index.needs_flush(MergePolicy::Leveled) {
        index.flush().unwrap();
    }
    let segments = std::fs::read_dir(dir.path()).unwrap().filter(|entry| {
        entry
            .as_ref()
            .unwrap()
            .file_name()
            .to_string_lossy()
            .starts_with("seg-")
    });
    assert!(segments.count() <= 5);
    assert_eq!(docs(&index, "dog").len(), 40);
}

#[test]
fn removed_documents_leave_the_files_in_time() {
    let dir = tempfile::tempdir().unwrap();
    let index = open_empty(dir.path());
    for doc in 0..10 {
        add(&index, &[(doc, &[("a", "dog")])]);
    }
    index.flush().unwrap();
    (0..10).for_each(|doc| index.remove(doc));
    index.publish();
    assert!(index.needs_flush(MergePolicy::Leveled));
    index.flush().unwrap();
    assert!(!index.needs_flush(MergePolicy::Leveled));
    assert!(index.contains("a", "dog").unwrap().is_empty());
}

/// One writer replaces documents, one thread flushes without pause, two search. The documents
/// "keep" are never touched: every search must find each of them exactly once, and a replaced
/// document in exactly one version between the last published and the newest one.
#[test]
fn no_search_ever_misses_a_document_or_sees_it_twice() {
    const KEPT: u32 = 50;
    const ROUNDS: u32 = 400;
    let dir = tempfile::tempdir().unwrap();
    let options = LexicalOptions {
        flush_documents: 8,
        ..LexicalOptions::default()
    };
    let index = LexicalIndex::open(dir.path(), options, &BitSet::default());
    for doc in 0..KEPT {
        index
            .add(doc, &[("a", "keep"), ("b", "some keep more")])
            .unwrap();
    }
    index.add(KEPT, &[("a", "swap")]).unwrap();
    index.publish();
    let accept = all(KEPT + 1 + ROUNDS);
    let done = AtomicBool::new(false);
    let published = AtomicU32::new(KEPT);

    std::thread::scope(|scope| {
        scope.spawn(|| {
            for round in 0..ROUNDS {
                let doc = KEPT + 1 + round;
                index.add(doc, &[("a", "swap")]).unwrap();
                index.remove(doc - 1);
                index.publish();
                published.store(doc, Ordering::SeqCst);
            }
            done.store(true, Ordering::SeqCst);
        });
        scope.spawn(|| {
            while !done.load(Ordering::SeqCst) {
                index.flush().unwrap();
            }
        });
        for _ in 0..2 {
            scope.spawn(|| {
                while !done.load(Ordering::SeqCst) {
                    assert_kept(&index, KEPT, &accept);
                    assert_one_version(&index, &published, &accept);
                }
            });
        }
    });
    index.close().unwrap();
    assert_kept(&index, KEPT, &accept);
    assert_eq!(index.document_count(), u64::from(KEPT) + 1);
}

fn assert_kept(index: &LexicalIndex, kept: u32, accept: &BitSet) {
    let found = index.search(&query("keep"), accept).unwrap();
    let mut docs: Vec<u32> = found.hits.iter().map(|hit| hit.0).collect();
    docs.sort_unstable();
    assert_eq!(docs, (0..kept).collect::<Vec<_>>());
    assert_eq!(found.total, u64::from(kept));
    assert!(
        found.hits.windows(2).all(|pair| pair[0].1 == pair[1].1),
        "{:?}",
        found.hits
    );
}

/// Dead versions may still be in postings, so the engine's set of live ordinals decides; here the
/// newest published version at the start of the search must be found, or a newer one.
fn assert_one_version(index: &LexicalIndex, published: &AtomicU32, accept: &BitSet) {
    let before = published.load(Ordering::SeqCst);
    let all_versions = LexicalQuery {
        k: 10_000,
        ..query("swap")
    };
    let found = index.search(&all_versions, accept).unwrap();
    let mut docs: Vec<u32> = found.hits.iter().map(|hit| hit.0).collect();
    docs.sort_unstable();
    assert!(
        docs.last().is_some_and(|&newest| newest >= before),
        "{docs:?} lacks {before}"
    );
    assert!(docs.windows(2).all(|pair| pair[0] < pair[1]), "{docs:?}");
}
