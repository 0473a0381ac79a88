//! The vectors of an encoder in bfloat16.

use std::sync::Arc;

use crate::support::{POSITIONS, Spelling, VOCABULARY, WIDTH, export, weights};
use pelorus_encoder::{Pooling, Precision, Scratch, TextEncoder, Texts, open};

/// One file in both precisions.
fn opened(seed: u64) -> [Arc<TextEncoder>; 2] {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let path = folder.path().join("model.onnx");
    let bytes = export(&weights(seed, 3), Spelling::Steps).bytes();
    std::fs::write(&path, bytes).expect("a file can be written");
    [Precision::F32, Precision::Bf16]
        .map(|precision| open(&path, precision).expect("the encoder is known"))
}

fn texts() -> Vec<Vec<i32>> {
    let text = |at: usize| {
        (0..1 + at * 7 % (POSITIONS - 1)).map(move |place| (at * 5 + place * 3) % VOCABULARY)
    };
    (0..60)
        .map(|at| text(at).map(|id| id as i32).collect())
        .collect()
}

fn encode(encoder: &TextEncoder, texts: &[Vec<i32>], scratch: &mut Scratch) -> Vec<f32> {
    let lengths: Vec<u32> = texts.iter().map(|text| text.len() as u32).collect();
    let texts = Texts {
        ids: &texts.concat(),
        lengths: &lengths,
    };
    encoder
        .encode(texts, Pooling::Mean, scratch)
        .expect("the texts can be taken")
}

#[test]
fn have_nearly_the_direction_of_those_in_f32() {
    let [exact, rounded] = opened(1);
    assert!(!Arc::ptr_eq(&exact, &rounded), "each has its own weights");
    let mut scratch = Scratch::default();
    let expected = encode(&exact, &texts(), &mut scratch);
    let found = encode(&rounded, &texts(), &mut scratch);
    for (expected, found) in expected.chunks(WIDTH).zip(found.chunks(WIDTH)) {
        let dot = |a: &[f32], b: &[f32]| -> f32 { a.iter().zip(b).map(|(a, b)| a * b).sum() };
        let cosine = dot(expected, found) / (dot(expected, expected) * dot(found, found)).sqrt();
        assert!(cosine > 0.999, "{cosine}");
        assert_ne!(expected, found);
    }
}

#[test]
fn have_the_same_bits_alone_and_in_any_batch() {
    let [_, encoder] = opened(2);
    let (texts, mut scratch) = (texts(), Scratch::default());
    let mut bits = |texts: &[Vec<i32>]| -> Vec<u32> {
        let vectors = encode(&encoder, texts, &mut scratch);
        vectors.iter().map(|value| value.to_bits()).collect()
    };
    let alone: Vec<u32> = texts
        .iter()
        .flat_map(|text| bits(std::slice::from_ref(text)))
        .collect();
    for count in [2, 3, 7, 60] {
        let found: Vec<u32> = texts.chunks(count).flat_map(&mut bits).collect();
        assert_eq!(found, alone, "batches of {count}");
    }
}

#[test]
fn weights_that_bf16_rounds_to_infinity_are_refused_in_it_alone() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let path = folder.path().join("model.onnx");
    for (value, is_kept) in [(3.38e38, true), (3.4e38, false), (-f32::MAX, false)] {
        for product in 0..6 {
            let mut weights = weights(4, 2);
            weights.layers[1].products[product].0[17] = value;
            let bytes = export(&weights, Spelling::Optimised).bytes();
            std::fs::write(&path, bytes).expect("a file can be written");
            assert!(open(&path, Precision::F32).is_ok(), "{value}");
            let refusal = open(&path, Precision::Bf16).err();
            let reason = refusal.map(|why| why.to_string()).unwrap_or_default();
            assert_eq!(reason.is_empty(), is_kept, "{value}: {reason}");
            assert!(
                is_kept || reason.contains("holds a value that is too large for bf16"),
                "{reason}"
            );
        }
    }
}
