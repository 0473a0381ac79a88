use std::collections::HashMap;
use std::ops::Range;

use pelorus_characters::is_unsegmented;

use super::forms::{QueryAnalyses, TermForm, TermForms};
use super::spellings::{SpelledWord, Spelling};
use super::{LexicalQuery, Operand, SplitQuery, bounds};
use crate::analysis::{Analyzer, Segmentation, is_symbol};
use crate::error::Result;
use crate::expansion::{EXPANDED_MAX, Expansion};
use crate::field_table::Slot;

/// A query term.
#[derive(Debug)]
pub(crate) struct QueryTerm {
    pub(crate) tokens: TermForms,
    /// The number of times that the query names it; a multiplier of its score.
    pub(crate) count: u32,
    /// The word as it was typed, where it may stand for others.
    pub(crate) typed: Option<TypedWord>,
    /// Distinct, those that texts may not have among them.
    pub(crate) spellings: Vec<Spelling>,
    /// The words of the index that it stands for besides itself.
    pub(crate) expansions: Vec<Expansion>,
}

/// The last word of a term as it was typed, which is the only one of most.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TypedWord {
    /// Distinct, folded as each language of the index asks for.
    pub(crate) words: Vec<String>,
    /// Tells whether it ends the query.
    pub(crate) is_last: bool,
}

/// The request of a query text.
#[derive(Debug)]
pub(crate) enum QueryPlan {
    /// `*` alone: every document, with score 0.
    Everything,
    /// Nothing can match.
    Nothing,
    /// All of `required` or, where it is empty, at least one of `optional`; beside required terms optional ones
    /// only add to the score.
    Terms {
        required: Vec<QueryTerm>,
        optional: Vec<QueryTerm>,
    },
}

impl QueryPlan {
    /// # Errors
    /// [`crate::LexicalError::QueryTooLong`].
    pub(crate) fn new(
        query: &LexicalQuery,
        analyses: &QueryAnalyses,
        analyzer: &mut Analyzer,
    ) -> Result<QueryPlan> {
        let text = &*query.text;
        bounds::check_text(text)?;
        let split = SplitQuery::new(text);
        if split.required.is_empty() && split.optional == ["*"] {
            return Ok(QueryPlan::Everything);
        }
        bounds::check_split(&split)?;
        let stop_words = &query.stop_words;
        let stop_words = stop_words.among(&split.optional, text, query.language, analyses);
        if stop_words.contains(&true) {
            let plan = Self::of_split(query, &split, &stop_words, analyses, analyzer)?;
            if !matches!(plan, QueryPlan::Nothing) {
                return Ok(plan);
            }
        }
        Self::of_split(query, &split, &[], analyses, analyzer)
    }

    /// The plan of all words but those that are marked as `stop_words`. The last of these stays where it is a beginning,
    /// which a document need not have.
    fn of_split(
        query: &LexicalQuery,
        split: &SplitQuery<'_>,
        stop_words: &[bool],
        analyses: &QueryAnalyses,
        analyzer: &mut Analyzer,
    ) -> Result<QueryPlan> {
        let mut required = Terms::default();
        for phrase in &split.required {
            // Without the phrase the query would find what it does not ask for.
            let Some(phrase) = analyses.phrase(phrase, analyzer) else {
                return Ok(QueryPlan::Nothing);
            };
            required.push(phrase.with_slop(query.phrase_slop), None);
        }
        let mut optional = Terms::default();
        let last_word = split.optional.len().checked_sub(1);
        let last_word = last_word.filter(|_| split.ends_with_word);
        let mut before: Option<PlacedWord<'_>> = None;
        for (at, word) in split.optional.iter().enumerate() {
            let is_stop_word = stop_words.get(at) == Some(&true);
            let is_typed = Some(at) == last_word && query.typing.completes_last();
            if is_stop_word && !is_typed {
                before = None;
                continue;
            }
            let terms = match query.operand {
                Operand::And if !is_stop_word => &mut required,
                _ => &mut optional,
            };
            let words = analyses.words(word, analyzer);
            let segmentation = analyses.segmentation();
            let ranges = split_unquoted(words.first(), segmentation);
            let mut kinds = kinds(words.first(), segmentation);
            let is_whole = ranges.len() == 1 && kinds.all(|kind| kind == Kind::Word);
            let mut place = 0;
            for range in ranges {
                let typed = (!query.typing.is_exact()).then(|| TypedWord {
                    words: analyses.typed(word, range.end - 1, analyzer),
                    is_last: Some(at) == last_word && range.end == words.len(),
                });
                place = terms.push(words.term(range), typed);
            }
            let is_expanded = at < EXPANDED_MAX || Some(at) == last_word;
            let is_spelled = query.typing.split_join && is_whole && is_expanded;
            let spelled = is_spelled.then(|| SpelledWord::new(word, analyzer));
            let spelled = spelled.flatten().map(|spelled| (spelled, place));
            if let Some(spelled) = &spelled {
                let neighbour = before.filter(|_| split.has_neighbour_before(at));
                spell(terms, neighbour.as_ref(), spelled, analyses, analyzer);
            }
            before = spelled;
        }
        let (required, optional) = (required.distinct, optional.distinct);
        bounds::check_terms(&required, &optional)?;
        // Optional terms without a token are as if they had not been typed, but for a `*` that stands beside required
        // phrases alone: as in the original that asks for more than these and finds nothing.
        let names_empty_term = split.optional.contains(&"*");
        if optional.is_empty() && (required.is_empty() || names_empty_term) {
            return Ok(QueryPlan::Nothing);
        }
        Ok(QueryPlan::Terms { required, optional })
    }
}

