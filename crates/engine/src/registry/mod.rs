//! The indexes of one data directory: which there are, which are open, and their errors.
//!
//! No index is ever forgotten. One that cannot be opened keeps its place and its name, its calls
//! are answered with the reason, and the [mender](mender) opens it again once that works.

mod changes;
mod descriptors;
mod health;
pub(crate) mod layout;
pub(crate) mod lock;
mod mender;
mod new_home;
mod removal;
mod slot;
pub(crate) mod waker;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use crossbeam_channel::{Sender, bounded};
use parking_lot::{Mutex, RwLock};

use self::lock::DirectoryLock;
use self::waker::Waker;
use crate::audit::auditor;
use crate::background::activity::Activity;
use crate::background::maintenance;
use crate::error::{DataDirectoryError, EngineError, RegistryError, Result, catch_panic};
use crate::generated::{EngineHealth, EngineOptions};
use crate::index::expiries::Clock;
use crate::index::{Index, IndexContext};
use crate::write::budget::WriteBudget;
use crate::write::writer;

use layout::{Layout, folder_name, folders, index_of_folder, is_gone};
pub(crate) use new_home::NewHome;
use removal::Removals;
pub(crate) use slot::Slot;

/// Indexes closed at once: each waits for the disk, not for a core.
const CLOSING_THREADS: usize = 8;

pub(crate) struct Registry {
    layout: Layout,
    context: Mutex<Option<IndexContext>>,
    slots: RwLock<BTreeMap<String, Arc<Slot>>>,
    /// Creation and deletion take turns; searches and writes never wait for them.
    changing: Mutex<()>,
    /// Indexes that are none, though a failing disk still holds a folder of theirs, or would again
    /// after a power cut. Their names are free when that is settled.
    removals: Mutex<Removals>,
    /// Names of indexes that are being made, which nobody else may take.
    reserved: Mutex<BTreeSet<String>>,
    /// Descriptors that open indexes may hold together.
    descriptors_max: usize,
    activity: Arc<Activity>,
    /// Ends the auditor when it is dropped; none where there is no audit.
    _audits: Option<Sender<()>>,
}

impl Registry {
    /// Opens a data directory and every index in it. An index that cannot be opened stops nothing.
    ///
    /// # Errors
    /// `data_directory_in_use`, `data_directory_unreadable`, `newer_format` and
    /// `server_configuration_error` when too few files may be open.
    pub fn open(directory: &Path, limits: EngineOptions) -> Result<Arc<Self>> {
        let descriptors_max = match limits.open_files_max {
            Some(most) => most,
            None => descriptors::budget()?,
        };
        let lock = DirectoryLock::acquire(directory)?;
        if let Some(bytes) = limits.code_memory_max {
            pelorus_hnsw::limit_code_memory(bytes);
        }
        let (waker, calls) = Waker::new();
        let activity = Arc::new(Activity::new());
        let interval = Duration::from_secs(limits.audit_interval_seconds as u64);
        let (audits, ends) = bounded(0);
        let registry = Arc::new(Self {
            _audits: Some(audits).filter(|_| !interval.is_zero()),
            layout: Layout::new(directory),
            context: Mutex::new(Some(IndexContext {
                writes: WriteBudget::new(limits.queued_bytes_max),
                limits: Arc::new(limits),
                clock: Clock::default(),
                waker,
                activity: activity.clone(),
                _lock: Arc::new(lock),
            })),
            slots: RwLock::default(),
            changing: Mutex::default(),
            removals: Mutex::new(Removals::none()),
            reserved: Mutex::default(),
            descriptors_max,
            activity,
        });
        let unusable = |error| DataDirectoryError::unusable(directory, error);
        registry.layout.prepare().map_err(unusable)?;
        let mut homes: BTreeMap<String, Vec<PathBuf>> = BTreeMap::new();
        for home in folders(&registry.layout.indexes()).map_err(unusable)? {
            let (name, home) = registry.identify(home)?;
            homes.entry(name).or_default().push(home);
        }
        let slots: Vec<Arc<Slot>> = homes
            .into_iter()
            .map(|(name, homes)| Slot::new(name, homes))
            .collect();
        registry.open_all(&slots)?;
        mender::start(Arc::downgrade(&registry), calls)?;
        if !interval.is_zero() {
            auditor::start(Arc::downgrade(&registry), interval, ends)?;
        }
        registry.context()?.waker.wake();
        Ok(registry)
    }

