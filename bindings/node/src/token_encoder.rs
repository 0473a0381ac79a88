//! A text encoder of our own: `class TokenEncoder`. Its weights are in memory once, whatever number of threads opened it.

use std::path::Path;
use std::sync::Arc;

use napi::Env;
use napi_derive::napi;
use pelorus_encoder::{Pooling, Precision, Scratch, TextEncoder, Texts};

use crate::bytes::{Floats, RawValue};
use crate::error::{CodedError, answer};
use crate::pool::Lane;
use crate::promise;

/// The way to make one vector of one per token: their mean, or the first.
#[napi(string_enum = "lowercase")]
pub enum TokenPooling {
    Mean,
    Cls,
}

/// An encoder of token ids, for one thread at a time.
#[napi]
pub struct TokenEncoder {
    encoder: Option<Arc<TextEncoder>>,
    scratch: Scratch,
}

#[napi]
impl TokenEncoder {
    /// Tells why the graph of an ONNX file is none that is known here; null where it is. Loads no weights.
    #[napi(catch_unwind, ts_return_type = "Promise<string | null>")]
    pub fn refusal(env: &Env, path: String) -> napi::Result<RawValue> {
        promise::run(env, Lane::Interactive, move || {
            let checked = pelorus_encoder::check(Path::new(&path));
            Ok(checked.err().map(|refusal| refusal.to_string()))
        })
    }

    /// Loads the encoder in an ONNX file. Rejects with `invalid_argument` where it is none that is known here.
    #[napi(catch_unwind, ts_return_type = "Promise<TokenEncoder>")]
    pub fn open(env: &Env, path: String) -> napi::Result<RawValue> {
        promise::run(env, Lane::Interactive, move || {
            let encoder = pelorus_encoder::open(Path::new(&path), Precision::default())
                .map_err(|refusal| CodedError::invalid_argument(refusal.to_string()))?;
            Ok(TokenEncoder {
                encoder: Some(encoder),
                scratch: Scratch::default(),
            })
        })
    }

    /// Components of a vector.
    #[napi(getter, catch_unwind)]
    pub fn dimensions(&self) -> u32 {
        // Refused where there are more than some thousand.
        self.encoder
            .as_ref()
            .map_or(0, |encoder| encoder.dimensions() as u32)
    }

    /// The vector of each text, `[texts, dimensions]`, as the graph makes it: computed at once, by the calling thread. `ids`
    /// are those of one text after the other. Throws `invalid_argument` when one of them cannot be taken.
    #[napi(catch_unwind, ts_return_type = "Float32Array<ArrayBuffer>")]
    pub fn encode(
        &mut self,
        env: &Env,
        ids: &[i32],
        lengths: &[u32],
        pooling: TokenPooling,
    ) -> napi::Result<RawValue> {
        let vectors = answer(env, || {
            let closed = || CodedError::internal("the encoder is closed");
            let encoder = self.encoder.as_ref().ok_or_else(closed)?;
            let pooling = match pooling {
                TokenPooling::Mean => Pooling::Mean,
                TokenPooling::Cls => Pooling::Cls,
            };
            encoder
                .encode(Texts { ids, lengths }, pooling, &mut self.scratch)
                .map_err(|error| CodedError::invalid_argument(error.to_string()))
        })?;
        RawValue::of(env, Floats(vectors))
    }

    /// Gives its memory back; that of the weights when nobody else has them open.
    #[napi(catch_unwind)]
    pub fn close(&mut self) {
        self.encoder = None;
        self.scratch = Scratch::default();
    }
}
