//! The values of a column, as far as it depends on them which filters can match nothing.

use pelorus_filter::{End, Moment};

use crate::cell::Cell;
use crate::column::Column;
use crate::other_type::Holds;

/// A column whose filters are checked.
pub(crate) trait Held {
    /// The types of all values that it has ever had; `None` where texts are among them.
    fn holds(&self) -> Option<Holds>;
    fn has_numbers(&self) -> bool;
    fn has_texts(&self) -> bool;
    fn has_truths(&self) -> bool;
    fn has_points(&self) -> bool;
    /// Tells whether one of its texts is a date or a year.
    fn has_dates(&self) -> bool;
    /// Tells whether one of its texts is a date of more than a year, and none is anything but a date.
    fn has_dates_alone(&self) -> bool;
}

/// Tells whether a text is a date, or a year.
fn is_date(text: &str) -> bool {
    Moment::of_text(text).is_some()
}

/// Texts of four digits are no dates where nothing else is one.
fn is_more_than_a_year(text: &str) -> bool {
    Moment::parse(text, End::Lower).is_some()
}

impl Held for &Column {
    fn holds(&self) -> Option<Holds> {
        Column::holds(self)
    }

    fn has_numbers(&self) -> bool {
        Column::has_numbers(self)
    }

    fn has_texts(&self) -> bool {
        !self.texts.is_empty()
    }

    fn has_truths(&self) -> bool {
        Column::has_truths(self)
    }

    fn has_points(&self) -> bool {
        Column::has_points(self)
    }

    fn has_dates(&self) -> bool {
        self.texts.distinct().any(is_date)
    }

    fn has_dates_alone(&self) -> bool {
        let mut texts = self.texts.distinct();
        texts.all(is_date) && self.texts.distinct().any(is_more_than_a_year)
    }
}

/// The kinds of values that a column of an index that is kept elsewhere has ever had.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct HeldValues {
    pub numbers: bool,
    pub truths: bool,
    /// Texts that are months, days or instants.
    pub dates: bool,
    /// Texts that are years.
    pub years: bool,
    /// All other texts.
    pub texts: bool,
    pub points: bool,
}

impl HeldValues {
    pub(crate) fn of(cell: &Cell<'_>) -> Self {
        let mut held = Self::default();
        match cell {
            Cell::Text(text) => held.add_text(text),
            Cell::TextList(texts) => texts.iter().for_each(|text| held.add_text(text)),
            Cell::Bool(_) => held.truths = true,
            Cell::Int(_) | Cell::Float(_) | Cell::IntList(_) | Cell::FloatList(_) => {
                held.numbers = true;
            }
            Cell::Point(_) => held.points = true,
            Cell::Sparse(_) | Cell::Multi(_) | Cell::Other => {}
        }
        held
    }

    fn add_text(&mut self, text: &str) {
        let kind = if is_more_than_a_year(text) {
            &mut self.dates
        } else if is_date(text) {
            &mut self.years
        } else {
            &mut self.texts
        };
        *kind = true;
    }

    /// The kinds of both.
    #[must_use]
    pub fn union(self, other: Self) -> Self {
        Self {
            numbers: self.numbers || other.numbers,
            truths: self.truths || other.truths,
            dates: self.dates || other.dates,
            years: self.years || other.years,
            texts: self.texts || other.texts,
            points: self.points || other.points,
        }
    }
}

impl Held for HeldValues {
    fn holds(&self) -> Option<Holds> {
        Holds::of(self.has_texts(), self.truths, self.numbers)
    }

    fn has_numbers(&self) -> bool {
        self.numbers
    }

    fn has_texts(&self) -> bool {
        self.has_dates() || self.texts
    }

    fn has_truths(&self) -> bool {
        self.truths
    }

    fn has_points(&self) -> bool {
        self.points
    }

    fn has_dates(&self) -> bool {
        self.dates || self.years
    }

    fn has_dates_alone(&self) -> bool {
        self.dates && !self.texts
    }
}
