//! From the files of an index to its first view.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use pelorus_kernels::BitSet;

use crate::dead_set::DeadSet;
use crate::error::{LexicalError, Result};
use crate::field_table::FieldTable;
use crate::manifest::{Manifest, ManifestSegment};
use crate::segment::TextSegment;
use crate::statistics::Statistics;
use crate::view::{DeltaPart, SegmentPart, View};

/// Prefix of the directories of segments.
pub(super) const SEGMENT_PREFIX: &str = "seg-";

/// Opens what `dir` holds, or empties it when that cannot be trusted.
pub(super) fn recover(dir: &Path, alive: &BitSet) -> Result<(Manifest, View)> {
    fs::create_dir_all(dir).map_err(LexicalError::io(dir))?;
    if let Some(manifest) = Manifest::read(dir)
        && let Some(segments) = open_segments(dir, &manifest, alive)
    {
        remove_leftovers(dir, &manifest)?;
        let view = view_of(&manifest, segments);
        return Ok((manifest, view));
    }
    empty(dir)?;
    let manifest = Manifest::default();
    let view = view_of(&manifest, Vec::new());
    Ok((manifest, view))
}

/// `None` if anything is not as the manifest and the stored documents say.
fn open_segments(dir: &Path, manifest: &Manifest, alive: &BitSet) -> Option<Vec<SegmentPart>> {
    let trusted = manifest.is_synced(dir);
    let slot_count = manifest.fields.len();
    let mut parts = Vec::with_capacity(manifest.segments.len());
    for entry in &manifest.segments {
        let segment = open_segment(dir, entry, slot_count, trusted)?;
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
    let found: u64 = parts.iter().map(|part| u64::from(part.live_count())).sum();
    let stored = alive
        .iter()
        .take_while(|&doc| doc < manifest.watermark)
        .count() as u64;
    (found == stored).then_some(parts)
}

fn open_segment(
    dir: &Path,
    entry: &ManifestSegment,
    slot_count: usize,
    trusted: bool,
) -> Option<TextSegment> {
    let dir = dir.join(&entry.name);
    if TextSegment::files(&dir).ok()? != entry.files {
        return None;
    }
    TextSegment::open(&dir, slot_count, trusted).ok()
}

fn view_of(manifest: &Manifest, segments: Vec<SegmentPart>) -> View {
    let mut statistics = Statistics::default();
    for part in &segments {
        part.live_lengths()
            .for_each(|lengths| statistics.add(lengths));
    }
    View {
        segments,
        frozen: None,
        live: DeltaPart::empty(manifest.watermark),
        statistics,
        fields: Arc::new(FieldTable::from_names(manifest.fields.clone())),
    }
}

/// Removes segments that the manifest does not name. Files that are not ours stay.
fn remove_leftovers(dir: &Path, manifest: &Manifest) -> Result<()> {
    for entry in fs::read_dir(dir).map_err(LexicalError::io(dir))? {
        let entry = entry.map_err(LexicalError::io(dir))?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let known = manifest.segments.iter().any(|segment| segment.name == name);
        if name.starts_with(SEGMENT_PREFIX) && !known {
            remove(&entry.path())?;
        }
    }
    Ok(())
}

fn empty(dir: &Path) -> Result<()> {
    for entry in fs::read_dir(dir).map_err(LexicalError::io(dir))? {
        remove(&entry.map_err(LexicalError::io(dir))?.path())?;
    }
    Ok(())
}

fn remove(path: &Path) -> Result<()> {
    let removed = match fs::symlink_metadata(path) {
        Ok(metadata) if metadata.is_dir() => fs::remove_dir_all(path),
        Ok(_) => fs::remove_file(path),
        Err(error) => Err(error),
    };
    removed.map_err(LexicalError::io(path))
}
