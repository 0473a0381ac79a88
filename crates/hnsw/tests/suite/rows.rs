//! Rows that are kept nowhere else: they come back under their numbers, bit for bit, from any history of copies and
//! ends of the process; damaged rows are set aside, and nothing else.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use crate::support::{Rng, params};
use pelorus_hnsw::{HnswParams, Metric, NumericType, RowsError, StoredRows, VectorIndex};

const DIM: usize = 3;

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
    /// Documents whose rows are damaged.
    aside: BTreeSet<u32>,
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
            let start = bytes.len();
            bytes.resize(start + numeric.row_bytes(DIM), 0);
            numeric.write_row(&vector, &mut bytes[start..]);
        }
        self.bytes.insert(doc, bytes);
    }

    fn remove(&mut self, index: &VectorIndex, doc: u32) {
        index.remove(doc);
        self.bytes.remove(&doc);
        self.rows.remove(&doc);
        self.aside.remove(&doc);
    }

    fn secure(&mut self, index: &VectorIndex) {
        let end = index.secure().unwrap();
        let whole = self
            .bytes
            .iter()
            .filter(|(doc, _)| !self.aside.contains(doc));
        for (doc, bytes) in whole {
            let rows = index.rows_of(*doc, bytes).unwrap();
            assert!(rows.first + u64::from(rows.count) <= end);
            let before = self.rows.insert(*doc, rows);
            assert!(before.is_none_or(|before| before == rows), "numbers last");
        }
    }

    /// After the end of the process: rows neither secured nor saved are pushed again by others.
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
            let copied = index.copy_rows(rows, &mut bytes);
            if self.aside.contains(doc) {
                assert!(copied.unwrap_err().is_damage() && bytes.is_empty());
                continue;
            }
            copied.unwrap();
            assert_eq!(bytes, self.bytes[doc], "document {doc}");
        }
        let mut docs = index.docs();
        docs.sort_unstable();
        docs.dedup();
        let whole = self.bytes.keys().filter(|doc| !self.aside.contains(doc));
        assert!(docs.iter().eq(whole), "{docs:?}");
        let aside: BTreeSet<u32> = index.aside().iter().map(|rows| rows.doc).collect();
        assert_eq!(aside, self.aside);
    }
}

/// Changes a byte of the only file of rows in a folder, or changes it back; none where there is no byte.
fn flip(folder: &Path, at: impl FnOnce(usize) -> usize) -> Option<(PathBuf, usize)> {
    let entries = fs::read_dir(folder).unwrap();
    let mut paths = entries.map(|entry| entry.unwrap().path());
    let path = paths.find(|path| path.extension().is_some_and(|extension| extension == "bin"))?;
    let mut bytes = fs::read(&path).unwrap();
    let at = at(bytes.len());
    // Bytes past the rows are cut off when they are opened.
    if at >= bytes.len() {
        return None;
    }
    bytes[at] ^= 0x10;
    fs::write(&path, bytes).unwrap();
    Some((path, at))
}

