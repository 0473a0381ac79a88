//! `class ClusterUpdates`: the documents of one update request for an index on a cluster.

use std::sync::Arc;

use napi::Env;
use napi_derive::napi;
use parking_lot::Mutex;
use pelorus_engine::{DocumentBatch, EngineError, split_documents};

use crate::bytes::{Bytes, ItemsResponse, RawValue};
use crate::cluster_index::ClusterIndex;
use crate::cluster_read::ClusterRefusal;
use crate::error::{CodedError, answer};
use crate::pool::Lane;
use crate::promise;
use crate::request_bytes::RequestBytes;
use crate::update_batch::STRAYS_MAX;

/// The documents of one update request, or of an add whose documents keep other fields. After `begin`, what is `wanted` is
/// read and given to `take`, merged, and written, with the answer for `settle`, until nothing is wanted any more.
#[napi]
pub struct ClusterUpdates {
    envelope: Vec<u8>,
    count: u32,
    strays: Vec<u32>,
    documents: Mutex<Option<DocumentBatch>>,
    updates: Arc<Mutex<Option<pelorus_opensearch::ClusterUpdates>>>,
}

/// Updates that were merged into their documents. Made by `ClusterUpdates.merge`.
#[napi]
pub struct MergedUpdates {
    lacking: Option<Vec<u8>>,
    is_unsure: bool,
    merged: Mutex<Option<pelorus_opensearch::Merged>>,
}

impl ClusterUpdates {
    fn of(body: Vec<u8>) -> Result<Self, EngineError> {
        let documents = split_documents(body)?;
        let strays = documents.strays().take(STRAYS_MAX);
        Ok(Self {
            envelope: documents.envelope().to_vec(),
            count: documents.len() as u32,
            strays: strays.map(|place| place as u32).collect(),
            documents: Mutex::new(Some(documents)),
            updates: Arc::default(),
        })
    }

    /// Updates that have begun.
    pub(crate) fn ready(updates: pelorus_opensearch::ClusterUpdates) -> Self {
        Self {
            envelope: Vec::new(),
            count: 0,
            strays: Vec::new(),
            documents: Mutex::new(None),
            updates: Arc::new(Mutex::new(Some(updates))),
        }
    }

    /// Runs work on the updates, which have begun.
    fn run<T: napi::bindgen_prelude::ToNapiValue + Send + 'static>(
        &self,
        env: &Env,
        work: impl FnOnce(&mut pelorus_opensearch::ClusterUpdates) -> Result<T, CodedError>
        + Send
        + 'static,
    ) -> napi::Result<RawValue> {
        let updates = Arc::clone(&self.updates);
        promise::run(env, Lane::Bulk, move || {
            work(updates.lock().as_mut().ok_or_else(not_begun)?)
        })
    }
}

