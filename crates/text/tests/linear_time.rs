//! No rule of the splitters looks back or ahead without bound: eight times of anything costs about
//! eight times as much.

use pelorus_growth::assert_linear;
use pelorus_text::{sentences, words};

/// Long enough that a step back of a fraction of a nanosecond per byte shows in the long text.
const SHORT_BYTES: usize = 16 * 1024;

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
fn any_one_thing_is_split_in_linear_time() {
    for piece in PIECES {
        let text = |bytes: usize| piece.repeat(bytes / piece.len());
        assert_linear(&format!("{piece:?}"), SHORT_BYTES, text, |text: &String| {
            drop(words(text));
        });
    }
}

#[test]
fn prose_is_split_in_linear_time() {
    let prose = "Dr. Wu paid $3.50 (U.S. dollars) for \"tea.\" It wasn't cheap, was it? No... ";
    let text = |bytes: usize| prose.repeat(bytes / prose.len());
    assert_linear("prose", SHORT_BYTES, text, |text: &String| {
        let count = text.len() / prose.len();
        assert_eq!(sentences(text).len(), 2 * count + 1);
    });
}
