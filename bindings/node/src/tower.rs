//! A tower of a joint model, for texts or for pictures: `class Tower`. Its weights are in memory once, whatever number of
//! threads opened it.

use std::path::Path;
use std::sync::Arc;

use napi::Env;
use napi_derive::napi;
use pelorus_encoder::{Precision, Texts, TowerInput, TowerScratch};

use crate::bytes::{Floats, RawValue};
use crate::error::{CodedError, answer};
use crate::pool::Lane;
use crate::promise;
use crate::token_encoder::TokenPrecision;

/// A tower, for one thread at a time.
#[napi]
pub struct Tower {
    tower: Option<Arc<pelorus_encoder::Tower>>,
    precision: Precision,
    scratch: TowerScratch,
}

#[napi]
impl Tower {
    /// Tells why the graph of an ONNX file is no tower that is known here; null where it is one. Loads no weights. `shape` is
    /// that of an input: the tokens of a text, or the channels, rows and columns of a picture.
    #[napi(catch_unwind, ts_return_type = "Promise<string | null>")]
    pub fn refusal(env: &Env, path: String, shape: Vec<u32>) -> napi::Result<RawValue> {
        promise::run(env, Lane::Interactive, move || {
            let checked = pelorus_encoder::check_tower(Path::new(&path), input(&shape, 0)?);
            Ok(checked.err().map(|refusal| refusal.to_string()))
        })
    }

    /// Loads the tower in an ONNX file, its weights in a precision. Texts are filled up with the id `padding`. Rejects with
    /// `invalid_argument` where it is none that is known here.
    #[napi(catch_unwind, ts_return_type = "Promise<Tower>")]
    pub fn open(
        env: &Env,
        path: String,
        shape: Vec<u32>,
        padding: i32,
        precision: TokenPrecision,
    ) -> napi::Result<RawValue> {
        let precision = Precision::from(precision);
        promise::run(env, Lane::Interactive, move || {
            let input = input(&shape, padding)?;
            let tower = pelorus_encoder::open_tower(Path::new(&path), input, precision)?;
            Ok(Tower {
                tower: Some(tower),
                precision,
                scratch: TowerScratch::default(),
            })
        })
    }

    /// The processor has instructions for its precision: without, it is slower than in f32.
    #[napi(getter, catch_unwind)]
    pub fn is_native(&self) -> bool {
        self.precision.is_native()
    }

    /// Components of a vector.
    #[napi(getter, catch_unwind)]
    pub fn dimensions(&self) -> u32 {
        let dimensions = self.tower.as_ref().map_or(0, |tower| tower.dimensions());
        u32::try_from(dimensions).unwrap_or(u32::MAX)
    }

    /// The vector of each text, `[texts, dimensions]`, as the graph makes it: computed at once, by the calling thread. `ids`
    /// are those of one text after the other. Throws `invalid_argument` when one of them cannot be taken.
    #[napi(catch_unwind, ts_return_type = "Float32Array<ArrayBuffer>")]
    pub fn encode_texts(
        &mut self,
        env: &Env,
        ids: &[i32],
        lengths: &[u32],
    ) -> napi::Result<RawValue> {
        let vectors = answer(env, || {
            let tower = self.tower.as_ref().ok_or_else(closed)?;
            tower
                .encode_texts(Texts { ids, lengths }, &mut self.scratch)
                .map_err(|error| CodedError::invalid_argument(error.to_string()))
        })?;
        RawValue::of(env, Floats(vectors))
    }

    /// The vector of each picture, `[pictures, dimensions]`, as `encodeTexts` has those of texts.
    #[napi(catch_unwind, ts_return_type = "Float32Array<ArrayBuffer>")]
    pub fn encode_pictures(&mut self, env: &Env, values: &[f32]) -> napi::Result<RawValue> {
        let vectors = answer(env, || {
            let tower = self.tower.as_ref().ok_or_else(closed)?;
            tower
                .encode_pictures(values, &mut self.scratch)
                .map_err(|error| CodedError::invalid_argument(error.to_string()))
        })?;
        RawValue::of(env, Floats(vectors))
    }

    /// Gives its memory back; that of the weights when nobody else has them open.
    #[napi(catch_unwind)]
    pub fn close(&mut self) {
        self.tower = None;
        self.scratch = TowerScratch::default();
    }
}

fn closed() -> CodedError {
    CodedError::internal("the tower is closed")
}

fn input(shape: &[u32], padding: i32) -> Result<TowerInput, CodedError> {
    match *shape {
        [tokens] => Ok(TowerInput::Text {
            tokens: tokens as usize,
            padding,
        }),
        [channels, height, width] => Ok(TowerInput::Picture {
            channels: channels as usize,
            height: height as usize,
            width: width as usize,
        }),
        _ => Err(CodedError::invalid_argument(
            "towers take inputs of one axis or of three",
        )),
    }
}
