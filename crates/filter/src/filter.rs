use std::collections::BTreeSet;

use pelorus_geo::Area;

use crate::{End, Limit};

/// A parsed filter.
///
/// The parser gives `And` and `Or` at least two children, none of the same variant as the parent,
/// and never an empty field, an empty value of [`Filter::Equals`] or [`Filter::Contains`], a range
/// without limits, or an `IN` without values. [`Filter::all_of`] and [`Filter::any_of`] keep the
/// first of these promises when filters are put together by hand.
#[derive(Debug, Clone, PartialEq)]
pub enum Filter {
    /// Every child holds.
    And(Vec<Filter>),
    /// At least one child holds.
    Or(Vec<Filter>),
    /// The child does not hold, which includes documents that lack its field.
    Not(Box<Filter>),
    /// `field:value`.
    Equals { field: String, value: String },
    /// `field:value*`: a text begins with the value, which neither is empty nor ends with a backslash.
    Prefix { field: String, prefix: String },
    /// `field:[lower TO upper]`, both ends inclusive, `None` for an open end.
    Range {
        field: String,
        lower: Option<Limit>,
        upper: Option<Limit>,
    },
    /// `field > limit` where the limit stands at the lower end, `field < limit` at the upper one. It is not within.
    Beyond {
        field: String,
        limit: Limit,
        end: End,
    },
    /// `field EXISTS`.
    Exists { field: String },
    /// `field WITHIN (lat, lon, radius)`, or a `BOX` or `POLYGON`.
    Within { field: String, area: Box<Area> },
    /// `field IN (value, value)`, in the order written.
    In { field: String, values: Vec<String> },
    /// `field CONTAINS value`.
    Contains { field: String, value: String },
}

impl Filter {
    /// The conjunction of `filters`, with nested conjunctions flattened and a single filter
    /// returned as it is.
    pub fn all_of(filters: Vec<Filter>) -> Filter {
        let mut children = Vec::with_capacity(filters.len());
        for filter in filters {
            match filter {
                Filter::And(nested) => children.extend(nested),
                other => children.push(other),
            }
        }
        single(&mut children).unwrap_or(Filter::And(children))
    }

    /// The disjunction of `filters`, with nested disjunctions flattened and a single filter
    /// returned as it is.
    pub fn any_of(filters: Vec<Filter>) -> Filter {
        let mut children = Vec::with_capacity(filters.len());
        for filter in filters {
            match filter {
                Filter::Or(nested) => children.extend(nested),
                other => children.push(other),
            }
        }
        single(&mut children).unwrap_or(Filter::Or(children))
    }

    /// Tells whether a `CONTAINS` is among its terms.
    pub fn has_contains(&self) -> bool {
        match self {
            Filter::And(filters) | Filter::Or(filters) => filters.iter().any(Filter::has_contains),
            Filter::Not(filter) => filter.has_contains(),
            Filter::Contains { .. } => true,
            Filter::Equals { .. }
            | Filter::Prefix { .. }
            | Filter::Range { .. }
            | Filter::Beyond { .. }
            | Filter::Exists { .. }
            | Filter::Within { .. }
            | Filter::In { .. } => false,
        }
    }

    /// The field of an area, if there is one among its terms.
    pub fn area_field(&self) -> Option<&str> {
        match self {
            Filter::And(filters) | Filter::Or(filters) => {
                filters.iter().find_map(Filter::area_field)
            }
            Filter::Not(filter) => filter.area_field(),
            Filter::Within { field, .. } => Some(field),
            _ => None,
        }
    }

    /// The fields that its terms name, each once.
    pub fn fields(&self) -> BTreeSet<&str> {
        let mut fields = BTreeSet::new();
        self.collect_fields(&mut fields);
        fields
    }

    fn collect_fields<'a>(&'a self, fields: &mut BTreeSet<&'a str>) {
        match self {
            Filter::And(filters) | Filter::Or(filters) => {
                for filter in filters {
                    filter.collect_fields(fields);
                }
            }
            Filter::Not(filter) => filter.collect_fields(fields),
            Filter::Equals { field, .. }
            | Filter::Prefix { field, .. }
            | Filter::Range { field, .. }
            | Filter::Beyond { field, .. }
            | Filter::Exists { field }
            | Filter::Within { field, .. }
            | Filter::In { field, .. }
            | Filter::Contains { field, .. } => {
                fields.insert(field);
            }
        }
    }

    /// Takes out the terms that are `named` and returns the rest of the filter, `None` for nothing. A negated
    /// term goes by the term, its negation with it, and by its negation; a group goes once nothing of it is left.
    pub fn without(self, named: &impl Fn(&Filter) -> bool) -> Option<Filter> {
        if self.is_term() && named(&self) {
            return None;
        }
        let left = |filters: Vec<Filter>| {
            let left = filters
                .into_iter()
                .filter_map(|filter| filter.without(named));
            Some(left.collect::<Vec<Filter>>()).filter(|left| !left.is_empty())
        };
        match self {
            Filter::And(filters) => left(filters).map(Filter::all_of),
            Filter::Or(filters) => left(filters).map(Filter::any_of),
            Filter::Not(filter) => filter.without(named).map(Filter::negated),
            leaf => Some(leaf),
        }
    }

    fn is_leaf(&self) -> bool {
        !matches!(self, Filter::And(_) | Filter::Or(_) | Filter::Not(_))
    }

    /// Tells whether it asks for one term, or against it.
    fn is_term(&self) -> bool {
        match self {
            Filter::Not(filter) => filter.is_leaf(),
            filter => filter.is_leaf(),
        }
    }

    /// The negation of this filter. A double negation is kept.
    #[must_use]
    pub fn negated(self) -> Filter {
        Filter::Not(Box::new(self))
    }
}

fn single(children: &mut Vec<Filter>) -> Option<Filter> {
    if children.len() == 1 {
        children.pop()
    } else {
        None
    }
}