    /// The index that a folder holds. One of an earlier version does not say so itself: its store
    /// is asked, and the folder renamed. Where that fails it goes by the folder's name.
    fn identify(&self, home: PathBuf) -> Result<(String, PathBuf)> {
        let folder = folder_name(&home);
        if let Some(name) = index_of_folder(&folder) {
            return Ok((name.to_owned(), home));
        }
        let name = match catch_panic(|| Index::stored_name(&home)) {
            Ok(name) => name,
            Err(error) if error.is_newer_format() => return Err(error),
            Err(_) => return Ok((folder, home)),
        };
        let named = home.with_file_name(format!("{folder}.{name}"));
        let renamed = fs::rename(&home, &named);
        let home = if renamed.is_ok() { named } else { home };
        Ok((name, home))
    }

    /// Opens the indexes found at start, on as many threads as there are cores.
    fn open_all(&self, slots: &[Arc<Slot>]) -> Result<()> {
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        let queue = Mutex::new(slots.iter().rev().collect::<Vec<_>>());
        let newer = Mutex::new(None);
        std::thread::scope(|scope| {
            for _ in 0..threads.min(slots.len()) {
                scope.spawn(|| {
                    while newer.lock().is_none()
                        && let Some(slot) = { queue.lock().pop() }
                    {
                        let opened = {
                            let _turn = slot.turn.lock();
                            self.open_slot(slot)
                        };
                        if let Err(error) = opened
                            && error.is_newer_format()
                        {
                            *newer.lock() = Some(error);
                        }
                        let mut known = self.slots.write();
                        known.insert(slot.name.clone(), Arc::clone(slot));
                        drop(known);
                        self.close_least_used(slot);
                    }
                });
            }
        });
        match newer.into_inner() {
            Some(error) => {
                self.close();
                Err(error)
            }
            None => Ok(()),
        }
    }

    pub(crate) fn context(&self) -> Result<IndexContext> {
        let context = self.context.lock().clone();
        Ok(context.ok_or(RegistryError::Closed)?)
    }

    /// All indexes, whatever state they are in.
    pub fn slots(&self) -> Vec<Arc<Slot>> {
        self.slots.read().values().cloned().collect()
    }

    /// The place of an index.
    ///
    /// # Errors
    /// `index_not_found`.
    pub fn slot(&self, name: &str) -> Result<Arc<Slot>> {
        let slot = self.slots.read().get(name).cloned();
        Ok(slot.ok_or_else(|| RegistryError::not_found(name))?)
    }

    /// An index, opened if it is idle.
    ///
    /// # Errors
    /// `index_not_found`, and why the index cannot be opened.
    pub fn index(&self, name: &str) -> Result<Arc<Index>> {
        let slot = self.slot(name)?;
        slot.touch(self.activity.next());
        if let Some(index) = slot.open.load_full() {
            return Ok(index);
        }
        if let Some(error) = slot.error() {
            return Err(error);
        }
        let index = {
            let _turn = slot.turn.lock();
            // While this call waited for its turn others may have dropped the index, or opened it.
            if slot.dropped.load(Ordering::Acquire) {
                return Err(RegistryError::not_found(name).into());
            }
            match slot.open.load_full() {
                Some(index) => index,
                None => self.open_slot(&slot)?,
            }
        };
        self.close_least_used(&slot);
        Ok(index)
    }

    /// Opens an index whose turn the caller holds. A failure is noted and tried again later.
    fn open_slot(&self, slot: &Slot) -> Result<Arc<Index>> {
        debug_assert!(slot.turn.is_locked(), "one at a time opens an index");
        debug_assert!(slot.open.load().is_none(), "an index is open once");
        let opened = self.open_files(slot).map_err(|error| {
            let error = unopened(&slot.name, &slot.homes.lock(), error);
            slot.failed(error.clone());
            error
        });
        match opened {
            Ok(index) => {
                *slot.unopened.lock() = None;
                slot.opened(&index);
                maintenance::wake(&index);
                Ok(index)
            }
            Err(error) => {
                if let Ok(context) = self.context() {
                    context.waker.wake();
                }
                Err(error)
            }
        }
    }

