//! Graphs that are not known, and files that are damaged.

use std::path::Path;

use crate::support::{Export, HEADS, SPELLINGS, Spelling, WIDTH, export, weights, wire};
use pelorus_encoder::{Pooling, Precision, Refusal, Scratch, Texts, check, open};
use proptest::prelude::*;

/// The refusal of a file with these bytes.
fn refusal(bytes: &[u8]) -> Option<Refusal> {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let path = folder.path().join("model.onnx");
    std::fs::write(&path, bytes).expect("a file can be written");
    let opened = open(&path, Precision::F32);
    if let Err(refusal) = check(&path) {
        assert_eq!(
            opened.as_ref().err(),
            Some(&refusal),
            "a graph that is refused is not opened"
        );
    }
    if let Ok(encoder) = &opened {
        // Its vectors may be anything: they do not end the process.
        let texts = Texts {
            ids: &[3, 4, 5],
            lengths: &[2, 1],
        };
        let _ = encoder.encode(texts, Pooling::Mean, &mut Scratch::default());
    }
    opened.err()
}

fn changed(spelling: Spelling, change: impl FnOnce(&mut Export)) -> String {
    let mut exported = export(&weights(1, 2), spelling);
    change(&mut exported);
    match refusal(&exported.bytes()) {
        Some(refusal) => refusal.to_string(),
        None => panic!("the graph is taken for one that is known"),
    }
}

#[test]
fn name_the_first_difference_from_a_known_encoder() {
    use Spelling::{Counted, Fused, Optimised, Steps};
    let of = |operator: &'static str, other: &'static str| {
        move |export: &mut Export| export.first(operator).operator = other.into()
    };
    for (reason, expected) in [
        (
            changed(Steps, of("Erf", "Tanh")),
            "an operator that it does not know, at Tanh",
        ),
        (
            changed(Steps, of("Softmax", "Sigmoid")),
            "an operator that it does not know, at Sigmoid",
        ),
        (
            changed(Steps, of("Sqrt", "Reciprocal")),
            "a use of an operator that no known encoder has",
        ),
        (
            changed(Steps, of("Div", "Mul")),
            "a use of an operator that no known encoder has",
        ),
        (
            changed(Fused, of("LayerNormalization", "GroupNormalization")),
            "an operator that it does not know",
        ),
        (
            changed(Fused, |export| {
                export.first("Softmax").attributes = vec![wire::int("axis", 1)]
            }),
            "a use of an operator that no known encoder has, at Softmax",
        ),
        (
            changed(Steps, |export| {
                export.first("Transpose").attributes = vec![wire::ints("perm", &[0, 3, 1, 2])]
            }),
            "a use of an operator that no known encoder has, at Transpose",
        ),
        (
            changed(Counted, |export| {
                export.first("CumSum").attributes = vec![wire::int("exclusive", 1)]
            }),
            "a use of an operator that no known encoder has, at CumSum",
        ),
        (
            changed(Steps, |export| {
                // The mask counts, and the other way round.
                let sub = export.first("Sub");
                sub.inputs.swap(0, 1);
                let mul = export.first("Mul");
                mul.inputs[0] = mul.inputs[1].clone();
            }),
            "a use of an operator that no known encoder has, at Add",
        ),
        (
            changed(Steps, |export| {
                let last = export.nodes.len() - 1;
                export.nodes[last].inputs[0] = "attention_mask".into();
            }),
            "a layer of it does not end in a normalisation",
        ),
        (
            changed(Optimised, of("BiasGelu", "QuickGelu")),
            "an operator that it does not know, at QuickGelu",
        ),
        (
            changed(Optimised, |export| {
                export.first("BiasGelu").domain = "ai.example".into()
            }),
            "an operator that it does not know, at BiasGelu",
        ),
    ] {
        assert!(
            reason.contains(expected),
            "{reason:?} instead of {expected:?}"
        );
    }
}

