//! Models of texts that run on encoders of our own: `class TextModel`. A call crosses once, and its vectors once: texts
//! become tokens, wait, are computed and pooled without the event loop, and any thread of JavaScript may ask.

use std::sync::{Arc, LazyLock};
use std::time::Instant;

use napi::Env;
use napi_derive::napi;
use parking_lot::Mutex;
use pelorus_cuda::DeviceError;
use pelorus_encoder::{
    Call, CallEncoder, CallError, CallLane, EncoderThreads, FailedRow, Pooling, Vectors,
};

use crate::bytes::{ChunkParts, Encoded, Floats, InputFailure, RawValue};
use crate::cancellation::Cancellation;
use crate::encoder_threads;
use crate::error::{CodedError, answer, catch};
use crate::inputs::InputBatch;
use crate::open_values::{OpenValue, OpenValues};
use crate::pool::Lane;
use crate::promise::{self, Pending};
use crate::text::{self, Tokenizer};
use crate::token_encoder::TokenEncoder;

/// The way to make one vector of one per token: their mean, or the first.
#[napi(string_enum = "lowercase")]
pub enum TokenPooling {
    Mean,
    Cls,
}

impl From<TokenPooling> for Pooling {
    fn from(pooling: TokenPooling) -> Self {
        match pooling {
            TokenPooling::Mean => Self::Mean,
            TokenPooling::Cls => Self::Cls,
        }
    }
}

/// The rules of a model for its vectors.
#[napi(object, object_to_js = false)]
pub struct TextModelOptions {
    pub pooling: TokenPooling,
    /// Its vectors have unit length, whatever a call wants.
    pub is_unit_length: bool,
}

/// The vectors that a call wants.
#[napi(object, object_to_js = false)]
pub struct EmbedTextsOptions {
    /// Vectors of unit length.
    pub is_normalized: bool,
    /// They are computed before those of documents.
    pub is_query: bool,
}

/// The vectors of texts in their rows: one for each input, but for those among `parts`.
#[napi(object, object_from_js = false)]
pub struct EmbeddedTexts {
    /// `[rows, dimensions]`, zeros in rows that failed.
    #[napi(ts_type = "Float32Array<ArrayBuffer>")]
    pub vectors: Floats,
    /// Rows without a vector, ascending.
    pub failures: Vec<InputFailure>,
    /// Chunks that have a row for each of their parts, ascending.
    pub parts: Vec<ChunkParts>,
    /// Milliseconds until the texts were tokens.
    pub tokenize_ms: f64,
    /// Milliseconds of waiting and computing after that.
    pub infer_ms: f64,
    /// The fault of the device for which the processor made vectors in its place; absent where there was none.
    pub device_fault: Option<DeviceFault>,
}

/// A fault of a device.
#[napi(object, object_from_js = false)]
pub struct DeviceFault {
    /// Its words, for people.
    pub message: String,
    /// No later call mends it.
    pub is_lost: bool,
}

impl From<DeviceError> for DeviceFault {
    fn from(error: DeviceError) -> Self {
        Self {
            message: error.to_string(),
            is_lost: matches!(error, DeviceError::Lost { .. }),
        }
    }
}

/// Models that are open.
static OPEN: LazyLock<Mutex<OpenValues<Parts>>> = LazyLock::new(Mutex::default);

/// The parts of a model that a call needs.
#[derive(Clone)]
struct Parts {
    threads: Arc<EncoderThreads>,
    encoder: CallEncoder,
    tokenizer: Arc<pelorus_text::Tokenizer>,
    pooling: Pooling,
    is_unit_length: bool,
}

/// A model of texts.
#[napi]
pub struct TextModel {
    model: Arc<OpenValue<Parts>>,
    /// Made here: it ends with this.
    is_own: bool,
}

impl Drop for TextModel {
    fn drop(&mut self) {
        if self.is_own {
            OpenValues::close(&OPEN, &self.model);
        }
    }
}

#[napi]
impl TextModel {
    /// Makes a model of its parts, and keeps what it needs of them.
    #[napi(factory, catch_unwind)]
    pub fn of(
        env: &Env,
        threads: &encoder_threads::EncoderThreads,
        encoder: &TokenEncoder,
        tokenizer: &Tokenizer,
        options: TextModelOptions,
    ) -> napi::Result<Self> {
        let parts = Parts {
            threads: threads.shared(),
            encoder: answer(env, || encoder.shared())?,
            tokenizer: tokenizer.shared(),
            pooling: options.pooling.into(),
            is_unit_length: options.is_unit_length,
        };
        let model = OPEN.lock().open(parts);
        Ok(Self {
            model,
            is_own: true,
        })
    }

