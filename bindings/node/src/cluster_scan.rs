//! `class ClusterScan`: the documents of one state of an index on a cluster, page by page.

use std::sync::Arc;

use napi::Env;
use napi_derive::napi;
use parking_lot::Mutex;
use pelorus_opensearch::PageParts;

use crate::bytes::{Bytes, RawValue};
use crate::cluster_index::ClusterIndex;
use crate::error::{CodedError, answer};
use crate::pool::Lane;
use crate::promise;

/// A walk over documents, whose searches the caller sends.
#[napi]
pub struct ClusterScan {
    scan: Arc<pelorus_opensearch::ClusterScan>,
}

/// A page of a scan that is being read. Made by `ClusterScan.page`.
#[napi]
pub struct ClusterScanPage {
    scan: Arc<pelorus_opensearch::ClusterScan>,
    start: Option<String>,
    limit: usize,
    parts: Arc<Mutex<PageParts>>,
}

/// A page of a scan as it is answered.
#[napi(object, object_from_js = false)]
pub struct FinishedPage {
    /// `{"documents": [...]}`
    #[napi(ts_type = "Buffer")]
    pub body: Bytes,
    /// The number of these.
    pub count: u32,
    /// The start of the page after this one.
    pub after: Option<String>,
}

#[napi]
impl ClusterScan {
    /// Begins a scan of an index. `options` is `EngineOptions` and `request` is `ScanRequest`. Throws `invalid_argument`, and the
    /// errors of a filter.
    #[napi(factory, catch_unwind)]
    pub fn begin(
        env: &Env,
        index: &ClusterIndex,
        options: &[u8],
        request: &[u8],
    ) -> napi::Result<Self> {
        let scan = answer(env, || {
            let scan = pelorus_opensearch::ClusterScan::begin(&index.index, options, request);
            Ok(scan?)
        })?;
        Ok(Self {
            scan: Arc::new(scan),
        })
    }

    /// The query of all documents that are read, as JSON.
    #[napi(getter, catch_unwind)]
    pub fn query(&self) -> String {
        self.scan.query().to_string()
    }

    /// Begins a page of `limit` documents, or fewer where they are large. `start` is the `after` of the page before.
    #[napi(catch_unwind)]
    pub fn page(&self, start: Option<String>, limit: u32) -> ClusterScanPage {
        ClusterScanPage {
            scan: Arc::clone(&self.scan),
            start,
            limit: limit.max(1) as usize,
            parts: Arc::default(),
        }
    }
}

#[napi]
impl ClusterScanPage {
    /// The body of the search for the next documents; null where the page has as many as it may. `pointInTime` is the
    /// member `pit`, as JSON.
    #[napi(catch_unwind)]
    pub fn request(&self, env: &Env, point_in_time: String) -> napi::Result<Option<String>> {
        answer(env, || {
            let point = serde_json::from_str(&point_in_time)
                .map_err(|error| CodedError::invalid_argument(error.to_string()))?;
            let start = self.start.as_deref();
            let parts = self.parts.lock();
            let body = self.scan.request(&parts, start, self.limit, &point);
            Ok(body.map(|body| body.to_string()))
        })
    }

    /// Takes the answer to such a search. Resolves with whether there may be more documents.
    #[napi(catch_unwind, ts_return_type = "Promise<boolean>")]
    pub fn take(&self, env: &Env, answer: &[u8]) -> napi::Result<RawValue> {
        let (scan, parts) = (Arc::clone(&self.scan), Arc::clone(&self.parts));
        let answer = answer.to_vec();
        promise::run(env, Lane::Bulk, move || {
            Ok(scan.take(&mut parts.lock(), &answer)?)
        })
    }

    /// Gives the page with what was taken, and empties it.
    #[napi(catch_unwind)]
    pub fn finish(&self) -> FinishedPage {
        let parts = std::mem::take(&mut *self.parts.lock());
        let count = parts.count() as u32;
        let (body, after) = parts.finish();
        FinishedPage {
            body: Bytes(body),
            count,
            after,
        }
    }
}
