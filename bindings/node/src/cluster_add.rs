//! `class ClusterAddBatch`: the documents of an add request to an index on a cluster.

use std::sync::Arc;

use napi::Env;
use napi::bindgen_prelude::Either;
use napi_derive::napi;
use parking_lot::Mutex;
use pelorus_engine::{DocumentBatch, split_documents};
use pelorus_opensearch::{Filled, Preparation, PreparedAdd, ReadyAdd};

use crate::bytes::{Bytes, RawValue};
use crate::cluster_index::ClusterIndex;
use crate::cluster_read::{ClusterRead, Reading};
use crate::cluster_updates::ClusterUpdates;
use crate::cluster_write::ClusterWrite;
use crate::error::CodedError;
use crate::inputs::InputBatch;
use crate::pool::Lane;
use crate::promise;
use crate::request_bytes::RequestBytes;

/// The documents of an add request. Every step is taken once: `prepare`, `fill`, `write`, which may be called again, and `end`.
#[napi]
pub struct ClusterAddBatch {
    envelope: Vec<u8>,
    count: u32,
    stage: Arc<Mutex<Stage>>,
}

/// Each stage owns the source of the next one, so that bytes are freed when they are used up.
enum Stage {
    Split(DocumentBatch),
    Prepared(PreparedAdd),
    Ready(ReadyAdd),
    Spent,
}

#[napi]
impl ClusterAddBatch {
    /// Splits a request into envelope and documents. Rejects with `json_decode_error`, whose `details` is a
    /// `JsonSyntaxError`.
    #[napi(catch_unwind, ts_return_type = "Promise<ClusterAddBatch>")]
    pub fn split(env: &Env, body: &RequestBytes) -> napi::Result<RawValue> {
        let body = body.take();
        promise::run(env, Lane::Bulk, move || {
            let documents = split_documents(body)?;
            Ok(ClusterAddBatch {
                envelope: documents.envelope().to_vec(),
                count: documents.len() as u32,
                stage: Arc::new(Mutex::new(Stage::Split(documents))),
            })
        })
    }

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

    /// Checks the documents for an index; `options` is `AddOptions`. Resolves with the inputs to embed,
    /// each once; or with documents to read, when this is to be called again with these.
    #[napi(catch_unwind, ts_return_type = "Promise<InputBatch | ClusterRead>")]
    pub fn prepare(
        &self,
        env: &Env,
        index: &ClusterIndex,
        options: &[u8],
        stored: Option<&ClusterRead>,
    ) -> napi::Result<RawValue> {
        let (index, options) = (Arc::clone(&index.index), options.to_vec());
        let stored = stored.map(ClusterRead::inner);
        let stage = Arc::clone(&self.stage);
        promise::run(env, Lane::Bulk, move || {
            let mut stage = stage.lock();
            let Stage::Split(documents) = &*stage else {
                return Err(CodedError::invalid_argument(
                    "the batch was prepared before",
                ));
            };
            let stored = stored.as_ref().map(|stored| stored.lock());
            let stored = stored.as_deref().map(Reading::documents);
            match PreparedAdd::prepare(index, documents, &options, stored)? {
                Preparation::Wanted(read) => Ok(Either::B(ClusterRead::of(Reading::Stored(read)))),
                Preparation::Prepared(prepared, inputs) => {
                    *stage = Stage::Prepared(prepared);
                    Ok(Either::A(InputBatch::new(inputs)))
                }
            }
        })
    }

    /// Gives the documents their vectors: `vectors` is `[rows, dim]`, row-major, and `report` an `EmbeddingReport`. Resolves
    /// with the updates that they are where stored documents keep other fields, which ends the batch; else with null.
    #[napi(catch_unwind, ts_return_type = "Promise<ClusterUpdates | null>")]
    pub fn fill(&self, env: &Env, vectors: &[f32], report: &[u8]) -> napi::Result<RawValue> {
        let (vectors, report) = (vectors.to_vec(), report.to_vec());
        let stage = Arc::clone(&self.stage);
        promise::run(env, Lane::Bulk, move || {
            let mut stage = stage.lock();
            match std::mem::replace(&mut *stage, Stage::Spent) {
                Stage::Prepared(prepared) => {
                    Ok(match prepared.with_vectors(&vectors, &report)? {
                        Filled::Updates(updates) => Some(ClusterUpdates::ready(updates)),
                        Filled::Add(ready) => {
                            *stage = Stage::Ready(ready);
                            None
                        }
                    })
                }
                other => {
                    *stage = other;
                    Err(CodedError::invalid_argument(
                        "the batch is not prepared, or was applied before",
                    ))
                }
            }
        })
    }

    /// Lets go of the documents, which what `write` gave has as well.
    #[napi(catch_unwind)]
    pub fn end(&self) {
        *self.stage.lock() = Stage::Spent;
    }

    /// Writes the documents as they go into the index, which may have been read anew, within the bounds of `limits`,
    /// which is `EngineOptions`. Rejects with `index_not_found` where it is another index by now.
    #[napi(catch_unwind, ts_return_type = "Promise<ClusterWrite>")]
    pub fn write(&self, env: &Env, index: &ClusterIndex, limits: &[u8]) -> napi::Result<RawValue> {
        let (index, limits) = (Arc::clone(&index.index), limits.to_vec());
        let stage = Arc::clone(&self.stage);
        promise::run(env, Lane::Bulk, move || {
            let stage = stage.lock();
            let Stage::Ready(ready) = &*stage else {
                return Err(CodedError::invalid_argument("the batch has no vectors"));
            };
            let write = ready.write(&index, &limits)?;
            Ok(ClusterWrite::of_add(write))
        })
    }
}
