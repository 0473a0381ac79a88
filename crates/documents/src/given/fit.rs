//! Checks that given tensors are tensors of the document that brings them.

use std::collections::{HashMap, HashSet};

use pelorus_excerpt::truncated;

use super::form::kind_name;
use crate::error::ItemError;
use crate::media::{is_part, may_have_parts};
use crate::names::check_name;
use crate::options::Weights;
use crate::prepare::combination_chunk;
use crate::schema::{DocumentSchema, IndexKind, StructuredFields};
use crate::tensors::{FieldTensors, TensorKind};
use crate::values::Field;

/// The fields of a document, and those that may have tensors among them.
pub(super) struct Fields<'a> {
    schema: &'a DocumentSchema,
    by_name: HashMap<&'a str, &'a Field>,
}

impl<'a> Fields<'a> {
    pub fn new(schema: &'a DocumentSchema, fields: &'a [Field]) -> Self {
        let by_name = fields.iter().map(|field| (field.name.as_str(), field));
        Self {
            schema,
            by_name: by_name.collect(),
        }
    }

    /// Refuses tensors that are not those of this document.
    pub fn check(&self, tensors: &[FieldTensors]) -> Result<(), ItemError> {
        let mut seen = HashSet::with_capacity(tensors.len());
        for one in tensors {
            let of_field = |reason: String| {
                let field = truncated(&one.field);
                ItemError::invalid(format!("Tensors of field {field}: {reason}"))
            };
            if !seen.insert(one.field.as_str()) {
                return Err(of_field("given more than once".to_owned()));
            }
            if let IndexKind::Unstructured { .. } = self.schema.kind {
                check_name(&one.field)?;
            }
            self.check_kind(one).map_err(of_field)?;
            self.check_content(one).map_err(of_field)?;
        }
        match self.schema.structured() {
            None => Ok(()),
            Some(declared) => self.check_complete(declared, &seen),
        }
    }

    fn check_kind(&self, tensors: &FieldTensors) -> Result<(), String> {
        let Some(declared) = self.schema.structured() else {
            return Ok(());
        };
        let expected = declared_kind(declared, &tensors.field)
            .ok_or_else(|| format!("no tensor field of index {}", self.schema.index))?;
        if tensors.kind == expected {
            return Ok(());
        }
        Err(format!(
            "expected kind {}, but given {}",
            kind_name(expected),
            kind_name(tensors.kind)
        ))
    }

    fn check_content(&self, tensors: &FieldTensors) -> Result<(), String> {
        let FieldTensors {
            field,
            kind,
            weights,
            chunks,
            ..
        } = tensors;
        if *kind == TensorKind::Multimodal {
            return self.check_combination(tensors);
        }
        if !weights.is_empty() {
            return Err(format!("kind {} has no weights", kind_name(*kind)));
        }
        let text = self.text(field).ok_or_else(|| {
            format!(
                "the document must hold the text that they are of in the field '{}'",
                truncated(field)
            )
        })?;
        match kind {
            TensorKind::Text if self.are_parts(field, text, chunks) => Ok(()),
            TensorKind::Text => check_chunks(text, chunks),
            _ => expect_chunk(chunks, text),
        }
    }

    /// Tells whether chunks stand for parts of the medium that the text of a field points to.
    fn are_parts(&self, field: &str, text: &str, chunks: &[String]) -> bool {
        let declared = self
            .schema
            .structured()
            .and_then(|fields| fields.get(field));
        may_have_parts(declared, text) && chunks.iter().all(|chunk| is_part(chunk))
    }

    fn check_combination(&self, tensors: &FieldTensors) -> Result<(), String> {
        let given = serde_json::from_str::<Weights>(&tensors.weights)
            .ok()
            .filter(|weights| weights.0.iter().all(|(_, weight)| weight.is_finite()))
            .ok_or("a combination has weights, an object of finite numbers")?;
        let own = self.by_name.get(tensors.field.as_str());
        if let Some(declared) = self.schema.structured() {
            let declared = declared.get(&tensors.field);
            let declared = declared.and_then(|field| field.dependent_fields.as_ref());
            let expected = own.map_or_else(
                || declared.map(Weights::to_json).unwrap_or_default(),
                |field| field.json.clone(),
            );
            if expected != tensors.weights {
                return Err(format!(
                    "expected the weights {}, which the index declares or the document holds, but given {}",
                    truncated(&expected),
                    truncated(&tensors.weights)
                ));
            }
        } else if own.is_some() {
            return Err("a combination is no field with a value of its own".to_owned());
        }
        let parts = given.0.iter();
        let parts = parts.filter_map(|(part, _)| Some((part.as_str(), self.text(part)?)));
        let parts: Vec<_> = parts.collect();
        if parts.is_empty() {
            return Err("the document must hold a text that they combine".to_owned());
        }
        expect_chunk(&tensors.chunks, &combination_chunk(parts.into_iter()))
    }

    /// Refuses a document of a structured index that lacks tensors: searches would pass it over in silence. A
    /// combination may lack its tensors: with weights of parts that it lacks a document has none.
    fn check_complete(
        &self,
        declared: &StructuredFields,
        given: &HashSet<&str>,
    ) -> Result<(), ItemError> {
        let mut needed = declared.tensor_fields.iter().map(String::as_str);
        match needed.find(|name| !given.contains(name) && self.text(name).is_some()) {
            None => Ok(()),
            Some(name) => Err(ItemError::invalid(format!(
                "Tensors of field {}: missing, though it is a tensor field of index {} and the document has content for it",
                truncated(name),
                self.schema.index
            ))),
        }
    }

    fn text(&self, name: &str) -> Option<&'a str> {
        self.by_name.get(name)?.as_text()
    }
}

/// The kind of a declared field's tensors; none for one that is no tensor field.
fn declared_kind(declared: &StructuredFields, name: &str) -> Option<TensorKind> {
    if !declared.tensor_fields.iter().any(|field| field == name) {
        return None;
    }
    Some(match declared.get(name)?.kind.as_str() {
        "custom_vector" => TensorKind::Vector,
        "multimodal_combination" => TensorKind::Multimodal,
        _ => TensorKind::Text,
    })
}

fn expect_chunk(chunks: &[String], expected: &str) -> Result<(), String> {
    match chunks {
        [chunk] if chunk == expected => Ok(()),
        [chunk] => Err(format!(
            "expected the chunk {}, but given {}",
            truncated(expected),
            truncated(chunk)
        )),
        _ => Err(format!(
            "expected one chunk, {}, but given {}",
            truncated(expected),
            chunks.len()
        )),
    }
}

/// Refuses chunks that are no parts of the text, one after the other. How a text is split may change from
/// index to index, and splitting rewrites blanks and quotes: letters and digits are compared.
fn check_chunks(text: &str, chunks: &[String]) -> Result<(), String> {
    let whole = letters(text);
    let mut start = 0;
    for chunk in chunks {
        let Some(at) = whole[start..].find(&letters(chunk)) else {
            return Err(format!(
                "the chunk {} is not in the text of the field, or not behind the chunk before it",
                truncated(chunk)
            ));
        };
        start += at;
    }
    Ok(())
}

fn letters(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).collect()
}
