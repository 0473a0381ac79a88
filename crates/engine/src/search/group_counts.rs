//! Counts of the groups that documents make, where hits are grouped by a field.

use pelorus_columns::TextValues;
use pelorus_kernels::BitSet;
use rustc_hash::FxHashMap;

use super::documents::Documents;
use super::group_hits::GroupHits;
use super::hits::Hit;
use super::legs::Legs;
use super::query::Query;
use crate::error::Result;
use crate::read::view_columns::ViewColumns;

/// Counts the documents of a set, or the groups of them.
pub(super) fn total(documents: &dyn Documents, query: &Query, docs: &BitSet) -> Result<u64> {
    let Some(collapse) = &query.plan.collapse else {
        return Ok(docs.len() as u64);
    };
    let shown = documents.view_columns(docs, &query.cancellation)?;
    let grouping = Grouping::of(&shown, &collapse.field);
    let pairs = docs.iter().map(|doc| (0, grouping.group(doc))).collect();
    Ok(distinct(pairs).first().map_or(0, |&(_, count)| count))
}

/// Notes for each hit of the page how many documents of its group the search found, itself counted. Those that are shown
/// of the group, `shown`, were found too, however far they are behind those that are counted for every page.
pub(super) fn note_sizes(
    legs: &Legs<'_>,
    page: &mut [Hit],
    shown: Option<&[GroupHits]>,
) -> Result<()> {
    let Legs {
        documents, query, ..
    } = legs;
    let Some(collapse) = query.plan.collapse.as_ref().filter(|one| one.counts) else {
        return Ok(());
    };
    let mut found = legs.counted(None)?;
    found.extend(page.iter().map(|hit| hit.doc));
    if let Some(shown) = shown {
        let others = shown.iter().flat_map(|group| &group.hits);
        found.extend(others.map(|other| other.doc));
        found.extend(page.iter().filter_map(|hit| hit.variant));
    }
    let columns = documents.view_columns(&found, &query.cancellation)?;
    let grouping = Grouping::of(&columns, &collapse.field);
    let groups = page.iter().map(|hit| (grouping.group(hit.doc), 0));
    let mut sizes: FxHashMap<u64, u32> = groups.collect();
    for doc in found.iter() {
        if let Some(size) = sizes.get_mut(&grouping.group(doc)) {
            *size += 1;
        }
    }
    for hit in page {
        hit.group_count = sizes.get(&grouping.group(hit.doc)).copied();
    }
    Ok(())
}

/// The numbers of groups from which on each is a document that is its own.
const LONE_DOCUMENTS: u64 = 1 << 40;

/// Groups by number, for as long as the columns are locked.
#[derive(Clone, Copy)]
pub(super) struct Grouping<'a>(Option<TextValues<'a>>);

impl<'a> Grouping<'a> {
    /// The groups of documents by a field.
    pub fn of(shown: &'a ViewColumns<'_>, field: &str) -> Self {
        Self(shown.groups(field))
    }

    /// A document without a text to group by is its own group.
    pub fn group(self, doc: u32) -> u64 {
        let text = self
            .0
            .and_then(|texts| Some(texts.place(texts.single(doc)?)));
        debug_assert!(
            text.is_none_or(|place| (place as u64) < LONE_DOCUMENTS),
            "no text has the number of a lone document"
        );
        text.map_or(LONE_DOCUMENTS | u64::from(doc), |place| place as u64)
    }
}

/// For each first member of `pairs` how many distinct second members it has, ascending.
pub(super) fn distinct<T: Ord + Copy>(mut pairs: Vec<(T, u64)>) -> Vec<(T, u64)> {
    pairs.sort_unstable();
    pairs.dedup();
    let runs = pairs.chunk_by(|(a, _), (b, _)| a == b);
    runs.map(|run| (run[0].0, run.len() as u64)).collect()
}
