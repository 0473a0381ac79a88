//! Requests that wait for the writer.

use pelorus_documents::{DocumentUpdate, ItemError, ReadyDocument, Revision};
use pelorus_lexical::{InvertedBatch, LexicalIndex};

use crate::WriteDone;
use crate::error::{EngineError, Result};
use crate::read::response::ItemsResponse;
use crate::read::within::Within;
use crate::suggestions::QueryChanges;
use crate::vectors::fields::FieldFolder;

/// One request that waits for its commit.
pub(crate) enum Job {
    Put {
        items: PutItems,
        /// The items inverted by [`invert`], unless some of them are documents only when their turn comes.
        words: Option<Box<InvertedBatch>>,
        /// The documents that the caller reaches, and may store; none for all.
        within: Option<Within>,
        respond: PutResponse,
        done: WriteDone,
    },
    Delete {
        ids: Vec<String>,
        of: Deletion,
        /// The documents that the caller reaches; none for all.
        within: Option<Within>,
        /// The places of ids whose documents stay, once they are known, ascending: there are none such for the caller.
        kept: Vec<usize>,
        respond: DeleteResponse,
        done: WriteDone,
    },
    /// Gives the index another definition, of the same meaning to the engine.
    Define {
        definition: Vec<u8>,
        done: WriteDone,
    },
    /// Replaces vectors in the store by references to rows, which are durable.
    StoreRowReferences {
        /// The stored references of each document from then on.
        references: Vec<(u32, Vec<u8>)>,
        /// The fields with rows that are referred to.
        places: Vec<FieldFolder>,
        done: WriteDone,
    },
    /// Changes the queries that the index suggests.
    Suggest {
        changes: QueryChanges,
        done: WriteDone,
    },
}

/// The reason of a deletion.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Deletion {
    /// A caller asked for it: documents whose moment has come are not there.
    Asked,
    /// Their moment has come: others are not meant, such as one that has taken the place of one.
    Expired,
}

impl Deletion {
    /// Tells whether documents are meant whose moment has come, and no others.
    pub fn is_of_expired(self) -> bool {
        self == Self::Expired
    }
}

/// The documents of a job that stores some, those that were refused among them.
pub(crate) type PutItems = Vec<std::result::Result<Put, ItemError>>;

/// One document of a job that stores some.
pub(crate) enum Put {
    /// Takes the place of the document that has its id.
    Document(ReadyDocument),
    /// Becomes the stored document with its changes, when its turn comes.
    Update(DocumentUpdate),
    /// Changes what its document holds, in place.
    Revision(Revision),
    /// An update that changes nothing of the document with this id.
    Unchanged(String),
}

/// Inverts the texts of the documents among some items, an item without texts as a document without any, and lets go
/// of the texts. This is most of the work of adding text, so the writer leaves it to the callers where it can.
pub(crate) fn invert(lexical: &LexicalIndex, items: &mut PutItems) -> InvertedBatch {
    let words = lexical.invert(items.iter().map(|item| {
        let texts = match item {
            Ok(Put::Document(document)) => document.values.lexical.as_slice(),
            _ => &[],
        };
        texts.iter().map(|(field, text)| (&**field, &**text))
    }));
    for item in items.iter_mut().flatten() {
        if let Put::Document(document) = item {
            let texts = document.values.lexical.iter_mut();
            texts.for_each(|(_, text)| *text = String::new());
        }
    }
    words
}

impl Put {
    fn bytes(&self) -> usize {
        match self {
            Self::Document(document) => document.bytes(),
            Self::Update(update) => update.bytes(),
            Self::Revision(revision) => revision.id.len() + revision.document.len(),
            Self::Unchanged(id) => id.len(),
        }
    }

    /// Tells whether it is committed.
    pub fn is_change(&self) -> bool {
        match self {
            Self::Document(_) | Self::Revision(_) => true,
            Self::Update(_) | Self::Unchanged(_) => false,
        }
    }

    /// Returns the record of it as stored; the commit will tell whether it took another's place.
    pub fn into_stored(self) -> Stored {
        let is_change = self.is_change();
        let existed = matches!(self, Self::Revision(_) | Self::Unchanged(_));
        let id = match self {
            Self::Document(document) => document.id,
            Self::Update(update) => update.id,
            Self::Revision(revision) => revision.id,
            Self::Unchanged(id) => id,
        };
        Stored {
            id,
            is_change,
            existed,
        }
    }
}

/// A document that was stored.
#[derive(Debug)]
pub struct Stored {
    pub id: String,
    /// Tells whether storing it changed anything.
    pub is_change: bool,
    /// Tells whether there was a document with this id before.
    pub existed: bool,
}

/// The outcome for a document of a job that stores some.
pub type Outcome = std::result::Result<Stored, ItemError>;

/// Builds the answer to a job that stores documents.
pub type PutResponse = fn(&[Outcome]) -> Result<ItemsResponse>;

/// Builds the answer to a delete from whether each id existed.
pub(crate) type DeleteResponse = Box<dyn FnOnce(&[bool]) -> Result<ItemsResponse> + Send>;

impl Job {
    pub fn operations(&self) -> usize {
        match self {
            Self::Put { items, .. } => items.len(),
            Self::Delete { ids, .. } => ids.len(),
            Self::Define { .. } => 1,
            Self::StoreRowReferences { references, .. } => references.len(),
            Self::Suggest { changes, .. } => changes.operations(),
        }
    }

    /// Tells whether it takes room on the disk, rather than making some.
    pub fn is_adding(&self) -> bool {
        match self {
            Self::Put { .. } | Self::Define { .. } => true,
            // It makes more room than it takes, and was checked for the room that it takes at
            // first.
            Self::Delete { .. } | Self::StoreRowReferences { .. } => false,
            Self::Suggest { changes, .. } => changes.is_adding(),
        }
    }

    /// Bytes that are to be stored, about.
    pub fn bytes(&self) -> usize {
        match self {
            Self::Put { items, .. } => items.iter().flatten().map(Put::bytes).sum(),
            Self::Delete { ids, .. } => ids.iter().map(String::len).sum(),
            Self::Define { definition, .. } => definition.len(),
            Self::StoreRowReferences { references, .. } => {
                references.iter().map(|(_, bytes)| bytes.len()).sum()
            }
            Self::Suggest { changes, .. } => changes.bytes(),
        }
    }

    /// Bytes that it takes while it waits, about.
    pub fn queued_bytes(&self) -> usize {
        let words = match self {
            Self::Put { words, .. } => words.as_ref().map_or(0, |words| words.memory_bytes()),
            Self::Delete { .. }
            | Self::Define { .. }
            | Self::StoreRowReferences { .. }
            | Self::Suggest { .. } => 0,
        };
        self.bytes() + words
    }

    pub fn fail(self, error: EngineError) {
        let (Self::Put { done, .. }
        | Self::Delete { done, .. }
        | Self::Define { done, .. }
        | Self::StoreRowReferences { done, .. }
        | Self::Suggest { done, .. }) = self;
        done(Err(error));
    }
}
