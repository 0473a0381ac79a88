//! Calls that fail, at each place and in long random sequences.

use std::io::ErrorKind;

use proptest::prelude::Rng;
use proptest::test_runner::{RngAlgorithm, TestRng};

use super::numbered_batches::{
    CACHE_BYTES, check, check_view, filled_disk, new_disk, next_batch, open, open_with_cache,
};
use super::simulated_disk::{Calls, Fault, SimulatedDisk};
use crate::session::SharedDisk;
use crate::store_file::prepare_disk;
use crate::{Store, StoreError};

const UNTIL_MENDED: u64 = u64::MAX;

fn fault(calls: Calls, after: u64, count: u64, kind: ErrorKind) -> Fault {
    Fault {
        calls,
        after,
        count,
        kind,
    }
}

/// Fails a call of a commit, does everything one may do afterwards, and returns whether the
/// commit was long enough to have that call.
fn survive(disk: &SimulatedDisk, failing: Fault, forgetful: bool) -> bool {
    let store = open(disk).unwrap();
    let before = check(&store);
    let view = store.read().unwrap();
    let batch = next_batch(&store).unwrap();
    if forgetful {
        disk.set_forgetful();
    }
    disk.set_fault(failing);
    let Err(error) = store.commit(&batch) else {
        return false;
    };
    let is_full = failing.kind == ErrorKind::StorageFull;
    let as_expected = |error: &StoreError| error.is_io() && error.is_storage_full() == is_full;
    assert!(as_expected(&error), "{error}");

    // Reads go on. Only where the system forgets pages that it could not write, the tree may have
    // met that before the commit was over, and closed.
    let is_readable = |store: &Store| match store.read().and_then(|view| check_view(&view)) {
        Ok(sequence) => assert_eq!(sequence, before),
        Err(error) => assert!(forgetful && error.is_io(), "{error}"),
    };
    is_readable(&store);
    assert!(!store.is_writable());
    let again = store.commit(&batch).unwrap_err();
    assert!(as_expected(&again), "{again}");

    if failing.count == UNTIL_MENDED {
        let refused = store.reopen().unwrap_err();
        assert!(as_expected(&refused), "{refused}");
        is_readable(&store);
        let content = disk.content();
        let reading = store.reopen_for_reading().unwrap();
        let sequence = check(&reading);
        assert!(sequence == before || sequence == before + 1);
        let refused = reading.commit(&batch).unwrap_err();
        assert!(matches!(refused, StoreError::ReadOnly), "{refused}");
        drop(reading);
        assert!(forgetful || disk.content() == content);
        is_readable(&store);
    }

    disk.set_fault(None);
    let anew = store.reopen().unwrap();
    let mut sequence = check(&anew);
    assert!(sequence == before || sequence == before + 1);
    for closed in [
        store.read().map(drop),
        store.commit(&batch),
        store.reopen().map(drop),
    ] {
        assert!(matches!(closed, Err(StoreError::Closed)), "{closed:?}");
    }
    let mut commit = || {
        anew.commit(&next_batch(&anew).unwrap()).unwrap();
        sequence += 1;
        sequence
    };
    commit();
    let (content, changes) = (disk.content(), disk.changes());
    match check_view(&view) {
        Ok(sequence) => assert_eq!(sequence, before),
        Err(error) => assert!(matches!(error, StoreError::Closed), "{error}"),
    }
    drop((view, store));
    assert!(disk.changes() == changes && (forgetful || disk.content() == content));
    let sequence = commit();
    assert_eq!(check(&anew), sequence);

    assert_eq!(disk.unlocks(), 0);
    assert_eq!(check(&open(&disk.after_power_cut()).unwrap()), sequence);
    drop(anew);
    assert_eq!(disk.unlocks(), 1);
    true
}

