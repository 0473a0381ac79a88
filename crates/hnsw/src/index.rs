//! The index: a [`Graph`] that can be exchanged for one of other numbering while searches go on, and
//! the folder it is kept in.

mod audit;
mod folder;
mod rows;

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arc_swap::ArcSwap;
use pelorus_cancellation::{Cancellation, Cancelled};
use pelorus_kernels::BitSet;

use self::folder::{Folder, Rows};
use crate::graph::Graph;
use crate::graph::compact::Renumbering;
use crate::quantize::quantizer::Traversal;
use crate::storage::full_vectors::{DIM_MAX, FullVectors};
use crate::storage::opening::{Opened, Opening, RowsError, StoredRows};
use crate::storage::row_manifest::RowManifest;
use crate::storage::snapshot::{self, SnapshotError, unless_retired};
use crate::sync::{AtomicBool, AtomicUsize, Mutex, Ordering};
use crate::{HnswParams, Metric, VectorHit, VectorSearch};

/// Vectors, codes and graph of one tensor field.
///
/// Any number of threads may search, push, remove and [`maintain`](Self::maintain) at once;
/// searches never wait for the others. A vector is found as soon as it is pushed: nodes that the
/// graph has not taken in yet are scanned. A removed one is gone from all searches that start
/// later.
pub struct VectorIndex {
    graph: ArcSwap<Graph>,
    folder: Option<Folder>,
    /// Held while something is pushed, removed or the graph exchanged.
    write: Mutex<()>,
    /// Held while the graph is compacted, saved or secured.
    exclusive: Mutex<Rows>,
    /// Rows whose bytes are not those written, and belong to no node therefore.
    aside: Mutex<Vec<StoredRows>>,
    /// Tells whether the manifest lacks some of them.
    aside_is_unnamed: AtomicBool,
    /// Vectors pushed and removed since the last snapshot.
    unsaved: AtomicUsize,
}

impl VectorIndex {
    /// An empty index in memory.
    ///
    /// # Panics
    /// If `dim` is not 1 to 4096, not 2 for [`Metric::Geodegrees`], or `m` is below 2.
    pub fn new(params: HnswParams) -> Self {
        check(&params);
        let full = FullVectors::in_memory(params.dim, params.numeric);
        Self::over(Graph::over(params, full), None)
    }

    /// An empty index that keeps its full vectors in a file in `folder`, an existing one that
    /// belongs to it alone: files that an index left there before are deleted.
    ///
    /// # Errors
    /// Errors of the system.
    ///
    /// # Panics
    /// As [`new`](Self::new).
    pub fn create(params: HnswParams, folder: &Path) -> io::Result<Self> {
        check(&params);
        RowManifest::delete(folder)?;
        snapshot::delete(folder)?;
        snapshot::delete_other_vectors(folder, 0)?;
        let full = FullVectors::create(&snapshot::vectors(folder, 0), params.dim, params.numeric)?;
        Ok(Self::over(Graph::over(params, full), Some((folder, 0))))
    }

    /// An empty index in memory that belongs in `folder`: where [`create`](Self::create) failed. It
    /// takes memory for its full vectors, and each [`save`](Self::save) tries the folder again.
    ///
    /// # Panics
    /// As [`new`](Self::new).
    pub fn in_memory(params: HnswParams, folder: &Path) -> Self {
        check(&params);
        let full = FullVectors::in_memory(params.dim, params.numeric);
        Self::over(Graph::over(params, full), Some((folder, 0)))
    }

    /// The index of the snapshot in `folder`, with the document before which it holds all that had
    /// been pushed; rows from there on are forgotten.
    ///
    /// # Errors
    /// When there is no snapshot, it was made with other `params`, or anything in it or in the full
    /// vectors is not as it was written.
    ///
    /// # Panics
    /// As [`new`](Self::new).
    pub fn open(params: HnswParams, folder: &Path) -> Result<(Self, u32), SnapshotError> {
        check(&params);
        let (graph, watermark, file) = snapshot::read(params, folder)?;
        Ok((Self::over(graph, Some((folder, file))), watermark))
    }

