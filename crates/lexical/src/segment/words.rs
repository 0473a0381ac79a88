//! The words of a segment: a transducer from their keys to numbers of documents.

use std::io::{self, Write};
use std::path::Path;

use tantivy::Directory;
use tantivy::directory::{FileSlice, OwnedBytes, TerminatingWrite, WritePtr};
use tantivy_fst::map::{OpBuilder, Stream};
use tantivy_fst::raw::Fst;
use tantivy_fst::{Automaton, IntoStreamer, Map, MapBuilder, Streamer};

use super::text_segment::corrupt;
use super::unsynced_directory::UnsyncedDirectory;
use crate::error::{LexicalError, Result};
use crate::word_list::{WordList, WordMerge, token_of_key};

const FILE: &str = "words";

/// Mapped, as postings are.
pub(crate) struct SegmentWords {
    map: Map<OwnedBytes>,
}

impl SegmentWords {
    pub(super) fn open(dir: &UnsyncedDirectory) -> Result<SegmentWords> {
        let file = dir.get_file_handle(Path::new(FILE));
        let file = file.map_err(tantivy::TantivyError::from)?;
        let bytes = FileSlice::new(file).read_bytes();
        let bytes = bytes.map_err(tantivy::TantivyError::from)?;
        let fst = Fst::new(bytes).map_err(|_| corrupt("the words are no transducer"))?;
        Ok(SegmentWords { map: fst.into() })
    }

    /// The keys from one to before another, and the documents with each, in order.
    pub(crate) fn range(&self, from: &[u8], to: &[u8]) -> Stream<'_> {
        self.map.range().ge(from).lt(to).into_stream()
    }

    /// The number of documents with a key.
    pub(crate) fn documents(&self, key: &[u8]) -> u64 {
        self.map.get(key).unwrap_or(0)
    }

    /// The keys that an automaton accepts, as [`SegmentWords::range`] gives them.
    pub(crate) fn search<'a, A: Automaton>(&'a self, automaton: A) -> Stream<'a, A> {
        self.map.search(automaton).into_stream()
    }
}

/// Adds the file to a segment.
pub(super) fn write_words<'a>(
    dir: &UnsyncedDirectory,
    lists: impl Iterator<Item = &'a WordList>,
) -> tantivy::Result<()> {
    let mut file = WordFile::create(dir)?;
    let mut words = WordMerge::new(lists);
    while let Some((key, documents)) = words.next_word() {
        file.insert(key, documents.into())?;
    }
    file.finish()
}

/// Adds the file of several segments' words to another, as far as it knows their tokens.
pub(super) fn merge_words(
    dir: &UnsyncedDirectory,
    sources: &[&SegmentWords],
    is_known: impl Fn(&str) -> Result<bool>,
) -> Result<()> {
    let mut file = WordFile::create(dir)?;
    let all: OpBuilder<'_> = sources.iter().map(|words| &words.map).collect();
    let mut union = all.union();
    while let Some((key, found)) = union.next() {
        let token = token_of_key(key).ok_or_else(|| corrupt("a word has no token"))?;
        if is_known(&token)? {
            let documents = found.iter().map(|one| one.value);
            file.insert(key, documents.fold(0, u64::saturating_add))?;
        }
    }
    file.finish().map_err(LexicalError::from)
}

/// A file at work.
struct WordFile(MapBuilder<WritePtr>);

impl WordFile {
    fn create(dir: &UnsyncedDirectory) -> tantivy::Result<WordFile> {
        let file = dir.open_write(Path::new(FILE))?;
        Ok(WordFile(MapBuilder::new(file).map_err(written)?))
    }

    fn insert(&mut self, key: &[u8], documents: u64) -> tantivy::Result<()> {
        Ok(self.0.insert(key, documents).map_err(written)?)
    }

    fn finish(self) -> tantivy::Result<()> {
        let mut file = self.0.into_inner().map_err(written)?;
        file.flush()?;
        file.terminate()?;
        Ok(())
    }
}

fn written(error: tantivy_fst::Error) -> io::Error {
    match error {
        tantivy_fst::Error::Io(error) => error,
        error => io::Error::other(error.to_string()),
    }
}
