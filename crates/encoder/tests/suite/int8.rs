//! Encoders in int8, and the calibrations that scale them.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::support::{POSITIONS, Spelling, VOCABULARY, WIDTH, export, weights};
use pelorus_encoder::{
    Calibration, Calibrator, Pooling, Precision, Refusal, Scratch, TextEncoder, Texts, open,
    open_int8,
};
use pelorus_random::SplitMix64;
use tempfile::TempDir;

/// A model in a folder of its own.
struct Model {
    folder: TempDir,
}

impl Model {
    fn new(seed: u64) -> Self {
        let folder = tempfile::tempdir().expect("a folder can be made");
        let graph = export(&weights(seed, 3), Spelling::Steps).bytes();
        std::fs::write(folder.path().join("model.onnx"), graph).expect("a file can be written");
        Self { folder }
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("model.onnx")
    }

    fn calibration(&self, texts: &[Vec<i32>]) -> Calibration {
        let mut calibrator = Calibrator::open(&self.path()).expect("the encoder is known");
        for some in texts.chunks(7) {
            let lengths = lengths(some);
            let texts = Texts {
                ids: &some.concat(),
                lengths: &lengths,
            };
            calibrator
                .add(texts, Pooling::Mean)
                .expect("the texts can be taken");
        }
        calibrator.calibration().expect("all values are numbers")
    }

    fn write(&self, bytes: &[u8]) -> PathBuf {
        let path = self.folder.path().join("calibration.json");
        std::fs::write(&path, bytes).expect("a file can be written");
        path
    }

    fn calibrated(&self, texts: &[Vec<i32>]) -> Arc<TextEncoder> {
        let bytes = self.calibration(texts).to_bytes();
        let path = self.write(&bytes.expect("all values are numbers"));
        open_int8(&self.path(), &path).expect("the calibration is one of the model")
    }

    fn refusal(&self, bytes: &[u8]) -> String {
        let opened = open_int8(&self.path(), &self.write(bytes));
        let refusal = opened.err().expect("the calibration is refused");
        assert!(matches!(refusal, Refusal::Calibration { .. }), "{refusal}");
        refusal.to_string()
    }
}

fn texts(seed: u64, count: usize) -> Vec<Vec<i32>> {
    let mut random = SplitMix64(seed);
    let mut below = |limit: usize| (random.bits() % limit as u64) as usize;
    let mut text = || {
        (0..=below(POSITIONS - 1))
            .map(|_| below(VOCABULARY) as i32)
            .collect()
    };
    (0..count).map(|_| text()).collect()
}

fn lengths(texts: &[Vec<i32>]) -> Vec<u32> {
    texts.iter().map(|text| text.len() as u32).collect()
}

fn encode(encoder: &TextEncoder, texts: &[Vec<i32>]) -> Vec<f32> {
    let texts = Texts {
        ids: &texts.concat(),
        lengths: &lengths(texts),
    };
    encoder
        .encode(texts, Pooling::Mean, &mut Scratch::default())
        .expect("the texts can be taken")
}

fn cosine(a: &[f32], b: &[f32]) -> f64 {
    let dot = |a: &[f32], b: &[f32]| -> f64 {
        a.iter()
            .zip(b)
            .map(|(x, y)| f64::from(*x) * f64::from(*y))
            .sum()
    };
    dot(a, b) / (dot(a, a) * dot(b, b)).sqrt()
}

#[test]
fn vectors_are_near_those_of_f32_on_other_texts_than_the_calibration_saw() {
    let model = Model::new(1);
    let (exact, coded) = (
        open(&model.path(), Precision::F32).expect("the encoder is known"),
        model.calibrated(&texts(2, 100)),
    );
    let others = texts(3, 50);
    let (expected, found) = (encode(&exact, &others), encode(&coded, &others));
    assert_ne!(expected, found);
    for (expected, found) in expected.chunks(WIDTH).zip(found.chunks(WIDTH)) {
        let cosine = cosine(expected, found);
        assert!(cosine > 0.995, "{cosine}");
    }
}

