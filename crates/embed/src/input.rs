/// What a vector can be computed of. Images, videos and sounds become further variants.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum EncoderInput {
    /// A text with its prefix.
    Text(String),
}
