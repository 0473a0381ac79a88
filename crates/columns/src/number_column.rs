//! Columns read as one number for each document.

use pelorus_geo::GeoPoint;
use pelorus_kernels::BitSet;

use crate::Number;
use crate::column::Column;
use crate::date::{Date, DatePart, date_of};
use crate::distance::{self, distance_of};

/// The numbers that are read of a field.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Reading {
    /// Its numbers as they are.
    Numbers,
    /// Distances of its points from a place, in metres.
    Distances {
        from: GeoPoint,
    },
    Dates(DatePart),
}

impl Reading {
    /// The field and the reading that a name stands for.
    pub(crate) fn of(name: &str) -> (&str, Self) {
        if let Some((part, field)) = date_of(name) {
            return (field, Reading::Dates(part));
        }
        match distance_of(name) {
            Some((field, from)) => (field, Reading::Distances { from }),
            None => (name, Reading::Numbers),
        }
    }
}

/// The single numbers of one field, the distances of its points from a place, or its dates as numbers: for reading many
/// documents with one look-up of the name.
#[derive(Debug, Clone, Copy)]
pub struct NumberColumn<'a> {
    pub(crate) column: &'a Column,
    pub(crate) reading: Reading,
}

impl NumberColumn<'_> {
    /// The number of a document; `None` when it has none here, or has a truth value, a list, or a text that is not read.
    pub fn get(&self, doc: u32) -> Option<Number> {
        let column = self.column;
        match self.reading {
            Reading::Numbers => number(column, doc),
            Reading::Distances { from } => {
                let point = column.points.get(doc);
                point.map(|to| distance::number(from, to))
            }
            Reading::Dates(DatePart::Time) => {
                let time = || Some(Number::Float(text_date(column, doc)?.as_f64()));
                number(column, doc).or_else(time)
            }
            Reading::Dates(part) => Some(part_of(DateColumn(column).get(doc)?, part)),
        }
    }

    /// Puts the number of each of `docs`, which ascend, into the same place of `numbers`, in 64 bits; NaN
    /// where [`NumberColumn::get`] gives none.
    pub fn gather(&self, docs: &[u32], numbers: &mut [f64]) {
        numbers.fill(f64::NAN);
        match self.reading {
            Reading::Numbers => {
                let (ints, floats) = (&self.column.ints, &self.column.floats);
                ints.for_each_of(docs, |at, &int| numbers[at] = int as f64);
                floats.for_each_of(docs, |at, &float| numbers[at] = float);
            }
            Reading::Distances { from } => {
                let points = self.column.points.values();
                points.for_each_of(docs, |at, to| numbers[at] = from.distance_m(*to));
            }
            Reading::Dates(_) => {
                for (number, &doc) in numbers.iter_mut().zip(docs) {
                    *number = self.get(doc).map_or(f64::NAN, Number::as_f64);
                }
            }
        }
    }

    /// Gives each of `docs` that has a number to `f`, the integers before the floats.
    pub fn for_each_in(&self, docs: &BitSet, mut f: impl FnMut(u32, Number)) {
        let column = self.column;
        match self.reading {
            Reading::Numbers => {
                let (ints, floats) = (&column.ints, &column.floats);
                ints.for_each_in(docs, |doc, &int| f(doc, Number::Int(int)));
                floats.for_each_in(docs, |doc, &float| f(doc, Number::Float(float)));
            }
            Reading::Distances { from } => {
                let points = column.points.values();
                points.for_each_in(docs, |doc, to| f(doc, distance::number(from, *to)));
            }
            Reading::Dates(_) => {
                for doc in docs.iter() {
                    if let Some(number) = self.get(doc) {
                        f(doc, number);
                    }
                }
            }
        }
    }

    /// Visits the number of every document that has one. Documents come in no particular order.
    pub fn for_each(&self, mut visit: impl FnMut(u32, Number)) {
        let column = self.column;
        match self.reading {
            Reading::Numbers => {
                column
                    .ints
                    .for_each(|doc, &int| visit(doc, Number::Int(int)));
                column
                    .floats
                    .for_each(|doc, &float| visit(doc, Number::Float(float)));
            }
            Reading::Distances { from } => {
                let points = column.points.values();
                points.for_each(|doc, to| visit(doc, distance::number(from, *to)));
            }
            Reading::Dates(_) => {
                let mut one = |doc| {
                    if let Some(number) = self.get(doc) {
                        visit(doc, number);
                    }
                };
                column.ints.for_each(|doc, _| one(doc));
                column.floats.for_each(|doc, _| one(doc));
                if !column.texts.is_without_dates() {
                    column.texts.singles().for_each(|doc, _| one(doc));
                }
            }
        }
    }
}

/// The dates of one field: for reading many documents with one look-up of the name.
#[derive(Debug, Clone, Copy)]
pub struct DateColumn<'a>(pub(crate) &'a Column);

impl DateColumn<'_> {
    /// The date that the number or the text of a document is; none of a list.
    pub fn get(&self, doc: u32) -> Option<Date> {
        match number(self.0, doc) {
            Some(number) => Date::of_number(number),
            None => text_date(self.0, doc),
        }
    }

    /// Gives each of `docs` that has a date to `f`: those of integers, of floats, and then of texts.
    pub fn for_each_in(&self, docs: &BitSet, mut f: impl FnMut(u32, Date)) {
        let Column {
            texts,
            ints,
            floats,
            ..
        } = self.0;
        let mut of_number = |doc, number| {
            if let Some(date) = Date::of_number(number) {
                f(doc, date);
            }
        };
        ints.for_each_in(docs, |doc, &int| of_number(doc, Number::Int(int)));
        floats.for_each_in(docs, |doc, &float| of_number(doc, Number::Float(float)));
        if texts.is_without_dates() {
            return;
        }
        texts.singles().for_each_in(docs, |doc, &id| {
            if let Some(date) = texts.date(id) {
                f(doc, date);
            }
        });
    }
}

/// The number of a document: its float, or else its integer.
fn number(column: &Column, doc: u32) -> Option<Number> {
    let int = || column.ints.get(doc).map(|&int| Number::Int(int));
    let float = column.floats.get(doc);
    float.map(|&float| Number::Float(float)).or_else(int)
}

/// The date that the text of a document is.
fn text_date(column: &Column, doc: u32) -> Option<Date> {
    if column.texts.is_without_dates() {
        return None;
    }
    column.texts.date(column.texts.single(doc)?)
}

fn part_of(date: Date, part: DatePart) -> Number {
    match part {
        DatePart::Time | DatePart::Date => Number::Float(date.as_f64()),
        DatePart::Seconds => Number::Int(date.seconds()),
        DatePart::Nanoseconds => Number::Int(i64::from(date.nanoseconds())),
    }
}
