//! Files whose bytes are not those written, and vectors that do not fit.

use std::fs::OpenOptions;

use super::*;

fn open_error(place: &Place, dim: usize, len: usize, sums: &[u32]) -> FullVectorsError {
    match FullVectors::open(&place.path, dim, NumericType::Float, len, sums, |_, _| {}) {
        Ok(_) => panic!("opened"),
        Err(error) => error,
    }
}

#[test]
fn a_file_that_is_too_short_or_gone_is_refused() {
    let place = place();
    let sums = file_of(&place, 3, NumericType::Float, 1500);
    let file = OpenOptions::new().write(true).open(&place.path).unwrap();
    file.set_len(1500 * 12 - 1).unwrap();
    let error = open_error(&place, 3, 1500, &sums);
    assert!(
        matches!(
            error,
            FullVectorsError::TooShort {
                expected: 18_000,
                received: 17_999
            }
        ),
        "{error}"
    );
    fs::remove_file(&place.path).unwrap();
    let error = open_error(&place, 3, 1500, &sums);
    assert!(
        matches!(&error, FullVectorsError::Io(io) if io.kind() == io::ErrorKind::NotFound),
        "{error}"
    );
}

#[test]
fn a_flipped_bit_is_found_in_the_first_run_that_has_one() {
    let (place, dim, count) = (place(), 4, 5 * RUN_ROWS + 9);
    let sums = file_of(&place, dim, NumericType::Float, count);
    let good = fs::read(&place.path).unwrap();
    let run_bytes = RUN_ROWS * dim * 4;
    for (at, run) in [
        (5 * run_bytes + 9 * dim * 4 - 1, 5),
        (4 * run_bytes, 4),
        (77, 0),
    ] {
        let mut bad = good.clone();
        bad[at] ^= 1;
        bad[at.max(4 * run_bytes)] ^= 64;
        fs::write(&place.path, &bad).unwrap();
        let error = open_error(&place, dim, count, &sums);
        assert!(
            matches!(error, FullVectorsError::Damaged { run: found } if found == run),
            "{error}"
        );
        assert_eq!(fs::read(&place.path).unwrap(), bad, "left as it was");
    }
    fs::write(&place.path, &good).unwrap();
    FullVectors::open(
        &place.path,
        dim,
        NumericType::Float,
        count,
        &sums,
        |_, _| {},
    )
    .unwrap();
}

#[test]
fn another_shape_than_that_of_the_file_is_refused() {
    let place = place();
    let sums = file_of(&place, 4, NumericType::Float, 1500);
    assert!(matches!(
        open_error(&place, 3, 1500, &sums),
        FullVectorsError::Damaged { run: 0 }
    ));
    assert!(matches!(
        open_error(&place, 4, 1499, &sums),
        FullVectorsError::Damaged { run: 1 }
    ));
    let error = open_error(&place, 4, 900, &sums);
    assert!(
        matches!(
            error,
            FullVectorsError::SumCount {
                expected: 1,
                received: 2
            }
        ),
        "{error}"
    );
    let error = open_error(&place, 4096, 1500, &sums);
    assert!(
        matches!(error, FullVectorsError::TooShort { .. }),
        "{error}"
    );
}

#[test]
#[should_panic(expected = "row 1 of 1")]
fn a_node_past_the_end_is_refused() {
    let vectors = FullVectors::in_memory(1, NumericType::Float);
    vectors.append(&[1.0]).unwrap();
    vectors.with_row(1, |_| ());
}

#[test]
#[should_panic(expected = "components of a vector")]
fn a_vector_of_another_dimension_is_refused() {
    let _ = FullVectors::in_memory(2, NumericType::Float).append(&[1.0; 3]);
}
