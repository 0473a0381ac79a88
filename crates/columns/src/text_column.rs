use std::borrow::Cow;

use crate::dictionary::Dictionary;
use crate::marks::Marks;
use crate::postings::Postings;
use crate::sparse::Sparse;

/// How texts are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Case {
    Exact,
    Ignored,
}

/// Whole texts and lists of texts: the documents of each value, and the values of each document.
#[derive(Debug)]
pub(crate) struct TextColumn {
    case: Case,
    values: Dictionary<str, Postings>,
    /// The value id of documents with one text.
    singles: Sparse<u32>,
    /// The value ids of documents with a list, ascending and distinct.
    lists: Sparse<Box<[u32]>>,
}

impl TextColumn {
    pub(crate) fn new(case: Case) -> Self {
        TextColumn {
            case,
            values: Dictionary::default(),
            singles: Sparse::default(),
            lists: Sparse::default(),
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.values.is_empty() && self.lists.is_empty()
    }

    pub(crate) fn has_lists(&self) -> bool {
        !self.lists.is_empty()
    }

    pub(crate) fn insert(&mut self, doc: u32, text: &str) {
        self.remove(doc);
        let value = self.add(doc, text);
        self.singles.insert(doc, value);
    }

    pub(crate) fn insert_list(&mut self, doc: u32, texts: &[String]) {
        self.remove(doc);
        let mut values: Vec<u32> = texts.iter().map(|text| self.add(doc, text)).collect();
        values.sort_unstable();
        values.dedup();
        self.lists.insert(doc, values.into());
    }

    pub(crate) fn remove(&mut self, doc: u32) {
        if let Some(value) = self.singles.remove(doc) {
            self.take_out(doc, value);
        }
        for value in self.lists.remove(doc).unwrap_or_default() {
            self.take_out(doc, value);
        }
    }

    /// Sets the bit of each document that has `text`, alone or in its list.
    pub(crate) fn mark(&self, text: &str, marks: &mut Marks) {
        if let Some(docs) = self.values.find(&self.key(text)) {
            docs.mark(marks);
        }
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        let postings: usize = self
            .values
            .iter()
            .map(|(_, docs)| docs.memory_bytes())
            .sum();
        let lists: usize = self.lists.values().map(|list| size_of_val(&**list)).sum();
        let forward = self.singles.memory_bytes() + self.lists.memory_bytes();
        self.values.memory_bytes() + postings + forward + lists
    }

    fn add(&mut self, doc: u32, text: &str) -> u32 {
        let key = self.key(text);
        let value = self.values.intern(&key, || Postings::One(doc));
        self.values.value_mut(value).insert(doc);
        value
    }

    fn take_out(&mut self, doc: u32, value: u32) {
        if self.values.value_mut(value).remove(doc) {
            self.values.remove(value);
        }
    }

    fn key<'a>(&self, text: &'a str) -> Cow<'a, str> {
        match self.case {
            Case::Exact => Cow::Borrowed(text),
            Case::Ignored => fold(text),
        }
    }
}

/// The form in which texts that differ only in case are the same.
fn fold(text: &str) -> Cow<'_, str> {
    if !text
        .bytes()
        .any(|b| b.is_ascii_uppercase() || !b.is_ascii())
    {
        return Cow::Borrowed(text);
    }
    // Character by character, since the lower case of a whole string depends on where a Σ stands.
    let lower = text.chars().flat_map(char::to_lowercase);
    Cow::Owned(lower.map(|c| if c == 'ς' { 'σ' } else { c }).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marked(column: &TextColumn, text: &str) -> Vec<u32> {
        let mut marks = Marks::new(0, 2);
        column.mark(text, &mut marks);
        marks.into_set().iter().collect()
    }

    #[test]
    fn case_is_folded_in_every_script() {
        for (a, b) in [
            ("STRASSE", "strasse"),
            ("ΟΔΟΣ", "οδος"),
            ("ÄÖ", "äö"),
            ("Ж", "ж"),
        ] {
            assert_eq!(fold(a), fold(b));
        }
        assert_ne!(fold("a"), fold("á"));
    }

    #[test]
    fn an_exact_column_tells_cases_apart() {
        let mut column = TextColumn::new(Case::Exact);
        column.insert(1, "a");
        column.insert(2, "A");
        assert_eq!(
            (marked(&column, "a"), marked(&column, "A")),
            (vec![1], vec![2])
        );
    }

    #[test]
    fn a_list_may_repeat_a_text() {
        let mut column = TextColumn::new(Case::Ignored);
        column.insert_list(3, &["x".into(), "X".into(), "y".into()]);
        column.insert(4, "x");
        assert_eq!(marked(&column, "x"), [3, 4]);
        assert!(column.has_lists());
        column.remove(3);
        assert!(!column.has_lists());
        assert_eq!(
            (marked(&column, "x"), marked(&column, "y")),
            (vec![4], vec![])
        );
        column.remove(4);
        assert_eq!((column.is_empty(), column.memory_bytes()), (true, 0));
    }

    #[test]
    fn an_empty_list_is_an_entry_too() {
        let mut column = TextColumn::new(Case::Ignored);
        column.insert_list(3, &[]);
        assert!(!column.is_empty());
        column.remove(3);
        assert!(column.is_empty());
    }
}
