//! Hits of one group become one.

use std::cell::RefCell;
use std::cmp::Ordering;
use std::collections::HashMap;

use pelorus_columns::{Columns, Date, Number};
use pelorus_kernels::BitSet;
use rustc_hash::{FxHashMap, FxHashSet};

use super::documents::Documents;
use super::hits::Hit;
use super::pins::Pins;
use super::query::Query;
use crate::error::Result;
use crate::generated::{CollapseSort, SortOrder};
use crate::read::view_columns::ViewColumns;

/// Each search of a leg looks for this many times the documents of the one before.
const STEP_GROWTH: usize = 4;

/// A group of documents, of this search alone. One without a text to group by is its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Group {
    Named(u32),
    Alone(u32),
}

/// The groups of the documents that a search has seen.
pub(super) struct Groups<'a> {
    documents: &'a dyn Documents,
    query: &'a Query,
    field: &'a str,
    /// The numbers of groups by name. Those that pinned documents stand for come first.
    names: RefCell<HashMap<String, u32>>,
    pinned_count: u32,
    by_doc: RefCell<FxHashMap<u32, Group>>,
}

impl<'a> Groups<'a> {
    /// None for a search that does not group.
    pub fn of(documents: &'a dyn Documents, query: &'a Query, pins: &Pins) -> Option<Self> {
        let collapse = query.plan.collapse.as_ref()?;
        let pinned = pins.groups().iter().cloned().zip(0..);
        Some(Self {
            documents,
            query,
            field: &collapse.field,
            names: RefCell::new(pinned.collect()),
            pinned_count: pins.groups().len() as u32,
            by_doc: RefCell::default(),
        })
    }

    /// The group of a document that a leg found.
    pub fn group(&self, doc: u32) -> Group {
        let known = self.by_doc.borrow().get(&doc).copied();
        known.unwrap_or(Group::Alone(doc))
    }

    fn is_pinned(&self, group: Group) -> bool {
        matches!(group, Group::Named(number) if number < self.pinned_count)
    }

    /// The best hit of each of at least `wanted` groups, or of all there are, best first.
    ///
    /// `find` gives the best hits of so many among the documents it is given, of `first` to begin with. A leg is
    /// searched again without the documents of the groups that it has shown, so that large groups do not keep it from
    /// others. Its calls do not depend on `wanted`: a search that wants more only adds to the end. `finds_all` says
    /// that a search that gave fewer hits than asked for left none out.
    pub fn collapse(
        &self,
        first: usize,
        wanted: usize,
        finds_all: bool,
        find: impl Fn(usize, &BitSet) -> Result<Vec<Hit>>,
    ) -> Result<Vec<Hit>> {
        let mut left = self.documents.accept().clone();
        self.documents.note_rest(Some(&left));
        let hits = self.collapse_all(first, wanted, finds_all, find, &mut left);
        self.documents.note_rest(None);
        hits
    }

    fn collapse_all(
        &self,
        first: usize,
        wanted: usize,
        finds_all: bool,
        find: impl Fn(usize, &BitSet) -> Result<Vec<Hit>>,
        left: &mut BitSet,
    ) -> Result<Vec<Hit>> {
        let mut known = FxHashSet::default();
        let mut hits = Vec::new();
        let mut size = first;
        while hits.len() < wanted {
            self.query.cancellation.check()?;
            let found = find(size, left)?;
            let is_last = found.is_empty() || (finds_all && found.len() < size);
            self.keep_first(found, &mut known, left, &mut hits);
            if is_last {
                break;
            }
            size = size.saturating_mul(STEP_GROWTH);
        }
        Ok(hits)
    }

    /// Adds the first hit of each new group to `hits`, and takes the group out of `left`. A group that a pinned document
    /// stands for has no hit of its own, so that no depth counts one.
    fn keep_first(
        &self,
        found: Vec<Hit>,
        known: &mut FxHashSet<Group>,
        left: &mut BitSet,
        hits: &mut Vec<Hit>,
    ) {
        let mut found = Some(found);
        self.documents.read_columns(&mut |columns| {
            let found = found.take().unwrap_or_default();
            self.keep_first_of(columns, found, known, left, hits);
        });
    }

