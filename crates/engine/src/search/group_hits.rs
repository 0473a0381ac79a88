//! Further documents of the groups that hits stand for.

use std::slice;
use std::sync::Arc;

use super::documents::Documents;
use super::hits::Hit;
use super::legs::Legs;
use super::query::Query;
use super::stages;
use crate::error::Result;
use crate::generated::SearchPlan;

/// The plan by which the documents of one group are ranked among themselves; none where hits show no others of theirs.
/// `json` is that of the search, which `plan` is.
pub(super) fn plan(json: &[u8], plan: &SearchPlan) -> Result<Option<Arc<SearchPlan>>> {
    let Some(others) = plan.collapse.as_ref().map(|collapse| collapse.others) else {
        return Ok(None);
    };
    if others == 0 {
        return Ok(None);
    }
    Ok(Some(Arc::new(SearchPlan {
        limit: others,
        offset: 0,
        pinned: Vec::new(),
        explain: false,
        did_you_mean: None,
        relevance_cutoff: None,
        diversity: None,
        collapse: None,
        facets: None,
        track_total_hits: false,
        ..SearchPlan::parse(json)?
    })))
}

/// The best documents of the group of each hit but for the one that is shown, best first: those that the search ranks
/// where no other documents are. None where nobody asks.
pub(super) fn others(
    documents: &dyn Documents,
    query: &Query,
    page: &[Hit],
) -> Result<Option<Vec<Vec<Hit>>>> {
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
        let mut hits = Vec::new();
        if !group.is_empty() {
            documents.among(&group, &mut |group| {
                hits = stages::page(&Legs::new(group, &ranking)?)?.hits;
                Ok(())
            })?;
        }
        Ok(hits)
    });
    others.collect::<Result<_>>().map(Some)
}
