//! The vectors of an index: one graph per tensor field.

use std::sync::Arc;

use parking_lot::RwLock;
use pelorus_hnsw::{HnswParams, VectorIndex};

use crate::error::{EngineError, Result};
use crate::tensors::FieldTensors;

/// The vectors of one tensor field.
pub(crate) struct FieldVectors {
    pub index: VectorIndex,
}

/// Every tensor field that holds vectors, in the order in which they were first seen.
pub(crate) struct Vectors {
    params: HnswParams,
    fields: RwLock<Vec<(String, Arc<FieldVectors>)>>,
}

impl Vectors {
    pub fn new(params: HnswParams) -> Self {
        Self {
            params,
            fields: RwLock::default(),
        }
    }

    /// Adds the vectors of one document version; only the applier does.
    ///
    /// # Errors
    /// When a vector could not be written; some of the version's may be there then.
    pub fn insert(&self, doc: u32, tensors: &[FieldTensors]) -> Result<()> {
        for tensor in tensors {
            let field = self.field_or_new(&tensor.field);
            for (chunk, vector) in tensor.vectors.chunks_exact(self.params.dim).enumerate() {
                let pushed = field.index.push(vector, doc, chunk as u32);
                pushed.map_err(|e| EngineError::internal(format!("vectors: {e}")))?;
            }
        }
        Ok(())
    }

    /// Takes out the vectors of versions that no reader sees any more.
    pub fn remove(&self, dead: &[u32]) {
        for (_, field) in self.fields() {
            dead.iter().for_each(|&doc| field.index.remove(doc));
        }
    }

    /// Links up to `slice` nodes of each field into its graph; gives the nodes left.
    pub fn advance(&self, slice: usize) -> usize {
        self.fields()
            .iter()
            .map(|(_, field)| field.index.advance(slice))
            .sum()
    }

    pub fn fields(&self) -> Vec<(String, Arc<FieldVectors>)> {
        self.fields.read().clone()
    }

    pub fn names(&self) -> Vec<String> {
        self.fields
            .read()
            .iter()
            .map(|(name, _)| name.clone())
            .collect()
    }

    /// Live vectors over all fields.
    pub fn len(&self) -> usize {
        self.fields()
            .iter()
            .map(|(_, field)| field.index.len())
            .sum()
    }

    pub fn memory_bytes(&self) -> usize {
        self.fields()
            .iter()
            .map(|(_, field)| field.index.memory_bytes())
            .sum()
    }

    fn field_or_new(&self, name: &str) -> Arc<FieldVectors> {
        let find = |fields: &[(String, Arc<FieldVectors>)]| {
            fields
                .iter()
                .find(|(field, _)| field == name)
                .map(|(_, found)| found.clone())
        };
        if let Some(field) = find(&self.fields.read()) {
            return field;
        }
        let mut fields = self.fields.write();
        find(&fields).unwrap_or_else(|| {
            let field = Arc::new(FieldVectors {
                index: VectorIndex::new(self.params.clone()),
            });
            fields.push((name.to_owned(), field.clone()));
            field
        })
    }
}
