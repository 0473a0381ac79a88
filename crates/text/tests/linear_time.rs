//! Texts of a megabyte that would take minutes if any rule looked back or ahead without bound.

use std::time::{Duration, Instant};

use pelorus_text::{sentences, words};

const TEXT_BYTES: usize = 1 << 20;
/// Far above what a linear pass takes on a busy machine, far below a quadratic one.
const LIMIT: Duration = Duration::from_secs(30);

const PIECES: [&str; 22] = [
    "a",
    "a ",
    "a. ",
    "A. B ",
    ".",
    ". ",
    "..",
    ". . ",
    "!",
    "! ",
    "a!",
    ".)",
    ". ) ",
    "\"",
    "' ",
    "``",
    "'s ",
    ",",
    "-",
    "\n",
    "Mr.\u{a0}",
    "\u{3000}x.",
];

#[test]
fn a_megabyte_of_any_one_thing_is_split_in_moments() {
    for piece in PIECES {
        let text = piece.repeat(TEXT_BYTES / piece.len());
        let started = Instant::now();
        let word_count = words(&text).len();
        let took = started.elapsed();
        assert!(
            took < LIMIT,
            "{word_count} words of {piece:?} repeated took {took:?}"
        );
    }
}

#[test]
fn a_megabyte_of_prose_is_split_in_moments() {
    let prose = "Dr. Wu paid $3.50 (U.S. dollars) for \"tea.\" It wasn't cheap, was it? No... ";
    let count = TEXT_BYTES / prose.len();
    let started = Instant::now();
    assert_eq!(sentences(&prose.repeat(count)).len(), 2 * count + 1);
    assert!(started.elapsed() < LIMIT);
}
