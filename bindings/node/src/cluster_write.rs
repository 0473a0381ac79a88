//! `class ClusterWrite`: the actions of a write to a cluster, and what became of each.

use std::sync::Arc;

use napi::Env;
use napi_derive::napi;
use parking_lot::Mutex;
use pelorus_opensearch::{AddWrite, Bulk, Deletion};

use crate::bytes::{Bytes, ItemsResponse, RawValue};
use crate::cluster_read::ClusterRefusal;
use crate::error::{CodedError, answer};
use crate::pool::Lane;
use crate::promise;

/// Actions to send. `nextBody` gives a bulk body until there is none, and `take` what is answered to each.
#[napi]
pub struct ClusterWrite {
    lacking: Option<Vec<u8>>,
    work: Arc<Mutex<Work>>,
}

enum Work {
    Add(AddWrite),
    Delete(Deletion),
    Answered,
}

/// The actions that an answer has left.
#[napi(object, object_from_js = false)]
pub struct ClusterSettled {
    /// Actions that the cluster had no room for: they are in the next body.
    pub waiting: u32,
    /// Ends the whole write.
    pub failure: Option<ClusterRefusal>,
}

impl Work {
    fn bulk(&mut self) -> Result<&mut Bulk, CodedError> {
        match self {
            Self::Add(add) => Ok(&mut add.bulk),
            Self::Delete(deletion) => Ok(&mut deletion.bulk),
            Self::Answered => Err(CodedError::invalid_argument("the write is over")),
        }
    }
}

impl ClusterWrite {
    pub(crate) fn of_add(mut add: AddWrite) -> Self {
        ClusterWrite {
            lacking: add.lacking.take(),
            work: Arc::new(Mutex::new(Work::Add(add))),
        }
    }
}

#[napi]
impl ClusterWrite {
    /// Begins to delete documents; `request` is `DeleteDocumentsRequest`.
    #[napi(factory, catch_unwind)]
    pub fn deletion(env: &Env, request: &[u8]) -> napi::Result<Self> {
        let deletion = answer(env, || Ok(Deletion::begin(request)?))?;
        Ok(ClusterWrite {
            lacking: None,
            work: Arc::new(Mutex::new(Work::Delete(deletion))),
        })
    }

    /// The fields that the mapping is to have before anything is sent, as JSON; null where it has them all:
    /// `{"tensors": [name], "words": [name within words], "facts": {name: field}}`.
    #[napi(getter, catch_unwind, ts_return_type = "Buffer | null")]
    pub fn lacking(&self, env: &Env) -> napi::Result<RawValue> {
        RawValue::of(env, self.lacking.clone().map(Bytes))
    }

    /// The body of the next request; null where every action is settled.
    #[napi(catch_unwind, ts_return_type = "Promise<Buffer | null>")]
    pub fn next_body(&self, env: &Env) -> napi::Result<RawValue> {
        let work = Arc::clone(&self.work);
        promise::run(env, Lane::Bulk, move || {
            Ok(work.lock().bulk()?.next_body().map(Bytes))
        })
    }

    /// Takes in the answer to the last body.
    #[napi(catch_unwind, ts_return_type = "Promise<ClusterSettled>")]
    pub fn take(&self, env: &Env, answer: &[u8]) -> napi::Result<RawValue> {
        let (work, answer) = (Arc::clone(&self.work), answer.to_vec());
        promise::run(env, Lane::Bulk, move || {
            let settled = work.lock().bulk()?.take(&answer)?;
            Ok(ClusterSettled {
                waiting: settled.waiting as u32,
                failure: settled.failure.map(ClusterRefusal::from),
            })
        })
    }

    /// The answer to the request, once every action is settled.
    #[napi(catch_unwind, ts_return_type = "Promise<ItemsResponse>")]
    pub fn response(&self, env: &Env) -> napi::Result<RawValue> {
        let work = Arc::clone(&self.work);
        promise::run(env, Lane::Bulk, move || {
            let response = match std::mem::replace(&mut *work.lock(), Work::Answered) {
                Work::Add(add) => add.response()?,
                Work::Delete(deletion) => deletion.response()?,
                Work::Answered => {
                    return Err(CodedError::invalid_argument("the write is over"));
                }
            };
            Ok(ItemsResponse::from(response))
        })
    }
}
