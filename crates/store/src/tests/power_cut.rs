use proptest::prelude::Rng;
use proptest::test_runner::{RngAlgorithm, TestRng};

use super::numbered_batches::{check, new_disk, next_batch, open};
use crate::Store;

/// Commits until the power goes; the last sequence that was acknowledged.
fn commit_until_dark(store: &Store) -> u64 {
    let mut acknowledged = check(store);
    while store.commit(&next_batch(store).unwrap()).is_ok() {
        acknowledged += 1;
    }
    acknowledged
}

#[test]
fn a_power_cut_at_any_call_loses_nothing_that_was_acknowledged() {
    let mut random = TestRng::from_seed(RngAlgorithm::ChaCha, &[9; 32]);
    let mut disk = new_disk(9);
    let mut acknowledged = 0;
    for cut in 0..400 {
        // Soon enough to hit recovery from the cut before, late enough to make some progress.
        disk.cut_power_after(random.next_u64() % if cut % 3 == 0 { 12 } else { 150 });
        if let Ok(store) = open(&disk) {
            acknowledged = commit_until_dark(&store);
        }
        disk = disk.after_power_cut();

        // Looked at on a copy, so that the next round recovers from this cut once more.
        let sequence = check(&open(&disk.after_power_cut()).unwrap());
        assert!(
            sequence == acknowledged || sequence == acknowledged + 1,
            "cut {cut}: {acknowledged} acknowledged, {sequence} found"
        );
        acknowledged = sequence;
    }
    assert!(acknowledged > 300, "only {acknowledged} commits");
}