    /// Opens the index in `folder` whose rows were [secured](Self::secure) there, as far as that changes
    /// nothing: what refers to rows of documents from its watermark on is to be said before it is
    /// [finished](Self::finish).
    ///
    /// # Errors
    /// As [`RowsError`] says.
    ///
    /// # Panics
    /// As [`new`](Self::new).
    pub fn begin(params: HnswParams, folder: &Path) -> Result<Opening, RowsError> {
        check(&params);
        Opening::of(params, folder)
    }

    /// The index that was begun to be opened, with the `rows` of documents from its watermark on. Rows pushed besides
    /// them are forgotten. Rows whose bytes are not those written are [set aside](Self::aside). `before` is the same
    /// index that was opened before and [retired](Self::retire), where it is still read.
    ///
    /// # Errors
    /// As [`RowsError`] says.
    pub fn finish(
        opening: Opening,
        rows: &[StoredRows],
        before: Option<&Self>,
    ) -> Result<Self, RowsError> {
        let in_use = before.map_or(0, |before| before.graph.load().nodes.len());
        let folder = opening.folder().to_owned();
        let index = Self::opened(folder, opening.finish(rows, in_use)?);
        // A name that cannot be written now is written before the next snapshot.
        let _ = index.name_rows_again();
        Ok(index)
    }

    /// As [`finish`](Self::finish), with the `rows` of all documents and in memory: where the file
    /// takes no more.
    ///
    /// # Errors
    /// As [`RowsError`] says.
    pub fn finish_in_memory(opening: Opening, rows: &[StoredRows]) -> Result<Self, RowsError> {
        let folder = opening.folder().to_owned();
        Ok(Self::opened(folder, opening.finish_in_memory(rows)?))
    }

    /// Deletes the snapshot in `folder`: the graph is made anew when the index is opened.
    ///
    /// # Errors
    /// Errors of the system.
    pub fn forget_snapshot(folder: &Path) -> io::Result<()> {
        snapshot::delete(folder)
    }

    fn opened(folder: PathBuf, opened: Opened) -> Self {
        let Opened {
            graph,
            manifest: RowManifest { file, aside, .. },
            is_named,
            unsaved,
        } = opened;
        let mut index = Self::over(graph, Some((&folder, file)));
        index.exclusive = Mutex::new(match is_named {
            true => Rows::Named(file),
            false => Rows::Unknown,
        });
        index.aside = Mutex::new(aside);
        index.unsaved = AtomicUsize::new(unsaved);
        index
    }

    pub(crate) fn over(graph: Graph, folder: Option<(&Path, usize)>) -> Self {
        Self {
            graph: ArcSwap::from_pointee(graph),
            folder: folder.map(|(path, vectors)| Folder {
                path: path.to_owned(),
                vectors: AtomicUsize::new(vectors),
                retired: AtomicBool::new(false),
            }),
            write: Mutex::new(()),
            exclusive: Mutex::new(Rows::Derived),
            aside: Mutex::default(),
            aside_is_unnamed: AtomicBool::new(false),
            unsaved: AtomicUsize::new(0),
        }
    }

    /// Appends a vector, `[dim]`, as chunk `chunk` of document `doc`. All searches that start later
    /// find it.
    ///
    /// # Errors
    /// Errors of the system while it wrote the vector; nothing was appended then, and it may be
    /// tried again. Where some chunks of a document are there, [`remove`](Self::remove) takes them
    /// back, and all of them may be pushed again later. An index in memory has no errors.
    ///
    /// # Panics
    /// If `vector` does not have the dimension of the index, `doc` is `u32::MAX`, or past 2^28
    /// nodes or documents.
    pub fn push(&self, vector: &[f32], doc: u32, chunk: u32) -> io::Result<()> {
        let _write = self.write.lock();
        self.graph.load().push(vector, doc, chunk)?;
        self.unsaved.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }

    /// Removes all vectors of a document: no search that starts later returns it. Removing one that
    /// is not there is harmless.
    pub fn remove(&self, doc: u32) {
        self.remove_nodes(doc);
        self.aside.lock().retain(|rows| rows.doc != doc);
    }

