//! All documents of an index, page by page, as they were when the first page was asked for.

use std::sync::Arc;

use pelorus_cancellation::Cancellation;
use pelorus_columns::TypedFilter;
use pelorus_documents::{FieldTensors, StoredDocument, encode_tensors, write_tensors};

use crate::CandidateIndex;
use crate::background::row_references::{StoredTensors, stored_tensors};
use crate::elsewhere::read_request;
use crate::error::{EngineError, Result};
use crate::generated::{EngineOptions, ScanRequest};
use crate::index::Index;
use crate::index::definition::Definition;
use crate::read::attributes::Attributes;
use crate::read::filtered_view::FilteredView;
use crate::read::readings::Reading;
use crate::read::retrieve::{write_facets, write_members};

/// A page is finished when it has so many bytes, however many documents were asked for.
pub const SCAN_PAGE_BYTES: usize = 8 * 1024 * 1024;

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
        let (own, within) = (request.filter.as_deref(), request.within.as_deref());
        let filter = index.limits().filter_within(own, within)?;
        let reading = index.readings.begin(|| {
            index.catch_panic(|| {
                let mut view = index.filtered_view(filter.as_ref(), &Cancellation::never())?;
                let gone = index.gone(view.view());
                view.leave_out(&gone);
                Ok(view)
            })
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
        let mut body = b"{\"documents\":[".to_vec();
        let mut count = 0;
        let mut next = None;
        for doc in view.accept().iter_from(start) {
            if count == limit || body.len() >= SCAN_PAGE_BYTES {
                next = Some(doc);
                break;
            }
            if count > 0 {
                body.push(b',');
            }
            self.write_document(view, doc, &mut body)?;
            count += 1;
        }
        body.extend_from_slice(b"]}");
        debug_assert!(count <= limit);
        debug_assert!(next.is_none_or(|next| next > start), "a scan goes on");
        Ok(ScanPage { body, count, next })
    }

    fn write_document(&self, view: &FilteredView, doc: u32, out: &mut Vec<u8>) -> Result<()> {
        let snapshot = view.snapshot();
        let bytes = snapshot
            .document(doc)?
            .ok_or(EngineError::MissingDocument { doc })?;
        let tensors = || {
            let tensors = stored_tensors(&self.index, snapshot, doc)?;
            Ok(tensors.unwrap_or_default())
        };
        write_scanned(out, &bytes, &self.request, &self.index.definition, tensors)
    }
}

/// Appends a document as a scan shows it. `tensors` are the stored ones, which not every scan asks for.
fn write_scanned(
    out: &mut Vec<u8>,
    document: &[u8],
    request: &ScanRequest,
    definition: &Definition,
    tensors: impl FnOnce() -> Result<StoredTensors>,
) -> Result<()> {
    let attributes = Attributes::of(definition, request.attributes_to_retrieve.as_deref());
    let dimensions = definition.documents.dimensions;
    out.push(b'{');
    write_members(out, &StoredDocument::decode(document)?, &attributes);
    if request.expose_facets || request.expose_tensors {
        let StoredTensors { bytes, damaged } = tensors()?;
        if request.expose_facets {
            write_facets(dimensions, &bytes, &damaged, out)?;
        }
        if request.expose_tensors {
            out.push(b',');
            write_tensors(out, &bytes, &damaged, dimensions)?;
        }
    }
    out.push(b'}');
    Ok(())
}

/// A scan of an index that is kept elsewhere: which documents it reads, and how it shows them.
pub struct ScanPlan {
    index: Arc<CandidateIndex>,
    request: ScanRequest,
    filter: Option<TypedFilter>,
}

impl ScanPlan {
    /// Reads a scan of an index. `options` is `EngineOptions` and `request` is `ScanRequest`, both JSON.
    ///
    /// # Errors
    /// `invalid_argument` for what cannot be read, and those of a filter.
    pub fn read(index: Arc<CandidateIndex>, options: &[u8], request: &[u8]) -> Result<Self> {
        let options: EngineOptions = read_request("engine options", options)?;
        let request: ScanRequest = read_request("scan of documents", request)?;
        let (own, within) = (request.filter.as_deref(), request.within.as_deref());
        let filter = options.filter_within(own, within)?;
        let filter = filter.map(|filter| index.typed_filter(&filter));
        let filter = filter.transpose()?;
        Ok(Self {
            index,
            request,
            filter,
        })
    }

    /// The filter that every document has to pass.
    pub fn filter(&self) -> Option<&TypedFilter> {
        self.filter.as_ref()
    }

    /// Tells whether documents are shown with their tensors.
    pub fn shows_tensors(&self) -> bool {
        self.request.expose_facets || self.request.expose_tensors
    }

    /// The length of a vector.
    pub fn dimensions(&self) -> usize {
        self.index.definition.documents.dimensions
    }

    /// Appends a document as it is shown. `stored` is its stored form.
    ///
    /// # Errors
    /// When that is none.
    pub fn write(&self, out: &mut Vec<u8>, stored: &[u8], tensors: &[FieldTensors]) -> Result<()> {
        let encoded = || {
            Ok(StoredTensors {
                bytes: encode_tensors(tensors, self.index.definition.documents.numbers),
                damaged: Vec::new(),
            })
        };
        write_scanned(out, stored, &self.request, &self.index.definition, encoded)
    }
}
