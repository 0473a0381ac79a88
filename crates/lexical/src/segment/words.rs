//! The words of a segment: a transducer from their keys to numbers of documents.

use std::io::{self, Write};
use std::path::Path;
use std::sync::OnceLock;

use pelorus_cancellation::{Cancellation, Cancelled};
use tantivy::Directory;
use tantivy::directory::{FileSlice, OwnedBytes, TerminatingWrite, WritePtr};
use tantivy_fst::map::{OpBuilder, Stream};
use tantivy_fst::raw::Fst;
use tantivy_fst::{IntoStreamer, Map, MapBuilder, Streamer};

use super::text_segment::corrupt;
use super::unsynced_directory::UnsyncedDirectory;
use crate::error::{LexicalError, Result};
use crate::word_list::{WordList, WordMerge, token_of_key};

const FILE: &str = "words";

/// Keys between two looks at whether the search is cancelled.
const KEYS_PER_CHECK: usize = 8_192;

/// Mapped, as postings are.
pub(crate) struct SegmentWords {
    map: Map<OwnedBytes>,
    list: OnceLock<WordList>,
}

impl SegmentWords {
    pub(super) fn open(dir: &UnsyncedDirectory) -> Result<SegmentWords> {
        let file = dir.get_file_handle(Path::new(FILE));
        let file = file.map_err(tantivy::TantivyError::from)?;
        let bytes = FileSlice::new(file).read_bytes();
        let bytes = bytes.map_err(tantivy::TantivyError::from)?;
        let fst = Fst::new(bytes).map_err(|_| corrupt("the words are no transducer"))?;
        Ok(SegmentWords {
            map: fst.into(),
            list: OnceLock::new(),
        })
    }

    /// The keys from one to before another, and the documents with each, in order.
    pub(crate) fn range(&self, from: &[u8], to: &[u8]) -> Stream<'_> {
        self.map.range().ge(from).lt(to).into_stream()
    }

    /// The number of documents with a key.
    pub(crate) fn documents(&self, key: &[u8]) -> u64 {
        self.map.get(key).unwrap_or(0)
    }

    /// All keys, in memory from the first call on.
    ///
    /// # Errors
    /// When the search is cancelled meanwhile.
    pub(crate) fn list(
        &self,
        cancellation: &Cancellation,
    ) -> std::result::Result<&WordList, Cancelled> {
        if let Some(list) = self.list.get() {
            return Ok(list);
        }
        let mut list = WordList::default();
        let mut keys = self.map.stream();
        while let Some((key, documents)) = keys.next() {
            if list.len().is_multiple_of(KEYS_PER_CHECK) {
                cancellation.check()?;
            }
            list.push(key, u32::try_from(documents).unwrap_or(u32::MAX));
        }
        list.shrink_to_fit();
        Ok(self.list.get_or_init(|| list))
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        self.list.get().map_or(0, WordList::memory_bytes)
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
