//! Encoders from safetensors and `config.json`.

use std::path::Path;
use std::sync::Arc;

use crate::support::checkpoint::{FAMILIES, Family, Form, Tensor, config, file, rounded, tensors};
use crate::support::{HEADS, Spelling, WIDTH, definition, weights};
use pelorus_encoder::{Pooling, Precision, Refusal, Scratch, TextEncoder, Texts, check, open};
use pelorus_random::SplitMix64;
use proptest::prelude::*;
use serde_json::{Map, Value, json};

fn put(folder: &Path, tensors: &[u8], config: &[u8]) -> std::path::PathBuf {
    let path = folder.join("model.safetensors");
    std::fs::write(&path, tensors).expect("a file can be written");
    std::fs::write(folder.join("config.json"), config).expect("a file can be written");
    path
}

fn opened(tensors: &[u8], config: &[u8]) -> Result<Arc<TextEncoder>, Refusal> {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let path = put(folder.path(), tensors, config);
    let opened = open(&path, Precision::F32);
    if let Err(refusal) = check(&path) {
        assert_eq!(
            opened.as_ref().err(),
            Some(&refusal),
            "what is refused is not opened"
        );
    }
    opened
}

fn json_of(config: &Map<String, Value>) -> Vec<u8> {
    Value::Object(config.clone()).to_string().into_bytes()
}

fn encode(encoder: &TextEncoder, ids: &[i32]) -> Vec<f32> {
    let texts = Texts {
        ids,
        lengths: &[ids.len() as u32],
    };
    encoder
        .encode(texts, Pooling::Mean, &mut Scratch::default())
        .expect("the text can be taken")
}

const TEXTS: [&[i32]; 5] = [
    &[2],
    &[5, 9, 3],
    &[7, 1, 30, 1, 49, 2],
    &[0, 4, 4, 8, 11, 20, 33, 40, 3, 2],
    &[9, 8, 7, 6, 5, 4, 3, 2, 12, 13, 14, 15, 16, 17, 18, 19, 2],
];

/// Some biases by distance.
fn biases(seed: u64) -> Vec<f32> {
    let mut random = SplitMix64(seed);
    (0..32 * HEADS).map(|_| random.normal()).collect()
}

#[test]
fn have_the_vectors_of_the_definition_in_each_architecture_and_form() {
    for (family, form, prefix) in FAMILIES.into_iter().flat_map(|family| {
        Form::ALL
            .into_iter()
            .flat_map(move |form| [false, true].map(|prefix| (family, form, prefix)))
    }) {
        let mut weights = weights(1, 3);
        if family == Family::Mpnet {
            weights.biases = biases(7);
        }
        let mut weights = rounded(weights, form);
        let mut written = tensors(&weights, family, form);
        if matches!(family, Family::Distilbert | Family::Mpnet) {
            weights.kinds.fill(0.0);
        }
        if prefix {
            let prefix = match family {
                Family::Bert => "bert.",
                Family::Roberta => "roberta.",
                Family::Distilbert => "distilbert.",
                Family::Mpnet => "mpnet.",
            };
            written
                .iter_mut()
                .for_each(|tensor| tensor.name.insert_str(0, prefix));
            written.push(Tensor {
                name: "cls.predictions.bias".into(),
                ..written[0].clone()
            });
        } else if family == Family::Bert {
            written.push(Tensor {
                name: "pooler.dense.weight".into(),
                ..written[0].clone()
            });
        }
        let encoder = opened(&file(&written), &json_of(&config(family, 3))).expect("it is known");
        let spelling = if matches!(family, Family::Roberta | Family::Mpnet) {
            Spelling::Counted
        } else {
            Spelling::Steps
        };
        for text in TEXTS {
            let expected = definition::mean(&definition::hidden(&weights, spelling, text));
            for (found, expected) in encode(&encoder, text).iter().zip(expected) {
                assert!(
                    (f64::from(*found) - expected).abs() < 2e-5,
                    "{family:?}, {form:?}, {text:?}: {found} against {expected}"
                );
            }
        }
    }
}

#[test]
fn take_the_names_that_norms_had_in_the_first_years() {
    let mut written = tensors(&weights(2, 1), Family::Bert, Form::F32);
    let expected =
        opened(&file(&written), &json_of(&config(Family::Bert, 1))).expect("it is known");
    for tensor in &mut written {
        tensor.name = tensor.name.replace("LayerNorm.weight", "LayerNorm.gamma");
        tensor.name = tensor.name.replace("LayerNorm.bias", "LayerNorm.beta");
    }
    let found = opened(&file(&written), &json_of(&config(Family::Bert, 1))).expect("it is known");
    assert_eq!(encode(&found, TEXTS[2]), encode(&expected, TEXTS[2]));
}

