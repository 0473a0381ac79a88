//! Hits in the order of fields of their documents.

use std::cmp::Ordering;

use pelorus_filter::Number;
use pelorus_rank::SortKey;

use super::hits::Hit;
use super::numbers::with_numbers;
use super::query::Query;
use crate::error::Result;
use crate::generated::SortField;
use crate::index::Index;

/// Sorts hits by the numbers of fields, compared exactly. Those equal in all of them keep their order.
pub(super) fn sort_by_fields(
    index: &Index,
    query: &Query,
    fields: &[SortField],
    hits: &mut [Hit],
) -> Result<()> {
    let names: Vec<String> = fields.iter().map(|field| field.field.clone()).collect();
    let keys: Vec<SortKey> = fields.iter().map(key).collect();
    let numbers: Vec<Vec<Option<Number>>> = with_numbers(index, query, &names, |numbers| {
        let of_hit = |hit: &Hit| {
            (0..names.len())
                .map(|at| numbers.get(at, hit.doc))
                .collect()
        };
        Ok(hits.iter().map(of_hit).collect())
    })?;
    let order = |a: usize, b: usize| {
        let compare = |a: &Number, b: &Number| a.compare(*b);
        let by_key = keys.iter().zip(numbers[a].iter().zip(&numbers[b]));
        by_key.fold(Ordering::Equal, |order, (key, (a, b))| {
            order.then_with(|| key.order(a.as_ref(), b.as_ref(), compare))
        })
    };
    let mut places: Vec<usize> = (0..hits.len()).collect();
    places.sort_by(|&a, &b| order(a, b));
    let sorted: Vec<Hit> = places.into_iter().map(|at| hits[at].clone()).collect();
    hits.clone_from_slice(&sorted);
    Ok(())
}

fn key(field: &SortField) -> SortKey {
    SortKey {
        descending: field.descending,
        missing_first: field.missing_first,
    }
}
