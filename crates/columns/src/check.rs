//! Terms that can match nothing, by the values that their fields have.
//!
//! A term is refused by all that its field has held, not by the documents that a search happens to see: neither an
//! earlier view nor a deleted document makes a filter fail that was answered before.

use pelorus_filter::Filter;

use crate::ColumnError;
use crate::columns::Columns;
use crate::held::{Held, HeldValues};
use crate::other_type::{self, Holds};
use crate::range::Limits;
use crate::rules::Rules;
use crate::structured::points_compared;
use crate::typed::TypedRules;
use crate::warning::{WARNINGS_MAX, Warning};

impl Columns {
    /// Refuses a filter with a term that can match nothing and means something else.
    ///
    /// `has_had_texts` tells whether a document of an unstructured index has ever had a text in a field, such as one that
    /// is too long for the columns.
    ///
    /// # Errors
    /// The [`ColumnError`] of the first such term.
    pub fn check(
        &self,
        filter: &Filter,
        has_had_texts: &dyn Fn(&str) -> bool,
    ) -> Result<(), ColumnError> {
        let rules = &self.rules;
        let column = &|field: &str| self.store.column(field);
        Check {
            rules,
            column,
            has_had_texts,
        }
        .check(filter)
    }
}

impl Columns {
    /// Says which terms of a filter that [`Columns::check`] takes can match nothing. `is_known` tells whether documents
    /// have a field that has no column.
    pub fn warnings(&self, filter: &Filter, is_known: &dyn Fn(&str) -> bool) -> Vec<Warning> {
        let rules = &self.rules;
        let column = &|field: &str| self.store.column(field);
        Check {
            rules,
            column,
            has_had_texts: is_known,
        }
        .warnings(filter)
    }
}

impl TypedRules {
    /// Says what [`Columns::warnings`] does, by what the columns have ever `held` elsewhere.
    pub fn warnings(
        &self,
        filter: &Filter,
        held: &dyn Fn(&str) -> Option<HeldValues>,
        is_known: &dyn Fn(&str) -> bool,
    ) -> Vec<Warning> {
        let (rules, column) = (self.rules(), held);
        Check {
            rules,
            column,
            has_had_texts: is_known,
        }
        .warnings(filter)
    }

    /// Refuses a filter as [`Columns::check`] does, by what the columns have ever `held` elsewhere.
    ///
    /// # Errors
    /// The [`ColumnError`] of the first such term.
    pub fn check(
        &self,
        filter: &Filter,
        held: &dyn Fn(&str) -> Option<HeldValues>,
        has_had_texts: &dyn Fn(&str) -> bool,
    ) -> Result<(), ColumnError> {
        let (rules, column) = (self.rules(), held);
        Check {
            rules,
            column,
            has_had_texts,
        }
        .check(filter)
    }
}

/// A check of filters of an index.
struct Check<'a, C> {
    rules: &'a Rules,
    column: &'a dyn Fn(&str) -> Option<C>,
    has_had_texts: &'a dyn Fn(&str) -> bool,
}

