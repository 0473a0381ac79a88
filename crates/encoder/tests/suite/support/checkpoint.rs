//! Writes the weights of an encoder as transformers keeps them: safetensors and `config.json`.

use super::{HEADS, INNER, POSITIONS, VOCABULARY, WIDTH, Weights};

/// An architecture, with the names that it has there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    Bert,
    Roberta,
    Distilbert,
    Mpnet,
}

pub const FAMILIES: [Family; 4] = [
    Family::Bert,
    Family::Roberta,
    Family::Distilbert,
    Family::Mpnet,
];

/// The form of floats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    F32,
    F16,
    Bf16,
}

impl Form {
    pub const ALL: [Self; 3] = [Self::F32, Self::F16, Self::Bf16];

    pub fn name(self) -> &'static str {
        match self {
            Self::F32 => "F32",
            Self::F16 => "F16",
            Self::Bf16 => "BF16",
        }
    }

    /// The float of this form below a number.
    pub fn rounded(self, value: f32) -> f32 {
        match self {
            Self::F32 => value,
            Self::F16 if value.abs() < 1e-4 => 0.0,
            Self::F16 => f32::from_bits(value.to_bits() & 0xffff_e000),
            Self::Bf16 => f32::from_bits(value.to_bits() & 0xffff_0000),
        }
    }

    /// The bytes of a float that is one of this form.
    pub fn bytes(self, value: f32) -> Vec<u8> {
        let bits = value.to_bits();
        match self {
            Self::F32 => value.to_le_bytes().to_vec(),
            Self::Bf16 => ((bits >> 16) as u16).to_le_bytes().to_vec(),
            Self::F16 => {
                let sign = (bits >> 16) as u16 & 0x8000;
                let rest = if value == 0.0 {
                    0
                } else {
                    ((bits & 0x7fff_ffff) - (112 << 23)) >> 13
                };
                (sign | rest as u16).to_le_bytes().to_vec()
            }
        }
    }
}

#[derive(Clone)]
pub struct Tensor {
    pub name: String,
    pub dtype: String,
    pub dims: Vec<usize>,
    pub bytes: Vec<u8>,
}

/// A file of safetensors, its tensors in their order.
pub fn file(tensors: &[Tensor]) -> Vec<u8> {
    let mut header = serde_json::Map::new();
    let mut data = Vec::new();
    for Tensor {
        name,
        dtype,
        dims,
        bytes,
    } in tensors
    {
        let end = data.len() + bytes.len();
        let described = serde_json::json!({
            "dtype": dtype, "shape": dims, "data_offsets": [data.len(), end],
        });
        header.insert(name.clone(), described);
        data.extend_from_slice(bytes);
    }
    let header = serde_json::Value::Object(header).to_string();
    [
        &(header.len() as u64).to_le_bytes()[..],
        header.as_bytes(),
        &data,
    ]
    .concat()
}

/// The configuration of a small encoder.
pub fn config(family: Family, layers: usize) -> serde_json::Map<String, serde_json::Value> {
    let (kind, extra) = match family {
        Family::Bert => (
            "bert",
            serde_json::json!({"pad_token_id": 0, "position_embedding_type": "absolute"}),
        ),
        Family::Roberta => ("xlm-roberta", serde_json::json!({"pad_token_id": 1})),
        Family::Mpnet => (
            "mpnet",
            serde_json::json!({"relative_attention_num_buckets": 32}),
        ),
        Family::Distilbert => (
            "distilbert",
            serde_json::json!({
                "dim": WIDTH, "n_heads": HEADS, "n_layers": layers, "hidden_dim": INNER, "activation": "gelu",
            }),
        ),
    };
    let mut config = serde_json::json!({
        "model_type": kind, "vocab_size": VOCABULARY, "max_position_embeddings": POSITIONS,
        "attention_probs_dropout_prob": 0.1, "transformers_version": "4.40.0",
    });
    let more = serde_json::json!({
        "hidden_size": WIDTH, "num_attention_heads": HEADS, "num_hidden_layers": layers,
        "intermediate_size": INNER, "hidden_act": "gelu", "type_vocab_size": 2, "layer_norm_eps": 1e-12,
    });
    let config = config.as_object_mut().expect("it is an object");
    let mut add = |members: serde_json::Value| {
        config.extend(members.as_object().expect("it is an object").clone());
    };
    if family != Family::Distilbert {
        add(more);
    }
    add(extra);
    config.clone()
}

