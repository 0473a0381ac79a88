use crate::error::EngineError;

/// The reason that an index refuses a write, for now or for good.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum WriteError {
    /// An earlier write failed, and the content of the disk is not known yet.
    #[error(
        "Index {index} takes no writes for now: {source}. It is tried again by itself; what was acknowledged is safe"
    )]
    Suspended {
        index: String,
        source: Box<EngineError>,
    },
    #[error(
        "Index {index} takes no writes while what is derived from its documents is made anew: send this again in a moment"
    )]
    Rebuilding { index: String },
    /// The queues of all indexes are full.
    #[error(
        "{queued} bytes of documents wait to be written, and at most {bytes_max} may: send this again in a moment"
    )]
    QueueFull { queued: usize, bytes_max: usize },
    /// In bytes.
    #[error(
        "The disk has {available} bytes left. This write may take up to {needed}, and {reserve} are kept free, with which what is under way is finished and documents can still be deleted: delete documents or indexes, or make room on the disk"
    )]
    NoRoom {
        available: u64,
        needed: u64,
        reserve: u64,
    },
    /// The caller is bound to a filter, and the index is on a cluster.
    #[error(
        "A key with a filter writes nothing to an index on a cluster: use a key without one, or an index of the data folder"
    )]
    WithinElsewhere,
    #[error("the index has used up its document numbers")]
    OrdinalsUsedUp,
    #[error("the store holds less than it has acknowledged")]
    LostCommits,
    #[error("the index is closed")]
    Closed,
}
