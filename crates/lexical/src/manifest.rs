use std::path::Path;

use pelorus_files::{Durability, ManifestError, read_manifest, write_manifest};
use serde::{Deserialize, Serialize};

use crate::analysis::{ANALYSIS_VERSION, Analysis};
use crate::error::{LexicalError, Result};
use crate::field_table::{FieldTable, Slot};
use crate::segment::SegmentFile;

/// Version of everything in the directory.
const FORMAT_VERSION: u32 = 4;

const MANIFEST: &str = "manifest";

/// The segments that make up the index. Replaced as a whole, after the segments it names are
/// complete.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Manifest {
    format: u32,
    analysis: u32,
    /// The version of the dictionaries by which texts were cut into words, where they were.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) dictionary: Option<u32>,
    /// Documents with a smaller ordinal are in the segments, or dead.
    pub(crate) watermark: u32,
    /// Number of the next segment to be made.
    pub(crate) next_segment: u64,
    /// Fields by slot.
    pub(crate) fields: Vec<ManifestField>,
    /// Oldest documents first.
    pub(crate) segments: Vec<ManifestSegment>,
}

/// A text field, and how texts of it were analysed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct ManifestField {
    name: String,
    analyses: Vec<Analysis>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct ManifestSegment {
    pub(crate) name: String,
    pub(crate) files: Vec<SegmentFile>,
}

impl Default for Manifest {
    fn default() -> Manifest {
        Manifest {
            format: FORMAT_VERSION,
            analysis: ANALYSIS_VERSION,
            dictionary: None,
            watermark: 0,
            next_segment: 0,
            fields: Vec::new(),
            segments: Vec::new(),
        }
    }
}

impl Manifest {
    /// The manifest in `dir`, if there is one.
    ///
    /// # Errors
    /// [`LexicalError::Damaged`] when it is not as this version wrote it, or the errors of reading
    /// it.
    pub(crate) fn read(dir: &Path) -> Result<Option<Manifest>> {
        let path = dir.join(MANIFEST);
        let text = match read_manifest(&path) {
            Ok(None) => return Ok(None),
            Ok(Some(text)) => text,
            Err(ManifestError::Io(error)) => return Err(LexicalError::io(path)(error)),
            Err(error) => return Err(LexicalError::damaged(path, error.to_string())),
        };
        // Other versions may write other members.
        let manifest = serde_json::from_slice(&text)
            .ok()
            .filter(|read: &Manifest| {
                read.format == FORMAT_VERSION && read.analysis == ANALYSIS_VERSION
            });
        match manifest {
            Some(manifest) => Ok(Some(manifest)),
            None => Err(LexicalError::damaged(path, "written by another version")),
        }
    }

    /// Replaces the manifest in `dir`, as a whole or not at all.
    ///
    /// # Errors
    /// Errors of writing it; the manifest before is still there then.
    pub(crate) fn write(&self, dir: &Path) -> Result<()> {
        let path = dir.join(MANIFEST);
        let text = serde_json::to_string(self).expect("a manifest has no map keys that could fail");
        write_manifest(&path, &text, Durability::None).map_err(LexicalError::io(path))
    }
}

/// Compares every byte of the index in `dir` with the written ones, and changes nothing; false where there is no index.
///
/// # Errors
/// [`LexicalError::Damaged`] for a file that differs, or the errors of reading one.
pub fn verify(dir: &Path) -> Result<bool> {
    let Some(manifest) = Manifest::read(dir)? else {
        return Ok(false);
    };
    let mut segments = manifest.segments.iter();
    segments.try_for_each(|segment| segment.verify(dir))?;
    Ok(true)
}

impl ManifestField {
    /// The fields of a table, by slot.
    pub(crate) fn of_table(table: &FieldTable) -> Vec<ManifestField> {
        let field = |(slot, name): (usize, &String)| ManifestField {
            name: name.clone(),
            analyses: table.analyses(slot as Slot).iter().collect(),
        };
        table.names().iter().enumerate().map(field).collect()
    }

    pub(crate) fn table(fields: &[ManifestField]) -> FieldTable {
        let field =
            |field: &ManifestField| (field.name.clone(), field.analyses.iter().copied().collect());
        FieldTable::new(fields.iter().map(field))
    }
}

impl ManifestSegment {
    /// Compares every byte of the segment, whose directory is in `dir`, with the written ones.
    ///
    /// # Errors
    /// [`LexicalError::Damaged`] for a file that differs, or what reading one ran into.
    pub(crate) fn verify(&self, dir: &Path) -> Result<()> {
        let dir = dir.join(&self.name);
        self.files.iter().try_for_each(|file| file.verify(&dir))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_manifest_keeps_its_bytes() {
        let dir = tempfile::tempdir().unwrap();
        assert_eq!(Manifest::read(dir.path()).unwrap(), None);
        let manifest = Manifest {
            watermark: 7,
            fields: vec![ManifestField {
                name: "ä".into(),
                analyses: vec![Analysis::default()],
            }],
            ..Default::default()
        };
        manifest.write(dir.path()).unwrap();
        let written = std::fs::read_to_string(dir.path().join(MANIFEST)).unwrap();
        assert_eq!(
            written,
            "313e0a20\n{\"format\":4,\"analysis\":4,\"watermark\":7,\"next_segment\":0,\"fields\":[{\"name\":\"ä\",\"analyses\":[{\"language\":\"en\",\"stemming\":\"best\"}]}],\"segments\":[]}"
        );
        assert_eq!(Manifest::read(dir.path()).unwrap(), Some(manifest));
    }

    #[test]
    fn a_manifest_of_texts_cut_into_words_names_the_dictionaries() {
        let dir = tempfile::tempdir().unwrap();
        let manifest = Manifest {
            dictionary: Some(1),
            ..Default::default()
        };
        manifest.write(dir.path()).unwrap();
        let written = std::fs::read_to_string(dir.path().join(MANIFEST)).unwrap();
        assert!(written.contains(r#","dictionary":1,"#), "{written}");
        assert_eq!(Manifest::read(dir.path()).unwrap(), Some(manifest));
    }

    #[test]
    fn another_format_is_not_read() {
        let dir = tempfile::tempdir().unwrap();
        let manifest = Manifest {
            format: FORMAT_VERSION + 1,
            ..Default::default()
        };
        manifest.write(dir.path()).unwrap();
        let error = Manifest::read(dir.path()).unwrap_err().to_string();
        assert!(error.ends_with("written by another version"), "{error}");
    }
}
