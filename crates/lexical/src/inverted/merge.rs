use std::ops::Range;

use super::builder::Builder;
use super::{Inverted, TermMerge};
use crate::word_list::WordList;

/// Makes one of several, whose documents ascend from each to the next and whose fields mean the
/// same.
pub(crate) fn merge(sources: &[&Inverted]) -> Inverted {
    debug_assert!(
        (sources.iter().flat_map(|source| source.documents())).is_sorted_by(|a, b| a < b),
        "documents ascend from each source to the next"
    );
    let mut out = Builder::with_room_of(sources.iter().copied());
    for source in sources {
        for (row, &doc) in source.documents().iter().enumerate() {
            out.push_document(doc, source.fields(row).iter().copied());
        }
    }
    let mut terms = TermMerge::new(sources.iter().copied());
    // Lists of the term that are not taken yet, by source.
    let mut rest = Vec::new();
    while let Some((text, found)) = terms.next_term() {
        let (hash, mut documents) = (found[0].0.terms[found[0].1].hash, 0);
        rest.clear();
        for &(source, term) in found {
            documents += source.documents_with(term);
            rest.push((source, source.list_range(term)));
        }
        let first = |(source, lists): &(&Inverted, Range<usize>)| {
            let lists = &source.lists[lists.clone()];
            lists.first().map(|list| list.field)
        };
        while let Some(field) = rest.iter().filter_map(first).min() {
            for one in &mut rest {
                if first(one) == Some(field) {
                    let (source, lists) = one;
                    out.push_postings(&source.list(lists.start));
                    lists.start += 1;
                }
            }
            out.end_list(field);
        }
        out.end_term(text, hash, documents);
    }
    let mut out = out.finish();
    out.words = WordList::merge(sources.iter().map(|source| &source.words));
    out
}
