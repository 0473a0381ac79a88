//! Towers of joint models: their vectors, and the graphs that are none.

use std::sync::Arc;

use crate::support::tower::{
    self, END, Export, OUT, PICTURE, PIXELS, Pool, SIDE, Shape, TEXT, TOKENS, export, shapes,
    weights,
};
use crate::support::wire;
use pelorus_encoder::{
    Precision, Refusal, Texts, Tower, TowerInput, TowerScratch, UntakenPictures, UntakenTexts,
    check_tower, open_tower,
};
use pelorus_random::SplitMix64;
use proptest::prelude::*;

const PADDING: i32 = 1;

fn input(shape: Shape) -> TowerInput {
    if shape.is_picture {
        return TowerInput::Picture {
            channels: 3,
            height: SIDE,
            width: SIDE,
        };
    }
    TowerInput::Text {
        tokens: TOKENS,
        padding: PADDING,
    }
}

fn opened(bytes: &[u8], shape: Shape) -> Result<Arc<Tower>, Refusal> {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let path = folder.path().join("model.onnx");
    std::fs::write(&path, bytes).expect("a file can be written");
    let opened = open_tower(&path, input(shape), Precision::F32);
    if let Err(refusal) = check_tower(&path, input(shape)) {
        assert_eq!(
            opened.as_ref().err(),
            Some(&refusal),
            "a graph that is refused is not opened"
        );
    }
    opened
}

fn known(weights: &tower::Weights, shape: Shape) -> Arc<Tower> {
    opened(&export(weights, shape).bytes(), shape)
        .unwrap_or_else(|refusal| panic!("{shape:?}: {refusal}"))
}

/// Texts of three tokens and more that end in the largest id.
fn texts(seed: u64, count: usize) -> Vec<Vec<i32>> {
    let mut random = SplitMix64(seed);
    let mut below = |limit: u64| (random.bits() % limit) as i32;
    (0..count)
        .map(|_| {
            let mut text: Vec<i32> = (0..2 + below(TOKENS as u64 - 2))
                .map(|_| 2 + below(40))
                .collect();
            text.push(END);
            text
        })
        .collect()
}

fn pictures(seed: u64, count: usize) -> Vec<f32> {
    let mut random = SplitMix64(seed);
    (0..count * PIXELS).map(|_| random.normal()).collect()
}

fn encode(tower: &Tower, texts: &[Vec<i32>]) -> Vec<f32> {
    let lengths: Vec<u32> = texts.iter().map(|text| text.len() as u32).collect();
    let texts = Texts {
        ids: &texts.concat(),
        lengths: &lengths,
    };
    let encoded = tower.encode_texts(texts, &mut TowerScratch::default());
    encoded.expect("the texts can be taken")
}

fn bits(vectors: &[f32]) -> Vec<u32> {
    vectors.iter().map(|x| x.to_bits()).collect()
}

#[test]
fn have_the_vectors_of_their_definition_however_their_graphs_are_spelt() {
    for (seed, shape) in (1..).zip(shapes()) {
        let weights = weights(seed, 2);
        let tower = known(&weights, shape);
        assert_eq!(tower.dimensions(), OUT);
        let (found, expected): (_, Vec<Vec<f64>>) = if shape.is_picture {
            let pictures = pictures(seed, 9);
            let found = tower.encode_pictures(&pictures, &mut TowerScratch::default());
            let expected = pictures
                .chunks(PIXELS)
                .map(|one| tower::of_picture(&weights, shape, one));
            (
                found.expect("the pictures can be taken"),
                expected.collect(),
            )
        } else {
            let texts = texts(seed, 9);
            let expected = texts
                .iter()
                .map(|text| tower::of_text(&weights, shape, text, PADDING));
            (encode(&tower, &texts), expected.collect())
        };
        assert_eq!(found.len(), expected.len() * OUT);
        for (found, expected) in found.iter().zip(expected.concat()) {
            let difference = (f64::from(*found) - expected).abs();
            assert!(difference < 2e-5, "{shape:?}: {found} against {expected}");
        }
    }
}

#[test]
fn have_the_same_bits_alone_and_in_any_batch() {
    for shape in shapes() {
        let tower = known(&weights(3, 2), shape);
        let (texts, pictures) = (texts(4, 60), pictures(4, 60));
        let scratch = &mut TowerScratch::default();
        let mut in_batches = |count: usize| -> Vec<u32> {
            if shape.is_picture {
                let vectors = pictures.chunks(count * PIXELS).flat_map(|some| {
                    tower
                        .encode_pictures(some, scratch)
                        .expect("the pictures can be taken")
                });
                return bits(&vectors.collect::<Vec<_>>());
            }
            let vectors = texts.chunks(count).flat_map(|some| encode(&tower, some));
            bits(&vectors.collect::<Vec<_>>())
        };
        let alone = in_batches(1);
        for count in [2, 7, 60] {
            assert_eq!(in_batches(count), alone, "{shape:?} in batches of {count}");
        }
    }
}

