//! An index that was retired leaves the file system alone, so that another may take its place.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use crate::support::{add, all, docs, files_under, open_empty, query};
use pelorus_lexical::{LexicalIndex, LexicalOptions, MergePolicy};

fn contents(dir: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let read = |path: PathBuf| {
        let bytes = fs::read(&path).unwrap();
        (path, bytes)
    };
    files_under(dir).into_iter().map(read).collect()
}

#[test]
fn a_retired_index_answers_on_from_files_that_were_set_aside() {
    let home = tempfile::tempdir().unwrap();
    let (dir, aside) = (home.path().join("lexical"), home.path().join("aside"));
    let old = open_empty(&dir);
    for doc in 0..300 {
        let text = format!("a red dog number{doc}");
        old.add(doc, &[("title", &text)]).unwrap();
    }
    old.publish();
    old.flush().unwrap();
    add(&old, &[(300, &[("title", "a red dog in memory")])]);

    old.retire();
    fs::rename(&dir, &aside).unwrap();
    let new = LexicalIndex::open(&dir, LexicalOptions::default(), &all(301));
    assert!(new.rebuild_reason().is_none());
    add(&new, &[(0, &[("title", "a blue cat")])]);
    new.flush().unwrap();
    let before = contents(home.path());

    // More than enough for a flush, a merge and a purge.
    (0..100).for_each(|doc| old.remove(doc));
    for doc in 301..9_301 {
        old.add(doc, &[("title", "a red dog that came late")])
            .unwrap();
    }
    old.publish();
    assert!(!old.needs_flush(MergePolicy::Leveled));
    old.flush().unwrap();
    old.close().unwrap();
    let alive = (100..9_301).collect();
    let total = |text: &str| old.search(&query(text), &alive).unwrap().total;
    assert_eq!((total("\"red dog\""), total("number299")), (9_201, 1));
    assert_eq!(docs(&new, "cat"), [0]);
    drop(old);
    assert_eq!(contents(home.path()), before);
}

#[test]
fn retiring_amid_flushes_and_merges_ends_them() {
    for round in 0..12 {
        let home = tempfile::tempdir().unwrap();
        let (dir, aside) = (home.path().join("lexical"), home.path().join("aside"));
        let index = open_empty(&dir);
        let stop = AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let mut next = 0;
                while !stop.load(Ordering::Relaxed) {
                    for doc in next..next + 40 {
                        index.add(doc, &[("title", "some more words")]).unwrap();
                    }
                    next += 40;
                    index.publish();
                    index.flush().unwrap();
                }
            });
            // Each round begins at another state of the files.
            let enough = |dir: &Path| fs::read_dir(dir).is_ok_and(|d| d.count() > round % 4);
            while !enough(&dir) {
                std::thread::yield_now();
            }
            index.retire();
            fs::rename(&dir, &aside).unwrap();
            let before = contents(home.path());
            let flushed_on = index.document_count() + 400;
            while index.document_count() < flushed_on {
                std::thread::yield_now();
            }
            stop.store(true, Ordering::Relaxed);
            assert!(!dir.exists());
            assert_eq!(contents(home.path()), before);
        });
        // The index set aside is whole: a flush that was cut short has left nothing.
        let count = index.document_count() as u32;
        let again = LexicalIndex::open(&aside, LexicalOptions::default(), &all(count));
        assert!(
            again.rebuild_reason().is_none(),
            "{:?}",
            again.rebuild_reason()
        );
        assert_eq!(again.document_count(), u64::from(again.watermark()));
    }
}
