use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap, HashSet};

/// Reciprocal rank fusion ([`rrf`](crate::rrf)) of two rankings, page by page: page `n` is made of
/// the best documents of the first `n * page` ranks of both that no earlier page has shown.
///
/// A document deep in both rankings may outscore one that an earlier page has shown already, for
/// only a deeper look finds it in both. Fusing afresh for every page would then show a document
/// twice and another one never; here every document comes once, and the first page is that of
/// plain fusion over `page` ranks.
///
/// Returns the documents and scores of the ranks `from .. from + page`, best first.
pub fn rrf_page(
    tensor: &[u32],
    lexical: &[u32],
    alpha: f64,
    k: f64,
    page: usize,
    from: usize,
) -> Vec<(u32, f64)> {
    let tensor = if alpha > 0.0 { tensor } else { &[] };
    let lexical = if alpha < 1.0 { lexical } else { &[] };
    let mut pool = Pool::default();
    let mut ranking: Vec<(u32, f64)> = Vec::new();
    let mut start = 0;
    while page > 0 && ranking.len() < from + page {
        let end = start + page;
        for (rank, &doc) in tensor.iter().enumerate().take(end).skip(start) {
            pool.add(doc, alpha / (k + rank as f64 + 1.0), rank);
        }
        for (rank, &doc) in lexical.iter().enumerate().take(end).skip(start) {
            // What only the lexical ranking found stands behind the whole tensor ranking.
            let score = (1.0 - alpha) / (k + rank as f64 + 1.0);
            pool.add(doc, score, tensor.len() + rank);
        }
        let taken = pool.take(page);
        if taken.is_empty() {
            break;
        }
        ranking.extend(taken);
        start = end;
    }
    let mut shown: Vec<(u32, f64)> = ranking.into_iter().skip(from).take(page).collect();
    // A page that straddles two rounds holds the end of one and the start of the next.
    shown.sort_by(|a, b| b.1.total_cmp(&a.1));
    shown
}

/// Best first: higher scores, then earlier places.
type Key = (Reverse<u64>, usize);

/// Documents that no page has shown.
#[derive(Default)]
struct Pool {
    ordered: BTreeMap<Key, u32>,
    entries: HashMap<u32, (f64, usize)>,
    shown: HashSet<u32>,
}

impl Pool {
    fn add(&mut self, doc: u32, score: f64, place: usize) {
        if self.shown.contains(&doc) {
            return;
        }
        let mut entry = (score, place);
        if let Some((old, at)) = self.entries.insert(doc, entry) {
            self.ordered.remove(&key(old, at));
            entry = (old + score, at.min(place));
            self.entries.insert(doc, entry);
        }
        self.ordered.insert(key(entry.0, entry.1), doc);
    }

    fn take(&mut self, count: usize) -> Vec<(u32, f64)> {
        let mut taken = Vec::with_capacity(count.min(self.ordered.len()));
        while taken.len() < count
            && let Some((_, doc)) = self.ordered.pop_first()
        {
            let (score, _) = self
                .entries
                .remove(&doc)
                .expect("what is ordered has an entry");
            self.shown.insert(doc);
            taken.push((doc, score));
        }
        taken
    }
}

/// Scores are not negative, so their bits are in the order of their values.
fn key(score: f64, place: usize) -> Key {
    (Reverse(score.to_bits()), place)
}

#[cfg(test)]
mod tests {
    use super::rrf_page;
    use crate::rrf;
    use proptest::prelude::*;
    use std::collections::HashSet;

    fn ranking() -> impl Strategy<Value = Vec<u32>> {
        Just((0..40).collect::<Vec<u32>>())
            .prop_shuffle()
            .prop_flat_map(|docs| (0..docs.len()).prop_map(move |len| docs[..len].to_vec()))
    }

    proptest! {
        #[test]
        fn every_document_comes_on_exactly_one_page(
            tensor in ranking(), lexical in ranking(), page in 1..12_usize, alpha in 0.05..0.95_f64,
        ) {
            let mut seen = Vec::new();
            for from in (0..100).step_by(page) {
                seen.extend(rrf_page(&tensor, &lexical, alpha, 60.0, page, from));
            }
            let docs: HashSet<u32> = seen.iter().map(|(doc, _)| *doc).collect();
            let all: HashSet<u32> = tensor.iter().chain(&lexical).copied().collect();
            prop_assert_eq!(seen.len(), docs.len());
            prop_assert_eq!(docs, all);
        }

        #[test]
        fn the_first_page_is_plain_fusion_of_that_many_ranks(
            tensor in ranking(), lexical in ranking(), page in 1..12_usize, alpha in 0.0..=1.0_f64,
        ) {
            let cut = |ranking: &[u32]| ranking[..page.min(ranking.len())].to_vec();
            let mut expected = rrf(&cut(&tensor), &cut(&lexical), alpha, 60.0);
            expected.truncate(page);
            let received = rrf_page(&tensor, &lexical, alpha, 60.0, page, 0);
            prop_assert_eq!(received, expected);
        }
    }
}
