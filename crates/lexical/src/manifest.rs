use std::fs;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::analysis::ANALYSIS_VERSION;
use crate::error::{LexicalError, Result};
use crate::segment::SegmentFile;

/// Version of everything in the directory.
const FORMAT_VERSION: u32 = 1;

const MANIFEST: &str = "manifest";
const MANIFEST_TEMPORARY: &str = "manifest.tmp";
const SYNCED: &str = "synced";

/// Which segments make up the index. Written as a line with the CRC-32 of the rest, then JSON,
/// and replaced as a whole, after the segments it names are complete.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Manifest {
    format: u32,
    analysis: u32,
    /// Documents with a smaller ordinal are in the segments, or dead.
    pub(crate) watermark: u32,
    /// Number of the next segment to be made.
    pub(crate) next_segment: u64,
    /// Attribute names by slot.
    pub(crate) fields: Vec<String>,
    /// Oldest documents first.
    pub(crate) segments: Vec<ManifestSegment>,
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
            watermark: 0,
            next_segment: 0,
            fields: Vec::new(),
            segments: Vec::new(),
        }
    }
}

impl Manifest {
    /// The manifest in `dir`; `None` if there is none that this version can read.
    pub(crate) fn read(dir: &Path) -> Option<Manifest> {
        let text = fs::read_to_string(dir.join(MANIFEST)).ok()?;
        let (checksum, body) = text.split_once('\n')?;
        if checksum != checksum_of(body) {
            return None;
        }
        let manifest: Manifest = serde_json::from_str(body).ok()?;
        let known = manifest.format == FORMAT_VERSION && manifest.analysis == ANALYSIS_VERSION;
        known.then_some(manifest)
    }

    /// Replaces the manifest in `dir`.
    pub(crate) fn write(&self, dir: &Path) -> Result<()> {
        let temporary = dir.join(MANIFEST_TEMPORARY);
        fs::write(&temporary, self.to_text()).map_err(LexicalError::io(&temporary))?;
        let path = dir.join(MANIFEST);
        fs::rename(&temporary, &path).map_err(LexicalError::io(path))
    }

    /// Notes that all segments of this manifest are on the disk for good.
    pub(crate) fn write_synced(&self, dir: &Path) -> Result<()> {
        let path = dir.join(SYNCED);
        fs::write(&path, checksum_of(&self.to_body())).map_err(LexicalError::io(path))
    }

    /// Were the segments of this very manifest known to be on the disk? If not, the machine may
    /// have stopped before they were.
    pub(crate) fn is_synced(&self, dir: &Path) -> bool {
        fs::read_to_string(dir.join(SYNCED)).is_ok_and(|sum| sum == checksum_of(&self.to_body()))
    }

    fn to_text(&self) -> String {
        let body = self.to_body();
        format!("{}\n{body}", checksum_of(&body))
    }

    fn to_body(&self) -> String {
        serde_json::to_string(self).expect("a manifest has no map keys that could fail")
    }
}

fn checksum_of(body: &str) -> String {
    format!("{:08x}", crc32fast::hash(body.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_manifest_comes_back_and_a_changed_byte_is_noticed() {
        let dir = tempfile::tempdir().unwrap();
        let manifest = Manifest {
            watermark: 7,
            fields: vec!["ä".into()],
            ..Default::default()
        };
        manifest.write(dir.path()).unwrap();
        assert_eq!(Manifest::read(dir.path()).as_ref(), Some(&manifest));
        assert!(!manifest.is_synced(dir.path()));
        manifest.write_synced(dir.path()).unwrap();
        assert!(manifest.is_synced(dir.path()));

        let path = dir.path().join(MANIFEST);
        let text = fs::read_to_string(&path).unwrap();
        fs::write(&path, text.replace("\"watermark\":7", "\"watermark\":8")).unwrap();
        assert_eq!(Manifest::read(dir.path()), None);
    }

    #[test]
    fn another_format_is_not_read() {
        let dir = tempfile::tempdir().unwrap();
        let manifest = Manifest {
            format: FORMAT_VERSION + 1,
            ..Default::default()
        };
        manifest.write(dir.path()).unwrap();
        assert_eq!(Manifest::read(dir.path()), None);
    }
}
