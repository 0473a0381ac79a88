//! Vectors that the store refers to and whose bytes are not those written any more.

use std::collections::BTreeMap;

use parking_lot::Mutex;
use pelorus_kernels::BitSet;

use crate::vectors::fields::FieldFolder;

/// The documents whose vectors are damaged, and the folders that are parked.
#[derive(Default)]
pub(super) struct Damaged {
    inner: Mutex<Inner>,
}

#[derive(Default)]
struct Inner {
    /// By field. No set is empty.
    documents: BTreeMap<String, BitSet>,
    /// No row in them can be read.
    parked: Vec<FieldFolder>,
}

/// The damage of an index's vectors.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct VectorDamage {
    pub fields: Vec<String>,
    /// The number of documents that have damaged vectors.
    pub documents: usize,
    /// The first of these.
    pub first: u32,
}

impl Damaged {
    /// Notes that the vectors of a document in a field are damaged.
    pub fn note(&self, field: &str, doc: u32) {
        let mut inner = self.inner.lock();
        match inner.documents.get_mut(field) {
            Some(documents) => {
                documents.insert(doc);
            }
            None => {
                let mut documents = BitSet::default();
                documents.insert(doc);
                inner.documents.insert(field.to_owned(), documents);
            }
        }
    }

    /// Notes that no row of a place can be read, which these documents refer to.
    pub fn park(&self, place: FieldFolder, documents: impl IntoIterator<Item = u32>) {
        documents
            .into_iter()
            .for_each(|doc| self.note(&place.name, doc));
        let mut inner = self.inner.lock();
        // One that nothing refers to is of no use.
        if inner.documents.contains_key(&place.name) {
            inner.parked.push(place);
        }
    }

    pub fn parked(&self) -> Vec<FieldFolder> {
        self.inner.lock().parked.clone()
    }

    pub fn is(&self, field: &str, doc: u32) -> bool {
        let inner = self.inner.lock();
        let documents = inner.documents.get(field);
        documents.is_some_and(|documents| documents.contains(doc))
    }

    pub fn fields_of(&self, doc: u32) -> Vec<String> {
        let inner = self.inner.lock();
        let fields = inner.documents.iter();
        let fields = fields.filter(|(_, documents)| documents.contains(doc));
        fields.map(|(field, _)| field.clone()).collect()
    }

    /// Forgets documents that are gone.
    pub fn remove(&self, dead: &[u32]) {
        self.inner.lock().retain(|documents| {
            for doc in dead {
                documents.remove(*doc);
            }
        });
    }

    /// Forgets all documents but these.
    pub fn keep(&self, alive: &BitSet) {
        self.inner
            .lock()
            .retain(|documents| documents.intersect_with(alive));
    }

    /// The damage among these documents.
    pub fn among(&self, alive: &BitSet) -> Option<VectorDamage> {
        let inner = self.inner.lock();
        let (mut fields, mut all) = (Vec::new(), BitSet::default());
        for (field, documents) in &inner.documents {
            let mut here = documents.clone();
            here.intersect_with(alive);
            if !here.is_empty() {
                fields.push(field.clone());
                all.union_with(&here);
            }
        }
        drop(inner);
        let first = all.iter().next()?;
        Some(VectorDamage {
            fields,
            documents: all.len(),
            first,
        })
    }
}

impl Inner {
    fn retain(&mut self, mut shrink: impl FnMut(&mut BitSet)) {
        self.documents.retain(|_, documents| {
            shrink(documents);
            !documents.is_empty()
        });
        let documents = &self.documents;
        self.parked
            .retain(|place| documents.contains_key(&place.name));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn damage_is_counted_by_document_and_forgotten_with_the_documents() {
        let damaged = Damaged::default();
        let all = BitSet::full(100);
        assert_eq!(damaged.among(&all), None);
        for (field, doc) in [("v", 7), ("w", 7), ("w", 9), ("w", 9)] {
            damaged.note(field, doc);
        }
        let found = damaged.among(&all);
        let expected = |fields: &[&str], documents, first| VectorDamage {
            fields: fields.iter().map(|&field| field.to_owned()).collect(),
            documents,
            first,
        };
        assert_eq!(found, Some(expected(&["v", "w"], 2, 7)));
        assert_eq!(damaged.fields_of(9), ["w"]);
        damaged.remove(&[7, 8]);
        assert_eq!(damaged.among(&all), Some(expected(&["w"], 1, 9)));
        assert!(damaged.is("w", 9) && !damaged.is("v", 7));
        assert_eq!(damaged.among(&BitSet::full(9)), None);
        damaged.keep(&BitSet::full(9));
        assert_eq!(damaged.among(&all), None);
    }

    #[test]
    fn a_folder_is_parked_as_long_as_documents_refer_to_it() {
        let damaged = Damaged::default();
        let place = |name: &str, folder| FieldFolder {
            name: name.to_owned(),
            folder,
        };
        damaged.park(place("v", 3), [5, 6]);
        damaged.park(place("w", 4), []);
        assert_eq!(damaged.parked(), [place("v", 3)]);
        damaged.remove(&[5]);
        assert_eq!(damaged.parked(), [place("v", 3)]);
        damaged.remove(&[6]);
        assert_eq!(damaged.parked(), []);
    }
}
