//! Against Kaldi's own filter bank and the arithmetic of PyTorch: `oracle/tensors.py` makes sounds and frames, and the
//! tensors of them.

#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

mod oracle;

use std::fs;

use pelorus_media::{Size, film_frame, sound_tensor};

#[test]
fn tensors_of_sounds_and_films_are_those_of_the_originals() {
    let folder = oracle::tensors();
    let cases = fs::read_to_string(folder.path().join("cases.tsv")).unwrap();
    let mut counts = [0, 0];
    for case in cases.lines() {
        let fields: Vec<&str> = case.split('\t').collect();
        let read = |extension| {
            let path = folder.path().join(fields[1]).with_extension(extension);
            fs::read(path).unwrap()
        };
        let (received, tolerance) = match fields[0] {
            "sound" => {
                counts[0] += 1;
                // The logarithm of faint bands magnifies the last bits of a transform.
                (sound_tensor(&floats(&read("in"))).unwrap(), 5e-3)
            }
            "frame" => {
                counts[1] += 1;
                let side = |at: usize| fields[at].parse::<u32>().unwrap();
                let size = Size::new(side(2), side(3));
                (film_frame(&read("in"), size).unwrap(), 1e-5)
            }
            other => panic!("{other}"),
        };
        let expected = floats(&read("out"));
        assert_eq!(received.len(), expected.len(), "{case}");
        let farthest = received
            .iter()
            .zip(&expected)
            .map(|(a, b)| (a - b).abs())
            .fold(0.0, f32::max);
        assert!(farthest < tolerance, "{case}: off by {farthest}");
    }
    assert_eq!(counts, [26, 12], "sounds and frames");
}

fn floats(bytes: &[u8]) -> Vec<f32> {
    let words = bytes.as_chunks::<4>().0;
    words.iter().map(|&word| f32::from_le_bytes(word)).collect()
}
