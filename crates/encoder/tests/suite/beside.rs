//! Weights that lie in a file beside their graph.

use std::path::Path;
use std::sync::Arc;

use crate::support::{Export, Spelling, export, weights, wire};
use pelorus_encoder::{Pooling, Precision, Refusal, Scratch, TextEncoder, Texts, open};
use pelorus_random::SplitMix64;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

const DATA: &str = "model.onnx_data";

/// A number as protobuf writes it, and the bytes after it.
fn varint(bytes: &[u8]) -> (usize, &[u8]) {
    let end = bytes.iter().position(|byte| byte & 128 == 0);
    let (number, rest) = bytes.split_at(end.expect("a number ends") + 1);
    let number = number.iter().rev();
    (
        number.fold(0, |sum, byte| sum << 7 | usize::from(byte & 127)),
        rest,
    )
}

/// The description of a tensor, and its bytes, which come last.
fn taken_apart(tensor: &[u8]) -> (&[u8], &[u8]) {
    let mut rest = tensor;
    loop {
        let before = &tensor[..tensor.len() - rest.len()];
        let (tag, after) = varint(rest);
        let (value, after) = varint(after);
        match (tag >> 3, tag & 7) {
            (9, _) => return (before, after),
            (_, 2) => rest = &after[value..],
            _ => rest = after,
        }
    }
}

/// The place of a tensor's bytes, as a graph has it.
struct Place {
    file: String,
    offset: String,
    length: String,
}

/// A graph whose tensors all lie in one file beside it, and that file.
fn apart(exported: &Export, mut change: impl FnMut(usize, &mut Place)) -> (Vec<u8>, Vec<u8>) {
    let mut data = Vec::new();
    let tensors = exported.tensors.iter().enumerate().map(|(at, tensor)| {
        let (described, raw) = taken_apart(tensor);
        let mut place = Place {
            file: DATA.into(),
            offset: data.len().to_string(),
            length: raw.len().to_string(),
        };
        change(at, &mut place);
        data.extend_from_slice(raw);
        let entries = [
            ("location", place.file),
            ("offset", place.offset),
            ("length", place.length),
        ];
        let entries = entries.map(|(key, value)| {
            let entry = [wire::text(1, key), wire::text(2, &value)].concat();
            wire::bytes(13, &entry)
        });
        [described, &entries.concat(), &wire::number(14, 1)].concat()
    });
    let tensors = tensors.collect();
    let nodes = exported.nodes.clone();
    (Export { nodes, tensors }.bytes(), data)
}

fn put(folder: &Path, graph: &[u8], data: &[u8]) -> std::path::PathBuf {
    std::fs::write(folder.join(DATA), data).expect("a file can be written");
    let path = folder.join("model.onnx");
    std::fs::write(&path, graph).expect("a file can be written");
    path
}

fn opened(graph: &[u8], data: &[u8]) -> Result<Arc<TextEncoder>, Refusal> {
    let folder = tempfile::tempdir().expect("a folder can be made");
    open(&put(folder.path(), graph, data), Precision::F32)
}

fn encode(encoder: &TextEncoder) -> Vec<f32> {
    let texts = Texts {
        ids: &[5, 9, 3, 7, 30],
        lengths: &[3, 2],
    };
    let vectors = encoder.encode(texts, Pooling::Mean, &mut Scratch::default());
    vectors.unwrap_or_default()
}

#[test]
fn are_those_of_the_same_graph_with_its_weights_inside() {
    let exported = export(&weights(1, 2), Spelling::Fused);
    let (graph, data) = apart(&exported, |_, _| {});
    let beside = opened(&graph, &data).expect("the encoder is known");
    let folder = tempfile::tempdir().expect("a folder can be made");
    let path = put(folder.path(), &exported.bytes(), &[]);
    let inside = open(&path, Precision::F32).expect("the encoder is known");
    assert_eq!(encode(&beside), encode(&inside));
    assert!(!encode(&beside).is_empty());
}

