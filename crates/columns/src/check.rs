//! Terms that can match nothing, by the values that their fields have.
//!
//! A term is refused by all that its field has held, not by the documents that a search happens to see: neither an
//! earlier view nor a deleted document makes a filter fail that was answered before.

use pelorus_filter::{Filter, Limit};

use crate::ColumnError;
use crate::columns::Columns;
use crate::held::{Held, HeldValues};
use crate::other_type::{self, Holds};
use crate::range::Range;
use crate::rules::Rules;
use crate::typed::TypedRules;

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

impl TypedRules {
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
                None => Ok(()),
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
                None => Ok(()),
            },
            Filter::Range {
                field,
                lower,
                upper,
            } => match ((self.column)(field), self.holds(field)) {
                (Some(_), Some(Holds::Truths)) if is_unstructured => {
                    let field = field.to_owned();
                    Err(ColumnError::RangeOfTruths { field })
                }
                (Some(column), _) => check_range(field, &column, [*lower, *upper]),
                (None, _) => Ok(()),
            },
            Filter::Contains { .. } => Ok(()),
        }
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

/// Refuses a range that no text can be compared with, of a column without numbers.
fn check_range(
    field: &str,
    column: &impl Held,
    limits: [Option<Limit>; 2],
) -> Result<(), ColumnError> {
    if column.has_numbers() || !column.has_texts() {
        return Ok(());
    }
    let range = Range::new(limits, |number| number);
    let field = || field.to_owned();
    if range.is_of_dates && !column.has_dates() {
        return Err(ColumnError::NoDates { field: field() });
    }
    if range.of_texts().is_none() && column.has_dates_alone() {
        return Err(ColumnError::NumbersOverDates { field: field() });
    }
    Ok(())
}
