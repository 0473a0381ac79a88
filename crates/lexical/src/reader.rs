//! Searches of an index's content at one moment.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use pelorus_cancellation::Cancellation;
use pelorus_kernels::BitSet;

use crate::analysis::FieldAnalysis;
use crate::correction::corrected;
use crate::error::{Result, catch_panic};
use crate::expansion::{Reach, expand};
use crate::explain::{TermScore, explain};
use crate::field_table::{FieldTable, Slot};
use crate::field_weights::FieldWeights;
use crate::highlight::Highlighter;
use crate::query::{
    LexicalHits, LexicalQuery, MatchProbe, QueryAnalyses, QueryPlan, QueryTerm, RescoredHits,
};
use crate::rescore::Rescore;
use crate::search::{Terms, rank, rank_all_rescored, rank_rescored, rank_top, rank_top_rescored};
use crate::term_matches::FieldSelection;
use crate::view::View;

/// A snapshot of a [`LexicalIndex`](crate::LexicalIndex): the same documents and statistics for
/// every search, whatever is written meanwhile.
pub struct LexicalReader<'i> {
    dir: &'i Path,
    view: Arc<View>,
    /// The documents that pass the filter of the searches; none where they have none.
    passing: Option<&'i BitSet>,
    /// The analyses of fields, for those that have one set.
    field_analyses: Arc<HashMap<String, FieldAnalysis>>,
}

impl<'i> LexicalReader<'i> {
    pub(crate) fn new(
        dir: &'i Path,
        view: Arc<View>,
        field_analyses: Arc<HashMap<String, FieldAnalysis>>,
    ) -> Self {
        Self {
            dir,
            view,
            passing: None,
            field_analyses,
        }
    }

    /// The same for searches among documents that pass a filter, of which each `accept` is a part. Where a word stands for
    /// more others than are taken, those come first that one of these documents holds.
    pub fn within(self, passing: Option<&'i BitSet>) -> Self {
        Self { passing, ..self }
    }

    /// The hits of [`LexicalIndex::search`](crate::LexicalIndex::search) alone, which may be found much
    /// sooner than their number.
    ///
    /// # Errors
    /// Those of [`LexicalReader::search_probing`].
    pub fn search_top(
        &self,
        query: &LexicalQuery,
        accept: &BitSet,
        cancellation: &Cancellation,
    ) -> Result<Vec<(u32, f32)>> {
        match self.plan(query, cancellation)? {
            QueryPlan::Nothing => Ok(Vec::new()),
            QueryPlan::Everything => {
                Ok(accept.iter().take(query.k).map(|doc| (doc, 0.0)).collect())
            }
            QueryPlan::Terms { required, optional } => {
                let terms = (&*required, &*optional);
                self.with_terms(query, terms, cancellation, |terms| {
                    rank_top(&self.view, terms, query.k, accept)
                })
            }
        }
    }

    /// [`LexicalIndex::search`](crate::LexicalIndex::search) that also answers a probe.
    ///
    /// # Errors
    /// Those of [`LexicalIndex::search`](crate::LexicalIndex::search), and
    /// [`LexicalError::Cancelled`](crate::LexicalError::Cancelled).
    pub fn search_probing(
        &self,
        query: &LexicalQuery,
        accept: &BitSet,
        probe: Option<&mut MatchProbe<'_>>,
        cancellation: &Cancellation,
    ) -> Result<LexicalHits> {
        match self.plan(query, cancellation)? {
            QueryPlan::Nothing => Ok(LexicalHits::default()),
            QueryPlan::Everything => {
                if let Some(probe) = probe {
                    probe.add_all(accept);
                }
                Ok(LexicalHits {
                    hits: accept.iter().take(query.k).map(|doc| (doc, 0.0)).collect(),
                    total: accept.len() as u64,
                })
            }
            QueryPlan::Terms { required, optional } => {
                let terms = (&*required, &*optional);
                self.with_terms(query, terms, cancellation, |terms| {
                    rank(&self.view, terms, query.k, accept, probe)
                })
            }
        }
    }

