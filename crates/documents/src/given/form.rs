//! The tensors of a document as JSON: a list with an object for each tensor field.
//!
//! ```text
//! {"field": "title", "kind": "text", "chunks": ["Red.", "Blue."], "vectors": "AACAPwAAAEA..."}
//! {"field": "both", "kind": "multimodal_combination", "weights": {"a": 1}, "chunks": [..], "vectors": ".."}
//! ```
//!
//! `vectors` is base64, padded, of `[chunks, dimensions]` little-endian `f32`, row-major: 5.3 characters
//! a number, and exact. With decimals a document of 384 numbers is 4.8 kB and not 2.2, and costs the
//! server 20 µs more to show and 50 µs more to take, of 20 and 75 in all.

use std::borrow::Cow;

use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use pelorus_excerpt::truncated;
use serde::Deserialize;

use super::TENSORS;
use crate::error::{ItemError, Result};
use crate::json::to_json;
use crate::options::Weights;
use crate::prepare::CHUNKS_PER_FIELD_MAX;
use crate::schema::DocumentSchema;
use crate::tensors::{FieldTensors, TensorKind, decode_tensors};

/// Names of the kinds, by their order in [`TensorKind`].
const KINDS: [(&str, TensorKind); 3] = [
    ("text", TensorKind::Text),
    ("custom_vector", TensorKind::Vector),
    ("multimodal_combination", TensorKind::Multimodal),
];

pub(super) fn kind_name(kind: TensorKind) -> &'static str {
    let [text, vector, multimodal] = KINDS.map(|(name, _)| name);
    match kind {
        TensorKind::Text => text,
        TensorKind::Vector => vector,
        TensorKind::Multimodal => multimodal,
    }
}

/// Appends the member `_tensors`, which an add takes back as it is. `tensors` are the stored ones. In the place of
/// vectors of the fields in `damaged` is null, which no add takes.
///
/// # Errors
/// As [`decode_tensors`].
pub fn write_tensors(
    out: &mut Vec<u8>,
    tensors: &[u8],
    damaged: &[String],
    dimensions: usize,
) -> Result<()> {
    let mut text = format!("\"{TENSORS}\":[");
    let mut bytes = Vec::new();
    for (place, tensor) in decode_tensors(tensors, dimensions)?.iter().enumerate() {
        if place > 0 {
            text.push(',');
        }
        let kind = kind_name(tensor.kind);
        text += &format!(r#"{{"field":{},"kind":"{kind}""#, to_json(&tensor.field));
        if !tensor.weights.is_empty() {
            text += ",\"weights\":";
            text += &tensor.weights;
        }
        let chunks: Vec<String> = tensor.chunks.iter().map(|chunk| to_json(chunk)).collect();
        text += &format!(r#","chunks":[{}],"vectors":"#, chunks.join(","));
        if damaged.contains(&tensor.field) {
            text += "null}";
            continue;
        }
        text.push('"');
        bytes.clear();
        bytes.extend(tensor.vectors.iter().flat_map(|x| x.to_le_bytes()));
        BASE64.encode_string(&bytes, &mut text);
        text += "\"}";
    }
    text.push(']');
    out.extend_from_slice(text.as_bytes());
    Ok(())
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct GivenTensors<'a> {
    field: String,
    #[serde(borrow)]
    kind: Cow<'a, str>,
    weights: Option<Weights>,
    chunks: Vec<String>,
    /// Null where they are damaged; never missing.
    #[serde(deserialize_with = "Option::deserialize")]
    vectors: Option<String>,
}

/// Reads the value of `_tensors`. It does not check that it fits the document.
pub(super) fn read(
    schema: &DocumentSchema,
    raw: &str,
) -> std::result::Result<Vec<FieldTensors>, ItemError> {
    let given: Vec<GivenTensors<'_>> = serde_json::from_str(raw).map_err(|error| {
        let reason = error.to_string();
        ItemError::invalid(format!(
            "The member `{TENSORS}` cannot be read: {}. Expected a list of objects with field, kind, chunks and vectors, as a scan with `exposeTensors` gives it",
            truncated(&reason)
        ))
    })?;
    given
        .into_iter()
        .map(|one| tensors_of(schema, one))
        .collect()
}

