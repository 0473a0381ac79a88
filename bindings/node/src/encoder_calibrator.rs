//! The making of a calibration for int8: `class EncoderCalibrator`.

use std::path::Path;

use napi::Env;
use napi_derive::napi;
use pelorus_encoder::{Calibrator, Pooling, Texts};

use crate::bytes::RawValue;
use crate::error::{CodedError, answer};
use crate::pool::Lane;
use crate::promise;

/// An encoder of token ids in f32 that looks at the values its products are given, for one thread.
#[napi]
pub struct EncoderCalibrator {
    calibrator: Calibrator,
}

#[napi]
impl EncoderCalibrator {
    /// Loads the encoder in an ONNX file. Rejects with `invalid_argument` where it is none that is known here.
    #[napi(catch_unwind, ts_return_type = "Promise<EncoderCalibrator>")]
    pub fn open(env: &Env, path: String) -> napi::Result<RawValue> {
        promise::run(env, Lane::Interactive, move || {
            let calibrator = Calibrator::open(Path::new(&path))?;
            Ok(EncoderCalibrator { calibrator })
        })
    }

    /// Looks at some texts, one after the other, in the calling thread. Throws `invalid_argument` when one of them cannot be
    /// taken.
    #[napi(catch_unwind)]
    pub fn add(&mut self, env: &Env, ids: &[i32], lengths: &[u32]) -> napi::Result<()> {
        answer(env, || {
            // All tokens go through the same products, whatever becomes of them.
            self.calibrator
                .add(Texts { ids, lengths }, Pooling::Mean)
                .map_err(|error| CodedError::invalid_argument(error.to_string()))?;
            Ok(())
        })
    }

    /// The file of the calibration by the texts so far, as text. Throws `bad_request` when there were none, or a value was no
    /// number.
    #[napi(catch_unwind)]
    pub fn calibration(&self, env: &Env) -> napi::Result<String> {
        answer(env, || {
            let bytes = self.calibrator.calibration()?.to_bytes()?;
            String::from_utf8(bytes).map_err(|error| CodedError::internal(error.to_string()))
        })
    }
}