#[test]
fn are_refused_where_they_do_not_lie_as_the_graph_says() {
    let exported = export(&weights(1, 1), Spelling::Steps);
    let refused = |change: &dyn Fn(&mut Place)| {
        let (graph, data) = apart(&exported, |at, place| {
            if at == 3 {
                change(place);
            }
        });
        let reason = opened(&graph, &data).err().map(|why| why.to_string());
        reason.unwrap_or_default()
    };
    for (offset, length) in [
        ("0", "99999999999"),
        ("99999999999", "4"),
        ("18446744073709551615", "18446744073709551615"),
        ("-4", "4"),
        ("0x10", "4"),
        ("99999999999999999999999999", "4"),
    ] {
        let reason = refused(&|place| {
            place.offset = offset.into();
            place.length = length.into();
        });
        assert!(reason.contains("is shorter"), "{offset} {length}: {reason}");
    }
    let reason = refused(&|place| place.length = "4".into());
    assert!(reason.contains("not as much data as it says"), "{reason}");
    for file in [
        "../model.onnx_data",
        "/etc/passwd",
        "a/b",
        "none",
        ".",
        "..",
        ".hidden",
        "",
        "a\0b",
    ] {
        let reason = refused(&|place| place.file = file.into());
        let is_told = ["no file beside it", "is not there"].map(|words| reason.contains(words));
        assert!(is_told.contains(&true), "{file:?}: {reason}");
    }
}

#[cfg(unix)]
#[test]
fn are_refused_behind_a_link() {
    let (graph, data) = apart(&export(&weights(1, 1), Spelling::Steps), |_, _| {});
    let folder = tempfile::tempdir().expect("a folder can be made");
    let path = put(folder.path(), &graph, &data);
    let (there, elsewhere) = (folder.path().join(DATA), folder.path().join("elsewhere"));
    std::fs::rename(&there, &elsewhere).expect("a file can be moved");
    std::os::unix::fs::symlink(&elsewhere, &there).expect("a link can be made");
    let refusal = open(&path, Precision::F32).err();
    let reason = refusal.map(|why| why.to_string()).unwrap_or_default();
    assert!(reason.contains("no file beside it"), "{reason}");
}

#[test]
fn are_refused_where_their_file_ends_early() {
    let (graph, data) = apart(&export(&weights(1, 1), Spelling::Steps), |_, _| {});
    assert!(opened(&graph, &data).is_ok());
    for end in (0..data.len()).step_by(data.len() / 40) {
        let reason = opened(&graph, &data[..end])
            .err()
            .map(|why| why.to_string());
        let reason = reason.unwrap_or_default();
        assert!(reason.contains("is shorter"), "{end} bytes: {reason}");
    }
}

#[test]
fn are_refused_or_run_alike_in_each_precision_whatever_bits_of_them_are_flipped() {
    let (graph, data) = apart(&export(&weights(1, 2), Spelling::Optimised), |_, _| {});
    let folder = tempfile::tempdir().expect("a folder can be made");
    let mut random = SplitMix64(39);
    let (mut run, mut refused) = (0, 0);
    for mutant in 0..80 {
        let mut data = data.clone();
        for _ in 0..1 + random.below(4) {
            let at = random.below(data.len());
            data[at] ^= 1 << random.below(8);
        }
        if mutant % 4 == 0 {
            // An exponent of ones, which few flips make.
            let at = 4 * random.below(data.len() / 4);
            data[at + 2] |= 0x80;
            data[at + 3] |= 0x7f;
        }
        let path = put(folder.path(), &graph, &data);
        let [f32, bf16] = [Precision::F32, Precision::Bf16].map(|precision| {
            let opened = open(&path, precision);
            opened.map(|encoder| encode(&encoder))
        });
        match (f32, bf16) {
            (Ok(f32), Ok(bf16)) => {
                run += 1;
                assert_eq!(f32.len(), bf16.len(), "mutant {mutant}");
            }
            (f32, Err(refusal)) => {
                refused += 1;
                let words = if f32.is_ok() {
                    "is too large for bf16"
                } else {
                    "is no number"
                };
                let reason = refusal.to_string();
                assert!(reason.contains(words), "mutant {mutant}: {reason}");
            }
            (Err(refusal), Ok(_)) => panic!("mutant {mutant} runs in bf16 alone: {refusal}"),
        }
    }
    assert!(
        run > 40 && refused >= 20,
        "{run} ran, {refused} were refused"
    );
}

proptest! {
    #![proptest_config(ProptestConfig { rng_seed: RngSeed::Fixed(39), ..ProptestConfig::with_cases(150) })]

    #[test]
    fn are_errors_and_never_panics_whatever_bits_are_flipped(
        flips in proptest::collection::vec((any::<prop::sample::Index>(), 0..8_u32), 1..6),
    ) {
        let (mut graph, data) = apart(&export(&weights(1, 1), Spelling::Fused), |_, _| {});
        for (place, bit) in flips {
            let at = place.index(graph.len());
            graph[at] ^= 1 << bit;
        }
        if let Ok(encoder) = opened(&graph, &data) {
            // Its vectors may be anything: they do not end the process.
            let _ = encode(&encoder);
        }
    }
}
