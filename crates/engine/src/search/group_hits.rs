//! Further documents of the groups that hits stand for.

use std::slice;
use std::sync::Arc;

use super::documents::Documents;
use super::explain;
use super::hits::Hit;
use super::legs::{CANDIDATES, Legs};
use super::query::Query;
use super::stages;
use crate::error::Result;
use crate::generated::{RankingMethod, SearchPlan};

/// Further documents of the group of one hit, best first.
#[derive(Clone, Default)]
pub(super) struct GroupHits {
    pub hits: Vec<Hit>,
    /// The explanation of the score of each, as JSON; none where nobody asks.
    pub explanations: Option<Vec<Vec<u8>>>,
}

/// The plan by which the documents of one group are ranked among themselves; none where hits show no others of theirs.
/// `json` is that of the search, which `plan` is.
pub(super) fn plan(json: &[u8], plan: &SearchPlan) -> Result<Option<Arc<SearchPlan>>> {
    let Some(others) = plan.collapse.as_ref().map(|collapse| collapse.others) else {
        return Ok(None);
    };
    if others == 0 {
        return Ok(None);
    }
    let mut plan = SearchPlan {
        limit: others,
        offset: 0,
        pinned: Vec::new(),
        did_you_mean: None,
        relevance_cutoff: None,
        diversity: None,
        collapse: None,
        facets: None,
        track_total_hits: false,
        ..SearchPlan::parse(json)?
    };
    // A leg finds as many for the other to rank as it finds of groups. A page of a search without groups is ranked by
    // itself, and that of a group, which is short, would leave the best of it out.
    plan.rerank_count.get_or_insert(CANDIDATES);
    if let (RankingMethod::Lexical, Some(leg)) = (plan.ranking_method, &mut plan.tensor) {
        leg.rerank_depth.get_or_insert(CANDIDATES);
    }
    Ok(Some(Arc::new(plan)))
}

/// The best documents of the group of each hit but for the one that is shown, best first: those that the search ranks
/// where no other documents are. None where nobody asks.
pub(super) fn others(
    documents: &dyn Documents,
    query: &Query,
    page: &[Hit],
) -> Result<Option<Vec<GroupHits>>> {
    let (Some(plan), Some(collapse)) = (&query.group_plan, &query.plan.collapse) else {
        return Ok(None);
    };
    let ranking = Query {
        plan: plan.clone(),
        cancellation: query.cancellation.clone(),
        range: query.range,
        warnings: Vec::new(),
        vector: query.vector.clone(),
        group_plan: None,
    };
    let others = page.iter().map(|hit| {
        query.cancellation.check()?;
        let mut group = documents.members(&collapse.field, slice::from_ref(hit));
        group.remove(hit.variant.unwrap_or(hit.doc));
        let mut others = GroupHits::default();
        if !group.is_empty() {
            documents.among(&group, &mut |group| {
                let legs = Legs::new(group, &ranking)?;
                others.hits = stages::page(&legs)?.hits;
                if ranking.is_explained() {
                    others.explanations = Some(explain::explain(&legs, &others.hits)?);
                }
                Ok(())
            })?;
        }
        Ok(others)
    });
    others.collect::<Result<_>>().map(Some)
}
