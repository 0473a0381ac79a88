//! All documents of an index, page by page, as they were when the first page was asked for.

use std::sync::Arc;

use pelorus_cancellation::Cancellation;
use pelorus_documents::{StoredDocument, write_tensors};

use crate::background::row_references::{StoredTensors, stored_tensors};
use crate::error::{EngineError, Result};
use crate::generated::ScanRequest;
use crate::index::Index;
use crate::read::attributes::Attributes;
use crate::read::filtered_view::FilteredView;
use crate::read::readings::Reading;
use crate::read::retrieve::{write_facets, write_members};

/// A page is finished when it has so many bytes, however many documents were asked for.
const PAGE_BYTES: usize = 8 * 1024 * 1024;

/// The documents of one view, oldest version first. It keeps its view: documents replaced or
/// deleted meanwhile take room until this is dropped, or ended for that.
pub struct DocumentScan {
    /// Before the index, whose directory is another's to open once it is gone: it holds a store open.
    reading: Arc<Reading<FilteredView>>,
    index: Arc<Index>,
    request: ScanRequest,
}

/// Some documents of a scan.
#[derive(Debug)]
pub struct ScanPage {
    /// `{"documents": [..]}`
    pub body: Vec<u8>,
    /// The number of these.
    pub count: usize,
    /// The start of the page after this one; none where this is the last.
    pub next: Option<u32>,
}

impl DocumentScan {
    pub(crate) fn open(index: Arc<Index>, request: ScanRequest) -> Result<Self> {
        let filter = index.limits().filter(request.filter.as_deref())?;
        let reading = index.readings.begin(|| {
            index.catch_panic(|| index.filtered_view(filter.as_ref(), &Cancellation::never()))
        })?;
        Ok(Self {
            reading,
            index,
            request,
        })
    }

    /// The documents from `start` on, which is 0 or the `next` of another page: `limit` of them, or fewer
    /// where they are large.
    ///
    /// # Errors
    /// When the store cannot be read; the page may be asked for again. [`EngineError::SnapshotTooOld`] for good, when it
    /// holds back too much of the disk.
    pub fn page(&self, start: u32, limit: usize) -> Result<ScanPage> {
        let view = self.reading.get()?;
        let page = self
            .index
            .catch_panic(|| self.read_page(&view, start, limit.max(1)));
        page.inspect_err(|error| self.index.read_failed(error))
    }

    fn read_page(&self, view: &FilteredView, start: u32, limit: usize) -> Result<ScanPage> {
        let named = self.request.attributes_to_retrieve.as_deref();
        let attributes = Attributes::of(&self.index.definition, named);
        let mut body = b"{\"documents\":[".to_vec();
        let mut count = 0;
        let mut next = None;
        for doc in view.accept().iter_from(start) {
            if count == limit || body.len() >= PAGE_BYTES {
                next = Some(doc);
                break;
            }
            if count > 0 {
                body.push(b',');
            }
            self.write_document(view, doc, &attributes, &mut body)?;
            count += 1;
        }
        body.extend_from_slice(b"]}");
        debug_assert!(count <= limit);
        debug_assert!(next.is_none_or(|next| next > start), "a scan goes on");
        Ok(ScanPage { body, count, next })
    }

    fn write_document(
        &self,
        view: &FilteredView,
        doc: u32,
        attributes: &Attributes<'_>,
        out: &mut Vec<u8>,
    ) -> Result<()> {
        let snapshot = view.snapshot();
        let bytes = snapshot
            .document(doc)?
            .ok_or(EngineError::MissingDocument { doc })?;
        out.push(b'{');
        write_members(out, &StoredDocument::decode(&bytes)?, attributes);
        if self.request.expose_facets || self.request.expose_tensors {
            let tensors = stored_tensors(&self.index, snapshot, doc)?;
            let StoredTensors { bytes, damaged } = tensors.unwrap_or_default();
            if self.request.expose_facets {
                write_facets(&self.index, &bytes, &damaged, out)?;
            }
            if self.request.expose_tensors {
                out.push(b',');
                let dimensions = self.index.definition.documents.dimensions;
                write_tensors(out, &bytes, &damaged, dimensions)?;
            }
        }
        out.push(b'}');
        Ok(())
    }
}
