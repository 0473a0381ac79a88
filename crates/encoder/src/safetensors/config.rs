//! The configuration of an encoder: its sizes, and that nothing in it asks for another computation.

use serde_json::{Map, Value};

use super::family::{FAMILIES, Family};
use crate::Refusal;
use crate::model::{LAYERS_MAX, WIDTH_MAX};

/// Most rows of a table, ten times those of the largest vocabulary, and most values between the products of a layer.
const ROWS_MAX: usize = 1 << 22;
const INNER_MAX: usize = 1 << 16;
/// Most rows of a table of biases: with more, distances of their own would reach as far as the farthest.
const BUCKETS_MAX: usize = 256;

/// The numbers that the shapes of all tensors follow from.
pub(super) struct Config {
    pub(super) family: &'static Family,
    pub(super) width: usize,
    pub(super) heads: usize,
    pub(super) layers: usize,
    pub(super) inner: usize,
    pub(super) vocabulary: usize,
    pub(super) positions: usize,
    pub(super) kinds: usize,
    pub(super) padding: i64,
    pub(super) epsilon: f32,
    /// Rows of the table of biases; nought where there is none.
    pub(super) buckets: usize,
}

impl Config {
    /// Reads `config.json`.
    ///
    /// # Errors
    /// [`Refusal`] when it is no configuration, or none of an encoder that is known here.
    pub(super) fn read(bytes: &[u8]) -> Result<Self, Refusal> {
        let members: Map<String, Value> = serde_json::from_slice(bytes)
            .map_err(|error| Refusal::damaged(format!("its config.json: {error}")))?;
        let members = Members(members);
        let family = members.family()?;
        let keys = &family.keys;
        members.check(family)?;
        let width = members.size(keys.width, WIDTH_MAX)?;
        let heads = members.size(keys.heads, WIDTH_MAX)?;
        if !width.is_multiple_of(heads) {
            return Err(Refusal::damaged(format!(
                "its config.json divides {width} components among {heads} heads"
            )));
        }
        let kinds = match family.names.kinds {
            None => 0,
            Some(_) => members.size("type_vocab_size", ROWS_MAX)?,
        };
        Ok(Self {
            width,
            heads,
            layers: members.size(keys.layers, LAYERS_MAX)?,
            inner: members.size(keys.inner, INNER_MAX)?,
            vocabulary: members.size("vocab_size", ROWS_MAX)?,
            positions: members.size("max_position_embeddings", ROWS_MAX)?,
            kinds,
            padding: members.padding(family)?,
            epsilon: members.epsilon(family)?,
            buckets: members.buckets(family)?,
            family,
        })
    }
}

struct Members(Map<String, Value>);

impl Members {
    /// A member; none where it is null, as libraries write what they leave open.
    fn get(&self, key: &str) -> Option<&Value> {
        self.0.get(key).filter(|value| !value.is_null())
    }

    fn family(&self) -> Result<&'static Family, Refusal> {
        let name = match self.get("model_type") {
            Some(Value::String(name)) => name.as_str(),
            _ => return Err(Refusal::not_ours("its config.json has no model_type")),
        };
        let mut all = FAMILIES.iter();
        all.find(|family| family.types.contains(&name))
            .ok_or_else(|| {
                Refusal::not_ours(format!("its model_type {name:?} is none that is known"))
            })
    }

    /// Checks that nothing asks for another computation.
    fn check(&self, family: &Family) -> Result<(), Refusal> {
        let expected = [
            (family.keys.activation, Value::from("gelu")),
            ("position_embedding_type", Value::from("absolute")),
            ("is_decoder", Value::from(false)),
            ("add_cross_attention", Value::from(false)),
        ];
        for (key, expected) in expected {
            if let Some(value) = self.get(key).filter(|value| **value != expected) {
                return Err(Refusal::not_ours(format!(
                    "its config.json has {key} {value}, known encoders have {expected}"
                )));
            }
        }
        // Code of its own, integers for weights, and embeddings of another width.
        for key in ["auto_map", "quantization_config"] {
            if self.get(key).is_some() {
                return Err(Refusal::not_ours(format!("its config.json has {key}")));
            }
        }
        if let Some(value) = self.get("embedding_size")
            && self.get(family.keys.width) != Some(value)
        {
            return Err(Refusal::not_ours(format!(
                "its config.json has embedding_size {value}, another than that of its layers"
            )));
        }
        Ok(())
    }

    fn size(&self, key: &str, most: usize) -> Result<usize, Refusal> {
        let value = self.get(key);
        let size = value.and_then(Value::as_u64);
        let size = size.and_then(|size| usize::try_from(size).ok());
        match size {
            Some(size) if (1..=most).contains(&size) => Ok(size),
            _ => Err(Refusal::damaged(match value {
                None => format!("its config.json has no {key}"),
                Some(value) => {
                    format!("its config.json has {key} {value}, expected 1 to {most}")
                }
            })),
        }
    }

    /// The id of padding, which positions are counted after.
    fn padding(&self, family: &Family) -> Result<i64, Refusal> {
        match self.get("pad_token_id") {
            None => Ok(family.padding),
            Some(value) => match value.as_i64() {
                Some(padding) if (0..1 << 22).contains(&padding) => Ok(padding),
                _ => Err(Refusal::damaged(format!(
                    "its config.json has pad_token_id {value}"
                ))),
            },
        }
    }

    fn buckets(&self, family: &Family) -> Result<usize, Refusal> {
        const KEY: &str = "relative_attention_num_buckets";
        if family.bias.is_none() {
            return Ok(0);
        }
        let count = match self.get(KEY) {
            None => 32,
            Some(_) => self.size(KEY, BUCKETS_MAX)?,
        };
        if count.is_multiple_of(4) {
            return Ok(count);
        }
        Err(Refusal::damaged(format!(
            "its config.json has {KEY} {count}, which is not divided by 4"
        )))
    }

    fn epsilon(&self, family: &Family) -> Result<f32, Refusal> {
        let value = family.keys.epsilon.and_then(|key| self.get(key));
        match value.map(Value::as_f64) {
            None => Ok(1e-12),
            Some(Some(epsilon)) if epsilon > 0.0 && epsilon < 1.0 => Ok(epsilon as f32),
            Some(_) => Err(Refusal::damaged(
                "the layer_norm_eps of its config.json is none",
            )),
        }
    }
}
