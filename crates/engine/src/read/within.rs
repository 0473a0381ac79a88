//! The documents that a caller reaches: those that pass the filter it is bound to. To it, others are not there.

use pelorus_columns::Callbacks;
use pelorus_documents::{IndexedValues, ItemError, StoredDocument};
use pelorus_excerpt::joined_truncated;
use pelorus_filter::{Filter, ListLimit};

use crate::error::{EngineError, FilterError, Result};
use crate::index::definition::Definition;

/// The filter of a caller, held against single documents.
#[derive(Debug)]
pub struct Within {
    /// Apart: most jobs of the writer, which have room for one, have none.
    filter: Box<Filter>,
}

impl Within {
    /// Reads the filter that a caller is bound to, where it is to one.
    ///
    /// # Errors
    /// `invalid_argument` for what is no filter, or one that asks for words of texts: which document has them is not told
    /// by the document alone.
    pub fn read(text: Option<&str>) -> Result<Option<Self>> {
        let Some(text) = text else {
            return Ok(None);
        };
        // How long a list may be is a bound on requests.
        let any_length = ListLimit {
            values_max: usize::MAX,
            setting: None,
        };
        let filter = pelorus_filter::parse_within(text, any_length);
        let filter = filter.map_err(FilterError::Language)?;
        match filter.has_contains() {
            true => Err(FilterError::ContainsWithin.into()),
            false => Ok(Some(Self {
                filter: Box::new(filter),
            })),
        }
    }

    pub(crate) fn into_filter(self) -> Filter {
        *self.filter
    }

    /// Tells whether a document of an index passes. `stored` is its stored form.
    ///
    /// # Errors
    /// `invalid_argument` for a filter that has no meaning for the index, and when the stored form cannot be read.
    pub fn has(&self, definition: &Definition, stored: &[u8]) -> Result<bool> {
        let document = StoredDocument::decode(stored)?;
        let values = IndexedValues::of_stored(&definition.documents, &document)?;
        let mut columns = definition.columns();
        columns.insert(0, document.id, &values.columns);
        let callbacks: Callbacks<'_, EngineError> = Callbacks {
            contains: &|_, _| Err(FilterError::ContainsWithin.into()),
            go_on: &|| Ok(()),
        };
        let alone = std::iter::once(0).collect();
        let passing = columns.evaluate(&self.filter, &alone, &callbacks);
        Ok(!passing?.is_empty())
    }

    /// The refusal of a document to be stored that does not pass.
    #[must_use]
    pub fn refusal(&self, id: &str) -> ItemError {
        let fields = joined_truncated(self.filter.fields());
        ItemError::invalid(format!(
            "The key of this request stores only documents that pass its filter, which is of: {fields}. This one does not"
        ))
        .of(id.to_owned())
    }

    /// The refusal of a document whose id is that of one that the caller does not reach.
    #[must_use]
    pub fn taken(id: &str) -> ItemError {
        ItemError {
            id: Some(id.to_owned()),
            code: "operation_conflict_error",
            message: "The index has a document of this id that the filter of the key does not let pass: it stays. Choose another id"
                .to_owned(),
        }
    }
}
