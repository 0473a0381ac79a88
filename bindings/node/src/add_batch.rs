//! `class AddBatch`: the documents of one request between their arrival and their commit.

use std::sync::Arc;

use napi::Env;
use napi_derive::napi;
use parking_lot::Mutex;
use pelorus_engine::{DocumentBatch, EngineError, PreparedBatch, split_documents};

use crate::bytes::{Bytes, RawValue};
use crate::engine::run_write;
use crate::error::{CodedError, answer};
use crate::inputs::InputBatch;
use crate::pool::Lane;
use crate::promise;

/// The documents of one add request. Made by `Engine.prepareAdd`.
#[napi]
pub struct AddBatch {
    engine: pelorus_engine::Engine,
    index: String,
    envelope: Vec<u8>,
    count: u32,
    stage: Arc<Mutex<Stage>>,
}

/// Each stage owns the source of the next one, so that the request's bytes are freed when they are
/// used up and not when the garbage collector comes by.
enum Stage {
    Split(DocumentBatch),
    Prepared(PreparedBatch),
    Spent,
}

impl AddBatch {
    pub(crate) fn split(
        engine: pelorus_engine::Engine,
        index: String,
        body: Vec<u8>,
    ) -> Result<Self, EngineError> {
        let documents = split_documents(body)?;
        Ok(AddBatch {
            engine,
            index,
            envelope: documents.envelope().to_vec(),
            count: documents.len() as u32,
            stage: Arc::new(Mutex::new(Stage::Split(documents))),
        })
    }

    fn take_prepared(&self) -> Result<PreparedBatch, CodedError> {
        let mut stage = self.stage.lock();
        match std::mem::replace(&mut *stage, Stage::Spent) {
            Stage::Prepared(prepared) => Ok(prepared),
            other => {
                *stage = other;
                Err(CodedError::invalid_argument(
                    "the batch is not prepared, or was applied before",
                ))
            }
        }
    }
}

#[napi]
impl AddBatch {
    /// The request's body with `documents` emptied.
    #[napi(getter, catch_unwind, ts_return_type = "Buffer")]
    pub fn envelope(&self, env: &Env) -> napi::Result<RawValue> {
        RawValue::of(env, Bytes(self.envelope.clone()))
    }

    /// The number of documents that came.
    #[napi(getter, catch_unwind)]
    pub fn count(&self) -> u32 {
        self.count
    }

    /// Checks the documents; gives the inputs to embed, each once. `options` is `AddOptions`. Once per batch.
    #[napi(catch_unwind, ts_return_type = "Promise<InputBatch>")]
    pub fn prepare(&self, env: &Env, options: &[u8]) -> napi::Result<RawValue> {
        let options = options.to_vec();
        let (engine, index) = (self.engine.clone(), self.index.clone());
        let stage = Arc::clone(&self.stage);
        promise::run(env, Lane::Bulk, move || {
            let split = std::mem::replace(&mut *stage.lock(), Stage::Spent);
            let Stage::Split(documents) = split else {
                *stage.lock() = split;
                return Err(CodedError::invalid_argument(
                    "the batch was prepared before",
                ));
            };
            let (prepared, inputs) = engine.prepare(&index, &documents, &options)?;
            *stage.lock() = Stage::Prepared(prepared);
            Ok(InputBatch::new(inputs))
        })
    }

    /// Commits the batch; resolves when it is durable and visible. `vectors` is `[rows, dim]`, row-major, and `report` an
    /// `EmbeddingReport`: each input that `prepare` gave has one row, zeros where it failed, or as many as it has parts.
    /// Once per batch.
    #[napi(catch_unwind, ts_return_type = "Promise<ItemsResponse>")]
    pub fn apply(&self, env: &Env, vectors: &[f32], report: &[u8]) -> napi::Result<RawValue> {
        let engine = self.engine.clone();
        let prepared = answer(env, || self.take_prepared())?;
        let (vectors, report) = (vectors.to_vec(), report.to_vec());
        promise::start(env, Lane::Bulk, move |pending| {
            run_write(pending, |done| {
                engine.apply(prepared, vectors, &report, done);
            });
        })
    }
}