#[test]
fn name_optimised_operators_in_other_uses() {
    let heads = || wire::int("num_heads", HEADS as i64);
    let attention = |change: fn(&mut wire::Node)| {
        changed(Spelling::Optimised, |export| {
            change(export.first("Attention"))
        })
    };
    for (reason, operator) in [
        (
            attention(|node| node.attributes.push(wire::int("unidirectional", 1))),
            "Attention",
        ),
        (
            attention(|node| node.attributes.push(wire::int("do_rotary", 1))),
            "Attention",
        ),
        (
            attention(|node| {
                let sizes = wire::ints("qkv_hidden_sizes", &[24, 24, 24]);
                node.attributes.push(sizes);
            }),
            "Attention",
        ),
        (
            attention(|node| node.attributes.push(wire::float("scale", -0.5))),
            "Attention",
        ),
        (
            attention(|node| node.attributes = vec![wire::int("num_heads", 5)]),
            "Attention",
        ),
        (attention(|node| node.attributes.clear()), "Attention"),
        // Another mask than the number of all tokens, a past, and scores of its own.
        (
            attention(|node| node.inputs[3] = "token_type_ids".into()),
            "Attention",
        ),
        (
            attention(|node| node.inputs.push("input_ids".into())),
            "Attention",
        ),
        (
            attention(|node| node.inputs.extend(["".into(), "input_ids".into()])),
            "Attention",
        ),
        (
            attention(|node| node.inputs[0] = "input_ids".into()),
            "Attention",
        ),
        (attention(|node| node.inputs.swap(1, 2)), "Attention"),
        (
            changed(Spelling::Optimised, |export| {
                // Nought tokens, for there is no mask to count.
                export.first("EmbedLayerNormalization").inputs.pop();
            }),
            "before it is used",
        ),
        (
            changed(Spelling::Optimised, |export| {
                export.first("EmbedLayerNormalization").inputs[4] = "".into();
            }),
            "EmbedLayerNormalization",
        ),
        (
            changed(Spelling::Optimised, |export| {
                export.first("SkipLayerNormalization").inputs[3] = "".into();
            }),
            "SkipLayerNormalization",
        ),
        (
            changed(Spelling::Optimised, |export| {
                let first = export.first("SkipLayerNormalization");
                first.inputs[4] = first.inputs[1].clone();
            }),
            "no product after its attention",
        ),
        (
            changed(Spelling::Optimised, |export| {
                let first = export.first("BiasGelu");
                first.operator = "FusedMatMul".into();
            }),
            "FusedMatMul",
        ),
        (
            changed(Spelling::Optimised, |export| {
                let first = export.first("MatMul");
                (first.operator, first.domain) = ("FusedMatMul".into(), "com.microsoft".into());
                first.attributes = vec![wire::int("transA", 1)];
            }),
            "FusedMatMul",
        ),
    ] {
        assert!(reason.contains(operator), "{reason:?} at {operator}");
    }
    // A bare use of the attributes that are known.
    let mut plain = export(&weights(1, 1), Spelling::Optimised);
    plain.first("Attention").attributes = vec![heads(), wire::float("scale", 0.0)];
    assert_eq!(refusal(&plain.bytes()), None);
}

#[test]
fn meet_every_graph_in_which_two_values_change_places() {
    // The value before it in place of each, wherever that is used, from the first product on: without one of its tables a
    // graph is still an encoder, without one of its steps it is none.
    let original = export(&weights(1, 1), Spelling::Steps);
    let names: Vec<String> = original
        .nodes
        .iter()
        .map(|node| node.output.clone())
        .collect();
    let mut taken = Vec::new();
    let is_product = |node: &wire::Node| node.operator == "MatMul";
    let products = original
        .nodes
        .iter()
        .position(is_product)
        .expect("it has products");
    for at in products..names.len() {
        let mut exported = export(&weights(1, 1), Spelling::Steps);
        let uses = exported.nodes[at + 1..]
            .iter_mut()
            .flat_map(|node| &mut node.inputs);
        let mut count = 0;
        for input in uses.filter(|input| **input == names[at]) {
            *input = names[at - 1].clone();
            count += 1;
        }
        if count > 0 && refusal(&exported.bytes()).is_none() {
            taken.push((
                original.nodes[at - 1].operator.clone(),
                original.nodes[at].operator.clone(),
            ));
        }
    }
    taken.sort();
    taken.dedup();
    // A size of nought, which means the one there is; scores without a mask, which is all ones for a text alone; products
    // without a bias; scores without a factor. All are encoders still, and run as they are.
    let sound = [
        ("Constant", "Gather"),
        ("Div", "Add"),
        ("MatMul", "Add"),
        ("MatMul", "Div"),
    ];
    let taken: Vec<(&str, &str)> = taken
        .iter()
        .map(|(a, b)| (a.as_str(), b.as_str()))
        .collect();
    assert_eq!(taken, sound);
}

#[test]
fn meet_nodes_out_of_order_in_circles_and_twice() {
    let circle = changed(Spelling::Steps, |export| {
        let last = export.nodes.len() - 2;
        let output = export.nodes[last].output.clone();
        export.first("ReduceMean").inputs[0] = output;
    });
    assert!(circle.contains("before it is used"), "{circle}");
    let reversed = changed(Spelling::Steps, |export| export.nodes.reverse());
    assert!(!reversed.is_empty());
    let twice = changed(Spelling::Steps, |export| {
        let mut again = export.nodes.clone();
        export.nodes.append(&mut again);
    });
    assert!(twice.contains("two nodes make"), "{twice}");
}

