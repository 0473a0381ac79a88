//! The documents that one search may return: those of a view that pass its filter.

use std::sync::Arc;

use pelorus_cancellation::Cancellation;
use pelorus_columns::{Callbacks, FilterMatches, Warning};
use pelorus_documents::EXPIRES_AT;
use pelorus_filter::Filter;
use pelorus_kernels::BitSet;
use pelorus_store::ReadView;

use crate::error::{FilterError, Result};
use crate::index::Index;
use crate::read::filter_cache::CachedMatches;
use crate::read::view::View;
use crate::search::check::check_contains;

/// A view and the documents that pass a filter in it. As it holds the view, the versions that it
/// shows stay in the derived structures until it is dropped.
pub(crate) struct FilteredView {
    view: Arc<View>,
    /// The documents that pass the filter; none where there is no filter.
    matches: Option<Arc<FilterMatches>>,
    /// The documents left of these, and how many; none where nothing was left out.
    left: Option<(BitSet, usize)>,
}

impl FilteredView {
    pub fn snapshot(&self) -> &ReadView {
        &self.view.snapshot
    }

    pub fn view(&self) -> &Arc<View> {
        &self.view
    }

    fn of(view: Arc<View>, matches: Option<Arc<FilterMatches>>) -> Self {
        debug_assert!(
            matches
                .as_ref()
                .is_none_or(|matches| matches.count() <= view.live),
            "only living documents pass"
        );
        Self {
            view,
            matches,
            left: None,
        }
    }

    pub fn accept(&self) -> &BitSet {
        match (&self.left, &self.matches) {
            (Some((left, _)), _) => left,
            (None, Some(matches)) => matches.documents(),
            (None, None) => &self.view.alive,
        }
    }

    /// The number of documents that may be returned.
    pub fn count(&self) -> usize {
        match (&self.left, &self.matches) {
            (Some((_, count)), _) => *count,
            (None, Some(matches)) => matches.count(),
            (None, None) => self.view.live,
        }
    }

    /// Leaves documents out, whether they would be returned or not.
    pub fn leave_out(&mut self, docs: &[u32]) {
        if docs.is_empty() {
            return;
        }
        let mut left = self.accept().clone();
        let removed = docs.iter().filter(|doc| left.remove(**doc)).count();
        let count = self.count() - removed;
        debug_assert_eq!(count, left.len());
        self.left = Some((left, count));
    }

    /// The documents that pass the filter, whatever else is left out; none where there is no filter.
    pub fn passing(&self) -> Option<&BitSet> {
        self.matches.as_ref().map(|matches| matches.documents())
    }

    /// The same view, and these documents of it alone.
    pub fn among(&self, docs: BitSet) -> Self {
        let count = docs.len();
        Self {
            view: self.view.clone(),
            matches: self.matches.clone(),
            left: Some((docs, count)),
        }
    }

    /// The same view, and no documents of it in particular.
    pub fn unfiltered(&self) -> Self {
        Self::of(self.view.clone(), None)
    }

    /// The number of documents.
    pub fn live(&self) -> usize {
        self.view.live
    }
}

impl Index {
    /// The documents of a view whose moment has come: no read shows them.
    pub fn gone(&self, view: &View) -> Vec<u32> {
        let Some(gone) = self.expiries.gone() else {
            return Vec::new();
        };
        let shown = gone.iter().filter(|doc| view.alive.contains(**doc));
        shown.copied().collect()
    }

