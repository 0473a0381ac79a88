use roaring::RoaringBitmap;

use crate::marks::Marks;

/// The documents of one value. Most values of most text fields have a single one, which then costs
/// no allocation.
#[derive(Debug)]
pub(crate) enum Postings {
    One(u32),
    Many(RoaringBitmap),
}

impl Postings {
    pub(crate) fn insert(&mut self, doc: u32) {
        match self {
            Postings::One(only) if *only == doc => {}
            Postings::One(only) => *self = Postings::Many([*only, doc].into_iter().collect()),
            Postings::Many(docs) => {
                docs.insert(doc);
            }
        }
    }

    /// Takes `doc` out and tells whether no document is left.
    pub(crate) fn remove(&mut self, doc: u32) -> bool {
        match self {
            Postings::One(only) => *only == doc,
            Postings::Many(docs) => {
                docs.remove(doc);
                if let (1, Some(only)) = (docs.len(), docs.min()) {
                    *self = Postings::One(only);
                }
                false
            }
        }
    }

    /// Marks each document, as far as the marks reach.
    pub(crate) fn mark(&self, marks: &mut Marks) {
        match self {
            Postings::One(only) => marks.set(*only),
            Postings::Many(docs) => {
                let reached = docs.range(marks.first()..marks.end());
                reached.for_each(|doc| marks.set(doc));
            }
        }
    }

    /// The last of those documents that are wanted.
    pub(crate) fn last(&self, is_wanted: impl Fn(u32) -> bool) -> Option<u32> {
        match self {
            Postings::One(only) => Some(*only).filter(|only| is_wanted(*only)),
            Postings::Many(docs) => docs.iter().rev().find(|doc| is_wanted(*doc)),
        }
    }

    pub(crate) fn contains(&self, doc: u32) -> bool {
        match self {
            Postings::One(only) => *only == doc,
            Postings::Many(docs) => docs.contains(doc),
        }
    }

    /// Gives each document to `f`, ascending.
    pub(crate) fn for_each(&self, mut f: impl FnMut(u32)) {
        match self {
            Postings::One(only) => f(*only),
            Postings::Many(docs) => docs.iter().for_each(f),
        }
    }

    /// Bytes held beyond the value itself.
    pub(crate) fn memory_bytes(&self) -> usize {
        match self {
            Postings::One(_) => 0,
            Postings::Many(docs) => docs.serialized_size(),
        }
    }
}