#[test]
fn rows_keep_their_numbers_and_bits_through_any_history() {
    for seed in 0..10 {
        let mut random = Rng(seed);
        let numeric = NumericType::ALL[seed as usize % 3];
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
fn a_damaged_row_costs_its_document_through_any_history_and_comes_back_when_it_is_mended() {
    let (mut seen, mut mended) = (0, 0);
    for seed in 0..12 {
        let mut random = Rng(100 + seed);
        let numeric = NumericType::ALL[seed as usize % 3];
        let folder = tempfile::tempdir().unwrap();
        let mut index = VectorIndex::create(params_of(numeric), folder.path()).unwrap();
        let mut model = Model::default();
        (0..500).for_each(|_| model.push(&index, &mut random, numeric));
        model.secure(&index);
        if random.below(2) == 0 {
            index.save(model.next).unwrap();
        }
        let mut in_memory = false;
        for _ in 0..14 {
            match random.below(6) {
                0 => (0..random.below(300)).for_each(|_| model.push(&index, &mut random, numeric)),
                1 => {
                    let docs: Vec<u32> = model.bytes.keys().copied().collect();
                    let gone = docs.iter().filter(|doc| doc.is_multiple_of(5));
                    gone.for_each(|doc| model.remove(&index, *doc));
                }
                2 => while index.maintain(usize::MAX) > 0 {},
                3 if !in_memory => model.secure(&index),
                4 => index.save(model.next).unwrap(),
                _ => {
                    drop(index);
                    let flipped = flip(folder.path(), |len| random.below(len));
                    let before = model.aside.clone();
                    in_memory = random.below(4) == 0;
                    index = model.reopen(params_of(numeric), folder.path(), in_memory);
                    let aside = index.aside();
                    model.aside = aside.iter().map(|rows| rows.doc).collect();
                    assert!(
                        model.aside.is_superset(&before) && model.aside.len() <= before.len() + 1
                    );
                    seen += model.aside.len() - before.len();
                    model.check(&index);
                    if let Some((path, at)) = flipped
                        && !in_memory
                        && random.below(2) == 0
                    {
                        if random.below(2) == 0 {
                            index.save(model.next).unwrap();
                        }
                        drop(index);
                        if let Some(same) = flip(folder.path(), |_| at) {
                            assert_eq!(same, (path, at));
                        }
                        index = model.reopen(params_of(numeric), folder.path(), false);
                        mended += model.aside.len() - before.len();
                        model.aside = before;
                    }
                }
            }
            model.check(&index);
        }
    }
    assert!(seen > 10 && mended > 2, "{seen} seen, {mended} mended");
}

#[test]
fn damage_is_set_aside_row_by_row_and_a_file_without_any_good_row_is_left_as_it_is() {
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
    let restore = || {
        files()
            .keys()
            .filter(|path| !good.contains_key(*path))
            .for_each(|path| fs::remove_file(path).unwrap());
        good.iter()
            .for_each(|(path, bytes)| fs::write(path, bytes).unwrap())
    };
    let open = |rows: &[StoredRows]| {
        let opening = VectorIndex::begin(params.clone(), folder.path())?;
        let rows: Vec<StoredRows> = rows
            .iter()
            .filter(|rows| rows.doc >= opening.watermark())
            .copied()
            .collect();
        VectorIndex::finish(opening, &rows, None)
    };
    let docs = |rows: Vec<StoredRows>| rows.iter().map(|rows| rows.doc).collect::<Vec<_>>();
    let place = |name: &str| folder.path().join(name);

    // Any row of any document, be it in the snapshot or not.
    for of in [&rows[3], &rows[40]] {
        let mut bytes = good[&place("vectors-0.bin")].clone();
        bytes[of.first as usize * DIM * 4 + 1] ^= 1;
        fs::write(place("vectors-0.bin"), &bytes).unwrap();
        let index = open(&rows).unwrap();
        assert_eq!(docs(index.aside()), [of.doc]);
        assert!(index.docs().iter().all(|doc| *doc != of.doc));
        assert_eq!(index.copy_rows(&rows[5], &mut Vec::new()).ok(), Some(()));
        // The room of damaged rows is nobody else's.
        index.push(&[1.0; DIM], 60, 0).unwrap();
        let pushed = [1.0_f32; DIM].map(f32::to_le_bytes).concat();
        assert!(index.rows_of(60, &pushed).unwrap().first > rows[49].first);
        drop(index);
        restore();
        assert_eq!(docs(open(&rows).unwrap().aside()), [0; 0]);
        restore();
    }
    let row = rows[40].first;
    let elsewhere = |first| StoredRows { first, ..rows[40] };
    for odd in [
        vec![rows[39], elsewhere(row + 1)],
        vec![rows[39], elsewhere(1 << 40)],
        vec![rows[40], rows[40]],
    ] {
        assert_eq!(docs(open(&odd).unwrap().aside()), [40]);
        restore();
    }

    let file = fs::OpenOptions::new()
        .write(true)
        .open(place("vectors-0.bin"))
        .unwrap();
    file.set_len(row * DIM as u64 * 4).unwrap();
    drop(file);
    assert_eq!(
        docs(open(&rows).unwrap().aside()),
        (40..50).collect::<Vec<_>>()
    );
    restore();

    // One copy of the list is enough, and the other is made anew.
    for name in ["rows", "rows.copy"] {
        fs::remove_file(place(name)).unwrap();
        assert_eq!(docs(open(&rows).unwrap().aside()), [0; 0]);
        assert!(files()[&place("rows")] == good[&place("rows")]);
        assert!(files()[&place("rows.copy")] == good[&place("rows")]);
        restore();
    }
    // A list of other rows that is as it was written: the copy decides.
    let other = tempfile::tempdir().unwrap();
    let (index, mut others) = (
        VectorIndex::create(params.clone(), other.path()).unwrap(),
        Model::default(),
    );
    (0..2_000).for_each(|_| others.push(&index, &mut random, NumericType::Float));
    (0..1_900).for_each(|doc| others.remove(&index, doc));
    while index.maintain(usize::MAX) > 0 {}
    others.secure(&index);
    drop(index);
    for name in ["rows", "rows.copy"] {
        fs::copy(other.path().join("rows"), place(name)).unwrap();
        let mut opening = VectorIndex::begin(params.clone(), folder.path()).unwrap();
        assert_eq!(
            opening.is_in_doubt(),
            name == "rows.copy" || opening.is_in_doubt()
        );
        opening.decide(&rows).unwrap();
        let from = opening.watermark() as usize;
        let index = VectorIndex::finish(opening, &rows[from..], None).unwrap();
        assert_eq!(docs(index.aside()), [0; 0], "{name}");
        drop(index);
        restore();
    }

    let left = |error: RowsError, broken: BTreeMap<PathBuf, Vec<u8>>| {
        assert!(error.is_damage(), "{error}");
        assert!(files() == broken, "nothing was changed: {error}");
        restore();
    };
    for (names, bytes) in [
        (&["vectors-0.bin"][..], None),
        (&["vectors-0.bin"], Some("")),
        (&["vectors-0.bin"], Some("noise")),
        (&["rows", "rows.copy"], None),
        (&["rows", "rows.copy"], Some("no list")),
    ] {
        for name in names {
            match bytes {
                None => fs::remove_file(place(name)).unwrap(),
                Some(bytes) => fs::write(place(name), bytes).unwrap(),
            }
        }
        let broken = files();
        left(open(&rows).map(drop).unwrap_err(), broken);
    }
    let index = open(&rows).unwrap();
    model.check(&index);
}
