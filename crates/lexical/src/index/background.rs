//! Moving documents from memory to segments and keeping segments few.
//!
//! The files are made aside, while searches and the writer go on. Then the manifest names them,
//! and last one view replaces another: in each of them every document is in exactly one part.
//! Documents that died in the meantime are carried over by ordinal.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::recovery::SEGMENT_PREFIX;
use super::{Flusher, LexicalIndex, View};
use crate::dead_set::DeadSet;
use crate::error::Result;
use crate::manifest::{Manifest, ManifestSegment};
use crate::merge_policy::{SegmentSize, pick_merge};
use crate::segment::{MergeSource, TextSegment, merge_segments, write_segment};
use crate::view::{DeltaPart, SegmentPart};

impl LexicalIndex {
    /// Is there work for [`LexicalIndex::flush`]?
    pub fn needs_flush(&self) -> bool {
        let view = self.view.load();
        view.frozen.is_some()
            || view.live.delta.doc_count() >= self.options.flush_documents
            || view.live.delta.memory_bytes() >= self.options.flush_bytes
            || pick_merge(&sizes(&view)).is_some()
    }

    /// Moves the published documents in memory to a segment, then does at most one merge. Never
    /// blocks searches, and writers only for the moment of replacing the view. Does not wait for
    /// the disk. One flush runs at a time, others wait for it.
    ///
    /// # Errors
    /// If files cannot be written; everything stays searchable and a later flush tries again.
    pub fn flush(&self) -> Result<()> {
        let mut flusher = self.flusher.lock();
        self.flush_delta(&mut flusher.manifest)?;
        let replaced = self.merge_once(&mut flusher.manifest)?;
        flusher.retired.extend(replaced);
        flusher.delete_unread();
        Ok(())
    }

    /// Flushes and waits until all files are on the disk, so that the next open trusts them
    /// without reading them. For a clean stop; the index stays usable.
    ///
    /// # Errors
    /// If files cannot be written.
    pub fn close(&self) -> Result<()> {
        let mut flusher = self.flusher.lock();
        self.flush_delta(&mut flusher.manifest)?;
        for part in &self.view.load().segments {
            part.segment.sync()?;
        }
        flusher.delete_unread();
        flusher.manifest.write_synced(&self.dir)
    }

    fn flush_delta(&self, manifest: &mut Manifest) -> Result<()> {
        // What an earlier flush failed to write goes first.
        self.flush_frozen(manifest)?;
        self.freeze();
        self.flush_frozen(manifest)
    }

    /// Sets the live delta aside, unless it is empty, and begins a new one.
    fn freeze(&self) {
        let _writer = self.writer.lock();
        let mut view = View::clone(&self.view.load());
        if view.live.end > 0 {
            let fresh = DeltaPart::empty(view.live.delta.base() + view.live.end);
            view.frozen = Some(std::mem::replace(&mut view.live, fresh));
            self.view.store(Arc::new(view));
        }
    }

    fn flush_frozen(&self, manifest: &mut Manifest) -> Result<()> {
        let before = self.view.load_full();
        let Some(frozen) = &before.frozen else {
            return Ok(());
        };
        let watermark = frozen.delta.base() + frozen.end;
        let mut next = manifest.clone();
        next.watermark = watermark;
        next.fields = before.fields.names().to_vec();
        let fresh = self.build_segment(&mut next, |dir| {
            let documents = frozen.delta.read();
            let alive = |ordinal: u32| !frozen.dead.contains(ordinal - frozen.delta.base());
            let documents = documents.documents().iter().filter(|d| alive(d.ordinal));
            let mut documents = documents.peekable();
            let any = documents.peek().is_some();
            if any {
                write_segment(dir, documents)?;
            }
            Ok(any)
        })?;
        if let Some((_, entry)) = &fresh {
            next.segments.push(entry.clone());
        }
        next.write(&self.dir)?;
        *manifest = next;

        let _writer = self.writer.lock();
        let mut view = View::clone(&self.view.load());
        let frozen = view
            .frozen
            .take()
            .expect("only a flush takes the frozen delta, one at a time");
        if let Some((segment, _)) = fresh {
            let base = frozen.delta.base();
            let dead = carry_over(
                &segment,
                frozen.dead.log().iter().map(|&local| base + local),
            );
            view.segments.push(SegmentPart { segment, dead });
        }
        self.view.store(Arc::new(view));
        self.watermark.store(watermark, Ordering::Release);
        Ok(())
    }

