//! The Node binding: bytes and typed arrays in, bytes out, promises. Conversion only; the crates behind it decide on
//! every call.
//!
//! A call copies its inputs on the JavaScript thread, long ones piece by piece before it
//! ([`RequestBytes`](request_bytes::RequestBytes)), hands a closure to a pool of our own and
//! returns a promise ([`promise`]). The event loop, the pool of libuv and tokio have no part in
//! it. Calls that take microseconds are answered at once, without a promise.
//!
//! An error crosses as a JavaScript `Error` with a stable `code` ([`error`]). A panic is caught wherever it happens and
//! crosses as `internal`; a wrong type of argument has the code `InvalidArg`.
//!
//! `generated/index.d.ts` is written from the signatures and comments of the `#[napi]` items. Where a value is
//! made by hand ([`RawValue`](bytes::RawValue), promises among them) they say its type themselves.
//!
//! Any number of worker threads may load the add-on, and hand an engine or a batch on to each other ([`handover`]);
//! a model of texts is asked by all of them ([`text_model`]). One that is terminated with calls in flight
//! takes its promises with it; the work itself still finishes, and durably so.

#![cfg_attr(
    test,
    allow(
        dead_code,
        reason = "napi registers nothing in a test build, so nothing calls the exports"
    )
)]

mod add_batch;
mod bytes;
mod cancellation;
mod cluster_add;
mod cluster_definition;
mod cluster_index;
mod cluster_read;
mod cluster_scan;
mod cluster_search;
mod cluster_updates;
mod cluster_write;
mod cuda;
mod data_verifier;
mod detection;
mod document_scan;
mod embeddings;
mod encoder_calibrator;
mod encoder_threads;
mod engine;
mod error;
mod file_lock;
mod filters;
mod handover;
mod index_backup;
mod inputs;
mod log;
mod loop_watch;
mod media;
mod memory;
mod open_values;
mod pool;
mod pooling;
mod process_end;
mod processor;
mod promise;
mod query_vectors;
mod ranked_search;
mod recordings;
mod request_bytes;
mod search_body;
mod suggestion_log;
mod text;
mod text_model;
mod token_encoder;
mod tower;
mod update_batch;
