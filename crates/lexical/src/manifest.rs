use std::fs;
use std::io;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::analysis::ANALYSIS_VERSION;
use crate::error::{LexicalError, Result};
use crate::segment::SegmentFile;

/// Version of everything in the directory.
const FORMAT_VERSION: u32 = 2;

const MANIFEST: &str = "manifest";
const MANIFEST_TEMPORARY: &str = "manifest.tmp";

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
    /// The manifest in `dir`, if there is one.
    ///
    /// # Errors
    /// [`LexicalError::Damaged`] when it is not what this version wrote, or what reading it ran
    /// into.
    pub(crate) fn read(dir: &Path) -> Result<Option<Manifest>> {
        let path = dir.join(MANIFEST);
        let bytes = match fs::read(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            read => read.map_err(LexicalError::io(&path))?,
        };
        let line_end = bytes.iter().position(|&byte| byte == b'\n');
        let (checksum, body) = bytes.split_at(line_end.unwrap_or(bytes.len()));
        let body = body.get(1..).unwrap_or_default();
        if checksum != checksum_of(body).as_bytes() {
            return Err(LexicalError::damaged(path, "checksum mismatch"));
        }
        // Other versions may write other members.
        let manifest = serde_json::from_slice(body).ok().filter(|read: &Manifest| {
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
    /// What writing it ran into; the manifest before is still there then.
    pub(crate) fn write(&self, dir: &Path) -> Result<()> {
        let (temporary, path) = (dir.join(MANIFEST_TEMPORARY), dir.join(MANIFEST));
        let written = fs::write(&temporary, self.to_text())
            .map_err(LexicalError::io(&temporary))
            .and_then(|()| fs::rename(&temporary, &path).map_err(LexicalError::io(path)));
        written.inspect_err(|_| {
            // The error that matters is the one at hand.
            let _ = fs::remove_file(&temporary);
        })
    }

    fn to_text(&self) -> String {
        let body = self.to_body();
        format!("{}\n{body}", checksum_of(body.as_bytes()))
    }

    fn to_body(&self) -> String {
        serde_json::to_string(self).expect("a manifest has no map keys that could fail")
    }
}

impl ManifestSegment {
    /// Compares every byte of the segment, whose directory is in `dir`, with what was written.
    ///
    /// # Errors
    /// [`LexicalError::Damaged`] for a file that differs, or what reading one ran into.
    pub(crate) fn verify(&self, dir: &Path) -> Result<()> {
        let dir = dir.join(&self.name);
        self.files.iter().try_for_each(|file| file.verify(&dir))
    }
}

fn checksum_of(body: &[u8]) -> String {
    format!("{:08x}", crc32fast::hash(body))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_manifest_comes_back_and_a_changed_byte_is_noticed() {
        let dir = tempfile::tempdir().unwrap();
        assert_eq!(Manifest::read(dir.path()).unwrap(), None);
        let manifest = Manifest {
            watermark: 7,
            fields: vec!["ä".into()],
            ..Default::default()
        };
        manifest.write(dir.path()).unwrap();
        assert_eq!(
            Manifest::read(dir.path()).unwrap().as_ref(),
            Some(&manifest)
        );

        let path = dir.path().join(MANIFEST);
        let good = fs::read(&path).unwrap();
        for bit in 0..good.len() * 8 {
            let mut bad = good.clone();
            bad[bit / 8] ^= 1 << (bit % 8);
            fs::write(&path, bad).unwrap();
            let error = Manifest::read(dir.path()).unwrap_err();
            assert!(error.to_string().ends_with("checksum mismatch"), "{error}");
        }
        for len in 0..good.len() {
            fs::write(&path, &good[..len]).unwrap();
            assert!(Manifest::read(dir.path()).is_err(), "cut to {len} bytes");
        }
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

    #[test]
    fn a_manifest_that_cannot_be_replaced_stays_and_no_draft_is_left() {
        let dir = tempfile::tempdir().unwrap();
        let first = Manifest::default();
        first.write(dir.path()).unwrap();
        let next = Manifest {
            watermark: 7,
            ..Default::default()
        };
        // No file can be made where a directory is.
        let obstacle = dir.path().join(MANIFEST_TEMPORARY);
        fs::create_dir(&obstacle).unwrap();
        assert!(next.write(dir.path()).is_err());
        assert_eq!(Manifest::read(dir.path()).unwrap(), Some(first));
        fs::remove_dir(&obstacle).unwrap();
        // Nor renamed onto one.
        fs::remove_file(dir.path().join(MANIFEST)).unwrap();
        fs::create_dir(dir.path().join(MANIFEST)).unwrap();
        assert!(next.write(dir.path()).is_err());
        assert!(!obstacle.exists());
        fs::remove_dir(dir.path().join(MANIFEST)).unwrap();
        next.write(dir.path()).unwrap();
        assert_eq!(Manifest::read(dir.path()).unwrap(), Some(next));
    }
}
