use std::borrow::Cow;

use crate::cell::Cell;
use crate::column::Column;
use crate::dictionary::{Dictionary, Sameness};
use crate::sparse::Sparse;
use crate::text_column::{Case, TextColumn};

/// The values of documents by column, whatever kind of index the documents are of.
#[derive(Debug)]
pub(crate) struct ColumnStore {
    pub(crate) ids: TextColumn,
    /// By name. No column is empty.
    columns: Dictionary<str, Column>,
    /// The columns that a document is in, as a set shared by all documents in the same ones.
    sets: Dictionary<[u32], Uses>,
    set_of: Sparse<u32>,
}

/// Documents in one set of columns.
type Uses = u32;

/// A value with the name of its column, and how texts in there are compared.
pub(crate) type NamedCell<'a> = (Cow<'a, str>, Case, Cell<'a>);

impl ColumnStore {
    pub(crate) fn new() -> Self {
        ColumnStore {
            ids: TextColumn::new(Case::Exact),
            columns: Dictionary::default(),
            sets: Dictionary::default(),
            set_of: Sparse::default(),
        }
    }

    /// Takes in a document, in place of whatever `doc` was before.
    pub(crate) fn insert<'a>(
        &mut self,
        doc: u32,
        id: &str,
        cells: impl Iterator<Item = NamedCell<'a>>,
    ) {
        let cells: Vec<NamedCell<'_>> = cells.collect();
        if let Some(places) = self.places_of_same(doc, id, &cells) {
            for (&place, (_, _, cell)) in places.iter().zip(cells) {
                self.columns.value_mut(place).replace(doc, cell);
            }
            return;
        }
        self.remove(doc);
        self.ids.insert(doc, id);
        let mut set = Vec::with_capacity(cells.len());
        for (name, case, cell) in cells {
            let column = self.columns.intern(&name, || Column::new(case));
            self.columns.value_mut(column).insert(doc, cell);
            set.push(column);
        }
        set.sort_unstable();
        set.dedup();
        let set = self.sets.intern(&set, || 0);
        *self.sets.value_mut(set) += 1;
        self.set_of.insert(doc, set);
    }

    /// The columns of `cells`, each of another one, if `doc` is in just these and has that id already: values that an
    /// update leaves as they are need not be taken out and in again.
    fn places_of_same(&self, doc: u32, id: &str, cells: &[NamedCell<'_>]) -> Option<Vec<u32>> {
        let set = *self.set_of.get(doc)?;
        if self.ids.text(self.ids.single(doc)?) != id {
            return None;
        }
        let places = cells.iter().map(|(name, ..)| self.columns.id(name));
        let places: Vec<u32> = places.collect::<Option<_>>()?;
        let mut sorted = places.clone();
        sorted.sort_unstable();
        (*self.sets.key(set) == *sorted).then_some(places)
    }

    /// Tells whether `doc` is in just the columns of `cells`, with their values, and has that id.
    pub(crate) fn holds<'a>(
        &self,
        doc: u32,
        id: &str,
        cells: impl Iterator<Item = NamedCell<'a>>,
    ) -> bool {
        let (Some(&set), Some(held_id)) = (self.set_of.get(doc), self.ids.single(doc)) else {
            return false;
        };
        if !Case::Exact.same(self.ids.text(held_id), id) || !self.ids.is_found(doc) {
            return false;
        }
        let mut by_place: Vec<(u32, Vec<Cell<'_>>)> = Vec::new();
        for (name, _, cell) in cells {
            let Some(place) = self.columns.id(&name) else {
                return false;
            };
            match by_place.iter_mut().find(|(known, _)| *known == place) {
                Some((_, cells)) => cells.push(cell),
                None => by_place.push((place, vec![cell])),
            }
        }
        by_place.sort_unstable_by_key(|(place, _)| *place);
        let places = by_place.iter().map(|(place, _)| *place);
        places.eq(self.sets.key(set).iter().copied())
            && by_place
                .iter()
                .all(|(place, cells)| self.columns.value(*place).has_just(doc, cells))
    }

    /// Tells whether `doc` has an id, or is in some columns.
    pub(crate) fn contains(&self, doc: u32) -> bool {
        self.set_of.get(doc).is_some() || self.ids.single(doc).is_some()
    }

    /// Takes a document out. Nothing happens when it is not there.
    pub(crate) fn remove(&mut self, doc: u32) {
        let Some(set) = self.set_of.remove(doc) else {
            return;
        };
        self.ids.remove(doc);
        for &place in self.sets.key(set) {
            let column = self.columns.value_mut(place);
            column.remove(doc);
            if column.is_empty() {
                self.columns.remove(place);
            }
        }
        let uses = self.sets.value_mut(set);
        *uses -= 1;
        if *uses == 0 {
            self.sets.remove(set);
        }
    }

    pub(crate) fn column(&self, name: &str) -> Option<&Column> {
        self.columns.find(name)
    }

    /// The number of columns.
    pub(crate) fn len(&self) -> usize {
        self.columns.iter().count()
    }

    /// Bytes held, estimated from the stored values; visits every distinct text.
    pub(crate) fn memory_bytes(&self) -> usize {
        let columns = self.columns.iter();
        let columns: usize = columns.map(|(_, column)| column.memory_bytes()).sum();
        let sets = self.sets.memory_bytes() + self.set_of.memory_bytes();
        self.ids.memory_bytes() + self.columns.memory_bytes() + columns + sets
    }
}