#[test]
fn meet_weights_of_other_shapes_and_types() {
    for (dims, kind, raw) in [
        (vec![WIDTH, WIDTH], 10, vec![0; WIDTH * WIDTH * 4]),
        (vec![WIDTH, WIDTH], 1, vec![0; 8]),
        (vec![usize::MAX >> 1, 4], 1, vec![0; 8]),
        (vec![usize::MAX >> 1, usize::MAX >> 1], 1, vec![]),
        (vec![0, WIDTH], 1, vec![]),
        (vec![WIDTH * WIDTH], 1, vec![0; WIDTH * WIDTH * 4]),
        (vec![WIDTH / 2, WIDTH * 2], 1, vec![0; WIDTH * WIDTH * 4]),
    ] {
        let reason = changed(Spelling::Steps, |export| {
            let product = export.first("MatMul").inputs[1].clone();
            let place = export.tensors.iter().position(|tensor| {
                let name = wire::text(8, &product);
                tensor.windows(name.len()).any(|part| part == name)
            });
            export.tensors[place.expect("the weight is there")] =
                wire::tensor(&product, kind, &dims, &raw);
        });
        assert!(!reason.is_empty());
    }
}

#[test]
fn name_the_weights_that_are_no_numbers() {
    for value in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        for place in 0..4 {
            let mut broken = weights(8, 2);
            let part = match place {
                0 => &mut broken.words[7 * WIDTH],
                1 => &mut broken.layers[0].products[4].0[3],
                2 => &mut broken.layers[1].products[0].1[0],
                _ => &mut broken.layers[1].norms[1].0[WIDTH - 1],
            };
            *part = value;
            let refusal = refusal(&export(&broken, Spelling::Steps).bytes());
            let reason = refusal
                .map(|refusal| refusal.to_string())
                .unwrap_or_default();
            assert!(reason.contains("its tensor \"weight_"), "{reason}");
            assert!(
                reason.contains("holds a value that is no number"),
                "{reason}"
            );
        }
    }
}

#[test]
fn name_layers_that_ask_for_more_memory_than_their_file() {
    /// Values between the two products that all layers have in common.
    const WIDE: usize = 4_000;
    let sharing = |layers: usize| {
        let mut exported = export(&weights(1, layers), Spelling::Steps);
        let weight_of =
            |node: &wire::Node| node.operator == "MatMul" && node.inputs[1].starts_with("weight_");
        let products: Vec<usize> = (0..exported.nodes.len())
            .filter(|&at| weight_of(&exported.nodes[at]))
            .collect();
        assert_eq!(products.len(), 6 * layers);
        for products in products.chunks(6) {
            let [up, down] = [products[4], products[5]];
            exported.nodes[up].inputs[1] = "up".into();
            exported.nodes[up + 1].inputs[0] = "up_bias".into();
            exported.nodes[down].inputs[1] = "down".into();
        }
        for (name, dims) in [
            ("up", &[WIDTH, WIDE][..]),
            ("up_bias", &[WIDE]),
            ("down", &[WIDE, WIDTH]),
        ] {
            let values = vec![0.01; dims.iter().product()];
            exported.tensors.push(wire::floats(name, dims, &values));
        }
        refusal(&exported.bytes())
    };
    assert_eq!(sharing(2), None);
    let reason = sharing(40).map(|refusal| refusal.to_string());
    let reason = reason.unwrap_or_default();
    assert!(
        reason.contains("the file is damaged: its layers ask for 7"),
        "{reason}"
    );
}

/// A graph that begins with other nodes, the last of which is made many times, each of what the one before made.
fn chained(first: Vec<wire::Node>, last: wire::Node, count: usize) -> Export {
    let mut exported = export(&weights(1, 1), Spelling::Steps);
    let mut nodes = first;
    let mut before = last.inputs[0].clone();
    for at in 0..count {
        let mut node = last.clone();
        for input in &mut node.inputs {
            if *input == last.inputs[0] {
                input.clone_from(&before);
            }
        }
        node.output = format!("chained_{at}");
        before.clone_from(&node.output);
        nodes.push(node);
    }
    // It is needed, as the first input of the first sum of embeddings.
    let sum = exported
        .nodes
        .iter()
        .position(|node| node.operator == "ReduceMean");
    let sum = &mut exported.nodes[sum.expect("there is a normalisation") - 1];
    sum.inputs[0] = before;
    nodes.append(&mut exported.nodes);
    exported.nodes = nodes;
    exported
}

