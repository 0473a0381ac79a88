//! Rows that are kept nowhere else: they come back under their numbers, bit for bit, from any history
//! of copies and ends of the process; and what is damaged is named, with nothing changed.
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

mod support;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use pelorus_hnsw::{HnswParams, Metric, NumericType, RowsError, StoredRows, VectorIndex};
use support::{Rng, params};

const DIM: usize = 3;
const TYPES: [NumericType; 2] = [NumericType::Float, NumericType::Bfloat16];

fn params_of(numeric: NumericType) -> HnswParams {
    HnswParams {
        numeric,
        ..params(DIM, Metric::Euclidean)
    }
}

/// The vectors of each document as they are stored, and where, once that is known to last.
#[derive(Default)]
struct Model {
    bytes: BTreeMap<u32, Vec<u8>>,
    rows: BTreeMap<u32, StoredRows>,
    next: u32,
}

impl Model {
    fn push(&mut self, index: &VectorIndex, random: &mut Rng, numeric: NumericType) {
        let doc = self.next;
        self.next += 1;
        let mut bytes = Vec::new();
        for chunk in 0..1 + random.below(3) as u32 {
            let vector: Vec<f32> = (0..DIM).map(|_| random.below(100) as f32 * 0.5).collect();
            index.push(&vector, doc, chunk).unwrap();
            for x in vector {
                match numeric {
                    NumericType::Float => bytes.extend(x.to_le_bytes()),
                    // Few enough digits to be kept by either.
                    NumericType::Bfloat16 => bytes.extend(&x.to_le_bytes()[2..]),
                }
            }
        }
        self.bytes.insert(doc, bytes);
    }

    fn remove(&mut self, index: &VectorIndex, doc: u32) {
        index.remove(doc);
        self.bytes.remove(&doc);
        self.rows.remove(&doc);
    }

    fn secure(&mut self, index: &VectorIndex) {
        let end = index.secure().unwrap();
        for (doc, bytes) in &self.bytes {
            let rows = index.rows_of(*doc, bytes).unwrap();
            assert!(rows.first + u64::from(rows.count) <= end);
            let before = self.rows.insert(*doc, rows);
            assert!(before.is_none_or(|before| before == rows), "numbers last");
        }
    }

    /// After the end of the process: what was neither secured nor saved is pushed again by others.
    fn reopen(&mut self, params: HnswParams, folder: &Path, memory: bool) -> VectorIndex {
        let opening = VectorIndex::begin(params, folder).unwrap();
        let watermark = opening.watermark();
        let from = if memory { 0 } else { watermark };
        let rows: Vec<StoredRows> = self.rows.range(from..).map(|(_, rows)| *rows).collect();
        let index = match memory {
            true => VectorIndex::finish_in_memory(opening, &rows).unwrap(),
            false => VectorIndex::finish(opening, &rows, None).unwrap(),
        };
        let is_known = |doc: &u32| *doc < from || self.rows.contains_key(doc);
        self.bytes.retain(|doc, _| is_known(doc));
        for doc in index.docs() {
            if !self.bytes.contains_key(&doc) {
                index.remove(doc);
            }
        }
        index
    }

    fn check(&self, index: &VectorIndex) {
        for (doc, rows) in &self.rows {
            let mut bytes = Vec::new();
            index.copy_rows(rows, &mut bytes).unwrap();
            assert_eq!(bytes, self.bytes[doc], "document {doc}");
        }
        let mut docs = index.docs();
        docs.sort_unstable();
        docs.dedup();
        assert!(docs.iter().eq(self.bytes.keys()), "{docs:?}");
    }
}

#[test]
fn rows_keep_their_numbers_and_bits_through_any_history() {
    for seed in 0..10 {
        let mut random = Rng(seed);
        let numeric = TYPES[seed as usize % 2];
        let folder = tempfile::tempdir().unwrap();
        let mut index = VectorIndex::create(params_of(numeric), folder.path()).unwrap();
        let mut model = Model::default();
        model.secure(&index);
        let mut in_memory = false;
        for _ in 0..24 {
            match random.below(8) {
                0..3 => {
                    let count = random.below(700);
                    (0..count).for_each(|_| model.push(&index, &mut random, numeric));
                }
                3 => {
                    let third = random.below(3);
                    let docs: Vec<u32> = model.bytes.keys().copied().collect();
                    let gone = docs.into_iter().filter(|doc| *doc as usize % 3 == third);
                    gone.for_each(|doc| model.remove(&index, doc));
                }
                4 => while index.maintain(usize::MAX) > 0 {},
                5 if !in_memory => model.secure(&index),
                6 => index.save(model.next).unwrap(),
                _ => {
                    drop(index);
                    if random.below(3) == 0 {
                        VectorIndex::forget_snapshot(folder.path()).unwrap();
                    }
                    in_memory = random.below(4) == 0;
                    index = model.reopen(params_of(numeric), folder.path(), in_memory);
                }
            }
            model.check(&index);
        }
    }
}

