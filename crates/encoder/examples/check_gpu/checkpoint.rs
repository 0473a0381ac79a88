//! Encoders of chance in the shapes of known ones, written as their publishers write them.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use pelorus_random::SplitMix64;

use crate::Failure;

/// The sizes of an encoder of the BERT family.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    pub name: &'static str,
    pub width: usize,
    pub heads: usize,
    pub inner: usize,
    pub layers: usize,
    pub vocabulary: usize,
    pub positions: usize,
}

/// Those that people use.
pub const KNOWN: [Shape; 2] = [
    Shape {
        name: "all-MiniLM-L6",
        width: 384,
        heads: 12,
        inner: 1536,
        layers: 6,
        vocabulary: 30_522,
        positions: 512,
    },
    Shape {
        name: "bge-base",
        width: 768,
        heads: 12,
        inner: 3072,
        layers: 12,
        vocabulary: 30_522,
        positions: 512,
    },
];

/// Those that an emulated device computes in seconds.
pub const SMALL: [Shape; 1] = [Shape {
    name: "small",
    width: 64,
    heads: 2,
    inner: 128,
    layers: 2,
    vocabulary: 300,
    positions: 130,
}];

/// Components that are much larger than others, as those of trained encoders are.
const LARGE: usize = 3;

/// Writes an encoder into a folder and answers the path of its weights.
pub fn write(shape: &Shape, folder: &Path) -> Result<PathBuf, Failure> {
    std::fs::create_dir_all(folder)?;
    let tensors = tensors(shape);
    let (mut header, mut end) = (serde_json::Map::new(), 0);
    for (name, dims, _) in &tensors {
        let start = end;
        end += dims.iter().product::<usize>() * 4;
        let facts =
            serde_json::json!({ "dtype": "F32", "shape": dims, "data_offsets": [start, end] });
        header.insert(name.clone(), facts);
    }
    let header = serde_json::Value::Object(header).to_string();
    let path = folder.join("model.safetensors");
    let mut file = BufWriter::new(File::create(&path)?);
    // Eight bytes, then the header: the numbers after it lie on eight.
    let padding = (8 - header.len() % 8) % 8;
    file.write_all(&((header.len() + padding) as u64).to_le_bytes())?;
    file.write_all(header.as_bytes())?;
    file.write_all(&b"        "[..padding])?;
    let mut random = SplitMix64(7);
    for (_, dims, draw) in &tensors {
        for at in 0..dims.iter().product() {
            file.write_all(&draw.value(&mut random, at).to_le_bytes())?;
        }
    }
    file.flush()?;
    let config = serde_json::json!({
        "model_type": "bert", "vocab_size": shape.vocabulary, "max_position_embeddings": shape.positions,
        "hidden_size": shape.width, "num_attention_heads": shape.heads, "num_hidden_layers": shape.layers,
        "intermediate_size": shape.inner, "hidden_act": "gelu", "type_vocab_size": 2,
        "layer_norm_eps": 1e-12, "pad_token_id": 0, "position_embedding_type": "absolute",
    });
    std::fs::write(folder.join("config.json"), config.to_string())?;
    Ok(path)
}

/// The distribution of a tensor.
#[derive(Clone, Copy)]
enum Draw {
    /// Around a middle, with a spread.
    Around(f32, f32),
    /// As the last, the first components some times as large.
    Uneven(f32, f32),
}

impl Draw {
    fn value(self, random: &mut SplitMix64, at: usize) -> f32 {
        match self {
            Self::Around(middle, spread) => middle + random.normal() * spread,
            Self::Uneven(middle, spread) => {
                let value = middle + random.normal() * spread;
                if at < LARGE { value * 8.0 } else { value }
            }
        }
    }
}

fn tensors(shape: &Shape) -> Vec<(String, Vec<usize>, Draw)> {
    let Shape {
        width,
        inner,
        vocabulary,
        positions,
        ..
    } = *shape;
    let mut tensors = Vec::new();
    for (name, rows) in [
        ("word", vocabulary),
        ("position", positions),
        ("token_type", 2),
    ] {
        let name = format!("embeddings.{name}_embeddings.weight");
        tensors.push((name, vec![rows, width], Draw::Around(0.0, 0.5)));
    }
    let norm = |tensors: &mut Vec<_>, name: &str| {
        tensors.push((
            format!("{name}.weight"),
            vec![width],
            Draw::Uneven(1.0, 0.1),
        ));
        tensors.push((format!("{name}.bias"), vec![width], Draw::Around(0.0, 0.1)));
    };
    norm(&mut tensors, "embeddings.LayerNorm");
    for layer in 0..shape.layers {
        for (name, columns, depth) in [
            ("attention.self.query", width, width),
            ("attention.self.key", width, width),
            ("attention.self.value", width, width),
            ("attention.output.dense", width, width),
            ("intermediate.dense", inner, width),
            ("output.dense", width, inner),
        ] {
            let name = format!("encoder.layer.{layer}.{name}");
            let spread = 1.0 / (depth as f32).sqrt();
            tensors.push((
                format!("{name}.weight"),
                vec![columns, depth],
                Draw::Around(0.0, spread),
            ));
            tensors.push((
                format!("{name}.bias"),
                vec![columns],
                Draw::Around(0.0, 0.1),
            ));
        }
        for name in ["attention.output.LayerNorm", "output.LayerNorm"] {
            norm(&mut tensors, &format!("encoder.layer.{layer}.{name}"));
        }
    }
    tensors
}

/// Texts of mixed lengths, as ids of tokens: most are short, some as long as the encoder takes.
pub struct Tokens {
    pub ids: Vec<i32>,
    pub lengths: Vec<u32>,
}

impl Tokens {
    pub fn new(shape: &Shape, texts: usize) -> Self {
        let mut random = SplitMix64(11);
        let mut length = |text: usize| match text % 16 {
            0 => shape.positions,
            1 => 1,
            _ => 4 + random.below(shape.positions / 4),
        };
        let lengths: Vec<u32> = (0..texts).map(|text| length(text) as u32).collect();
        let ids = (0..lengths.iter().sum()).map(|_| random.below(shape.vocabulary) as i32);
        Self {
            ids: ids.collect(),
            lengths,
        }
    }

    pub fn texts(&self) -> pelorus_encoder::Texts<'_> {
        pelorus_encoder::Texts {
            ids: &self.ids,
            lengths: &self.lengths,
        }
    }
}
