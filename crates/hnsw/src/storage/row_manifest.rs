//! The record of the file with rows that are kept nowhere else, of the numbers by which they are known, and of those
//! that are damaged: a small file beside it and its copy, each replaced as a whole. A folder without one has only files
//! that can be made anew.

use std::fs;
use std::io;
use std::path::Path;

use pelorus_files::{Durability, ManifestError, read_manifest, write_manifest};

use crate::storage::opening::{RowsError, StoredRows};
use crate::storage::row_numbers::RowNumbers;

/// Written twice, so that damage to one of the two costs nothing.
const COPIES: [&str; 2] = ["rows", "rows.copy"];

/// The file of full vectors that counts, the numbers of its rows, and which of them are damaged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RowManifest {
    /// The number of the file.
    pub file: usize,
    pub numbers: RowNumbers,
    /// Rows that are referred to and whose bytes are not those written. A snapshot leaves them out.
    pub aside: Vec<StoredRows>,
}

/// The content of the two copies in a folder.
pub(crate) struct FoundManifests {
    /// The manifest, and another one where the copies differ: the first was written later.
    pub manifests: Vec<RowManifest>,
    /// Tells whether both copies are there and say the same.
    pub is_whole: bool,
}

impl RowManifest {
    /// The manifests in a folder.
    ///
    /// # Errors
    /// [`RowsError::NoManifest`] where there is none, [`RowsError::Manifest`] where none is as it was written, and the
    /// errors of reading them.
    pub fn read(folder: &Path) -> Result<FoundManifests, RowsError> {
        let copies = COPIES.map(|name| Self::read_copy(&folder.join(name)));
        let is_whole = matches!(&copies, [Ok(first), Ok(second)] if first == second);
        let (mut manifests, mut most_telling) = (Vec::new(), RowsError::NoManifest);
        for copy in copies {
            match copy {
                Ok(manifest) if manifests.contains(&manifest) => {}
                Ok(manifest) => manifests.push(manifest),
                // It says most when it may pass, and least when a copy is merely gone.
                Err(error) if !error.is_damage() => most_telling = error,
                Err(error) if matches!(most_telling, RowsError::NoManifest) => most_telling = error,
                Err(_) => {}
            }
        }
        match manifests.is_empty() {
            true => Err(most_telling),
            false => Ok(FoundManifests {
                manifests,
                is_whole,
            }),
        }
    }

    fn read_copy(path: &Path) -> Result<Self, RowsError> {
        let text = match read_manifest(path) {
            Ok(Some(text)) => text,
            Ok(None) => return Err(RowsError::NoManifest),
            Err(ManifestError::Io(error)) => return Err(RowsError::of_io(error)),
            Err(error) => return Err(RowsError::Manifest(error.to_string())),
        };
        let unreadable = || RowsError::Manifest("it is no list of rows".to_owned());
        Self::parse(&text).ok_or_else(unreadable)
    }

    /// Deletes the manifest in a folder: its rows are of no use any more.
    pub fn delete(folder: &Path) -> io::Result<()> {
        for name in COPIES {
            match fs::remove_file(folder.join(name)) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
        }
        Ok(())
    }

    /// Replaces the manifest in a folder; durable when this returns, with all names in the folder.
    ///
    /// # Errors
    /// The error that the system ran into. Either of the two may be there after power loss, or both.
    pub fn write(&self, folder: &Path) -> io::Result<()> {
        let mut text = format!("{}\n{}", self.file, self.numbers.to_text());
        for (place, rows) in self.aside.iter().enumerate() {
            text.push(if place == 0 { '\n' } else { ' ' });
            let StoredRows {
                doc,
                first,
                count,
                checksum,
            } = rows;
            text += &format!("{doc},{first},{count},{checksum}");
        }
        COPIES
            .iter()
            .try_for_each(|name| write_manifest(&folder.join(name), &text, Durability::Synced))
    }