    /// The number by which other threads have it.
    #[napi(getter, catch_unwind)]
    pub fn number(&self) -> u32 {
        self.model.number()
    }

    /// The model that another thread made and has not closed; null where there is none of that number.
    #[napi(catch_unwind)]
    pub fn attach(number: u32) -> Option<TextModel> {
        let model = OPEN.lock().get(number)?;
        Some(TextModel {
            model,
            is_own: false,
        })
    }

    /// A call of any thread is being answered.
    #[napi(getter, catch_unwind)]
    pub fn is_busy(&self) -> bool {
        self.model.is_busy()
    }

    /// It takes no calls any more.
    #[napi(getter, catch_unwind)]
    pub fn is_closed(&self) -> bool {
        self.model.is_closed()
    }

    /// The vectors of texts, whose memory it takes: queries before documents, equal ones once. A text that cannot be taken,
    /// or has no finite vector, fails alone. Rejects with `client_closed_request` once cancelled, as far as its texts
    /// have yet to be computed, and with `service_unavailable` when the threads end. Null, and `inputs` as they were, where
    /// it is closed.
    #[napi(catch_unwind, ts_return_type = "Promise<EmbeddedTexts> | null")]
    pub fn embed(
        &self,
        env: &Env,
        inputs: &mut InputBatch,
        options: EmbedTextsOptions,
        cancellation: Option<&Cancellation>,
    ) -> napi::Result<Option<RawValue>> {
        let start = Instant::now();
        let Some((parts, under_way)) = self.model.begin() else {
            return Ok(None);
        };
        let cancellation = cancellation.map(Cancellation::inner).unwrap_or_default();
        let texts = answer(env, || inputs.take_text_inputs())?;
        let promise = promise::start(env, Lane::Interactive, move |pending: Pending<_>| {
            let encoded = catch(|| {
                let is_cancelled = cancellation.check().is_err();
                if is_cancelled {
                    return Err(refused(CallError::Cancelled));
                }
                Ok(text::encode(&parts.tokenizer, &texts))
            });
            drop(texts);
            let Encoded {
                ids,
                offsets,
                failures,
                parts: of_chunks,
            } = match encoded {
                Ok(encoded) => encoded,
                Err(error) => return pending.settle(Err(error)),
            };
            let tokenized = Instant::now();
            let done = move |outcome: Result<Vectors, CallError>| {
                // Counted out first: who has the answer finds the model idle.
                drop(under_way);
                pending.settle(outcome.map_err(refused).map(|found| EmbeddedTexts {
                    vectors: Floats(found.values),
                    failures: found.failures.into_iter().map(Into::into).collect(),
                    parts: of_chunks,
                    tokenize_ms: milliseconds(start, tokenized),
                    infer_ms: milliseconds(tokenized, Instant::now()),
                    device_fault: found.fault.map(Into::into),
                }));
            };
            parts.threads.submit(Call {
                encoder: parts.encoder,
                ids: ids.0,
                offsets: offsets.0,
                failures: failures.into_iter().map(Into::into).collect(),
                pooling: parts.pooling,
                is_normalized: options.is_normalized || parts.is_unit_length,
                lane: if options.is_query {
                    CallLane::Query
                } else {
                    CallLane::Document
                },
                cancellation,
                done: Box::new(done),
            });
        })?;
        Ok(Some(promise))
    }

    /// Takes no more calls; resolves once those under way are answered and its memory is given back.
    #[napi(catch_unwind, ts_return_type = "Promise<void>")]
    pub fn close(&self, env: &Env) -> napi::Result<RawValue> {
        OpenValues::close(&OPEN, &self.model);
        let model = Arc::clone(&self.model);
        promise::start(env, Lane::Interactive, move |pending: Pending<()>| {
            model.when_free(Box::new(move || pending.settle(Ok(()))));
        })
    }
}

impl From<FailedRow> for InputFailure {
    fn from(FailedRow { row, message }: FailedRow) -> Self {
        Self { row, message }
    }
}

impl From<InputFailure> for FailedRow {
    fn from(InputFailure { row, message }: InputFailure) -> Self {
        Self { row, message }
    }
}

fn refused(error: CallError) -> CodedError {
    let code = match error {
        CallError::Cancelled => "client_closed_request",
        CallError::Closed => "service_unavailable",
        CallError::Panicked => "internal",
    };
    CodedError::new(code, error.to_string())
}

fn milliseconds(from: Instant, to: Instant) -> f64 {
    to.duration_since(from).as_secs_f64() * 1000.0
}
