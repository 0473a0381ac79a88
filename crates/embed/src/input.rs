/// What a picture, film or sound is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
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

/// What a vector can be computed of.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum EncoderInput {
    /// A text with its prefix.
    Text(String),
    /// What lies somewhere else, and has to be fetched.
    Media(MediaInput),
}

/// A pointer to a picture, film or sound.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct MediaInput {
    /// A URL, or a data URI.
    pub pointer: String,
    /// What it points to; `None` where only the bytes can tell.
    pub medium: Option<Medium>,
    /// What is embedded where the bytes turn out to be none of the media: the pointer itself with the prefix of texts.
    /// `None` where that is a failure.
    pub text: Option<String>,
    /// Whether a picture may be taken apart into patches with vectors of their own.
    pub patches: bool,
}
