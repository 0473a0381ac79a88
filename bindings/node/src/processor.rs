//! The processor, as far as the choice of an encoder depends on it.

use napi_derive::napi;
use pelorus_encoder::Processor;

/// The kernels that encoders have on this processor.
#[napi(object)]
pub struct EncoderProcessor {
    /// Name of their table: `avx2`, `avx512` or another.
    pub kernels: String,
    /// Texts in f32 take no more time with them than on ONNX Runtime.
    pub is_fast: bool,
    /// Pictures in f32 take less time with them than on ONNX Runtime.
    pub is_fast_at_pictures: bool,
}

/// Tells which kernels encoders have here.
#[napi(catch_unwind)]
pub fn encoder_processor() -> EncoderProcessor {
    let Processor {
        kernels,
        is_fast,
        is_fast_at_pictures,
    } = Processor::here();
    EncoderProcessor {
        kernels: kernels.to_owned(),
        is_fast,
        is_fast_at_pictures,
    }
}
