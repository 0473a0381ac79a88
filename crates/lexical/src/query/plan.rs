use std::collections::HashMap;

use super::{Operand, SplitQuery, bounds};
use crate::analysis::{Analyzer, is_unsegmented};
use crate::error::Result;
use crate::positions::pair_up;

/// A query term: one token, or several that must be consecutive in one field.
#[derive(Debug, PartialEq)]
pub(crate) struct QueryTerm {
    pub(crate) tokens: Vec<String>,
    /// How often the query names it; a multiplier of its score.
    pub(crate) count: u32,
}

/// What a query text asks for.
#[derive(Debug, PartialEq)]
pub(crate) enum QueryPlan {
    /// `*` alone: every document, with score 0.
    Everything,
    /// Nothing can match.
    Nothing,
    /// All of `required` and, unless `optional` is empty, at least one of `optional`.
    Terms {
        required: Vec<QueryTerm>,
        optional: Vec<QueryTerm>,
    },
}

impl QueryPlan {
    /// # Errors
    /// [`crate::LexicalError::QueryTooLong`].
    pub(crate) fn new(text: &str, operand: Operand, analyzer: &mut Analyzer) -> Result<QueryPlan> {
        bounds::check_text(text)?;
        let split = SplitQuery::new(text);
        if split.required.is_empty() && split.optional == ["*"] {
            return Ok(QueryPlan::Everything);
        }
        bounds::check_split(&split)?;

        let mut required = Terms::default();
        for phrase in &split.required {
            required.add(pair_up(analyzer.tokens(phrase)));
        }
        let mut optional = Terms::default();
        for word in &split.optional {
            let terms = match operand {
                Operand::Or => &mut optional,
                Operand::And => &mut required,
            };
            for tokens in split_unsegmented(analyzer.tokens(word)) {
                terms.add(tokens);
            }
        }
        let (required, optional) = (required.distinct, optional.distinct);
        bounds::check_terms(&required, &optional)?;
        // A `*` beside other terms is a term that matches nothing, other terms without a token
        // are as if they had not been typed.
        let names_empty_term = split.optional.contains(&"*");
        let none_can_match = optional.is_empty() && (required.is_empty() || names_empty_term);
        if none_can_match {
            return Ok(QueryPlan::Nothing);
        }
        Ok(QueryPlan::Terms { required, optional })
    }
}

/// Terms in the order they were first named.
#[derive(Default)]
struct Terms {
    distinct: Vec<QueryTerm>,
    places: HashMap<Vec<String>, usize>,
}

impl Terms {
    fn add(&mut self, tokens: Vec<String>) {
        if tokens.is_empty() {
            return;
        }
        if let Some(&place) = self.places.get(&tokens) {
            self.distinct[place].count += 1;
            return;
        }
        self.places.insert(tokens.clone(), self.distinct.len());
        self.distinct.push(QueryTerm { tokens, count: 1 });
    }
}

/// An unquoted run of a script without spaces is a sentence as often as a word, and a whole
/// sentence seldom occurs literally. Each pair of neighbouring characters becomes a term of its
/// own instead; words of other scripts in between stay phrases.
fn split_unsegmented(tokens: Vec<String>) -> Vec<Vec<String>> {
    let unsegmented = |token: &String| token.chars().next().is_some_and(is_unsegmented);
    if tokens.iter().all(unsegmented) {
        return pair_up(tokens).into_iter().map(|pair| vec![pair]).collect();
    }
    if tokens.len() <= 2 {
        return vec![tokens];
    }
    tokens
        .chunk_by(|a, b| unsegmented(a) == unsegmented(b))
        .flat_map(|run| match unsegmented(&run[0]) {
            true => split_unsegmented(run.to_vec()),
            false => vec![run.to_vec()],
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(text: &str, operand: Operand) -> QueryPlan {
        QueryPlan::new(text, operand, &mut Analyzer::new()).unwrap()
    }

    fn terms(text: &str) -> (Vec<String>, Vec<String>) {
        match plan(text, Operand::Or) {
            QueryPlan::Terms { required, optional } => (names(required), names(optional)),
            other => panic!("{text} gave {other:?}"),
        }
    }

    fn names(terms: Vec<QueryTerm>) -> Vec<String> {
        terms
            .into_iter()
            .map(|t| format!("{}*{}", t.tokens.join(" "), t.count))
            .collect()
    }

    #[test]
    fn a_star_alone_asks_for_everything_and_nowhere_else() {
        assert_eq!(plan(" * ", Operand::Or), QueryPlan::Everything);
        assert_eq!(plan("\"*\"", Operand::Or), QueryPlan::Nothing);
        assert_eq!(plan("\"exact\" *", Operand::Or), QueryPlan::Nothing);
        assert_eq!(terms("exact *"), (vec![], vec!["exact*1".into()]));
    }

    #[test]
    fn terms_without_tokens_are_dropped() {
        assert_eq!(plan("!!! ??", Operand::Or), QueryPlan::Nothing);
        assert_eq!(plan("", Operand::And), QueryPlan::Nothing);
        assert_eq!(terms("\"exact\" !!!"), (vec!["exact*1".into()], vec![]));
    }

    #[test]
    fn a_repeated_term_counts_as_often_as_it_is_typed() {
        assert_eq!(
            terms("dog dogs cat"),
            (vec![], vec!["dog*2".into(), "cat*1".into()])
        );
    }

    #[test]
    fn a_word_of_several_tokens_is_one_phrase() {
        assert_eq!(terms("t-shirt"), (vec![], vec!["t shirt*1".into()]));
    }

    #[test]
    fn a_long_run_without_spaces_becomes_pairs_unless_quoted() {
        let pairs = vec!["手机*1".to_owned(), "机壳*1".into()];
        assert_eq!(terms("手机壳"), (vec![], pairs));
        assert_eq!(terms("\"手机壳\""), (vec!["手机 机壳*1".into()], vec![]));
        assert_eq!(terms("朋友"), (vec![], vec!["朋友*1".into()]));
        assert_eq!(terms("t恤").1, ["t 恤*1"]);
        assert_eq!(
            terms("iphone手机2壳").1,
            ["iphon*1", "手机*1", "2*1", "壳*1"]
        );
    }

    #[test]
    fn with_operand_and_every_term_is_required() {
        let QueryPlan::Terms { required, optional } = plan("red \"dog\" red", Operand::And) else {
            panic!("expected terms");
        };
        assert_eq!(names(required), ["dog*1", "red*2"]);
        assert!(optional.is_empty());
    }
}
