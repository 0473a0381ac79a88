//! All documents that match the words, in the order of fields.
//!
//! Only the page's documents become hits, however many match: the fields choose among all matches, and relevance among
//! those that are equal at the page's end.

use pelorus_kernels::BitSet;
use pelorus_lexical::MatchProbe;

use super::Legs;
use crate::error::Result;
use crate::generated::{LexicalLeg, RankingMethod, RetrievalMethod, Sort};
use crate::search::hits::Hit;
use crate::search::rescoring::Rescoring;
use crate::search::sorting::{first_by_fields, sort_by_fields};

impl Legs<'_> {
    /// The leg whose matches are sorted, all of them; none where the sort is of a pool. A plan has a pool where vectors
    /// take part, which have no end, where it says how many, where it cuts off or groups, and where only the best by BM25 have their scores changed.
    pub fn sorted_leg(&self, sort: &Sort) -> Option<&LexicalLeg> {
        let plan = &self.query.plan;
        let is_of_words = plan.retrieval_method == RetrievalMethod::Lexical
            && plan.ranking_method == RankingMethod::Lexical;
        let has_pool =
            sort.candidates.is_some() || plan.relevance_cutoff.is_some() || plan.collapse.is_some();
        let leg = plan.lexical.as_ref();
        leg.filter(|leg| is_of_words && !has_pool && leg.modified_count.is_none())
    }

    /// The first hits of the order of fields, as many as the page needs, and the number of documents that match. The
    /// more relevant of equal documents is first. Where the sort has a depth, only so many of the most relevant are in
    /// that order, and the others follow by their relevance.
    pub fn sorted_matches(&self, leg: &LexicalLeg, sort: &Sort) -> Result<(Vec<Hit>, usize)> {
        let wanted = self.query.depth();
        let mut matching = self.matching(leg)?;
        let count = matching.len();
        let mut others = BitSet::default();
        if let Some(depth) = sort.depth.filter(|&depth| depth < count) {
            let sorted = self.most_relevant(leg, depth, &matching)?;
            others = std::mem::replace(&mut matching, sorted);
            others.subtract(&matching);
        }
        let found = first_by_fields(self.documents, self.query, &sort.fields, &matching, wanted)?;
        let mut hits = self.by_relevance(leg, found.first.len(), &found.first)?;
        hits.append(&mut self.by_relevance(leg, wanted - hits.len(), &found.tied)?);
        sort_by_fields(self.documents, self.query, &sort.fields, &mut hits)?;
        hits.append(&mut self.by_relevance(leg, wanted - hits.len(), &others)?);
        Ok((hits, count))
    }

    /// The documents that match the words, which are noted as found.
    fn matching(&self, leg: &LexicalLeg) -> Result<BitSet> {
        let accept = self.documents.accept();
        let mut probe = MatchProbe {
            within: accept,
            matching: BitSet::default(),
        };
        let (_, total) = self.words.search(leg, 1, accept, Some(&mut probe), None)?;
        if self.are_counted() {
            let mut found_documents = self.found_documents.borrow_mut();
            found_documents.lexical_total = total;
            found_documents.lexical = probe.matching.clone();
        }
        Ok(probe.matching)
    }

    /// The `count` most relevant of some documents, as a set.
    fn most_relevant(&self, leg: &LexicalLeg, count: usize, docs: &BitSet) -> Result<BitSet> {
        let hits = self.by_relevance(leg, count, docs)?;
        Ok(hits.iter().map(|hit| hit.doc).collect())
    }

    /// The `count` most relevant of some documents, by the leg's scores alone: the typed characters decide among the
    /// best of a ranking, and so would tell other documents apart on every page.
    fn by_relevance(&self, leg: &LexicalLeg, count: usize, docs: &BitSet) -> Result<Vec<Hit>> {
        if count == 0 || docs.is_empty() {
            return Ok(Vec::new());
        }
        let rescoring = self.rescoring_of_lexical(leg);
        let rescoring: Option<&Rescoring> = rescoring.as_ref();
        let (hits, _) = self.words.search(leg, count, docs, None, rescoring)?;
        Ok(hits)
    }
}
