//! Terms that can match nothing, by the values that their fields have.
//!
//! A term is refused by all that its field has held, not by the documents that a search happens to see: neither an
//! earlier view nor a deleted document makes a filter fail that was answered before.

use pelorus_filter::{End, Filter, Limit, Moment};

use crate::ColumnError;
use crate::column::Column;
use crate::columns::Columns;
use crate::other_type::{self, Holds};
use crate::range::Range;
use crate::rules::Rules;

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
        match filter {
            Filter::And(filters) | Filter::Or(filters) => filters
                .iter()
                .try_for_each(|filter| self.check(filter, has_had_texts)),
            Filter::Not(filter) => self.check(filter, has_had_texts),
            Filter::Equals { field, value } => match self.holds(field, has_had_texts) {
                Some(holds) => other_type::check(field, value, holds),
                None => Ok(()),
            },
            Filter::In { field, values } => match self.holds(field, has_had_texts) {
                Some(holds) => {
                    // The elements of a declared field are checked by its type.
                    if matches!(self.rules, Rules::Unstructured(_)) {
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
            } => match (self.store.column(field), self.holds(field, has_had_texts)) {
                (Some(_), Some(Holds::Truths)) if matches!(self.rules, Rules::Unstructured(_)) => {
                    let field = field.to_owned();
                    Err(ColumnError::RangeOfTruths { field })
                }
                (Some(column), _) => check_range(field, column, [*lower, *upper]),
                (None, _) => Ok(()),
            },
            Filter::Contains { .. } => Ok(()),
        }
    }

    /// The types of all values that a field has ever had, or can have; `None` where texts are among them.
    fn holds(&self, field: &str, has_had_texts: &dyn Fn(&str) -> bool) -> Option<Holds> {
        match &self.rules {
            _ if field == "_id" => None,
            Rules::Structured(rules) => rules.holds(field),
            Rules::Unstructured(rules) if rules.is_collapse_field(field) => None,
            Rules::Unstructured(_) => {
                let holds = self.store.column(field)?.holds();
                holds.filter(|_| !has_had_texts(field))
            }
        }
    }
}

/// Refuses a range that no text can be compared with, of a column without numbers.
fn check_range(
    field: &str,
    column: &Column,
    limits: [Option<Limit>; 2],
) -> Result<(), ColumnError> {
    if column.has_numbers() || column.texts.is_empty() {
        return Ok(());
    }
    let range = Range::new(limits, |number| number);
    let texts = || column.texts.distinct();
    let is_date = |text: &str| Moment::of_text(text).is_some();
    let field = || field.to_owned();
    if range.is_of_dates && !texts().any(is_date) {
        return Err(ColumnError::NoDates { field: field() });
    }
    // Texts of four digits are no dates where nothing else is one.
    let is_more_than_a_year = |text: &str| Moment::parse(text, End::Lower).is_some();
    if range.of_texts().is_none() && texts().all(is_date) && texts().any(is_more_than_a_year) {
        return Err(ColumnError::NumbersOverDates { field: field() });
    }
    Ok(())
}
