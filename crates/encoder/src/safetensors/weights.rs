//! Tensors of a safetensors file, by name and shape.

use std::collections::BTreeMap;

use safetensors::tensor::TensorView;
use safetensors::{Dtype, SafeTensors};

use super::family::Family;
use crate::Refusal;
use crate::model::{NormPlan, ProductPlan, Weight};
use crate::tensor::{FloatType, Floats};

/// Most bytes of the description of all tensors: a hundred times that of the largest encoder of texts.
const HEADER_BYTES_MAX: u64 = 8 << 20;

/// The tensors of an encoder. Those that were asked for are kept in that order.
pub(super) struct Weights<'a> {
    /// By name without prefix; those that nobody asked for yet.
    left: BTreeMap<String, TensorView<'a>>,
    /// Before all names in the file.
    prefix: &'static str,
    family: &'static Family,
    epsilon: f32,
    taken: Vec<Floats<'a>>,
}

impl<'a> Weights<'a> {
    /// Reads what a file says of its tensors.
    ///
    /// # Errors
    /// [`Refusal`] when it is no such file, or what it says is not so.
    pub(super) fn of(
        file: &'a [u8],
        family: &'static Family,
        epsilon: f32,
    ) -> Result<Self, Refusal> {
        let damaged = |reason: String| Refusal::damaged(reason);
        let header = file.first_chunk().map(|bytes| u64::from_le_bytes(*bytes));
        if header.is_none_or(|bytes| bytes > HEADER_BYTES_MAX) {
            return Err(damaged("it does not begin as safetensors do".into()));
        }
        let tensors = SafeTensors::deserialize(file).map_err(|error| damaged(error.to_string()))?;
        let first = family.names.words;
        let is_there = |prefix: &&&str| tensors.tensor(&format!("{prefix}{first}.weight")).is_ok();
        let prefix = family.prefixes.iter().find(is_there).copied().unwrap_or("");
        let of_encoder = tensors.iter().filter_map(|(name, tensor)| {
            let name = name.strip_prefix(prefix)?;
            Some((name.to_owned(), tensor))
        });
        Ok(Self {
            left: of_encoder.collect(),
            prefix,
            family,
            epsilon,
            taken: Vec::new(),
        })
    }

    /// A table, `[rows, columns]`, under the name and `.weight`.
    pub(super) fn matrix(&mut self, name: &str, dims: [usize; 2]) -> Result<Weight, Refusal> {
        self.tensor(&format!("{name}.weight"), &dims)
    }

    /// A product as PyTorch keeps it, `[columns, depth]`, with its bias.
    pub(super) fn product(
        &mut self,
        name: &str,
        depth: usize,
        columns: usize,
    ) -> Result<ProductPlan, Refusal> {
        let weight = self.matrix(name, [columns, depth])?;
        let bias = self.tensor(&format!("{name}.bias"), &[columns])?;
        Ok(ProductPlan {
            weight: Weight {
                is_transposed: true,
                ..weight
            },
            bias: Some(bias),
        })
    }

    /// A normalisation. Files of the first years call its parts by the letters of its paper.
    pub(super) fn norm(&mut self, name: &str, width: usize) -> Result<NormPlan, Refusal> {
        let is_old = self.left.contains_key(&format!("{name}.gamma"));
        let [weight, bias] = if is_old {
            ["gamma", "beta"]
        } else {
            ["weight", "bias"]
        }
        .map(|part| self.tensor(&format!("{name}.{part}"), &[width]));
        Ok(NormPlan {
            epsilon: self.epsilon,
            weight: weight?,
            bias: bias?,
        })
    }

    fn tensor(&mut self, name: &str, dims: &[usize]) -> Result<Weight, Refusal> {
        let found = self.left.remove(name);
        let name = format!("{}{name}", self.prefix);
        let tensor = found.ok_or_else(|| Refusal::damaged(format!("it has no tensor {name:?}")))?;
        if tensor.shape() != dims {
            let shape = tensor.shape();
            return Err(Refusal::damaged(format!(
                "its tensor {name:?} has the shape {shape:?}, its config.json says {dims:?}"
            )));
        }
        let form = match tensor.dtype() {
            Dtype::F32 => FloatType::F32,
            Dtype::F16 => FloatType::F16,
            Dtype::BF16 => FloatType::Bf16,
            other => {
                return Err(Refusal::not_ours(format!(
                    "its tensor {name:?} holds {other}, not floats of 16 or 32 bits"
                )));
            }
        };
        self.taken.push(Floats {
            name,
            dims: dims.to_vec(),
            form,
            bytes: tensor.data(),
        });
        Ok(Weight {
            tensor: self.taken.len() - 1,
            is_transposed: false,
        })
    }

    /// All tensors that were asked for.
    ///
    /// # Errors
    /// [`Refusal`] when the encoder has others.
    pub(super) fn finish(self) -> Result<Vec<Floats<'a>>, Refusal> {
        let is_beside = |name: &str| {
            self.family
                .beside
                .iter()
                .any(|begin| name.starts_with(begin))
        };
        match self.left.keys().find(|name| !is_beside(name)) {
            None => Ok(self.taken),
            Some(name) => Err(Refusal::not_ours(format!(
                "it has a tensor \"{}{name}\", which no encoder of its type has",
                self.prefix
            ))),
        }
    }
}
