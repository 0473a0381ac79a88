//! The fields that documents of an unstructured index have ever had.
//!
//! A search may name a field from the first document on that has it, and goes on to when the last one is
//! gone, also after a restart. So they are committed with that document, in the record of the definition.

use std::collections::BTreeSet;

use pelorus_documents::ReadyDocument;
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SeenFields {
    /// Those with vectors.
    tensor: BTreeSet<String>,
    /// Those whose words are found.
    lexical: BTreeSet<String>,
}

impl SeenFields {
    /// Reads what [`SeenFields::encode`] wrote; none if that cannot be read.
    pub fn decode(json: &[u8]) -> Option<Self> {
        match json {
            [] => Some(Self::default()),
            json => serde_json::from_slice(json).ok(),
        }
    }

    /// As JSON; empty where no field was seen.
    pub fn encode(&self) -> Vec<u8> {
        match self.tensor.is_empty() && self.lexical.is_empty() {
            true => Vec::new(),
            false => serde_json::to_vec(self).expect("names serialise into memory"),
        }
    }

    /// Tells whether a document has no other fields.
    pub fn has_all_of(&self, document: &ReadyDocument) -> bool {
        tensor_fields(document).all(|name| self.tensor.contains(name))
            && lexical_fields(document).all(|name| self.lexical.contains(name))
    }

    /// Takes in the fields of a document.
    pub fn add(&mut self, document: &ReadyDocument) {
        self.tensor
            .extend(tensor_fields(document).map(str::to_owned));
        self.lexical
            .extend(lexical_fields(document).map(str::to_owned));
    }

    pub fn has_tensor_field(&self, name: &str) -> bool {
        self.tensor.contains(name)
    }

    pub fn has_lexical_field(&self, name: &str) -> bool {
        self.lexical.contains(name)
    }

    /// `names` and the tensor fields that are not among them.
    pub fn with_tensor_fields(&self, names: Vec<String>) -> Vec<String> {
        with(names, &self.tensor)
    }

    /// `names` and the lexical fields that are not among them.
    pub fn with_lexical_fields(&self, names: Vec<String>) -> Vec<String> {
        with(names, &self.lexical)
    }
}

fn tensor_fields(document: &ReadyDocument) -> impl Iterator<Item = &str> {
    document.tensors.iter().map(|tensor| tensor.field.as_str())
}

fn lexical_fields(document: &ReadyDocument) -> impl Iterator<Item = &str> {
    let fields = document.values.lexical.iter();
    fields.map(|(field, _)| field.as_str())
}

fn with(mut names: Vec<String>, seen: &BTreeSet<String>) -> Vec<String> {
    let known: BTreeSet<&str> = names.iter().map(String::as_str).collect();
    let gone = seen.iter().filter(|name| !known.contains(name.as_str()));
    let gone: Vec<String> = gone.cloned().collect();
    names.extend(gone);
    names
}
