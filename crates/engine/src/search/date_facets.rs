//! Facets of dates: documents counted by parts of the calendar, by ranges, or together with the first and the last.

use pelorus_columns::{Date, Interval};
use pelorus_kernels::BitSet;
use rustc_hash::FxHashMap;

use super::facets::write_object;
use super::group_counts::{Grouping, distinct};
use crate::error::{Result, SearchError};
use crate::generated::{DateInterval, DateRange, Facet, FacetDates};
use crate::read::view_columns::ViewColumns;

/// Most intervals of one facet that have documents.
const INTERVALS_MAX: usize = 10_000;

/// Writes the counts of `docs`, or of the groups of them, by their dates in the field.
pub(super) fn count_dates(
    shown: &ViewColumns<'_>,
    facet: &Facet,
    docs: &BitSet,
    groups: Option<Grouping<'_>>,
    out: &mut Vec<u8>,
) -> Result<()> {
    match &facet.dates {
        Some(FacetDates {
            ranges: Some(ranges),
            ..
        }) => {
            let limits = ranges.iter().map(Limits::of).collect::<Result<Vec<_>>>()?;
            let place = |date| Limits::find(&limits, date);
            let counts = counts(shown, facet, docs, groups, place);
            let named = counts.into_iter();
            let named = named.map(|(place, count)| (ranges[place].name.clone(), count));
            write_counts(&named.collect::<Vec<_>>(), out);
        }
        Some(FacetDates {
            interval: Some(interval),
            ..
        }) => {
            let interval = interval_of(*interval);
            let number = |date| Some(interval.number(date));
            let counts = counts(shown, facet, docs, groups, number);
            if counts.len() > INTERVALS_MAX {
                let field = facet.field.clone();
                let most = INTERVALS_MAX;
                return Err(SearchError::TooManyIntervals { field, most }.into());
            }
            let named = counts.into_iter();
            let named = named.map(|(number, count)| (interval.start(number), count));
            write_counts(&named.collect::<Vec<_>>(), out);
        }
        _ => count_all(shown, facet, docs, groups, out),
    }
    Ok(())
}

/// The counts of documents by the place of their dates, ascending by place; of no place are none.
fn counts<P: Ord + Copy + std::hash::Hash>(
    shown: &ViewColumns<'_>,
    facet: &Facet,
    docs: &BitSet,
    groups: Option<Grouping<'_>>,
    place: impl Fn(Date) -> Option<P>,
) -> Vec<(P, u64)> {
    if let Some(groups) = groups {
        let mut pairs = Vec::new();
        shown.for_each_date(&facet.field, docs, |doc, date| {
            pairs.extend(place(date).map(|place| (place, groups.group(doc))));
        });
        return distinct(pairs);
    }
    let mut counts: FxHashMap<P, u64> = FxHashMap::default();
    shown.for_each_date(&facet.field, docs, |_, date| {
        if let Some(place) = place(date) {
            *counts.entry(place).or_insert(0) += 1;
        }
    });
    let mut counts: Vec<(P, u64)> = counts.into_iter().collect();
    counts.sort_unstable();
    counts
}

/// Counts all dates, with the first and the last of documents; of groups alone how many they are.
fn count_all(
    shown: &ViewColumns<'_>,
    facet: &Facet,
    docs: &BitSet,
    groups: Option<Grouping<'_>>,
    out: &mut Vec<u8>,
) {
    if groups.is_some() {
        let counted = counts(shown, facet, docs, groups, |_| Some(()));
        let count = counted.first().map_or(0, |&((), count)| count);
        out.extend_from_slice(format!("{{\"count\":{count}}}").as_bytes());
        return;
    }
    let mut count = 0_u64;
    let mut ends: Option<(Date, Date)> = None;
    shown.for_each_date(&facet.field, docs, |_, date| {
        count += 1;
        let (first, last) = ends.unwrap_or((date, date));
        ends = Some((first.min(date), last.max(date)));
    });
    let ends = ends.map(|(first, last)| format!("\"min\":\"{first}\",\"max\":\"{last}\","));
    let ends = ends.unwrap_or_default();
    out.extend_from_slice(format!("{{{ends}\"count\":{count}}}").as_bytes());
}

fn write_counts(counts: &[(String, u64)], out: &mut Vec<u8>) {
    let counts = counts.iter().map(|(name, count)| (name.as_str(), count));
    write_object(out, counts, |out, count| {
        out.extend_from_slice(format!("{{\"count\":{count}}}").as_bytes());
    });
}

/// The first moment of a range, and the first one beyond it.
struct Limits {
    from: Option<Date>,
    to: Option<Date>,
}

impl Limits {
    fn of(range: &DateRange) -> Result<Self> {
        let limit = |text: &Option<String>| {
            let date = text.as_ref().map(|text| {
                let limit = || text.clone();
                Date::of_text(text).ok_or_else(|| SearchError::FacetLimit { limit: limit() })
            });
            date.transpose()
        };
        Ok(Self {
            from: limit(&range.from)?,
            to: limit(&range.to)?,
        })
    }

    /// Finds the range, of those given, which are ascending and apart, that a date is in.
    fn find(ranges: &[Self], date: Date) -> Option<usize> {
        let at = ranges.partition_point(|range| range.to.is_some_and(|to| to <= date));
        let range = ranges.get(at)?;
        range.from.is_none_or(|from| from <= date).then_some(at)
    }
}

fn interval_of(interval: DateInterval) -> Interval {
    match interval {
        DateInterval::Year => Interval::Year,
        DateInterval::Quarter => Interval::Quarter,
        DateInterval::Month => Interval::Month,
        DateInterval::Week => Interval::Week,
        DateInterval::Day => Interval::Day,
        DateInterval::Hour => Interval::Hour,
    }
}
