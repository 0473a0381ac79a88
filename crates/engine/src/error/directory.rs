use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The reason that a data directory cannot be opened. Nothing in it has been changed.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum DataDirectoryError {
    #[error("the data directory {} cannot be used: {source}", path.display())]
    Unusable {
        path: PathBuf,
        source: Arc<io::Error>,
    },
    #[error("the data directory {} is in use by another process", path.display())]
    InUse { path: PathBuf },
    /// The file that states the format could not be read or written.
    #[error("{}: {source}", path.display())]
    UnusableFormat {
        path: PathBuf,
        source: Arc<io::Error>,
    },
    /// A file with the name of the one that states the format, where there are no indexes.
    #[error("{}: expected a version number, found {found:?}: it is no data directory", path.display())]
    InvalidFormat { path: PathBuf, found: String },
    #[error(
        "the data directory {} has format {found}, this version reads up to {supported}: use the version that wrote it or a later one",
        path.display()
    )]
    NewerFormat {
        path: PathBuf,
        found: u32,
        supported: u32,
    },
}

impl DataDirectoryError {
    pub(crate) fn unusable(path: &Path, source: io::Error) -> Self {
        Self::Unusable {
            path: path.to_owned(),
            source: Arc::new(source),
        }
    }
}
