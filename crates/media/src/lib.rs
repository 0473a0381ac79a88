//! Pictures, from the bytes of a file to the tensor that a vision tower takes, pixel for pixel as Pillow and the
//! transforms of torchvision and open_clip make it: a model was trained on those pixels, and others move its vectors.
//!
//! The path of a picture, and where its steps are:
//!
//! 1. [`decode`](decode()): the format is told by the first bytes, the header is held against [`Limits`], and the first
//!    frame becomes a [`Picture`] in the [`Mode`] that Pillow would give it. `decode/` has a file for each format.
//! 2. [`simple_patches`]: where a picture gets several vectors, its parts (`patches.rs`), which a detector may find:
//!    [`Detector`] (`detect/`) has the inputs and outputs of its graph, and runs none.
//! 3. [`Preprocessing::tensor`] (`preprocess.rs`) puts the rest in order: [`Picture::resize_window`] (`resize/`, Pillow's
//!    fixed-point convolution), a window in the centre (`crop.rs`), RGB (`rgb.rs`), and planar `f32` (`tensor.rs`).
//!    Modes become RGB only after they are resized, which is what Pillow's users get too.
//!
//! The original libraries differ from many others: EXIF orientation is ignored, but of TIFF; alpha is dropped, not laid
//! on a ground; palettes and black and white are resized by nearest neighbour; 16 bits of grey are clipped.
//!
//! Films and sounds come here decoded, as frames and samples, and become the tensors of LanguageBind's towers: [`film_frame`]
//! (`film.rs`) as PyTorch interpolates, [`sound_tensor`] (`sound.rs`) by Kaldi's filter bank (`filter_bank.rs`).
//! How they are taken apart is told by `pieces.rs`.
//!
//! `medium.rs` tells bytes apart, as a picture, film or sound, and `part_label.rs` has the label that is shown for a
//! part.
//!
//! AVIF is not read: its decoders are C, or bring a licence that `.cargo/deny.toml` does not admit.
//!
//! Bytes are hostile. No size is believed before it is held against the limits, a truncated or damaged file is an
//! [`Error`] that says so, and nothing panics, whatever the bytes. `tests/pillow.rs` compares with Pillow itself,
//! `tests/tensors.rs` with Kaldi's filter bank and PyTorch's arithmetic; `tests/hostile.rs` mutates and truncates.
#![forbid(unsafe_code)]

mod alpha;
mod crop;
mod decode;
mod detect;
mod error;
mod film;
mod filter_bank;
mod limits;
mod medium;
mod orientation;
mod part_label;
mod patches;
mod picture;
mod pieces;
mod preprocess;
mod resize;
mod rgb;
mod sound;
mod tensor;

pub use crop::Window;
pub use decode::{Format, decode};
pub use detect::{
    AttentionMaps, Detection, Detector, GraphOutput, attention_detections, select,
    yolox_detections, yolox_tensor,
};
pub use error::{Error, Result};
pub use film::{FILM_FRAMES, FILM_SIDE, film_frame};
pub use filter_bank::SAMPLE_RATE;
pub use limits::Limits;
pub use medium::medium_of;
pub use part_label::part_label;
pub use patches::{Patch, detected_patches, simple_patches, squared};
pub use picture::{Mode, Picture, Size};
pub use pieces::{Piece, PieceLengths, pieces};
pub use preprocess::{Preprocessing, Resampling, Sizing};
pub use resize::Filter;
pub use sound::{SOUND_SHAPE, sound_tensor};
pub use tensor::Tensor;
