//! Pictures, films and sounds: what bytes are (`mediumOf`), and pictures on their way to a model (`preparePicture`).

use napi::Env;
use napi_derive::napi;
use pelorus_media::{Filter, Limits, Patch, Preprocessing, Resampling, Sizing};

use crate::bytes::{Floats, RawValue};
use crate::error::{CodedError, answer};
use crate::inputs::Medium;

/// The way to make the pixels of a resized picture: Pillow's `bicubic` or `bilinear` filter over bytes, or bicubic
/// interpolation of floats without antialiasing, as PyTorch's `interpolate` does it, `tensor`.
#[napi(string_enum = "lowercase")]
pub enum Interpolation {
    Bicubic,
    Bilinear,
    Tensor,
}

/// The size before the centre is cut out: the `shortest` edge becomes the model's, or both do, `squash`.
#[napi(string_enum = "lowercase")]
pub enum Resize {
    Shortest,
    Squash,
}

/// The steps from a picture to the tensor of a vision tower: `(x / 255 - mean) / std` of each
/// channel.
#[napi(object, object_to_js = false)]
pub struct PicturePreparation {
    /// Pixels of each edge, from 1 to 4096.
    pub size: u32,
    #[napi(ts_type = "readonly [red: number, green: number, blue: number]")]
    pub mean: Vec<f64>,
    #[napi(ts_type = "readonly [red: number, green: number, blue: number]")]
    pub std: Vec<f64>,
    pub interpolation: Interpolation,
    pub resize: Resize,
}

/// The bounds of a picture.
#[napi(object, object_to_js = false)]
pub struct PictureLimits {
    /// Bytes of the file.
    pub bytes_max: f64,
    /// Width times height.
    pub pixels_max: f64,
}

/// A picture, or its patches, as a vision tower takes them.
#[napi(object, object_from_js = false)]
pub struct PreparedPicture {
    /// `[tensors, ...shape]`, row-major.
    #[napi(ts_type = "Float32Array<ArrayBuffer>")]
    pub values: Floats,
    /// Shape of one tensor, `[3, size, size]`.
    pub shape: Vec<u32>,
    /// The box of each patch, `[left, top, right, bottom]` in pixels of the picture, as text; none for a whole picture.
    pub boxes: Vec<String>,
}

/// The most pixels of an edge of a tensor: ten times what models take.
const SIZE_MAX: u32 = 4096;

/// The kind of a file, by its first few hundred bytes: null for one that is neither picture, film nor sound.
#[napi(catch_unwind)]
pub fn medium_of(bytes: &[u8]) -> Option<Medium> {
    pelorus_media::medium_of(bytes).map(Into::into)
}

/// The target of a text by its looks.
#[napi(string_enum = "lowercase")]
pub enum Pointed {
    /// A text that stands for itself.
    Text,
    Image,
    Video,
    Audio,
    /// A URL of which only its bytes can tell.
    Unknown,
}

/// Returns the target of a text: a data URI, or a URL by the extension of its path. Nothing is
/// fetched.
#[napi(catch_unwind)]
pub fn pointed_to(text: String) -> Pointed {
    match pelorus_embed::pointed_to(&text) {
        pelorus_embed::Pointed::Text => Pointed::Text,
        pelorus_embed::Pointed::Unknown => Pointed::Unknown,
        pelorus_embed::Pointed::Medium(medium) => match medium {
            pelorus_embed::Medium::Image => Pointed::Image,
            pelorus_embed::Medium::Video => Pointed::Video,
            pelorus_embed::Medium::Audio => Pointed::Audio,
        },
    }
}

/// Returns a pointer without the blanks, quotes, brackets and markup around it.
#[napi(catch_unwind)]
pub fn bare_pointer(text: String) -> String {
    pelorus_embed::bare(&text).to_owned()
}

/// Returns the reason for which a bare pointer is not fetched as it stands; null for a plain address.
#[napi(catch_unwind)]
pub fn pointer_fault(pointer: String) -> Option<String> {
    pelorus_embed::fault_of(&pointer)
}

