//! A query's way: plan, filter, legs, the stages that follow them, page, finished bytes.

mod answer;
mod candidate_index;
mod candidate_ranking;
mod candidate_search;
mod candidates;
pub(crate) mod check;
mod collapse;
mod context;
mod date_facets;
mod diversity;
mod documents;
mod explain;
mod explanation;
mod facets;
mod found_documents;
mod group_counts;
mod group_hits;
mod hit_scores;
mod hits;
mod index_documents;
mod late_interaction;
mod legs;
mod lexical_query;
mod literal_words;
mod match_scores;
mod named_scores;
mod nearest;
mod numbers;
mod pins;
mod plan;
mod query;
mod query_vector;
mod ranked;
mod ranked_hits;
mod render;
mod rescoring;
pub(crate) mod score_inputs;
mod sorting;
mod sparse_words;
mod stages;
mod text_ranking;
mod word_highlights;
mod words;

use pelorus_cancellation::Cancellation;

use crate::error::Result;
use crate::index::Index;
use answer::Answer;
use documents::Documents;
use legs::Legs;
use query::{PageRange, Query};

pub use candidate_index::{CandidateFields, CandidateIndex};
pub use candidate_ranking::CandidateRanking;
pub use candidate_search::{CandidateSearch, CandidateStep};
pub use candidates::{CandidateChunk, ChunkText, Needs};

pub use lexical_query::lexical_query;
pub use ranked::RankedSearch;
pub use sparse_words::sparse_vector;

/// Runs a search; gives the response body. `plan` is a [`SearchPlan`](crate::generated::SearchPlan) as
/// JSON, `vectors` the query vectors as rows. A panic becomes an error.
pub(crate) fn search(
    index: &Index,
    plan: &[u8],
    vectors: &[f32],
    cancellation: &Cancellation,
) -> Result<Vec<u8>> {
    index.catch_panic(|| {
        let (query, documents) = Query::begin(index, plan, vectors, PageRange::Page, cancellation)?;
        render::render(&documents, &query, &answer(&documents, &query)?)
    })
}

/// Runs a search.
fn answer(documents: &dyn Documents, query: &Query) -> Result<Answer> {
    let legs = Legs::new(documents, query)?;
    let mut page = stages::page(&legs)?;
    collapse::choose_variants(documents, query, &mut page.hits)?;
    let group_hits = group_hits::others(documents, query, &page.hits)?;
    group_counts::note_sizes(&legs, &mut page.hits, group_hits.as_deref())?;
    let explanations = match query.is_explained() {
        true => Some(explain::explain(&legs, &page.hits)?),
        false => None,
    };
    Ok(Answer {
        page,
        group_hits,
        explanations,
        highlights: legs.words.highlights()?,
        did_you_mean: legs.words.did_you_mean()?,
        facets: match &query.plan.facets {
            Some(asked) => Some(facets::facets(&legs, asked)?),
            None => None,
        },
        total_hits: match query.plan.track_total_hits {
            true => Some(legs.total()?),
            false => None,
        },
        warnings: query.warnings.iter().map(ToString::to_string).collect(),
    })
}
