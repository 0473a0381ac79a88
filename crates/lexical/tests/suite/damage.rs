//! Bytes that changed on the disk are noticed at every opening, also after a clean stop, and never
//! make an open index panic.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use crate::support::{all, files_under, open_empty, query};
use pelorus_kernels::BitSet;
use pelorus_lexical::{LexicalError, LexicalHits, LexicalIndex, LexicalOptions};
use pelorus_random::SplitMix64;

const SEED: u64 = 0x0da_1a6e;
const DOCS: u32 = 400;
/// Flipped bits for each kind of file.
const FLIPS: usize = 24;

const QUERIES: [&str; 5] = [
    "often",
    "word7 word11",
    "\"often word3\"",
    "\"word5 often\" rare",
    "w1 w2 w3 w4 w5 w6",
];

fn add(index: &LexicalIndex, docs: std::ops::Range<u32>) {
    for doc in docs {
        let body = format!("often word{} often w{doc} word{}", doc % 13, doc % 17);
        let title = if doc % 50 == 0 { "rare often" } else { "" };
        index
            .add(doc, &[("body", &body), ("title", title)])
            .unwrap();
    }
    index.publish();
}

/// Three segments, after a clean stop.
fn make(dir: &Path) {
    let index = open_empty(dir);
    for docs in [0..300, 300..380, 380..DOCS] {
        add(&index, docs);
        index.flush().unwrap();
    }
    index.close().unwrap();
    let segments = fs::read_dir(dir).unwrap().flatten();
    assert_eq!(segments.filter(|e| e.path().is_dir()).count(), 3);
}

fn open(dir: &Path) -> LexicalIndex {
    LexicalIndex::open(dir, LexicalOptions::default(), &all(DOCS))
}

fn answers(index: &LexicalIndex) -> Vec<LexicalHits> {
    let alive = all(DOCS);
    let answer = |text: &&str| index.search(&query(text), &alive).unwrap();
    QUERIES.iter().map(answer).collect()
}

/// The files of the segments by extension, and the others by name.
fn by_kind(dir: &Path) -> BTreeMap<String, Vec<PathBuf>> {
    let mut kinds: BTreeMap<String, Vec<PathBuf>> = BTreeMap::new();
    for path in files_under(dir) {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let kind = match path.extension() {
            Some(extension) if extension != "json" => extension.to_string_lossy().into_owned(),
            _ => name,
        };
        kinds.entry(kind).or_default().push(path);
    }
    kinds
}

/// A copy of an index, of which only `changed` has bytes of its own.
fn copy_except(dir: &Path, changed: &Path) -> (tempfile::TempDir, PathBuf) {
    let copy = tempfile::tempdir_in(dir.parent().unwrap()).unwrap();
    for path in files_under(dir) {
        let target = copy.path().join(path.strip_prefix(dir).unwrap());
        fs::create_dir_all(target.parent().unwrap()).unwrap();
        match path == changed {
            true => _ = fs::copy(path, target).unwrap(),
            false => fs::hard_link(path, target).unwrap(),
        }
    }
    let target = copy.path().join(changed.strip_prefix(dir).unwrap());
    (copy, target)
}

/// The index starts over, says why, and is as good as new.
fn assert_starts_over(dir: &Path, what: &str) {
    let index = open(dir);
    assert_eq!(
        (index.watermark(), index.document_count()),
        (0, 0),
        "{what}"
    );
    let reason = index.rebuild_reason();
    let told = matches!(
        reason,
        Some(LexicalError::Damaged { .. } | LexicalError::Io { .. })
    );
    assert!(told, "{what}: {reason:?}");
    assert!(files_under(dir).is_empty(), "{what}: wiped");
    add(&index, 0..20);
    index.flush().unwrap();
    assert_eq!(index.document_count(), 20, "{what}");
}

fn made() -> (tempfile::TempDir, PathBuf) {
    let home = tempfile::tempdir().unwrap();
    let dir = home.path().join("index");
    make(&dir);
    (home, dir)
}

#[test]
fn a_flipped_bit_in_any_kind_of_file_makes_the_index_start_over() {
    let (_home, dir) = made();
    let kinds = by_kind(&dir);
    let names: BTreeSet<&str> = kinds.keys().map(String::as_str).collect();
    let known = [
        "manifest",
        "meta.json",
        ".managed.json",
        "idx",
        "pos",
        "term",
        "fast",
        "store",
    ];
    assert!(known.iter().all(|kind| names.contains(kind)), "{names:?}");
    let mut rng = SplitMix64(SEED);
    for (kind, files) in &kinds {
        for _ in 0..FLIPS {
            let file = &files[rng.below(files.len())];
            let (copy, target) = copy_except(&dir, file);
            let mut bytes = fs::read(&target).unwrap();
            let bit = rng.below(bytes.len() * 8);
            bytes[bit / 8] ^= 1 << (bit % 8);
            fs::write(&target, bytes).unwrap();
            assert_starts_over(
                copy.path(),
                &format!("seed {SEED}: bit {bit} of a {kind} file"),
            );
        }
    }
    assert_eq!(open(&dir).watermark(), DOCS);
    assert!(open(&dir).rebuild_reason().is_none());
}

