//! One answer: the candidates of every segment, and the best of them.

use std::cmp::Ordering;

use pelorus_kernels::BitSet;
use pelorus_lexical::{BM25_B, BM25_K1, WordAnalyzer};

use crate::prefix_distance::for_each_within;
use crate::ranking::{Best, Rank};
use crate::segment::Segment;
use crate::suggestions::{Part, State};

/// Most edits between a token and the beginning of a word.
pub const EDITS_MAX: usize = 2;

/// Tokens that are looked for: of more, the last ones.
pub const TOKENS_MAX: usize = 64;

/// The characters of a token that must stay.
const CHARS_LEFT_MIN: usize = 2;

/// The worth of a token's match: a whole word, a beginning; one less for each edit from there.
const WHOLE: u32 = 4;
const BEGINNING: u32 = 3;

/// The least loss of a match with an edit.
const EDIT_LOSS: u32 = 2;

/// A typed text, and how to look for it.
#[derive(Debug, Clone)]
pub struct SuggestRequest {
    /// The text that was typed so far; nothing or `*` for every query.
    pub text: String,
    /// Most suggestions, at least 1.
    pub limit: usize,
    /// Most edits of a token; a number beyond [`EDITS_MAX`] counts as that.
    pub edits_max: usize,
    /// Least characters of a token that may have edits.
    pub fuzzy_chars_min: usize,
    /// Weight of `ln(1 + popularity)`.
    pub popularity_weight: f64,
    /// Weight of the words that match without an edit.
    pub bm25_weight: f64,
    /// Tells whether every token has to match.
    pub matches_all: bool,
}

impl SuggestRequest {
    /// Ten suggestions for `text`: up to two edits in tokens of three characters or more, both
    /// weights 1, one token that matches is enough.
    pub fn new(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            limit: 10,
            edits_max: EDITS_MAX,
            fuzzy_chars_min: 3,
            popularity_weight: 1.0,
            bm25_weight: 1.0,
            matches_all: false,
        }
    }
}

/// A query that may be meant.
#[derive(Debug, Clone, PartialEq)]
pub struct Suggested {
    /// As it was last put.
    pub text: String,
    /// Higher is better; comparable within one answer.
    pub score: f64,
    /// As it was put.
    pub metadata: String,
}

/// A token of the typed text.
struct Token {
    text: String,
    chars: Vec<char>,
    /// The worth of the beginning of a word.
    beginning: u32,
    edits_max: usize,
    idf: f64,
}

pub(crate) fn search(state: &State, request: &SuggestRequest) -> Vec<Suggested> {
    let found = match request.text.trim() {
        "" | "*" => all(state, request),
        _ => matching(state, request),
    };
    let found = found.into_iter().map(|(rank, (part, row))| {
        let segment = &state.parts[part].segment;
        Suggested {
            text: segment.text(row).to_owned(),
            score: rank.score(),
            metadata: segment.metadata(row).to_owned(),
        }
    });
    found.collect()
}

/// A row of a part, by their places.
type Place = (usize, usize);

/// Keys decide between equals. Within a part rows are in their order.
fn by_key(state: &State) -> impl Fn(&Place, &Place) -> Ordering + '_ {
    let key = |(part, row): &Place| state.parts[*part].segment.key(*row);
    move |a, b| match a.0 == b.0 {
        true => a.1.cmp(&b.1),
        false => key(a).cmp(key(b)),
    }
}

/// Every query.
fn all(state: &State, request: &SuggestRequest) -> Vec<(Rank, Place)> {
    let mut best = Best::new(request.limit, by_key(state));
    for (at, part) in state.parts.iter().enumerate() {
        for row in (0..part.segment.len()).filter(|row| part.is_alive(*row)) {
            let rank = rank(request, 0, 0.0, part.segment.popularity(row));
            best.push(rank, (at, row));
        }
    }
    best.into_sorted()
}

