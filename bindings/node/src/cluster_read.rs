//! `class ClusterRead`: documents that are read from a cluster by their ids.

use std::sync::Arc;

use napi::Env;
use napi_derive::napi;
use parking_lot::Mutex;
use pelorus_opensearch::{DocumentsRead, GetDocument, GetDocuments, Refusal, status_of};

use crate::bytes::{Bytes, ItemsResponse, RawValue};
use crate::cluster_index::ClusterIndex;
use crate::error::{CodedError, answer};
use crate::pool::Lane;
use crate::promise;

/// Documents to read. `nextBody` gives a request's body until there is none, and `take` what is answered to each.
#[napi]
pub struct ClusterRead {
    reading: Arc<Mutex<Reading>>,
}

/// The call that the documents are read for.
pub(crate) enum Reading {
    /// An add that uses tensors of theirs.
    Stored(DocumentsRead),
    One(GetDocument),
    Several(GetDocuments),
}

/// The reason that a cluster gives for a refusal.
#[napi(object, object_from_js = false)]
pub struct ClusterRefusal {
    /// As of HTTP.
    pub status: u32,
    /// Theirs, such as `index_not_found_exception`.
    pub kind: String,
    pub reason: String,
}

/// Returns the status that stands for a refusal of a cluster, by the status that it came with and its kind.
#[napi(catch_unwind)]
pub fn cluster_refusal_status(status: u32, kind: String) -> u32 {
    let known = u16::try_from(status).unwrap_or(500);
    status_of(known, &kind).into()
}

impl From<Refusal> for ClusterRefusal {
    fn from(refusal: Refusal) -> Self {
        ClusterRefusal {
            status: refusal.status.into(),
            kind: refusal.kind,
            reason: refusal.reason,
        }
    }
}

impl Reading {
    pub(crate) fn documents(&self) -> &DocumentsRead {
        match self {
            Self::Stored(read) => read,
            Self::One(get) => &get.read,
            Self::Several(get) => &get.read,
        }
    }

    fn documents_mut(&mut self) -> &mut DocumentsRead {
        match self {
            Self::Stored(read) => read,
            Self::One(get) => &mut get.read,
            Self::Several(get) => &mut get.read,
        }
    }
}

impl ClusterRead {
    pub(crate) fn of(reading: Reading) -> Self {
        ClusterRead {
            reading: Arc::new(Mutex::new(reading)),
        }
    }

    pub(crate) fn inner(&self) -> Arc<Mutex<Reading>> {
        Arc::clone(&self.reading)
    }
}

#[napi]
impl ClusterRead {
    /// Begins to read one document; `request` is `GetDocumentRequest`.
    #[napi(factory, catch_unwind)]
    pub fn of_one(env: &Env, request: &[u8]) -> napi::Result<Self> {
        answer(env, || {
            Ok(Self::of(Reading::One(GetDocument::begin(request)?)))
        })
    }

    /// Begins to read documents; `request` is `GetDocumentsRequest`.
    #[napi(factory, catch_unwind)]
    pub fn of_several(env: &Env, request: &[u8]) -> napi::Result<Self> {
        answer(env, || {
            Ok(Self::of(Reading::Several(GetDocuments::begin(request)?)))
        })
    }

    /// The body of the next request for several documents by their ids; null where all have been asked for.
    #[napi(catch_unwind, ts_return_type = "Buffer | null")]
    pub fn next_body(&self, env: &Env) -> napi::Result<RawValue> {
        let body = answer(env, || Ok(self.reading.lock().documents_mut().next_body()))?;
        RawValue::of(env, body.map(Bytes))
    }

    /// Takes in the answer to the last body. Resolves with the reason why none of them can be read, if there is one.
    #[napi(catch_unwind, ts_return_type = "Promise<ClusterRefusal | null>")]
    pub fn take(&self, env: &Env, answer: &[u8]) -> napi::Result<RawValue> {
        let (reading, answer) = (self.inner(), answer.to_vec());
        promise::run(env, Lane::Interactive, move || {
            let refusal = reading.lock().documents_mut().take(&answer)?;
            Ok(refusal.map(ClusterRefusal::from))
        })
    }

    /// The document of `ofOne` in its index, as a JSON object; null where there is none.
    #[napi(catch_unwind, ts_return_type = "Promise<Buffer | null>")]
    pub fn document(&self, env: &Env, index: &ClusterIndex) -> napi::Result<RawValue> {
        let (reading, index) = (self.inner(), Arc::clone(&index.index));
        promise::run(env, Lane::Interactive, move || match &*reading.lock() {
            Reading::One(get) => Ok(get.answer(&index.definition)?.map(Bytes)),
            Reading::Stored(_) | Reading::Several(_) => Err(another_call()),
        })
    }

    /// The answer to the request of `ofSeveral`, in its index.
    #[napi(catch_unwind, ts_return_type = "Promise<ItemsResponse>")]
    pub fn documents(&self, env: &Env, index: &ClusterIndex) -> napi::Result<RawValue> {
        let (reading, index) = (self.inner(), Arc::clone(&index.index));
        promise::run(env, Lane::Interactive, move || match &*reading.lock() {
            Reading::Several(get) => Ok(ItemsResponse::from(get.answer(&index.definition)?)),
            Reading::Stored(_) | Reading::One(_) => Err(another_call()),
        })
    }
}

fn another_call() -> CodedError {
    CodedError::invalid_argument("the documents are read for another call")
}
