//! Facets: the values of fields, counted over the documents that a search found.
//!
//! Where hits are grouped, groups are counted in place of documents.

use std::cmp::{Ordering, Reverse};
use std::collections::{HashMap, HashSet};

use pelorus_columns::{Fold, Number, composed, field_of};
use pelorus_filter::Filter;
use pelorus_kernels::BitSet;

use super::date_facets::count_dates;
use super::group_counts::{Grouping, distinct};
use super::legs::Legs;
use super::stages;
use crate::error::Result;
use crate::generated::{Facet, FacetKind, FacetRange, Facets, SortOrder};
use crate::read::response::{check_answer_size, write_text};
use crate::read::view_columns::{TextForm, ViewColumns};

/// Texts of a field for each document, up to which every text has a counter of its own.
const TEXTS_PER_DOCUMENT_MAX: usize = 8;

/// The answer's `facets`, as JSON.
pub(super) fn facets(legs: &Legs<'_>, facets: &Facets) -> Result<Vec<u8>> {
    let mut counted: HashMap<&[String], BitSet> = HashMap::new();
    let mut out = b"{".to_vec();
    for (at, facet) in facets.fields.iter().enumerate() {
        legs.query.cancellation.check()?;
        let terms = facet.exclude_terms.as_slice();
        if !counted.contains_key(terms) {
            counted.insert(terms, documents(legs, terms, facets.max_depth)?);
        }
        if at > 0 {
            out.push(b',');
        }
        write_text(&mut out, field_of(&facet.field));
        out.push(b':');
        count(legs, facet, &counted[terms], &mut out)?;
        check_answer_size(out.len())?;
    }
    out.push(b'}');
    Ok(out)
}

/// The documents that are counted of a field without these terms of the filter.
fn documents(legs: &Legs<'_>, terms: &[String], max_depth: Option<usize>) -> Result<BitSet> {
    if terms.is_empty() {
        return legs.counted(max_depth);
    }
    // A text that is no filter is no term of one either.
    let terms = terms
        .iter()
        .filter_map(|term| pelorus_filter::parse(term).ok());
    // Terms that are one but for the encoding of their texts are the same, as they are for the filter.
    let written = |term: &Filter| composed(&term.to_string()).into_owned();
    let terms: HashSet<String> = terms.map(|term| written(&term)).collect();
    let is_named = |term: &Filter| terms.contains(&written(term));
    let without = |filter: Filter| filter.without(&is_named);
    let mut counted = BitSet::default();
    legs.documents
        .with_filter(legs.query, &without, &mut |documents| {
            let legs = Legs::new(documents, legs.query)?;
            stages::page(&legs)?;
            counted = legs.counted(max_depth)?;
            Ok(())
        })?;
    Ok(counted)
}

fn count(legs: &Legs<'_>, facet: &Facet, docs: &BitSet, out: &mut Vec<u8>) -> Result<()> {
    let shown = legs
        .documents
        .view_columns(docs, &legs.query.cancellation)?;
    let collapse = legs.query.plan.collapse.as_ref();
    let groups = collapse.map(|collapse| Grouping::of(&shown, &collapse.field));
    let mut texts = |form| match legs.documents.definition().fold() {
        Some(fold) => count_folded_texts(&shown, facet, form, docs, groups, fold, out),
        None => count_texts(&shown, facet, form, docs, groups, out),
    };
    match facet.kind {
        FacetKind::String => texts(TextForm::Single),
        FacetKind::Array => texts(TextForm::List),
        FacetKind::Number => count_numbers(&shown, facet, docs, groups, out),
        FacetKind::Date => count_dates(&shown, facet, docs, groups, out)?,
    }
    Ok(())
}

fn count_texts(
    shown: &ViewColumns<'_>,
    facet: &Facet,
    form: TextForm,
    docs: &BitSet,
    groups: Option<Grouping<'_>>,
    out: &mut Vec<u8>,
) {
    let texts = shown.texts(&facet.field);
    let counts = match groups {
        Some(groups) => {
            let mut pairs = Vec::new();
            texts.for_each(form, docs, |doc, text| {
                pairs.push((text, groups.group(doc)))
            });
            distinct(pairs)
        }
        None if texts.end() > TEXTS_PER_DOCUMENT_MAX * docs.len() => {
            let mut counts = HashMap::new();
            texts.for_each(form, docs, |_, text| *counts.entry(text).or_insert(0) += 1);
            counts.into_iter().collect()
        }
        None => {
            let mut counts = vec![0; texts.end()];
            texts.for_each(form, docs, |_, text| counts[text] += 1);
            let counts = counts.into_iter().enumerate();
            counts.filter(|(_, count)| *count > 0).collect()
        }
    };
    let counts = counts.into_iter();
    let listed = counts.map(|(text, count)| (texts.text(text), count));
    write_counts(facet, listed.collect(), out);
}

/// As [`count_texts`], texts of one form as one: under the spelling that most of the documents have, the least of several.
fn count_folded_texts(
    shown: &ViewColumns<'_>,
    facet: &Facet,
    form: TextForm,
    docs: &BitSet,
    groups: Option<Grouping<'_>>,
    fold: Fold,
    out: &mut Vec<u8>,
) {
    let texts = shown.texts(&facet.field);
    let mut values: HashMap<String, usize> = HashMap::new();
    let mut value_of: HashMap<usize, usize> = HashMap::new();
    let mut spellings: HashMap<usize, u64> = HashMap::new();
    let mut pairs = Vec::new();
    texts.for_each(form, docs, |doc, text| {
        let value = *value_of.entry(text).or_insert_with(|| {
            let next = values.len();
            *values.entry(fold(texts.text(text))).or_insert(next)
        });
        *spellings.entry(text).or_insert(0) += 1;
        let counted = groups
            .as_ref()
            .map_or(u64::from(doc), |groups| groups.group(doc));
        pairs.push((value, counted));
    });
    let mut best: HashMap<usize, (Reverse<u64>, &str)> = HashMap::new();
    for (text, count) in spellings {
        let spelling = (Reverse(count), texts.text(text));
        let known = best.entry(value_of[&text]).or_insert(spelling);
        *known = (*known).min(spelling);
    }
    let counts = distinct(pairs).into_iter();
    let listed = counts.map(|(value, count)| (best[&value].1, count));
    write_counts(facet, listed.collect(), out);
}

