use crate::{End, Moment, Number};

/// A limit of a range.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Limit {
    Number(Number),
    /// Written as a date: its value among numbers depends on their unit.
    Moment(Moment),
}

impl Limit {
    /// The moment that the limit is among dates: one of its own, or for an integer of four digits the first or the last
    /// of that year.
    pub fn moment(self, end: End) -> Option<Moment> {
        match self {
            Limit::Moment(moment) => Some(moment),
            Limit::Number(Number::Int(year @ 1000..=9999)) => Moment::of_year(year, end),
            Limit::Number(_) => None,
        }
    }
}

impl From<Number> for Limit {
    fn from(number: Number) -> Self {
        Limit::Number(number)
    }
}
