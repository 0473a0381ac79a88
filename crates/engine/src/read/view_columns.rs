//! The columns as one view shows them.
//!
//! A revision changes the columns of a living document for all readers at once, also for those that
//! still hold the view before it. Such documents, mostly none, are read from the view's own snapshot.

use std::borrow::Cow;

use parking_lot::RwLockReadGuard;
use pelorus_cancellation::Cancellation;
use pelorus_columns::{Callbacks, Columns, Date, FilterMatches, Number, Schema, TextValues};
use pelorus_documents::{IndexedValues, StoredDocument};
use pelorus_filter::Filter;
use pelorus_kernels::BitSet;

use crate::error::{EngineError, Result};
use crate::index::Index;
use crate::read::view::View;

/// The columns of documents of one view, locked: nothing is revised or taken out while they are held.
pub(crate) struct ViewColumns<'a> {
    columns: RwLockReadGuard<'a, Columns>,
    /// Documents of which the columns show a later view.
    revised: BitSet,
    /// The columns of these in the view.
    earlier: Columns,
}

impl Index {
    /// The columns of `docs`, all of them alive in `view`.
    ///
    /// # Errors
    /// When the store cannot be read, and when it is cancelled.
    pub fn view_columns<'a>(
        &'a self,
        view: &'a View,
        docs: &BitSet,
        cancellation: &Cancellation,
    ) -> Result<ViewColumns<'a>> {
        let columns = self.columns.read();
        let since = self
            .columns
            .revisions
            .lock()
            .since(view.snapshot.sequence()?);
        let revised: BitSet = match since {
            Some(revised) => revised
                .into_iter()
                .filter(|&doc| docs.contains(doc))
                .collect(),
            // Too many to be remembered.
            None => docs.clone(),
        };
        let mut earlier = self.definition.columns();
        for doc in revised.iter() {
            cancellation.check()?;
            let bytes = view.snapshot.document(doc)?;
            let bytes = bytes.ok_or(EngineError::MissingDocument { doc })?;
            let stored = StoredDocument::decode(&bytes)?;
            let values = IndexedValues::of_stored(&self.definition.documents, &stored)?;
            earlier.insert(doc, stored.id, &values.columns);
        }
        Ok(ViewColumns {
            columns,
            revised,
            earlier,
        })
    }
}

/// The place where the texts of a field stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TextForm {
    /// Alone.
    Single,
    /// In lists, of which each distinct text counts once.
    List,
}

impl<'a> ViewColumns<'a> {
    /// Columns that nothing revises.
    pub fn of(columns: RwLockReadGuard<'a, Columns>, schema: Schema) -> Self {
        Self {
            columns,
            revised: BitSet::default(),
            earlier: Columns::new(schema),
        }
    }
}

