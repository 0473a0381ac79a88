//! A disk that is full, or that does not keep written bytes.

use std::fs::File;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use memmap2::MmapRaw;

use super::row_file::{self, RowFile};
use super::*;

/// A disk with room for so many bytes, that may also fail to grow a file or to sync it.
struct FullDisk {
    file: File,
    room: AtomicUsize,
    map_fails: AtomicBool,
    sync_fails: AtomicBool,
}

impl RowFile for Arc<FullDisk> {
    fn write_all_at(&self, data: &[u8], offset: u64) -> io::Result<()> {
        let count = data.len().min(self.room.load(Ordering::Relaxed));
        self.room.fetch_sub(count, Ordering::Relaxed);
        RowFile::write_all_at(&self.file, &data[..count], offset)?;
        match count == data.len() {
            true => Ok(()),
            false => Err(io::ErrorKind::StorageFull.into()),
        }
    }

    fn map(&self, bytes: Range<u64>) -> io::Result<MmapRaw> {
        match self.map_fails.load(Ordering::Relaxed) {
            true => Err(io::ErrorKind::StorageFull.into()),
            false => self.file.map(bytes),
        }
    }

    fn sync(&self) -> io::Result<()> {
        match self.sync_fails.load(Ordering::Relaxed) {
            true => Err(io::ErrorKind::StorageFull.into()),
            false => self.file.sync(),
        }
    }

    fn unlock(&self) -> io::Result<()> {
        RowFile::unlock(&self.file)
    }
}

fn on_a_full_disk(place: &Place, room: usize) -> (Arc<FullDisk>, FullVectors) {
    let disk = Arc::new(FullDisk {
        file: row_file::create(&place.path).unwrap(),
        room: AtomicUsize::new(room),
        map_fails: AtomicBool::new(false),
        sync_fails: AtomicBool::new(false),
    });
    let rows = ByteRows::in_file(Box::new(disk.clone()), stride(3, NumericType::Float));
    (disk, FullVectors::over(3, NumericType::Float, rows))
}

#[test]
fn a_full_disk_is_an_error_that_appends_nothing_and_can_be_got_over() {
    let place = place();
    let (disk, vectors) = on_a_full_disk(&place, 1030 * 12 + 5);
    let mut model: Vec<_> = (0..1030).map(|node| vector(node, 3)).collect();
    for (node, vector) in model.iter().enumerate() {
        assert_eq!(vectors.append(vector).unwrap(), node);
    }
    let before = vectors.checksums(1030);
    for _ in 0..2 {
        let error = vectors.append(&[9.0; 3]).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::StorageFull);
        assert_eq!(
            (vectors.len(), vectors.checksums(1030)),
            (1030, before.clone())
        );
    }
    disk.room.store(usize::MAX, Ordering::Relaxed);
    for node in 1030..3000 {
        assert_eq!(vectors.append(&vector(node, 3)).unwrap(), node);
        model.push(vector(node, 3));
    }
    assert_holds(&vectors, &model);
    let sums = vectors.checksums(3000);
    drop((disk, vectors));
    let vectors =
        FullVectors::open(&place.path, 3, NumericType::Float, 3000, &sums, |_, _| {}).unwrap();
    assert_holds(&vectors, &model);
}

#[test]
fn a_file_that_cannot_grow_is_an_error_and_grows_later() {
    let place = place();
    let (disk, vectors) = on_a_full_disk(&place, usize::MAX);
    let mut model = Vec::new();
    for node in 0..3 * RUN_ROWS {
        let vector = vector(node, 3);
        // The first run is made alone, and then many at a time.
        if node == 0 || node == RUN_ROWS {
            disk.map_fails.store(true, Ordering::Relaxed);
            for _ in 0..2 {
                let error = vectors.append(&vector).unwrap_err();
                assert_eq!(error.kind(), io::ErrorKind::StorageFull);
                assert_holds(&vectors, &model);
            }
            disk.map_fails.store(false, Ordering::Relaxed);
        }
        assert_eq!(vectors.append(&vector).unwrap(), node);
        model.push(vector);
    }
    assert_holds(&vectors, &model);
    let sums = vectors.checksums(model.len());
    drop((disk, vectors));
    let open = FullVectors::open(
        &place.path,
        3,
        NumericType::Float,
        model.len(),
        &sums,
        |_, _| {},
    );
    assert_holds(&open.unwrap(), &model);
}

#[test]
fn after_a_failed_sync_none_succeeds_and_all_can_be_copied() {
    let place = place();
    let (disk, vectors) = on_a_full_disk(&place, usize::MAX);
    for node in 0..1500 {
        vectors.append(&vector(node, 3)).unwrap();
    }
    vectors.sync().unwrap();
    assert!(vectors.has_sound_file());
    disk.sync_fails.store(true, Ordering::Relaxed);
    vectors.sync().unwrap_err();
    disk.sync_fails.store(false, Ordering::Relaxed);
    vectors.sync().unwrap_err();
    assert!(!vectors.has_sound_file());
    let mut copy = Vec::new();
    vectors.copy_to(1400, &mut copy).unwrap();
    assert_eq!(copy, fs::read(&place.path).unwrap()[..1400 * 12]);
}

#[test]
fn vectors_that_the_disk_lost_are_not_copied() {
    let place = place();
    let (disk, vectors) = on_a_full_disk(&place, usize::MAX);
    for node in 0..3000 {
        vectors.append(&vector(node, 3)).unwrap();
    }
    vectors.verify(3000).unwrap();
    // As when the system has dropped a page that it could not write.
    RowFile::write_all_at(&disk.file, &[0; 4096], 12 * 1024).unwrap();
    for len in [3000, 2048] {
        let error = vectors.verify(len).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::InvalidData);
        let error = vectors.copy_to(len, &mut io::sink()).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::InvalidData);
    }
    vectors.copy_to(1024, &mut io::sink()).unwrap();
}
