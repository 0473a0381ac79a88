//! The threads that encoders of our own run on: `class EncoderThreads`. A call crosses once, and its vectors once: texts
//! become tokens, wait, are computed and pooled without the event loop.

use std::sync::Arc;
use std::time::Instant;

use napi::Env;
use napi_derive::napi;
use pelorus_cuda::DeviceError;
use pelorus_encoder::{Call, CallError, CallLane, FailedRow, Pooling, Vectors};

use crate::bytes::{ChunkParts, Encoded, Floats, InputFailure, RawValue};
use crate::cancellation::Cancellation;
use crate::error::{CodedError, answer, catch};
use crate::inputs::InputBatch;
use crate::pool::Lane;
use crate::promise::{self, Pending};
use crate::text::{self, Tokenizer};
use crate::token_encoder::TokenEncoder;

/// The rule by which texts that wait become passes.
#[napi(object, object_to_js = false)]
pub struct PassPolicy {
    /// Tokens of a pass, unless one text alone has more.
    pub tokens_max: u32,
    /// Texts of a pass; any number when absent.
    pub texts_max: Option<u32>,
    /// Texts are not divided among idle threads below this many tokens.
    pub split_tokens_min: u32,
    /// Passes of queries in a row after which waiting documents get one.
    pub query_run_max: u32,
}

impl From<PassPolicy> for pelorus_encoder::PassPolicy {
    fn from(policy: PassPolicy) -> Self {
        Self {
            tokens_max: policy.tokens_max as usize,
            texts_max: policy.texts_max.map_or(usize::MAX, |most| most as usize),
            split_tokens_min: policy.split_tokens_min as usize,
            query_run_max: policy.query_run_max as usize,
        }
    }
}

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

/// The vectors that a call wants.
#[napi(object, object_to_js = false)]
pub struct EmbedTextsOptions {
    pub pooling: TokenPooling,
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

/// A fixed number of threads, which start with the first call, for encoders of any number.
#[napi]
pub struct EncoderThreads {
    threads: Arc<pelorus_encoder::EncoderThreads>,
}

#[napi]
impl EncoderThreads {
    /// Makes so many threads, at least one.
    #[napi(factory, catch_unwind)]
    pub fn of(count: u32, policy: PassPolicy) -> Self {
        let threads = pelorus_encoder::EncoderThreads::new(count as usize, policy.into());
        Self {
            threads: Arc::new(threads),
        }
    }

    /// The vectors of texts, whose memory it takes: queries before documents, equal ones once. A text that cannot be taken,
    /// or has no finite vector, fails alone. Rejects with `client_closed_request` once cancelled, as far as its texts
    /// have yet to be computed, and with `service_unavailable` when the threads end.
    #[napi(catch_unwind, ts_return_type = "Promise<EmbeddedTexts>")]
    pub fn embed(
        &self,
        env: &Env,
        encoder: &TokenEncoder,
        tokenizer: &Tokenizer,
        inputs: &mut InputBatch,
        options: EmbedTextsOptions,
        cancellation: Option<&Cancellation>,
    ) -> napi::Result<RawValue> {
        let start = Instant::now();
        let threads = Arc::clone(&self.threads);
        let tokenizer = tokenizer.shared();
        let cancellation = cancellation.map(Cancellation::inner).unwrap_or_default();
        let (encoder, texts) = answer(env, || Ok((encoder.shared()?, inputs.take_texts()?)))?;
        promise::start(env, Lane::Interactive, move |pending: Pending<_>| {
            let encoded = catch(|| {
                let is_cancelled = cancellation.check().is_err();
                if is_cancelled {
                    return Err(refused(CallError::Cancelled));
                }
                Ok(text::encode(&tokenizer, &texts))
            });
            drop(texts);
            let Encoded {
                ids,
                offsets,
                failures,
                parts,
            } = match encoded {
                Ok(encoded) => encoded,
                Err(error) => return pending.settle(Err(error)),
            };
            let tokenized = Instant::now();
            let done = move |outcome: Result<Vectors, CallError>| {
                pending.settle(outcome.map_err(refused).map(|found| EmbeddedTexts {
                    vectors: Floats(found.values),
                    failures: found.failures.into_iter().map(Into::into).collect(),
                    parts,
                    tokenize_ms: milliseconds(start, tokenized),
                    infer_ms: milliseconds(tokenized, Instant::now()),
                    device_fault: found.fault.map(Into::into),
                }));
            };
            threads.submit(Call {
                encoder,
                ids: ids.0,
                offsets: offsets.0,
                failures: failures.into_iter().map(Into::into).collect(),
                pooling: options.pooling.into(),
                is_normalized: options.is_normalized,
                lane: if options.is_query {
                    CallLane::Query
                } else {
                    CallLane::Document
                },
                cancellation,
                done: Box::new(done),
            });
        })
    }

    /// Fails what waits and what comes; resolves once what was under way is done and the threads have ended.
    #[napi(catch_unwind, ts_return_type = "Promise<void>")]
    pub fn close(&self, env: &Env) -> napi::Result<RawValue> {
        let threads = Arc::clone(&self.threads);
        threads.close();
        promise::run(env, Lane::Bulk, move || {
            threads.join();
            Ok(())
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
