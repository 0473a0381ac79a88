//! From a view of an index to pieces.

use std::sync::Arc;

use parking_lot::Mutex;

use super::{Counts, Kind, piece_of};
use crate::background::row_references::stored_tensors;
use crate::error::{EngineError, Result};
use crate::index::Index;
use crate::read::readings::Reading;
use crate::read::view::View;

/// Ordinals whose rows are in pieces of their own, whatever lies before them.
const SPAN: u32 = 4_096;
/// Ordinals between two places where a piece of [`BYTES`] ends: a row that grew a little seldom moves them.
const STEP: u32 = 256;
/// A piece with so many bytes ends at the next such place, ...
const BYTES: usize = 4 << 20;
/// ... and one with so many at once.
const BYTES_MAX: usize = 16 << 20;
/// One query of so many may end a piece of suggestions.
const SUGGESTIONS_STEP: u32 = 64;
const SUGGESTIONS_BYTES: usize = 1 << 20;

/// One state of an index, read piece by piece. It keeps its view, as a scan does, and is ended as a scan is where that
/// holds back too much of the disk.
pub struct IndexBackup {
    /// Before the index, whose directory is another's to open once it is gone: it holds a store open.
    reading: Arc<Reading<Arc<View>>>,
    index: Arc<Index>,
    place: Mutex<Place>,
}

/// The piece that is next.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Place {
    Settings,
    Documents { from: u32 },
    Tensors { from: u32, end: u32 },
    Suggestions { from: Option<String> },
    End,
}

impl IndexBackup {
    pub(crate) fn begin(index: Arc<Index>) -> Result<Self> {
        let reading = index.readings.begin(|| Ok(index.views.load()))?;
        Ok(Self {
            reading,
            index,
            place: Mutex::new(Place::Settings),
        })
    }

    /// The number of documents.
    ///
    /// # Errors
    /// As [`next_piece`](Self::next_piece).
    pub fn documents(&self) -> Result<u64> {
        Ok(self.reading.get()?.live as u64)
    }

    /// The next piece, a few megabytes; none after the last. After an error the same is read again.
    ///
    /// # Errors
    /// When the store cannot be read, and where vectors are damaged: a copy is whole or there is none.
    /// [`EngineError::SnapshotTooOld`] for good, when it holds back too much of the disk.
    pub fn next_piece(&self) -> Result<Option<Vec<u8>>> {
        let mut place = self.place.lock();
        loop {
            if *place == Place::End {
                return Ok(None);
            }
            let view = self.reading.get()?;
            let read = self.index.catch_panic(|| self.read(&view, &place));
            let (piece, next) = read.inspect_err(|error| self.index.read_failed(error))?;
            debug_assert!(next != *place, "a copy goes on");
            *place = next;
            if piece.is_some() {
                return Ok(piece);
            }
        }
    }

    fn read(&self, view: &View, place: &Place) -> Result<(Option<Vec<u8>>, Place)> {
        match place {
            Place::Settings => Ok((Some(settings(view)?), Place::Documents { from: 0 })),
            Place::Documents { from } => documents(view, *from),
            Place::Tensors { from, end } => self.tensors(view, *from, *end),
            Place::Suggestions { from } => suggestions(view, from.as_deref()),
            Place::End => Ok((None, Place::End)),
        }
    }

    fn tensors(&self, view: &View, from: u32, end: u32) -> Result<(Option<Vec<u8>>, Place)> {
        let mut rows = Rows::of(Kind::Tensors);
        let docs = view.alive.iter_from(from).take_while(|doc| *doc < end);
        for doc in docs {
            if rows.ends_before(doc) {
                return Ok((Some(rows.piece), Place::Tensors { from: doc, end }));
            }
            let tensors = stored_tensors(&self.index, &view.snapshot, doc)?;
            let tensors = tensors.ok_or(EngineError::MissingDocument { doc })?;
            rows.push(doc, &tensors.whole(&format!("number {doc}"))?);
        }
        Ok((rows.finished(), Place::Documents { from: end }))
    }
}

