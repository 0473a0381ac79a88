//! Encoders that exporters and optimisers of others wrote, beside their vectors by ONNX Runtime.

use std::collections::BTreeMap;
use std::path::PathBuf;

use pelorus_encoder::{
    Calibrator, Pooling, Precision, Scratch, TextEncoder, Texts, open, open_int8,
};
use serde::Deserialize;

/// Texts, and the mean of the hidden states of each by the name of a file.
#[derive(Deserialize)]
struct Expected {
    texts: Vec<Vec<i32>>,
    vectors: BTreeMap<String, Vec<Vec<f64>>>,
}

fn fixture(name: &str) -> PathBuf {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/exports");
    PathBuf::from(folder).join(name)
}

fn expected() -> Expected {
    let bytes = std::fs::read(fixture("vectors.json")).expect("it is there");
    serde_json::from_slice(&bytes).expect("it is as generate.py writes it")
}

fn encode(encoder: &TextEncoder, texts: &[Vec<i32>]) -> Vec<f32> {
    let lengths: Vec<u32> = texts.iter().map(|text| text.len() as u32).collect();
    let texts = Texts {
        ids: &texts.concat(),
        lengths: &lengths,
    };
    let vectors = encoder.encode(texts, Pooling::Mean, &mut Scratch::default());
    vectors.expect("the texts can be taken")
}

/// The largest difference to what is expected, relative to the largest component.
fn difference(found: &[f32], expected: &[Vec<f64>]) -> f64 {
    let expected = expected.concat();
    assert_eq!(found.len(), expected.len());
    let largest = expected.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
    let pairs = found.iter().zip(&expected);
    let differences = pairs.map(|(&found, expected)| (f64::from(found) - expected).abs());
    differences.fold(0.0, f64::max) / largest
}

#[test]
fn have_the_vectors_of_onnx_runtime_in_each_precision() {
    let Expected { texts, vectors } = expected();
    assert_eq!(vectors.len(), 9);
    for (name, vectors) in vectors {
        let path = fixture(&format!("{name}.onnx"));
        // They are small and wide of range: bf16 has eight bits of each weight.
        for (precision, most) in [(Precision::F32, 2e-6), (Precision::Bf16, 0.03)] {
            let encoder = open(&path, precision);
            let encoder = encoder.unwrap_or_else(|refusal| panic!("{name}: {refusal}"));
            let difference = difference(&encode(&encoder, &texts), &vectors);
            assert!(difference < most, "{name} in {precision}: {difference:e}");
        }
    }
}

#[test]
fn can_be_calibrated_and_run_in_int8() {
    let Expected { texts, vectors } = expected();
    let folder = tempfile::tempdir().expect("a folder can be made");
    for (name, vectors) in vectors {
        let path = fixture(&format!("{name}.onnx"));
        let mut calibrator = Calibrator::open(&path).expect("the encoder is known");
        for text in &texts {
            let texts = Texts {
                ids: text,
                lengths: &[text.len() as u32],
            };
            let added = calibrator.add(texts, Pooling::Mean);
            added.expect("the texts can be taken");
        }
        let calibration = folder.path().join(&name);
        let made = calibrator.calibration().and_then(|made| made.to_bytes());
        std::fs::write(&calibration, made.expect("all values are numbers")).expect("there is room");
        let encoder = open_int8(&path, &calibration).expect("it was calibrated");
        let difference = difference(&encode(&encoder, &texts), &vectors);
        assert!(difference < 0.08, "{name}: {difference:e}");
    }
}