    fn keep_first_of(
        &self,
        columns: &Columns,
        found: Vec<Hit>,
        known: &mut FxHashSet<Group>,
        left: &mut BitSet,
        hits: &mut Vec<Hit>,
    ) {
        let texts = columns.texts(self.field);
        let mut names = self.names.borrow_mut();
        let mut by_doc = self.by_doc.borrow_mut();
        for hit in found {
            let text = texts.and_then(|texts| Some((texts, texts.single(hit.doc)?)));
            let group = match text {
                None => Group::Alone(hit.doc),
                Some((texts, id)) => {
                    let next = names.len() as u32;
                    let name = texts.text(id);
                    let known = names.get(name).copied();
                    Group::Named(known.unwrap_or_else(|| {
                        names.insert(name.to_owned(), next);
                        next
                    }))
                }
            };
            by_doc.insert(hit.doc, group);
            if !known.insert(group) {
                continue;
            }
            match text {
                None => drop(left.remove(hit.doc)),
                Some((texts, id)) => texts.take_out(id, left),
            }
            if !self.is_pinned(group) {
                hits.push(hit);
            }
        }
    }
}

/// Notes for each hit of the page which document of its group is shown in its place.
pub(super) fn choose_variants(
    documents: &dyn Documents,
    query: &Query,
    page: &mut [Hit],
) -> Result<()> {
    let Some(collapse) = &query.plan.collapse else {
        return Ok(());
    };
    let Some(sort) = &collapse.sort else {
        return Ok(());
    };
    let members = documents.members(&collapse.field, page);
    let shown = documents.view_columns(&members, &query.cancellation)?;
    let Some(texts) = shown.groups(&collapse.field) else {
        return Ok(());
    };
    // A pinned document stands there itself.
    for hit in page.iter_mut().filter(|hit| !hit.is_pinned) {
        query.cancellation.check()?;
        let own = value(sort, &shown, hit.doc);
        let Some(group) = texts.single(hit.doc) else {
            continue;
        };
        if own.is_none() && !sort.always_fetch_variants {
            continue;
        }
        let mut best: Option<(Value, u32)> = None;
        texts.for_each_document(group, |doc| {
            if members.contains(doc)
                && let Some(value) = value(sort, &shown, doc)
                && best.is_none_or(|best| is_before(sort, &shown, (value, doc), best))
            {
                best = Some((value, doc));
            }
        });
        hit.variant = best
            .filter(|(value, _)| own.is_none_or(|own| order(sort, *value, own).is_lt()))
            .map(|(_, doc)| doc);
    }
    Ok(())
}

/// The documents of the groups on a page that pass the filter, where all of them are here.
pub(super) fn members(documents: &dyn Documents, field: &str, page: &[Hit]) -> BitSet {
    let mut members = BitSet::default();
    documents.read_columns(&mut |columns| {
        let Some(texts) = columns.texts(field) else {
            return;
        };
        for group in page.iter().filter_map(|hit| texts.single(hit.doc)) {
            texts.for_each_document(group, |doc| {
                members.insert(doc);
            });
        }
    });
    members.intersect_with(documents.accept());
    members
}

/// The value by which documents of a group are compared, of the one kind that the sort is of.
#[derive(Debug, Clone, Copy)]
enum Value {
    Number(Number),
    Date(Date),
}

fn value(sort: &CollapseSort, shown: &ViewColumns<'_>, doc: u32) -> Option<Value> {
    match sort.dates {
        true => shown.date(&sort.field, doc).map(Value::Date),
        false => shown.number(&sort.field, doc).map(Value::Number),
    }
}

fn order(sort: &CollapseSort, a: Value, b: Value) -> Ordering {
    let order = match (a, b) {
        (Value::Number(a), Value::Number(b)) => a.compare(b),
        (Value::Date(a), Value::Date(b)) => a.cmp(&b),
        (Value::Number(_), Value::Date(_)) => Ordering::Less,
        (Value::Date(_), Value::Number(_)) => Ordering::Greater,
    };
    match sort.order {
        SortOrder::Asc => order,
        SortOrder::Desc => order.reverse(),
    }
}

/// Among equal values the least `_id` is first.
fn is_before(
    sort: &CollapseSort,
    shown: &ViewColumns<'_>,
    (a, doc_a): (Value, u32),
    (b, doc_b): (Value, u32),
) -> bool {
    let by_value = order(sort, a, b);
    by_value
        .then_with(|| shown.id(doc_a).cmp(&shown.id(doc_b)))
        .is_lt()
}
