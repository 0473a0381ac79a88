//! Models of which some bits are other ones, in every precision.

use std::path::Path;

use crate::support::{Spelling, export, weights};
use pelorus_encoder::{
    Calibrator, Pooling, Precision, Refusal, Scratch, TextEncoder, Texts, check, open, open_int8,
};
use pelorus_random::SplitMix64;

/// Mutants of each kind.
const MUTANTS: usize = 60;

const TEXTS: Texts<'_> = Texts {
    ids: &[5, 9, 3, 7, 30, 2, 41, 8],
    lengths: &[3, 1, 4],
};

fn vectors(encoder: &TextEncoder) -> Vec<f32> {
    let vectors = encoder.encode(TEXTS, Pooling::Mean, &mut Scratch::default());
    vectors.unwrap_or_default()
}

fn put(folder: &Path, name: &str, bytes: &[u8]) -> std::path::PathBuf {
    let path = folder.join(name);
    std::fs::write(&path, bytes).expect("a file can be written");
    path
}

fn flipped(bytes: &[u8], from: usize, random: &mut SplitMix64) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for _ in 0..1 + random.below(4) {
        let at = from + random.below(bytes.len() - from);
        bytes[at] ^= 1 << random.below(8);
    }
    bytes
}

/// The kind of a refusal: weights of int8 may be refused for other words.
fn is_of_the_file(refusal: &Refusal) -> bool {
    matches!(refusal, Refusal::Damaged { .. } | Refusal::NotOurs { .. })
}

#[test]
fn are_refused_or_run_alike_in_every_precision() {
    let graph = export(&weights(3, 2), Spelling::Fused).bytes();
    let folder = tempfile::tempdir().expect("a folder can be made");
    let path = put(folder.path(), "model.onnx", &graph);
    let mut calibrator = Calibrator::open(&path).expect("the encoder is known");
    calibrator
        .add(TEXTS, Pooling::Mean)
        .expect("the texts can be taken");
    let calibration = calibrator.calibration().and_then(|made| made.to_bytes());
    let calibration = calibration.expect("all values are numbers");
    let calibration = put(folder.path(), "calibration.json", &calibration);
    let original = vectors(&open_int8(&path, &calibration).expect("it was calibrated"));
    assert!(!original.is_empty());
    let mut random = SplitMix64(39);
    let (mut run, mut refused, mut in_int8) = (0, 0, 0);
    // The second half of the flips is all among weights, which end the file but for the names of inputs and outputs.
    for (mutant, from) in (0..2 * MUTANTS).map(|at| (at, at / MUTANTS * graph.len() / 2)) {
        let bytes = flipped(&graph, from, &mut random);
        let path = put(folder.path(), &format!("{mutant}.onnx"), &bytes);
        let f32 = open(&path, Precision::F32);
        let bf16 = open(&path, Precision::Bf16);
        let int8 = open_int8(&path, &calibration);
        assert_eq!(f32.as_ref().err(), bf16.as_ref().err(), "mutant {mutant}");
        match f32 {
            Err(refusal) => {
                refused += 1;
                assert!(is_of_the_file(&refusal), "mutant {mutant}: {refusal}");
                assert!(int8.is_err(), "mutant {mutant}");
            }
            Ok(f32) => {
                run += 1;
                assert!(check(&path).is_ok(), "mutant {mutant}");
                // None where a table lost rows that the texts ask for.
                let values = vectors(&f32).len();
                let bf16 = bf16.map(|bf16| vectors(&bf16).len());
                assert_eq!(bf16, Ok(values), "mutant {mutant}");
                match int8 {
                    Ok(int8) => {
                        in_int8 += 1;
                        assert_eq!(vectors(&int8).len(), values, "mutant {mutant}");
                    }
                    // Weights of products are those that were calibrated, or none.
                    Err(refusal) => {
                        let words = refusal.to_string();
                        let known = ["other weights", "too large for int8", "in layer"];
                        let is_told = known.iter().any(|known| words.contains(known));
                        assert!(is_told, "mutant {mutant}: {words}");
                    }
                }
            }
        }
        std::fs::remove_file(&path).expect("a file can be removed");
    }
    assert!(run > MUTANTS / 2, "{run} ran");
    assert!(refused > 0, "{refused} were refused");
    assert!(in_int8 < run, "{in_int8} of {run} ran in int8");
}
