//! The options by which the documents of a request are read.

use serde::Deserialize;
use serde::de::Deserializer;

use crate::error::{DocumentsError, Result};
use crate::generated::{AddOptions, UpdateOptions};
use crate::members::in_order;

impl AddOptions {
    pub fn parse(json: &[u8]) -> Result<Self> {
        serde_json::from_slice(json).map_err(DocumentsError::Options)
    }

    pub fn is_tensor_field(&self, name: &str) -> bool {
        self.tensor_fields.iter().any(|field| field == name)
    }

    /// Tells whether a text is embedded because its field is not named.
    pub fn embeds_text_of(&self, name: &str) -> bool {
        let others = self.non_tensor_fields.as_ref();
        others.is_some_and(|others| others.iter().all(|field| field != name))
    }

    pub fn is_custom_vector(&self, name: &str) -> bool {
        self.mapping(name)
            .is_some_and(|mapping| mapping.kind == "custom_vector")
    }

    /// Tells whether a field of an unstructured index holds geo points.
    pub fn is_geo_point(&self, name: &str) -> bool {
        self.mapping(name)
            .is_some_and(|mapping| mapping.kind == "geo_point")
    }

    /// Tells whether a field of an unstructured index holds sparse vectors.
    pub fn is_sparse_vector(&self, name: &str) -> bool {
        self.mapping(name)
            .is_some_and(|mapping| mapping.kind == "sparse_vector")
    }

    /// The dimensions of the vectors of a field of an unstructured index that holds many of each document.
    pub fn multi_vector_dimensions(&self, name: &str) -> Option<usize> {
        let mapping = self.mapping(name);
        let is_one = |mapping: &&Mapping| mapping.kind == "multi_vector";
        mapping.filter(is_one)?.dimensions
    }

    pub fn mapping(&self, name: &str) -> Option<&Mapping> {
        self.mappings
            .as_ref()?
            .0
            .iter()
            .find(|(field, _)| field == name)
            .map(|(_, m)| m)
    }

    /// Fields of which it is said how their texts are analysed.
    pub fn text_fields(&self) -> impl Iterator<Item = (&str, &TextField)> {
        let mappings = self.mappings.iter().flat_map(|mappings| &mappings.0);
        mappings
            .filter(|(_, mapping)| mapping.kind == "text_field")
            .map(|(name, mapping)| (name.as_str(), &mapping.text))
    }

    /// Fields combined from others, with their weights.
    pub fn multimodal(&self) -> impl Iterator<Item = (&str, &Weights)> {
        self.mappings
            .iter()
            .flat_map(|mappings| &mappings.0)
            .filter(|(_, mapping)| mapping.kind == "multimodal_combination")
            .filter_map(|(name, mapping)| Some((name.as_str(), mapping.weights.as_ref()?)))
    }
}

impl UpdateOptions {
    /// Reads the options of a request.
    ///
    /// # Errors
    /// [`DocumentsError::Options`].
    pub fn parse(json: &[u8]) -> Result<Self> {
        serde_json::from_slice(json).map_err(DocumentsError::Options)
    }
}

/// The parts of a special field.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Mapping {
    #[serde(rename = "type")]
    pub kind: String,
    pub weights: Option<Weights>,
    /// Numbers of each vector, of a field that holds many.
    pub dimensions: Option<usize>,
    #[serde(flatten)]
    pub text: TextField,
}

/// The settings of a request for the texts of a field.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
pub struct TextField {
    /// Tag of the language they are in.
    pub language: Option<String>,
    /// The treatment of the endings of words: `none`, `best`, `shortest` or `multiple`.
    pub stemming: Option<String>,
}

/// Field name to mapping, in the order of the request.
#[derive(Debug, Clone)]
pub(crate) struct Mappings(pub Vec<(String, Mapping)>);

/// Field name to weight, in the order of the request.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Weights(pub Vec<(String, f64)>);

impl Weights {
    pub fn get(&self, name: &str) -> Option<f64> {
        self.0
            .iter()
            .find(|(field, _)| field == name)
            .map(|(_, weight)| *weight)
    }

    /// The weights as a JSON object.
    pub fn to_json(&self) -> String {
        let members: Vec<String> = self
            .0
            .iter()
            .map(|(name, weight)| format!("{}:{weight}", serde_json::Value::from(name.as_str())))
            .collect();
        format!("{{{}}}", members.join(","))
    }
}

impl<'de> Deserialize<'de> for Mappings {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        in_order(deserializer, usize::MAX, |mapping| mapping).map(Mappings)
    }
}

impl<'de> Deserialize<'de> for Weights {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        in_order(deserializer, usize::MAX, |weight| weight).map(Weights)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_that_are_left_out_have_their_defaults() {
        let options = AddOptions::parse(b"{}").expect("every option has a default");
        assert!(options.tensor_fields.is_empty() && options.media.is_empty());
        assert_eq!(options.text_chunk_prefix, "");
        assert_eq!(options.max_doc_bytes, None);
        let options = UpdateOptions::parse(b"{}").expect("every option has a default");
        assert_eq!(options.max_doc_bytes, None);
    }

    #[test]
    fn an_option_or_medium_that_nobody_knows_is_refused_by_its_name() {
        let refusals = [
            (
                AddOptions::parse(br#"{"maxDocByte": 1}"#).err(),
                "maxDocByte",
            ),
            (AddOptions::parse(br#"{"media": ["text"]}"#).err(), "text"),
            (
                UpdateOptions::parse(br#"{"maxDocByte": 1}"#).err(),
                "maxDocByte",
            ),
        ];
        for (error, name) in refusals {
            let message = error.map(|error| error.to_string()).unwrap_or_default();
            assert!(message.contains(&format!("`{name}`")), "{name}: {message}");
        }
    }
}