/// Decodes a picture and prepares it, whole or as the patches of the method `simple`. It computes for milliseconds to
/// seconds on the thread that calls. Throws `too_many_pixels` before it takes memory for them, and `invalid_argument` with
/// whatever else is wrong with the picture.
#[napi(catch_unwind, ts_return_type = "PreparedPicture")]
pub fn prepare_picture(
    env: &Env,
    bytes: &[u8],
    preparation: PicturePreparation,
    #[napi(ts_arg_type = "'simple' | null")] patch_method: Option<String>,
    limits: PictureLimits,
) -> napi::Result<RawValue> {
    let prepared = answer(env, || {
        let preprocessing = preparation.checked()?;
        match patch_method.as_deref() {
            None | Some("simple") => {}
            Some(other) => {
                return Err(CodedError::invalid_argument(format!(
                    "expected the patch method simple, received {other}"
                )));
            }
        }
        prepare(
            bytes,
            &preprocessing,
            patch_method.is_some(),
            &limits.into(),
        )
        .map_err(|error| CodedError::new(code_of(&error), error.to_string()))
    })?;
    RawValue::of(env, prepared)
}

/// Apart from others, since there may be a moment with room for more.
pub(crate) fn code_of(error: &pelorus_media::Error) -> &'static str {
    match error {
        pelorus_media::Error::TooManyPixels { .. } => "too_many_pixels",
        _ => "invalid_argument",
    }
}

fn prepare(
    bytes: &[u8],
    preprocessing: &Preprocessing,
    patched: bool,
    limits: &Limits,
) -> pelorus_media::Result<PreparedPicture> {
    let picture = pelorus_media::decode(bytes, limits)?;
    if !patched {
        let shape = vec![3, preprocessing.side, preprocessing.side];
        let values = Floats(preprocessing.tensor(&picture)?.values);
        let boxes = Vec::new();
        return Ok(PreparedPicture {
            values,
            shape,
            boxes,
        });
    }
    prepared_patches(&pelorus_media::simple_patches(&picture), preprocessing)
}

/// The tensors of some patches, and where these are.
pub(crate) fn prepared_patches(
    patches: &[Patch],
    preprocessing: &Preprocessing,
) -> pelorus_media::Result<PreparedPicture> {
    let (mut values, mut boxes) = (Vec::new(), Vec::new());
    for patch in patches {
        values.extend(preprocessing.tensor(&patch.picture)?.values);
        boxes.push(pelorus_media::part_label(&patch.bounds));
    }
    Ok(PreparedPicture {
        values: Floats(values),
        shape: vec![3, preprocessing.side, preprocessing.side],
        boxes,
    })
}

impl PicturePreparation {
    pub(crate) fn checked(self) -> Result<Preprocessing, CodedError> {
        if !(1..=SIZE_MAX).contains(&self.size) {
            return Err(CodedError::invalid_argument(format!(
                "expected a size from 1 to {SIZE_MAX}, received {}",
                self.size
            )));
        }
        Ok(Preprocessing {
            side: self.size,
            sizing: match self.resize {
                Resize::Shortest => Sizing::Shortest,
                Resize::Squash => Sizing::Squash,
            },
            resampling: match self.interpolation {
                Interpolation::Bicubic => Resampling::Pillow(Filter::Bicubic),
                Interpolation::Bilinear => Resampling::Pillow(Filter::Bilinear),
                Interpolation::Tensor => Resampling::Tensor,
            },
            mean: channels(&self.mean)?,
            std: channels(&self.std)?,
        })
    }
}

fn channels(values: &[f64]) -> Result<[f32; 3], CodedError> {
    match *values {
        [red, green, blue] => Ok([red, green, blue].map(|value| value as f32)),
        _ => Err(CodedError::invalid_argument(format!(
            "expected a number for each of 3 channels, received {}",
            values.len()
        ))),
    }
}

impl From<PictureLimits> for Limits {
    fn from(limits: PictureLimits) -> Self {
        // Numbers beyond the range of a type are its largest.
        Limits {
            bytes_max: limits.bytes_max as usize,
            pixels_max: limits.pixels_max as u64,
        }
    }
}