#[test]
fn meet_short_graphs_that_ask_for_all_memory_or_all_of_a_stack() {
    let node = wire::node;
    let zero = || {
        let tensor = wire::integers("", &[1], &[0]);
        let value = wire::tensor_attribute("value", &tensor);
        node("Constant", &[], "zero", &[value])
    };
    let shape = || node("Shape", &["input_ids"], "shape", &[]);
    let doubled = node("Concat", &["shape", "shape"], "", &[wire::int("axis", 0)]);
    let deeper = node("Unsqueeze", &["attention_mask", "zero"], "", &[]);
    let number = |name: &str, value: f32| {
        let tensor = wire::floats("", &[], &[value]);
        node(
            "Constant",
            &[],
            name,
            &[wire::tensor_attribute("value", &tensor)],
        )
    };
    let scalar = |name: &str, value: i64| {
        let tensor = wire::integers("", &[], &[value]);
        node(
            "Constant",
            &[],
            name,
            &[wire::tensor_attribute("value", &tensor)],
        )
    };
    let axes = |axis: i64| [wire::ints("axes", &[axis])];
    let distances = vec![
        shape(),
        scalar("first", 0),
        scalar("second", 1),
        number("more", 0.5),
        node("Gather", &["shape", "second"], "length", &[]),
        node("Range", &["first", "length", "second"], "places", &[]),
        node("Unsqueeze", &["places"], "across", &axes(0)),
        node("Unsqueeze", &["places"], "down", &axes(1)),
        node("Sub", &["across", "down"], "distance", &[]),
        node("Cast", &["distance"], "real", &[wire::int("to", 1)]),
    ];
    let farther = node("Add", &["real", "more"], "", &[]);
    for (first, last, count, expected) in [
        (vec![shape()], doubled, 60, "at Concat \"chained_5\""),
        (vec![zero()], deeper, 5_000, "at Unsqueeze"),
        (distances, farther, 5_000, "too many numbers by distance"),
    ] {
        let refused = refusal(&chained(first, last, count).bytes());
        let reason = refused.map(|why| why.to_string()).unwrap_or_default();
        assert!(reason.contains(expected), "{reason}");
    }
    // Sums of embeddings, each of which would be a call within a call.
    let mut exported = export(&weights(1, 1), Spelling::Steps);
    let lookup = exported.first("ReduceMean").inputs[0].clone();
    let place = exported.nodes.iter().position(|node| node.output == lookup);
    let place = place.expect("a node makes it");
    let sum = exported.nodes[place].clone();
    let mut before = sum.inputs[0].clone();
    let sums: Vec<_> = (0..90_000)
        .map(|at| {
            let output = format!("sum_{at}");
            let node = wire::node("Add", &[&before, &sum.inputs[1]], &output, &[]);
            before = output;
            node
        })
        .collect();
    exported.nodes[place].inputs[0] = before;
    exported.nodes.splice(place..place, sums);
    let refused = refusal(&exported.bytes()).map(|why| why.to_string());
    let reason = refused.unwrap_or_default();
    assert!(
        reason.contains("a layer of it has no second product"),
        "{reason}"
    );
}

#[test]
fn meet_files_that_end_early_or_are_none() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    for path in [
        folder.path(),
        Path::new("/does/not/exist"),
        &folder.path().join("none"),
    ] {
        assert!(matches!(
            open(path, Precision::F32),
            Err(Refusal::Unreadable { .. })
        ));
    }
    assert!(refusal(&[]).is_some());
    assert!(refusal(b"what is no model").is_some());
    let bytes = export(&weights(1, 1), Spelling::Steps).bytes();
    for end in (0..bytes.len() - 20).step_by(61) {
        assert!(
            refusal(&bytes[..end]).is_some(),
            "{end} bytes of {}",
            bytes.len()
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn are_errors_and_never_panics_whatever_bytes_are_damaged(
        spelling in 0..SPELLINGS.len(),
        damages in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
    ) {
        let mut bytes = export(&weights(1, 1), SPELLINGS[spelling]).bytes();
        // Names, shapes and operators lie behind and before the weights, which are most of the file.
        let nodes = bytes.len().min(12_000);
        for (place, value) in damages {
            let at = place.index(nodes);
            bytes[at] = value;
        }
        let _ = refusal(&bytes);
    }

    #[test]
    fn are_errors_and_never_panics_whatever_the_bytes(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        let _ = refusal(&bytes);
        // As a graph, and as a node and a tensor of one.
        for wrapped in [wire::bytes(7, &bytes), wire::bytes(7, &wire::bytes(1, &bytes)), wire::bytes(7, &wire::bytes(5, &bytes))] {
            let _ = refusal(&wrapped);
        }
    }
}
