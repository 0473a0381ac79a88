use std::borrow::Cow;
use std::hash::{BuildHasher, RandomState};

use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfc_quick};

use crate::date::Date;
use crate::dictionary::{Dictionary, Sameness};
use crate::marks::Marks;
use crate::postings::Postings;
use crate::sparse::Sparse;
use crate::text_list::TextList;

/// The form of a text in which more texts are one than by their case alone. All encodings of a text (NFC) have to have one
/// form, and so have all its cases.
pub type Fold = fn(&str) -> String;

/// The rule by which texts are compared. Either way those are the same that Unicode takes for the same (NFC), however
/// they are encoded.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Case {
    Exact,
    Ignored,
    /// Texts of one form are the same.
    Folded(Fold),
}

impl Case {
    /// The form that texts have in common which are the same.
    pub(crate) fn key(self, text: &str) -> Cow<'_, str> {
        match self {
            Case::Exact => composed(text),
            Case::Ignored => fold(text),
            Case::Folded(fold) => Cow::Owned(fold(text)),
        }
    }
}

/// The text that a document has: the id of a value that is spelt as its key is, or with
/// [`SPELLING`], the id of another spelling of a value.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TextId(u32);

const SPELLING: u32 = 1 << 31;

impl TextId {
    fn of_value(value: u32) -> Self {
        assert!(value < SPELLING, "fewer texts than 2^31 in one field");
        TextId(value)
    }

    fn of_spelling(spelling: u32) -> Self {
        assert!(spelling < SPELLING, "fewer texts than 2^31 in one field");
        TextId(spelling | SPELLING)
    }

    /// The id among the values, or else that among the spellings.
    fn split(self) -> Result<u32, u32> {
        match self.0 & SPELLING {
            0 => Ok(self.0),
            _ => Err(self.0 & !SPELLING),
        }
    }
}

/// Whole texts and lists of texts: the documents of each value, and the texts of each document as
/// they were written.
///
/// Where case is ignored, texts that differ in nothing else are one value, and so are those of one folded form. Its key is the first of
/// them, so that a text costs nothing more where all documents write it alike; the others are
/// spellings. Encodings of one spelling are not told apart: the first one is shown.
#[derive(Debug)]
pub(crate) struct TextColumn {
    values: Dictionary<str, Postings, Case>,
    spellings: Dictionary<str, Spelling, Case>,
    /// The dates that keys of values are, by their ids: each text is read once.
    dates: Sparse<Date>,
    /// Those that other spellings are.
    spelt_dates: Sparse<Date>,
    /// The text of documents with one text.
    singles: Sparse<TextId>,
    /// The texts of documents with a list, ascending and distinct.
    lists: Sparse<TextList>,
}

#[derive(Debug)]
struct Spelling {
    value: u32,
    /// Documents that have it.
    uses: u32,
}