fn tensors_of(
    schema: &DocumentSchema,
    given: GivenTensors<'_>,
) -> std::result::Result<FieldTensors, ItemError> {
    let field = given.field;
    let of_field = |reason: String| {
        ItemError::invalid(format!("Tensors of field {}: {reason}", truncated(&field)))
    };
    let named = KINDS.iter().find(|(name, _)| *name == given.kind);
    let Some(&(_, kind)) = named else {
        return Err(of_field(format!(
            "kind must be one of {}, but given '{}'",
            KINDS.map(|(name, _)| name).join(", "),
            truncated(&given.kind)
        )));
    };
    if given.chunks.len() > CHUNKS_PER_FIELD_MAX {
        return Err(of_field(format!(
            "a field has at most {CHUNKS_PER_FIELD_MAX} chunks, but given {}",
            given.chunks.len()
        )));
    }
    let Some(text) = given.vectors else {
        return Err(of_field(
            "the vectors are damaged where the document comes from: add it without its tensors"
                .to_owned(),
        ));
    };
    let vectors = vectors(schema, &text, given.chunks.len()).map_err(of_field)?;
    if schema.normalize || schema.refuses_zero_vectors {
        check_lengths(schema, kind, &vectors).map_err(of_field)?;
    }
    Ok(FieldTensors {
        kind,
        weights: given.weights.map_or_else(String::new, |w| w.to_json()),
        chunks: given.chunks,
        vectors,
        field,
    })
}

/// One vector for each chunk.
fn vectors(
    schema: &DocumentSchema,
    text: &str,
    chunks: usize,
) -> std::result::Result<Vec<f32>, String> {
    let bytes = BASE64.decode(text.as_bytes()).map_err(|error| {
        format!("vectors must be base64 of little-endian 32-bit floats: {error}")
    })?;
    let (floats, rest) = bytes.as_chunks();
    let dimensions = schema.dimensions;
    if floats.len() != chunks * dimensions || !rest.is_empty() {
        let expected = format!(
            "expected one vector of dimension {dimensions} for each of {chunks} chunks, {} bytes in all",
            chunks * dimensions * size_of::<f32>()
        );
        let given = match floats.len().checked_div(chunks) {
            Some(other) if rest.is_empty() && other * chunks == floats.len() => {
                format!(
                    "{} bytes, which are vectors of dimension {other}",
                    bytes.len()
                )
            }
            _ => format!("{} bytes", bytes.len()),
        };
        return Err(format!("{expected}, but given {given}"));
    }
    let vectors: Vec<f32> = floats.iter().map(|b| f32::from_le_bytes(*b)).collect();
    match vectors.iter().position(|x| !x.is_finite()) {
        None => Ok(vectors),
        Some(at) => Err(format!(
            "vectors must be finite, but given {} at position {} of the vector of chunk {}",
            vectors[at],
            at % dimensions,
            at / dimensions
        )),
    }
}

/// The error of a unit vector's squared length: as far as bfloat16 rounds, twice.
const UNIT_TOLERANCE: f64 = 0.02;

/// Holds vectors against the index's rules for those that it makes or takes itself. Only a text's model may give zeros.
fn check_lengths(
    schema: &DocumentSchema,
    kind: TensorKind,
    vectors: &[f32],
) -> std::result::Result<(), String> {
    for (chunk, vector) in vectors.chunks_exact(schema.dimensions).enumerate() {
        let squares = vector.iter().map(|x| f64::from(*x) * f64::from(*x));
        let squared: f64 = squares.sum();
        if squared == 0.0 {
            let is_refused = match kind {
                TensorKind::Text => false,
                TensorKind::Vector => true,
                TensorKind::Multimodal => schema.normalize,
            };
            if is_refused {
                return Err(format!("the vector of chunk {chunk} has zero magnitude"));
            }
        } else if schema.normalize && (squared - 1.0).abs() > UNIT_TOLERANCE {
            return Err(format!(
                "the index normalizes its vectors, so expected vectors of length 1, but given one of length {:.4} of chunk {chunk}",
                squared.sqrt()
            ));
        }
    }
    Ok(())
}
