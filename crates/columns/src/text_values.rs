use pelorus_kernels::BitSet;

use crate::text_column::{TextColumn, TextId};

/// The texts of one field, document by document and as they were written.
///
/// An unstructured index has no text here that is longer than its filters take, but for its collapse
/// field. A [`TextId`] is good for as long as the columns are not changed.
#[derive(Debug, Clone, Copy)]
pub struct TextValues<'a>(pub(crate) &'a TextColumn);

impl<'a> TextValues<'a> {
    /// The text of a document that has a single one.
    pub fn single(&self, doc: u32) -> Option<TextId> {
        self.0.single(doc)
    }

    /// Gives each of `docs` that has a single text to `f`, ascending.
    pub fn for_each_single(&self, docs: &BitSet, mut f: impl FnMut(u32, TextId)) {
        self.0.singles().for_each_in(docs, |doc, &id| f(doc, id));
    }

    /// Gives each of `docs` that has a list to `f`, ascending, once for each distinct text of the list.
    pub fn for_each_element(&self, docs: &BitSet, mut f: impl FnMut(u32, TextId)) {
        self.0.lists().for_each_in(docs, |doc, list| {
            list.ids().iter().for_each(|&id| f(doc, id));
        });
    }

    pub fn text(&self, id: TextId) -> &'a str {
        self.0.text(id)
    }

    /// The id of a text that some document writes like this, or was the first to write so.
    pub fn id(&self, text: &str) -> Option<TextId> {
        self.0.id(text)
    }

    /// Takes those documents out of `docs` that have a text, alone or in a list, in whatever case
    /// where filters ignore it.
    pub fn take_out(&self, id: TextId, docs: &mut BitSet) {
        self.0.documents(id).for_each(|doc| {
            docs.remove(doc);
        });
    }

    /// Gives the documents with a text to `f`, ascending; which ones as [`TextValues::take_out`] says.
    pub fn for_each_document(&self, id: TextId, f: impl FnMut(u32)) {
        self.0.documents(id).for_each(f);
    }

    /// A dense number of a text, below [`TextValues::places_end`].
    pub fn place(&self, id: TextId) -> usize {
        self.0.place(id)
    }

    /// The text that has this [place](TextValues::place).
    pub fn at(&self, place: usize) -> TextId {
        self.0.at(place)
    }

    pub fn places_end(&self) -> usize {
        self.0.places_end()
    }
}
