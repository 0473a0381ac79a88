//! The vectors of an index: one graph per tensor field.

use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::{Mutex, RwLock};
use pelorus_hnsw::{HnswParams, VectorIndex};

use crate::tensors::FieldTensors;

/// The vectors of one tensor field, and which nodes belong to a document version.
pub(crate) struct FieldVectors {
    pub index: VectorIndex,
    /// Ordinal -> first node and number of chunks; a version's chunks are pushed in one run.
    nodes: Mutex<HashMap<u32, (u32, u32)>>,
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
    pub fn insert(&self, doc: u32, tensors: &[FieldTensors]) {
        for tensor in tensors {
            let field = self.field_or_new(&tensor.field);
            let mut first = None;
            for (chunk, vector) in tensor.vectors.chunks_exact(self.params.dim).enumerate() {
                let node = field.index.push(vector, doc, chunk as u32);
                first.get_or_insert(node);
            }
            if let Some(first) = first {
                field
                    .nodes
                    .lock()
                    .insert(doc, (first, tensor.chunks.len() as u32));
            }
        }
    }

    /// Takes out the vectors of versions that no reader sees any more.
    pub fn remove(&self, dead: &[u32]) {
        for (_, field) in self.fields() {
            let mut nodes = field.nodes.lock();
            for doc in dead {
                if let Some((first, count)) = nodes.remove(doc) {
                    for node in first..first + count {
                        field.index.remove(node);
                    }
                }
            }
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
            .map(|(_, field)| {
                // A slot has a byte of its own, and an eighth of them stays empty.
                let node = size_of::<(u32, (u32, u32))>() + 1;
                field.index.memory_bytes() + field.nodes.lock().capacity() * node * 8 / 7
            })
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
                nodes: Mutex::default(),
            });
            fields.push((name.to_owned(), field.clone()));
            field
        })
    }
}