fn matching(state: &State, request: &SuggestRequest) -> Vec<(Rank, Place)> {
    let tokens = tokens(state, request);
    if tokens.is_empty() {
        return Vec::new();
    }
    let average = state.live_words() as f64 / state.len().max(1) as f64;
    let mut found: Vec<Candidates<'_>> = state
        .parts
        .iter()
        .map(|part| Candidates::exact(part, &tokens, average))
        .collect();
    let every = match tokens.len() {
        TOKENS_MAX => u64::MAX,
        count => (1 << count) - 1,
    };
    let is_wanted = |candidate: &Candidate| !request.matches_all || candidate.matched == every;
    // Candidates that an edit lets in are below all that lost less, unless relevance outweighs that: with a page of
    // those, nobody would see them.
    let most = WHOLE * tokens.len() as u32;
    let is_above = |c: &&Candidate| c.exactness + EDIT_LOSS > most && is_wanted(c);
    let above: usize = found
        .iter()
        .map(|part| part.list.iter().filter(is_above).count())
        .sum();
    if above < request.limit || scale(request) > 1.0 {
        found.iter_mut().for_each(|part| part.add_fuzzy(&tokens));
    }
    let mut best = Best::new(request.limit, by_key(state));
    for (at, part) in found.iter().enumerate() {
        for candidate in part.list.iter().filter(|c| is_wanted(c)) {
            let row = candidate.row as usize;
            let popularity = part.segment.popularity(row);
            let rank = rank(request, candidate.exactness, candidate.bm25, popularity);
            best.push(rank, (at, row));
        }
    }
    best.into_sorted()
}

fn rank(request: &SuggestRequest, exactness: u32, bm25: f64, popularity: f64) -> Rank {
    let scale = scale(request);
    let weight = |weight: f64| weight / scale;
    let sum = weight(request.bm25_weight) * bm25 + weight(request.popularity_weight) * popularity;
    // Infinite weights leave nothing to compare by.
    let relevance = if sum.is_nan() { 0.0 } else { sum };
    Rank::new(exactness, relevance, scale)
}

/// The largest weight, and at least 1: how often relevance counts.
fn scale(request: &SuggestRequest) -> f64 {
    let weights = [request.bm25_weight, request.popularity_weight];
    let largest = weights
        .into_iter()
        .fold(1.0, |most: f64, weight| most.max(weight.abs()));
    largest.min(f64::MAX)
}

fn tokens(state: &State, request: &SuggestRequest) -> Vec<Token> {
    let mut texts = WordAnalyzer::new().words(&request.text);
    texts.drain(..texts.len().saturating_sub(TOKENS_MAX));
    let last = texts.len().saturating_sub(1);
    let tokens = texts.into_iter().enumerate().map(|(at, text)| {
        let chars: Vec<char> = text.chars().collect();
        let edits_max = match chars.len() < request.fuzzy_chars_min {
            true => 0,
            false => request
                .edits_max
                .min(EDITS_MAX)
                .min(chars.len().saturating_sub(CHARS_LEFT_MIN)),
        };
        Token {
            idf: idf(state, &text),
            beginning: if at == last { WHOLE } else { BEGINNING },
            text,
            chars,
            edits_max,
        }
    });
    tokens.collect()
}

/// The weight of a query's having a word with this beginning.
fn idf(state: &State, beginning: &str) -> f64 {
    let count = |part: &Part| {
        let segment = &part.segment;
        let rows = segment.rows_of(segment.words_with(beginning));
        match part.has_dead() {
            true => rows
                .iter()
                .filter(|row| part.is_alive(**row as usize))
                .count(),
            false => rows.len(),
        }
    };
    let having = state.parts.iter().map(count).sum::<usize>() as f64;
    let all = state.live_words() as f64;
    (1.0 + (all - having + 0.5) / (having + 0.5)).ln()
}

