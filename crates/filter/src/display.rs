//! The canonical text of a filter: the shortest form that parses back to the same tree.

use std::fmt::{self, Display, Formatter, Write};

use crate::look_alikes::{is_bare_look_alike, is_range};
use crate::{End, Filter, Limit, within};

impl Display for Filter {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Filter::And(children) => joined(f, children, " AND ", is_compound),
            Filter::Or(children) => joined(f, children, " OR ", |c| matches!(c, Filter::Or(_))),
            Filter::Not(child) => {
                f.write_str("NOT ")?;
                grouped_if(
                    f,
                    child,
                    is_compound(child) || matches!(**child, Filter::Not(_)),
                )
            }
            Filter::Equals { field, value } => {
                field_name(f, field)?;
                f.write_char(':')?;
                term_value(f, value)
            }
            Filter::Prefix { field, prefix } => {
                field_name(f, field)?;
                f.write_char(':')?;
                // Nothing but a plain character begins no group, no range and no comparison.
                if !prefix.starts_with(char::is_alphanumeric) {
                    f.write_char('\\')?;
                }
                let mut rest = prefix.chars();
                rest.next().map_or(Ok(()), |first| f.write_char(first))?;
                escaped(f, rest.as_str(), " )\\*")?;
                f.write_char('*')
            }
            Filter::Range {
                field,
                lower,
                upper,
            } => {
                field_name(f, field)?;
                f.write_str(":[")?;
                limit(f, *lower, End::Lower)?;
                f.write_str(" TO ")?;
                limit(f, *upper, End::Upper)?;
                f.write_char(']')
            }
            Filter::Beyond {
                field,
                limit: beyond,
                end,
            } => {
                keyword_field(f, field)?;
                f.write_str(comparison(*end))?;
                limit(f, Some(*beyond), end.other())
            }
            Filter::Exists { field } => {
                keyword_field(f, field)?;
                f.write_str(" EXISTS")
            }
            Filter::Within { field, area } => {
                keyword_field(f, field)?;
                f.write_str(" WITHIN ")?;
                within::write(f, area)
            }
            Filter::In { field, values } => {
                keyword_field(f, field)?;
                list(f, values)
            }
            Filter::Contains { field, value } => {
                keyword_field(f, field)?;
                f.write_str(" CONTAINS ")?;
                term_value(f, value)
            }
        }
    }
}

fn is_compound(filter: &Filter) -> bool {
    matches!(filter, Filter::And(_) | Filter::Or(_))
}

fn joined(
    f: &mut Formatter<'_>,
    children: &[Filter],
    operator: &str,
    needs_group: impl Fn(&Filter) -> bool,
) -> fmt::Result {
    for (at, child) in children.iter().enumerate() {
        if at > 0 {
            f.write_str(operator)?;
        }
        grouped_if(f, child, needs_group(child))?;
    }
    Ok(())
}

fn grouped_if(f: &mut Formatter<'_>, filter: &Filter, group: bool) -> fmt::Result {
    if group {
        write!(f, "({filter})")
    } else {
        write!(f, "{filter}")
    }
}

fn list(f: &mut Formatter<'_>, values: &[String]) -> fmt::Result {
    f.write_str(" IN (")?;
    for (at, value) in values.iter().enumerate() {
        if at > 0 {
            f.write_str(", ")?;
        }
        bare_or_grouped(f, value, " ,)\\")?;
    }
    f.write_char(')')
}

/// A field before a keyword: unlike one before `:`, it must not look like an operator.
fn keyword_field(f: &mut Formatter<'_>, field: &str) -> fmt::Result {
    if matches!(field, "AND" | "OR" | "NOT") {
        f.write_char('\\')?;
    }
    field_name(f, field)
}

/// Returns a field as it is written before the colon of a term.
pub fn written_field(field: &str) -> String {
    let mut written = String::new();
    for character in field.chars() {
        if FIELD_SPECIAL.contains(character) {
            written.push('\\');
        }
        written.push(character);
    }
    written
}

/// Characters that have a meaning within a field.
const FIELD_SPECIAL: &str = " ():\\";

fn field_name(f: &mut Formatter<'_>, field: &str) -> fmt::Result {
    escaped(f, field, FIELD_SPECIAL)
}

fn term_value(f: &mut Formatter<'_>, value: &str) -> fmt::Result {
    bare_or_grouped(f, value, " )\\")
}

fn bare_or_grouped(f: &mut Formatter<'_>, value: &str, special: &str) -> fmt::Result {
    let is_bare = !value.starts_with(['(', '['])
        && !value.contains(|c| special.contains(c))
        && !is_bare_look_alike(value);
    if is_bare {
        return f.write_str(value);
    }
    f.write_char('(')?;
    let special = if is_range(value) { " )\\" } else { ")\\" };
    escaped(f, value, special)?;
    f.write_char(')')
}

fn escaped(f: &mut Formatter<'_>, text: &str, special: &str) -> fmt::Result {
    for character in text.chars() {
        if special.contains(character) {
            f.write_char('\\')?;
        }
        f.write_char(character)?;
    }
    Ok(())
}

/// The operator of a comparison whose limit stands at an end.
fn comparison(end: End) -> &'static str {
    match end {
        End::Lower => " > ",
        End::Upper => " < ",
    }
}

fn limit(f: &mut Formatter<'_>, limit: Option<Limit>, end: End) -> fmt::Result {
    match limit {
        Some(Limit::Number(number)) => write!(f, "{number}"),
        Some(Limit::Decimal(decimal)) => write!(f, "{decimal}"),
        Some(Limit::Moment(moment)) => moment.write(f, end),
        None => f.write_char('*'),
    }
}
