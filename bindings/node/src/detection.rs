//! Parts of pictures that a detector finds: the inputs of its graph (`detectorTensor`), its results (`detections`), and
//! the patches that are cut there (`preparePatches`).

use napi::Env;
use napi::bindgen_prelude::Float32Array;
use napi_derive::napi;
use pelorus_media::{AttentionMaps, Detection, Detector, GraphOutput, Patch, detected_patches};

use crate::bytes::{Floats, RawValue};
use crate::error::{CodedError, answer};
use crate::media::{PictureLimits, PicturePreparation, PreparedPicture, code_of, prepared_patches};

/// A patch method that asks a detector.
#[napi(string_enum)]
pub enum PatchDetector {
    #[napi(value = "frcnn")]
    Frcnn,
    #[napi(value = "marqo-yolo")]
    MarqoYolo,
    #[napi(value = "dino-v1")]
    DinoV1,
    #[napi(value = "dino-v2")]
    DinoV2,
}

impl From<PatchDetector> for Detector {
    fn from(method: PatchDetector) -> Self {
        match method {
            PatchDetector::Frcnn => Detector::FasterRcnn,
            PatchDetector::MarqoYolo => Detector::Yolox,
            PatchDetector::DinoV1 => Detector::Dino(AttentionMaps::Mean),
            PatchDetector::DinoV2 => Detector::Dino(AttentionMaps::EachHead),
        }
    }
}

/// The input of a detector's graph for one picture.
#[napi(object, object_from_js = false)]
pub struct DetectorTensor {
    /// Row-major.
    #[napi(ts_type = "Float32Array<ArrayBuffer>")]
    pub values: Floats,
    /// Channels, height and width.
    pub shape: Vec<u32>,
}

/// An output of a detector's graph.
#[napi(object, object_to_js = false)]
pub struct DetectorOutput {
    /// Row-major.
    pub values: Float32Array,
    #[napi(ts_type = "readonly number[]")]
    pub dims: Vec<u32>,
}

/// Channels, height and width of the input of a detector's graph.
#[napi(catch_unwind)]
pub fn detector_shape(detector: PatchDetector) -> Vec<u32> {
    Detector::from(detector).shape().to_vec()
}

/// Decodes a picture and prepares it for a detector. Computes and throws as `preparePicture` does.
#[napi(catch_unwind, ts_return_type = "DetectorTensor")]
pub fn detector_tensor(
    env: &Env,
    bytes: &[u8],
    detector: PatchDetector,
    limits: PictureLimits,
) -> napi::Result<RawValue> {
    let detector = Detector::from(detector);
    let values = answer(env, || {
        pelorus_media::decode(bytes, &limits.into())
            .and_then(|picture| detector.tensor(&picture))
            .map_err(|error| CodedError::new(code_of(&error), error.to_string()))
    })?;
    let shape = detector.shape().to_vec();
    RawValue::of(
        env,
        DetectorTensor {
            values: Floats(values),
            shape,
        },
    )
}

/// The parts that a detector found in one picture, best first, at most 100: `[parts, 5]`, left, top, right and bottom in
/// pixels of the picture resized to 240 x 240, and the score. Outputs are told by their shapes. Throws `invalid_argument`
/// when they are not those of the detector.
#[napi(catch_unwind, ts_return_type = "Float32Array<ArrayBuffer>")]
pub fn detections(
    env: &Env,
    detector: PatchDetector,
    #[napi(ts_arg_type = "readonly DetectorOutput[]")] outputs: Vec<DetectorOutput>,
) -> napi::Result<RawValue> {
    let found = answer(env, || {
        let outputs: Vec<GraphOutput<'_>> = outputs
            .iter()
            .map(|DetectorOutput { values, dims }| GraphOutput { values, dims })
            .collect();
        Detector::from(detector)
            .detections(&outputs)
            .map_err(|error| CodedError::invalid_argument(error.to_string()))
    })?;
    let rows = found.iter().flat_map(|Detection { bounds, score }| {
        let [left, top, right, bottom] = *bounds;
        [left, top, right, bottom, *score]
    });
    RawValue::of(env, Floats(rows.collect()))
}

/// Decodes a picture and prepares the patches of `detections`, as `detections` gives them: the whole picture, then each of
/// them, of which `count` from `first` on are made. Fewer are made where there are no more. Computes and throws as
/// `preparePicture` does.
#[napi(catch_unwind, ts_return_type = "PreparedPicture")]
pub fn prepare_patches(
    env: &Env,
    bytes: &[u8],
    preparation: PicturePreparation,
    found: &[f32],
    first: u32,
    count: u32,
    limits: PictureLimits,
) -> napi::Result<RawValue> {
    let prepared: PreparedPicture = answer(env, || {
        let preprocessing = preparation.checked()?;
        let found: Vec<Detection> = found
            .as_chunks::<5>()
            .0
            .iter()
            .map(|&[left, top, right, bottom, score]| Detection {
                bounds: [left, top, right, bottom],
                score,
            })
            .collect();
        let made = pelorus_media::decode(bytes, &limits.into()).and_then(|picture| {
            let patches: Vec<Patch> = detected_patches(&picture, &found)
                .into_iter()
                .skip(first as usize)
                .take(count as usize)
                .collect();
            prepared_patches(&patches, &preprocessing)
        });
        made.map_err(|error| CodedError::new(code_of(&error), error.to_string()))
    })?;
    RawValue::of(env, prepared)
}
