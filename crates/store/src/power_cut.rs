//! Tests on a disk that loses power: what was not synced is lost, kept or torn as it pleases.

use std::io;
use std::sync::Arc;

use parking_lot::Mutex;
use proptest::prelude::Rng;
use proptest::test_runner::{RngAlgorithm, TestRng};

use crate::disk::Disk;
use crate::session::{Purpose, SharedDisk};
use crate::store_file::prepare_disk;
use crate::{Store, StoreError, WriteBatch, WriteOp};

/// What a disk writes whole or not at all.
const SECTOR: usize = 512;

#[derive(Debug, Clone)]
enum Pending {
    Write { offset: usize, data: Vec<u8> },
    SetLen(usize),
}

#[derive(Debug, Default)]
struct State {
    /// What a power cut cannot take.
    stable: Vec<u8>,
    /// What the running process sees.
    current: Vec<u8>,
    /// Changes since the last sync, in order.
    pending: Vec<Pending>,
    /// Calls that change or sync until the power is gone; none while it stays on.
    calls_left: Option<u64>,
}

/// A disk in memory. Clones are the same disk.
#[derive(Debug, Clone, Default)]
struct SimulatedDisk(Arc<Mutex<State>>);

impl SimulatedDisk {
    fn change(&self, apply: impl FnOnce(&mut State)) -> io::Result<()> {
        let mut state = self.0.lock();
        match &mut state.calls_left {
            Some(0) => return Err(io::Error::other("the power is off")),
            Some(left) => *left -= 1,
            None => {}
        }
        apply(&mut state);
        Ok(())
    }

    /// The disk after the cut. The length is one that was set since the last sync, or the one
    /// before; of what was written, any sector may have arrived or not.
    fn after_power_cut(&self, random: &mut TestRng) -> SimulatedDisk {
        let state = self.0.lock();
        let mut image = state.stable.clone();
        let resizes = state
            .pending
            .iter()
            .filter(|op| matches!(op, Pending::SetLen(_)))
            .count();
        let mut resizes_kept = random.next_u64() as usize % (resizes + 1);
        let all = random.next_u64().is_multiple_of(4);
        for op in &state.pending {
            match op {
                Pending::SetLen(len) if resizes_kept > 0 => {
                    image.resize(*len, 0);
                    resizes_kept -= 1;
                }
                Pending::SetLen(_) => {}
                Pending::Write { offset, data } => {
                    for (sector, bytes) in (*offset..).step_by(SECTOR).zip(data.chunks(SECTOR)) {
                        if (all || random.next_u64().is_multiple_of(2))
                            && let Some(place) = image.get_mut(sector..sector + bytes.len())
                        {
                            place.copy_from_slice(bytes);
                        }
                    }
                }
            }
        }
        SimulatedDisk(Arc::new(Mutex::new(State {
            stable: image.clone(),
            current: image,
            ..State::default()
        })))
    }
}

impl Disk for SimulatedDisk {
    fn len(&self) -> io::Result<u64> {
        Ok(self.0.lock().current.len() as u64)
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        self.change(|state| {
            state.current.resize(len as usize, 0);
            state.pending.push(Pending::SetLen(len as usize));
        })
    }

    fn read_exact_at(&self, out: &mut [u8], offset: u64) -> io::Result<()> {
        let state = self.0.lock();
        let range = offset as usize..offset as usize + out.len();
        let found = state
            .current
            .get(range)
            .ok_or(io::ErrorKind::UnexpectedEof)?;
        out.copy_from_slice(found);
        Ok(())
    }

    fn write_all_at(&self, data: &[u8], offset: u64) -> io::Result<()> {
        let offset = offset as usize;
        self.change(|state| {
            state.current[offset..offset + data.len()].copy_from_slice(data);
            state.pending.push(Pending::Write {
                offset,
                data: data.to_vec(),
            });
        })
    }

    fn sync(&self) -> io::Result<()> {
        self.change(|state| {
            state.stable.clone_from(&state.current);
            state.pending.clear();
        })
    }

