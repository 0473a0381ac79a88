//! Loss of power: any sectors written and not synced may be lost.

use std::fs::File;
use std::ops::Range;
use std::path::Path;
use std::sync::{Arc, Mutex};

use memmap2::MmapRaw;
use pelorus_random::SplitMix64;

use super::row_file::{self, RowFile};
use super::*;
use crate::graph::Graph;
use crate::storage::opening::StoredRows;
use crate::{HnswParams, Metric, VectorIndex};

const SECTOR: usize = 512;

/// A disk that knows which bytes would be left of its file.
struct LosingDisk {
    path: PathBuf,
    file: File,
    /// The content when it was last synced.
    synced: Mutex<Vec<u8>>,
}

impl LosingDisk {
    fn create(path: &Path) -> Arc<Self> {
        Arc::new(Self {
            path: path.to_owned(),
            file: row_file::create(path).unwrap(),
            synced: Mutex::default(),
        })
    }

    /// A content that may be left: each sector is either as it was synced or as it is now.
    fn left(&self, random: &mut SplitMix64) -> Vec<u8> {
        let mut left = self.synced.lock().unwrap().clone();
        let now = fs::read(&self.path).unwrap();
        if random.below(2) == 0 {
            left.resize(now.len(), 0);
        }
        let end = left.len();
        for start in (0..end).step_by(SECTOR) {
            if random.below(2) == 0 {
                let sector = start..end.min(start + SECTOR);
                left[sector.clone()].copy_from_slice(&now[sector]);
            }
        }
        left
    }
}

impl RowFile for Arc<LosingDisk> {
    fn write_all_at(&self, data: &[u8], offset: u64) -> io::Result<()> {
        RowFile::write_all_at(&self.file, data, offset)
    }

    fn map(&self, bytes: Range<u64>) -> io::Result<MmapRaw> {
        self.file.map(bytes)
    }

    fn sync(&self) -> io::Result<()> {
        *self.synced.lock().unwrap() = fs::read(&self.path)?;
        Ok(())
    }

    fn unlock(&self) -> io::Result<()> {
        RowFile::unlock(&self.file)
    }
}

fn params() -> HnswParams {
    HnswParams {
        dim: 5,
        metric: Metric::Euclidean,
        numeric: NumericType::Float,
        m: 4,
        ef_construction: 16,
        seed: 1,
    }
}

fn stored_bytes(doc: u32) -> Vec<u8> {
    let vector = vector(doc as usize, params().dim).into_iter();
    vector.flat_map(f32::to_le_bytes).collect()
}

/// A copy of a folder in which its file of vectors is another one.
fn copy(folder: &Path, vectors: &[u8]) -> TempDir {
    let copy = tempfile::tempdir().unwrap();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        fs::copy(&path, copy.path().join(path.file_name().unwrap())).unwrap();
    }
    fs::write(copy.path().join("vectors-0.bin"), vectors).unwrap();
    copy
}

/// An index whose rows are in the first file of `folder`.
fn index_over(disk: &Arc<LosingDisk>, folder: &Path) -> VectorIndex {
    let rows = ByteRows::in_file(
        Box::new(disk.clone()),
        stride(params().dim, NumericType::Float),
    );
    let full = FullVectors::over(params().dim, NumericType::Float, rows);
    VectorIndex::over(Graph::over(params(), full), Some((folder, 0)))
}

#[test]
fn rows_that_were_secured_outlive_power_and_others_are_told_to_be_lost() {
    for seed in 0..60 {
        let mut random = SplitMix64(seed);
        let folder = tempfile::tempdir().unwrap();
        let disk = LosingDisk::create(&folder.path().join("vectors-0.bin"));
        let index = index_over(&disk, folder.path());
        let mut secured: Vec<StoredRows> = Vec::new();
        let mut next = 0;
        for _ in 0..1 + random.below(5) {
            for _ in 0..random.below(300) {
                let vector = vector(next as usize, params().dim);
                index.push(&vector, next, 0).unwrap();
                next += 1;
            }
            if random.below(3) > 0 || secured.is_empty() {
                let end = index.secure().unwrap();
                assert_eq!(end, u64::from(next));
                let rows = |doc| index.rows_of(doc, &stored_bytes(doc)).unwrap();
                secured = (0..next).map(rows).collect();
            }
            if random.below(3) == 0 {
                index.save(next).unwrap();
            }
            let left = copy(folder.path(), &disk.left(&mut random));
            // The end of the process that recovers comes at once, too.
            for _ in 0..2 {
                let opening = VectorIndex::begin(params(), left.path()).unwrap();
                let watermark = opening.watermark();
                let rows = secured.iter().filter(|rows| rows.doc >= watermark);
                let rows: Vec<StoredRows> = rows.copied().collect();
                let opened = VectorIndex::finish(opening, &rows, None).unwrap();
                for rows in &secured {
                    let mut bytes = Vec::new();
                    opened.copy_rows(rows, &mut bytes).unwrap();
                    assert_eq!(bytes, stored_bytes(rows.doc), "seed {seed}");
                }
                opened.push(&[1.0; 5], next, 0).unwrap();
            }
        }
    }
}

#[test]
fn rows_that_were_not_secured_may_be_lost_and_that_is_noticed() {
    let folder = tempfile::tempdir().unwrap();
    let disk = LosingDisk::create(&folder.path().join("vectors-0.bin"));
    let index = index_over(&disk, folder.path());
    let push = |doc: u32| {
        index
            .push(&vector(doc as usize, params().dim), doc, 0)
            .unwrap()
    };
    (0..100).for_each(push);
    index.secure().unwrap();
    (100..200).for_each(push);
    let rows = [0, 150].map(|doc| index.rows_of(doc, &stored_bytes(doc)).unwrap());
    let synced = disk.synced.lock().unwrap().clone();
    let left = copy(folder.path(), &synced);
    let open = |rows: &[StoredRows]| {
        let opening = VectorIndex::begin(params(), left.path()).unwrap();
        VectorIndex::finish(opening, rows, None).unwrap().aside()
    };
    assert_eq!(open(&rows), rows[1..]);
    assert_eq!(open(&rows[..1]), []);
}
