use thiserror::Error;

use crate::decode::Format;

/// The reason that bytes did not become a picture. The client is shown the text.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum Error {
    /// There are more bytes than [`crate::Limits::bytes_max`].
    #[error("the picture has {received} bytes, which exceeds the maximum of {maximum}")]
    TooManyBytes { received: usize, maximum: usize },
    /// The header claims more pixels than [`crate::Limits::pixels_max`].
    #[error(
        "the picture has {width} x {height} pixels, which exceeds the maximum of {maximum} pixels"
    )]
    TooManyPixels {
        width: u32,
        height: u32,
        maximum: u64,
    },
    /// The first bytes are those of no format that is read.
    #[error("the bytes are no picture: expected JPEG, PNG, GIF, WebP, BMP or TIFF")]
    UnknownFormat,
    /// The format is read, but not this kind of it.
    #[error("{format} pictures with {feature} are not supported")]
    Unsupported { format: Format, feature: String },
    /// The bytes end before the picture does.
    #[error("the {format} picture is truncated")]
    Truncated { format: Format },
    /// The bytes contradict their format.
    #[error("the {format} picture is damaged: {reason}")]
    Damaged { format: Format, reason: String },
    /// Made as wide as the model takes it, the picture would be too long, or the reverse.
    #[error(
        "the picture has {width} x {height} pixels: one side is too long for the other to be resized to {side}"
    )]
    TooNarrow { width: u32, height: u32, side: u32 },
    /// The sound has no frame that could be heard.
    #[error("the sound has {samples} samples at 16 kHz, and at least {minimum} are needed")]
    SoundTooShort { samples: usize, minimum: usize },
    /// There is nothing beside the overlap.
    #[error(
        "it is {seconds:.1} seconds long, and must be longer than the splitOverlap of {overlap} seconds"
    )]
    NoPiece { seconds: f64, overlap: f64 },
    /// A field would have more chunks than a field may.
    #[error(
        "it has {received:.0} pieces, which exceeds the maximum of {maximum}. Raise the splitLength"
    )]
    TooManyPieces { received: f64, maximum: usize },
    /// A graph that finds patches says something else than its kind does.
    #[error("the model that finds patches gave {received}, expected {expected}")]
    DetectorOutput { expected: String, received: String },
}

pub type Result<T> = std::result::Result<T, Error>;
