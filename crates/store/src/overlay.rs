//! Changes to a disk that are kept in memory: the disk is read, never written.

use std::collections::BTreeMap;
use std::io;

use crate::disk::Disk;
use crate::page_sums::PAGE;

/// The bytes that reads see in place of the disk's own. Lengths are whole numbers of pages.
#[derive(Debug)]
pub(crate) struct Overlay {
    len: u64,
    /// The disk's bytes from here on are not seen: they were cut off, or never there.
    disk_len: u64,
    /// Pages that were written, by number.
    pages: BTreeMap<u64, Box<[u8]>>,
}

impl Overlay {
    /// Shows a disk of `len` bytes as it is.
    pub(crate) fn new(len: u64) -> Self {
        Overlay {
            len,
            disk_len: len,
            pages: BTreeMap::new(),
        }
    }

    pub(crate) fn len(&self) -> u64 {
        self.len
    }

    /// Added bytes read as zeros.
    pub(crate) fn set_len(&mut self, len: u64) {
        self.pages.split_off(&len.div_ceil(PAGE));
        self.disk_len = self.disk_len.min(len);
        self.len = len;
    }

    pub(crate) fn read(&self, disk: &dyn Disk, out: &mut [u8], offset: u64) -> io::Result<()> {
        let end = offset + out.len() as u64;
        if end > self.len {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let from_disk = (self.disk_len.clamp(offset, end) - offset) as usize;
        let (seen, new) = out.split_at_mut(from_disk);
        if !seen.is_empty() {
            disk.read_exact_at(seen, offset)?;
        }
        new.fill(0);
        for (&page, bytes) in self.pages.range(offset / PAGE..end.div_ceil(PAGE)) {
            let start = (page * PAGE).max(offset);
            let stop = (page * PAGE + PAGE).min(end);
            out[(start - offset) as usize..(stop - offset) as usize]
                .copy_from_slice(&bytes[(start % PAGE) as usize..][..(stop - start) as usize]);
        }
        Ok(())
    }

    /// # Errors
    /// Those of reading the rest of a page of which only a part is written.
    pub(crate) fn write(&mut self, disk: &dyn Disk, data: &[u8], offset: u64) -> io::Result<()> {
        let end = offset + data.len() as u64;
        if end > self.len {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        for page in offset / PAGE..end.div_ceil(PAGE) {
            let start = (page * PAGE).max(offset);
            let stop = (page * PAGE + PAGE).min(end);
            if !self.pages.contains_key(&page) {
                let mut bytes = vec![0; PAGE as usize].into_boxed_slice();
                if stop - start < PAGE {
                    self.read(disk, &mut bytes, page * PAGE)?;
                }
                self.pages.insert(page, bytes);
            }
            if let Some(bytes) = self.pages.get_mut(&page) {
                bytes[(start % PAGE) as usize..][..(stop - start) as usize]
                    .copy_from_slice(&data[(start - offset) as usize..(stop - offset) as usize]);
            }
        }
        Ok(())
    }

    /// Tells whether the length changed, or another page than the one at `offset`.
    pub(crate) fn changes_more_than(&self, disk: &dyn Disk, offset: u64) -> io::Result<bool> {
        let mut pages = self.pages.keys();
        let resized = self.len != self.disk_len || self.len != disk.len()?;
        Ok(resized || pages.any(|page| page * PAGE != offset))
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        self.pages.len() * PAGE as usize
    }

    /// Gives the memory of everything written back. The pages that it covered must not be read
    /// again.
    pub(crate) fn forget(&mut self) {
        self.pages.clear();
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const PAGES_MAX: u64 = 6;

    #[derive(Debug, Clone)]
    enum Step {
        Write { offset: u64, len: usize, byte: u8 },
        SetLen(u64),
    }

    fn step() -> impl Strategy<Value = Step> {
        prop_oneof![
            4 => (0..PAGES_MAX * 8, 1..24_usize, 1..=u8::MAX).prop_map(|(at, sectors, byte)| {
                Step::Write { offset: at * 512, len: sectors * 512, byte }
            }),
            1 => (0..=PAGES_MAX).prop_map(|pages| Step::SetLen(pages * PAGE)),
        ]
    }

    proptest! {
        #[test]
        fn an_overlay_reads_as_the_file_would_and_leaves_it_alone(
            steps in prop::collection::vec(step(), 1..20),
        ) {
            let mut expected: Vec<u8> = (0..4 * PAGE).map(|i| (i / 256) as u8).collect();
            let file = tempfile::tempfile().unwrap();
            file.write_all_at(&expected, 0).unwrap();
            let on_disk = expected.clone();

            let mut overlay = Overlay::new(expected.len() as u64);
            for step in steps {
                match step {
                    Step::SetLen(len) => {
                        overlay.set_len(len);
                        expected.resize(len as usize, 0);
                    }
                    Step::Write { offset, len, byte } => {
                        let written = overlay.write(&file, &vec![byte; len], offset);
                        let place = expected.get_mut(offset as usize..offset as usize + len);
                        prop_assert_eq!(written.is_ok(), place.is_some());
                        place.into_iter().for_each(|place| place.fill(byte));
                    }
                }
                prop_assert_eq!(overlay.len(), expected.len() as u64);
                let mut all = vec![99; expected.len()];
                overlay.read(&file, &mut all, 0).unwrap();
                prop_assert!(all == expected);
                for offset in (0..expected.len().saturating_sub(1000)).step_by(777) {
                    let mut some = [99; 1000];
                    overlay.read(&file, &mut some, offset as u64).unwrap();
                    prop_assert!(some == expected[offset..offset + 1000]);
                }
                prop_assert!(overlay.read(&file, &mut [0], expected.len() as u64).is_err());
            }
            let mut untouched = vec![0; on_disk.len()];
            file.read_exact_at(&mut untouched, 0).unwrap();
            prop_assert!(untouched == on_disk && file.metadata().unwrap().len() == on_disk.len() as u64);
        }
    }
}
