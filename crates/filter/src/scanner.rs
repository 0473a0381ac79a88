//! Cuts one token off the text: an operator, or a whole term with its value.
//!
//! Every character with a meaning is ASCII, so the scanner walks bytes and all its offsets fall on
//! character boundaries.

use crate::comparison::Comparison;
use crate::error::{AreaFault, AreaReason, ParseError, RangeError, Reason};
use crate::range_limits::range_limits;
use crate::within::Shape;
use crate::{Filter, FilterError, ListLimit, look_alikes};
use pelorus_excerpt::truncated;

/// A word that joins two operands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Operator {
    And,
    Or,
}

impl Operator {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Operator::And => "AND",
            Operator::Or => "OR",
        }
    }
}

#[derive(Debug)]
pub(crate) enum Token {
    Operator(Operator),
    Not,
    Term(Filter),
}

/// Scans the token that begins at `start`, which must be neither a space nor a parenthesis.
/// Returns it with the offset just past it.
pub(crate) fn scan(
    text: &str,
    start: usize,
    list_limit: ListLimit<'_>,
) -> Result<(Token, usize), ParseError> {
    let scanner = Scanner {
        text,
        start,
        list_limit,
    };
    scanner.token()
}

struct Scanner<'a> {
    text: &'a str,
    /// The beginning of the token.
    start: usize,
    list_limit: ListLimit<'a>,
}