    fn open_files(&self, slot: &Slot) -> Result<Arc<Index>> {
        let context = self.context()?;
        let home = {
            let mut homes = slot.homes.lock();
            if homes.len() > 1 {
                homes.retain(|home| !is_gone(home));
            }
            match homes.as_slice() {
                [home] => home.clone(),
                [] => return Err(RegistryError::MissingFolder.into()),
                several => {
                    let count = several.len();
                    return Err(RegistryError::SeveralFolders { count }.into());
                }
            }
        };
        let open = || {
            let index = Index::open(&slot.name, &home, context.clone())?;
            writer::start(&index)?;
            Ok(index)
        };
        catch_unwind(AssertUnwindSafe(open)).unwrap_or_else(|panic| {
            // Damage that no checksum showed is looked for in data that can be made anew.
            let error = EngineError::of_panic(&*panic);
            log::error!(
                "opening index {}: {error}; its derived files are made anew",
                slot.name
            );
            Index::set_derived_aside(&home, &self.layout.trash())?;
            catch_panic(open)
        })
    }

    /// Closes the indexes that were not used for longest while more descriptors are in use than
    /// may be. The next call opens them again.
    fn close_least_used(&self, except: &Slot) {
        loop {
            let slots: Vec<Arc<Slot>> = self.slots.read().values().cloned().collect();
            let mut open: Vec<(u64, &Arc<Slot>)> = Vec::new();
            let mut descriptors = 0;
            for slot in &slots {
                if let Some(index) = &*slot.open.load() {
                    descriptors += index.descriptors();
                    open.push((slot.used(), slot));
                }
            }
            if descriptors <= self.descriptors_max {
                return;
            }
            open.sort_by_key(|(used, _)| *used);
            let mut candidates = open.into_iter().map(|(_, slot)| slot);
            let closed = candidates.any(|slot| slot.name != except.name && set_idle(slot));
            if !closed {
                // All of them are in use: more than planned, within the other half's rest.
                return;
            }
        }
    }

    /// Names of all indexes, sorted, those that cannot be opened among them.
    pub fn names(&self) -> Vec<String> {
        self.slots.read().keys().cloned().collect()
    }

    /// The definition of the index, also while it cannot be opened any more.
    ///
    /// # Errors
    /// `index_not_found`, and why an index that was never open cannot be opened.
    pub fn definition(&self, name: &str) -> Result<Vec<u8>> {
        let slot = self.slot(name)?;
        match (&*slot.definition.load(), slot.error()) {
            (Some(definition), _) => Ok(definition.load().to_vec()),
            (None, Some(error)) => Err(error),
            (None, None) => Ok(self.index(name)?.definition.json.load().to_vec()),
        }
    }

    pub fn health(&self) -> EngineHealth {
        EngineHealth::of(self.slots.read().values().map(|slot| &**slot))
    }

    /// Finishes queued writes and releases the directory. Later calls find no index.
    pub fn close(&self) {
        let slots = std::mem::take(&mut *self.slots.write());
        let queue = Mutex::new(slots.into_values().collect::<Vec<_>>());
        std::thread::scope(|scope| {
            for _ in 0..CLOSING_THREADS {
                scope.spawn(|| {
                    while let Some(slot) = { queue.lock().pop() } {
                        let _turn = slot.turn.lock();
                        slot.dropped.store(true, Ordering::Release);
                        if let Some(index) = slot.open.swap(None) {
                            index.close();
                            await_readers(&index);
                        }
                    }
                });
            }
        });
        self.context.lock().take();
    }
}

/// Closes an index that nobody uses; false when somebody does.
fn set_idle(slot: &Slot) -> bool {
    let Some(_turn) = slot.turn.try_lock() else {
        return false;
    };
    let Some(index) = slot.open.swap(None) else {
        return false;
    };
    // Whoever got it before it was taken out holds it too.
    if Arc::strong_count(&index) > 1 || !index.takes_writes() {
        slot.open.store(Some(index));
        return false;
    }
    index.close();
    await_readers(&index);
    true
}

/// Waits a bounded time until searches and maintenance have let go, so that the files are
/// closed when the engine says so.
fn await_readers(index: &Arc<Index>) {
    for _ in 0..5_000 {
        if Arc::strong_count(index) == 1 {
            return;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// The error of an index that cannot be opened, with what to do about it.
fn unopened(name: &str, homes: &[PathBuf], error: EngineError) -> EngineError {
    let error = RegistryError::Unopened {
        name: name.to_owned(),
        folders: homes.iter().map(|home| folder_name(home)).collect(),
        source: Box::new(error),
    };
    error.into()
}
