//! The comparison of one document with every structure.

use pelorus_documents::{IndexedValues, StoredDocument, refer_to_rows};

use super::Structure;
use crate::background::row_references::{StoredTensors, stored_tensors};
use crate::error::Result;
use crate::index::Index;
use crate::read::view::View;

/// A document as it is in the store, and the structures that say otherwise.
pub(super) struct Compared {
    pub differs_in: Vec<Structure>,
    /// Its texts by field; none where the store has no such document.
    pub texts: Option<Vec<(String, String)>>,
}

/// Compares an ordinal of a view. Structures may be of a later state than the view, unless the writer asks.
pub(super) fn compare(index: &Index, view: &View, doc: u32) -> Result<Compared> {
    let stored = view.snapshot.document(doc)?;
    let mut differs_in = Vec::new();
    let mut note = |structure, is_right: bool| {
        if !is_right {
            differs_in.push(structure);
        }
    };
    note(
        Structure::Ordinals,
        stored.is_some() == view.alive.contains(doc),
    );
    let Some(stored) = stored else {
        note(Structure::Columns, !index.columns.read().contains(doc));
        note(Structure::Text, !index.lexical.is_living(doc));
        note(Structure::Vectors, index.vectors.count_of(doc) == 0);
        return Ok(Compared {
            differs_in,
            texts: None,
        });
    };
    let stored = StoredDocument::decode(&stored)?;
    let values = IndexedValues::of_stored(&index.definition.documents, &stored)?;
    let IndexedValues {
        columns, lexical, ..
    } = values;
    let in_columns = index.columns.read().holds(doc, stored.id, &columns);
    note(Structure::Columns, in_columns);
    note(Structure::Text, index.lexical.is_living(doc));
    note(Structure::Vectors, has_its_vectors(index, view, doc)?);
    Ok(Compared {
        differs_in,
        texts: Some(lexical),
    })
}

/// Tells whether a document has its vectors in each field, and none in any other.
fn has_its_vectors(index: &Index, view: &View, doc: u32) -> Result<bool> {
    let Some(StoredTensors { bytes, damaged }) = stored_tensors(index, &view.snapshot, doc)? else {
        return Ok(false);
    };
    let fields = index.vectors.fields();
    let mut expected: Vec<(String, Vec<u8>)> = Vec::new();
    if !bytes.is_empty() {
        let dimensions = index.definition.documents.dimensions;
        refer_to_rows(&bytes, dimensions, |field, count, rows| {
            expected.push((field.to_owned(), rows.to_vec()));
            // Nothing is written: this is a way to each field's bytes.
            Some(pelorus_documents::RowReference {
                first: 0,
                count,
                checksum: 0,
            })
        })?;
    }
    let is_known = |name: &String| fields.iter().any(|(field, _)| field == name);
    if expected.iter().any(|(name, _)| !is_known(name)) {
        return Ok(false);
    }
    Ok(fields.iter().all(|(name, field)| {
        // Those that are damaged are told of otherwise.
        damaged.contains(name) || {
            let rows = expected.iter().find(|(field, _)| field == name);
            field.index.holds(doc, rows.map_or(&[], |(_, rows)| rows))
        }
    }))
}
