//! `class RankedSearch`: the hits of one search, page by page.

use std::sync::Arc;

use napi::Env;
use napi_derive::napi;
use parking_lot::Mutex;

use crate::bytes::{Bytes, RawValue};
use crate::cancellation::Cancellation;
use crate::error::{CodedError, answer};
use crate::pool::{self, Lane};
use crate::promise;

/// A search whose ranking is kept. Made by `Engine.rank`.
#[napi]
pub struct RankedSearch {
    count: u32,
    memory_bytes: u32,
    /// None once it is closed. Pages that are being read hold it as well.
    search: Mutex<Option<Arc<pelorus_engine::RankedSearch>>>,
}

impl RankedSearch {
    pub(crate) fn of(search: pelorus_engine::RankedSearch) -> Self {
        Self {
            count: search.count() as u32,
            memory_bytes: search.memory_bytes().try_into().unwrap_or(u32::MAX),
            search: Mutex::new(Some(Arc::new(search))),
        }
    }
}

impl Drop for RankedSearch {
    fn drop(&mut self) {
        self.close();
    }
}

#[napi]
impl RankedSearch {
    /// The number of hits.
    #[napi(getter, catch_unwind)]
    pub fn count(&self) -> u32 {
        self.count
    }

    /// Bytes of memory that they take.
    #[napi(getter, catch_unwind)]
    pub fn memory_bytes(&self) -> u32 {
        self.memory_bytes
    }

    /// `limit` hits from place `start` on, or the rest of them. Rejects with `vector_store_timeout` past the deadline,
    /// with `client_closed_request` once it is cancelled.
    #[napi(catch_unwind, ts_return_type = "Promise<Buffer>")]
    pub fn page(
        &self,
        env: &Env,
        start: u32,
        limit: u32,
        cancellation: &Cancellation,
    ) -> napi::Result<RawValue> {
        let search = answer(env, || {
            let closed = || CodedError::invalid_argument("the search was closed before");
            self.search.lock().clone().ok_or_else(closed)
        })?;
        let cancellation = cancellation.inner();
        promise::run(env, Lane::Interactive, move || {
            let page = search.page(start as usize, limit as usize, &cancellation)?;
            Ok(Bytes(page))
        })
    }

    /// Lets go of the ranking and of the state of the index, which take room as long as they are held.
    #[napi(catch_unwind)]
    pub fn close(&self) {
        let search = self.search.lock().take();
        // The freed state may be files, and this is the event loop.
        pool::spawn(Lane::Bulk, move || drop(search));
    }
}
