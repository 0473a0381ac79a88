//! `class UpdateBatch`: the documents of one update request between their arrival and their commit.

use napi::Env;
use napi_derive::napi;
use parking_lot::Mutex;
use pelorus_engine::{DocumentBatch, EngineError, split_documents};

use crate::bytes::{Bytes, RawValue};
use crate::engine::run_write;
use crate::error::{CodedError, answer};
use crate::pool::Lane;
use crate::promise;

/// Most strays that are named: each is a line of an answer.
pub(crate) const STRAYS_MAX: usize = 100;

/// The documents of one update request. Made by `Engine.prepareUpdate`.
#[napi]
pub struct UpdateBatch {
    engine: pelorus_engine::Engine,
    index: String,
    envelope: Vec<u8>,
    count: u32,
    strays: Vec<u32>,
    /// Taken when they are applied, so that the request's bytes are freed when they are used up.
    documents: Mutex<Option<DocumentBatch>>,
}

impl UpdateBatch {
    pub(crate) fn split(
        engine: pelorus_engine::Engine,
        index: String,
        body: Vec<u8>,
    ) -> Result<Self, EngineError> {
        let documents = split_documents(body)?;
        let strays = documents.strays().take(STRAYS_MAX);
        Ok(UpdateBatch {
            engine,
            index,
            envelope: documents.envelope().to_vec(),
            count: documents.len() as u32,
            strays: strays.map(|place| place as u32).collect(),
            documents: Mutex::new(Some(documents)),
        })
    }
}

#[napi]
impl UpdateBatch {
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

    /// Places, from 0, of what is no object among the documents; of many the first hundred.
    #[napi(getter, catch_unwind)]
    pub fn strays(&self) -> Vec<u32> {
        self.strays.clone()
    }

    /// Checks the documents and commits the changes; resolves when they are durable and visible. `options`
    /// is `UpdateOptions`. Once per batch.
    #[napi(catch_unwind, ts_return_type = "Promise<ItemsResponse>")]
    pub fn apply(&self, env: &Env, options: &[u8]) -> napi::Result<RawValue> {
        let engine = self.engine.clone();
        let index = self.index.clone();
        let documents = answer(env, || {
            let applied = || CodedError::invalid_argument("the batch was applied before");
            self.documents.lock().take().ok_or_else(applied)
        })?;
        let options = options.to_vec();
        promise::start(env, Lane::Bulk, move |pending| {
            run_write(pending, |done| {
                engine.update_documents(&index, &documents, &options, done);
            });
        })
    }
}