/// Writes as many of the counts as are asked for, in their order.
fn write_counts(facet: &Facet, mut listed: Vec<(&str, u64)>, out: &mut Vec<u8>) {
    let order = |a: &(&str, u64), b: &(&str, u64)| by_count(facet.order, a, b);
    if listed.len() > facet.max_results {
        listed.select_nth_unstable_by(facet.max_results, order);
        listed.truncate(facet.max_results);
    }
    listed.sort_unstable_by(order);
    write_object(out, listed.into_iter(), |out, count| {
        out.extend_from_slice(format!("{{\"count\":{count}}}").as_bytes());
    });
}

/// Equal counts are listed by their text.
fn by_count(order: SortOrder, (a, count_a): &(&str, u64), (b, count_b): &(&str, u64)) -> Ordering {
    let by_count = match order {
        SortOrder::Asc => count_a.cmp(count_b),
        SortOrder::Desc => count_b.cmp(count_a),
    };
    by_count.then_with(|| a.cmp(b))
}

fn count_numbers(
    shown: &ViewColumns<'_>,
    facet: &Facet,
    docs: &BitSet,
    groups: Option<Grouping<'_>>,
    out: &mut Vec<u8>,
) {
    let ranges = facet.ranges.as_deref();
    // The place of a number's range, 0 where there are none.
    let place = |number| ranges.map_or(Some(0), |ranges| range_of(ranges, number));
    let answers: Vec<(usize, String)> = match groups {
        Some(groups) => {
            let mut pairs = Vec::new();
            shown.for_each_number(&facet.field, docs, |doc, number| {
                pairs.extend(place(number).map(|place| (place, groups.group(doc))));
            });
            let counts = distinct(pairs).into_iter();
            counts
                .map(|(place, count)| (place, format!("{{\"count\":{count}}}")))
                .collect()
        }
        None => {
            let mut statistics = vec![Statistics::default(); ranges.map_or(1, <[_]>::len)];
            shown.for_each_number(&facet.field, docs, |_, number| {
                if let Some(place) = place(number) {
                    statistics[place].add(number);
                }
            });
            let by_place = statistics.iter().enumerate();
            by_place
                .filter(|(_, statistics)| statistics.count > 0)
                .map(|(place, statistics)| (place, statistics.json()))
                .collect()
        }
    };
    match ranges {
        Some(ranges) => {
            let answers = answers
                .iter()
                .map(|(place, answer)| (ranges[*place].name.as_str(), answer));
            write_object(out, answers, |out, answer| {
                out.extend_from_slice(answer.as_bytes());
            });
        }
        None => {
            let answer = answers
                .first()
                .map_or("{\"count\":0}", |(_, answer)| answer);
            out.extend_from_slice(answer.as_bytes());
        }
    }
}

/// Finds the range, of those given, which are ascending and apart, that a number is in.
fn range_of(ranges: &[FacetRange], number: Number) -> Option<usize> {
    let is_from = |from: f64| number.compare(Number::Float(from)).is_ge();
    let at = ranges.partition_point(|range| range.to.is_some_and(is_from));
    let range = ranges.get(at)?;
    range.from.is_none_or(is_from).then_some(at)
}

/// The statistics of some numbers. Everything but the mean is exact if all are integers.
#[derive(Debug, Clone, Copy, Default)]
struct Statistics {
    count: u64,
    ints: i128,
    floats: f64,
    has_floats: bool,
    min: Option<Number>,
    max: Option<Number>,
}

impl Statistics {
    fn add(&mut self, number: Number) {
        self.count += 1;
        match number {
            Number::Int(int) => self.ints += i128::from(int),
            Number::Float(float) => {
                self.has_floats = true;
                // JSON has no infinity.
                self.floats = (self.floats + float).clamp(f64::MIN, f64::MAX);
            }
        }
        if self.min.is_none_or(|min| number.compare(min).is_lt()) {
            self.min = Some(number);
        }
        if self.max.is_none_or(|max| number.compare(max).is_gt()) {
            self.max = Some(number);
        }
    }

    fn json(&self) -> String {
        let sum = (self.ints as f64 + self.floats).clamp(f64::MIN, f64::MAX);
        let avg = Number::Float(sum / self.count as f64);
        let sum = match self.has_floats {
            true => Number::Float(sum).to_string(),
            false => self.ints.to_string(),
        };
        let end = |number: Option<Number>| number.unwrap_or(Number::Int(0));
        format!(
            "{{\"sum\":{sum},\"avg\":{avg},\"min\":{},\"max\":{},\"count\":{}}}",
            end(self.min),
            end(self.max),
            self.count
        )
    }
}

/// Writes members by their names.
pub(super) fn write_object<'a, T>(
    out: &mut Vec<u8>,
    members: impl Iterator<Item = (&'a str, T)>,
    write: impl Fn(&mut Vec<u8>, T),
) {
    out.push(b'{');
    for (at, (name, value)) in members.enumerate() {
        if at > 0 {
            out.push(b',');
        }
        write_text(out, name);
        out.push(b':');
        write(out, value);
    }
    out.push(b'}');
}
