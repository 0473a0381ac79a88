//! Files of models.

use std::fs;
use std::path::Path;

use pelorus_encoder::{Precision, TowerInput, check, check_config, check_tower, open};
use tempfile::TempDir;

use crate::{Target, files_in};

/// Graphs as they are exported.
pub struct Onnx {
    seeds: Vec<Vec<u8>>,
    folder: TempDir,
}

impl Onnx {
    pub fn new() -> Self {
        let exports =
            Path::new(env!("CARGO_MANIFEST_DIR")).join("../encoder/tests/fixtures/exports");
        let files = files_in(&exports);
        Self {
            seeds: files
                .into_iter()
                .filter(|file| file.first() == Some(&8))
                .collect(),
            folder: tempfile::tempdir().expect("a folder"),
        }
    }
}

impl Target for Onnx {
    fn seeds(&self) -> &[Vec<u8>] {
        &self.seeds
    }

    fn words(&self) -> &[&str] {
        &[
            "MatMul",
            "Gather",
            "Reshape",
            "LayerNormalization",
            "Softmax",
            "Attention",
            "Unsqueeze",
        ]
    }

    fn read(&self, input: &[u8]) {
        let path = self.folder.path().join("model.onnx");
        fs::write(&path, input).expect("a file");
        let _ = check(&path);
        let _ = check_tower(
            &path,
            TowerInput::Text {
                tokens: 8,
                padding: 1,
            },
        );
        let _ = open(&path, Precision::F32);
    }
}

/// Weights with their names.
pub struct SafeTensors {
    seeds: Vec<Vec<u8>>,
    folder: TempDir,
}

/// The configuration of a small encoder.
const CONFIG: &str = r#"{"model_type": "bert", "hidden_size": 8, "num_hidden_layers": 1, "num_attention_heads": 2,
"intermediate_size": 16, "vocab_size": 12, "max_position_embeddings": 8, "type_vocab_size": 2, "hidden_act": "gelu",
"layer_norm_eps": 1e-12, "position_embedding_type": "absolute"}"#;

impl SafeTensors {
    pub fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        fs::write(folder.path().join("config.json"), CONFIG).expect("a file");
        Self {
            seeds: vec![weights()],
            folder,
        }
    }
}

/// The weights of that encoder, small numbers throughout.
fn weights() -> Vec<u8> {
    let layer = "encoder.layer.0.";
    let mut tensors: Vec<(String, Vec<usize>)> = [
        ("embeddings.word_embeddings.weight", vec![12, 8]),
        ("embeddings.position_embeddings.weight", vec![8, 8]),
        ("embeddings.token_type_embeddings.weight", vec![2, 8]),
        ("embeddings.LayerNorm.weight", vec![8]),
        ("embeddings.LayerNorm.bias", vec![8]),
    ]
    .map(|(name, shape)| (name.to_owned(), shape))
    .to_vec();
    for (name, rows, columns) in [
        ("attention.self.query", 8, 8),
        ("attention.self.key", 8, 8),
        ("attention.self.value", 8, 8),
        ("attention.output.dense", 8, 8),
        ("intermediate.dense", 16, 8),
        ("output.dense", 8, 16),
    ] {
        tensors.push((format!("{layer}{name}.weight"), vec![rows, columns]));
        tensors.push((format!("{layer}{name}.bias"), vec![rows]));
    }
    for name in ["attention.output.LayerNorm", "output.LayerNorm"] {
        for part in ["weight", "bias"] {
            tensors.push((format!("{layer}{name}.{part}"), vec![8]));
        }
    }
    let mut header = serde_json::Map::new();
    let mut data: Vec<u8> = Vec::new();
    for (name, shape) in tensors {
        let start = data.len();
        for at in 0..shape.iter().product::<usize>() {
            data.extend_from_slice(&(at as f32 / 64.0).to_le_bytes());
        }
        let entry = serde_json::json!({"dtype": "F32", "shape": shape, "data_offsets": [start, data.len()]});
        header.insert(name, entry);
    }
    let header = serde_json::Value::Object(header).to_string();
    let mut file = (header.len() as u64).to_le_bytes().to_vec();
    file.extend_from_slice(header.as_bytes());
    file.extend_from_slice(&data);
    file
}

impl Target for SafeTensors {
    fn seeds(&self) -> &[Vec<u8>] {
        &self.seeds
    }

    fn words(&self) -> &[&str] {
        &[
            "F32",
            "F16",
            "BF16",
            "I64",
            "data_offsets",
            "shape",
            "[]",
            "18446744073709551615",
        ]
    }

    fn read(&self, input: &[u8]) {
        let path = self.folder.path().join("model.safetensors");
        fs::write(&path, input).expect("a file");
        let _ = check(&path);
        let _ = open(&path, Precision::F32);
    }
}

/// Configurations beside weights.
pub struct Configs {
    seeds: Vec<Vec<u8>>,
}

impl Configs {
    pub fn new() -> Self {
        Self {
            seeds: vec![CONFIG.as_bytes().to_vec()],
        }
    }
}

impl Target for Configs {
    fn seeds(&self) -> &[Vec<u8>] {
        &self.seeds
    }

    fn words(&self) -> &[&str] {
        &[
            "roberta",
            "mpnet",
            "xlm-roberta",
            "null",
            "-1",
            "1e999",
            "[]",
            "{}",
            "\"relative_key\"",
        ]
    }

    fn read(&self, input: &[u8]) {
        let _ = check_config(input);
    }
}
