//! The deletion of documents of a cluster by their ids.

use pelorus_engine::elsewhere::{
    DeleteDocumentsRequest, deletion_response, read_request, refuse_within,
};
use pelorus_engine::{ItemsResponse, Result, SearchError};

use crate::bulk::{ActionOutcome, Bulk};
use crate::document;

/// A deletion as the actions of bulk bodies.
pub struct Deletion {
    pub bulk: Bulk,
    ids: Vec<String>,
}

impl Deletion {
    /// `request` is `DeleteDocumentsRequest`.
    ///
    /// # Errors
    /// `invalid_argument`.
    pub fn begin(request: &[u8]) -> Result<Self> {
        let request: DeleteDocumentsRequest = read_request("documents to delete", request)?;
        refuse_within(request.within.as_deref())?;
        let ids = request.document_ids;
        let mut bulk = Bulk::whole();
        for id in &ids {
            bulk.push(document::deletion(id));
        }
        Ok(Self { bulk, ids })
    }

    /// The answer to the request, once every action is settled.
    ///
    /// # Errors
    /// `backend_data_parsing_error` for an answer that tells of no deletion.
    pub fn response(self) -> Result<ItemsResponse> {
        let existed = (0..self.ids.len()).map(|place| match self.bulk.outcome(place) {
            Some(ActionOutcome::Deleted) => Ok(true),
            Some(ActionOutcome::NotFound) => Ok(false),
            _ => Err(SearchError::ClusterAnswer("deletion of each document").into()),
        });
        let existed: Vec<bool> = existed.collect::<Result<_>>()?;
        Ok(deletion_response(&self.ids, &existed))
    }
}