#[test]
fn a_commit_that_fails_at_any_call_is_survived() {
    // The second commit grows the file, the third finds it grown.
    for commits in [5, 6, 7] {
        let filled = filled_disk(commits);
        for (kind, count, forgetful) in [
            (ErrorKind::StorageFull, UNTIL_MENDED, false),
            (ErrorKind::StorageFull, 1, true),
            (ErrorKind::Other, UNTIL_MENDED, true),
            (ErrorKind::Other, 1, false),
        ] {
            let met = (0..).take_while(|&after| {
                let disk = filled.copy(after as u8);
                survive(&disk, fault(Calls::Changes, after, count, kind), forgetful)
            });
            let met = met.count();
            assert!(met > 15, "a commit of {met} calls");
        }
    }
}

#[test]
fn a_read_that_fails_is_not_taken_for_damage_and_may_be_tried_again() {
    let filled = filled_disk(8);
    let read_all_and_commit = |store: &Store| {
        check_view(&store.read()?)?;
        store.commit(&next_batch(store)?)
    };
    let mut met = 0;
    loop {
        let disk = filled.copy(met);
        let store = open_with_cache(&disk, 0).unwrap();
        let before = check(&store);
        disk.set_fault(fault(Calls::Reads, u64::from(met), 1, ErrorKind::Other));
        let Err(error) = read_all_and_commit(&store) else {
            break;
        };
        assert!(error.is_io(), "{error}");
        let again = store.commit(&next_batch(&open(&filled.copy(0)).unwrap()).unwrap());
        assert!(again.as_ref().is_err_and(StoreError::is_io), "{again:?}");
        let anew = store.reopen().unwrap();
        let sequence = check(&anew);
        assert!(sequence == before || sequence == before + 1);
        read_all_and_commit(&anew).unwrap();
        met += 1;
    }
    assert!(met > 50, "{met} reads");
}

#[test]
fn an_opening_that_fails_at_any_call_changes_nothing_that_matters() {
    let closed = filled_disk(8);
    let store = open(&closed).unwrap();
    let unclean = closed.copy(0);
    drop(store);
    for (disk, calls) in [
        (&closed, Calls::Changes),
        (&closed, Calls::Reads),
        (&unclean, Calls::Changes),
        (&unclean, Calls::Reads),
    ] {
        let met = (0..).take_while(|&after| {
            let disk = disk.copy(after as u8);
            let content = disk.content();
            disk.set_fault(fault(calls, after, UNTIL_MENDED, ErrorKind::Other));
            let Err(error) = open(&disk) else {
                return false;
            };
            assert!(error.is_io(), "{error}");
            if calls == Calls::Reads {
                assert!(disk.content() == content);
            }
            disk.set_fault(None);
            assert_eq!(check(&open(&disk.after_power_cut()).unwrap()), 8);
            check(&open(&disk).unwrap()) == 8
        });
        let met = met.count();
        assert!(met > 1, "{met} calls");
    }
}

#[test]
fn a_store_that_cannot_be_made_says_so() {
    let mut after = 0;
    loop {
        let disk = SimulatedDisk::new(0);
        prepare_disk(&disk).unwrap();
        disk.set_fault(fault(Calls::Changes, after, 1, ErrorKind::StorageFull));
        let shared = SharedDisk::new(disk.clone());
        match Store::make_on(&shared, b"definition", CACHE_BYTES) {
            Ok(_) => break,
            Err(error) => assert!(error.is_storage_full(), "{error}"),
        }
        after += 1;
    }
    assert!(after > 5, "{after} calls");
}

/// One disk with all stores that are open on it, and its known content.
struct Life {
    disk: SimulatedDisk,
    store: Store,
    /// Stores whose place another took.
    old: Vec<Store>,
    acknowledged: u64,
    /// Tells whether the commit after the last one acknowledged failed, and may be there or not.
    in_doubt: bool,
}

impl Life {
    fn begin(disk: SimulatedDisk) -> Self {
        Life {
            store: open(&disk).unwrap(),
            acknowledged: 0,
            in_doubt: false,
            old: Vec::new(),
            disk,
        }
    }

