//! Moving documents from memory to segments and keeping segments few.
//!
//! The files are made aside, while searches and the writer go on. Then the manifest names them,
//! and last one view replaces another: in each of them every document is in exactly one part.
//! Documents that died in the meantime are carried over by ordinal.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::recovery::{self, SEGMENT_PREFIX};
use super::{Flusher, LexicalIndex, View};
use crate::dead_set::DeadSet;
use crate::delta::Delta;
use crate::error::{LexicalError, Result, catch_panic};
use crate::manifest::{Manifest, ManifestField, ManifestSegment};
use crate::merge_policy::{MergePolicy, SegmentSize, pick_merge};
use crate::segment::{
    MergeSource, SegmentFile, TextSegment, UnsyncedDirectory, merge_segments, write_segment,
};
use crate::view::SegmentPart;

impl LexicalIndex {
    /// Is there work for [`LexicalIndex::maintain`]: memory to flush, or segments to merge?
    pub fn needs_flush(&self, policy: MergePolicy) -> bool {
        if self.is_retired() {
            return false;
        }
        let view = self.view.load();
        self.is_memory_full(&view) || pick_merge(&sizes(&view), policy).is_some()
    }

    fn is_memory_full(&self, view: &View) -> bool {
        view.frozen.is_some()
            || view.live.document_count() >= self.options.flush_documents
            || view.live.memory_bytes() >= self.options.flush_bytes
    }

    /// Does what [`LexicalIndex::needs_flush`] sees: flushes if memory is full, then does at
    /// most one merge. Small flushes cost more than they free, so others than these are for a stop.
    ///
    /// # Errors
    /// As [`LexicalIndex::flush`].
    pub fn maintain(&self, policy: MergePolicy) -> Result<()> {
        self.unless_retired(|flusher| {
            if self.is_memory_full(&self.view.load()) {
                self.flush_delta(&mut flusher.manifest)?;
            }
            let replaced = self.merge_once(&mut flusher.manifest, policy)?;
            flusher.replaced.extend(replaced);
            Ok(())
        })
    }

    /// Moves the published documents in memory to a segment, then does at most one merge. Never
    /// blocks searches, and writers only for the moment of replacing the view. Does not wait for
    /// the disk. One flush runs at a time, others wait for it. Does nothing once the index is
    /// retired.
    ///
    /// # Errors
    /// If files cannot be written; everything stays searchable, written files are removed, and a
    /// later flush tries again. [`LexicalError::Damaged`] if the bytes of a segment to be merged
    /// are not those written.
    pub fn flush(&self) -> Result<()> {
        self.unless_retired(|flusher| {
            self.flush_delta(&mut flusher.manifest)?;
            let replaced = self.merge_once(&mut flusher.manifest, MergePolicy::Leveled)?;
            flusher.replaced.extend(replaced);
            Ok(())
        })
    }

    /// Flushes for a clean stop, so that the next opening finds everything in the files; the index
    /// stays usable. Does not wait for the disk: should the machine lose power before the files
    /// are on it, their checksums tell at the next opening, and the documents are added again.
    ///
    /// # Errors
    /// As [`LexicalIndex::flush`].
    pub fn close(&self) -> Result<()> {
        self.unless_retired(|flusher| self.flush_delta(&mut flusher.manifest))
    }

    /// Ends all writing: once this returns, the index never makes, changes or deletes a file again,
    /// so that its directory may be renamed or another index opened in its place. Documents are
    /// added, removed and found as before, from memory and from files that are open already.
    ///
    /// A flush that is under way stops at its next write, which is waited for.
    pub fn retire(&self) {
        self.is_retired.store(true, Ordering::Release);
        drop(self.flusher.lock());
    }

    fn is_retired(&self) -> bool {
        self.is_retired.load(Ordering::Acquire)
    }

    /// Runs `work` on the files, in a directory that is fit for it.
    fn unless_retired(&self, work: impl FnOnce(&mut Flusher) -> Result<()>) -> Result<()> {
        let mut flusher = self.flusher.lock();
        if self.is_retired() {
            return Ok(());
        }
        flusher.prepare(&self.dir)?;
        let worked = work(&mut flusher);
        match self.is_retired() {
            // The work failed because the index was retired meanwhile.
            true => Ok(()),
            false => {
                flusher.delete_unread();
                worked
            }
        }
    }

    fn flush_delta(&self, manifest: &mut Manifest) -> Result<()> {
        // Segments that an earlier flush failed to write go first.
        self.flush_frozen(manifest)?;
        self.freeze();
        self.flush_frozen(manifest)
    }

    /// Sets the live delta aside, unless it is empty, and begins a new one.
    fn freeze(&self) {
        let _writer = self.writer.lock();
        let mut view = View::clone(&self.view.load());
        if !view.live.is_empty() {
            let fresh = Delta::new(view.live.end_ordinal());
            view.frozen = Some(std::mem::replace(&mut view.live, fresh));
            self.view.store(Arc::new(view));
        }
    }

