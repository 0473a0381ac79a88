// Generated from openapi/ by `npm run generate -w @pelorus/contract`. Never edited by hand.

use serde::Deserialize;

/// How the documents of an add request are read.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct AddOptions {
    /// Fields of an unstructured index whose texts are embedded.
    pub tensor_fields: Vec<String>,
    /// The fields of an unstructured index whose texts are not embedded, where all others' are;
    /// null where tensorFields names those that are.
    pub non_tensor_fields: Option<Vec<String>>,
    /// Fields combined from others with their weights, and those of own vectors.
    pub mappings: Option<crate::options::Mappings>,
    /// Keeps the vectors of a text that is stored under the same id.
    pub use_existing_tensors: bool,
    /// Takes documents in their stored form, which bring their tensors, as _tensors: nothing is
    /// embedded.
    pub use_given_tensors: bool,
    /// Put before every chunk that is embedded; empty for none.
    pub text_chunk_prefix: String,
    /// The media that the model takes besides texts.
    pub media: Vec<pelorus_embed::Medium>,
    /// Most bytes of one document's JSON; null for any.
    pub max_doc_bytes: Option<usize>,
    /// Tells new documents, with status 201, from those that took another's place.
    pub reports_creation: bool,
    /// Keeps the fields of a stored document that are not named, with their vectors; null removes
    /// a field.
    pub keeps_other_fields: bool,
    /// The filter that the caller is bound to: documents that do not pass it are not there for
    /// it, and it stores none such; null for none.
    pub within: Option<String>,
}

/// How the documents of an update request are read.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct UpdateOptions {
    /// Most bytes of one document's JSON; null for any.
    pub max_doc_bytes: Option<usize>,
    /// As of AddOptions.
    pub within: Option<String>,
}
