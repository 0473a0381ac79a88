//! A file of format 1, which had a table of ids, becomes one of today's when it is opened for writing, whenever the
//! power goes or a call fails.

use std::io::ErrorKind;

use redb::TableDefinition;

use super::numbered_batches::{CACHE_BYTES, check, filled_disk, next_batch, open};
use super::simulated_disk::{Calls, Fault, SimulatedDisk};
use crate::disk::Disk;
use crate::file_header::{self, FORMAT_VERSION, HEADER_LEN};
use crate::rows;
use crate::session::{Purpose, SharedDisk};
use crate::{Result, Store, StoreError};

const IDS: TableDefinition<'_, &str, &[u8]> = TableDefinition::new("ids");
const COMMITS: u64 = 8;

/// A disk with a file of format 1: as it was closed, and as a crash left it.
fn old_disks() -> [SimulatedDisk; 2] {
    let closed = filled_disk(COMMITS);
    let store = open(&closed).unwrap();
    let transaction = store.begin_write().unwrap();
    {
        let mut ids = transaction.open_table(IDS).unwrap();
        for doc in 0..500u32 {
            let id = format!("{doc} {}", "of a long name ".repeat(10));
            rows::put(&mut ids, "ids", id.as_str(), &doc.to_le_bytes()).unwrap();
        }
    }
    transaction.commit().unwrap();
    let crashed = closed.copy(0);
    drop(store);
    let old = file_header::encode(1);
    for disk in [&closed, &crashed] {
        disk.write_all_at(&old, 0).unwrap();
        disk.sync().unwrap();
    }
    assert!(closed.content() != crashed.content());
    [closed, crashed]
}

fn open_for_reading(disk: &SimulatedDisk) -> Result<Store> {
    Store::open_on(
        &SharedDisk::new(disk.clone()),
        Purpose::Reading,
        CACHE_BYTES,
    )
}

fn is_of_today(disk: &SimulatedDisk) -> bool {
    disk.content()[..HEADER_LEN] == file_header::encode(FORMAT_VERSION)
}

fn commit(store: &Store) {
    store.commit(&next_batch(store).unwrap()).unwrap();
}

/// Checks the disk after an opening that succeeded.
fn check_upgraded(disk: &SimulatedDisk, store: &Store) {
    assert!(is_of_today(disk));
    assert_eq!(check(store), COMMITS);
}

/// Opens the disk that an interrupted opening left.
fn check_interrupted(disk: &SimulatedDisk) {
    assert_eq!(check(&open_for_reading(disk).unwrap()), COMMITS);
    let store = open(disk).unwrap();
    check_upgraded(disk, &store);
    commit(&store);
    assert_eq!(check(&store), COMMITS + 1);
}

#[test]
fn a_file_of_format_1_becomes_one_of_today() {
    for disk in old_disks() {
        let store = open(&disk).unwrap();
        check_upgraded(&disk, &store);
        for _ in 0..2 {
            commit(&store);
        }
        drop(store);
        assert!(is_of_today(&disk));
        assert_eq!(check(&open(&disk).unwrap()), COMMITS + 2);
    }
}

#[test]
fn a_power_cut_at_any_call_of_an_upgrade_loses_nothing() {
    for old in old_disks() {
        let met = (0..).take_while(|&calls| {
            let disk = old.copy(calls as u8);
            disk.cut_power_after(calls);
            let opened = open(&disk);
            // Bytes that were not stable arrive by chance.
            for _ in 0..8 {
                check_interrupted(&disk.after_power_cut());
            }
            opened.is_err_and(|error| {
                assert!(error.is_io(), "{error}");
                true
            })
        });
        let met = met.count();
        assert!(met > 2, "{met} calls");
    }
}

#[test]
fn an_upgrade_that_fails_at_any_call_is_made_up_for() {
    for old in old_disks() {
        for (calls, count, forgetful) in [
            (Calls::Changes, u64::MAX, false),
            (Calls::Changes, u64::MAX, true),
            (Calls::Changes, 1, false),
            (Calls::Changes, 1, true),
            (Calls::Reads, u64::MAX, false),
            (Calls::Reads, 1, false),
        ] {
            let met = (0..).take_while(|&after| {
                let disk = old.copy(after as u8);
                if forgetful {
                    disk.set_forgetful();
                }
                disk.set_fault(Fault {
                    calls,
                    after,
                    count,
                    kind: ErrorKind::StorageFull,
                });
                let error = match open(&disk) {
                    Ok(store) => {
                        disk.set_fault(None);
                        check_upgraded(&disk, &store);
                        return false;
                    }
                    Err(error) => error,
                };
                assert!(error.is_storage_full(), "{error}");
                disk.set_fault(None);
                check_interrupted(&disk.after_power_cut());
                check_interrupted(&disk);
                true
            });
            let met = met.count();
            assert!(met > 2, "{met} calls");
        }
    }
}

#[test]
fn a_file_of_format_1_that_is_opened_for_reading_stays_one() {
    for disk in old_disks() {
        let (content, changes) = (disk.content(), disk.changes());
        let store = open_for_reading(&disk).unwrap();
        let again = store.reopen_for_reading().unwrap();
        for reading in [&store, &again] {
            assert_eq!(check(reading), COMMITS);
            let refused = reading.commit(&next_batch(reading).unwrap()).unwrap_err();
            assert!(matches!(refused, StoreError::ReadOnly), "{refused}");
        }
        drop(store);
        assert!(disk.content() == content && disk.changes() == changes);
        let store = again.reopen().unwrap();
        drop(again);
        check_upgraded(&disk, &store);
    }
}

#[test]
fn an_upgrade_that_fails_leaves_the_store_before_as_it_was() {
    let [disk, _] = old_disks();
    let reading = open_for_reading(&disk).unwrap();
    disk.set_fault(Fault {
        calls: Calls::Changes,
        after: 0,
        count: 1,
        kind: ErrorKind::StorageFull,
    });
    assert!(reading.reopen().unwrap_err().is_storage_full());
    assert_eq!(check(&reading), COMMITS);
    check_upgraded(&disk, &reading.reopen().unwrap());
}
