//! `class SuggestionLog`: the queries that an index on a cluster suggests.

use std::sync::Arc;

use napi::Env;
use napi_derive::napi;
use pelorus_opensearch::Read;

use crate::bytes::{Bytes, ItemsResponse, RawValue};
use crate::pool::Lane;
use crate::promise;

/// Queries as the entries of a log on a cluster have them, which the caller reads and writes. Types of requests and
/// answers are those of `openapi/engine.yaml`, as JSON.
#[napi]
pub struct SuggestionLog {
    log: Arc<pelorus_opensearch::SuggestionLog>,
}

/// A change that is to become the next entry of a log.
#[napi(object, object_from_js = false)]
pub struct SuggestionChange {
    /// The number that the entry has to be created under.
    pub number: u32,
    /// The member `changes` of the entry, as JSON; absent where there is nothing to change.
    #[napi(ts_type = "Buffer")]
    pub changes: Option<Bytes>,
    /// The answer once the entry is there.
    pub response: ItemsResponse,
}

/// An entry that holds the queries of older ones anew.
#[napi(object, object_from_js = false)]
pub struct SuggestionCleaning {
    /// As of a `SuggestionChange`.
    pub number: u32,
    /// As of a `SuggestionChange`.
    #[napi(ts_type = "Buffer")]
    pub changes: Option<Bytes>,
    /// The first entry of the log once this one is there.
    pub start: u32,
}

impl From<pelorus_opensearch::Proposal> for SuggestionChange {
    fn from(proposal: pelorus_opensearch::Proposal) -> Self {
        Self {
            number: proposal.number as u32,
            changes: proposal.changes.map(Bytes),
            response: proposal.response.into(),
        }
    }
}

#[napi]
impl SuggestionLog {
    /// A log of which nothing is read yet, and whose first entry has the number `start`.
    #[napi(factory, catch_unwind)]
    pub fn starting_at(start: u32) -> Self {
        let log = pelorus_opensearch::SuggestionLog::starting_at(start.into());
        Self { log: Arc::new(log) }
    }

    /// The number of the first entry, as far as is known.
    #[napi(getter, catch_unwind)]
    pub fn start(&self) -> u32 {
        self.log.start() as u32
    }

    /// The number of the entry that is to be read next.
    #[napi(getter, catch_unwind)]
    pub fn next(&self) -> u32 {
        self.log.next() as u32
    }

    /// The number of queries.
    #[napi(getter, catch_unwind)]
    pub fn query_count(&self) -> u32 {
        self.log.query_count() as u32
    }

    /// Bytes of memory, about.
    #[napi(getter, catch_unwind)]
    pub fn memory_bytes(&self) -> f64 {
        self.log.memory_bytes() as f64
    }

    /// Takes the answer to a multi-get of the entries from `first` on, which is `next`, and of the head behind them.
    /// Resolves with the first entry of the log, where entries that were not read are deleted; with 0 once all of it is
    /// read, and else with `first`.
    #[napi(catch_unwind, ts_return_type = "Promise<number>")]
    pub fn take(&self, env: &Env, first: u32, answer: &[u8]) -> napi::Result<RawValue> {
        let (log, answer) = (Arc::clone(&self.log), answer.to_vec());
        promise::run(env, Lane::Bulk, move || {
            Ok(match log.take(first.into(), &answer)? {
                Read::All => 0,
                Read::More => first,
                Read::Behind { start } => start as u32,
            })
        })
    }

    /// Proposes to put queries. `request` is `PutQueriesRequest`, `options` is `EngineOptions`.
    #[napi(catch_unwind, ts_return_type = "Promise<SuggestionChange>")]
    pub fn put(&self, env: &Env, request: &[u8], options: &[u8]) -> napi::Result<RawValue> {
        let log = Arc::clone(&self.log);
        let (request, options) = (request.to_vec(), options.to_vec());
        promise::run(env, Lane::Bulk, move || {
            Ok(SuggestionChange::from(log.put(&request, &options)?))
        })
    }

    /// Proposes to remove queries. `request` is `QueriesRequest`.
    #[napi(catch_unwind, ts_return_type = "Promise<SuggestionChange>")]
    pub fn remove(&self, env: &Env, request: &[u8]) -> napi::Result<RawValue> {
        let (log, request) = (Arc::clone(&self.log), request.to_vec());
        promise::run(env, Lane::Bulk, move || {
            Ok(SuggestionChange::from(log.remove(&request)?))
        })
    }

    /// Proposes to remove all queries.
    #[napi(catch_unwind, ts_return_type = "Promise<SuggestionChange>")]
    pub fn clear(&self, env: &Env) -> napi::Result<RawValue> {
        let log = Arc::clone(&self.log);
        promise::run(env, Lane::Bulk, move || {
            Ok(SuggestionChange::from(log.clear()))
        })
    }

    /// Proposes a cleaning; null where there is little to clean.
    #[napi(catch_unwind, ts_return_type = "Promise<SuggestionCleaning | null>")]
    pub fn clean(&self, env: &Env) -> napi::Result<RawValue> {
        let log = Arc::clone(&self.log);
        promise::run(env, Lane::Bulk, move || {
            Ok(log.clean().map(|cleaning| SuggestionCleaning {
                number: cleaning.number as u32,
                changes: cleaning.changes.map(Bytes),
                start: cleaning.start as u32,
            }))
        })
    }

    /// Reads queries: `{"queries": [...]}`. `request` is `QueriesRequest`.
    #[napi(catch_unwind, ts_return_type = "Promise<Buffer>")]
    pub fn get(&self, env: &Env, request: &[u8]) -> napi::Result<RawValue> {
        let (log, request) = (Arc::clone(&self.log), request.to_vec());
        promise::run(env, Lane::Interactive, move || {
            Ok(Bytes(log.get(&request)?))
        })
    }

    /// Reads a page of all queries: `{"queries": [...], "cursor"}`. `request` is `ScanQueriesRequest`.
    #[napi(catch_unwind, ts_return_type = "Promise<Buffer>")]
    pub fn scan(&self, env: &Env, request: &[u8]) -> napi::Result<RawValue> {
        let (log, request) = (Arc::clone(&self.log), request.to_vec());
        promise::run(env, Lane::Interactive, move || {
            Ok(Bytes(log.scan(&request)?))
        })
    }

    /// Suggests queries: `{"suggestions": [...]}`. `plan` is `SuggestPlan`.
    #[napi(catch_unwind, ts_return_type = "Promise<Buffer>")]
    pub fn suggest(&self, env: &Env, plan: &[u8]) -> napi::Result<RawValue> {
        let (log, plan) = (Arc::clone(&self.log), plan.to_vec());
        promise::run(env, Lane::Interactive, move || {
            Ok(Bytes(log.suggest(&plan)?))
        })
    }
}
