//! The fields of a document that an answer shows.

use crate::index::definition::Definition;

/// The fields that a request names, or all.
pub(crate) struct Attributes<'a> {
    named: Option<&'a [String]>,
    /// An unstructured map is stored flat; its entries go by the map's name.
    are_maps_flat: bool,
}

impl<'a> Attributes<'a> {
    pub fn of(definition: &Definition, named: Option<&'a [String]>) -> Self {
        Self {
            named,
            are_maps_flat: definition.structured().is_none(),
        }
    }

    pub fn are_all(&self) -> bool {
        self.named.is_none()
    }

    /// Tells whether the request names this, or all.
    pub fn has(&self, name: &str) -> bool {
        self.named
            .is_none_or(|named| named.iter().any(|one| one == name))
    }

    /// Tells whether a field is shown that is stored by this name.
    pub fn shows(&self, stored: &str) -> bool {
        match stored.split_once('.') {
            Some((map, _)) if self.are_maps_flat => self.has(map),
            _ => self.has(stored),
        }
    }
}