/// A word of the query, and the place of its term.
type PlacedWord<'q> = (SpelledWord<'q>, usize);

/// Adds the other spellings of a word to its term, and those with the word before it to the terms of both.
fn spell(
    terms: &mut Terms,
    before: Option<&PlacedWord<'_>>,
    (word, place): &PlacedWord<'_>,
    analyses: &QueryAnalyses,
    analyzer: &mut Analyzer,
) {
    let mut add = |text: String, places: &[usize]| {
        let Some(forms) = analyses.phrase(&text, analyzer) else {
            return;
        };
        for &place in places {
            let spellings = &mut terms.distinct[place].spellings;
            if spellings.iter().all(|known| known.text != text) {
                let (forms, text) = (forms.clone(), text.clone());
                spellings.push(Spelling { forms, text });
            }
        }
    };
    if let Some((before, place_before)) = before
        && let Some(joined) = before.joined_with(word)
    {
        add(joined, &[*place_before, *place]);
    }
    for text in word.spellings() {
        add(text, &[*place]);
    }
}

impl TypedWord {
    /// The same term once more, as it is typed elsewhere.
    fn add(&mut self, other: TypedWord) {
        self.is_last |= other.is_last;
        for word in other.words {
            if !self.words.contains(&word) {
                self.words.push(word);
            }
        }
    }
}

impl QueryTerm {
    /// The tokens of a term in the texts of a field: its own and those of the words that it stands for, as phrases.
    pub(crate) fn phrases_in(&self, slot: Slot) -> impl Iterator<Item = (&[String], u32)> {
        let own = self.tokens.forms().iter();
        let own = own.filter(move |form| self.tokens.stands_in(form, slot));
        let others = self.expansions.iter();
        let others = others.filter(move |expansion| expansion.stands_in(slot));
        own.map(|form| (&*form.tokens, form.slop))
            .chain(others.map(|expansion| (&*expansion.tokens, 0)))
    }
}

/// Terms in the order they were first named.
#[derive(Default)]
struct Terms {
    distinct: Vec<QueryTerm>,
    /// The places of the first of them, once they are more than a few.
    places: HashMap<Vec<TermForm>, usize>,
}

/// Terms that are compared one after the other: most queries have no more.
const FEW_TERMS: usize = 8;

impl Terms {
    fn place_of(&mut self, forms: &[TermForm]) -> Option<usize> {
        if self.distinct.len() <= FEW_TERMS {
            let is_same = |term: &QueryTerm| term.tokens.forms() == forms;
            return self.distinct.iter().position(is_same);
        }
        for (place, term) in self.distinct.iter().enumerate().skip(self.places.len()) {
            self.places.insert(term.tokens.forms().to_vec(), place);
        }
        self.places.get(forms).copied()
    }