fn changed(shape: Shape, change: impl FnOnce(&mut Export)) -> Option<String> {
    let mut exported = export(&weights(1, 2), shape);
    change(&mut exported);
    opened(&exported.bytes(), shape)
        .err()
        .map(|refusal| refusal.to_string())
}

/// The first constant of one number that is `value`, made another.
fn renumbered(export: &mut Export, value: f32, other: f32) {
    let known = wire::tensor_attribute("value", &wire::floats("", &[], &[value]));
    let node = export
        .nodes
        .iter_mut()
        .find(|node| node.attributes == [known.clone()]);
    node.expect("the number is there").attributes = vec![wire::tensor_attribute(
        "value",
        &wire::floats("", &[], &[other]),
    )];
}

#[test]
fn are_refused_where_their_graphs_differ_from_what_is_computed_here() {
    let text = |pool| Shape { pool, ..TEXT };
    let joined = Shape {
        is_joined: true,
        ..TEXT
    };
    let masked = Shape {
        has_mask: true,
        ..TEXT
    };
    let attributes = |operator: &'static str, attributes: Vec<Vec<u8>>| {
        move |export: &mut Export| export.first(operator).attributes = attributes
    };
    let place = |more| vec![wire::int("axis", -1), wire::int("keepdims", 0), more];
    let refusals = [
        // Masks that show each token the next one too, that show only what comes after, and that hide too little.
        changed(TEXT, |export| {
            let diagonal = export.first("Trilu").inputs[1].clone();
            let node = export.nodes.iter_mut().find(|node| node.output == diagonal);
            node.expect("it is there").attributes = vec![wire::tensor_attribute(
                "value",
                &wire::integers("", &[], &[2]),
            )];
        }),
        changed(TEXT, attributes("Trilu", vec![wire::int("upper", 0)])),
        changed(TEXT, |export| lower_mask(export, -1.0)),
        // Other activations.
        changed(TEXT, |export| renumbered(export, 1.702, 1.6)),
        changed(TEXT, |export| {
            export.first("Sigmoid").operator = "Tanh".into()
        }),
        changed(TEXT, |export| {
            export.first("Sigmoid").operator = "HardSigmoid".into()
        }),
        // Other places to read the vector from.
        changed(
            TEXT,
            attributes("ArgMax", place(wire::int("select_last_index", 1))),
        ),
        changed(TEXT, |export| {
            export.first("ArgMax").operator = "ArgMin".into()
        }),
        changed(
            TEXT,
            attributes(
                "ArgMax",
                vec![wire::int("axis", 0), wire::int("keepdims", 0)],
            ),
        ),
        // Padding that a mask hides from tokens which see it otherwise.
        changed(
            Shape {
                pool: Pool::Last,
                ..masked
            },
            |_| (),
        ),
        changed(masked, |export| {
            let add = export
                .nodes
                .iter_mut()
                .find(|node| node.operator == "MatMul" && node.inputs[1].starts_with("value"));
            add.expect("it is there").inputs.swap(0, 1);
        }),
        // Windows that overlap or are filled up, shares along another axis, rows that no axis shows.
        changed(
            PICTURE,
            attributes("Conv", vec![wire::ints("strides", &[2, 2])]),
        ),
        changed(
            PICTURE,
            attributes(
                "Conv",
                vec![wire::ints("strides", &[4, 4]), wire::ints("pads", &[1; 4])],
            ),
        ),
        changed(
            PICTURE,
            attributes(
                "Conv",
                vec![wire::ints("strides", &[4, 4]), wire::int("group", 3)],
            ),
        ),
        changed(PICTURE, attributes("Softmax", vec![wire::int("axis", 1)])),
        changed(
            PICTURE,
            attributes("Transpose", vec![wire::ints("perm", &[1, 0, 2])]),
        ),
        changed(PICTURE, |export| {
            export.first("LayerNormalization").operator = "GroupNormalization".into()
        }),
        changed(PICTURE, |export| {
            export.first("Gemm").attributes = vec![wire::float("alpha", 2.0)]
        }),
        changed(joined, |export| {
            export.first("Sqrt").operator = "Exp".into()
        }),
        changed(joined, |export| export.first("Sub").inputs.swap(0, 1)),
        // Truths that are neither nought nor one.
        changed(PICTURE, |export| {
            export.first("Gemm").attributes = vec![wire::int("transB", 2)]
        }),
        changed(
            text(Pool::Mean),
            attributes(
                "ReduceMean",
                vec![wire::ints("axes", &[1]), wire::int("keepdims", 2)],
            ),
        ),
        // The place of a token in a matrix of no tokens.
        changed(TEXT, |export| {
            let place = export.first("ArgMax").output.clone();
            let last = export.nodes.len() - 1;
            export.nodes[last].operator = "Gather".into();
            export.nodes[last].inputs.push(place);
        }),
        // An output for each token, and one of the input.
        changed(text(Pool::Last), |export| {
            let last = export.nodes.len() - 1;
            export.nodes[last].inputs[0] = export.first("LayerNormalization").output.clone();
        }),
        changed(TEXT, |export| {
            let last = export.nodes.len() - 1;
            export.nodes[last].inputs[0] = "input_ids".into();
        }),
    ];
    for (at, refusal) in refusals.into_iter().enumerate() {
        assert!(
            refusal.is_some_and(|reason| !reason.is_empty()),
            "graph {at} is taken"
        );
    }
}