    fn remove_nodes(&self, doc: u32) {
        let _write = self.write.lock();
        let graph = self.graph.load();
        let nodes: Vec<u32> = graph.nodes.nodes_of(doc, graph.nodes.len()).collect();
        for &node in &nodes {
            graph.remove(node);
        }
        self.unsaved.fetch_add(nodes.len(), Ordering::Relaxed);
    }

    /// The documents that have a vector, each as often as it has one, in no order.
    pub fn docs(&self) -> Vec<u32> {
        let graph = self.graph.load();
        let nodes = 0..graph.nodes.len() as u32;
        let living = nodes.filter(|&node| !graph.nodes.is_dead(node));
        living.map(|node| graph.nodes.doc(node)).collect()
    }

    /// The `k` accepted documents nearest to `query`, `[dim]`, each by its best chunk, nearest
    /// first and equal ones by document. `accept` holds the documents that are alive and pass the
    /// filter. Distances are in full precision whatever path the search took.
    ///
    /// # Panics
    /// If `query` does not have the dimension of the index.
    pub fn search(&self, query: &[f32], search: &VectorSearch, accept: &BitSet) -> Vec<VectorHit> {
        let found = self.search_until(query, search, accept, &Cancellation::never());
        found.expect("nobody can cancel it")
    }

    /// As [`search`](Self::search), unless it is cancelled.
    ///
    /// # Errors
    /// When it was. Nothing is left of the search, and the next one is as any other.
    ///
    /// # Panics
    /// As there.
    pub fn search_until(
        &self,
        query: &[f32],
        search: &VectorSearch,
        accept: &BitSet,
        cancellation: &Cancellation,
    ) -> Result<Vec<VectorHit>, Cancelled> {
        self.search_knowing(query, search, accept, &[], cancellation)
    }

    /// As [`search_until`](Self::search_until), but does not miss an accepted document of `known` that is among the
    /// nearest. Each of these costs a look at its codes.
    ///
    /// # Errors
    /// As there.
    ///
    /// # Panics
    /// As there.
    pub fn search_knowing(
        &self,
        query: &[f32],
        search: &VectorSearch,
        accept: &BitSet,
        known: &[u32],
        cancellation: &Cancellation,
    ) -> Result<Vec<VectorHit>, Cancelled> {
        let graph = self.graph.load();
        graph.search(query, search, (accept, known), cancellation)
    }

    /// Does up to `budget` units of the work that was put off and answers how many are left that no
    /// other thread is at work on: a unit links a new node, repairs one that led to removed ones, or
    /// passes over 64 sound ones.
    ///
    /// On top of the budget come looks at the quantizer, each time the index has grown by half, checks of the
    /// graph, and compactions once a quarter of the vectors is of removed documents: a few
    /// microseconds for each vector.
    ///
    /// Meant for background threads, any number of them, that call it until nothing is left. Pushes,
    /// removals and searches go on meanwhile. One thread alone always builds the same graph; several
    /// build one that depends on how they take turns, and finds as much.
    ///
    /// # Panics
    /// Only by a bug of this crate. The nodes being linked by a thread that panics wait to be
    /// linked again, and are found by scanning.
    pub fn maintain(&self, budget: usize) -> usize {
        self.maintain_by(|graph| graph.maintain(budget))
    }

    /// As [`maintain`](Self::maintain), new nodes being linked in haste: for when so many wait that searches become slow.
    /// A node takes a third of the time, and is linked again once no new one waits.
    pub fn maintain_in_haste(&self, budget: usize) -> usize {
        self.maintain_by(|graph| graph.maintain_in_haste(budget))
    }

    fn maintain_by(&self, maintain: impl FnOnce(&Graph) -> usize) -> usize {
        let graph = self.graph.load_full();
        let left = maintain(&graph);
        if left == 0 && graph.is_worth_compacting() || graph.is_overdue_for_compaction() {
            // A compaction that fails is tried again with the next removals; until then the dead
            // keep memory.
            let _ = self.compact();
        }
        left
    }

