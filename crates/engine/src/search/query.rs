//! A search that was begun: its plan is checked, its vector made, its view taken.

use std::sync::Arc;

use pelorus_cancellation::Cancellation;
use pelorus_columns::Warning;
use pelorus_kernels::BitSet;

use super::context::{self, WeightedRows};
use super::documents::Documents;
use super::group_hits;
use super::hits::Hit;
use super::index_documents::IndexDocuments;
use super::late_interaction::check_dimensions_had;
use super::nearest::{Depth, Nearest};
use super::{check, query_vector};
use crate::error::Result;
use crate::generated::{LexicalHighlights, SearchPlan};
use crate::index::Index;
use crate::read::within::Within;

/// Most hits of a ranking that pages are cut from later.
const RANKED_HITS_MAX: usize = 100_000;

/// The part of its ranking that a search is after.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PageRange {
    /// The page that the plan names.
    Page,
    /// All its pages, from the first on, up to [`RANKED_HITS_MAX`] hits.
    Pages,
}

pub(super) struct Query {
    pub plan: Arc<SearchPlan>,
    pub cancellation: Cancellation,
    pub range: PageRange,
    /// Warnings of the answer about terms of the filter that can match nothing.
    pub warnings: Vec<Warning>,
    /// `[dimensions]`; none where the plan has no tensor leg.
    pub vector: Option<Vec<f32>>,
    /// The plan by which the documents of a group are ranked; none where hits show no others of theirs, and for pages
    /// that are kept.
    pub group_plan: Option<Arc<SearchPlan>>,
}

/// Says that no document has a vector that those of the query could be compared with.
fn warnings_of_vectors(index: &Index, plan: &SearchPlan) -> Vec<Warning> {
    if plan.within.is_some() {
        return Vec::new();
    }
    let columns = index.columns.read();
    let sparse = plan.lexical.as_ref().and_then(|leg| leg.sparse.as_ref());
    let sparse = sparse.filter(|sparse| columns.sparse_vectors(&sparse.field).is_none());
    let sparse = sparse.map(|sparse| Warning::NoSparseVectors {
        field: sparse.field.clone(),
    });
    let late = plan.late_interaction.as_ref();
    let late = late.filter(|late| columns.multi_vectors(&late.field).is_none());
    let late = late.map(|late| Warning::NoMultiVectors {
        field: late.field.clone(),
    });
    sparse.into_iter().chain(late).collect()
}