#[test]
fn an_index_that_is_retired_is_read_while_another_has_its_rows() {
    let folder = tempfile::tempdir().unwrap();
    let (mut random, mut model) = (Rng(3), Model::default());
    let params = params_of(NumericType::Float);
    let before = VectorIndex::create(params.clone(), folder.path()).unwrap();
    (0..50).for_each(|_| model.push(&before, &mut random, NumericType::Float));
    model.secure(&before);
    let rows: Vec<StoredRows> = model.rows.values().copied().collect();
    let secured = model.bytes.clone();
    // These are in no store yet.
    (0..30).for_each(|_| model.push(&before, &mut random, NumericType::Float));
    let read = |index: &VectorIndex, doc: u32, bytes: &[u8]| index.rows_of(doc, bytes).is_some();
    before.retire();
    assert!(before.secure().is_err());
    VectorIndex::forget_snapshot(folder.path()).unwrap();
    let opening = VectorIndex::begin(params, folder.path()).unwrap();
    let after = VectorIndex::finish(opening, &rows, Some(&before)).unwrap();
    for doc in 100..200 {
        after.push(&[doc as f32; DIM], doc, 0).unwrap();
    }
    assert!(
        model
            .bytes
            .iter()
            .all(|(doc, bytes)| read(&before, *doc, bytes))
    );
    assert!(secured.iter().all(|(doc, bytes)| read(&after, *doc, bytes)));
    assert_eq!(
        after.len(),
        rows.iter().map(|rows| rows.count as usize).sum::<usize>() + 100
    );
}

#[test]
fn what_is_damaged_is_named_and_left_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let (mut random, mut model) = (Rng(4), Model::default());
    let params = params_of(NumericType::Float);
    let index = VectorIndex::create(params.clone(), folder.path()).unwrap();
    (0..50).for_each(|_| model.push(&index, &mut random, NumericType::Float));
    model.secure(&index);
    index.save(20).unwrap();
    drop(index);
    let rows: Vec<StoredRows> = model.rows.values().copied().collect();
    let files = || {
        let entries = fs::read_dir(folder.path()).unwrap();
        let file = |path: std::path::PathBuf| (path.clone(), fs::read(path).unwrap());
        let files = entries.map(|entry| file(entry.unwrap().path()));
        files.collect::<BTreeMap<_, _>>()
    };
    let good = files();
    let error = |rows: &[StoredRows]| {
        let opening = VectorIndex::begin(params.clone(), folder.path());
        let error = opening.and_then(|opening| VectorIndex::finish(opening, rows, None).map(drop));
        error.unwrap_err()
    };
    let place = |name: &str| folder.path().join(name);
    let restore = || {
        good.iter()
            .for_each(|(path, bytes)| fs::write(path, bytes).unwrap())
    };

    // Any row of any document, be it in the snapshot or not.
    for of in [&rows[3], &rows[40]] {
        let mut bytes = good[&place("vectors-0.bin")].clone();
        bytes[of.first as usize * DIM * 4 + 1] ^= 1;
        fs::write(place("vectors-0.bin"), &bytes).unwrap();
        let broken = files();
        match error(&rows) {
            RowsError::Checksum { doc, row, .. } => assert_eq!((doc, row), (of.doc, of.first)),
            other => panic!("{other}"),
        }
        assert!(files() == broken, "nothing was changed");
        restore();
    }
    let row = rows[40].first;
    let elsewhere = StoredRows {
        first: row + 1,
        ..rows[40]
    };
    assert!(error(&[elsewhere]).is_damage());
    let beyond = StoredRows {
        first: 1 << 40,
        ..rows[40]
    };
    assert!(matches!(error(&[beyond]), RowsError::Unlisted { .. }));
    assert!(matches!(
        error(&[rows[40], rows[40]]),
        RowsError::Unlisted { .. }
    ));

    let file = fs::OpenOptions::new()
        .write(true)
        .open(place("vectors-0.bin"))
        .unwrap();
    file.set_len(row * DIM as u64 * 4).unwrap();
    assert!(matches!(error(&rows), RowsError::TooShort { .. }));
    fs::remove_file(place("vectors-0.bin")).unwrap();
    assert!(matches!(error(&rows), RowsError::NoFile(_)));
    restore();
    fs::write(place("rows"), "no list").unwrap();
    assert!(matches!(error(&rows), RowsError::Manifest(_)));
    fs::remove_file(place("rows")).unwrap();
    assert!(matches!(error(&rows), RowsError::NoManifest));
    restore();
    let opening = VectorIndex::begin(params.clone(), folder.path()).unwrap();
    let index = VectorIndex::finish(opening, &rows[20..], None).unwrap();
    model.check(&index);
}