    fn possible(&self, sequence: u64) {
        let in_doubt = self.in_doubt && sequence == self.acknowledged + 1;
        assert!(
            sequence == self.acknowledged || in_doubt,
            "{} acknowledged, {sequence} found",
            self.acknowledged
        );
    }

    /// A store may fail to answer, never answer wrongly or call its file damaged.
    fn read(&self, store: &Store) -> Option<u64> {
        match store.read().and_then(|view| check_view(&view)) {
            Ok(sequence) => Some(sequence),
            Err(error) => {
                assert!(
                    error.is_io() || matches!(error, StoreError::Closed),
                    "{error}"
                );
                None
            }
        }
    }

    fn commit(&mut self) {
        let committed = next_batch(&self.store).and_then(|batch| {
            let pending = self.store.begin(&batch)?;
            // From here on the batch may be there, whatever happens.
            self.in_doubt = true;
            pending.commit()
        });
        match committed {
            Ok(()) => {
                self.acknowledged += 1;
                self.in_doubt = false;
                assert!(
                    self.read(&self.store)
                        .is_none_or(|s| s == self.acknowledged)
                );
            }
            Err(error) => assert!(
                error.is_io() || matches!(error, StoreError::ReadOnly),
                "{error}"
            ),
        }
    }

    fn take_over(&mut self, opened: Result<Store, StoreError>) {
        match opened {
            Ok(store) => {
                if let Some(sequence) = self.read(&store) {
                    self.possible(sequence);
                    if store.is_writable() {
                        (self.acknowledged, self.in_doubt) = (sequence, false);
                    }
                }
                self.old.push(std::mem::replace(&mut self.store, store));
            }
            Err(error) => assert!(error.is_io(), "{error}"),
        }
    }

    fn cut_power(&mut self) {
        let mut life = Life::begin(self.disk.after_power_cut());
        life.acknowledged = check(&life.store);
        self.possible(life.acknowledged);
        *self = life;
    }
}

#[test]
fn nothing_acknowledged_is_lost_by_any_sequence_of_failures() {
    for seed in 0..6 {
        println!("seed {seed}");
        let mut random = TestRng::from_seed(RngAlgorithm::ChaCha, &[seed; 32]);
        let mut life = Life::begin(new_disk(seed));
        let mut commits = 0;
        for _ in 0..500 {
            if seed % 2 == 0 {
                life.disk.set_forgetful();
            }
            let some = |random: &mut TestRng, bound: u64| random.next_u64() % bound;
            match some(&mut random, 20) {
                0..=9 => {
                    let before = life.acknowledged;
                    life.commit();
                    commits += life.acknowledged - before;
                }
                10 | 11 => life.disk.set_fault(fault(
                    Calls::Changes,
                    some(&mut random, 60),
                    [1, 3, UNTIL_MENDED][some(&mut random, 3) as usize],
                    [ErrorKind::StorageFull, ErrorKind::Other][some(&mut random, 2) as usize],
                )),
                12 => life.disk.set_fault(fault(
                    Calls::Reads,
                    some(&mut random, 60),
                    [1, UNTIL_MENDED][some(&mut random, 2) as usize],
                    ErrorKind::Other,
                )),
                13 | 14 => life.disk.set_fault(None),
                15 => life.take_over(life.store.reopen_for_reading()),
                16 | 17 => {
                    if !life.store.is_writable() {
                        life.take_over(life.store.reopen());
                    }
                }
                18 => {
                    life.old.clear();
                    // A batch that is never committed.
                    let batch = next_batch(&life.store);
                    let _ = batch.and_then(|batch| life.store.begin(&batch).map(drop));
                }
                _ => {
                    if let Some(sequence) = life.read(&life.store) {
                        life.possible(sequence);
                    }
                    if some(&mut random, 2) == 0 {
                        life.cut_power();
                    }
                }
            }
        }
        life.disk.set_fault(None);
        life.cut_power();
        assert!(commits > 60, "only {commits} commits");
    }
}