    fn unlock(&self) -> io::Result<()> {
        Ok(())
    }
}

const CACHE_BYTES: usize = 1 << 18;
const IDS: u64 = 30;

/// Batch `s` writes eight ids, of sizes that make the file grow and shrink, and deletes one.
fn batch(sequence: u64, next_doc: u32) -> WriteBatch {
    let put = |i: u64| WriteOp::Put {
        id: format!("id-{}", (sequence * 8 + i) % IDS),
        doc: next_doc + i as u32,
        document: sequence.to_le_bytes().to_vec(),
        tensors: vec![
            sequence as u8;
            if sequence.is_multiple_of(7) {
                60_000
            } else {
                700
            }
        ],
    };
    let mut ops: Vec<_> = (0..8).map(put).collect();
    ops.push(WriteOp::Delete {
        id: format!("id-{}", sequence * 8 % IDS),
    });
    WriteBatch { ops }
}

/// The batch that last wrote `id` at or before `sequence`, if it left it alive.
fn writer_of(id: u64, sequence: u64) -> Option<u64> {
    let last = (1..=sequence)
        .rev()
        .find(|s| (0..8).any(|i| (s * 8 + i) % IDS == id))?;
    (last * 8 % IDS != id).then_some(last)
}

fn open(disk: &SimulatedDisk) -> Result<Store, StoreError> {
    let shared = SharedDisk::new(disk.clone());
    Store::open_on(&shared, Purpose::Writing, CACHE_BYTES)
}

fn check(store: &Store) -> u64 {
    let view = store.read().unwrap();
    let sequence = view.sequence().unwrap();
    for id in 0..IDS {
        let doc = view.doc_of(&format!("id-{id}")).unwrap();
        let written = doc.map(|doc| {
            let document = view.document(doc).unwrap().unwrap();
            let written = u64::from_le_bytes(document.try_into().unwrap());
            let tensors = view.tensors(doc).unwrap().unwrap();
            assert!(tensors.iter().all(|&byte| byte == written as u8));
            written
        });
        assert_eq!(written, writer_of(id, sequence), "id-{id} at {sequence}");
    }
    view.scan(0, 0, |_, _, _| Ok::<_, StoreError>(())).unwrap();
    sequence
}

/// Commits until the power goes; the last sequence that was acknowledged.
fn commit_until_dark(store: &Store) -> u64 {
    let mut acknowledged = check(store);
    loop {
        let view = store.read().unwrap();
        let batch = batch(acknowledged + 1, view.next_doc().unwrap());
        drop(view);
        if store.commit(&batch).is_err() {
            return acknowledged;
        }
        acknowledged += 1;
    }
}

#[test]
fn a_power_cut_at_any_call_loses_nothing_that_was_acknowledged() {
    let mut random = TestRng::from_seed(RngAlgorithm::ChaCha, &[9; 32]);
    let mut disk = SimulatedDisk::default();
    prepare_disk(&disk).unwrap();
    Store::make_on(&SharedDisk::new(disk.clone()), b"definition", CACHE_BYTES).unwrap();
    let mut acknowledged = 0;
    for cut in 0..400 {
        // Soon enough to hit recovery from the cut before, late enough to make some progress.
        disk.0.lock().calls_left = Some(random.next_u64() % if cut % 3 == 0 { 12 } else { 150 });
        if let Ok(store) = open(&disk) {
            acknowledged = commit_until_dark(&store);
        }
        disk = disk.after_power_cut(&mut random);

        // Looked at on a copy, so that the next round recovers from this cut once more.
        let copy = disk.after_power_cut(&mut random);
        let sequence = check(&open(&copy).unwrap());
        assert!(
            sequence == acknowledged || sequence == acknowledged + 1,
            "cut {cut}: {acknowledged} acknowledged, {sequence} found"
        );
        acknowledged = sequence;
    }
    assert!(acknowledged > 300, "only {acknowledged} commits");
}
