//! The stored form of a document that another one takes the place of, or that is updated.

use crate::check::{TensorContent, TensorInput};
use crate::error::Result;
use crate::options::Weights;
use crate::prepare::ReadyDocument;
use crate::stored::StoredDocument;
use crate::tensors::{FieldTensors, TensorHead, TensorKind, decode_tensor_heads, decode_tensors};
use crate::update::Revision;
use crate::values::Field;

/// The stored version of a document, for one that takes its place.
#[derive(Debug)]
pub struct StoredVersion {
    pub(crate) fields: Vec<Field>,
    pub(crate) tensors: Vec<FieldTensors>,
}

impl StoredVersion {
    /// Reads a stored document and its stored tensors.
    ///
    /// # Errors
    /// [`DocumentsError::Stored`] and [`DocumentsError::StoredField`] when they are not as they are written.
    pub fn decode(document: &[u8], tensors: &[u8], dimensions: usize) -> Result<Self> {
        Ok(Self {
            fields: stored_fields(document)?,
            tensors: decode_tensors(tensors, dimensions)?,
        })
    }

    /// Reads a stored document whose tensors are these.
    ///
    /// # Errors
    /// As [`StoredVersion::decode`].
    pub fn of(document: &[u8], tensors: Vec<FieldTensors>) -> Result<Self> {
        Ok(Self {
            fields: stored_fields(document)?,
            tensors,
        })
    }

    /// The same without the tensors of some fields.
    #[must_use]
    pub fn without(mut self, fields: &[String]) -> Self {
        self.tensors
            .retain(|tensors| !fields.contains(&tensors.field));
        self
    }

    /// Its tensors.
    pub fn into_tensors(self) -> Vec<FieldTensors> {
        self.tensors
    }

    /// The stored tensors of this field, where its content is exactly the same.
    pub(crate) fn reuse(&self, input: &TensorInput, fields: &[Field]) -> Option<FieldTensors> {
        let stored = self.tensors.iter().find(|t| t.field == input.field)?;
        let same = match &input.content {
            TensorContent::Vector { .. } | TensorContent::Given(_) => false,
            TensorContent::Embeddable(content) => {
                stored.kind != TensorKind::Multimodal
                    && text_of(&self.fields, &input.field) == Some(content.as_str())
            }
            TensorContent::Multimodal { weights, .. } => {
                stored.kind == TensorKind::Multimodal
                    && stored.weights == weights.to_json()
                    && self.same_parts(weights, fields)
            }
        };
        same.then(|| stored.clone())
    }

    fn same_parts(&self, weights: &Weights, fields: &[Field]) -> bool {
        weights.0.iter().all(|(name, _)| {
            let new = text_of(fields, name);
            new.is_some() && new == text_of(&self.fields, name)
        })
    }
}

/// The parts of a document that an update finds: its fields, and the sources of its tensors.
#[derive(Debug)]
pub struct StoredFields {
    pub(crate) fields: Vec<Field>,
    pub(crate) tensors: Vec<TensorHead>,
}

impl StoredFields {
    /// Reads a stored document and the heads of its stored tensors, the numbers of which may be elsewhere.
    ///
    /// # Errors
    /// As [`StoredVersion::decode`].
    pub fn decode(document: &[u8], tensors: &[u8], dimensions: usize) -> Result<Self> {
        Ok(Self {
            fields: stored_fields(document)?,
            tensors: decode_tensor_heads(tensors, dimensions)?,
        })
    }

    /// Those of a document once it is stored.
    ///
    /// # Errors
    /// As [`StoredVersion::decode`].
    pub fn of(document: &ReadyDocument) -> Result<Self> {
        Ok(Self {
            fields: stored_fields(&document.document)?,
            tensors: document.tensors.iter().map(TensorHead::from).collect(),
        })
    }

    /// The same with the document's fields after a revision.
    ///
    /// # Errors
    /// As [`StoredVersion::decode`].
    pub fn revised(self, revision: &Revision) -> Result<Self> {
        Ok(Self {
            fields: stored_fields(&revision.document)?,
            tensors: self.tensors,
        })
    }
}

fn stored_fields(document: &[u8]) -> Result<Vec<Field>> {
    let document = StoredDocument::decode(document)?;
    let fields = document.fields.iter();
    fields.map(|(name, json)| Field::read(name, json)).collect()
}

fn text_of<'a>(fields: &'a [Field], name: &str) -> Option<&'a str> {
    fields.iter().find(|field| field.name == name)?.as_text()
}