/// A mask that adds this number to the scores that it should hide.
fn lower_mask(export: &mut Export, low: f32) {
    export.first("ConstantOfShape").attributes = vec![wire::tensor_attribute(
        "value",
        &wire::floats("", &[1], &[low]),
    )];
}

#[test]
fn are_refused_for_inputs_of_another_shape() {
    let bytes = export(&weights(1, 1), PICTURE).bytes();
    assert!(opened(&bytes, TEXT).is_err());
    assert!(opened(&export(&weights(1, 1), TEXT).bytes(), PICTURE).is_err());
    let folder = tempfile::tempdir().expect("a folder can be made");
    let path = folder.path().join("model.onnx");
    std::fs::write(&path, bytes).expect("a file can be written");
    for (channels, height, width) in [
        (3, 16, 12),
        (3, 8, 8),
        (1, 12, 12),
        (0, 12, 12),
        (3, 1 << 20, 12),
    ] {
        let input = TowerInput::Picture {
            channels,
            height,
            width,
        };
        assert!(
            open_tower(&path, input, Precision::F32).is_err(),
            "{input:?}"
        );
    }
}

#[test]
fn refuse_texts_and_pictures_that_they_cannot_take() {
    let scratch = &mut TowerScratch::default();
    let text = known(&weights(5, 1), TEXT);
    let picture = known(&weights(5, 1), PICTURE);
    let mut fails = |ids: &[i32], lengths: &[u32]| {
        text.encode_texts(Texts { ids, lengths }, scratch)
            .expect_err("it cannot be taken")
    };
    assert_eq!(fails(&[], &[0]), UntakenTexts::NoTokens);
    assert_eq!(
        fails(&[3; TOKENS + 1], &[TOKENS as u32 + 1]),
        UntakenTexts::TooLong {
            positions: TOKENS,
            received: TOKENS + 1
        }
    );
    for received in [-1_i32, 50] {
        assert_eq!(
            fails(&[3, received], &[2]),
            UntakenTexts::UnknownId {
                rows: 50,
                received: received.cast_unsigned()
            }
        );
    }
    assert!(matches!(fails(&[3], &[2]), UntakenTexts::Lengths { .. }));
    let wrong = picture.encode_pictures(&[0.0; PIXELS + 1], &mut TowerScratch::default());
    assert!(matches!(wrong, Err(UntakenPictures::Shape { .. })));
    let of_text = text.encode_pictures(&[], &mut TowerScratch::default());
    assert_eq!(of_text, Err(UntakenPictures::Texts));
    let one = Texts {
        ids: &[3],
        lengths: &[1],
    };
    let of_picture = picture.encode_texts(one, &mut TowerScratch::default());
    assert_eq!(of_picture, Err(UntakenTexts::Pictures));
}

#[test]
fn refuse_a_text_whose_vector_a_mask_would_take_from_padding() {
    let shape = Shape {
        has_mask: true,
        ..TEXT
    };
    let bytes = export(&weights(6, 1), shape).bytes();
    let folder = tempfile::tempdir().expect("a folder can be made");
    let path = folder.path().join("model.onnx");
    std::fs::write(&path, bytes).expect("a file can be written");
    let input = TowerInput::Text {
        tokens: TOKENS,
        padding: END,
    };
    let tower = open_tower(&path, input, Precision::F32).expect("the tower is known");
    let text = Texts {
        ids: &[3, 4],
        lengths: &[2],
    };
    let found = tower.encode_texts(text, &mut TowerScratch::default());
    assert_eq!(found, Err(UntakenTexts::NoLastToken));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn are_errors_and_never_panics_whatever_bytes_are_damaged(
        which in 0..10_usize,
        damages in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
    ) {
        let shape = shapes()[which];
        let mut bytes = export(&weights(1, 1), shape).bytes();
        // Operators, names and shapes lie before the weights.
        let nodes = bytes.len().min(8_000);
        for (place, value) in damages {
            let at = place.index(nodes);
            bytes[at] = value;
        }
        if let Ok(tower) = opened(&bytes, shape) {
            // Its vectors may be anything: they do not end the process.
            let scratch = &mut TowerScratch::default();
            let _ = tower.encode_pictures(&pictures(1, 2), scratch);
            let _ = tower.encode_texts(Texts { ids: &[3, 4, END], lengths: &[3] }, scratch);
        }
    }
}
