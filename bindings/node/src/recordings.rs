//! Films and sounds: the pieces they are taken apart into (`recordingPieces`), and the tensors of a decoded one
//! (`filmFrame`, `soundTensor`).

use napi::Env;
use napi_derive::napi;
use pelorus_media::{FILM_SIDE, PieceLengths, SOUND_SHAPE, Size};

use crate::bytes::{Floats, RawValue};
use crate::error::{CodedError, answer};

/// A part of a film or sound, in seconds from its start.
#[napi(object, object_from_js = false)]
pub struct RecordingPiece {
    pub start: f64,
    pub end: f64,
    /// Start and end as they are stored and shown, `[0.0, 20.0]`.
    pub label: String,
}

/// A tensor of one piece of a film or sound.
#[napi(object, object_from_js = false)]
pub struct RecordingTensor {
    /// Row-major.
    #[napi(ts_type = "Float32Array<ArrayBuffer>")]
    pub values: Floats,
    pub shape: Vec<u32>,
}

/// The pieces of a film or sound of `duration` seconds, each `splitLength` seconds long and sharing `splitOverlap` with the
/// one before it. Throws `invalid_argument` when there is no piece or more than `countMax`.
#[napi(catch_unwind)]
pub fn recording_pieces(
    env: &Env,
    duration: f64,
    split_length: f64,
    split_overlap: f64,
    count_max: u32,
) -> napi::Result<Vec<RecordingPiece>> {
    answer(env, || {
        let lengths = PieceLengths {
            length: split_length,
            overlap: split_overlap,
        };
        let pieces = pelorus_media::pieces(duration, lengths, count_max as usize)
            .map_err(|error| CodedError::invalid_argument(error.to_string()))?;
        Ok(pieces.iter().map(RecordingPiece::from).collect())
    })
}

/// One frame of a film, `[3, 224, 224]`, of RGB bytes `[height, width, 3]`. It computes for milliseconds on the thread that
/// calls. Throws `invalid_argument` when the bytes do not fill the frame, or one side is too long for the other.
#[napi(catch_unwind, ts_return_type = "RecordingTensor")]
pub fn film_frame(env: &Env, rgb: &[u8], width: u32, height: u32) -> napi::Result<RawValue> {
    let values = answer(env, || {
        let expected = u64::from(width) * u64::from(height) * 3;
        if expected == 0 || rgb.len() as u64 != expected {
            return Err(CodedError::invalid_argument(format!(
                "expected the {expected} bytes of {width} x {height} pixels, received {}",
                rgb.len()
            )));
        }
        pelorus_media::film_frame(rgb, Size::new(width, height))
            .map_err(|error| CodedError::invalid_argument(error.to_string()))
    })?;
    let tensor = RecordingTensor {
        values: Floats(values),
        shape: vec![3, FILM_SIDE, FILM_SIDE],
    };
    RawValue::of(env, tensor)
}

/// A sound, `[3, 112, 1036]`, of its samples from -1 to 1, mono, 16,000 in a second. It computes for tens of milliseconds on
/// the thread that calls. Throws `invalid_argument` for less than 400 samples.
#[napi(catch_unwind, ts_return_type = "RecordingTensor")]
pub fn sound_tensor(env: &Env, samples: &[f32]) -> napi::Result<RawValue> {
    let values = answer(env, || {
        pelorus_media::sound_tensor(samples)
            .map_err(|error| CodedError::invalid_argument(error.to_string()))
    })?;
    let tensor = RecordingTensor {
        values: Floats(values),
        shape: SOUND_SHAPE.map(|size| size as u32).to_vec(),
    };
    RawValue::of(env, tensor)
}

impl From<&pelorus_media::Piece> for RecordingPiece {
    fn from(piece: &pelorus_media::Piece) -> Self {
        RecordingPiece {
            start: piece.start,
            end: piece.end,
            label: piece.label(),
        }
    }
}
