//! The file under the tree: pages with checksums, checked on every read.
//!
//! The tree believes the pages it reads, so a flipped bit in a branch could make it answer "no
//! such key" for a key that exists. Here no page reaches it whose checksum does not hold.
//!
//! Two kinds of page, told apart by how the tree writes them:
//! - Page 0 is the tree's own header, rewritten in place on each commit. Its bytes and their
//!   checksum share one 512-byte sector and are written in one call, so that a crash leaves
//!   the old pair or the new pair.
//! - All others are written before a commit refers to them and not again while it does. Their
//!   checksums are in the pages described in [`page_sums`](crate::page_sums).

use std::fmt;
use std::io;
use std::sync::Arc;

use parking_lot::RwLock;
use redb::StorageBackend;

use crate::disk::Disk;
use crate::page_sums::{PAGE, PageSums, data_offset, file_len, page_count, runs, sum_of};
use crate::session::Session;

/// Bytes of page 0 that the tree may use; the checksum takes the rest of the sector.
const HEADER_SECTOR: usize = 512;
const HEADER_ROOM: usize = HEADER_SECTOR - 4;

/// A page whose checksum does not hold. Travels as the inner error of an [`io::Error`].
#[derive(Debug, Clone)]
pub(crate) struct PageDamage {
    offset: u64,
    expected: u32,
    received: u32,
}

impl PageDamage {
    pub(crate) fn place(&self) -> String {
        format!("page at byte {}", self.offset)
    }

    pub(crate) fn reason(&self) -> String {
        let (expected, received) = (self.expected, self.received);
        format!("checksum {expected:08x} expected, {received:08x} found")
    }
}

impl fmt::Display for PageDamage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place(), self.reason())
    }
}

impl std::error::Error for PageDamage {}

/// A session's disk seen through its checksums.
#[derive(Debug)]
pub(crate) struct ChecksummedFile {
    disk: Arc<Session>,
    sums: RwLock<PageSums>,
}

impl ChecksummedFile {
    /// Takes a disk whose header was checked, or one that is empty but for its header.
    pub(crate) fn new(disk: Arc<Session>) -> Self {
        ChecksummedFile {
            disk,
            sums: RwLock::default(),
        }
    }

    fn verify(&self, bytes: &[u8], expected: u32, offset: u64) -> io::Result<()> {
        let received = sum_of(bytes);
        if received == expected {
            return Ok(());
        }
        let damage = PageDamage {
            offset,
            expected,
            received,
        };
        self.disk.note_damage(damage.clone());
        Err(io::Error::new(io::ErrorKind::InvalidData, damage))
    }

    fn sum(&self, page: u64) -> io::Result<u32> {
        if let Some(sum) = self.sums.read().cached(page) {
            return Ok(sum);
        }
        let mut sums = self.sums.write();
        sums.load(&*self.disk, page)?;
        sums.cached(page).ok_or_else(|| misplaced(page * PAGE))
    }

    fn read_header(&self) -> io::Result<[u8; HEADER_SECTOR]> {
        let mut sector = [0; HEADER_SECTOR];
        self.disk.read_exact_at(&mut sector, data_offset(0))?;
        let (bytes, sum) = sector.split_at(HEADER_ROOM);
        let sum = u32::from_le_bytes([sum[0], sum[1], sum[2], sum[3]]);
        self.verify(bytes, sum, data_offset(0))?;
        Ok(sector)
    }

    fn write_header(&self, range: std::ops::Range<usize>, data: &[u8]) -> io::Result<()> {
        let mut sector = self.read_header()?;
        sector[range].copy_from_slice(data);
        let sum = sum_of(&sector[..HEADER_ROOM]);
        sector[HEADER_ROOM..].copy_from_slice(&sum.to_le_bytes());
        self.disk.write_all_at(&sector, data_offset(0))
    }
}

/// The part of the file that a call which starts at `offset` and spans `len` bytes touches.
enum Span {
    Header(std::ops::Range<usize>),
    Pages(u64),
}

fn span(offset: u64, len: usize) -> io::Result<Span> {
    let end = offset.saturating_add(len as u64);
    if end <= HEADER_ROOM as u64 {
        return Ok(Span::Header(offset as usize..end as usize));
    }
    let aligned = offset.is_multiple_of(PAGE) && end.is_multiple_of(PAGE);
    if offset < PAGE || !aligned {
        return Err(misplaced(offset));
    }
    Ok(Span::Pages(offset / PAGE))
}

fn misplaced(offset: u64) -> io::Error {
    let message = format!("the tree reads and writes whole pages, not at byte {offset}");
    io::Error::new(io::ErrorKind::InvalidInput, message)
}

impl StorageBackend for ChecksummedFile {
    fn len(&self) -> io::Result<u64> {
        let len = self.disk.len()?;
        let pages = page_count(len).ok_or_else(|| {
            io::Error::new(
                io::ErrorKind::InvalidData,
                format!("{len} bytes are no whole number of pages"),
            )
        })?;
        Ok(pages * PAGE)
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        match span(offset, out.len())? {
            Span::Header(range) => out.copy_from_slice(&self.read_header()?[range]),
            Span::Pages(first) => {
                let mut rest = &mut *out;
                for (start, count) in runs(first, rest.len() as u64 / PAGE) {
                    let (run, behind) = rest.split_at_mut((count * PAGE) as usize);
                    self.disk.read_exact_at(run, data_offset(start))?;
                    rest = behind;
                }
                for (page, bytes) in (first..).zip(out.chunks_exact(PAGE as usize)) {
                    self.verify(bytes, self.sum(page)?, data_offset(page))?;
                }
            }
        }
        Ok(())
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        if !len.is_multiple_of(PAGE) {
            return Err(misplaced(len));
        }
        let mut sums = self.sums.write();
        if len < self.len()? && !len.is_multiple_of(PAGE * PAGE / 4) {
            // The sums page that now ends early must be in memory for its tail to be cleared.
            sums.load(&*self.disk, len / PAGE)?;
        }
        sums.truncate(len / PAGE);
        self.disk.set_len(file_len(len / PAGE))
    }

    fn sync_data(&self) -> io::Result<()> {
        self.sums.write().flush(&*self.disk)?;
        self.disk.sync()
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        match span(offset, data.len())? {
            Span::Header(range) => self.write_header(range, data),
            Span::Pages(first) => {
                let mut sums = self.sums.write();
                for (page, bytes) in (first..).zip(data.chunks_exact(PAGE as usize)) {
                    sums.load(&*self.disk, page)?;
                    sums.set(page, sum_of(bytes));
                }
                drop(sums);
                let mut rest = data;
                for (start, count) in runs(first, data.len() as u64 / PAGE) {
                    let (run, behind) = rest.split_at((count * PAGE) as usize);
                    self.disk.write_all_at(run, data_offset(start))?;
                    rest = behind;
                }
                Ok(())
            }
        }
    }

    fn close(&self) -> io::Result<()> {
        self.disk.unlock()
    }
}
