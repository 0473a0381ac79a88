//! Full vectors against a plain list of them.

mod full_disk;
mod power_cut;
mod refusals;

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::PathBuf;
use std::thread;

use proptest::prelude::*;
use tempfile::TempDir;

use super::byte_rows::RUN_ROWS;
use super::*;

/// A component that tells where it belongs, and that all types but floats have to round.
fn component(node: usize, i: usize) -> f32 {
    (node * 31 + i) as f32 * 0.37 - 50.0
}

fn vector(node: usize, dim: usize) -> Vec<f32> {
    (0..dim).map(|i| component(node, i)).collect()
}

fn stored(vector: &[f32], numeric: NumericType) -> Vec<f32> {
    let (mut vector, dim) = (vector.to_vec(), vector.len());
    numeric.round(&mut vector, dim);
    vector
}

fn assert_holds(vectors: &FullVectors, model: &[Vec<f32>]) {
    assert_eq!(vectors.len(), model.len());
    for (node, expected) in model.iter().enumerate() {
        let expected = stored(expected, vectors.numeric);
        vectors.with_row(node, |row| assert_eq!(row, expected, "node {node}"));
    }
}

struct Place {
    _dir: TempDir,
    path: PathBuf,
}

fn place() -> Place {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("vectors");
    Place { _dir: dir, path }
}

/// A file of `count` vectors, and their checksums.
fn file_of(place: &Place, dim: usize, numeric: NumericType, count: usize) -> Vec<u32> {
    let vectors = FullVectors::create(&place.path, dim, numeric).unwrap();
    for node in 0..count {
        vectors.append(&vector(node, dim)).unwrap();
    }
    vectors.sync().unwrap();
    vectors.checksums(count)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Appends, and now and then opens the file at an earlier length, as a crash leaves it.
    #[test]
    fn vectors_of_all_types_read_as_written_from_memory_and_a_file(
        dim in 1usize..20,
        steps in prop::collection::vec((1usize..1500, 0.0f64..1.0, any::<bool>()), 1..5),
        numeric in prop::sample::select(&NumericType::ALL[..]),
    ) {
        let place = place();
        let memory = FullVectors::in_memory(dim, numeric);
        let mut file = FullVectors::create(&place.path, dim, numeric).unwrap();
        let (mut in_memory, mut in_file) = (Vec::new(), Vec::new());
        for (count, kept, crash) in steps {
            for _ in 0..count {
                let next = vector(in_memory.len(), dim);
                prop_assert_eq!(memory.append(&next).unwrap(), in_memory.len());
                prop_assert_eq!(file.append(&next).unwrap(), in_file.len());
                in_memory.push(next.clone());
                in_file.push(next);
            }
            if crash {
                let len = (in_file.len() as f64 * kept) as usize;
                let sums = file.checksums(len);
                drop(file);
                file = FullVectors::open(&place.path, dim, numeric, len, &sums, |_, _| {}).unwrap();
                in_file.truncate(len);
                prop_assert_eq!(file.checksums(len), sums);
            }
        }
        assert_holds(&memory, &in_memory);
        assert_holds(&file, &in_file);
        let bytes = |model: &[Vec<f32>]| model.len() * numeric.row_bytes(dim);
        prop_assert_eq!(memory.resident_bytes(), bytes(&in_memory));
        prop_assert_eq!((file.resident_bytes(), file.stored_bytes()), (0, bytes(&in_file)));
    }

    #[test]
    fn checksums_are_those_of_the_stored_bytes(count in 0usize..3000, cut in 0usize..3000) {
        let place = place();
        let sums = file_of(&place, 2, NumericType::Bfloat16, count);
        let bytes = fs::read(&place.path).unwrap();
        let expected: Vec<_> = bytes[..count * 4].chunks(RUN_ROWS * 4).map(crc32fast::hash).collect();
        prop_assert_eq!(&sums, &expected);
        let cut = cut.min(count);
        let vectors =
            FullVectors::open(&place.path, 2, NumericType::Bfloat16, count, &sums, |_, _| {}).unwrap();
        let expected: Vec<_> =
            bytes[..cut * 4].chunks(RUN_ROWS * 4).map(crc32fast::hash).collect();
        prop_assert_eq!(vectors.checksums(cut), expected);
    }
}

#[test]
fn readers_see_only_complete_vectors_and_those_stay_where_they_are() {
    let (place, dim, count) = (place(), 16, 12 * RUN_ROWS);
    for numeric in NumericType::ALL {
        let file = FullVectors::create(&place.path, dim, numeric).unwrap();
        for vectors in [FullVectors::in_memory(dim, numeric), file] {
            let vectors = &vectors;
            vectors.append(&vector(0, dim)).unwrap();
            let first = vectors.rows.row(0);
            let at = |node| {
                vectors.with_row(node, |row| {
                    assert_eq!(row, stored(&vector(node, dim), numeric))
                })
            };
            thread::scope(|scope| {
                scope.spawn(move || {
                    let mut probe = 0;
                    while vectors.len() < count {
                        let len = vectors.len();
                        probe = (probe * 5 + 7) % len;
                        vectors.prefetch(probe);
                        at(probe);
                        at(len - 1);
                    }
                });
                for node in 1..count {
                    vectors.append(&vector(node, dim)).unwrap();
                }
            });
            assert_eq!(vectors.rows.row(0).as_ptr(), first.as_ptr());
            at(0);
        }
    }
}

#[test]
fn bytes_that_a_crash_left_past_the_end_are_cut_off() {
    let (place, dim, numeric) = (place(), 3, NumericType::Float);
    let sums = file_of(&place, dim, numeric, 1500);
    let mut file = OpenOptions::new().append(true).open(&place.path).unwrap();
    file.write_all(&[0xff; 100_001]).unwrap();
    drop(file);
    let open = || FullVectors::open(&place.path, dim, numeric, 1500, &sums, |_, _| {}).unwrap();
    drop(open());
    let bytes = fs::read(&place.path).unwrap();
    assert!(bytes[1500 * dim * 4..].iter().all(|&byte| byte == 0));
    let vectors = open();
    let mut model: Vec<_> = (0..1500).map(|node| vector(node, dim)).collect();
    assert_holds(&vectors, &model);
    for node in 1500..5000 {
        vectors.append(&vector(node, dim)).unwrap();
        model.push(vector(node, dim));
    }
    assert_holds(&vectors, &model);
}

#[test]
fn a_file_has_one_opener_and_creating_it_again_starts_from_nothing() {
    let place = place();
    let sums = file_of(&place, 2, NumericType::Float, 10);
    let open = || FullVectors::open(&place.path, 2, NumericType::Float, 10, &sums, |_, _| {});
    let first = open().unwrap();
    assert!(matches!(open().err(), Some(FullVectorsError::Io(_))));
    drop(first);
    drop(open().unwrap());
    let again = FullVectors::create(&place.path, 2, NumericType::Float).unwrap();
    assert_eq!((again.len(), again.checksums(0)), (0, vec![]));
}

#[cfg(unix)]
#[test]
fn vectors_outlive_the_name_of_their_file() {
    let place = place();
    let vectors = FullVectors::create(&place.path, 5, NumericType::Float).unwrap();
    let mut model = Vec::new();
    for node in 0..3000 {
        match node {
            1000 => fs::remove_file(&place.path).unwrap(),
            2000 => drop(FullVectors::create(&place.path, 5, NumericType::Float).unwrap()),
            _ => {}
        }
        vectors.append(&vector(node, 5)).unwrap();
        model.push(vector(node, 5));
    }
    assert_holds(&vectors, &model);
}
