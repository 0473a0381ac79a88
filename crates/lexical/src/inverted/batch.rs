//! Inverting the documents of one write.

use std::collections::HashMap;

use super::builder::Builder;
use super::hash_index::HashIndex;
use super::term_merge::prefix;
use super::{DocumentField, Inverted, term_hash};
use crate::analysis::{AnalysisSet, Analyzer, FieldAnalysis, Segmentation, TokenPlace};
use crate::positions::Positions;
use crate::statistics::FieldLength;
use crate::word_list::WordCounter;

/// Documents that were analysed and inverted together and have no ordinals yet. Made by
/// [`LexicalIndex::invert`](crate::LexicalIndex::invert), for
/// [`LexicalIndex::add_batch`](crate::LexicalIndex::add_batch).
#[derive(Debug)]
pub struct InvertedBatch {
    /// Field names by their numbers here.
    names: Vec<String>,
    /// The analyses that the texts of each field had.
    analyses: Vec<AnalysisSet>,
    /// Documents are numbered by their rows. Fields without tokens are among theirs.
    inverted: Inverted,
}

impl InvertedBatch {
    pub(crate) fn new<'d>(
        analyzer: &mut Analyzer,
        field_analysis: impl Fn(&str) -> FieldAnalysis,
        documents: impl IntoIterator<Item: IntoIterator<Item = (&'d str, &'d str)>>,
    ) -> InvertedBatch {
        let mut reader = Reader {
            segmentation: analyzer.segmentation(),
            ..Reader::default()
        };
        for document in documents {
            for (name, text) in document {
                reader.push_text(analyzer, &field_analysis, name, text);
            }
            reader.end_document();
        }
        reader.finish()
    }

    /// Documents, also those without text.
    pub fn document_count(&self) -> usize {
        self.inverted.documents().len()
    }

    /// Bytes held in memory.
    pub fn memory_bytes(&self) -> usize {
        let names = self.names.iter().map(|name| name.capacity());
        self.inverted.memory_bytes() + names.sum::<usize>()
    }

    pub(crate) fn names(&self) -> &[String] {
        &self.names
    }

    /// The analyses that the texts of each field had, by the numbers of names.
    pub(crate) fn analyses(&self) -> &[AnalysisSet] {
        &self.analyses
    }

    pub(crate) fn inverted(&self) -> &Inverted {
        &self.inverted
    }
}

/// Takes documents in, text by text.
#[derive(Default)]
struct Reader {
    segmentation: Segmentation,
    names: Vec<String>,
    numbers: HashMap<String, u32>,
    /// By field number: how its texts are to be analysed, and how they were.
    settings: Vec<FieldAnalysis>,
    analyses: Vec<AnalysisSet>,
    /// By field number: its place in `open`, of the last document that had it.
    latest: Vec<usize>,
    /// The fields of the document at hand.
    open: Vec<(u32, Positions)>,
    /// For each document that is through: the end of its fields in `fields`.
    field_ends: Vec<usize>,
    fields: Vec<DocumentField>,
    text: String,
    lists: Vec<OpenList>,
    index: HashIndex,
    occurrences: Vec<Occurrence>,
    /// The buffer in which pairs of characters are made.
    pair: String,
    words: WordCounter,
}

/// One term in one field.
struct OpenList {
    hash: u32,
    field: u32,
    text_from: usize,
    text_len: usize,
    occurrences: usize,
}

struct Occurrence {
    list: u32,
    /// Index in `fields`, which tells the document as well.
    field: u32,
    position: u32,
}

impl Reader {
    fn push_text(
        &mut self,
        analyzer: &mut Analyzer,
        field_analysis: impl Fn(&str) -> FieldAnalysis,
        name: &str,
        text: &str,
    ) {
        let field = self.number_of(name, field_analysis);
        let analysis = self.settings[field as usize].of(text);
        self.analyses[field as usize].insert(analysis);
        let place = self.open_field(field);
        self.open[place].1.begin_text();
        let at = (self.fields.len() + place) as u32;
        let mut positions = std::mem::take(&mut self.open[place].1);
        let mut pair = std::mem::take(&mut self.pair);
        let document = self.field_ends.len() as u32;
        analyzer.for_each_word(text, analysis, |token, place, word| {
            if !word.is_empty() {
                self.words.push(word, token, document);
            }
            let mut occur = |position, token: &str| {
                let list = self.list_of(field, token);
                self.lists[list].occurrences += 1;
                self.occurrences.push(Occurrence {
                    list: list as u32,
                    field: at,
                    position,
                });
            };
            match place {
                TokenPlace::Next => positions.push(token, &mut pair, occur),
                TokenPlace::Same => positions.push_beside(token, &mut occur),
            }
        });
        self.open[place].1 = positions;
        self.pair = pair;
    }

    fn number_of(&mut self, name: &str, analysis: impl Fn(&str) -> FieldAnalysis) -> u32 {
        if let Some(&number) = self.numbers.get(name) {
            return number;
        }
        let number = self.names.len() as u32;
        self.names.push(name.to_owned());
        self.numbers.insert(name.to_owned(), number);
        self.latest.push(usize::MAX);
        self.settings.push(analysis(name));
        self.analyses.push(AnalysisSet::default());
        number
    }