    /// Links up to `budget` new nodes in haste and answers how many: for threads that somebody waits for. Does nothing
    /// while other work has the graph for itself, or is due.
    pub fn link(&self, budget: usize) -> usize {
        self.graph.load().link_unless_busy(budget)
    }

    /// Repairs up to `budget` nodes that lead to removed ones, if there are so many of these that searches find their
    /// way ever worse: for threads that somebody waits for. Does nothing while a training is due.
    pub fn sweep_overdue(&self, budget: usize) {
        self.graph.load().sweep_if_overdue(budget);
    }

    /// Copies the living into a new graph, by new numbers, and exchanges the graphs.
    fn compact(&self) -> io::Result<()> {
        let mut rows = self.exclusive.lock();
        let old = self.graph.load_full();
        let mut maintenance = old.maintenance.write();
        if !old.is_worth_compacting() {
            return Ok(());
        }
        let (file, full) = match &self.folder {
            Some(folder) => folder.new_vectors(&old)?,
            None => (
                None,
                FullVectors::in_memory(old.params.dim, old.params.numeric),
            ),
        };
        let go_on = || match &self.folder {
            Some(folder) => unless_retired(&folder.retired),
            None => Ok(()),
        };
        let numbers = Renumbering::of(&old);
        let mut new = numbers.copy(&old, &mut maintenance, full, go_on)?;
        let is_truth = *rows != Rows::Derived;
        if is_truth {
            // Most of it before writers have to wait.
            new.nodes.full().sync()?;
        }
        let _write = self.write.lock();
        numbers.catch_up(&old, &mut new)?;
        if let (Some(folder), Some((number, draft))) = (&self.folder, file) {
            if is_truth {
                new.nodes.full().sync()?;
            }
            // Until it is known which of them the manifest names, both are needed.
            draft.keep();
            if is_truth {
                // The manifest would name rows that power loss takes.
                debug_assert!(new.nodes.full().is_synced(), "rows that are named last");
                self.name_rows(&mut rows, number, &new)?;
            }
            folder.vectors.store(number, Ordering::Relaxed);
        }
        self.unsaved.fetch_add(numbers.dropped(), Ordering::Relaxed);
        maintenance.retire();
        self.graph.store(Arc::new(new));
        Ok(())
    }

    /// Writes a snapshot that [`open`](Self::open) reads: of everything pushed so far, of which all
    /// documents below `watermark` are known to be. Linking waits meanwhile, nothing else does.
    /// Makes the folder where there is none, and does nothing once the index is
    /// [retired](Self::retire).
    ///
    /// # Errors
    /// Errors of the system; nothing in the folder has changed then, the snapshot before, if any,
    /// is still there, and it may be tried again. [`io::ErrorKind::InvalidData`] when the full
    /// vectors are no longer those pushed, because the disk lost them: the index is then to be made
    /// anew.
    ///
    /// # Panics
    /// If the index has no folder.
    pub fn save(&self, watermark: u32) -> io::Result<()> {
        let folder = self.folder.as_ref().expect("an index with a folder");
        let mut rows = self.exclusive.lock();
        let graph = self.graph.load_full();
        let mut maintenance = graph.maintenance.write();
        let unsaved = self.unsaved.load(Ordering::Relaxed);
        let number = folder.vectors.load(Ordering::Relaxed);
        let (path, retired) = (&folder.path, &folder.retired);
        if retired.load(Ordering::Acquire) {
            return Ok(());
        }
        let is_truth = *rows != Rows::Derived;
        // Rows that a snapshot leaves out because they are damaged are named before the snapshot
        // counts.
        let name_aside = |rows: &mut Rows| {
            let is_due = *rows == Rows::Unknown || self.aside_is_unnamed.load(Ordering::Acquire);
            match is_truth && is_due && graph.nodes.full().has_sound_file() {
                true => self.name_rows(rows, number, &graph),
                false => Ok(()),
            }
        };
        let before_it_counts = || name_aside(&mut rows);
        let written = snapshot::write(
            &graph,
            &mut maintenance,
            path,
            number,
            watermark,
            retired,
            before_it_counts,
        );
        let number = match written {
            // Because of that; the written rows are gone.
            Err(_) if retired.load(Ordering::Acquire) => return Ok(()),
            written => written?,
        };
        folder.vectors.store(number, Ordering::Relaxed);
        if is_truth && *rows != Rows::Named(number) {
            self.name_rows(&mut rows, number, &graph)?;
        }
        self.unsaved.fetch_sub(unsaved, Ordering::Relaxed);
        graph.relinked.store(0, Ordering::Relaxed);
        // A file that cannot be deleted takes room until the next snapshot, and does no harm.
        let _ = snapshot::delete_other_vectors(path, number);
        Ok(())
    }

