//! From a query text to terms of tokens: split at quotes, analyse, combine.

mod bounds;
mod forms;
mod plan;
mod sources;
mod spellings;
mod split;
mod stop_words;
mod terms;

use pelorus_kernels::BitSet;

use crate::analysis::Language;
use crate::typing::Typing;
use crate::view::Part;

pub(crate) use forms::{QueryAnalyses, TermForm, TermForms};
pub(crate) use plan::{QueryPlan, QueryTerm, TypedWord};
pub(crate) use sources::sources;
pub(crate) use spellings::{Spelling, spellings_of};
pub(crate) use split::SplitQuery;
pub use stop_words::StopWords;
pub use terms::{QueryTerms, SearchForm, SearchTerm, TextFields};

/// One lexical search. The default has no words, and finds nothing.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct LexicalQuery {
    /// The query as the user typed it: words, `"required phrases"`, or `*` for everything.
    /// At most 64 KiB with 4,096 characters besides blanks, 512 distinct terms and, of these, 64
    /// phrases of several words, whether quoted or typed like `t-shirt`. A longer query is refused.
    pub text: String,
    /// Fields to search; `None` searches all. A field the index has never seen matches nothing.
    pub fields: Option<Vec<String>>,
    /// Most hits to return.
    pub k: usize,
    /// The operator that combines optional terms.
    pub operand: Operand,
    /// The language that the query is in; `None` when it is not known. Its words are then looked for
    /// as they would be in each language that texts of the fields are in, so that a word finds itself
    /// whatever a text was taken for.
    pub language: Option<Language>,
    /// The rules by which its words match others.
    pub typing: Typing,
    /// Fields with a weight other than 1, which multiplies what they add to scores: above 0 and finite, of at most 1,000
    /// fields. Unknown ones have no say.
    pub field_weights: Vec<(String, f64)>,
    /// The words that are left out.
    pub stop_words: StopWords,
    /// Moves, at most, that the words of a quoted phrase may be away from side by side: 0 for none. Phrases that are not
    /// quoted, such as `t-shirt`, have none.
    pub phrase_slop: u32,
}

/// The operator that combines the optional (unquoted) terms of a query. Where terms are required these decide the
/// matches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Operand {
    /// At least one optional term must match, unless others are required.
    #[default]
    Or,
    /// Every optional term must match.
    And,
}

/// Asks of some documents whether they match, whatever their score.
#[derive(Debug)]
pub struct MatchProbe<'a> {
    /// The documents that are asked about.
    pub within: &'a BitSet,
    /// Those of them that are accepted and match, added to the hits that are here.
    pub matching: BitSet,
}

impl MatchProbe<'_> {
    /// Answers for up to 64 consecutive documents of a part, given as bits, that are accepted and match.
    pub(crate) fn add(&mut self, part: &Part<'_>, start: u32, matching: u64) {
        let mut asked = part.retain_accepted(matching, start, self.within);
        while asked != 0 {
            let at = asked.trailing_zeros();
            self.matching.insert(part.ordinal(start + at));
            asked &= asked - 1;
        }
    }

    /// Answers for a query that all of `accept` match.
    pub(crate) fn add_all(&mut self, accept: &BitSet) {
        let mut matching = accept.clone();
        matching.intersect_with(self.within);
        self.matching.union_with(&matching);
    }
}

/// The answer to a [`LexicalQuery`].
#[derive(Debug, Clone, PartialEq, Default)]
pub struct LexicalHits {
    /// The best `k` documents as (ordinal, BM25 score), score descending, ties by ordinal ascending.
    pub hits: Vec<(u32, f32)>,
    /// Exact number of accepted documents that match, whatever `k` is.
    pub total: u64,
}

/// The answer to a [`LexicalQuery`] whose scores were changed.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RescoredHits {
    /// The best `k` documents as (ordinal, score), score descending, ties by ordinal ascending.
    pub hits: Vec<(u32, f64)>,
    /// As in [`LexicalHits`].
    pub total: u64,
}
