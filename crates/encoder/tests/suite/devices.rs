//! Encoders on a device, on the machine that `pelorus-cuda` emulates for tests: its kernels run on this processor.

#[path = "../../../cuda/tests/machine/mod.rs"]
mod machine;

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use crate::support::checkpoint::{Form, Tensor, file};
use machine::{has_compiler, libraries, with};
use pelorus_cuda::{Cuda, Device, DeviceError};
use pelorus_encoder::{
    DeviceEncoder, DeviceRefusal, Pooling, Precision, Scratch, Texts, UntakenTexts, open,
};
use pelorus_random::SplitMix64;
use tempfile::TempDir;

/// Sizes that kernels compute.
const WIDTH: usize = 64;
const INNER: usize = 128;
const VOCABULARY: usize = 300;
const POSITIONS: usize = 130;
const LAYERS: usize = 2;

/// A file with an encoder of chance of the BERT family; `scale` is that of its embeddings.
fn model(family: &str, form: Form, heads: usize, scale: f32) -> (TempDir, PathBuf) {
    let mut random = SplitMix64(3);
    let mut tensors = Vec::new();
    let mut add = |name: String, dims: &[usize], scale: f32, middle: f32| {
        let count = dims.iter().product::<usize>();
        let values = (0..count).map(|_| middle + random.normal() * scale);
        tensors.push(Tensor {
            name,
            dtype: form.name().into(),
            dims: dims.to_vec(),
            bytes: values.flat_map(|value| form.bytes(value)).collect(),
        });
    };
    for (name, rows) in [
        ("word", VOCABULARY),
        ("position", POSITIONS),
        ("token_type", 2),
    ] {
        let name = format!("embeddings.{name}_embeddings.weight");
        add(name, &[rows, WIDTH], scale, 0.0);
    }
    let mut names = vec![("embeddings.LayerNorm".to_owned(), WIDTH, 0)];
    for layer in 0..LAYERS {
        for (name, columns, depth) in [
            ("attention.self.query", WIDTH, WIDTH),
            ("attention.self.key", WIDTH, WIDTH),
            ("attention.self.value", WIDTH, WIDTH),
            ("attention.output.dense", WIDTH, WIDTH),
            ("attention.output.LayerNorm", WIDTH, 0),
            ("intermediate.dense", INNER, WIDTH),
            ("output.dense", WIDTH, INNER),
            ("output.LayerNorm", WIDTH, 0),
        ] {
            names.push((format!("encoder.layer.{layer}.{name}"), columns, depth));
        }
    }
    for (name, columns, depth) in names {
        let weight = format!("{name}.weight");
        match depth {
            0 => add(weight, &[columns], 0.2, 1.0),
            depth => add(weight, &[columns, depth], 1.0 / (depth as f32).sqrt(), 0.0),
        }
        add(format!("{name}.bias"), &[columns], 0.2, 0.0);
    }
    let config = serde_json::json!({
        "model_type": family, "vocab_size": VOCABULARY, "max_position_embeddings": POSITIONS,
        "hidden_size": WIDTH, "num_attention_heads": heads, "num_hidden_layers": LAYERS,
        "intermediate_size": INNER, "hidden_act": "gelu", "type_vocab_size": 2,
        "layer_norm_eps": 1e-12, "pad_token_id": 1, "position_embedding_type": "absolute",
    });
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("model.safetensors");
    fs::write(&path, file(&tensors)).expect("written");
    fs::write(folder.path().join("config.json"), config.to_string()).expect("written");
    (folder, path)
}

fn device() -> Arc<Device> {
    let cuda = Arc::new(Cuda::find(libraries()).expect("a device"));
    Device::open(&cuda, 0).expect("it opens")
}

/// Ids of texts, those of padding among them, and their lengths.
fn texts() -> (Vec<i32>, Vec<u32>) {
    let lengths = vec![3, 128, 1, 40, 77];
    let mut random = SplitMix64(11);
    let ids = (0..lengths.iter().sum()).map(|_| random.below(VOCABULARY) as i32);
    (ids.collect(), lengths)
}

fn cosine(a: &[f32], b: &[f32]) -> f64 {
    let dot = |a: &[f32], b: &[f32]| -> f64 {
        let terms = a.iter().zip(b);
        terms.map(|(&a, &b)| f64::from(a) * f64::from(b)).sum()
    };
    dot(a, b) / (dot(a, a) * dot(b, b)).sqrt()
}

#[test]
fn vectors_are_those_of_the_processor() {
    if !has_compiler() {
        return;
    }
    for (family, form) in [("bert", Form::F32), ("xlm-roberta", Form::Bf16)] {
        let (_folder, path) = model(family, form, 2, 1.0);
        let encoder = DeviceEncoder::open(&path, &device(), None).expect("it is taken");
        let mut scratch = Scratch::default();
        let (ids, lengths) = texts();
        let texts = Texts {
            ids: &ids,
            lengths: &lengths,
        };
        for pooling in [Pooling::Mean, Pooling::Cls] {
            let found = encoder
                .encode(texts, pooling, &mut scratch)
                .expect("vectors");
            assert_eq!(found.fault, None);
            let expected = open(&path, Precision::F32).expect("it opens");
            let expected = expected.encode(texts, pooling, &mut Scratch::default());
            let expected = expected.expect("vectors");
            assert_eq!(found.vectors.len(), expected.len());
            let pairs = found
                .vectors
                .chunks_exact(WIDTH)
                .zip(expected.chunks_exact(WIDTH));
            for (found, expected) in pairs {
                let cosine = cosine(found, expected);
                assert!(cosine > 0.9999, "{family}: cosine {cosine}");
            }
        }
    }
}