impl<C: Held> Check<'_, C> {
    fn check(&self, filter: &Filter) -> Result<(), ColumnError> {
        let is_unstructured = matches!(self.rules, Rules::Unstructured(_));
        match filter {
            Filter::And(filters) | Filter::Or(filters) => {
                filters.iter().try_for_each(|filter| self.check(filter))
            }
            Filter::Not(filter) => self.check(filter),
            Filter::Equals { field, value } => match self.holds(field) {
                Some(holds) => other_type::check(field, value, holds),
                None => self.check_comparable(field),
            },
            Filter::In { field, values } => match self.holds(field) {
                Some(holds) => {
                    // The elements of a declared field are checked by its type.
                    if is_unstructured {
                        let mut values = values.iter();
                        values.try_for_each(|value| other_type::check(field, value, holds))?;
                    }
                    other_type::check_list(field, values, holds)
                }
                None => self.check_comparable(field),
            },
            Filter::Prefix { field, .. } => match self.holds(field) {
                Some(holds) => Err(ColumnError::PrefixOf {
                    field: field.to_owned(),
                    holds: holds.name(),
                }),
                None => self.check_comparable(field),
            },
            Filter::Range {
                field,
                lower,
                upper,
            } => self.check_range(field, Limits::Within([*lower, *upper])),
            Filter::Beyond { field, limit, end } => {
                self.check_range(field, Limits::Beyond(*limit, *end))
            }
            Filter::Contains { .. } | Filter::Exists { .. } | Filter::Within { .. } => Ok(()),
        }
    }

    fn check_range(&self, field: &str, limits: Limits) -> Result<(), ColumnError> {
        let is_unstructured = matches!(self.rules, Rules::Unstructured(_));
        match ((self.column)(field), self.holds(field)) {
            (Some(_), Some(Holds::Truths)) if is_unstructured => {
                let field = field.to_owned();
                Err(ColumnError::RangeOfTruths { field })
            }
            (Some(column), _) => {
                self.check_comparable(field)?;
                check_range(field, &column, limits)
            }
            (None, _) => Ok(()),
        }
    }

    /// Refuses to compare values with those of a field that has points alone.
    fn check_comparable(&self, field: &str) -> Result<(), ColumnError> {
        let is_of_points = |column: C| column.has_points() && !is_compared(&column);
        match (self.column)(field).is_some_and(is_of_points) && !(self.has_had_texts)(field) {
            true => Err(points_compared(field)),
            false => Ok(()),
        }
    }

    fn warnings(&self, filter: &Filter) -> Vec<Warning> {
        let mut warnings = Vec::new();
        self.warn(filter, &mut warnings);
        warnings
    }

    fn warn(&self, filter: &Filter, warnings: &mut Vec<Warning>) {
        if warnings.len() == WARNINGS_MAX {
            return;
        }
        let warning = match filter {
            Filter::And(filters) | Filter::Or(filters) => {
                return filters
                    .iter()
                    .for_each(|filter| self.warn(filter, warnings));
            }
            Filter::Not(filter) => return self.warn(filter, warnings),
            // A field without words is an error.
            Filter::Contains { .. } => None,
            Filter::Exists { field } => self.warning_of(field, |_| None),
            Filter::Within { field, .. } => self.warning_of(field, |column| {
                let field = field.to_owned();
                (!column.has_points()).then_some(Warning::NoPoints { field })
            }),
            Filter::Prefix { field, .. } => {
                self.warning_of(field, |column| incomparable(field, column))
            }
            Filter::Equals { field, value } => {
                self.warning_of(field, |column| self.other_type(field, column, [value]))
            }
            Filter::In { field, values } => {
                self.warning_of(field, |column| self.other_type(field, column, values))
            }
            Filter::Range {
                field,
                lower,
                upper,
            } => {
                let limits = Limits::Within([*lower, *upper]);
                let empty = || Warning::empty_range(filter);
                let is_empty = limits.range(|number| number).is_empty();
                is_empty
                    .then(empty)
                    .or_else(|| self.range_warning(field, limits))
            }
            Filter::Beyond { field, limit, end } => {
                self.range_warning(field, Limits::Beyond(*limit, *end))
            }
        };
        warnings.extend(warning.filter(|warning| !warnings.contains(warning)));
    }

    /// Says that no document has a field, or what `of_column` says of one that documents have.
    fn warning_of(
        &self,
        field: &str,
        of_column: impl FnOnce(&C) -> Option<Warning>,
    ) -> Option<Warning> {
        match (self.column)(field) {
            _ if field == "_id" => None,
            Some(column) => of_column(&column),
            None if (self.has_had_texts)(field) => None,
            None => Some(Warning::UnknownField {
                field: field.to_owned(),
            }),
        }
    }

    fn range_warning(&self, field: &str, limits: Limits) -> Option<Warning> {
        let is_of_texts = || limits.range(|number| number).of_texts().is_some();
        self.warning_of(field, |column| match column.has_numbers() {
            true => None,
            false if column.has_texts() && !is_of_texts() => Some(Warning::RangeOfTexts {
                field: field.to_owned(),
            }),
            false => incomparable(field, column),
        })
    }

    fn other_type<'v>(
        &self,
        field: &str,
        column: &C,
        values: impl IntoIterator<Item = &'v String>,
    ) -> Option<Warning> {
        let Some(holds) = self.holds(field) else {
            return incomparable(field, column);
        };
        let mut values = values.into_iter();
        let value = values.find(|value| !other_type::can_equal(value, holds))?;
        Some(Warning::OtherType {
            field: field.to_owned(),
            value: value.clone(),
            holds: holds.name(),
        })
    }

    /// The types of all values that a field has ever had, or can have; `None` where texts are among them.
    fn holds(&self, field: &str) -> Option<Holds> {
        match &self.rules {
            _ if field == "_id" => None,
            Rules::Structured(rules) => rules.holds(field),
            Rules::Unstructured(rules) if rules.is_collapse_field(field) => None,
            Rules::Unstructured(_) => {
                let holds = (self.column)(field)?.holds();
                holds.filter(|_| !(self.has_had_texts)(field))
            }
        }
    }
}

fn incomparable(field: &str, column: &impl Held) -> Option<Warning> {
    (!is_compared(column)).then(|| Warning::Incomparable {
        field: field.to_owned(),
    })
}

/// Tells whether a column has values that terms other than areas compare.
fn is_compared(column: &impl Held) -> bool {
    column.has_numbers() || column.has_texts() || column.has_truths()
}

/// Refuses a range that no text can be compared with, of a column without numbers.
fn check_range(field: &str, column: &impl Held, limits: Limits) -> Result<(), ColumnError> {
    if column.has_numbers() || !column.has_texts() {
        return Ok(());
    }
    let range = limits.range(|number| number);
    let field = || field.to_owned();
    if range.is_of_dates && !column.has_dates() {
        return Err(ColumnError::NoDates { field: field() });
    }
    if range.of_texts().is_none() && column.has_dates_alone() {
        return Err(ColumnError::NumbersOverDates { field: field() });
    }
    Ok(())
}