    /// Adds a term; gives its place.
    fn push(&mut self, tokens: TermForms, typed: Option<TypedWord>) -> usize {
        let typed = typed.filter(|typed| !typed.words.is_empty());
        match self.place_of(tokens.forms()) {
            Some(place) => {
                let term = &mut self.distinct[place];
                term.count += 1;
                match (&mut term.typed, typed) {
                    (Some(known), Some(typed)) => known.add(typed),
                    (known, typed) => *known = known.take().or(typed),
                }
                place
            }
            None => {
                self.distinct.push(QueryTerm {
                    tokens,
                    count: 1,
                    typed,
                    spellings: Vec::new(),
                    expansions: Vec::new(),
                });
                self.distinct.len() - 1
            }
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Word,
    Character,
    /// A word of a script without blanks.
    Segment,
    Symbol,
}

fn kind_of(token: &str, segmentation: Segmentation) -> Kind {
    match token.chars().next() {
        Some(c) if segmentation.pairs(c) => Kind::Character,
        Some(c) if is_unsegmented(c) => Kind::Segment,
        Some(c) if is_symbol(c) => Kind::Symbol,
        _ => Kind::Word,
    }
}

fn kinds(tokens: &[String], segmentation: Segmentation) -> impl Iterator<Item = Kind> {
    tokens.iter().map(move |token| kind_of(token, segmentation))
}

/// The terms of a run of tokens that was not quoted, each a range. A run of a script without spaces is
/// a sentence as often as a word, and a whole sentence seldom occurs literally: each word of it, or each pair of
/// neighbouring characters, becomes a term of its own. So does each symbol. Words of other scripts in
/// between stay phrases.
pub(super) fn split_unquoted(tokens: &[String], segmentation: Segmentation) -> Vec<Range<usize>> {
    let kinds: Vec<Kind> = kinds(tokens, segmentation).collect();
    let is_short = kinds.len() <= 2 && !kinds.contains(&Kind::Symbol);
    let mut ranges = Vec::new();
    if is_short && kinds.contains(&Kind::Word) {
        ranges.push(0..kinds.len());
        return ranges;
    }
    let mut from = 0;
    for run in kinds.chunk_by(|a, b| a == b) {
        let end = from + run.len();
        match run[0] {
            Kind::Word => ranges.push(from..end),
            Kind::Character if run.len() > 1 => {
                ranges.extend((from + 1..end).map(|second| second - 1..second + 1));
            }
            Kind::Character | Kind::Segment | Kind::Symbol => {
                ranges.extend((from..end).map(|at| at..at + 1))
            }
        }
        from = end;
    }
    ranges
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    fn plan(text: &str, operand: Operand) -> QueryPlan {
        let analyses = QueryAnalyses::new(Arc::default(), None);
        let query = LexicalQuery {
            text: text.to_owned(),
            fields: None,
            k: 10,
            operand,
            ..LexicalQuery::default()
        };
        QueryPlan::new(&query, &analyses, &mut Analyzer::default()).unwrap()
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
            .map(|t| format!("{}*{}", t.tokens.forms()[0].tokens.join(" "), t.count))
            .collect()
    }

    #[test]
    fn a_star_alone_asks_for_everything_and_nowhere_else() {
        assert!(matches!(plan(" * ", Operand::Or), QueryPlan::Everything));
        assert!(matches!(plan("\"*\"", Operand::Or), QueryPlan::Nothing));
        assert_eq!(terms("exact *"), (vec![], vec!["exact*1".into()]));
        assert!(matches!(
            plan("\"exact\" *", Operand::Or),
            QueryPlan::Nothing
        ));
        assert_eq!(
            terms("\"exact\" * words"),
            (vec!["exact*1".into()], vec!["word*1".into()])
        );
    }

    #[test]
    fn optional_terms_without_tokens_are_dropped() {
        assert!(matches!(plan("!!! ??", Operand::Or), QueryPlan::Nothing));
        assert!(matches!(plan("", Operand::And), QueryPlan::Nothing));
        assert_eq!(terms("\"exact\" !!!"), (vec!["exact*1".into()], vec![]));
        let QueryPlan::Terms { required, .. } = plan("storm & !!!", Operand::And) else {
            panic!("expected terms");
        };
        assert_eq!(names(required), ["storm*1"]);
    }

    #[test]
    fn a_required_phrase_without_tokens_matches_nothing() {
        for phrase in ["*", "!", "!!!", "- -", "\u{301}"] {
            for text in [
                format!("\"{phrase}\" storm"),
                format!("storm \"{phrase}\""),
                format!("\"storm\" \"{phrase}\""),
                format!("\"{phrase}\" *"),
            ] {
                for operand in [Operand::Or, Operand::And] {
                    assert!(matches!(plan(&text, operand), QueryPlan::Nothing), "{text}");
                }
            }
        }
        for blanks in ["", " ", " \t\u{a0}"] {
            let text = format!("\"{blanks}\" storm");
            assert_eq!(terms(&text), (vec![], vec!["storm*1".into()]), "{text}");
        }
    }

    #[test]
    fn words_that_other_engines_leave_out_are_required_like_any() {
        assert_eq!(terms("\"the\" storm").0, ["the*1"]);
        assert_eq!(terms("\"to be or not to be\"").0, ["to be or not to be*1"]);
    }

    #[test]
    fn a_repeated_term_counts_as_often_as_it_is_typed() {
        assert_eq!(
            terms("dog dogs cat"),
            (vec![], vec!["dog*2".into(), "cat*1".into()])
        );
    }

    #[test]
    fn each_of_many_terms_is_kept_once() {
        let all: Vec<String> = (0..3 * FEW_TERMS).map(|n| format!("w{n}x")).collect();
        let named: Vec<String> = all.iter().map(|word| format!("{word}*2")).collect();
        let text = [all.join(" "), all.join(" ")].join(" ");
        assert_eq!(terms(&text), (vec![], named));
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
    fn symbols_are_terms_of_their_own() {
        assert_eq!(terms("nike★air 👍").1, ["nike*1", "★*1", "air*1", "👍*1"]);
        assert_eq!(terms("\"go 👍\"").0, ["go 👍*1"]);
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
