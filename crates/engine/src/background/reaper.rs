//! The deletion of documents whose moment has come: durable, as that of a caller, some at a time.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use pelorus_documents::StoredDocument;

use crate::error::Result;
use crate::index::Index;
use crate::read::response::ItemsResponse;
use crate::write::job::{Deletion, Job};

/// Documents that are deleted in one commit.
const STEP: usize = 10_000;
/// Pause between commits, so that documents which expire one after the other are deleted together.
const PAUSE: Duration = Duration::from_secs(1);
/// Pause after a failure.
const RETRY: Duration = Duration::from_secs(10);

/// Deletes what has expired, if it is time to; gives when it is to be asked again.
pub(crate) fn reap(index: &Arc<Index>, now: Instant) -> Option<Instant> {
    let next = || {
        let next = Duration::from_millis(index.expiries.next_in_ms()?);
        Some(now + next.max(PAUSE))
    };
    if index.expiries.gone().is_none() {
        return next();
    }
    // A job that is under way calls when it is done, unless it fails.
    if index.background.reaping.load(Ordering::Acquire) {
        return Some(now + RETRY);
    }
    match submit(index) {
        Ok(false) => Some(now + PAUSE),
        // The index may take no writes now.
        Ok(true) | Err(_) => Some(now + RETRY),
    }
}

/// Queues the deletion of some; false where readers of earlier views alone hold what is left of them.
fn submit(index: &Arc<Index>) -> Result<bool> {
    let ids = expired_ids(index)?;
    if ids.is_empty() {
        return Ok(false);
    }
    let writes = index.writes()?;
    index.background.reaping.store(true, Ordering::Release);
    let weak = Arc::downgrade(index);
    let waker = index.context.waker.clone();
    let done = move |outcome: Result<ItemsResponse>| {
        if let Some(index) = weak.upgrade() {
            index.background.reaping.store(false, Ordering::Release);
            if let Err(error) = outcome {
                let name = index.name();
                log::warn!("index {name}: expired documents are not deleted yet: {error}");
                return;
            }
        }
        waker.wake();
    };
    writes.submit(Job::Delete {
        ids,
        of: Deletion::Expired,
        within: None,
        kept: Vec::new(),
        respond: Box::new(|_| Ok(ItemsResponse::default())),
        done: Box::new(done),
    });
    Ok(true)
}

/// The ids of some documents that are still stored.
fn expired_ids(index: &Index) -> Result<Vec<String>> {
    let view = index.views.load();
    let gone = index.expiries.gone().unwrap_or_default();
    let stored = gone.iter().filter(|doc| view.alive.contains(**doc));
    let mut ids = Vec::new();
    for doc in stored.take(STEP) {
        if let Some(bytes) = view.snapshot.document(*doc)? {
            ids.push(StoredDocument::decode(&bytes)?.id.to_owned());
        }
    }
    Ok(ids)
}
