//! A text encoder of our own: `class TokenEncoder`. Its weights are in memory once, however often it is opened.

use std::path::Path;
use std::sync::Arc;

use napi::Env;
use napi_derive::napi;
use pelorus_cuda::{Cuda, Device, DeviceError, Element};
use pelorus_encoder::{CallEncoder, DeviceEncoder, DeviceRefusal, Precision, Refusal};

use crate::bytes::RawValue;
use crate::error::CodedError;
use crate::pool::Lane;
use crate::promise;

/// The numbers that an encoder multiplies in.
#[napi(string_enum = "lowercase")]
pub enum TokenPrecision {
    F32,
    Bf16,
    Int8,
}

impl From<TokenPrecision> for Precision {
    fn from(precision: TokenPrecision) -> Self {
        match precision {
            TokenPrecision::F32 => Self::F32,
            TokenPrecision::Bf16 => Self::Bf16,
            TokenPrecision::Int8 => Self::Int8,
        }
    }
}

impl From<Refusal> for CodedError {
    fn from(refusal: Refusal) -> Self {
        let code = match refusal {
            Refusal::Uncalibrated | Refusal::Calibration { .. } => "bad_request",
            _ => "invalid_argument",
        };
        Self::new(code, refusal.to_string())
    }
}

/// A device may have room or be there again later, or have its libraries installed; a model that it cannot take stays one.
impl From<DeviceRefusal> for CodedError {
    fn from(refusal: DeviceRefusal) -> Self {
        let passes = match &refusal {
            DeviceRefusal::Device(DeviceError::Size(_)) => false,
            DeviceRefusal::Device(_) => true,
            DeviceRefusal::Model(_) | DeviceRefusal::Vectors { .. } => false,
        };
        let code = if passes {
            "service_unavailable"
        } else {
            "invalid_argument"
        };
        Self::new(code, refusal.to_string())
    }
}

/// The numbers that an encoder on a device multiplies in.
#[napi(string_enum = "lowercase")]
pub enum DevicePrecision {
    F16,
    Bf16,
}

/// An encoder of token ids, which `EncoderThreads` run.
#[napi]
pub struct TokenEncoder {
    encoder: Option<CallEncoder>,
    precision: Precision,
}

impl TokenEncoder {
    pub(crate) fn shared(&self) -> Result<CallEncoder, CodedError> {
        let encoder = self.encoder.clone();
        encoder.ok_or_else(|| CodedError::internal("the encoder is closed"))
    }
}

#[napi]
impl TokenEncoder {
    /// Tells why the model of an ONNX file, or of a file of safetensors with `config.json` beside it, is none that is known
    /// here; null where it is. Loads no weights.
    #[napi(catch_unwind, ts_return_type = "Promise<string | null>")]
    pub fn refusal(env: &Env, path: String) -> napi::Result<RawValue> {
        promise::run(env, Lane::Interactive, move || {
            let checked = pelorus_encoder::check(Path::new(&path));
            Ok(checked.err().map(|refusal| refusal.to_string()))
        })
    }

    /// Tells why weights in safetensors with this `config.json` would be of a model that is not known here; null where they
    /// would not.
    #[napi(catch_unwind)]
    pub fn config_refusal(config: String) -> Option<String> {
        let checked = pelorus_encoder::check_config(config.as_bytes());
        checked.err().map(|refusal| refusal.to_string())
    }

    /// Loads the encoder in an ONNX file or in a file of safetensors, its weights in a precision, which is not int8: `openInt8`
    /// does that. Rejects with `invalid_argument` where it is none that is known here.
    #[napi(catch_unwind, ts_return_type = "Promise<TokenEncoder>")]
    pub fn open(env: &Env, path: String, precision: TokenPrecision) -> napi::Result<RawValue> {
        let precision = Precision::from(precision);
        promise::run(env, Lane::Interactive, move || {
            let encoder = pelorus_encoder::open(Path::new(&path), precision)?;
            Ok(TokenEncoder {
                encoder: Some(encoder.into()),
                precision,
            })
        })
    }

    /// Loads the encoder in an ONNX file, its weights in int8, scaled by the calibration in another file. Rejects as `open`
    /// does, and with `bad_request` where the calibration is not there, is damaged or was made for other weights.
    #[napi(catch_unwind, ts_return_type = "Promise<TokenEncoder>")]
    pub fn open_int8(env: &Env, path: String, calibration: String) -> napi::Result<RawValue> {
        promise::run(env, Lane::Interactive, move || {
            let encoder = pelorus_encoder::open_int8(Path::new(&path), Path::new(&calibration))?;
            Ok(TokenEncoder {
                encoder: Some(encoder.into()),
                precision: Precision::Int8,
            })
        })
    }

    /// Loads the encoder in an ONNX file in f32, brings it to a device of NVIDIA, and compares vectors of both. The device
    /// computes texts; the processor does where the device has no room or is lost. Compiled kernels are kept in `kernels`. Rejects
    /// with `invalid_argument` where it is none that is known here or that the device computes rightly, and with
    /// `service_unavailable` where the device is not there, has no room or is lost.
    #[napi(catch_unwind, ts_return_type = "Promise<TokenEncoder>")]
    pub fn open_on(
        env: &Env,
        path: String,
        device: u32,
        kernels: String,
    ) -> napi::Result<RawValue> {
        promise::run(env, Lane::Interactive, move || {
            let cuda = Cuda::of_machine()
                .map_err(|absence| CodedError::new("service_unavailable", absence.to_string()))?;
            let device = Device::open(&cuda, device).map_err(DeviceRefusal::from)?;
            let encoder =
                DeviceEncoder::open(Path::new(&path), &device, Some(Path::new(&kernels)))?;
            Ok(TokenEncoder {
                encoder: Some(Arc::new(encoder).into()),
                precision: Precision::F32,
            })
        })
    }

    /// The numbers that it multiplies in on its device; null where it is on none.
    #[napi(getter, catch_unwind)]
    pub fn device_precision(&self) -> Option<DevicePrecision> {
        match self.encoder.as_ref()? {
            CallEncoder::Processor(_) => None,
            CallEncoder::Device(encoder) => Some(match encoder.element() {
                Element::F16 => DevicePrecision::F16,
                Element::Bf16 => DevicePrecision::Bf16,
            }),
        }
    }

    /// The processor has instructions for its precision: without, it is slower than in f32.
    #[napi(getter, catch_unwind)]
    pub fn is_native(&self) -> bool {
        self.precision.is_native()
    }

    /// Components of a vector.
    #[napi(getter, catch_unwind)]
    pub fn dimensions(&self) -> u32 {
        // Refused where there are more than some thousand.
        self.encoder
            .as_ref()
            .map_or(0, |encoder| encoder.on_processor().dimensions() as u32)
    }

    /// Gives the memory of the weights back, when nobody else has them open.
    #[napi(catch_unwind)]
    pub fn close(&mut self) {
        self.encoder = None;
    }
}
