//! A search whose ranking is kept, so that its pages are cut from one list whatever is written meanwhile.

use std::sync::Arc;

use pelorus_cancellation::Cancellation;

use super::answer::Answer;
use super::index_documents::IndexDocuments;
use super::query::{PageRange, Query};
use super::ranked_hits::RankedHits;
use super::stages::Page;
use super::{answer, render};
use crate::error::Result;
use crate::index::Index;
use crate::read::filtered_view::FilteredView;
use crate::read::readings::Reading;

/// The hits of a search in one view, best first: the first 100,000, where there are more. All that ranks them is done:
/// later writes change neither their order nor the content of their pages. It keeps the view, so documents replaced or
/// deleted meanwhile take room until this is dropped, or ended for that.
pub struct RankedSearch {
    /// Before the index, whose directory is another's to open once it is gone: it holds a store open.
    reading: Arc<Reading<Ranking>>,
    index: Arc<Index>,
    count: usize,
    memory_bytes: usize,
}

/// The query and the hits that its pages are made of.
struct Ranking {
    query: Query,
    view: FilteredView,
    hits: RankedHits,
    /// The first page's answer besides its hits; it has none itself.
    first: Answer,
}

impl RankedSearch {
    pub(crate) fn new(
        index: Arc<Index>,
        plan: &[u8],
        vectors: &[f32],
        cancellation: &Cancellation,
    ) -> Result<Self> {
        let rank = || {
            let (query, documents) =
                Query::begin(&index, plan, vectors, PageRange::Pages, cancellation)?;
            let mut first = answer(&documents, &query)?;
            let hits = RankedHits::of(&std::mem::take(&mut first.page.hits));
            let query = query.for_pages(&Cancellation::never());
            let view = documents.view.unfiltered();
            Ok(Ranking {
                query,
                view,
                hits,
                first,
            })
        };
        let reading = index.readings.begin(|| index.catch_panic(rank))?;
        let ranking = reading.get()?;
        let facets = ranking.first.facets.as_ref();
        Ok(Self {
            count: ranking.hits.len(),
            memory_bytes: ranking.hits.memory_bytes() + facets.map_or(0, Vec::len),
            reading,
            index,
        })
    }

    /// The number of hits.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Bytes of memory that it takes, besides those that the view keeps.
    pub fn memory_bytes(&self) -> usize {
        self.memory_bytes
    }

    /// The body of a page: `limit` hits from place `start` on, or the rest of them. Facets, total and what else a
    /// search tells of its ranking come with the first page, where `start` is 0.
    ///
    /// # Errors
    /// When the store cannot be read, the answer is too large, or when it is cancelled; the page may be asked
    /// for again. [`EngineError::SnapshotTooOld`](crate::EngineError::SnapshotTooOld) for good, when it holds back too
    /// much of the disk.
    pub fn page(&self, start: usize, limit: usize, cancellation: &Cancellation) -> Result<Vec<u8>> {
        let ranking = self.reading.get()?;
        let page = self.index.catch_panic(|| {
            let query = ranking.query.for_pages(cancellation);
            let documents = IndexDocuments::shown(&self.index, ranking.view.unfiltered());
            render::render(&documents, &query, &ranking.answer(start, limit))
        });
        page.inspect_err(|error| self.index.read_failed(error))
    }
}

impl Ranking {
    fn answer(&self, start: usize, limit: usize) -> Answer {
        let hits = self.hits.page(start, limit);
        match start {
            0 => Answer {
                page: Page {
                    hits,
                    ..self.first.page.clone()
                },
                ..self.first.clone()
            },
            _ => Answer {
                page: Page::of(hits),
                group_hits: None,
                explanations: None,
                highlights: None,
                did_you_mean: None,
                facets: None,
                total_hits: None,
                warnings: Vec::new(),
            },
        }
    }
}
