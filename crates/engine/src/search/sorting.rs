//! Hits in the order of fields of their documents.

use std::cmp::Ordering;

use pelorus_columns::DatePart;
use pelorus_filter::Number;
use pelorus_kernels::BitSet;
use pelorus_rank::SortKey;

use super::documents::{Documents, with_numbers};
use super::hits::Hit;
use super::numbers::Numbers;
use super::query::Query;
use crate::error::Result;
use crate::generated::SortField;

/// Sorts hits by the numbers of fields, compared exactly. Those equal in all of them keep their order.
pub(super) fn sort_by_fields(
    documents: &dyn Documents,
    query: &Query,
    fields: &[SortField],
    hits: &mut [Hit],
) -> Result<()> {
    let SortKeys { names, keys } = SortKeys::of(fields);
    let numbers: Vec<Vec<Option<Number>>> = with_numbers(documents, query, &names, |numbers| {
        let of_hit = |hit: &Hit| {
            (0..names.len())
                .map(|at| numbers.get(at, hit.doc))
                .collect()
        };
        Ok(hits.iter().map(of_hit).collect())
    })?;
    let order = |a: usize, b: usize| {
        let by_key = keys.iter().zip(numbers[a].iter().zip(&numbers[b]));
        order_of_numbers(by_key.map(|(key, (a, b))| (*key, *a, *b)))
    };
    let mut places: Vec<usize> = (0..hits.len()).collect();
    places.sort_by(|&a, &b| order(a, b));
    let sorted: Vec<Hit> = places.into_iter().map(|at| hits[at].clone()).collect();
    hits.clone_from_slice(&sorted);
    Ok(())
}

/// The first `count` documents of a set in the order of fields. Where documents that are equal in all of them stand at
/// that border, all of these are told, and something else must choose.
#[derive(Debug, Default)]
pub(super) struct FirstByFields {
    /// Those surely among the first, `count` at most.
    pub first: BitSet,
    /// Those that are equal to the last of the first `count`.
    pub tied: BitSet,
}

/// Finds the first `count` documents of `docs` in the order of fields. It looks at every document twice, and keeps the
/// numbers of no more than twice `count` of them.
pub(super) fn first_by_fields(
    documents: &dyn Documents,
    query: &Query,
    fields: &[SortField],
    docs: &BitSet,
    count: usize,
) -> Result<FirstByFields> {
    let SortKeys { names, keys } = SortKeys::of(fields);
    with_numbers(documents, query, &names, |numbers| {
        let mut found = FirstByFields::default();
        let Some(last) = last_of_first(query, &keys, numbers, docs, count)? else {
            if count > 0 {
                found.first = docs.clone();
            }
            return Ok(found);
        };
        for (at, doc) in docs.iter().enumerate() {
            if at % CHECKED_EVERY == 0 {
                query.cancellation.check()?;
            }
            match order_of_doc(&keys, numbers, doc, &last) {
                Ordering::Less => found.first.insert(doc),
                Ordering::Equal => found.tied.insert(doc),
                Ordering::Greater => false,
            };
        }
        debug_assert!(found.first.len() < count, "the last is not among them");
        Ok(found)
    })
}

/// The numbers of the last of the first `count` documents; none where there are not more than that.
fn last_of_first(
    query: &Query,
    keys: &[SortKey],
    numbers: &Numbers<'_>,
    docs: &BitSet,
    count: usize,
) -> Result<Option<Vec<Option<Number>>>> {
    if count == 0 {
        return Ok(None);
    }
    let order = |a: &Vec<Option<Number>>, b: &Vec<Option<Number>>| {
        let by_key = keys.iter().zip(a.iter().zip(b));
        order_of_numbers(by_key.map(|(key, (a, b))| (*key, *a, *b)))
    };
    let mut best: Vec<Vec<Option<Number>>> = Vec::new();
    let mut last: Option<Vec<Option<Number>>> = None;
    let mut seen = 0;
    for doc in docs.iter() {
        if seen % CHECKED_EVERY == 0 {
            query.cancellation.check()?;
        }
        seen += 1;
        let is_behind = |last: &Vec<_>| order_of_doc(keys, numbers, doc, last).is_ge();
        if last.as_ref().is_some_and(is_behind) {
            continue;
        }
        best.push((0..keys.len()).map(|at| numbers.get(at, doc)).collect());
        if best.len() >= count.saturating_mul(2) {
            best.select_nth_unstable_by(count - 1, order);
            best.truncate(count);
            last = best.last().cloned();
        }
    }
    if seen <= count {
        return Ok(None);
    }
    best.select_nth_unstable_by(count - 1, order);
    Ok(Some(best.swap_remove(count - 1)))
}

/// Documents between which a search looks whether it was called off.
const CHECKED_EVERY: usize = 4096;

/// Compares a document with one of these numbers, without a list of its own.
fn order_of_doc(
    keys: &[SortKey],
    numbers: &Numbers<'_>,
    doc: u32,
    other: &[Option<Number>],
) -> Ordering {
    let by_key = keys.iter().zip(other).enumerate();
    order_of_numbers(by_key.map(|(at, (key, other))| (*key, numbers.get(at, doc), *other)))
}

/// Compares two documents by the numbers of each key, the first that differs.
fn order_of_numbers(
    by_key: impl Iterator<Item = (SortKey, Option<Number>, Option<Number>)>,
) -> Ordering {
    let compare = |a: &Number, b: &Number| a.compare(*b);
    for (key, a, b) in by_key {
        let order = key.order(a.as_ref(), b.as_ref(), compare);
        if order.is_ne() {
            return order;
        }
    }
    Ordering::Equal
}

/// The numbers that documents are compared by, with the names that they are read by.
struct SortKeys {
    names: Vec<String>,
    keys: Vec<SortKey>,
}

impl SortKeys {
    /// One number of each field; of dates two, since nanoseconds of ten thousand years are more than 64 bits.
    fn of(fields: &[SortField]) -> Self {
        let mut sort = Self {
            names: Vec::new(),
            keys: Vec::new(),
        };
        for field in fields {
            let key = SortKey {
                descending: field.descending,
                missing_first: field.missing_first,
            };
            let names = names(field);
            sort.keys.extend(names.iter().map(|_| key));
            sort.names.extend(names);
        }
        sort
    }
}

/// The names of the numbers of one field.
fn names(SortField { field, dates, .. }: &SortField) -> Vec<String> {
    match dates {
        true => vec![
            DatePart::Seconds.name(field),
            DatePart::Nanoseconds.name(field),
        ],
        false => vec![field.clone()],
    }
}
