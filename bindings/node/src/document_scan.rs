//! `class DocumentScan`: the documents of one state of an index, page by page.

use std::sync::Arc;

use napi::Env;
use napi_derive::napi;
use parking_lot::Mutex;

use crate::bytes::{Bytes, RawValue};
use crate::error::{CodedError, answer};
use crate::pool::{self, Lane};
use crate::promise;

/// A walk over all documents. Made by `Engine.scanDocuments`.
#[napi]
pub struct DocumentScan {
    /// None once it is closed. Pages that are being read hold it as well.
    scan: Mutex<Option<Arc<pelorus_engine::DocumentScan>>>,
}

/// Some documents of a scan.
#[napi(object, object_from_js = false)]
pub struct ScanPage {
    /// `{"documents": [...]}`
    #[napi(ts_type = "Buffer")]
    pub body: Bytes,
    /// The number of these.
    pub count: u32,
    /// The start of the page after this one; absent where this is the last.
    pub next: Option<u32>,
}

impl DocumentScan {
    pub(crate) fn of(scan: pelorus_engine::DocumentScan) -> Self {
        Self {
            scan: Mutex::new(Some(Arc::new(scan))),
        }
    }
}

impl Drop for DocumentScan {
    fn drop(&mut self) {
        self.close();
    }
}

#[napi]
impl DocumentScan {
    /// The documents from `start` on, which is 0 or the `next` of another page: `limit` of them, or fewer
    /// where they are large.
    #[napi(catch_unwind, ts_return_type = "Promise<ScanPage>")]
    pub fn page(&self, env: &Env, start: u32, limit: u32) -> napi::Result<RawValue> {
        let scan = answer(env, || {
            let closed = || CodedError::invalid_argument("the scan was closed before");
            self.scan.lock().clone().ok_or_else(closed)
        })?;
        promise::run(env, Lane::Bulk, move || {
            let page = scan.page(start, limit as usize)?;
            Ok(ScanPage {
                body: Bytes(page.body),
                count: page.count as u32,
                next: page.next,
            })
        })
    }

    /// Lets go of the state of the index, which takes room as long as it is held.
    #[napi(catch_unwind)]
    pub fn close(&self) {
        let scan = self.scan.lock().take();
        // The freed state may be files, and this is the event loop.
        pool::spawn(Lane::Bulk, move || drop(scan));
    }
}