impl Scanner<'_> {
    fn token(&self) -> Result<(Token, usize), ParseError> {
        let (field, end) = self.read_until(self.start, b" ():");
        match self.byte(end) {
            Some(b':') => self.valued_term(field, end + 1),
            Some(b'(') => Err(ParseError::At(end, Reason::Unexpected("("))),
            _ => self.word(field, end),
        }
    }

    /// A token that met no `:`: an operator, or a field before a keyword.
    fn word(&self, field: String, end: usize) -> Result<(Token, usize), ParseError> {
        match &self.text[self.start..end] {
            "AND" => Ok((Token::Operator(Operator::And), end)),
            "OR" => Ok((Token::Operator(Operator::Or), end)),
            "NOT" => Ok((Token::Not, end)),
            _ => self.keyword_term(field, end),
        }
    }

    /// A field before a keyword, with or without `NOT` between them, or before an operator that compares.
    fn keyword_term(&self, field: String, end: usize) -> Result<(Token, usize), ParseError> {
        let negation = " NOT";
        let is_negated = self.keyword_at(end, negation);
        let at = if is_negated {
            end + negation.len()
        } else {
            end
        };
        let (filter, term_end) = if self.keyword_at(at, " IN ") {
            self.list_term(field, end, at + " IN ".len())?
        } else if self.keyword_at(at, " CONTAINS ") {
            self.contains_term(field, at + " CONTAINS ".len())?
        } else if self.keyword_at(at, " EXISTS") && self.ends_term(at + " EXISTS".len()) {
            (Filter::Exists { field }, at + " EXISTS".len())
        } else if self.keyword_at(at, " WITHIN ") {
            self.area_term(field, end, at + " WITHIN ".len())?
        } else if let Some((operator, at)) = self.operator_at(end) {
            self.comparison_term(field, end, operator, at)?
        } else {
            return Err(ParseError::unparsable(self.text, self.start, end));
        };
        let filter = match is_negated {
            true => filter.negated(),
            false => filter,
        };
        Ok((Token::Term(filter), term_end))
    }

    /// An area, at `at`, of the field that is written before `name_end`.
    fn area_term(
        &self,
        field: String,
        name_end: usize,
        at: usize,
    ) -> Result<(Filter, usize), ParseError> {
        let name = &self.text[self.start..name_end];
        let fault =
            |at: usize, fault| ParseError::At(at, Reason::Area(AreaReason::of(name, fault)));
        let at = self.skip_spaces(at);
        let named = Shape::NAMED.into_iter();
        let named = named.filter(|(word, _)| self.keyword_at(at, word));
        let (open, shape) = named
            .map(|(word, shape)| (self.skip_spaces(at + word.len()), shape))
            .next()
            .unwrap_or((at, Shape::Circle));
        if self.byte(open) != Some(b'(') {
            return Err(fault(open, AreaFault::NoParenthesis));
        }
        let inside = &self.text[open + 1..];
        let Some(length) = inside.find(')') else {
            return Err(fault(open, AreaFault::Open));
        };
        let area = shape
            .area(&inside[..length])
            .map_err(|reason| fault(open, reason))?;
        let area = Box::new(area);
        Ok((
            Filter::Within { field, area },
            self.after_bracket(open + 1 + length)?,
        ))
    }

    /// The operator behind blanks at an offset, and the offset of what it compares with, if there is any.
    fn operator_at(&self, at: usize) -> Option<(Comparison, usize)> {
        let from = self.skip_spaces(at);
        let operator = Comparison::at_start(&self.text[from..]).filter(|_| from > at)?;
        let at = self.skip_spaces(from + operator.sign().len());
        let is_there = !matches!(self.byte(at), None | Some(b')'));
        is_there.then_some((operator, at))
    }

    /// A comparison of the field that is written before `end` with what is written at `at`.
    fn comparison_term(
        &self,
        field: String,
        end: usize,
        operator: Comparison,
        at: usize,
    ) -> Result<(Filter, usize), ParseError> {
        let (value, value_end) = self.value(at)?;
        let name = &self.text[self.start..end];
        match operator.filter(field, &value) {
            Some(filter) => Ok((filter, value_end)),
            None => Err(ParseError::At(
                at,
                look_alikes::no_limit(name, operator, &value),
            )),
        }
    }

    fn valued_term(&self, field: String, at: usize) -> Result<(Token, usize), ParseError> {
        if self.byte(at) == Some(b'[') {
            return self.range_term(field, at + 1);
        }
        let (value, end) = self.value(at)?;
        if field.is_empty() || value.is_empty() {
            return Err(ParseError::unparsable(self.text, self.start, end));
        }
        let written = &self.text[at..end];
        let (name, group) = (&self.text[self.start..at - 1], written.strip_prefix('('));
        let is_prefix = group.is_none() && look_alikes::is_prefix(written);
        let error = match group {
            None if is_prefix => look_alikes::prefix_error(name, written),
            None => look_alikes::bare_error(name, written),
            Some(group) => look_alikes::grouped_error(name, group.trim_end_matches(')')),
        };
        if let Some(reason) = error {
            return Err(ParseError::At(at, reason));
        }
        let filter = match value.strip_suffix('*').filter(|_| is_prefix) {
            Some(prefix) => Filter::Prefix {
                field,
                prefix: prefix.to_owned(),
            },
            None => Filter::Equals { field, value },
        };
        Ok((Token::Term(filter), end))
    }

    fn contains_term(&self, field: String, at: usize) -> Result<(Filter, usize), ParseError> {
        if self.byte(at) == Some(b'[') {
            return Err(ParseError::At(at, Reason::BracketAfter("CONTAINS")));
        }
        let (value, end) = self.value(at)?;
        if value.is_empty() {
            return Err(ParseError::unparsable(self.text, self.start, end));
        }
        Ok((Filter::Contains { field, value }, end))
    }

    /// A bare or grouped value. A group may be left open at the end of the text.
    fn value(&self, at: usize) -> Result<(String, usize), ParseError> {
        if self.byte(at) != Some(b'(') {
            return Ok(self.read_until(at, b" )"));
        }
        let (value, close) = self.read_until(at + 1, b")");
        Ok((value, self.after_bracket(close)?))
    }

    fn range_term(&self, field: String, at: usize) -> Result<(Token, usize), ParseError> {
        let (limits, close) = self.read_until(at, b"]");
        let end = self.after_bracket(close)?;
        if field.is_empty() {
            return Err(ParseError::unparsable(self.text, self.start, end));
        }
        let is_closed = self.byte(close) == Some(b']');
        let limits = range_limits(&limits)
            .and_then(|limits| is_closed.then_some(limits).ok_or(RangeError::Open));
        match limits {
            Ok((lower, upper)) => Ok((
                Token::Term(Filter::Range {
                    field,
                    lower,
                    upper,
                }),
                end,
            )),
            Err(error) => {
                let term = truncated(&self.text[self.start..end]).into_owned();
                Err(ParseError::At(end, Reason::InvalidRange { term, error }))
            }
        }
    }

    /// The list at `at` of the field that is written before `name_end`.
    fn list_term(
        &self,
        field: String,
        name_end: usize,
        at: usize,
    ) -> Result<(Filter, usize), ParseError> {
        if self.byte(at) != Some(b'(') {
            return Err(ParseError::At(at, Reason::MissingListOpening));
        }
        let name = &self.text[self.start..name_end];
        let mut values = Vec::new();
        let mut received = 0;
        let mut at = at;
        // Here `at` is the `(` or `,` before an item.
        while self.byte(at) != Some(b')') {
            let (value, end) = self.list_item(name, at + 1)?;
            received += 1;
            if received <= self.list_limit.values_max {
                values.push(value);
            }
            at = end;
        }
        if received > self.list_limit.values_max {
            return Err(ParseError::Limit(FilterError::TooManyValues {
                received,
                maximum: self.list_limit.values_max,
                setting: self.list_limit.setting.map(str::to_owned),
            }));
        }
        Ok((Filter::In { field, values }, self.after_bracket(at)?))
    }

    /// One item of a list of the field that is written as `name`, and the offset of the `,` or `)` that ends it.
    fn list_item(&self, name: &str, at: usize) -> Result<(String, usize), ParseError> {
        let at = if self.byte(at - 1) == Some(b',') {
            self.skip_spaces(at)
        } else {
            at
        };
        let (value, end) = match self.byte(at) {
            Some(b'[') => return Err(ParseError::At(at, Reason::BracketAfter("IN"))),
            Some(b'(') => {
                let (value, close) = self.read_until(at + 1, b")");
                (value, close + 1)
            }
            _ => {
                let (value, end) = self.read_until(at, b" ,)");
                match look_alikes::bare_error(name, &self.text[at..end]) {
                    Some(reason) => return Err(ParseError::At(at, reason)),
                    None => (value, end),
                }
            }
        };
        match self.text.get(end..).and_then(|rest| rest.chars().next()) {
            Some(',' | ')') => Ok((value, end)),
            Some(' ') => Err(ParseError::At(end, Reason::SpaceInList)),
            Some(other) => Err(ParseError::At(end, Reason::TrailingText(other))),
            None => Err(ParseError::Whole(Reason::UnbalancedParentheses)),
        }
    }

    /// The offset after the closing bracket at `close`, or the end of the text when there is none.
    /// Only a space or `)` may follow it.
    fn after_bracket(&self, close: usize) -> Result<usize, ParseError> {
        let end = (close + 1).min(self.text.len());
        match self.text[end..].chars().next() {
            None | Some(' ' | ')') => Ok(end),
            Some(other) => Err(ParseError::At(end, Reason::TrailingText(other))),
        }
    }

    /// The text from `at` to the first unescaped byte of `stops`, with escapes resolved, and the
    /// offset of that byte (or of the end of the text).
    fn read_until(&self, at: usize, stops: &[u8]) -> (String, usize) {
        let mut read = String::new();
        let mut at = at;
        loop {
            let rest = &self.text[at..];
            let length = rest
                .bytes()
                .position(|b| b == b'\\' || stops.contains(&b))
                .unwrap_or(rest.len());
            read.push_str(&rest[..length]);
            at += length;
            if self.byte(at) != Some(b'\\') {
                return (read, at);
            }
            at += 1;
            if let Some(escaped) = self.text[at..].chars().next() {
                read.push(escaped);
                at += escaped.len_utf8();
            }
        }
    }

    fn byte(&self, at: usize) -> Option<u8> {
        self.text.as_bytes().get(at).copied()
    }

    /// Tells whether a term that needs no more may end here.
    fn ends_term(&self, at: usize) -> bool {
        matches!(self.byte(at), None | Some(b' ' | b')'))
    }

    fn keyword_at(&self, at: usize, keyword: &str) -> bool {
        let found = self.text.as_bytes().get(at..at + keyword.len());
        found.is_some_and(|found| found.eq_ignore_ascii_case(keyword.as_bytes()))
    }

    fn skip_spaces(&self, at: usize) -> usize {
        at + self.text[at..].bytes().take_while(|&b| b == b' ').count()
    }
}