/// A query that matches a token.
#[derive(Debug)]
struct Candidate {
    row: u32,
    /// The exactness from the tokens before the one that is being looked at.
    exactness: u32,
    bm25: f64,
    /// A bit for each token that matched.
    matched: u64,
    /// The token that is being looked at, its best match so far, and how many words begin with it.
    token: usize,
    best: u32,
    count: u32,
}

/// Those of one segment.
struct Candidates<'s> {
    segment: &'s Segment,
    dead: &'s BitSet,
    has_dead: bool,
    /// The place in the list of each row, plus one; zero where it has none. Fresh memory that is
    /// zero costs only where it is touched.
    places: Vec<u32>,
    list: Vec<Candidate>,
    average: f64,
}

impl<'s> Candidates<'s> {
    /// Finds the rows that match a token without an edit.
    fn exact(part: &'s Part, tokens: &[Token], average: f64) -> Self {
        let segment = &*part.segment;
        let mut candidates = Self {
            segment,
            dead: &part.dead,
            has_dead: part.has_dead(),
            places: vec![0; segment.len()],
            list: Vec::new(),
            average,
        };
        for (at, token) in tokens.iter().enumerate() {
            let words = segment.words_with(&token.text);
            let has_whole = !words.is_empty() && segment.word(words.start) == token.text;
            let whole_end = words.start + usize::from(has_whole);
            for (words, exactness) in [
                (words.start..whole_end, WHOLE),
                (whole_end..words.end, token.beginning),
            ] {
                for &row in segment.rows_of(words) {
                    if let Some(candidate) = candidates.of(row, at, tokens) {
                        candidate.best = candidate.best.max(exactness);
                        candidate.count += 1;
                    }
                }
            }
        }
        candidates.finish(tokens);
        candidates
    }

    /// Adds the rows that match a token with an edit and not without.
    fn add_fuzzy(&mut self, tokens: &[Token]) {
        let segment = self.segment;
        for (at, token) in tokens.iter().enumerate() {
            if token.edits_max == 0 {
                continue;
            }
            for_each_within(
                segment.words(),
                &token.chars,
                token.edits_max,
                |word, edits| {
                    if edits == 0 {
                        return;
                    }
                    for &row in segment.rows_of(word..word + 1) {
                        if let Some(candidate) = self.of(row, at, tokens)
                            && candidate.matched & (1 << at) == 0
                        {
                            candidate.best = candidate.best.max(BEGINNING - edits as u32);
                        }
                    }
                },
            );
        }
        self.finish(tokens);
    }

    /// The candidate of a living row, ready for a match with the token at `at`.
    fn of(&mut self, row: u32, at: usize, tokens: &[Token]) -> Option<&mut Candidate> {
        let place = &mut self.places[row as usize];
        if *place == 0 {
            if self.has_dead && self.dead.contains(row) {
                return None;
            }
            self.list.push(Candidate {
                row,
                exactness: 0,
                bm25: 0.0,
                matched: 0,
                token: at,
                best: 0,
                count: 0,
            });
            *place = self.list.len() as u32;
        }
        let candidate = &mut self.list[*place as usize - 1];
        if candidate.token != at {
            candidate.settle(tokens, self.segment, self.average);
            candidate.token = at;
        }
        Some(candidate)
    }

    fn finish(&mut self, tokens: &[Token]) {
        for candidate in &mut self.list {
            candidate.settle(tokens, self.segment, self.average);
        }
    }
}

impl Candidate {
    /// Adds up the worth of the token that was being looked at.
    fn settle(&mut self, tokens: &[Token], segment: &Segment, average: f64) {
        if self.best == 0 {
            return;
        }
        self.exactness += self.best;
        self.matched |= 1 << self.token;
        if self.count > 0 {
            let count = f64::from(self.count);
            let length = f64::from(segment.length(self.row as usize));
            let norm = BM25_K1 * (1.0 - BM25_B + BM25_B * length / average);
            self.bm25 += tokens[self.token].idf * count * (BM25_K1 + 1.0) / (count + norm);
        }
        (self.best, self.count) = (0, 0);
    }
}