    fn flush_frozen(&self, manifest: &mut Manifest) -> Result<()> {
        let before = self.view.load_full();
        let Some(frozen) = &before.frozen else {
            return Ok(());
        };
        let watermark = frozen.end_ordinal();
        let mut next = manifest.clone();
        next.watermark = watermark;
        next.fields = ManifestField::of_table(&before.fields);
        let fresh = self.build_segment(&mut next, |dir| {
            let any = frozen.document_count() > frozen.dead.len();
            if any {
                write_segment(dir, frozen)?;
            }
            Ok(any)
        })?;
        if let Some((_, entry)) = &fresh {
            next.segments.push(entry.clone());
        }
        self.replace_manifest(manifest, next, fresh.as_ref())?;

        let _writer = self.writer.lock();
        let mut view = View::clone(&self.view.load());
        let frozen = view
            .frozen
            .take()
            .expect("only a flush takes the frozen delta, one at a time");
        if let Some((segment, _)) = fresh {
            let died = frozen.dead.log().iter();
            let dead = carry_over(&segment, died.map(|&local| frozen.ordinal(local)));
            view.segments.push(SegmentPart { segment, dead });
        }
        self.view.store(Arc::new(view));
        self.watermark.store(watermark, Ordering::Release);
        Ok(())
    }

    /// Merges once, if it is time to, and returns the segments that are no longer needed.
    fn merge_once(
        &self,
        manifest: &mut Manifest,
        policy: MergePolicy,
    ) -> Result<Vec<Arc<TextSegment>>> {
        let before = self.view.load_full();
        let Some(range) = pick_merge(&sizes(&before), policy) else {
            return Ok(Vec::new());
        };
        let merged = &before.segments[range.clone()];
        // Damage that was copied would have a good checksum from then on.
        for segment in &manifest.segments[range.clone()] {
            segment.verify(&self.dir)?;
        }
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
        self.replace_manifest(manifest, next, fresh.as_ref())?;

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

    /// Runs `make`, which writes a segment into a new directory, and opens it; `None` if `make`
    /// says that there was nothing to write. A failure leaves no files.
    fn build_segment(
        &self,
        manifest: &mut Manifest,
        make: impl FnOnce(UnsyncedDirectory) -> Result<bool>,
    ) -> Result<Option<FreshSegment>> {
        let (name, dir) = self.new_directory(manifest)?;
        let build = || {
            if !make(UnsyncedDirectory::open_until(
                &dir,
                self.is_retired.clone(),
            )?)? {
                return Ok(None);
            }
            let segment = TextSegment::open(&dir, manifest.fields.len())?;
            let files = SegmentFile::list(&dir)?;
            Ok(Some((Arc::new(segment), ManifestSegment { name, files })))
        };
        let built = catch_panic(&dir, build);
        if !matches!(built, Ok(Some(_))) {
            discard(&dir);
        }
        built
    }

    /// A new directory for a segment, and its name. Where one of that name could not be removed,
    /// it takes the next.
    fn new_directory(&self, manifest: &mut Manifest) -> Result<(String, PathBuf)> {
        loop {
            let name = format!("{SEGMENT_PREFIX}{}", manifest.next_segment);
            manifest.next_segment += 1;
            let dir = self.dir.join(&name);
            match fs::create_dir(&dir) {
                Ok(()) => return Ok((name, dir)),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(LexicalError::io(dir)(error)),
            }
        }
    }

    /// Writes the `next` manifest in place of the one before. A failure leaves that one, and no
    /// segment that only the next one names.
    fn replace_manifest(
        &self,
        manifest: &mut Manifest,
        next: Manifest,
        fresh: Option<&FreshSegment>,
    ) -> Result<()> {
        let written = next.write(&self.dir);
        match (&written, fresh) {
            (Ok(()), _) => *manifest = next,
            (Err(_), Some((segment, _))) => discard(segment.dir()),
            (Err(_), None) => {}
        }
        written
    }
}

/// A segment that no manifest names yet, and the manifest's entry for it.
type FreshSegment = (Arc<TextSegment>, ManifestSegment);

impl Flusher {
    /// Makes the directory fit for new files. It may have been out of reach at opening, or taken
    /// away since.
    fn prepare(&mut self, dir: &Path) -> Result<()> {
        match self.is_prepared {
            true => fs::create_dir_all(dir).map_err(LexicalError::io(dir)),
            false => {
                recovery::prepare(dir)?;
                self.is_prepared = true;
                Ok(())
            }
        }
    }

    /// Deletes the files of segments that no search reads any more.
    fn delete_unread(&mut self) {
        self.replaced.retain(|segment| {
            let is_read = Arc::strong_count(segment) > 1;
            if !is_read {
                discard(segment.dir());
            }
            is_read
        });
    }
}

/// Removes the directory of a segment that no manifest names. Mapped files cannot be deleted on
/// every system; what stays is removed at the next opening.
fn discard(dir: &Path) {
    let _ = fs::remove_dir_all(dir);
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