impl TextColumn {
    pub(crate) fn new(case: Case) -> Self {
        TextColumn {
            values: Dictionary::new(case),
            spellings: Dictionary::new(Case::Exact),
            dates: Sparse::default(),
            spelt_dates: Sparse::default(),
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
        let id = self.add(doc, text);
        self.singles.insert(doc, id);
    }

    pub(crate) fn insert_list(&mut self, doc: u32, texts: &[String]) {
        self.remove(doc);
        let mut distinct: Vec<&String> = texts.iter().collect();
        distinct.sort_by_cached_key(|text| composed(text));
        distinct.dedup_by(|a, b| Case::Exact.same(a, b));
        let mut ids: Vec<TextId> = Vec::with_capacity(distinct.len());
        ids.extend(distinct.into_iter().map(|text| self.add(doc, text)));
        ids.sort_unstable();
        self.lists.insert(doc, TextList::new(ids));
    }

    pub(crate) fn remove(&mut self, doc: u32) {
        if let Some(id) = self.singles.remove(doc) {
            self.take_out(doc, &[id]);
        }
        if let Some(list) = self.lists.remove(doc) {
            self.take_out(doc, list.ids());
        }
    }

    /// Tells whether the list of a document has just these texts, as [`insert_list`](Self::insert_list) takes them;
    /// `None` if it has no list.
    pub(crate) fn is_list_of(&self, doc: u32, texts: &[String]) -> Option<bool> {
        let list = self.lists.get(doc)?;
        let ids = texts.iter().map(|text| self.id(text));
        let ids: Option<Vec<TextId>> = ids.collect();
        Some(ids.is_some_and(|mut ids| {
            ids.sort_unstable();
            ids.dedup();
            ids == list.ids()
        }))
    }

    /// Sets the bit of each document that has `text`, alone or in its list.
    pub(crate) fn mark(&self, text: &str, marks: &mut Marks) {
        if let Some(docs) = self.values.find(text) {
            docs.mark(marks);
        }
    }

    /// Sets the bit of each document with a text that matches, alone or in its list.
    pub(crate) fn mark_texts(&self, matches: impl Fn(&str) -> bool, marks: &mut Marks) {
        let matches = |id: &TextId| matches(self.text(*id));
        self.singles.scan(marks, matches);
        self.lists
            .scan(marks, |list| list.ids().iter().any(matches));
    }

    /// Sets the bit of each document with a text that begins with `prefix`, alone or in its list.
    pub(crate) fn mark_prefix(&self, prefix: &str, marks: &mut Marks) {
        let case = self.values.sameness();
        let prefix = case.key(prefix);
        let begins = |text: &str| case.key(text).starts_with(&*prefix);
        // Each text is read once, unless there are more of them than documents to look at.
        if self.values.len() > marks.words().len() * 64 {
            self.mark_texts(begins, marks);
            return;
        }
        let found = self.values.iter().filter(|(text, _)| begins(text));
        found.for_each(|(_, docs)| docs.mark(marks));
    }

    /// Sets the bit of each document with a text or a list.
    pub(crate) fn mark_all(&self, marks: &mut Marks) {
        self.singles.scan(marks, |_| true);
        self.lists.scan(marks, |_| true);
    }

    /// The texts of all documents, those that are the same once, in no particular order.
    pub(crate) fn distinct(&self) -> impl Iterator<Item = &str> {
        self.values.iter().map(|(text, _)| text)
    }

    /// The last of those documents with `text` that are wanted.
    pub(crate) fn last(&self, text: &str, is_wanted: impl Fn(u32) -> bool) -> Option<u32> {
        self.values.find(text)?.last(is_wanted)
    }

    /// The number of texts, those that are the same counted once.
    pub(crate) fn len(&self) -> usize {
        self.values.len()
    }

    /// Tells whether each text that a document has leads back to it.
    pub(crate) fn is_found(&self, doc: u32) -> bool {
        let list = self.lists.get(doc).map_or(&[][..], TextList::ids);
        let mut ids = self.singles.get(doc).into_iter().chain(list);
        ids.all(|id| self.documents(*id).contains(doc))
    }

    /// The text of a document that has one text.
    pub(crate) fn single(&self, doc: u32) -> Option<TextId> {
        self.singles.get(doc).copied()
    }

    /// The date that a text is, as documents write it.
    pub(crate) fn date(&self, id: TextId) -> Option<Date> {
        let date = match id.split() {
            Ok(value) => self.dates.get(value),
            Err(spelling) => self.spelt_dates.get(spelling),
        };
        date.copied()
    }

    /// Tells whether no text is a date.
    pub(crate) fn is_without_dates(&self) -> bool {
        self.dates.is_empty() && self.spelt_dates.is_empty()
    }

    /// The texts of documents with one text.
    pub(crate) fn singles(&self) -> &Sparse<TextId> {
        &self.singles
    }

    /// The distinct texts of documents with a list.
    pub(crate) fn lists(&self) -> &Sparse<TextList> {
        &self.lists
    }

    /// As the documents write it.
    pub(crate) fn text(&self, id: TextId) -> &str {
        match id.split() {
            Ok(value) => self.values.key(value),
            Err(spelling) => self.spellings.key(spelling),
        }
    }

    /// The id of a text, written like this.
    pub(crate) fn id(&self, text: &str) -> Option<TextId> {
        let value = self.values.id(text)?;
        if Case::Exact.same(self.values.key(value), text) {
            return Some(TextId::of_value(value));
        }
        self.spellings.id(text).map(TextId::of_spelling)
    }

    /// The documents with a text, in whatever case where that is ignored.
    pub(crate) fn documents(&self, id: TextId) -> &Postings {
        let value = id
            .split()
            .unwrap_or_else(|spelling| self.spellings.value(spelling).value);
        self.values.value(value)
    }

    /// The place of an id among all texts, of which there are fewer than [`TextColumn::places_end`].
    pub(crate) fn place(&self, id: TextId) -> usize {
        match id.split() {
            Ok(value) => value as usize,
            Err(spelling) => self.values.ids_end() + spelling as usize,
        }
    }

    /// The id whose place [`TextColumn::place`] gave.
    pub(crate) fn at(&self, place: usize) -> TextId {
        let id = |id: usize| u32::try_from(id).expect("a place came from an id");
        match place.checked_sub(self.values.ids_end()) {
            None => TextId::of_value(id(place)),
            Some(spelling) => TextId::of_spelling(id(spelling)),
        }
    }

    pub(crate) fn places_end(&self) -> usize {
        self.values.ids_end() + self.spellings.ids_end()
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        let postings: usize = self
            .values
            .iter()
            .map(|(_, docs)| docs.memory_bytes())
            .sum();
        let lists: usize = self.lists.values().map(TextList::memory_bytes).sum();
        let forward = self.singles.memory_bytes() + self.lists.memory_bytes();
        let texts = self.values.memory_bytes() + self.spellings.memory_bytes();
        let dates = self.dates.memory_bytes() + self.spelt_dates.memory_bytes();
        texts + postings + forward + lists + dates
    }

    fn add(&mut self, doc: u32, text: &str) -> TextId {
        let mut is_new = false;
        let value = self.values.intern(text, || {
            is_new = true;
            Postings::One(doc)
        });
        if is_new {
            note_date(&mut self.dates, value, text);
        }
        self.values.value_mut(value).insert(doc);
        if Case::Exact.same(self.values.key(value), text) {
            return TextId::of_value(value);
        }
        let mut is_new = false;
        let spelling = self.spellings.intern(text, || {
            is_new = true;
            Spelling { value, uses: 0 }
        });
        if is_new {
            note_date(&mut self.spelt_dates, spelling, text);
        }
        self.spellings.value_mut(spelling).uses += 1;
        TextId::of_spelling(spelling)
    }

    /// Takes a document out of its distinct texts, of which several may be of one value.
    fn take_out(&mut self, doc: u32, ids: &[TextId]) {
        let mut values: Vec<u32> = Vec::with_capacity(ids.len());
        for id in ids {
            values.push(match id.split() {
                Ok(value) => value,
                Err(spelling) => self.take_out_spelling(spelling),
            });
        }
        values.sort_unstable();
        values.dedup();
        for value in values {
            if self.values.value_mut(value).remove(doc) {
                self.values.remove(value);
                self.dates.remove(value);
            }
        }
    }

    /// Gives its value.
    fn take_out_spelling(&mut self, id: u32) -> u32 {
        let spelling = self.spellings.value_mut(id);
        spelling.uses -= 1;
        let Spelling { value, uses } = *spelling;
        if uses == 0 {
            self.spellings.remove(id);
            self.spelt_dates.remove(id);
        }
        value
    }
}

fn note_date(dates: &mut Sparse<Date>, id: u32, text: &str) {
    if let Some(date) = Date::of_text(text) {
        dates.insert(id, date);
    }
}

impl Sameness<str> for Case {
    fn hash(self, text: &str, state: &RandomState) -> u64 {
        state.hash_one(&*self.key(text))
    }

