//! The documents that the legs found on the way to a page, for the counts of it.

use pelorus_kernels::BitSet;

use crate::generated::{RetrievalMethod, SearchPlan};

/// The facts that have to be known of the documents found besides the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Counting {
    Nothing,
    /// Their number: cheaper than which they are.
    Total,
    Documents,
}

impl Counting {
    pub fn of(plan: &SearchPlan) -> Self {
        let cutoff = plan.relevance_cutoff.as_ref();
        let facets_all = !cutoff.is_some_and(|cutoff| cutoff.facets_relevant);
        let totals_all = !cutoff.is_some_and(|cutoff| cutoff.totals_relevant);
        match plan {
            plan if plan.facets.is_some() && facets_all => Counting::Documents,
            plan if plan.counts_groups() && facets_all => Counting::Documents,
            plan if !(plan.track_total_hits && totals_all) => Counting::Nothing,
            plan if plan.collapse.is_some() => Counting::Documents,
            _ => Counting::Total,
        }
    }
}

/// The documents that the legs of one search found.
#[derive(Debug, Default)]
pub(super) struct FoundDocuments {
    /// The candidates of the tensor leg, each once, nearest first, and as a set.
    tensor: Vec<u32>,
    candidates: BitSet,
    has_near: bool,
    /// The number of documents that match the words.
    pub lexical_total: u64,
    /// The documents themselves. Where only the total is asked for, those of them among the
    /// candidates.
    pub lexical: BitSet,
    /// The hits that a cut-off leaves, best first.
    pub left: Vec<u32>,
}

impl FoundDocuments {
    /// Takes in the documents that the first search of the tensor leg found, nearest first. Later searches' finds are
    /// not counted: they depend on the page.
    pub fn note_near(&mut self, docs: impl Iterator<Item = u32>) {
        if self.has_near {
            return;
        }
        self.has_near = true;
        self.tensor.extend(docs);
        self.candidates = self.tensor.iter().copied().collect();
        debug_assert_eq!(self.candidates.len(), self.tensor.len(), "each once");
    }

    /// The candidates of the tensor leg, each once, nearest first.
    pub fn tensor(&self) -> &[u32] {
        &self.tensor
    }

    /// The documents that the search found by its way of retrieval.
    pub fn documents(&self, retrieval: RetrievalMethod) -> BitSet {
        match retrieval {
            RetrievalMethod::Tensor => self.candidates.clone(),
            RetrievalMethod::Lexical => self.lexical.clone(),
            RetrievalMethod::Disjunction => {
                let mut documents = self.candidates.clone();
                documents.union_with(&self.lexical);
                documents
            }
        }
    }

    /// The number of these, where not all of them need to be known.
    pub fn total(&self, retrieval: RetrievalMethod) -> u64 {
        let near = self.tensor.len() as u64;
        match retrieval {
            RetrievalMethod::Tensor => near,
            RetrievalMethod::Lexical => self.lexical_total,
            RetrievalMethod::Disjunction => {
                let in_both = self
                    .tensor
                    .iter()
                    .filter(|doc| self.lexical.contains(**doc));
                near + self.lexical_total - in_both.count() as u64
            }
        }
    }
}