#[test]
fn vectors_have_the_same_bits_alone_and_in_any_batch() {
    let encoder = Model::new(4).calibrated(&texts(5, 30));
    let texts = texts(6, 100);
    let alone: Vec<f32> = texts
        .iter()
        .flat_map(|text| encode(&encoder, std::slice::from_ref(text)))
        .collect();
    let bits = |vectors: &[f32]| vectors.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
    for count in [2, 7, 50, 100] {
        let found: Vec<f32> = texts
            .chunks(count)
            .flat_map(|some| encode(&encoder, some))
            .collect();
        assert_eq!(bits(&found), bits(&alone), "batches of {count}");
    }
}

#[test]
fn a_value_that_overflows_shows_in_the_vector_of_its_text_alone() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let mut broken = weights(7, 2);
    let model = Model { folder };
    let write = |graph: &[u8]| std::fs::write(model.path(), graph).expect("a file can be written");
    write(&export(&broken, Spelling::Steps).bytes());
    let calibration = model.calibration(&texts(8, 30)).to_bytes();
    let calibration = model.write(&calibration.expect("all values are numbers"));
    // Tables of embeddings are none of the weights that a calibration is made for.
    broken.words[7 * WIDTH..8 * WIDTH].fill(f32::MAX);
    broken.places[..WIDTH].fill(f32::MAX);
    write(&export(&broken, Spelling::Steps).bytes());
    let encoder = open_int8(&model.path(), &calibration).expect("the encoder is known");
    let vectors = encode(&encoder, &[vec![3, 7, 4], vec![7, 3]]);
    assert!(vectors.iter().any(|value| !value.is_finite()));
}

#[test]
fn a_calibration_is_the_same_after_it_was_written_and_read() {
    let model = Model::new(9);
    let made = model.calibration(&texts(10, 20));
    let bytes = made.to_bytes().expect("all values are numbers");
    let read = Calibration::read(&model.write(&bytes)).expect("it is whole");
    assert_eq!(read, made);
}

#[test]
fn a_calibration_that_is_missing_damaged_or_hostile_is_refused() {
    let model = Model::new(11);
    let missing = open_int8(&model.path(), Path::new("/does/not/exist"));
    assert!(matches!(missing, Err(Refusal::Uncalibrated)));
    let none = open(&model.path(), Precision::Int8);
    assert!(matches!(none, Err(Refusal::Uncalibrated)));
    let folder = open_int8(&model.path(), model.folder.path());
    assert!(matches!(folder, Err(Refusal::Calibration { .. })));
    std::fs::write(model.folder.path().join("other.onnx"), b"").expect("a file can be written");
    let other = open_int8(&model.folder.path().join("other.onnx"), Path::new("none"));
    assert!(!matches!(other, Err(Refusal::Uncalibrated) | Ok(_)));
    let without_texts = Calibrator::open(&model.path()).expect("the encoder is known");
    assert!(without_texts.calibration().is_err());

    let bytes = model.calibration(&texts(12, 20)).to_bytes();
    let bytes = bytes.expect("all values are numbers");
    let text = String::from_utf8(bytes.clone()).expect("it is JSON");
    for length in [0, 1, bytes.len() / 2, bytes.len() - 1] {
        assert!(model.refusal(&bytes[..length]).contains("damaged"));
    }
    let found = text.find("\"low\":[").expect("it has ranges") + 7;
    let damaged = |number: &str| {
        let end = found + text[found..].find(',').expect("there are more");
        [&text[..found], number, &text[end..]].concat()
    };
    for number in ["null", "NaN", "1e999", "\"1\"", "-3.25", "1e5", "[]"] {
        assert!(
            model
                .refusal(damaged(number).as_bytes())
                .contains("damaged")
        );
    }
    let version = text.replace("\"version\":1", "\"version\":2");
    assert!(model.refusal(version.as_bytes()).contains("version 2"));
    let of_another_form = br#"{"version":3,"channels":"all"}"#;
    assert!(model.refusal(of_another_form).contains("version 3"));
    let unknown = text.replacen('{', "{\"more\":1,", 1);
    assert!(model.refusal(unknown.as_bytes()).contains("damaged"));
}

#[test]
fn a_calibration_of_other_weights_is_refused() {
    let (model, other) = (Model::new(13), Model::new(14));
    let bytes = other.calibration(&texts(15, 20)).to_bytes();
    let refusal = model.refusal(&bytes.expect("all values are numbers"));
    assert!(refusal.contains("other weights"), "{refusal}");
}
