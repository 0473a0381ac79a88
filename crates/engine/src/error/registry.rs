use crate::error::EngineError;

/// The reason that an index cannot be created, found, opened or dropped.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum RegistryError {
    #[error("Index {name} not found")]
    NotFound { name: String },
    #[error("Index {name} already exists")]
    AlreadyExists { name: String },
    /// The index keeps its place and its name; opening it is tried again and again.
    #[error(
        "Index {name} cannot be opened: {source}. Its files, in indexes/{}, are left as they are. It is tried again by itself; restore the files from a copy, or delete the index, which moves them to damaged/",
        folders.join(" and indexes/")
    )]
    Unopened {
        name: String,
        folders: Vec<String>,
        source: Box<EngineError>,
    },
    #[error("none of its folders is there any more")]
    MissingFolder,
    #[error("{count} folders hold an index of this name, and only one may")]
    SeveralFolders { count: usize },
    #[error("its folder is named for index {folder}, its store for index {store}")]
    NameMismatch { folder: String, store: String },
    #[error("the index definition cannot be read")]
    UnreadableDefinition,
    #[error("the engine is closed")]
    Closed,
}

impl RegistryError {
    pub(crate) fn not_found(name: &str) -> Self {
        Self::NotFound {
            name: name.to_owned(),
        }
    }
}