#[test]
fn a_file_that_is_cut_grown_exchanged_or_gone_makes_the_index_start_over() {
    let (_home, dir) = made();
    let mut rng = SplitMix64(SEED);
    for (kind, files) in &by_kind(&dir) {
        for change in ["cut", "grown", "gone", "folder", "exchanged"] {
            let file = &files[rng.below(files.len())];
            let (copy, target) = copy_except(&dir, file);
            let bytes = fs::read(&target).unwrap();
            match change {
                "cut" => fs::write(&target, &bytes[..rng.below(bytes.len())]).unwrap(),
                "grown" => fs::write(&target, [&bytes[..], b"more"].concat()).unwrap(),
                // The index is then taken for one that was never written to, unless it has segments.
                "gone" => fs::remove_file(&target).unwrap(),
                "folder" => {
                    fs::remove_file(&target).unwrap();
                    fs::create_dir(&target).unwrap();
                }
                _ => match files.iter().find(|other| *other != file) {
                    Some(other) => _ = fs::copy(other, &target).unwrap(),
                    None => continue,
                },
            }
            if fs::read(&target).is_ok_and(|now| now == bytes) {
                continue;
            }
            assert_starts_over(
                copy.path(),
                &format!("seed {SEED}: a {kind} file is {change}"),
            );
        }
    }
}

#[test]
fn bytes_that_change_under_an_open_index_are_an_error_and_never_a_panic() {
    let (_home, dir) = made();
    let kinds = by_kind(&dir);
    let expected = answers(&open(&dir));
    let mut rng = SplitMix64(SEED);
    let (mut same, mut damaged) = (0, 0);
    for kind in ["idx", "pos", "term"] {
        for _ in 0..FLIPS {
            let files = &kinds[kind];
            let file = &files[rng.below(files.len())];
            let (copy, target) = copy_except(&dir, file);
            let index = open(copy.path());
            assert_eq!(answers(&index), expected);
            overwrite(&target, &mut rng);
            let alive = all(DOCS);
            for text in QUERIES {
                match index.search(&query(text), &alive) {
                    Ok(_) => same += 1,
                    Err(LexicalError::Damaged { .. } | LexicalError::Segment(_)) => damaged += 1,
                    Err(error) => panic!("{error}"),
                }
            }
            let _ = index.contains("body", "often word3");
        }
    }
    // Otherwise nothing was tried.
    assert!(same > 0 && damaged > 0, "{same} answers, {damaged} errors");
}

/// Changes some bytes of a file in place, so that maps of it show them.
fn overwrite(path: &Path, rng: &mut SplitMix64) {
    let mut file = OpenOptions::new()
        .read(true)
        .write(true)
        .open(path)
        .unwrap();
    let len = file.metadata().unwrap().len();
    for _ in 0..8 {
        let at = rng.bits() % len;
        let mut byte = [0];
        file.seek(SeekFrom::Start(at)).unwrap();
        file.read_exact(&mut byte).unwrap();
        byte[0] ^= 1 << rng.below(8);
        file.seek(SeekFrom::Start(at)).unwrap();
        file.write_all(&byte).unwrap();
    }
}

#[test]
fn a_damaged_segment_is_never_merged_into_a_sound_one() {
    let (_home, dir) = made();
    let index = open(&dir);
    let segment = dir.join("seg-0");
    let files = files_under(&segment);
    let mut positions = files
        .iter()
        .filter(|path| path.extension().is_some_and(|e| e == "pos"));
    overwrite(positions.next().unwrap(), &mut SplitMix64(SEED));
    // Twice as many new ones as old ones: all are to be merged.
    add(&index, DOCS..3 * DOCS);
    let error = index.flush().unwrap_err();
    assert!(matches!(error, LexicalError::Damaged { .. }), "{error}");
    let alive: BitSet = all(3 * DOCS);
    let found = index.search(&query("w1199"), &alive).unwrap();
    assert_eq!(found.total, 1);
    drop(index);
    let index = LexicalIndex::open(&dir, LexicalOptions::default(), &alive);
    assert_eq!(index.watermark(), 0);
}
