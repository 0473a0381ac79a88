//! The places of each page and its checksum in the file, and the checksums in memory.
//!
//! ```text
//! page     0        1        2 .. 1025          1026     1027 .. 2050        ...
//!          header   sums 0   data 0 .. 1023     sums 1   data 1024 .. 2047
//! ```
//!
//! A sums page holds one crc32 for each of the 1,024 data pages behind it. It is rewritten in
//! place, which a crash may tear; that is sound because the tree above never overwrites a page
//! that the last commit refers to. The sums of those pages are the same before and after the
//! write, so a torn sums page differs from a whole one only in sums of pages nobody will read.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::io;

use crate::disk::Disk;

pub(crate) const PAGE: u64 = 4096;
const GROUP: u64 = PAGE / 4;

/// Offset in the file of data page `page`.
pub(crate) fn data_offset(page: u64) -> u64 {
    (2 + page + page / GROUP) * PAGE
}

/// Length of the file that holds `pages` data pages.
pub(crate) fn file_len(pages: u64) -> u64 {
    (1 + pages + pages.div_ceil(GROUP)) * PAGE
}

/// Number of data pages in a file of `len` bytes; `None` when no file has that length.
pub(crate) fn page_count(len: u64) -> Option<u64> {
    let behind_header = (len / PAGE).checked_sub(1)?;
    let pages = behind_header - behind_header.div_ceil(GROUP + 1);
    (file_len(pages) == len).then_some(pages)
}

/// The checksum stored for a page: crc32 started at zero, without the final inversion. A page of
/// zeros has sum 0, so that a file that was only lengthened is whole.
pub(crate) fn sum_of(bytes: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new_with_initial(u32::MAX);
    hasher.update(bytes);
    !hasher.finalize()
}

/// Splits `count` data pages from `first` on into runs that lie side by side in the file:
/// pairs of first page and number of pages.
pub(crate) fn runs(first: u64, count: u64) -> impl Iterator<Item = (u64, u64)> {
    let end = first + count;
    let mut next = first;
    std::iter::from_fn(move || {
        let start = next;
        next = end.min((start / GROUP + 1) * GROUP);
        (start < end).then_some((start, next - start))
    })
}

/// The sums pages read or changed so far.
#[derive(Debug, Default)]
pub(crate) struct PageSums {
    groups: BTreeMap<u64, Box<[u8]>>,
    dirty: BTreeSet<u64>,
}

impl PageSums {
    /// The sum of data page `page`, if its sums page is in memory.
    pub(crate) fn cached(&self, page: u64) -> Option<u32> {
        let at = (page % GROUP * 4) as usize;
        let bytes = self.groups.get(&(page / GROUP))?.get(at..at + 4)?;
        Some(u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))
    }

    /// Brings the sums page of `page` into memory.
    pub(crate) fn load(&mut self, disk: &impl Disk, page: u64) -> io::Result<()> {
        let group = page / GROUP;
        if let Entry::Vacant(place) = self.groups.entry(group) {
            let mut bytes = vec![0; PAGE as usize].into_boxed_slice();
            disk.read_exact_at(&mut bytes, sums_offset(group))?;
            place.insert(bytes);
        }
        Ok(())
    }

    /// Notes the sum of a page whose sums page is in memory.
    pub(crate) fn set(&mut self, page: u64, sum: u32) {
        let group = page / GROUP;
        let at = (page % GROUP * 4) as usize;
        if let Some(bytes) = self.groups.get_mut(&group) {
            bytes[at..at + 4].copy_from_slice(&sum.to_le_bytes());
            self.dirty.insert(group);
        }
    }

    /// Forgets the sums of data pages from `pages` on: they leave the file.
    pub(crate) fn truncate(&mut self, pages: u64) {
        let groups = pages.div_ceil(GROUP);
        self.groups.split_off(&groups);
        self.dirty.split_off(&groups);
        if !pages.is_multiple_of(GROUP)
            && let Some(bytes) = self.groups.get_mut(&(pages / GROUP))
        {
            bytes[(pages % GROUP * 4) as usize..].fill(0);
            self.dirty.insert(pages / GROUP);
        }
    }

    /// Writes the changed sums pages; the caller makes them durable.
    pub(crate) fn flush(&mut self, disk: &impl Disk) -> io::Result<()> {
        while let Some(&group) = self.dirty.first() {
            disk.write_all_at(&self.groups[&group], sums_offset(group))?;
            self.dirty.remove(&group);
        }
        Ok(())
    }
}

fn sums_offset(group: u64) -> u64 {
    (1 + group * (GROUP + 1)) * PAGE
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_and_sums_pages_never_share_a_place() {
        let mut taken = BTreeSet::from([0]);
        for group in 0..3 {
            assert!(taken.insert(sums_offset(group)));
        }
        for page in 0..3 * GROUP {
            assert!(taken.insert(data_offset(page)), "page {page}");
        }
        assert_eq!(taken.last(), Some(&(file_len(3 * GROUP) - PAGE)));
    }

    #[test]
    fn the_page_count_is_read_back_from_the_length() {
        for pages in (0..3000).chain([GROUP * GROUP, GROUP * GROUP + 1]) {
            assert_eq!(page_count(file_len(pages)), Some(pages));
        }
        assert_eq!(page_count(file_len(5) + 1), None);
        assert_eq!(page_count(2 * PAGE), None, "a sums page without data");
        assert_eq!(page_count(0), None);
    }

    #[test]
    fn runs_cover_every_page_once_and_stop_at_sums_pages() {
        let all: Vec<_> = runs(1000, 1100).collect();
        assert_eq!(all, [(1000, 24), (1024, 1024), (2048, 52)]);
        for (start, count) in all {
            let span = data_offset(start + count - 1) - data_offset(start);
            assert_eq!(span, (count - 1) * PAGE);
        }
        assert_eq!(runs(5, 0).count(), 0);
    }

    #[test]
    fn zeros_have_sum_zero_and_nothing_close_to_them_has() {
        let mut page = vec![0; PAGE as usize];
        assert_eq!(sum_of(&page), 0);
        page[4000] = 1;
        assert_ne!(sum_of(&page), 0);
    }
}
