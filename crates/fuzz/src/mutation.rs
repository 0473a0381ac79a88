//! Changes that make hostile bytes of good ones.

use pelorus_random::SplitMix64;

/// Numbers at which counts, lengths and offsets go wrong.
const EDGES: [u64; 12] = [
    0,
    1,
    0x7f,
    0x80,
    0xff,
    0x7fff,
    0x8000,
    0xffff,
    0x7fff_ffff,
    0x8000_0000,
    0xffff_ffff,
    u64::MAX,
];
/// Most changes of one input.
const CHANGES_MAX: usize = 6;
/// Bytes that a change moves at most.
const PIECE_MAX: usize = 64;
/// An input grows no further.
const LEN_MAX: usize = 256 * 1024;

/// One of `seeds` after some changes; now and then it stays as it is, or is random throughout.
pub fn mutated(seeds: &[Vec<u8>], words: &[&str], random: &mut SplitMix64) -> Vec<u8> {
    if random.below(64) == 0 {
        let len = random.below(512);
        return (0..len).map(|_| random.bits() as u8).collect();
    }
    let mut input = random.pick(seeds).clone();
    if random.below(64) == 0 {
        return input;
    }
    for _ in 0..=random.below(CHANGES_MAX) {
        change(&mut input, seeds, words, random);
    }
    input.truncate(LEN_MAX);
    input
}

fn change(input: &mut Vec<u8>, seeds: &[Vec<u8>], words: &[&str], random: &mut SplitMix64) {
    let at = random.below(input.len() + 1);
    let piece = 1 + random.below(PIECE_MAX);
    let end = input.len().min(at + piece);
    match random.below(11) {
        0 => {
            if let Some(byte) = input.get_mut(at) {
                *byte ^= 1 << random.below(8);
            }
        }
        1 => {
            if let Some(byte) = input.get_mut(at) {
                *byte = random.bits() as u8;
            }
        }
        2 => drop(input.drain(at..end)),
        3 => {
            // A piece twice.
            let twice = input[at..end].to_vec();
            input.splice(at..at, twice);
        }
        4 => input.truncate(at),
        5 => {
            // A number at the edge of some width, in either order of bytes.
            let width = 1 << random.below(4);
            let number = random.pick(&EDGES).wrapping_add(random.below(3) as u64);
            let mut bytes = number.to_le_bytes()[..width].to_vec();
            if random.below(2) == 0 {
                bytes.reverse();
            }
            let end = input.len().min(at + width);
            input.splice(at..end, bytes);
        }
        6 if !words.is_empty() => {
            let word = random.pick(words).as_bytes().to_vec();
            let end = if random.below(2) == 0 { at } else { end };
            input.splice(at..end, word);
        }
        7 => {
            // A piece of another seed, or of this one.
            let other = random.pick(seeds);
            let from = random.below(other.len() + 1);
            let until = other.len().min(from + piece);
            input.splice(at..at, other[from..until].to_vec());
        }
        8 => {
            // The end of another seed behind the beginning of this one.
            let other = random.pick(seeds);
            let from = random.below(other.len() + 1);
            input.truncate(at);
            input.extend_from_slice(&other[from..]);
        }
        9 => {
            // One piece very often: depth and length.
            let often = 1 << random.below(12);
            let piece = input[at..input.len().min(at + 1 + random.below(4))].repeat(often);
            input.splice(at..at, piece);
        }
        _ => {
            if let Some(byte) = input.get_mut(at) {
                *byte = byte.wrapping_add(random.below(35) as u8).wrapping_sub(17);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_numbers_make_the_same_input_and_others_another() {
        let seeds = [b"one seed".to_vec(), b"and another one".to_vec()];
        let make = |seed| mutated(&seeds, &["word"], &mut SplitMix64(seed));
        for seed in 0..2_000 {
            assert_eq!(make(seed), make(seed));
            assert!(make(seed).len() <= LEN_MAX);
        }
        let distinct: std::collections::HashSet<_> = (0..2_000).map(make).collect();
        assert!(distinct.len() > 1_500, "{}", distinct.len());
    }
}