    /// As [`LexicalIndex::search`](crate::LexicalIndex::search), by what `rescore` makes of
    /// BM25: the best are those of all accepted matches. A probe is answered too.
    ///
    /// # Errors
    /// Those of [`LexicalReader::search_probing`].
    pub fn search_rescored(
        &self,
        query: &LexicalQuery,
        accept: &BitSet,
        probe: Option<&mut MatchProbe<'_>>,
        cancellation: &Cancellation,
        rescore: &mut impl Rescore,
    ) -> Result<RescoredHits> {
        match self.plan(query, cancellation)? {
            QueryPlan::Nothing => Ok(RescoredHits::default()),
            QueryPlan::Everything => {
                if let Some(probe) = probe {
                    probe.add_all(accept);
                }
                Ok(RescoredHits {
                    hits: rank_all_rescored(accept, query.k, cancellation, rescore)?,
                    total: accept.len() as u64,
                })
            }
            QueryPlan::Terms { required, optional } => {
                let terms = (&*required, &*optional);
                self.with_terms(query, terms, cancellation, |terms| {
                    rank_rescored(&self.view, terms, query.k, accept, probe, rescore)
                })
            }
        }
    }

    /// The hits of [`LexicalReader::search_rescored`] alone, which may be found much sooner than their
    /// number.
    ///
    /// # Errors
    /// Those of [`LexicalReader::search_probing`].
    pub fn search_top_rescored(
        &self,
        query: &LexicalQuery,
        accept: &BitSet,
        cancellation: &Cancellation,
        rescore: &mut impl Rescore,
    ) -> Result<Vec<(u32, f64)>> {
        match self.plan(query, cancellation)? {
            QueryPlan::Nothing => Ok(Vec::new()),
            QueryPlan::Everything => rank_all_rescored(accept, query.k, cancellation, rescore),
            QueryPlan::Terms { required, optional } => {
                let terms = (&*required, &*optional);
                self.with_terms(query, terms, cancellation, |terms| {
                    rank_top_rescored(&self.view, terms, query.k, accept, rescore)
                })
            }
        }
    }