    /// The place of a field among those of the document at hand.
    fn open_field(&mut self, field: u32) -> usize {
        let place = self.latest[field as usize];
        if self.open.get(place).is_some_and(|(open, _)| *open == field) {
            return place;
        }
        self.latest[field as usize] = self.open.len();
        self.open.push((field, Positions::new(self.segmentation)));
        self.open.len() - 1
    }

    fn list_of(&mut self, field: u32, token: &str) -> usize {
        let hash = term_hash(token);
        let is_same = |at: usize| {
            let list: &OpenList = &self.lists[at];
            list.hash == hash
                && list.field == field
                && &self.text[list.text_from..][..list.text_len] == token
        };
        if let Some(list) = self.index.find(spread(hash, field), is_same) {
            return list;
        }
        if self.index.is_full(self.lists.len()) {
            self.grow();
        }
        self.index.insert(spread(hash, field), self.lists.len());
        self.lists.push(OpenList {
            hash,
            field,
            text_from: self.text.len(),
            text_len: token.len(),
            occurrences: 0,
        });
        self.text.push_str(token);
        self.lists.len() - 1
    }

    fn grow(&mut self) {
        self.index = HashIndex::with_room((self.lists.len() * 2).max(64));
        for (at, list) in self.lists.iter().enumerate() {
            self.index.insert(spread(list.hash, list.field), at);
        }
    }

    fn end_document(&mut self) {
        for (field, positions) in self.open.drain(..) {
            let length = FieldLength::try_from(positions.count()).unwrap_or(FieldLength::MAX);
            self.fields.push(DocumentField { field, length });
        }
        self.field_ends.push(self.fields.len());
    }

    fn finish(self) -> InvertedBatch {
        let order = self.order();
        let grouped = self.grouped(&order);
        let mut out = Builder::default();
        let mut row_of_field = Vec::with_capacity(self.fields.len());
        for (row, &end) in self.field_ends.iter().enumerate() {
            let fields = row_of_field.len()..end;
            row_of_field.resize(end, row as u32);
            out.push_document(row as u32, self.fields[fields].iter().copied());
        }
        let mut rest = grouped.as_slice();
        let mut positions = Vec::new();
        for (at, &list) in order.iter().enumerate() {
            let list = &self.lists[list as usize];
            let (occurrences, others) = rest.split_at(list.occurrences);
            rest = others;
            for posting in occurrences.chunk_by(|(a, _), (b, _)| a == b) {
                let field = posting[0].0 as usize;
                positions.clear();
                positions.extend(posting.iter().map(|&(_, position)| position));
                out.push_posting(row_of_field[field], self.fields[field].length, &positions);
            }
            out.end_list(list.field);
            let text = self.text_of(list);
            let next = order.get(at + 1).map(|&next| &self.lists[next as usize]);
            if next.is_none_or(|next| self.text_of(next) != text) {
                out.end_counted_term(text, list.hash);
            }
        }
        debug_assert!(rest.is_empty(), "each occurrence is in a list");
        let mut inverted = out.finish();
        inverted.words = self.words.finish();
        InvertedBatch {
            inverted,
            names: self.names,
            analyses: self.analyses,
        }
    }

    fn text_of(&self, list: &OpenList) -> &str {
        &self.text[list.text_from..][..list.text_len]
    }

    /// The lists by text and field.
    fn order(&self) -> Vec<u32> {
        let key = |(at, list): (usize, &OpenList)| (prefix(self.text_of(list)), at as u32);
        let mut keyed: Vec<(u64, u32)> = self.lists.iter().enumerate().map(key).collect();
        keyed.sort_unstable_by(|&(prefix_a, a), &(prefix_b, b)| {
            prefix_a.cmp(&prefix_b).then_with(|| {
                let (a, b) = (&self.lists[a as usize], &self.lists[b as usize]);
                let texts = self.text_of(a).cmp(self.text_of(b));
                texts.then(a.field.cmp(&b.field))
            })
        });
        keyed.into_iter().map(|(_, at)| at).collect()
    }

    /// Field and position of every occurrence, list by list in this order, and as they came in
    /// each: by ascending document and position.
    fn grouped(&self, order: &[u32]) -> Vec<(u32, u32)> {
        let mut next_of_list = vec![0; self.lists.len()];
        let mut from = 0;
        for &list in order {
            next_of_list[list as usize] = from;
            from += self.lists[list as usize].occurrences;
        }
        let mut grouped = vec![(0, 0); self.occurrences.len()];
        for occurrence in &self.occurrences {
            let next = &mut next_of_list[occurrence.list as usize];
            grouped[*next] = (occurrence.field, occurrence.position);
            *next += 1;
        }
        grouped
    }
}

/// Puts the lists of one term in different fields far apart: 2^32 divided by the golden ratio.
fn spread(hash: u32, field: u32) -> u32 {
    hash.wrapping_add(field.wrapping_mul(0x9e37_79b9))
}
