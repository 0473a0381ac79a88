//! The letters that words have, by which most words are told to be far from a typed one.
//!
//! A set of letters has a bit for each letter that a word has, and one for each that it has twice; letters whose numbers
//! differ by a multiple of 32 count as one. So an edit takes one bit away at most, and brings one in at most.

use pelorus_kernels::kernels;

const KINDS: u32 = 32;

/// The set of the letters of a word.
pub(crate) fn letters_of(word: &str) -> u64 {
    let (mut once, mut twice) = (0_u64, 0_u64);
    for char in word.chars() {
        let bit = 1 << (char as u32 % KINDS);
        twice |= once & bit;
        once |= bit;
    }
    once | twice << KINDS
}

/// Gives the places of the words that may be so few edits from one with these letters to `visit`, in order. In a word
/// that may go on behind a near beginning further letters say nothing.
pub(crate) fn each_near(
    letters: u64,
    words: &[u64],
    edits_max: u8,
    is_beginning: bool,
    mut visit: impl FnMut(usize),
) {
    const BLOCK_LEN: usize = u64::BITS as usize;
    let lacking = u32::from(edits_max);
    let added = if is_beginning { u64::BITS } else { lacking };
    let mut found = vec![0; words.len().div_ceil(BLOCK_LEN)];
    (kernels().near_sets)(words, letters, lacking, added, &mut found);
    for (block, mut found) in found.into_iter().enumerate() {
        while found != 0 {
            visit(block * BLOCK_LEN + found.trailing_zeros() as usize);
            found &= found - 1;
        }
    }
}
