//! From the files of an index to its first view.

use std::fs;
use std::io;
use std::path::Path;
use std::sync::Arc;

use pelorus_kernels::BitSet;

use crate::analysis::Segmentation;
use crate::dead_set::DeadSet;
use crate::delta::Delta;
use crate::error::{LexicalError, Result, catch_panic};
use crate::manifest::{Manifest, ManifestField};
use crate::segment::TextSegment;
use crate::statistics::Statistics;
use crate::view::{SegmentPart, View};

/// Prefix of the directories of segments.
pub(super) const SEGMENT_PREFIX: &str = "seg-";

/// The state found in a directory.
pub(super) struct Recovered {
    pub(super) manifest: Manifest,
    pub(super) view: View,
    /// Tells whether files may be made beside those that are there: the directory exists and holds
    /// nothing that the manifest does not name.
    pub(super) is_prepared: bool,
    /// The reason that files which were there are not used, or that none can be made.
    pub(super) reason: Option<LexicalError>,
}

/// Opens what `dir` holds, or empties it when that cannot be trusted, for texts that are cut in a way.
pub(super) fn recover(dir: &Path, alive: &BitSet, segmentation: Segmentation) -> Recovered {
    let reason = match open_all(dir, alive, segmentation) {
        Ok(Some((manifest, segments))) => {
            remove_leftovers(dir, &manifest);
            return Recovered {
                view: view_of(&manifest, segments, segmentation),
                manifest,
                is_prepared: true,
                reason: None,
            };
        }
        Ok(None) => None,
        Err(reason) => Some(reason),
    };
    let prepared = prepare(dir);
    let mut manifest = Manifest::default();
    manifest.dictionary = segmentation.dictionary();
    Recovered {
        view: view_of(&manifest, Vec::new(), segmentation),
        manifest,
        is_prepared: prepared.is_ok(),
        reason: reason.or(prepared.err()),
    }
}

/// Makes `dir` an empty directory.
///
/// # Errors
/// Errors of the system; some files may be gone then.
pub(super) fn prepare(dir: &Path) -> Result<()> {
    fs::create_dir_all(dir).map_err(LexicalError::io(dir))?;
    for entry in fs::read_dir(dir).map_err(LexicalError::io(dir))? {
        let path = entry.map_err(LexicalError::io(dir))?.path();
        remove(&path).map_err(LexicalError::io(path))?;
    }
    Ok(())
}

/// The manifest and its segments, `None` where there never were any; an error if anything is not as
/// the manifest and the stored documents say.
fn open_all(
    dir: &Path,
    alive: &BitSet,
    segmentation: Segmentation,
) -> Result<Option<(Manifest, Vec<SegmentPart>)>> {
    let Some(manifest) = Manifest::read(dir)? else {
        return match has_segments(dir) {
            true => Err(LexicalError::damaged(dir, "the manifest is missing")),
            false => Ok(None),
        };
    };
    if manifest.dictionary != segmentation.dictionary() {
        return Err(LexicalError::damaged(dir, "texts were cut in another way"));
    }
    for segment in &manifest.segments {
        segment.verify(dir)?;
    }
    let segments = catch_panic(dir, || open_segments(dir, &manifest, alive))?;
    Ok(Some((manifest, segments)))
}

/// Opens segments whose bytes are as they were written.
fn open_segments(dir: &Path, manifest: &Manifest, alive: &BitSet) -> Result<Vec<SegmentPart>> {
    let slot_count = manifest.fields.len();
    let mut parts = Vec::with_capacity(manifest.segments.len());
    for entry in &manifest.segments {
        let segment = TextSegment::open(&dir.join(&entry.name), slot_count)?;
        let mut dead = DeadSet::default();
        for local in 0..segment.doc_count() {
            if !alive.contains(segment.ordinal(local)) {
                dead.insert(local);
            }
        }
        parts.push(SegmentPart {
            segment: Arc::new(segment),
            dead: Arc::new(dead),
        });
    }
    let received: u64 = parts.iter().map(|part| u64::from(part.live_count())).sum();
    let expected = alive
        .iter()
        .take_while(|&doc| doc < manifest.watermark)
        .count() as u64;
    if received != expected {
        let reason = format!("expected {expected} stored documents in it, received {received}");
        return Err(LexicalError::damaged(dir, reason));
    }
    Ok(parts)
}

fn view_of(manifest: &Manifest, segments: Vec<SegmentPart>, segmentation: Segmentation) -> View {
    let mut statistics = Statistics::default();
    for part in &segments {
        part.live_lengths()
            .for_each(|lengths| statistics.add(lengths));
    }
    View {
        segments,
        frozen: None,
        live: Delta::new(manifest.watermark),
        statistics,
        fields: Arc::new(ManifestField::table(&manifest.fields).with_segmentation(segmentation)),
    }
}

fn has_segments(dir: &Path) -> bool {
    let entries = fs::read_dir(dir).into_iter().flatten().flatten();
    names(entries).any(|name| name.starts_with(SEGMENT_PREFIX))
}

fn names(entries: impl Iterator<Item = fs::DirEntry>) -> impl Iterator<Item = String> {
    entries.map(|entry| entry.file_name().to_string_lossy().into_owned())
}

/// Removes segments that the manifest does not name. Files that are not ours stay, and so do those
/// that cannot be removed: they take room until the next opening and do no harm.
fn remove_leftovers(dir: &Path, manifest: &Manifest) {
    let entries = fs::read_dir(dir).into_iter().flatten().flatten();
    for name in names(entries) {
        let known = manifest.segments.iter().any(|segment| segment.name == name);
        if name.starts_with(SEGMENT_PREFIX) && !known {
            let _ = remove(&dir.join(name));
        }
    }
}

fn remove(path: &Path) -> io::Result<()> {
    match fs::symlink_metadata(path)?.is_dir() {
        true => fs::remove_dir_all(path),
        false => fs::remove_file(path),
    }
}
