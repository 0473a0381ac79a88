//! Tensors of a safetensors file, by name and shape.

use std::collections::BTreeMap;

use safetensors::Dtype;
use safetensors::tensor::{Metadata, TensorInfo};

use super::family::Family;
use crate::Refusal;
use crate::bytes::OpenFile;
use crate::model::{NormPlan, ProductPlan, Weight};
use crate::tensor::{FloatType, Floats};

/// Most bytes of the description of all tensors: a hundred times that of the largest encoder of texts.
const HEADER_BYTES_MAX: u64 = 8 << 20;

/// Bytes of the length of the header, before it.
const LENGTH_BYTES: usize = 8;

/// The header of a file, which says what its tensors are.
///
/// # Errors
/// [`Refusal`] when it is no such file, or cannot be read.
pub(crate) fn header(file: &OpenFile) -> Result<Vec<u8>, Refusal> {
    let none = || Refusal::damaged("it does not begin as safetensors do");
    let left = file
        .len()
        .checked_sub(LENGTH_BYTES as u64)
        .ok_or_else(none)?;
    let mut length = [0; LENGTH_BYTES];
    file.fill(0, &mut length)?;
    let length = u64::from_le_bytes(length);
    if length > HEADER_BYTES_MAX.min(left) {
        return Err(none());
    }
    let mut header = Vec::new();
    file.add(LENGTH_BYTES as u64, length, &mut header)?;
    Ok(header)
}

/// The tensors of an encoder. Those that were asked for are kept in that order.
pub(super) struct Weights<'a> {
    /// By name without prefix; those that nobody asked for yet.
    left: BTreeMap<String, TensorInfo>,
    file: &'a OpenFile,
    /// The place of the first tensor.
    begin: usize,
    /// Before all names in the file.
    prefix: &'static str,
    family: &'static Family,
    epsilon: f32,
    taken: Vec<Floats<'a>>,
}

impl<'a> Weights<'a> {
    /// Reads what the header of a file says of its tensors.
    ///
    /// # Errors
    /// [`Refusal`] when what it says is not so.
    pub(super) fn of(
        file: &'a OpenFile,
        header: &[u8],
        family: &'static Family,
        epsilon: f32,
    ) -> Result<Self, Refusal> {
        let tensors: Metadata = serde_json::from_slice(header)
            .map_err(|error| Refusal::damaged(format!("its header is none: {error}")))?;
        let (begin, bytes) = (LENGTH_BYTES + header.len(), tensors.data_len());
        if (begin as u64).checked_add(bytes as u64) != Some(file.len()) {
            return Err(Refusal::damaged(format!(
                "its header tells of {bytes} bytes of tensors, it has {}",
                file.len().saturating_sub(begin as u64)
            )));
        }
        let first = family.names.words;
        let is_there = |prefix: &&&str| tensors.info(&format!("{prefix}{first}.weight")).is_some();
        let prefix = family.prefixes.iter().find(is_there).copied().unwrap_or("");
        let of_encoder = tensors.tensors().into_iter().filter_map(|(name, tensor)| {
            let name = name.strip_prefix(prefix)?;
            Some((name.to_owned(), tensor.clone()))
        });
        Ok(Self {
            left: of_encoder.collect(),
            file,
            begin,
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
        if tensor.shape != dims {
            let shape = &tensor.shape;
            return Err(Refusal::damaged(format!(
                "its tensor {name:?} has the shape {shape:?}, its config.json says {dims:?}"
            )));
        }
        let form = match tensor.dtype {
            Dtype::F32 => FloatType::F32,
            Dtype::F16 => FloatType::F16,
            Dtype::BF16 => FloatType::Bf16,
            other => {
                return Err(Refusal::not_ours(format!(
                    "its tensor {name:?} holds {other}, not floats of 16 or 32 bits"
                )));
            }
        };
        let (start, end) = tensor.data_offsets;
        let place = self.file.bytes().part(self.begin + start, end - start);
        let lost = || Refusal::damaged(format!("its tensor {name:?} is not in the file"));
        self.taken.push(Floats {
            bytes: place.ok_or_else(lost)?,
            name,
            dims: dims.to_vec(),
            form,
            beside: None,
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