    /// Merges once, if it is time to, and returns the segments that are no longer needed.
    fn merge_once(&self, manifest: &mut Manifest) -> Result<Vec<Arc<TextSegment>>> {
        let before = self.view.load_full();
        let Some(range) = pick_merge(&sizes(&before)) else {
            return Ok(Vec::new());
        };
        let merged = &before.segments[range.clone()];
        let mut next = manifest.clone();
        let fresh = self.build_segment(&mut next, |dir| {
            let any = merged.iter().any(|part| part.live_count() > 0);
            if any {
                let sources = merged.iter().map(|part| MergeSource {
                    segment: &part.segment,
                    dead: &part.dead,
                });
                merge_segments(dir, &sources.collect::<Vec<_>>())?;
            }
            Ok(any)
        })?;
        next.segments
            .splice(range.clone(), fresh.iter().map(|(_, entry)| entry.clone()));
        next.write(&self.dir)?;
        *manifest = next;

        let _writer = self.writer.lock();
        let mut view = View::clone(&self.view.load());
        let part = fresh.map(|(segment, _)| {
            let died_since =
                view.segments[range.clone()]
                    .iter()
                    .zip(merged)
                    .flat_map(|(now, then)| {
                        let log = &now.dead.log()[then.dead.len()..];
                        log.iter().map(|&local| now.segment.ordinal(local))
                    });
            SegmentPart {
                dead: carry_over(&segment, died_since),
                segment,
            }
        });
        view.segments.splice(range, part);
        self.view.store(Arc::new(view));
        Ok(merged.iter().map(|part| part.segment.clone()).collect())
    }

    /// Has `make` write a segment into a new directory and opens it; `None` if `make` says that
    /// there was nothing to write. Whatever fails leaves no files.
    fn build_segment(
        &self,
        manifest: &mut Manifest,
        make: impl FnOnce(&Path) -> Result<bool>,
    ) -> Result<Option<(Arc<TextSegment>, ManifestSegment)>> {
        let name = format!("{SEGMENT_PREFIX}{}", manifest.next_segment);
        manifest.next_segment += 1;
        let dir = self.dir.join(&name);
        let build = || {
            if !make(&dir)? {
                return Ok(None);
            }
            let segment = TextSegment::open(&dir, manifest.fields.len(), true)?;
            let entry = ManifestSegment {
                name,
                files: TextSegment::files(&dir)?,
            };
            Ok(Some((Arc::new(segment), entry)))
        };
        build().inspect_err(|_| {
            // The error that matters is the one at hand; what stays is removed at the next open.
            let _ = fs::remove_dir_all(&dir);
        })
    }
}

impl Flusher {
    /// Deletes the files of segments that no search reads any more.
    fn delete_unread(&mut self) {
        self.retired.retain(|segment| {
            let is_read = Arc::strong_count(segment) > 1;
            if !is_read {
                // Mapped files cannot be deleted on every system. The manifest does not name
                // these any more, so the next open removes what stays.
                let _ = fs::remove_dir_all(segment.dir());
            }
            is_read
        });
    }
}

fn sizes(view: &View) -> Vec<SegmentSize> {
    let size = |part: &SegmentPart| SegmentSize {
        live: part.live_count(),
        dead: part.dead.len() as u32,
    };
    view.segments.iter().map(size).collect()
}

/// The dead set of a new segment, from ordinals that died while it was made.
fn carry_over(segment: &TextSegment, died: impl Iterator<Item = u32>) -> Arc<DeadSet> {
    let mut dead = DeadSet::default();
    for local in died.filter_map(|ordinal| segment.local(ordinal)) {
        dead.insert(local);
    }
    Arc::new(dead)
}