#[test]
fn texts_that_the_model_cannot_take_are_refused_as_on_the_processor() {
    if !has_compiler() {
        return;
    }
    let (_folder, path) = model("bert", Form::F32, 2, 1.0);
    let encoder = DeviceEncoder::open(&path, &device(), None).expect("it is taken");
    let mut scratch = Scratch::default();
    let mut refused = |ids: &[i32], lengths: &[u32]| {
        encoder
            .encode(Texts { ids, lengths }, Pooling::Mean, &mut scratch)
            .expect_err("refused")
    };
    let received = VOCABULARY as u32;
    let rows = VOCABULARY;
    assert_eq!(
        refused(&[received.cast_signed()], &[1]),
        UntakenTexts::UnknownId { rows, received }
    );
    assert_eq!(refused(&[], &[0]), UntakenTexts::NoTokens);
    let long = POSITIONS + 1;
    assert_eq!(
        refused(&vec![0; long], &[long as u32]),
        UntakenTexts::TooLong {
            positions: POSITIONS,
            received: long
        }
    );
}

#[test]
fn the_processor_takes_over_when_the_device_has_no_room_or_is_lost() {
    if !has_compiler() {
        return;
    }
    let (_folder, path) = model("bert", Form::F32, 2, 1.0);
    let encoder = DeviceEncoder::open(&path, &device(), None).expect("it is taken");
    let mut scratch = Scratch::default();
    let (ids, lengths) = texts();
    let texts = Texts {
        ids: &ids,
        lengths: &lengths,
    };
    let expected = encoder
        .on_processor()
        .encode(texts, Pooling::Mean, &mut Scratch::default());
    let expected = expected.expect("vectors");

    with(|machine| machine.room = machine.counts.bytes);
    let full = encoder
        .encode(texts, Pooling::Mean, &mut scratch)
        .expect("vectors");
    assert!(matches!(full.fault, Some(DeviceError::OutOfMemory { .. })));
    assert_eq!(full.vectors, expected);
    // With room again it is the device that computes.
    with(|machine| machine.room = usize::MAX);
    assert_eq!(
        encoder
            .encode(texts, Pooling::Mean, &mut scratch)
            .expect("vectors")
            .fault,
        None
    );

    with(|machine| machine.failing.insert("cuLaunchKernel", 719));
    let lost = encoder
        .encode(texts, Pooling::Mean, &mut scratch)
        .expect("vectors");
    assert!(matches!(lost.fault, Some(DeviceError::Lost { .. })));
    assert_eq!(lost.vectors, expected);
    assert!(encoder.device().lost().is_some());
}

#[test]
fn a_model_whose_vectors_are_wrong_on_the_device_is_refused() {
    if !has_compiler() {
        return;
    }
    let (_folder, path) = model("bert", Form::F32, 2, 1.0);
    with(|machine| machine.is_faulty = true);
    let refused = DeviceEncoder::open(&path, &device(), None).err();
    assert!(
        matches!(refused, Some(DeviceRefusal::Vectors { .. })),
        "{refused:?}"
    );
}

#[test]
fn numbers_that_half_precision_has_not_are_brain_floats() {
    if !has_compiler() {
        return;
    }
    // Embeddings beyond 65,504 are infinite in half precision.
    let (_folder, path) = model("bert", Form::F32, 2, 1e6);
    let encoder = DeviceEncoder::open(&path, &device(), None).expect("it is taken");
    assert_eq!(encoder.element(), pelorus_cuda::Element::Bf16);
}

#[test]
fn texts_whose_numbers_half_precision_has_not_are_computed_on_the_processor() {
    if !has_compiler() {
        return;
    }
    let (_folder, path) = model("bert", Form::F32, 2, 1.0);
    // A token that no text of the comparison has: its row is infinite in half precision.
    let token = 298;
    let mut bytes = fs::read(&path).expect("the file");
    let header = u64::from_le_bytes(bytes[..8].try_into().expect("eight bytes")) as usize;
    let row = 8 + header + token * WIDTH * 4;
    for (at, component) in bytes[row..][..WIDTH * 4].chunks_exact_mut(4).enumerate() {
        component.copy_from_slice(&(1e6 * (at + 1) as f32).to_le_bytes());
    }
    fs::write(&path, bytes).expect("written");
    let encoder = DeviceEncoder::open(&path, &device(), None).expect("it is taken");
    assert_eq!(encoder.element(), pelorus_cuda::Element::F16);
    let lengths = [3, 2, 4];
    let ids = [5, 6, 7, 8, token as i32, 9, 10, 11, 12];
    let texts = Texts {
        ids: &ids,
        lengths: &lengths,
    };
    for pooling in [Pooling::Mean, Pooling::Cls] {
        let mut scratch = Scratch::default();
        let found = encoder
            .encode(texts, pooling, &mut scratch)
            .expect("vectors");
        assert_eq!(found.fault, None);
        let expected = encoder.on_processor().encode(texts, pooling, &mut scratch);
        let expected = expected.expect("vectors");
        let [first, mended, last] = [0, 1, 2].map(|text| {
            let of = |vectors: &[f32]| vectors[text * WIDTH..][..WIDTH].to_vec();
            (of(&found.vectors), of(&expected))
        });
        assert_eq!(mended.0, mended.1, "the processor's, to the bit");
        for (found, expected) in [first, last] {
            assert_ne!(found, expected, "the device's");
            assert!(cosine(&found, &expected) > 0.9999);
        }
    }
}

#[test]
fn a_model_that_no_kernel_computes_is_refused() {
    let (_folder, path) = model("bert", Form::F32, 4, 1.0);
    let refused = DeviceEncoder::open(&path, &device(), None).err();
    let refused = refused.map(|refusal| refusal.to_string());
    assert_eq!(
        refused.as_deref(),
        Some("kernel attention takes heads of 32 or 64 components, received 16")
    );
}
