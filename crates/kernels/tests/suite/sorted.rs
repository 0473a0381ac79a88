//! Sorted lists: every table puts a number where the first not smaller one was.

use crate::rng::Rng;
use pelorus_kernels::Kernels;

#[test]
fn a_number_goes_before_the_first_that_is_not_smaller() {
    let mut rng = Rng(11);
    for table in Kernels::supported() {
        for len in (0..40).chain([63, 64, 65, 66, 127, 128, 129, 200, 1001]) {
            let mut expected: Vec<u64> = (0..len)
                .map(|_| rng.bits() % 500 * (u64::MAX / 500))
                .collect();
            expected.sort_unstable();
            let mut list = expected.clone();
            // Values behind the list count for nothing and stay, except in the one place taken.
            list.extend([3, 5, 7]);
            let value = match expected.get(len / 2) {
                Some(&there) if len % 3 == 0 => there,
                _ => rng.bits(),
            };
            let at = (table.insert_sorted)(&mut list, len, value);
            assert_eq!(at, expected.iter().filter(|&&other| other < value).count());
            expected.insert(at, value);
            assert_eq!(list[..=len], expected, "{} {len}", table.name);
            assert_eq!(list[len + 1..], [5, 7]);
        }
    }
}

#[test]
fn a_list_without_room_is_refused() {
    for table in Kernels::supported() {
        let insert = || (table.insert_sorted)(&mut [1, 2], 2, 1);
        assert!(std::panic::catch_unwind(insert).is_err(), "{}", table.name);
    }
}