    fn same(self, a: &str, b: &str) -> bool {
        if a == b {
            return true;
        }
        match self {
            Case::Exact => composed(a) == composed(b),
            Case::Ignored => folded(&composed(a)).eq(folded(&composed(b))),
            Case::Folded(fold) => fold(a) == fold(b),
        }
    }
}

/// The composed form (NFC) of a text, which all of its encodings have. Ids that have one form are one id, however each of
/// them is written.
pub fn composed(text: &str) -> Cow<'_, str> {
    if text.is_ascii() || is_nfc_quick(text.chars()) == IsNormalized::Yes {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.nfc().collect())
}

/// The form in which texts that differ only in case are the same.
fn fold(text: &str) -> Cow<'_, str> {
    if !text
        .bytes()
        .any(|b| b.is_ascii_uppercase() || !b.is_ascii())
    {
        return Cow::Borrowed(text);
    }
    Cow::Owned(folded(&composed(text)).collect())
}

/// Character by character, since the lower case of a whole string depends on where a Σ stands.
fn folded(text: &str) -> impl Iterator<Item = char> {
    let lower = text.chars().flat_map(char::to_lowercase);
    lower.map(|c| if c == 'ς' { 'σ' } else { c })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marked(column: &TextColumn, text: &str) -> Vec<u32> {
        let mut marks = Marks::new(0, 2);
        column.mark(text, &mut marks);
        marks.into_set().iter().collect()
    }

    fn texts(column: &TextColumn, doc: u32) -> Vec<&str> {
        let list = column.lists.get(doc).map_or(&[][..], TextList::ids);
        let ids = column.single(doc).into_iter().chain(list.iter().copied());
        let mut texts: Vec<&str> = ids.map(|id| column.text(id)).collect();
        texts.sort_unstable();
        texts
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
            assert!(Case::Ignored.same(a, b) && !Case::Exact.same(a, b));
        }
        assert_ne!(fold("a"), fold("á"));
        assert!(!Case::Ignored.same("a", "ab") && !Case::Ignored.same("ab", "a"));
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
        column.insert_list(3, &["x".into(), "X".into(), "y".into(), "x".into()]);
        column.insert(4, "x");
        assert_eq!(marked(&column, "x"), [3, 4]);
        assert_eq!(texts(&column, 3), ["X", "x", "y"]);
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
    fn each_document_keeps_its_spelling_whichever_was_first() {
        let mut column = TextColumn::new(Case::Ignored);
        for (doc, text) in [(1, "Nike"), (2, "NIKE"), (3, "nike"), (4, "NIKE")] {
            column.insert(doc, text);
        }
        column.remove(1);
        assert_eq!(marked(&column, "niKe"), [2, 3, 4]);
        assert_eq!(
            (texts(&column, 2), texts(&column, 3)),
            (vec!["NIKE"], vec!["nike"])
        );
        assert_eq!(column.single(2), column.single(4));
        assert_eq!(column.id("NIKE"), column.single(2));
        assert_eq!(column.id("nikE"), None);
        for doc in [2, 3, 4] {
            let id = column
                .single(doc)
                .unwrap_or_else(|| unreachable!("it is there"));
            assert_eq!(column.at(column.place(id)), id);
        }
        column.remove(2);
        assert_eq!(texts(&column, 4), ["NIKE"]);
        column.remove(4);
        assert!(column.spellings.id("NIKE").is_none());
        column.remove(3);
        assert_eq!((column.is_empty(), column.memory_bytes()), (true, 0));
    }

    #[test]
    fn encodings_of_one_text_are_one_and_the_first_is_shown() {
        let (composed, decomposed) = ("Citroën", "Citroe\u{308}n");
        for case in [Case::Exact, Case::Ignored] {
            let mut column = TextColumn::new(case);
            column.insert(1, decomposed);
            column.insert(2, composed);
            column.insert_list(3, &[composed.into(), decomposed.into(), "x".into()]);
            for text in [composed, decomposed] {
                assert_eq!(marked(&column, text), [1, 2, 3]);
                assert_eq!(column.id(text), column.single(2));
            }
            assert_eq!(column.single(1), column.single(2));
            assert_eq!(texts(&column, 2), [decomposed]);
            assert_eq!(texts(&column, 3), [decomposed, "x"]);
            assert_eq!(
                column.is_list_of(3, &[decomposed.into(), "x".into()]),
                Some(true)
            );
            for doc in [1, 2, 3] {
                column.remove(doc);
            }
            assert_eq!((column.is_empty(), column.memory_bytes()), (true, 0));
        }
    }

    #[test]
    fn spellings_of_one_encoding_or_another_are_one_spelling() {
        let mut column = TextColumn::new(Case::Ignored);
        for (doc, text) in [(1, "citroën"), (2, "CITROËN"), (3, "CITROE\u{308}N")] {
            column.insert(doc, text);
        }
        assert_eq!(marked(&column, "CitroE\u{308}n"), [1, 2, 3]);
        assert_eq!(column.single(2), column.single(3));
        assert_ne!(column.single(1), column.single(2));
        for doc in [1, 2, 3] {
            column.remove(doc);
        }
        assert_eq!((column.is_empty(), column.memory_bytes()), (true, 0));
    }

    #[test]
    fn letters_that_are_only_alike_stay_apart() {
        for (a, b) in [("ﬁ", "fi"), ("Å", "A"), ("K", "Κ"), ("²", "2")] {
            assert!(!Case::Ignored.same(a, b), "{a} {b}");
        }
        // The sign of ångström is that letter.
        assert!(Case::Exact.same("\u{212b}", "Å"));
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