    /// The live documents that pass a filter, those whose moment has come among them.
    ///
    /// # Errors
    /// Errors of the filter, and its cancellation.
    pub fn filtered_view(
        &self,
        filter: Option<&Filter>,
        cancellation: &Cancellation,
    ) -> Result<FilteredView> {
        let Some(filter) = filter else {
            return Ok(FilteredView::of(self.views.load(), None));
        };
        // Which words a document holds is not in the columns, so CONTAINS is asked anew.
        let text = (!filter.has_contains()).then(|| filter.to_string());
        let known = text
            .as_deref()
            .and_then(|text| self.caches.filters.get(text));
        if let Some(CachedMatches { matches, sequence }) = &known {
            let view = self.views.load();
            if *sequence == view.snapshot.sequence()? {
                self.caches.filters.note(true);
                let matches = Some(matches.clone());
                return Ok(FilteredView::of(view, matches));
            }
        }
        self.caches.filters.note(false);
        let (view, known) = self.pass(filter, known, cancellation)?;
        let matches = Some(known.matches.clone());
        if let Some(text) = text {
            self.caches.filters.keep(text, known);
        }
        Ok(FilteredView::of(view, matches))
    }

    /// The documents of `view` that pass a filter. The columns may show a later view by now: documents
    /// that were revised since are read as `view` has them.
    pub fn filtered_view_in(
        &self,
        view: &Arc<View>,
        filter: Option<&Filter>,
        cancellation: &Cancellation,
    ) -> Result<FilteredView> {
        let current = self.filtered_view(filter, cancellation)?;
        if current.snapshot().sequence()? == view.snapshot.sequence()? {
            return Ok(current);
        }
        let Some(filter) = filter else {
            return Ok(FilteredView::of(view.clone(), None));
        };
        let contains = |field: &str, value: &str| self.contains(field, value, cancellation);
        let callbacks = Callbacks {
            contains: &contains,
            go_on: &|| Ok(cancellation.check()?),
        };
        let shown = self.view_columns(view, &view.alive, cancellation)?;
        let matches = Arc::new(shown.matches(view, filter, &callbacks)?);
        Ok(FilteredView::of(view.clone(), Some(matches)))
    }

    /// Finds the documents that pass a filter in the current view, and returns them with that view. Matches of an
    /// earlier view are brought up to date: an ordinal is never used again, and columns change under a living version
    /// only where it is revised, so that only new and revised ordinals have to be looked at.
    ///
    /// The view is taken while the columns are locked for reading: versions are taken out of the columns only after a
    /// later view was published, so the documents of this view are there, and revised under the lock under which the
    /// view that shows it is published.
    fn pass(
        &self,
        filter: &Filter,
        known: Option<CachedMatches>,
        cancellation: &Cancellation,
    ) -> Result<(Arc<View>, CachedMatches)> {
        let columns = self.columns.read();
        columns
            .check(filter, &|field| self.has_lexical_field(field))
            .map_err(FilterError::Columns)?;
        let view = self.views.load();
        let (sequence, end) = (view.snapshot.sequence()?, view.snapshot.next_doc()?);
        let contains = |field: &str, value: &str| self.contains(field, value, cancellation);
        let callbacks = Callbacks {
            contains: &contains,
            go_on: &|| Ok(cancellation.check()?),
        };
        let known = known.filter(|known| known.sequence <= sequence);
        let known = known.and_then(|known| {
            let revised = self.columns.revisions.lock().since(known.sequence)?;
            Some((known.matches, revised))
        });
        let matches = match known {
            Some((known, revised)) => {
                columns.matches_since(&known, filter, &view.alive, end, &revised, &callbacks)?
            }
            None => columns.matches(filter, &view.alive, end, &callbacks)?,
        };
        let known = CachedMatches {
            matches: Arc::new(matches),
            sequence,
        };
        Ok((view, known))
    }

    /// The warnings about terms that can match nothing, of a filter that has passed its check.
    pub fn filter_warnings(&self, filter: &Filter) -> Vec<Warning> {
        let is_known = |field: &str| field == EXPIRES_AT || self.has_lexical_field(field);
        self.columns.read().warnings(filter, &is_known)
    }

    fn contains(&self, field: &str, value: &str, cancellation: &Cancellation) -> Result<BitSet> {
        check_contains(self, field)?;
        let found = self.lexical.contains_until(field, value, cancellation);
        found.map_err(|error| self.lexical_failed(error))
    }
}