impl Query {
    /// Begins a search of the documents that the index has now.
    pub fn begin<'a>(
        index: &'a Index,
        json: &[u8],
        vectors: &[f32],
        range: PageRange,
        cancellation: &Cancellation,
    ) -> Result<(Self, IndexDocuments<'a>)> {
        let plan = SearchPlan::parse(json)?;
        check::check(index, &plan)?;
        check_dimensions_had(index, &plan)?;
        let filter = plan.filter_changed_by(index.limits(), Some)?;
        let view = index.filtered_view(filter.as_ref(), cancellation)?;
        let mut warnings = match &filter {
            // A caller that is bound to a filter is told nothing about the documents that others see.
            Some(filter) if plan.within.is_none() => index.filter_warnings(filter),
            _ => Vec::new(),
        };
        warnings.extend(warnings_of_vectors(index, &plan));
        let (mut rows, mut excluded) = (WeightedRows::default(), Vec::new());
        if let Some(context) = &plan.context {
            let within = Within::read(plan.within.as_deref())?;
            let reached = context::Reached {
                index,
                view: view.view(),
                within: within.as_ref(),
            };
            rows = reached.weighted_rows(context, cancellation)?;
            excluded = context::excluded(index, view.view(), context);
        }
        excluded.extend(index.gone(view.view()));
        let hidden = plan.hidden.iter();
        excluded.extend(hidden.filter_map(|id| index.version_of(view.view(), id)));
        let vector = match &plan.tensor {
            Some(leg) => Some(query_vector::combine(
                index.definition.documents.dimensions,
                leg,
                vectors,
                &rows,
            )?),
            None => None,
        };
        let documents = IndexDocuments::new(index, view, excluded, &plan);
        let query = Self {
            group_plan: match range {
                PageRange::Page => group_hits::plan(json, &plan)?,
                PageRange::Pages => None,
            },
            plan: Arc::new(plan),
            cancellation: cancellation.clone(),
            range,
            warnings,
            vector,
        };
        Ok((query, documents))
    }

    /// Keeps the plan, which writes later pages. The rest is freed.
    pub fn for_pages(&self, cancellation: &Cancellation) -> Self {
        Self {
            plan: self.plan.clone(),
            cancellation: cancellation.clone(),
            range: self.range,
            warnings: Vec::new(),
            vector: None,
            group_plan: None,
        }
    }

    /// Tells whether hits explain their scores. A ranking for later pages is too long for that.
    pub fn is_explained(&self) -> bool {
        self.plan.explain && self.range == PageRange::Page
    }

    /// The highlights that hits show of their texts. Pages that are cut from a kept ranking show
    /// nothing.
    pub fn highlights(&self) -> Option<&LexicalHighlights> {
        let asked = self.plan.lexical_highlights.as_ref();
        asked.filter(|_| self.range == PageRange::Page)
    }

    /// Tells whether the page has room for a hit. Without any a search is asked for its counts alone.
    pub fn shows_hits(&self) -> bool {
        self.range == PageRange::Pages || self.plan.limit > 0
    }

    /// The number of ranked hits that are needed: none for an empty page, wherever it lies.
    pub fn depth(&self) -> usize {
        match self.range {
            PageRange::Page if self.plan.limit == 0 => 0,
            PageRange::Page => self.page_end().max(self.ranked_anew()),
            PageRange::Pages => RANKED_HITS_MAX,
        }
    }

    /// The number of hits of a ranking up to the end of the page.
    pub fn page_end(&self) -> usize {
        match self.range {
            PageRange::Page => self.plan.limit + self.plan.offset,
            PageRange::Pages => RANKED_HITS_MAX,
        }
    }

    /// The number of first hits whose order a page takes, wherever it lies, since they are ranked anew together: by late
    /// interaction, or for their unlikeness.
    pub fn ranked_anew(&self) -> usize {
        let late = self.plan.late_interaction.as_ref();
        let late = late.map_or(0, |late| late.candidates);
        let diversity = self.plan.diversity.as_ref();
        late.max(diversity.map_or(0, |diversity| diversity.candidates))
    }

    /// Those hits of a ranking that are asked for. Where pinned documents are put among them, or the first are ranked
    /// anew, those of other pages too: they tell which places are left.
    pub fn cut(&self, ranked: &[Hit]) -> Vec<Hit> {
        match self.cuts_later() {
            false => self.page_of(ranked),
            true => pelorus_rank::page(ranked, 0, self.depth()).to_vec(),
        }
    }

    /// Tells whether stages behind the ranking take the hits of other pages.
    pub fn cuts_later(&self) -> bool {
        !self.plan.pinned.is_empty() || self.ranked_anew() > 0
    }

    /// The page of a list of all hits.
    pub fn page_of(&self, hits: &[Hit]) -> Vec<Hit> {
        let (offset, limit) = match self.range {
            PageRange::Page => (self.plan.offset, self.plan.limit),
            PageRange::Pages => (0, RANKED_HITS_MAX),
        };
        pelorus_rank::page(hits, offset, limit).to_vec()
    }

    /// The number of documents of each leg that the fused hits take: none for an empty page.
    pub fn fused_depth(&self) -> usize {
        match self.shows_hits() {
            false => 0,
            true => pelorus_rank::rrf_depth(self.depth()),
        }
    }

    /// The search of the tensor leg; none where the plan has none.
    pub fn tensor_leg<'a>(
        &'a self,
        documents: &'a dyn Documents,
        depth: Depth,
    ) -> Option<Nearest<'a>> {
        let leg = self.plan.tensor.as_ref()?;
        Some(Nearest {
            query: self.vector.as_deref()?,
            leg,
            exact: !leg.approximate,
            field: None,
            depth,
            known: None,
            accept: documents.accept(),
            count: documents.count(),
            live: documents.live(),
            cancellation: &self.cancellation,
        })
    }

    /// The exact ranking of `count` documents by their distance; none without a tensor leg.
    pub fn exact_ranking<'a>(
        &'a self,
        documents: &'a dyn Documents,
        accept: &'a BitSet,
        count: usize,
    ) -> Option<Nearest<'a>> {
        Some(Nearest {
            exact: true,
            accept,
            count,
            ..self.tensor_leg(documents, Depth::once(count))?
        })
    }
}
