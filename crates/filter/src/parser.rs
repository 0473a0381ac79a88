use crate::error::{ParseError, Reason};
use crate::scanner::{Operator, Token, scan};
use crate::{CLAUSES_MAX, DEPTH_MAX, Filter, FilterError, LIST_VALUES_MAX, TEXT_BYTES_MAX};
use pelorus_excerpt::truncated;

/// Parses the text of a filter, in time linear in its length.
///
/// # Errors
/// Every [`FilterError`] is the client's (400, `invalid_argument`); its text is the message.
pub fn parse(text: &str) -> Result<Filter, FilterError> {
    parse_within(text, ListLimit::default())
}

/// The longest `IN` list that is taken.
#[derive(Debug, Clone, Copy)]
pub struct ListLimit<'a> {
    /// Items at most.
    pub values_max: usize,
    /// The name of the setting that moves the limit, where there is one: for the message.
    pub setting: Option<&'a str>,
}

impl Default for ListLimit<'_> {
    fn default() -> Self {
        Self {
            values_max: LIST_VALUES_MAX,
            setting: None,
        }
    }
}

/// As [`parse`], with a limit of `IN` lists that the caller sets.
///
/// # Errors
/// As [`parse`].
pub fn parse_within(text: &str, list_limit: ListLimit) -> Result<Filter, FilterError> {
    if text.is_empty() {
        return Err(FilterError::Empty);
    }
    if text.len() > TEXT_BYTES_MAX {
        return Err(FilterError::TooLong {
            received: text.len(),
            maximum: TEXT_BYTES_MAX,
        });
    }
    Parser::new(text, list_limit)
        .run()
        .map_err(|error| error.into_error(text))
}

/// The last part read inside one level of parentheses.
enum Last {
    Nothing,
    Operand,
    Operator(Operator, usize),
    Not(usize),
}

/// One open level: a disjunction of conjunctions, of which only the last may still grow.
struct Level {
    /// Offset of the `(`; 0 for the outermost level.
    open: usize,
    alternatives: Vec<Filter>,
    conjunction: Vec<Filter>,
    last: Last,
}

impl Level {
    fn new(open: usize) -> Self {
        Level {
            open,
            alternatives: Vec::new(),
            conjunction: Vec::new(),
            last: Last::Nothing,
        }
    }

    fn operator(&mut self, operator: Operator, at: usize) -> Result<(), ParseError> {
        let name = operator.name();
        match self.last {
            Last::Operand => {}
            Last::Nothing => return Err(ParseError::At(at, Reason::Unexpected(name))),
            Last::Operator(..) | Last::Not(_) => {
                return Err(ParseError::At(at, Reason::MissingOperand(name)));
            }
        }
        if operator == Operator::Or {
            self.end_conjunction();
        }
        self.last = Last::Operator(operator, at);
        Ok(())
    }

    fn not(&mut self, at: usize) -> Result<(), ParseError> {
        if matches!(self.last, Last::Operand | Last::Not(_)) {
            return Err(ParseError::At(at, Reason::UnexpectedNot));
        }
        self.last = Last::Not(at);
        Ok(())
    }

    fn follows_operand(&self) -> bool {
        matches!(self.last, Last::Operand)
    }

    fn operand(&mut self, filter: Filter) {
        debug_assert!(
            !self.follows_operand(),
            "an operand needs an operator before it"
        );
        let negated = matches!(self.last, Last::Not(_));
        self.conjunction
            .push(if negated { filter.negated() } else { filter });
        self.last = Last::Operand;
    }

    fn end_conjunction(&mut self) {
        self.alternatives
            .push(Filter::all_of(std::mem::take(&mut self.conjunction)));
    }

    /// The filter of the whole level; `empty` when nothing was written in it.
    fn finish(mut self, empty: ParseError) -> Result<Filter, ParseError> {
        let dangling = match self.last {
            Last::Nothing => return Err(empty),
            Last::Operand => None,
            Last::Operator(operator, at) => Some((operator.name(), at)),
            Last::Not(at) => Some(("NOT", at)),
        };
        if let Some((name, at)) = dangling {
            return Err(ParseError::At(at, Reason::MissingOperand(name)));
        }
        self.end_conjunction();
        Ok(Filter::any_of(self.alternatives))
    }
}

struct Parser<'a> {
    text: &'a str,
    /// The innermost open level; those around it wait in `outer`.
    level: Level,
    outer: Vec<Level>,
    clauses: usize,
    list_limit: ListLimit<'a>,
}

impl<'a> Parser<'a> {
    fn new(text: &'a str, list_limit: ListLimit<'a>) -> Self {
        Parser {
            text,
            level: Level::new(0),
            outer: Vec::new(),
            clauses: 0,
            list_limit,
        }
    }

    fn run(mut self) -> Result<Filter, ParseError> {
        let mut at = 0;
        while let Some(&byte) = self.text.as_bytes().get(at) {
            match byte {
                b' ' => at += 1,
                b'(' => {
                    self.open(at)?;
                    at += 1;
                }
                b')' => {
                    self.close(at)?;
                    at += 1;
                }
                _ => {
                    let (token, end) = scan(self.text, at, self.list_limit)?;
                    self.token(token, at, end)?;
                    at = end;
                }
            }
        }
        if !self.outer.is_empty() {
            return Err(ParseError::Whole(Reason::UnbalancedParentheses));
        }
        self.level.finish(ParseError::Whole(Reason::EmptyFilter))
    }

    fn token(&mut self, token: Token, start: usize, end: usize) -> Result<(), ParseError> {
        match token {
            Token::Operator(operator) => self.level.operator(operator, start),
            Token::Not => self.level.not(start),
            Token::Term(_) if self.level.follows_operand() => {
                let term = truncated(&self.text[start..end]).into_owned();
                Err(ParseError::At(start, Reason::UnexpectedTerm(term)))
            }
            Token::Term(filter) => {
                self.clauses += 1;
                if self.clauses > CLAUSES_MAX {
                    let maximum = CLAUSES_MAX;
                    return Err(ParseError::Limit(FilterError::TooManyClauses { maximum }));
                }
                self.level.operand(filter);
                Ok(())
            }
        }
    }

    fn open(&mut self, at: usize) -> Result<(), ParseError> {
        if self.outer.len() == DEPTH_MAX {
            return Err(ParseError::At(at, Reason::TooDeep { maximum: DEPTH_MAX }));
        }
        self.outer
            .push(std::mem::replace(&mut self.level, Level::new(at)));
        Ok(())
    }

    fn close(&mut self, at: usize) -> Result<(), ParseError> {
        let Some(outer) = self.outer.pop() else {
            return Err(ParseError::At(at, Reason::Unexpected(")")));
        };
        let inner = std::mem::replace(&mut self.level, outer);
        let empty = ParseError::At(inner.open, Reason::EmptyExpression);
        let filter = inner.finish(empty)?;
        if self.level.follows_operand() {
            return Err(ParseError::At(at, Reason::UnexpectedExpression(at)));
        }
        self.level.operand(filter);
        Ok(())
    }
}