#[napi]
impl ClusterUpdates {
    /// Takes an update request apart. Rejects with `json_decode_error`, whose details say where.
    #[napi(catch_unwind, ts_return_type = "Promise<ClusterUpdates>")]
    pub fn split(env: &Env, body: &RequestBytes) -> napi::Result<RawValue> {
        let body = body.take();
        promise::run(env, Lane::Bulk, move || Ok(Self::of(body)?))
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

    /// Places, from 0, of what is no object among the documents; of many the first hundred.
    #[napi(getter, catch_unwind)]
    pub fn strays(&self) -> Vec<u32> {
        self.strays.clone()
    }

    /// Checks the documents for an index, as far as that needs no stored ones. `options` is `UpdateOptions`. Once per batch.
    #[napi(catch_unwind, ts_return_type = "Promise<void>")]
    pub fn begin(&self, env: &Env, index: &ClusterIndex, options: &[u8]) -> napi::Result<RawValue> {
        let documents = answer(env, || {
            let applied = || CodedError::invalid_argument("the batch was applied before");
            self.documents.lock().take().ok_or_else(applied)
        })?;
        let (index, options) = (Arc::clone(&index.index), options.to_vec());
        let updates = Arc::clone(&self.updates);
        promise::run(env, Lane::Bulk, move || {
            let begun = pelorus_opensearch::ClusterUpdates::begin(index, &documents, &options)?;
            *updates.lock() = Some(begun);
            Ok(())
        })
    }

    /// The body of a multi-get of the documents that updates wait for; null where none waits.
    #[napi(catch_unwind, ts_return_type = "Promise<Buffer | null>")]
    pub fn wanted(&self, env: &Env) -> napi::Result<RawValue> {
        self.run(env, |updates| Ok(updates.wanted().map(Bytes)))
    }

    /// Takes the answer to what was wanted.
    #[napi(catch_unwind, ts_return_type = "Promise<void>")]
    pub fn take(&self, env: &Env, answer: &[u8]) -> napi::Result<RawValue> {
        let answer = answer.to_vec();
        self.run(env, move |updates| Ok(updates.take(&answer)?))
    }

    /// Merges all that wait into what was taken, for the index as it is by now, within the bounds of `limits`, which is
    /// `EngineOptions`. Can be called again, for a later mapping.
    #[napi(catch_unwind, ts_return_type = "Promise<MergedUpdates>")]
    pub fn merge(&self, env: &Env, index: &ClusterIndex, limits: &[u8]) -> napi::Result<RawValue> {
        let (index, limits) = (Arc::clone(&index.index), limits.to_vec());
        self.run(env, move |updates| {
            let mut merged = updates.merge(&index, &limits)?;
            Ok(MergedUpdates {
                lacking: merged.lacking.take(),
                is_unsure: merged.is_unsure,
                merged: Mutex::new(Some(merged)),
            })
        })
    }

    /// Takes over what was merged. Gives the bulk body that writes it; null where nothing is to be written.
    #[napi(catch_unwind, ts_return_type = "Promise<Buffer | null>")]
    pub fn accept(&self, env: &Env, merged: &MergedUpdates) -> napi::Result<RawValue> {
        let merged = merged.merged.lock().take();
        self.run(env, move |updates| {
            let accepted = || CodedError::invalid_argument("this was taken over before");
            let mut merged = merged.ok_or_else(accepted)?;
            let body = merged.body.take();
            updates.accept(merged);
            Ok(body.map(Bytes))
        })
    }

    /// Takes the answer to the last body. Resolves with the reason why the whole request fails, if there is one.
    #[napi(catch_unwind, ts_return_type = "Promise<ClusterRefusal | null>")]
    pub fn settle(&self, env: &Env, answer: &[u8]) -> napi::Result<RawValue> {
        let answer = answer.to_vec();
        self.run(env, move |updates| {
            Ok(updates.settle(&answer)?.map(ClusterRefusal::from))
        })
    }

    /// Gives the answer to the request, when nothing is wanted any more.
    #[napi(catch_unwind)]
    pub fn response(&self, env: &Env) -> napi::Result<ItemsResponse> {
        answer(env, || {
            let updates = self.updates.lock().take().ok_or_else(not_begun)?;
            Ok(updates.response()?.into())
        })
    }
}

#[napi]
impl MergedUpdates {
    /// The fields that the mapping is to have before anything is sent, as of a `ClusterWrite`; null where it has them all.
    #[napi(getter, catch_unwind, ts_return_type = "Buffer | null")]
    pub fn lacking(&self, env: &Env) -> napi::Result<RawValue> {
        RawValue::of(env, self.lacking.clone().map(Bytes))
    }

    /// Tells whether a later mapping may know fields by which less is refused.
    #[napi(getter, catch_unwind)]
    pub fn is_unsure(&self) -> bool {
        self.is_unsure
    }
}

fn not_begun() -> CodedError {
    CodedError::invalid_argument("the batch was not begun, or is answered")
}
