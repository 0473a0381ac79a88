//! Sets of numbers: every table finds those that differ in few, by counting.

use crate::rng::Rng;
use pelorus_kernels::Kernels;

#[test]
fn sets_that_differ_in_few_are_found() {
    let mut rng = Rng(12);
    for len in (0..10_usize).chain([63, 64, 65, 127, 128, 129, 200, 333]) {
        for (lacking, added) in [(0, 0), (1, 1), (2, 2), (1, 64), (2, 64), (0, 3), (64, 64)] {
            let other = rng.bits() & rng.bits();
            let sets: Vec<u64> = (0..len)
                .map(|_| {
                    // Up to four numbers more or less than the other has.
                    let changes = (0..rng.bits() % 5).map(|_| 1 << (rng.bits() % 64));
                    changes.fold(other, |set: u64, number: u64| set ^ number)
                })
                .collect();
            let is_near = |set: &u64| {
                (other & !set).count_ones() <= lacking && (set & !other).count_ones() <= added
            };
            let expected: Vec<bool> = sets.iter().map(is_near).collect();
            for table in Kernels::supported() {
                let mut out = vec![u64::MAX; len.div_ceil(64)];
                (table.near_sets)(&sets, other, lacking, added, &mut out);
                let found: Vec<bool> = (0..len)
                    .map(|at| out[at / 64] >> (at % 64) & 1 == 1)
                    .collect();
                assert_eq!(found, expected, "{} {len} {lacking} {added}", table.name);
                let behind = out.last().map_or(0, |last| match len % 64 {
                    0 => 0,
                    used => last >> used,
                });
                assert_eq!(behind, 0, "{} {len}", table.name);
            }
        }
    }
}

#[test]
fn answers_without_room_are_refused() {
    for table in Kernels::supported() {
        let find = || (table.near_sets)(&[1; 65], 1, 1, 1, &mut [0]);
        assert!(std::panic::catch_unwind(find).is_err(), "{}", table.name);
    }
}