    /// Runs `work` with the terms in the fields of a query. A panic is damage.
    fn with_terms<T>(
        &self,
        query: &LexicalQuery,
        (required, optional): (&[QueryTerm], &[QueryTerm]),
        cancellation: &Cancellation,
        work: impl FnOnce(&Terms<'_>) -> Result<T>,
    ) -> Result<T> {
        let weights = FieldWeights::new(&query.field_weights, &self.view.fields);
        self.with_scope(query, |scope| {
            work(&Terms {
                required,
                optional,
                scope,
                weights: &weights,
                cancellation,
            })
        })
    }

    /// Runs `work` with the fields of a query. A panic is damage.
    fn with_scope<T>(
        &self,
        query: &LexicalQuery,
        work: impl FnOnce(FieldSelection<'_>) -> Result<T>,
    ) -> Result<T> {
        let names = query.fields.as_ref();
        let slots = names.map(|names| slots_of(&self.view.fields, names));
        let scope = slots
            .as_deref()
            .map_or(FieldSelection::All, FieldSelection::Fields);
        catch_panic(self.dir, || work(scope))
    }

    /// Runs `work` with the fields and documents that a query reaches. A panic is damage.
    fn with_reach<T>(
        &self,
        query: &LexicalQuery,
        cancellation: &Cancellation,
        work: impl FnOnce(&Reach<'_>) -> Result<T>,
    ) -> Result<T> {
        self.with_scope(query, |scope| {
            work(&Reach {
                view: &self.view,
                scope,
                passing: self.passing,
                cancellation,
            })
        })
    }

    /// The text of a query with a near word in place of each that no document has in the fields that are searched, or of
    /// one that a hundred times as many documents hold an edit away; `None` where nothing is to be corrected. Words in
    /// quotes, with a digit, of less than four characters or more than 40 stay, and so do those that begin others where
    /// the query completes them, and those that another spelling finds where it asks for that. `k` has no say.
    ///
    /// # Errors
    /// [`LexicalError::Cancelled`](crate::LexicalError::Cancelled), and where a file is damaged.
    pub fn corrected(
        &self,
        query: &LexicalQuery,
        cancellation: &Cancellation,
    ) -> Result<Option<String>> {
        self.with_reach(query, cancellation, |reach| corrected(reach, query))
    }

    /// Explains the BM25 of documents, which ascend: for each the scores of its terms, in the order in which 32-bit
    /// sums of them give its score in any search. None of a document that does not match.
    ///
    /// # Errors
    /// Those of [`LexicalReader::search_probing`].
    pub fn explain(
        &self,
        query: &LexicalQuery,
        docs: &[u32],
        cancellation: &Cancellation,
    ) -> Result<Vec<Vec<TermScore>>> {
        match self.plan(query, cancellation)? {
            QueryPlan::Nothing | QueryPlan::Everything => Ok(vec![Vec::new(); docs.len()]),
            QueryPlan::Terms { required, optional } => {
                let terms = (&*required, &*optional);
                self.with_terms(query, terms, cancellation, |terms| {
                    explain(&self.view, terms, docs)
                })
            }
        }
    }

    /// Finds the words of a query in texts of the fields that it searches, which are not looked up: whether
    /// their documents match is not asked. `*` finds none.
    ///
    /// # Errors
    /// [`LexicalError::QueryTooLong`](crate::LexicalError::QueryTooLong) and
    /// [`LexicalError::Cancelled`](crate::LexicalError::Cancelled).
    pub fn highlighter(
        &self,
        query: &LexicalQuery,
        cancellation: &Cancellation,
    ) -> Result<Highlighter> {
        let (fields, analyses) = (self.view.fields.clone(), self.field_analyses.clone());
        Ok(Highlighter::of_plan(
            self.plan(query, cancellation)?,
            query,
            fields,
            analyses,
        ))
    }

    /// The plan of a query in the fields of the view.
    fn plan(&self, query: &LexicalQuery, cancellation: &Cancellation) -> Result<QueryPlan> {
        let analyses = QueryAnalyses::new(self.view.fields.clone(), query.language);
        let mut plan = QueryPlan::new(query, &analyses, &mut analyses.analyzer())?;
        if let QueryPlan::Terms { required, optional } = &mut plan
            && !query.typing.is_exact()
        {
            let terms = required.iter_mut().chain(optional);
            self.with_reach(query, cancellation, |reach| {
                expand(reach, terms, &query.typing, query.language)
            })?;
        }
        Ok(plan)
    }
}

fn slots_of(fields: &FieldTable, names: &[String]) -> Vec<Slot> {
    let mut slots: Vec<Slot> = names.iter().filter_map(|name| fields.slot(name)).collect();
    slots.sort_unstable();
    slots.dedup();
    slots
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query::Operand;
    use crate::search::leaves_out;
    use crate::{LexicalIndex, LexicalOptions};

    /// Documents in two segments that all hold a word, but for some in the smaller one.
    fn two_segments(dir: &Path, in_small: impl Fn(u32) -> bool) -> LexicalIndex {
        let index = LexicalIndex::open(dir, LexicalOptions::default(), &BitSet::default());
        for doc in 0..12_600 {
            let text = match doc < 12_000 || in_small(doc) {
                true => "word",
                false => "other",
            };
            index.add(doc, &[("field", text)]).unwrap();
            if [11_999, 12_599].contains(&doc) {
                index.publish();
                index.flush().unwrap();
            }
        }
        index
    }

    #[test]
    fn a_word_of_some_documents_of_a_small_segment_has_no_other_scored_whole() {
        for step in [2, 3, 50] {
            let dir = tempfile::tempdir().unwrap();
            let index = two_segments(dir.path(), |doc| doc % step == 0);
            let query = LexicalQuery {
                text: "word".to_owned(),
                fields: None,
                k: 10,
                operand: Operand::Or,
                ..LexicalQuery::default()
            };
            let reader = index.reader();
            let never = Cancellation::never();
            let plan = reader.plan(&query, &never).unwrap();
            let QueryPlan::Terms { required, optional } = plan else {
                panic!("a word is a term");
            };
            let ask = || {
                let terms = (&*required, &*optional);
                let ask = |terms: &Terms<'_>| leaves_out(&reader.view, terms, query.k);
                reader.with_terms(&query, terms, &never, ask).unwrap()
            };
            // The bounds of the large segment are taken when the word is searched for again.
            let asked: Vec<bool> = (0..3).map(|_| ask()).collect();
            assert_eq!(asked, [false, true, true], "every {step}th");
        }
    }
}
