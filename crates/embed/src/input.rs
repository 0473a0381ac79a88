use serde::Deserialize;

/// The kind of a picture, film or sound; read as its [name](Self::name).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Medium {
    Image,
    Video,
    Audio,
}

impl Medium {
    /// `image`, `video` or `audio`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Image => "image",
            Self::Video => "video",
            Self::Audio => "audio",
        }
    }
}

/// An input of which a vector can be computed.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum EncoderInput {
    /// A text with its prefix.
    Text(String),
    /// A chunk of a text, which may have vectors for parts of it where a model does not read all of it.
    Chunk(ChunkInput),
    /// A medium that lies somewhere else, and has to be fetched.
    Media(MediaInput),
}

/// A chunk of a text.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ChunkInput {
    /// The chunk with its prefix.
    pub text: String,
    /// Bytes of the prefix, which each part begins with.
    pub prefix_bytes: usize,
}

impl ChunkInput {
    /// A chunk with a prefix before it.
    pub fn new(prefix: &str, chunk: &str) -> Self {
        Self {
            text: format!("{prefix}{chunk}"),
            prefix_bytes: prefix.len(),
        }
    }
}

/// A pointer to a picture, film or sound.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct MediaInput {
    /// A URL, or a data URI.
    pub pointer: String,
    /// The medium that it points to; `None` where only the bytes can tell.
    pub medium: Option<Medium>,
    /// The text that is embedded where the bytes turn out to be none of the media: the pointer itself with the prefix
    /// of texts. `None` where that is a failure.
    pub text: Option<String>,
    /// Tells whether a picture may be taken apart into patches with vectors of their own.
    pub patches: bool,
}
