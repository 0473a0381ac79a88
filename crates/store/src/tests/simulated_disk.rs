//! A disk in memory whose power is cut and whose calls fail. It is as forgetful as a disk and its
//! system may be: unsynced bytes are lost, kept or torn; after a failed sync it shows bytes that
//! did not arrive, counts them as written, and may go back to the old content at any time.

use std::collections::BTreeSet;
use std::io;
use std::sync::Arc;

use parking_lot::Mutex;
use proptest::prelude::Rng;
use proptest::test_runner::{RngAlgorithm, TestRng};

use crate::disk::Disk;

/// The unit that a disk writes whole or not at all.
const SECTOR: usize = 512;

#[derive(Debug, Clone)]
enum Pending {
    Write { offset: usize, data: Vec<u8> },
    SetLen(usize),
}

/// The calls that fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Calls {
    /// Those that write, resize or sync.
    Changes,
    /// Those that read or ask for the length.
    Reads,
}

/// Calls that fail: `count` of them after `after` that succeed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Fault {
    pub calls: Calls,
    pub after: u64,
    pub count: u64,
    pub kind: io::ErrorKind,
}

#[derive(Debug)]
struct State {
    /// The bytes that a power cut cannot take.
    stable: Vec<u8>,
    /// The bytes that the running process sees.
    current: Vec<u8>,
    /// Changes that the next sync makes stable, in order.
    pending: Vec<Pending>,
    /// Offsets of sectors that a failed sync did not make stable, and no later one will.
    lost: BTreeSet<usize>,
    /// Tells whether lost sectors go back to their stable bytes now and then.
    forgetful: bool,
    /// Calls that change until the power is gone; none while it stays on.
    power_left: Option<u64>,
    fault: Option<Fault>,
    changes: u64,
    unlocks: u64,
    random: TestRng,
}

/// Clones are the same disk.
#[derive(Debug, Clone)]
pub(crate) struct SimulatedDisk(Arc<Mutex<State>>);

impl SimulatedDisk {
    pub(crate) fn new(seed: u8) -> Self {
        Self::holding(Vec::new(), seed)
    }

    fn holding(image: Vec<u8>, seed: u8) -> Self {
        SimulatedDisk(Arc::new(Mutex::new(State {
            stable: image.clone(),
            current: image,
            pending: Vec::new(),
            lost: BTreeSet::new(),
            forgetful: false,
            power_left: None,
            fault: None,
            changes: 0,
            unlocks: 0,
            random: TestRng::from_seed(RngAlgorithm::ChaCha, &[seed; 32]),
        })))
    }

    /// Another disk with the same content, all of it stable.
    pub(crate) fn copy(&self, seed: u8) -> Self {
        Self::holding(self.content(), seed)
    }

    /// The bytes that the running process sees.
    pub(crate) fn content(&self) -> Vec<u8> {
        self.0.lock().current.clone()
    }

    pub(crate) fn cut_power_after(&self, calls: u64) {
        self.0.lock().power_left = Some(calls);
    }

    pub(crate) fn set_fault(&self, fault: impl Into<Option<Fault>>) {
        self.0.lock().fault = fault.into();
    }

    pub(crate) fn set_forgetful(&self) {
        self.0.lock().forgetful = true;
    }

    /// Calls so far that changed or synced, failed ones included.
    pub(crate) fn changes(&self) -> u64 {
        self.0.lock().changes
    }

    pub(crate) fn unlocks(&self) -> u64 {
        self.0.lock().unlocks
    }

    /// The disk after a power cut. The length is one that was set since the last sync, or the one
    /// before; any written sector may have arrived or not.
    pub(crate) fn after_power_cut(&self) -> SimulatedDisk {
        let mut state = self.0.lock();
        let mut image = state.stable.clone();
        let pending = state.pending.clone();
        let seed = state.random.next_u32() as u8;
        state.arrive_by_chance(&mut image, &pending);
        Self::holding(image, seed)
    }
}

impl State {
    /// Brings the length of an image to one that was set, and any of the written sectors to it.
    fn arrive_by_chance(&mut self, image: &mut Vec<u8>, changes: &[Pending]) {
        let is_resize = |op: &&Pending| matches!(op, Pending::SetLen(_));
        let resizes = changes.iter().filter(is_resize).count();
        let mut resizes_kept = self.random.next_u64() as usize % (resizes + 1);
        let all = self.random.next_u64().is_multiple_of(4);
        for op in changes {
            match op {
                Pending::SetLen(len) if resizes_kept > 0 => {
                    image.resize(*len, 0);
                    resizes_kept -= 1;
                }
                Pending::SetLen(_) => {}
                Pending::Write { offset, data } => {
                    for (sector, bytes) in (*offset..).step_by(SECTOR).zip(data.chunks(SECTOR)) {
                        if (all || self.random.next_u64().is_multiple_of(2))
                            && let Some(place) = image.get_mut(sector..sector + bytes.len())
                        {
                            place.copy_from_slice(bytes);
                        }
                    }
                }
            }
        }
    }