/// The tensors of an encoder.
pub fn tensors(weights: &Weights, family: Family, form: Form) -> Vec<Tensor> {
    let mut all = Vec::new();
    let mut add = |name: String, dims: &[usize], values: &[f32]| {
        all.push(Tensor {
            name,
            dtype: form.name().into(),
            dims: dims.to_vec(),
            bytes: values.iter().flat_map(|&value| form.bytes(value)).collect(),
        });
    };
    let is_distilbert = family == Family::Distilbert;
    add(
        "embeddings.word_embeddings.weight".into(),
        &[VOCABULARY, WIDTH],
        &weights.words,
    );
    add(
        "embeddings.position_embeddings.weight".into(),
        &[POSITIONS, WIDTH],
        &weights.places,
    );
    if family == Family::Mpnet {
        add(
            "encoder.relative_attention_bias.weight".into(),
            &[32, HEADS],
            &weights.biases,
        );
    } else if !is_distilbert {
        add(
            "embeddings.token_type_embeddings.weight".into(),
            &[2, WIDTH],
            &weights.kinds,
        );
    }
    let mut norm = |name: &str, (weight, bias): &(Vec<f32>, Vec<f32>)| {
        add(format!("{name}.weight"), &[WIDTH], weight);
        add(format!("{name}.bias"), &[WIDTH], bias);
    };
    norm("embeddings.LayerNorm", &weights.norm);
    let (layers, products, norms) = if family == Family::Mpnet {
        (
            "encoder.layer",
            [
                "attention.attn.q",
                "attention.attn.k",
                "attention.attn.v",
                "attention.attn.o",
                "intermediate.dense",
                "output.dense",
            ],
            ["attention.LayerNorm", "output.LayerNorm"],
        )
    } else if is_distilbert {
        (
            "transformer.layer",
            [
                "attention.q_lin",
                "attention.k_lin",
                "attention.v_lin",
                "attention.out_lin",
                "ffn.lin1",
                "ffn.lin2",
            ],
            ["sa_layer_norm", "output_layer_norm"],
        )
    } else {
        (
            "encoder.layer",
            [
                "attention.self.query",
                "attention.self.key",
                "attention.self.value",
                "attention.output.dense",
                "intermediate.dense",
                "output.dense",
            ],
            ["attention.output.LayerNorm", "output.LayerNorm"],
        )
    };
    for (number, layer) in weights.layers.iter().enumerate() {
        for (name, values) in norms.iter().zip(&layer.norms) {
            norm(&format!("{layers}.{number}.{name}"), values);
        }
    }
    for (number, layer) in weights.layers.iter().enumerate() {
        for (name, (weight, bias)) in products.iter().zip(&layer.products) {
            let columns = bias.len();
            let rows = weight.len() / columns;
            let turned: Vec<f32> = (0..weight.len())
                .map(|at| weight[at % rows * columns + at / rows])
                .collect();
            add(
                format!("{layers}.{number}.{name}.weight"),
                &[columns, rows],
                &turned,
            );
            add(format!("{layers}.{number}.{name}.bias"), &[columns], bias);
        }
    }
    all
}

/// Weights that are floats of a form.
pub fn rounded(mut weights: Weights, form: Form) -> Weights {
    let round = |values: &mut Vec<f32>| {
        values
            .iter_mut()
            .for_each(|value| *value = form.rounded(*value))
    };
    let Weights {
        words,
        places,
        kinds,
        biases,
        ..
    } = &mut weights;
    for table in [words, places, kinds, biases] {
        round(table);
    }
    let norms = weights.layers.iter_mut().flat_map(|layer| &mut layer.norms);
    for (weight, bias) in norms.chain([&mut weights.norm]) {
        round(weight);
        round(bias);
    }
    for (weight, bias) in weights
        .layers
        .iter_mut()
        .flat_map(|layer| &mut layer.products)
    {
        round(weight);
        round(bias);
    }
    weights
}
