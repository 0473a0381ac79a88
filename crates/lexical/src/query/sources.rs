//! The texts of a query that name its terms.

use super::plan::split_unquoted;
use super::{LexicalQuery, QueryAnalyses, SplitQuery, TermForms};
use crate::analysis::Analyzer;

/// The words and phrases of a text as they were typed, each with the term that it is.
pub(crate) fn sources(
    query: &LexicalQuery,
    analyses: &QueryAnalyses,
    analyzer: &mut Analyzer,
) -> Vec<(TermForms, String)> {
    let split = SplitQuery::new(&query.text);
    let mut all = Vec::new();
    for phrase in split.required {
        let forms = analyses.phrase(phrase, analyzer);
        let forms = forms.map(|forms| forms.with_slop(query.phrase_slop));
        all.extend(forms.map(|forms| (forms, phrase.trim().to_owned())));
    }
    for word in split.optional {
        let words = analyses.words(word, analyzer);
        let ranges = split_unquoted(words.first(), analyses.segmentation());
        if let [range] = &*ranges {
            all.push((words.term(range.clone()), word.to_owned()));
            continue;
        }
        let places = analyzer.places(word);
        // As many, whatever the language.
        if places.len() == words.len() {
            all.extend(ranges.into_iter().map(|range| {
                let bytes = places[range.start].start..places[range.end - 1].end;
                (words.term(range), word[bytes].to_owned())
            }));
        }
    }
    all
}
