/// The reason that an index cannot be made of the pieces of a backup.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum RestoreError {
    #[error("A piece of the backup is none of an index, or is cut off")]
    Unreadable,
    #[error("The pieces of the backup do not follow each other: one is missing or another's")]
    Order,
    #[error(
        "The backup has {expected} documents of the index by its own account, and pieces of {received}"
    )]
    Incomplete { expected: u64, received: u64 },
    #[error(
        "The backup was made by a later version of Pelorus: its pieces have format {received}, and this version reads 1"
    )]
    Newer { received: u8 },
}
