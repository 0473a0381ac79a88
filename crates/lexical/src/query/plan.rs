use super::{Operand, SplitQuery};
use crate::analysis::{Analyzer, is_unsegmented};
use crate::packed_tokens::pair_up;

/// Characters of a query text that are searched; the rest is ignored.
const TEXT_CHARS_MAX: usize = 1_024;
/// Terms of a query that are searched; the rest is ignored.
const TERMS_MAX: usize = 256;
/// Of these, terms of several tokens: each costs as much as a search of its own.
const PHRASES_MAX: usize = 32;

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
    pub(crate) fn new(text: &str, operand: Operand, analyzer: &mut Analyzer) -> QueryPlan {
        let mut split = SplitQuery::new(first_chars(text, TEXT_CHARS_MAX));
        if split.required.is_empty() && split.optional == ["*"] {
            return QueryPlan::Everything;
        }
        split.required.truncate(TERMS_MAX);
        split.optional.truncate(TERMS_MAX - split.required.len());

        let mut required = Terms::default();
        for phrase in &split.required {
            required.add(pair_up(analyzer.tokens(phrase)));
        }
        let mut optional = Terms::default();
        for word in &split.optional {
            for tokens in split_unsegmented(analyzer.tokens(word)) {
                optional.add(tokens);
            }
        }
        // A `*` beside other terms is a term that matches nothing, other terms without a token
        // are as if they had not been typed.
        let names_empty_term = split.optional.contains(&"*");
        if operand == Operand::And {
            if names_empty_term {
                return QueryPlan::Nothing;
            }
            optional.0.drain(..).for_each(|term| required.merge(term));
        }
        let (mut required, mut optional) = (required.0, optional.0);
        required.truncate(TERMS_MAX);
        optional.truncate(TERMS_MAX - required.len());
        let mut phrases_left = PHRASES_MAX;
        retain_phrases(&mut required, &mut phrases_left);
        retain_phrases(&mut optional, &mut phrases_left);
        if optional.is_empty() && (required.is_empty() || names_empty_term) {
            return QueryPlan::Nothing;
        }
        QueryPlan::Terms { required, optional }
    }
}

fn retain_phrases(terms: &mut Vec<QueryTerm>, left: &mut usize) {
    terms.retain(|term| {
        let is_phrase = term.tokens.len() > 1;
        let keep = !is_phrase || *left > 0;
        *left -= usize::from(is_phrase && keep);
        keep
    });
}

#[derive(Default)]
struct Terms(Vec<QueryTerm>);

impl Terms {
    fn add(&mut self, tokens: Vec<String>) {
        if !tokens.is_empty() {
            self.merge(QueryTerm { tokens, count: 1 });
        }
    }

    fn merge(&mut self, term: QueryTerm) {
        match self.0.iter_mut().find(|known| known.tokens == term.tokens) {
            Some(known) => known.count += term.count,
            None => self.0.push(term),
        }
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

fn first_chars(text: &str, count: usize) -> &str {
    match text.char_indices().nth(count) {
        Some((end, _)) => &text[..end],
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(text: &str, operand: Operand) -> QueryPlan {
        QueryPlan::new(text, operand, &mut Analyzer::new())
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

    #[test]
    fn characters_and_terms_past_the_bounds_are_ignored() {
        let many = (0..2_000).map(|i| format!("{} ", char::from(b'a' + (i % 26) as u8)));
        let (_, optional) = terms(&many.collect::<String>());
        assert!(optional.len() <= TERMS_MAX);
        let phrases: String = (0..100).map(|i| format!("a-{i} ")).collect();
        let (_, optional) = terms(&format!("{phrases} word"));
        assert_eq!(optional.len(), PHRASES_MAX + 1);
        let late = format!("{}late", "a ".repeat(600));
        assert_eq!(terms(&late).1, ["a*256"]);
    }
}
