//! The vectors of one document: per tensor field the chunks' texts and one vector each.
//!
//! Layout (little endian): version `u8`, then per field: name, kind `u8`, weights JSON (empty
//! unless multimodal), chunk count `u32`, chunk texts, then `chunks * dimensions` numbers: `f32`
//! in version 1, bfloat16 in version 2. A text is its length as `u32` and its bytes.

use pelorus_hnsw::NumericType;
use pelorus_kernels::{bf16_to_f32, f32_to_bf16};

use crate::error::{DocumentsError, Result};

const FLOAT_VERSION: u8 = 1;
const BFLOAT16_VERSION: u8 = 2;

/// Where a field's vectors come from; decides whether they may be reused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TensorKind {
    Text,
    Vector,
    Multimodal,
}

/// Chunks and vectors of one tensor field.
#[derive(Debug, Clone, PartialEq)]
pub struct FieldTensors {
    pub field: String,
    pub kind: TensorKind,
    /// JSON of the weights of a multimodal field, empty otherwise.
    pub weights: String,
    pub chunks: Vec<String>,
    /// One row of `dimensions` floats per chunk.
    pub vectors: Vec<f32>,
}

/// Writes the tensors of a document, whose numbers are of the type given: they are read back as
/// they are.
pub fn encode_tensors(tensors: &[FieldTensors], numbers: NumericType) -> Vec<u8> {
    let mut bytes = vec![match numbers {
        NumericType::Float => FLOAT_VERSION,
        NumericType::Bfloat16 => BFLOAT16_VERSION,
    }];
    for tensor in tensors {
        push_text(&mut bytes, &tensor.field);
        bytes.push(tensor.kind as u8);
        push_text(&mut bytes, &tensor.weights);
        bytes.extend_from_slice(&(tensor.chunks.len() as u32).to_le_bytes());
        for chunk in &tensor.chunks {
            push_text(&mut bytes, chunk);
        }
        match numbers {
            NumericType::Float => {
                bytes.extend(tensor.vectors.iter().flat_map(|x| x.to_le_bytes()));
            }
            NumericType::Bfloat16 => {
                let halves = tensor.vectors.iter().map(|x| f32_to_bf16(*x));
                bytes.extend(halves.flat_map(u16::to_le_bytes));
            }
        }
    }
    bytes
}

fn push_text(bytes: &mut Vec<u8>, text: &str) {
    bytes.extend_from_slice(&(text.len() as u32).to_le_bytes());
    bytes.extend_from_slice(text.as_bytes());
}

/// Reads the tensors of a document.
///
/// # Errors
/// [`DocumentsError::Stored`] when the bytes are not what [`encode_tensors`] writes for this dimension.
pub fn decode_tensors(bytes: &[u8], dimensions: usize) -> Result<Vec<FieldTensors>> {
    let damaged = || DocumentsError::Stored { what: "tensor" };
    let (numbers, rest) = match bytes.split_first() {
        Some((&FLOAT_VERSION, rest)) => (NumericType::Float, rest),
        Some((&BFLOAT16_VERSION, rest)) => (NumericType::Bfloat16, rest),
        _ => return Err(damaged()),
    };
    let mut reader = Reader { rest, numbers };
    let mut tensors = Vec::new();
    while !reader.rest.is_empty() {
        tensors.push(reader.field(dimensions).ok_or_else(damaged)?);
    }
    Ok(tensors)
}

struct Reader<'a> {
    rest: &'a [u8],
    numbers: NumericType,
}

impl<'a> Reader<'a> {
    fn field(&mut self, dimensions: usize) -> Option<FieldTensors> {
        let field = self.text()?.to_owned();
        let kind = match self.byte()? {
            0 => TensorKind::Text,
            1 => TensorKind::Vector,
            2 => TensorKind::Multimodal,
            _ => return None,
        };
        let weights = self.text()?.to_owned();
        let count = self.length()?;
        // A length is bounded by the bytes that are left before anything is allocated.
        if count > self.rest.len() {
            return None;
        }
        let mut chunks = Vec::with_capacity(count);
        for _ in 0..count {
            chunks.push(self.text()?.to_owned());
        }
        let vectors = self.numbers(count.checked_mul(dimensions)?)?;
        Some(FieldTensors {
            field,
            kind,
            weights,
            chunks,
            vectors,
        })
    }

    fn numbers(&mut self, count: usize) -> Option<Vec<f32>> {
        Some(match self.numbers {
            NumericType::Float => {
                let (floats, _) = self.take(count.checked_mul(4)?)?.as_chunks();
                floats.iter().map(|b| f32::from_le_bytes(*b)).collect()
            }
            NumericType::Bfloat16 => {
                let (halves, _) = self.take(count.checked_mul(2)?)?.as_chunks();
                let half = |b: &[u8; 2]| bf16_to_f32(u16::from_le_bytes(*b));
                halves.iter().map(half).collect()
            }
        })
    }

    fn text(&mut self) -> Option<&'a str> {
        let length = self.length()?;
        std::str::from_utf8(self.take(length)?).ok()
    }

    fn length(&mut self) -> Option<usize> {
        let (length, rest) = self.rest.split_first_chunk::<4>()?;
        self.rest = rest;
        Some(u32::from_le_bytes(*length) as usize)
    }

    fn byte(&mut self) -> Option<u8> {
        let (byte, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(*byte)
    }

    fn take(&mut self, length: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.rest.split_at_checked(length)?;
        self.rest = rest;
        Some(taken)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tensors_read_back_as_written_and_cut_bytes_are_refused() {
        let tensors = vec![
            FieldTensors {
                field: "title".into(),
                kind: TensorKind::Text,
                weights: String::new(),
                chunks: vec!["a".into(), "b c".into()],
                vectors: vec![1.0, 2.0, 3.0, 4.0],
            },
            FieldTensors {
                field: "mix".into(),
                kind: TensorKind::Multimodal,
                weights: r#"{"a":1}"#.into(),
                chunks: vec!["{}".into()],
                vectors: vec![0.5, -0.5],
            },
        ];
        let lengths = [NumericType::Float, NumericType::Bfloat16].map(|numbers| {
            let bytes = encode_tensors(&tensors, numbers);
            assert_eq!(decode_tensors(&bytes, 2).unwrap(), tensors);
            assert!(decode_tensors(&bytes[..bytes.len() - 1], 2).is_err());
            assert!(decode_tensors(&bytes, 3).is_err());
            bytes.len()
        });
        assert_eq!(lengths[0] - lengths[1], 6 * 2);
        assert!(decode_tensors(&[], 2).is_err());
        assert!(decode_tensors(&[3], 2).is_err());
    }
}
