//! The definition of an open index, which may be replaced by one of the same meaning.

use std::ops::Deref;
use std::sync::Arc;

use arc_swap::ArcSwap;

use super::definition::Definition;
use crate::error::EngineError;

/// The meaning of a definition for the engine, which stays, and its bytes, which the caller may replace.
pub(crate) struct CurrentDefinition {
    meaning: Definition,
    /// As it was last given; shared with the index's place in the registry.
    pub json: Arc<ArcSwap<Vec<u8>>>,
}

impl CurrentDefinition {
    /// Reads the definition of the index `name`.
    ///
    /// # Errors
    /// `invalid_argument` naming the member that cannot be read.
    pub fn parse(name: &str, json: Vec<u8>) -> Result<Self, EngineError> {
        Ok(Self {
            meaning: Definition::parse(name, &json)?,
            json: Arc::new(ArcSwap::from_pointee(json)),
        })
    }
}

impl Deref for CurrentDefinition {
    type Target = Definition;

    fn deref(&self) -> &Definition {
        &self.meaning
    }
}