    fn sync(&mut self) {
        for op in std::mem::take(&mut self.pending) {
            match op {
                Pending::SetLen(len) => self.stable.resize(len, 0),
                Pending::Write { offset, data } => {
                    self.stable[offset..offset + data.len()].copy_from_slice(&data);
                }
            }
        }
    }

    /// Bytes that did not arrive are shown still, and no later sync will write them. A length is
    /// not lost: file systems stop for good when they cannot keep their own records.
    fn fail_to_sync(&mut self) {
        let pending = std::mem::take(&mut self.pending);
        let mut stable = std::mem::take(&mut self.stable);
        self.arrive_by_chance(&mut stable, &pending);
        stable.resize(self.current.len(), 0);
        self.stable = stable;
        for offset in (0..self.current.len()).step_by(SECTOR) {
            let end = self.current.len().min(offset + SECTOR);
            if self.current[offset..end] != self.stable[offset..end] {
                self.lost.insert(offset);
            }
        }
    }

    fn write(&mut self, offset: usize, data: &[u8]) {
        self.current[offset..offset + data.len()].copy_from_slice(data);
        for sector in (offset / SECTOR * SECTOR..offset + data.len()).step_by(SECTOR) {
            self.lost.remove(&sector);
        }
        self.pending.push(Pending::Write {
            offset,
            data: data.to_vec(),
        });
    }

    fn set_len(&mut self, len: usize) {
        self.current.resize(len, 0);
        self.lost.split_off(&len);
        self.pending.push(Pending::SetLen(len));
    }

    /// Drops some of the bytes that are only in memory.
    fn forget(&mut self) {
        for offset in self.lost.clone() {
            if self.random.next_u64().is_multiple_of(8) {
                let end = self.current.len().min(offset + SECTOR);
                self.current[offset..end].copy_from_slice(&self.stable[offset..end]);
                self.lost.remove(&offset);
            }
        }
    }

    fn meet_fault(&mut self, calls: Calls) -> io::Result<()> {
        if self.forgetful {
            self.forget();
        }
        match &mut self.fault {
            Some(fault) if fault.calls == calls && fault.after > 0 => fault.after -= 1,
            Some(fault) if fault.calls == calls && fault.count > 0 => {
                fault.count -= 1;
                return Err(fault.kind.into());
            }
            _ => {}
        }
        Ok(())
    }
}

impl SimulatedDisk {
    fn change(
        &self,
        apply: impl FnOnce(&mut State),
        fail: impl FnOnce(&mut State),
    ) -> io::Result<()> {
        let mut state = self.0.lock();
        state.changes += 1;
        match &mut state.power_left {
            Some(0) => return Err(io::Error::other("the power is off")),
            Some(left) => *left -= 1,
            None => {}
        }
        let met = state.meet_fault(Calls::Changes);
        match met {
            Ok(()) => apply(&mut state),
            Err(_) => fail(&mut state),
        }
        met
    }

    fn read<T>(&self, read: impl FnOnce(&[u8]) -> io::Result<T>) -> io::Result<T> {
        let mut state = self.0.lock();
        state.meet_fault(Calls::Reads)?;
        read(&state.current)
    }
}

impl Disk for SimulatedDisk {
    fn len(&self) -> io::Result<u64> {
        self.read(|current| Ok(current.len() as u64))
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        self.change(|state| state.set_len(len as usize), |_| ())
    }

    fn read_exact_at(&self, out: &mut [u8], offset: u64) -> io::Result<()> {
        let range = offset as usize..offset as usize + out.len();
        self.read(|current| {
            let found = current.get(range);
            out.copy_from_slice(found.ok_or(io::ErrorKind::UnexpectedEof)?);
            Ok(())
        })
    }

    /// A write that fails has written a part.
    fn write_all_at(&self, data: &[u8], offset: u64) -> io::Result<()> {
        let offset = offset as usize;
        self.change(
            |state| state.write(offset, data),
            |state| {
                let sectors = state.random.next_u64() as usize % data.len().div_ceil(SECTOR);
                state.write(offset, &data[..sectors * SECTOR]);
            },
        )
    }

    fn sync(&self) -> io::Result<()> {
        self.change(State::sync, State::fail_to_sync)
    }

    fn unlock(&self) -> io::Result<()> {
        self.0.lock().unlocks += 1;
        Ok(())
    }
}