impl ViewColumns<'_> {
    /// Returns the documents of the view that pass a filter.
    pub fn matches(
        &self,
        view: &View,
        filter: &Filter,
        callbacks: &Callbacks<'_, EngineError>,
    ) -> Result<FilterMatches> {
        let end = view.snapshot.next_doc()?;
        let (current, revised) = self.split(&view.alive);
        let mut documents = self.columns.evaluate(filter, &current, callbacks)?;
        if let Some(revised) = revised {
            documents.union_with(&self.earlier.evaluate(filter, &revised, callbacks)?);
        }
        Ok(FilterMatches::of(documents, end))
    }

    /// The texts of a field.
    pub fn texts(&self, field: &str) -> ViewTexts<'_> {
        ViewTexts {
            shown: self,
            current: self.columns.texts(field),
            earlier: self.earlier.texts(field),
        }
    }

    /// Gives each of `docs` that has a number in a field to `f`.
    pub fn for_each_number(&self, field: &str, docs: &BitSet, mut f: impl FnMut(u32, Number)) {
        let (current, revised) = self.split(docs);
        if let Some(numbers) = self.columns.numbers(field) {
            numbers.for_each_in(&current, &mut f);
        }
        if let (Some(numbers), Some(revised)) = (self.earlier.numbers(field), revised) {
            numbers.for_each_in(&revised, f);
        }
    }

    /// Gives each of `docs` that has a date in a field to `f`.
    pub fn for_each_date(&self, field: &str, docs: &BitSet, mut f: impl FnMut(u32, Date)) {
        let (current, revised) = self.split(docs);
        if let Some(dates) = self.columns.dates(field) {
            dates.for_each_in(&current, &mut f);
        }
        if let (Some(dates), Some(revised)) = (self.earlier.dates(field), revised) {
            dates.for_each_in(&revised, f);
        }
    }

    /// The number of a document in a field.
    pub fn number(&self, field: &str, doc: u32) -> Option<Number> {
        self.columns_of(doc).numbers(field)?.get(doc)
    }

    /// The date of a document in a field.
    pub fn date(&self, field: &str, doc: u32) -> Option<Date> {
        self.columns_of(doc).dates(field)?.get(doc)
    }

    /// The `_id` of a document; no revision changes it.
    pub fn id(&self, doc: u32) -> Option<&str> {
        self.columns.id(doc)
    }

    /// The texts of the field that an index groups by; no revision changes them.
    pub fn groups(&self, field: &str) -> Option<TextValues<'_>> {
        self.columns.texts(field)
    }

    fn columns_of(&self, doc: u32) -> &Columns {
        match self.revised.contains(doc) {
            true => &self.earlier,
            false => &self.columns,
        }
    }

    /// The documents of which the columns show the view, and the others, if there are any.
    fn split<'d>(&self, docs: &'d BitSet) -> (Cow<'d, BitSet>, Option<BitSet>) {
        if self.revised.is_empty() {
            return (Cow::Borrowed(docs), None);
        }
        let (mut current, mut revised) = (docs.clone(), docs.clone());
        current.subtract(&self.revised);
        revised.intersect_with(&self.revised);
        (Cow::Owned(current), Some(revised))
    }
}

/// The texts of one field as a view shows them, each with a number below [`ViewTexts::end`].
pub(crate) struct ViewTexts<'a> {
    shown: &'a ViewColumns<'a>,
    current: Option<TextValues<'a>>,
    earlier: Option<TextValues<'a>>,
}

impl ViewTexts<'_> {
    /// Gives each of `docs` with a text in the form to `f`, with the number of the text.
    pub fn for_each(&self, form: TextForm, docs: &BitSet, mut f: impl FnMut(u32, usize)) {
        let (current, revised) = self.shown.split(docs);
        if let Some(texts) = self.current {
            match form {
                TextForm::Single => {
                    texts.for_each_single(&current, |doc, id| f(doc, texts.place(id)));
                }
                TextForm::List => {
                    texts.for_each_element(&current, |doc, id| f(doc, texts.place(id)));
                }
            }
        }
        if let (Some(texts), Some(revised)) = (self.earlier, revised) {
            let mut f = |doc, id| {
                let known = self.current.and_then(|current| {
                    let id = current.id(texts.text(id))?;
                    Some(current.place(id))
                });
                f(
                    doc,
                    known.unwrap_or_else(|| self.current_end() + texts.place(id)),
                );
            };
            match form {
                TextForm::Single => texts.for_each_single(&revised, &mut f),
                TextForm::List => texts.for_each_element(&revised, &mut f),
            }
        }
    }

    /// The text with a number.
    pub fn text(&self, number: usize) -> &str {
        match number.checked_sub(self.current_end()) {
            None => self
                .current
                .map_or("", |texts| texts.text(texts.at(number))),
            Some(place) => self.earlier.map_or("", |texts| texts.text(texts.at(place))),
        }
    }

    pub fn end(&self) -> usize {
        let earlier = self.earlier.map_or(0, |texts| texts.places_end());
        self.current_end() + earlier
    }

    fn current_end(&self) -> usize {
        self.current.map_or(0, |texts| texts.places_end())
    }
}