#[test]
fn are_refused_for_a_configuration_that_asks_for_something_else() {
    let written = file(&tensors(&weights(1, 1), Family::Bert, Form::F32));
    for (key, value, expected) in [
        (
            "model_type",
            json!("deberta"),
            "its model_type \"deberta\" is none that is known",
        ),
        ("model_type", Value::Null, "has no model_type"),
        (
            "hidden_act",
            json!("relu"),
            "has hidden_act \"relu\", known encoders have \"gelu\"",
        ),
        (
            "hidden_act",
            json!("gelu_new"),
            "has hidden_act \"gelu_new\"",
        ),
        (
            "position_embedding_type",
            json!("relative_key"),
            "has position_embedding_type \"relative_key\"",
        ),
        ("is_decoder", json!(true), "has is_decoder true"),
        (
            "auto_map",
            json!({"AutoModel": "model.Model"}),
            "has auto_map",
        ),
        (
            "quantization_config",
            json!({"bits": 4}),
            "has quantization_config",
        ),
        ("embedding_size", json!(12), "has embedding_size 12"),
        (
            "hidden_size",
            json!(25),
            "divides 25 components among 3 heads",
        ),
        (
            "hidden_size",
            json!(48),
            "has the shape [50, 24], its config.json says [50, 48]",
        ),
        (
            "hidden_size",
            json!(u64::MAX),
            "has hidden_size 18446744073709551615, expected 1 to 16384",
        ),
        ("hidden_size", json!("24"), "has hidden_size \"24\""),
        ("hidden_size", json!(0), "has hidden_size 0"),
        (
            "num_hidden_layers",
            json!(2),
            "it has no tensor \"encoder.layer.1.attention.self.query.weight\"",
        ),
        (
            "num_hidden_layers",
            json!(1000),
            "has num_hidden_layers 1000",
        ),
        (
            "intermediate_size",
            json!(41),
            "its config.json says [41, 24]",
        ),
        ("vocab_size", json!(51), "its config.json says [51, 24]"),
        (
            "max_position_embeddings",
            json!(1_u64 << 40),
            "has max_position_embeddings",
        ),
        ("type_vocab_size", Value::Null, "has no type_vocab_size"),
        ("pad_token_id", json!(-1), "has pad_token_id -1"),
        (
            "layer_norm_eps",
            json!(-1e-5),
            "the layer_norm_eps of its config.json is none",
        ),
        (
            "layer_norm_eps",
            json!("small"),
            "the layer_norm_eps of its config.json is none",
        ),
    ] {
        let mut config = config(Family::Bert, 1);
        config.insert(key.into(), value);
        let refusal = opened(&written, &json_of(&config))
            .err()
            .expect("it is not known")
            .to_string();
        assert!(
            refusal.contains(expected),
            "{refusal:?} instead of {expected:?}"
        );
    }
    for config in ["", "{", "[]", "null", "{\"model_type\": 3}", "\u{0}"] {
        assert!(opened(&written, config.as_bytes()).is_err(), "{config:?}");
    }
    let config = json_of(&config(Family::Bert, 1));
    let long = [config, vec![b' '; 1 << 20]].concat();
    let refusal = opened(&written, &long)
        .err()
        .expect("it is too long")
        .to_string();
    assert!(
        refusal.contains("config.json has 1048912 bytes, more than 1048576"),
        "{refusal}"
    );
}

#[test]
fn are_refused_for_tensors_that_are_not_theirs() {
    let config = json_of(&config(Family::Bert, 1));
    let of = |change: &dyn Fn(&mut Vec<Tensor>)| {
        let mut written = tensors(&weights(1, 1), Family::Bert, Form::F32);
        change(&mut written);
        let refusal = opened(&file(&written), &config).err();
        refusal.expect("it is not known").to_string()
    };
    let not_numbers = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY];
    for (place, value) in [0, 5, 12, 13]
        .into_iter()
        .flat_map(|place| not_numbers.map(|value| (place, value)))
    {
        let refusal = of(&|written| {
            let bytes = &mut written[place].bytes;
            let end = bytes.len();
            bytes[end - 4..].copy_from_slice(&value.to_le_bytes());
        });
        let name = &tensors(&weights(1, 1), Family::Bert, Form::F32)[place].name;
        let expected = format!("its tensor {name:?} holds a value that is no number");
        assert!(
            refusal.contains(&expected),
            "{refusal} instead of {expected}"
        );
    }
    let refusal = of(&|written| written[12].name = "encoder.layer.0.attention.self.lora".into());
    assert!(refusal.contains("it has no tensor"), "{refusal}");
    let refusal = of(&|written| {
        written.push(Tensor {
            name: "encoder.layer.0.attention.self.distance.weight".into(),
            ..written[3].clone()
        });
    });
    assert!(
        refusal.contains("which no encoder of its type has"),
        "{refusal}"
    );
    let refusal = of(&|written| {
        written[0].dtype = "I32".into();
    });
    assert!(refusal.contains("not floats of 16 or 32 bits"), "{refusal}");
    let refusal = of(&|written| written[0].dims.reverse());
    assert!(
        refusal.contains("has the shape [24, 50], its config.json says [50, 24]"),
        "{refusal}"
    );
}