    /// Ends all writing in the folder: once this returns, the index never makes, renames or deletes
    /// a file there again, so that the folder may be renamed or another index made in its place.
    /// Everything else goes on as before, full vectors in the file that is open already.
    ///
    /// A snapshot or a compaction that is under way stops at its next write, which is waited for. From
    /// then on the file of full vectors may be opened again; so nothing may be pushed any more.
    pub fn retire(&self) {
        if let Some(folder) = &self.folder {
            folder.retired.store(true, Ordering::Release);
            let _exclusive = self.exclusive.lock();
            // A file that stays locked is opened when this index is dropped.
            let _ = self.graph.load().nodes.full().unlock();
        }
    }

    /// Vectors that were pushed, removed or renumbered since the last snapshot.
    pub fn unsaved(&self) -> usize {
        self.unsaved.load(Ordering::Relaxed)
    }

    /// The living nodes that were offered to the graph and that no links lead to from where
    /// searches begin. Empty after the check that [`maintain`](Self::maintain) makes once nothing is
    /// left to do and an eighth of the index is new or a sweep has passed; in between a few may be
    /// cut off.
    ///
    /// A check of the whole graph: about a microsecond for each node, during which `maintain` waits.
    pub fn unreachable(&self) -> Vec<u32> {
        self.graph.load().find_unreachable()
    }

    /// Tells whether searches look where sign bits point, for tests of just that.
    #[doc(hidden)]
    pub fn traversal_is_binary(&self) -> bool {
        let graph = self.graph.load();
        let quantizer = graph.quantizer.load();
        quantizer
            .as_deref()
            .is_some_and(|current| current.traversal == Traversal::Binary)
    }

    /// The number of living vectors.
    pub fn len(&self) -> usize {
        self.graph.load().len()
    }

    /// The number of living vectors of one document.
    pub fn count_of(&self, doc: u32) -> usize {
        let graph = self.graph.load();
        graph.nodes.nodes_of(doc, graph.nodes.len()).count()
    }

    /// The number of vectors of removed documents, whose memory has not come back yet.
    pub fn removed(&self) -> usize {
        self.graph.load().removed()
    }

    /// The number of vectors that wait to be linked, which every search scans. Some may be removed already.
    pub fn unlinked(&self) -> usize {
        self.graph.load().unlinked()
    }

    /// The number of vectors that were linked in haste, or by codes that no longer serve, and wait to be linked again.
    /// None is told while other work has the graph for itself.
    pub fn to_relink(&self) -> usize {
        self.graph.load().to_relink()
    }

    /// Vectors that were linked again since the last snapshot.
    pub fn relinked(&self) -> usize {
        self.graph.load().relinked.load(Ordering::Relaxed)
    }

    /// Tells whether no vector is alive.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Bytes held in memory. Full vectors in a file are not among them: the system keeps as many of
    /// its pages as it has room for.
    pub fn memory_bytes(&self) -> usize {
        self.graph.load().memory_bytes()
    }

    /// Bytes of all full vectors, in a file or in memory.
    pub fn stored_bytes(&self) -> usize {
        self.graph.load().nodes.full().stored_bytes()
    }
}

fn check(params: &HnswParams) {
    assert!(
        (1..=DIM_MAX).contains(&params.dim),
        "dim {} is not 1 to 4096",
        params.dim
    );
    assert!(
        params.metric != Metric::Geodegrees || params.dim == 2,
        "geodegrees has dim 2"
    );
    assert!(params.m >= 2, "m {} is below 2", params.m);
}
