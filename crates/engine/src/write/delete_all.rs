//! The deletion of many documents, some at a time: other writes get their turn between.

use std::sync::Arc;

use crate::WriteDone;
use crate::index::Index;
use crate::read::response::ItemsResponse;
use crate::write::job::{Deletion, Job};

/// Documents that are deleted in one commit.
const STEP: usize = 10_000;

/// Deletes `ids`; the answer says how many of them were there.
pub(crate) fn delete(index: Arc<Index>, ids: Vec<String>, done: WriteDone) {
    step(index, ids, 0, done);
}

fn step(index: Arc<Index>, mut ids: Vec<String>, deleted: u32, done: WriteDone) {
    if ids.is_empty() {
        let body = format!("{{\"documentCount\":{deleted}}}").into_bytes();
        let answer = ItemsResponse {
            body,
            success: deleted,
            ..ItemsResponse::default()
        };
        return done(Ok(answer));
    }
    let writes = match index.writes() {
        Ok(writes) => writes,
        Err(error) => return done(Err(error)),
    };
    let some = ids.split_off(ids.len().saturating_sub(STEP));
    let respond = Box::new(|existed: &[bool]| {
        Ok(ItemsResponse {
            success: existed.iter().filter(|existed| **existed).count() as u32,
            ..ItemsResponse::default()
        })
    });
    let then = {
        let index = Arc::clone(&index);
        Box::new(move |outcome: crate::Result<ItemsResponse>| match outcome {
            Ok(answer) => step(index, ids, deleted + answer.success, done),
            Err(error) => done(Err(error)),
        })
    };
    let job = Job::Delete {
        ids: some,
        of: Deletion::Asked,
        within: None,
        kept: Vec::new(),
        respond,
        done: then,
    };
    writes.submit(job);
}