#[test]
fn do_not_change_when_their_files_do() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let config = json_of(&config(Family::Bert, 1));
    let path = put(
        folder.path(),
        &file(&tensors(&weights(1, 1), Family::Bert, Form::F32)),
        &config,
    );
    let encoder = open(&path, Precision::F32).expect("it is known");
    let before = encode(&encoder, TEXTS[2]);
    // In place, as a copy over it does.
    let other = file(&tensors(&weights(2, 1), Family::Bert, Form::F32));
    std::fs::write(&path, &other).expect("the file can be written");
    assert_eq!(encode(&encoder, TEXTS[2]), before);
    std::fs::write(&path, &other[..100]).expect("the file can be cut");
    assert_eq!(encode(&encoder, TEXTS[2]), before);
    assert!(open(&path, Precision::F32).is_err(), "the file is cut");
}

#[test]
fn belong_to_their_configuration() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let written = file(&tensors(&weights(1, 1), Family::Bert, Form::F32));
    let mut members = config(Family::Bert, 1);
    let path = put(folder.path(), &written, &json_of(&members));
    let first = open(&path, Precision::F32).expect("it is known");
    members.insert("num_attention_heads".into(), json!(12));
    put(folder.path(), &written, &json_of(&members));
    let second = open(&path, Precision::F32).expect("it is known");
    assert!(
        !Arc::ptr_eq(&first, &second),
        "another configuration is another encoder"
    );
    std::fs::remove_file(folder.path().join("config.json")).expect("it can be removed");
    let refusal = open(&path, Precision::F32)
        .err()
        .expect("it is not there")
        .to_string();
    assert!(refusal.contains("config.json"), "{refusal}");
}

#[test]
fn name_the_weights_that_are_no_numbers_in_every_form() {
    for form in Form::ALL {
        let written = tensors(&weights(1, 1), Family::Bert, form);
        for number in 0..written.len() {
            let mut written = written.clone();
            // All ones but the sign: no number in any form.
            let last = written[number].bytes.len() - 1;
            written[number].bytes[last] = 0x7f;
            written[number].bytes[last - 1] = 0xff;
            let name = written[number].name.clone();
            for precision in [Precision::F32, Precision::Bf16] {
                let folder = tempfile::tempdir().expect("a folder can be made");
                let config = json_of(&config(Family::Bert, 1));
                let path = put(folder.path(), &file(&written), &config);
                let refusal = open(&path, precision).err();
                let reason = refusal.map(|why| why.to_string()).unwrap_or_default();
                assert!(
                    reason.contains(&format!(
                        "its tensor {name:?} holds a value that is no number"
                    )),
                    "{form:?} in {precision}, {name}: {reason}"
                );
            }
        }
    }
}

/// The members of a configuration that the vectors of a BERT depend on.
fn computation(config: &Map<String, Value>) -> Vec<Option<Value>> {
    let keys = [
        "num_attention_heads",
        "layer_norm_eps",
        "hidden_act",
        "model_type",
    ];
    keys.iter().map(|&key| config.get(key).cloned()).collect()
}

#[test]
fn are_refused_or_as_their_configuration_says_when_its_bits_are_flipped() {
    let written = file(&tensors(&weights(5, 1), Family::Bert, Form::F32));
    let original = config(Family::Bert, 1);
    let bytes = json_of(&original);
    let expected = encode(&opened(&written, &bytes).expect("it is known"), TEXTS[2]);
    let mut random = SplitMix64(39);
    let (mut run, mut refused) = (0, 0);
    for mutant in 0..400 {
        let mut bytes = bytes.clone();
        for _ in 0..1 + random.below(3) {
            let at = random.below(bytes.len());
            bytes[at] ^= 1 << random.below(8);
        }
        match opened(&written, &bytes) {
            Err(refusal) => {
                refused += 1;
                let is_of_the_file =
                    matches!(refusal, Refusal::Damaged { .. } | Refusal::NotOurs { .. });
                assert!(is_of_the_file, "mutant {mutant}: {refusal}");
            }
            Ok(encoder) => {
                run += 1;
                let read: Map<String, Value> =
                    serde_json::from_slice(&bytes).expect("what is taken is JSON");
                let found = encode(&encoder, TEXTS[2]);
                assert!(
                    found == expected || computation(&read) != computation(&original),
                    "mutant {mutant} has other vectors: {}",
                    String::from_utf8_lossy(&bytes)
                );
            }
        }
    }
    assert!(
        run > 20 && refused > 100,
        "{run} ran, {refused} were refused"
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn are_errors_and_never_panics_whatever_bytes_are_damaged(
        damages in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
        in_config in any::<bool>(),
        cut in proptest::option::of(any::<prop::sample::Index>()),
    ) {
        let mut written = file(&tensors(&weights(1, 1), Family::Bert, Form::F32));
        let mut config = json_of(&config(Family::Bert, 1));
        for (place, value) in damages {
            if in_config {
                let at = place.index(config.len());
                config[at] = value;
            } else {
                let at = place.index(3000);
                written[at] = value;
            }
        }
        if let Some(cut) = cut {
            written.truncate(cut.index(written.len()));
        }
        if let Ok(encoder) = opened(&written, &config) {
            assert_eq!(encode(&encoder, &[3, 4]).len() % WIDTH, 0);
        }
    }
}
