//! The oracle: every query is looked at for every answer.

use std::collections::BTreeMap;

use pelorus_lexical::WordAnalyzer;
use pelorus_suggest::{Change, EDITS_MAX, Query, SuggestRequest, Suggested, key_of};

/// The known queries, by key.
#[derive(Default)]
pub struct Model(pub BTreeMap<String, Query>);

impl Model {
    pub fn apply(&mut self, change: Change) {
        match change {
            Change::Put(query) => _ = self.0.insert(key_of(&query.text), query),
            Change::Remove(key) => _ = self.0.remove(&key),
            Change::Clear => self.0.clear(),
        }
    }

    /// The formula of the crate's documentation, word for word, for every query.
    pub fn search(&self, request: &SuggestRequest) -> Vec<Suggested> {
        let mut analyzer = WordAnalyzer::new();
        let tokens = analyzer.words(&request.text);
        let is_all = ["", "*"].contains(&request.text.trim());
        let scale = request
            .bm25_weight
            .abs()
            .max(request.popularity_weight.abs());
        let scale = scale.max(1.0);
        if tokens.is_empty() && !is_all {
            return Vec::new();
        }
        let words: Vec<Vec<String>> = self.0.values().map(|q| analyzer.words(&q.text)).collect();
        let all: f64 = words.iter().map(Vec::len).sum::<usize>() as f64;
        let average = all / words.len().max(1) as f64;
        let beginning = |word: &String, token: &str| word.starts_with(token);
        let mut ranked = Vec::new();
        for (query, own) in self.0.values().zip(&words) {
            let (mut exactness, mut bm25, mut matched) = (0, 0.0, 0);
            for (at, token) in tokens.iter().enumerate() {
                let is_last = at + 1 == tokens.len();
                let matches = own
                    .iter()
                    .map(|word| exactness_of(word, token, is_last, request));
                let best = matches.max().unwrap_or(0);
                exactness += best;
                matched += usize::from(best > 0);
                let count = own.iter().filter(|word| beginning(word, token)).count() as f64;
                if count > 0.0 {
                    let having = words.iter().flatten().filter(|w| beginning(w, token));
                    let having = having.count() as f64;
                    let idf = (1.0 + (all - having + 0.5) / (having + 0.5)).ln();
                    let norm = 1.2 * (0.25 + 0.75 * own.len() as f64 / average);
                    bm25 += idf * count * 2.2 / (count + norm);
                }
            }
            let is_found = match request.matches_all {
                true => matched == tokens.len(),
                false => matched > 0,
            };
            if is_found || is_all {
                let popularity = query.popularity.max(0.0).ln_1p();
                let (words, popular) = (
                    request.bm25_weight / scale,
                    request.popularity_weight / scale,
                );
                let r = words * bm25 + popular * popularity;
                let score = f64::from(exactness) + scale * ((1.0 + r / (1.0 + r.abs())) / 2.0);
                let first = if scale > 1.0 {
                    score
                } else {
                    f64::from(exactness)
                };
                ranked.push((first, r, score, query));
            }
        }
        // The keys are in order already.
        ranked.sort_by(|a, b| b.0.total_cmp(&a.0).then(b.1.total_cmp(&a.1)));
        ranked.truncate(request.limit);
        let suggested = ranked.into_iter().map(|(.., score, query)| Suggested {
            text: query.text.clone(),
            score,
            metadata: query.metadata.clone(),
        });
        suggested.collect()
    }
}

fn exactness_of(word: &str, token: &str, is_last: bool, request: &SuggestRequest) -> u32 {
    if word == token || is_last && word.starts_with(token) {
        return 4;
    }
    if word.starts_with(token) {
        return 3;
    }
    let token: Vec<char> = token.chars().collect();
    if token.len() < request.fuzzy_chars_min || token.len() < 3 {
        return 0;
    }
    let edits_max = request.edits_max.min(EDITS_MAX).min(token.len() - 2);
    let word: Vec<char> = word.chars().collect();
    let beginnings = (0..=word.len()).map(|end| distance(&word[..end], &token));
    match beginnings.min() {
        Some(edits) if edits <= edits_max => 3 - edits as u32,
        _ => 0,
    }
}

/// Optimal string alignment, from the textbook.
fn distance(a: &[char], b: &[char]) -> usize {
    let mut table = vec![vec![0; b.len() + 1]; a.len() + 1];
    for i in 0..=a.len() {
        for j in 0..=b.len() {
            if i == 0 || j == 0 {
                table[i][j] = i + j;
                continue;
            }
            let replaced = table[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let least = replaced.min(table[i - 1][j] + 1).min(table[i][j - 1] + 1);
            let is_swap = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
            table[i][j] = match is_swap {
                true => least.min(table[i - 2][j - 2] + 1),
                false => least,
            };
        }
    }
    table[a.len()][b.len()]
}