fn settings(view: &View) -> Result<Vec<u8>> {
    let mut suggestions = 0;
    let count = |_: &str, _: &[u8]| {
        suggestions += 1;
        Ok::<_, EngineError>(())
    };
    view.snapshot.scan_suggestions(count)?;
    let definition = view.snapshot.definition()?;
    let record = Index::without_name(&definition)?;
    let counts = Counts {
        documents: view.live as u64,
        suggestions,
        record_bytes: record.len(),
    };
    let mut piece = piece_of(Kind::Settings);
    serde_json::to_writer(&mut piece, &counts).expect("numbers serialise into memory");
    piece.push(0);
    piece.extend_from_slice(record);
    Ok(piece)
}

fn documents(view: &View, from: u32) -> Result<(Option<Vec<u8>>, Place)> {
    let mut rows = Rows::of(Kind::Documents);
    for doc in view.alive.iter_from(from) {
        if rows.ends_before(doc) {
            return Ok((Some(rows.piece), Place::Tensors { from, end: doc }));
        }
        let document = view.snapshot.document(doc)?;
        rows.push(doc, &document.ok_or(EngineError::MissingDocument { doc })?);
    }
    let next = match rows.last {
        Some(last) => Place::Tensors {
            from,
            end: last + 1,
        },
        None => Place::Suggestions { from: None },
    };
    Ok((rows.finished(), next))
}

fn suggestions(view: &View, from: Option<&str>) -> Result<(Option<Vec<u8>>, Place)> {
    let mut piece = piece_of(Kind::Suggestions);
    let empty = piece.len();
    let mut next = Place::End;
    view.snapshot.scan_suggestions_from(from, |key, query| {
        let may_end = crc32fast::hash(key.as_bytes()).is_multiple_of(SUGGESTIONS_STEP);
        if (piece.len() >= SUGGESTIONS_BYTES && may_end) || piece.len() >= BYTES_MAX {
            next = Place::Suggestions {
                from: Some(key.to_owned()),
            };
            return Ok(false);
        }
        push_bytes(&mut piece, key.as_bytes());
        push_bytes(&mut piece, query);
        Ok::<_, EngineError>(true)
    })?;
    Ok(((piece.len() > empty).then_some(piece), next))
}

/// The rows of a piece by their ordinals.
struct Rows {
    piece: Vec<u8>,
    last: Option<u32>,
}

impl Rows {
    fn of(kind: Kind) -> Self {
        Self {
            piece: piece_of(kind),
            last: None,
        }
    }

    fn push(&mut self, doc: u32, bytes: &[u8]) {
        self.last = Some(doc);
        self.piece.extend_from_slice(&doc.to_le_bytes());
        push_bytes(&mut self.piece, bytes);
    }

    /// Tells whether the row of a document is in another piece.
    fn ends_before(&self, doc: u32) -> bool {
        self.last.is_some_and(|last| {
            last / SPAN != doc / SPAN
                || (self.piece.len() >= BYTES && last / STEP != doc / STEP)
                || self.piece.len() >= BYTES_MAX
        })
    }

    fn finished(self) -> Option<Vec<u8>> {
        self.last.map(|_| self.piece)
    }
}

fn push_bytes(piece: &mut Vec<u8>, bytes: &[u8]) {
    let length = u32::try_from(bytes.len()).expect("no row has four gigabytes");
    piece.extend_from_slice(&length.to_le_bytes());
    piece.extend_from_slice(bytes);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_piece_ends_by_ordinals_where_rows_are_small_and_by_bytes_where_they_are_large() {
        let mut rows = Rows::of(Kind::Documents);
        assert!(!rows.ends_before(0));
        rows.push(7, b"x");
        assert!(!rows.ends_before(SPAN - 1) && rows.ends_before(SPAN));
        rows.push(8, &vec![0; BYTES]);
        assert!(!rows.ends_before(STEP - 1) && rows.ends_before(STEP));
        rows.push(9, &vec![0; BYTES_MAX]);
        assert!(rows.ends_before(10));
    }
}
