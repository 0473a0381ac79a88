//! The vectors of an encoder.

use std::sync::Arc;

use crate::support::{
    POSITIONS, SPELLINGS, Spelling, VOCABULARY, WIDTH, definition, export, weights,
};
use pelorus_encoder::{Pooling, Precision, Scratch, TextEncoder, Texts, UntakenTexts, open};
use pelorus_random::SplitMix64;

fn opened(bytes: &[u8]) -> Arc<TextEncoder> {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let path = folder.path().join("model.onnx");
    std::fs::write(&path, bytes).expect("a file can be written");
    open(&path, Precision::F32).expect("the encoder is known")
}

/// Texts of one to twenty tokens, ids of padding among them.
fn texts(seed: u64, count: usize) -> Vec<Vec<i32>> {
    let mut random = SplitMix64(seed);
    let mut below = |limit: usize| (random.bits() % limit as u64) as usize;
    (0..count)
        .map(|_| {
            (0..=below(POSITIONS - 2))
                .map(|_| below(VOCABULARY) as i32)
                .collect()
        })
        .collect()
}

fn encode(encoder: &TextEncoder, texts: &[Vec<i32>], pooling: Pooling) -> Vec<f32> {
    let lengths: Vec<u32> = texts.iter().map(|text| text.len() as u32).collect();
    let texts = Texts {
        ids: &texts.concat(),
        lengths: &lengths,
    };
    encoder
        .encode(texts, pooling, &mut Scratch::default())
        .expect("the texts can be taken")
}

#[test]
fn are_those_of_the_definition_however_the_graph_is_spelt() {
    let weights = weights(1, 3);
    for spelling in SPELLINGS {
        let encoder = opened(&export(&weights, spelling).bytes());
        assert_eq!(encoder.dimensions(), WIDTH);
        let texts = texts(2, 40);
        let (mean, first) = (
            encode(&encoder, &texts, Pooling::Mean),
            encode(&encoder, &texts, Pooling::Cls),
        );
        for (row, text) in texts.iter().enumerate() {
            let hidden = definition::hidden(&weights, spelling, text);
            for (found, expected) in [
                (&mean, definition::mean(&hidden)),
                (&first, hidden[0].clone()),
            ] {
                for (found, expected) in found[row * WIDTH..].iter().zip(expected) {
                    let difference = (f64::from(*found) - expected).abs();
                    assert!(
                        difference < 2e-5,
                        "{spelling:?}, {text:?}: {found} against {expected}"
                    );
                }
            }
        }
    }
}

#[test]
fn have_the_same_bits_alone_and_in_any_batch() {
    let encoder = opened(&export(&weights(3, 2), Spelling::Steps).bytes());
    let texts = texts(4, 100);
    let alone: Vec<f32> = texts
        .iter()
        .flat_map(|text| encode(&encoder, std::slice::from_ref(text), Pooling::Mean))
        .collect();
    for count in [2, 3, 7, 50, 100] {
        let found: Vec<f32> = texts
            .chunks(count)
            .flat_map(|some| encode(&encoder, some, Pooling::Mean))
            .collect();
        let bits = |vectors: &[f32]| vectors.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
        assert_eq!(bits(&found), bits(&alone), "batches of {count}");
    }
}

#[test]
fn do_not_depend_on_what_a_scratch_was_used_for_before() {
    let encoder = opened(&export(&weights(5, 2), Spelling::Fused).bytes());
    let mut scratch = Scratch::default();
    let mut take = |text: &[i32]| {
        let texts = Texts {
            ids: text,
            lengths: &[text.len() as u32],
        };
        encoder
            .encode(texts, Pooling::Mean, &mut scratch)
            .expect("the text can be taken")
    };
    let short = take(&[3, 4, 5]);
    take(&(0..POSITIONS as i32).collect::<Vec<_>>());
    assert_eq!(take(&[3, 4, 5]), short);
}

#[test]
fn are_shared_weights_and_not_copies() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let path = folder.path().join("model.onnx");
    std::fs::write(&path, export(&weights(6, 1), Spelling::Steps).bytes())
        .expect("a file can be written");
    let first = open(&path, Precision::F32).expect("the encoder is known");
    assert!(Arc::ptr_eq(
        &first,
        &open(&path, Precision::F32).expect("the encoder is known")
    ));
    let other = folder.path().join("other.onnx");
    std::fs::write(&other, export(&weights(7, 2), Spelling::Steps).bytes())
        .expect("a file can be written");
    std::fs::rename(&other, &path).expect("a file can be renamed");
    let second = open(&path, Precision::F32).expect("the encoder is known");
    assert!(
        !Arc::ptr_eq(&first, &second),
        "another file in its place is another encoder"
    );
    assert_ne!(
        encode(&first, &[vec![3]], Pooling::Mean),
        encode(&second, &[vec![3]], Pooling::Mean)
    );
}

#[test]
fn are_refused_to_texts_that_the_model_cannot_take() {
    let counted = opened(&export(&weights(9, 1), Spelling::Counted).bytes());
    let encoder = opened(&export(&weights(9, 1), Spelling::Steps).bytes());
    let fails = |encoder: &TextEncoder, ids: &[i32], lengths: &[u32]| {
        let texts = Texts { ids, lengths };
        encoder
            .encode(texts, Pooling::Mean, &mut Scratch::default())
            .expect_err("it cannot be taken")
    };
    let long = vec![3; POSITIONS + 1];
    let too_long = |positions, received| UntakenTexts::TooLong {
        positions,
        received,
    };
    assert_eq!(
        fails(&encoder, &long, &[POSITIONS as u32 + 1]),
        too_long(POSITIONS, POSITIONS + 1)
    );
    assert_eq!(
        fails(&counted, &long[..19], &[19]),
        too_long(POSITIONS - 2, 19)
    );
    for id in [-1, VOCABULARY as i32, i32::MAX] {
        let unknown = UntakenTexts::UnknownId {
            rows: VOCABULARY,
            received: id.cast_unsigned(),
        };
        assert!(!unknown.to_string().contains('-'), "{unknown}");
        assert_eq!(fails(&encoder, &[1, id], &[2]), unknown);
    }
    assert_eq!(fails(&encoder, &[1], &[1, 0]), UntakenTexts::NoTokens);
    let lengths = UntakenTexts::Lengths {
        expected: u64::from(u32::MAX) * 2,
        received: 1,
    };
    assert_eq!(fails(&encoder, &[1], &[u32::MAX, u32::MAX]), lengths);
}