    fn parse(text: &[u8]) -> Option<Self> {
        let mut lines = std::str::from_utf8(text).ok()?.split('\n');
        let (file, numbers) = (lines.next()?, lines.next()?);
        let aside = lines.next().into_iter().flat_map(|line| line.split(' '));
        let manifest = Self {
            file: file.parse().ok()?,
            numbers: RowNumbers::from_text(numbers)?,
            aside: aside.map(parse_rows).collect::<Option<_>>()?,
        };
        lines.next().is_none().then_some(manifest)
    }
}

fn parse_rows(text: &str) -> Option<StoredRows> {
    let mut parts = text.split(',');
    let mut part = || parts.next()?.parse::<u64>().ok();
    let (doc, first, count, checksum) = (part()?, part()?, part()?, part()?);
    let rows = StoredRows {
        doc: doc.try_into().ok()?,
        first,
        count: count.try_into().ok()?,
        checksum: checksum.try_into().ok()?,
    };
    parts.next().is_none().then_some(rows)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]
mod tests {
    use super::*;

    fn manifest(file: usize) -> RowManifest {
        RowManifest {
            file,
            numbers: RowNumbers::listing([0, 1, 7, 8, 9], 20),
            aside: Vec::new(),
        }
    }

    fn read(folder: &Path) -> (Vec<RowManifest>, bool) {
        let found = RowManifest::read(folder).unwrap();
        (found.manifests, found.is_whole)
    }

    #[test]
    fn the_manifest_keeps_its_bytes() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        assert!(matches!(
            RowManifest::read(folder),
            Err(RowsError::NoManifest)
        ));
        let mut manifest = manifest(3);
        manifest.write(folder).unwrap();
        let text = |name: &str| std::fs::read_to_string(folder.join(name)).unwrap();
        assert_eq!(text("rows").split_once('\n').unwrap().1, "3\n20 0,2 5,3");
        assert_eq!(text("rows"), text("rows.copy"));
        assert_eq!(read(folder), (vec![manifest.clone()], true));

        let rows = |doc, first| StoredRows {
            doc,
            first,
            count: 2,
            checksum: u32::MAX,
        };
        manifest.aside = vec![rows(5, 0), rows(9, 8)];
        manifest.write(folder).unwrap();
        assert_eq!(
            text("rows").split_once('\n').unwrap().1,
            "3\n20 0,2 5,3\n5,0,2,4294967295 9,8,2,4294967295"
        );
        assert_eq!(read(folder), (vec![manifest], true));
    }

    #[test]
    fn one_copy_is_as_good_as_two() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        let good = manifest(3);
        for name in COPIES {
            for damage in [None, Some("20"), Some("")] {
                good.write(folder).unwrap();
                match damage {
                    None => std::fs::remove_file(folder.join(name)).unwrap(),
                    Some(text) => std::fs::write(folder.join(name), text).unwrap(),
                }
                assert_eq!(read(folder), (vec![good.clone()], false), "{name}");
            }
        }
        for name in COPIES {
            std::fs::write(folder.join(name), "20").unwrap();
        }
        let error = RowManifest::read(folder).err().unwrap();
        assert!(matches!(error, RowsError::Manifest(_)), "{error}");
        RowManifest::delete(folder).unwrap();
        assert_eq!(std::fs::read_dir(folder).unwrap().count(), 0);
    }

    #[test]
    fn copies_that_differ_are_both_told_the_later_one_first() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        manifest(4).write(folder).unwrap();
        let later = std::fs::read(folder.join("rows")).unwrap();
        manifest(3).write(folder).unwrap();
        std::fs::write(folder.join("rows"), later).unwrap();
        assert_eq!(read(folder), (vec![manifest(4), manifest(3)], false));
    }

    #[test]
    fn a_list_that_cannot_be_is_refused() {
        for text in [
            "",
            "3",
            "3\n20 0,2\n",
            "3\n20 0,2\n1,2,3",
            "3\n20 0,2\n1,2,3,4,5",
            "3\n20\n1,2,3,4\n",
            "3\n20\n-1,2,3,4",
        ] {
            assert_eq!(RowManifest::parse(text.as_bytes()), None, "{text:?}");
        }
    }
}
