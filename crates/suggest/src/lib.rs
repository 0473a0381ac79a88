//! Typeahead: which of many known queries somebody may be typing.
//!
//! [`Suggestions`] holds queries with a popularity and a few bytes of metadata, all of it in memory and derived from
//! the store of somebody else. A [`SuggestRequest`] is the text typed so far; the answer are the best [`Suggested`],
//! best first.
//!
//! # Matching
//!
//! Texts are split into words as the text index splits them, without their endings being cut
//! ([`WordAnalyzer`](pelorus_lexical::WordAnalyzer)): neither case nor accents nor punctuation matter, and a script
//! without blanks gives one word per character. The typed text is split into tokens the same way. A token matches a
//! word
//! - that begins with it, or
//! - of which some beginning is at most [`SuggestRequest::edits_max`] edits away, where the token has
//!   at least [`SuggestRequest::fuzzy_chars_min`] characters. An edit inserts, drops or replaces a
//!   character, or swaps two neighbours (optimal string alignment). More than [`EDITS_MAX`] edits
//!   are never tried, and at least two characters of a token have to stay: three allow one edit.
//!
//! One token that matches is enough, unless [`SuggestRequest::matches_all`]. The token `*` alone
//! asks for every query, and so does nothing at all.
//!
//! # Order
//!
//! 1. The higher **exactness**: the sum over the tokens of their best match: 4 for the whole word, 3
//!    for its beginning, 2 and 1 for one and two edits, 0 for none. The last token is still being
//!    typed, and the beginning of a word counts as the whole.
//! 2. The higher **relevance** `r = bm25_weight * bm25 + popularity_weight * ln(1 + popularity)`,
//!    where a negative popularity counts as 0.
//! 3. The text whose [key](key_of) comes first.
//!
//! `bm25` is the sum, over the tokens that begin words of the query exactly, of
//! `ln(1 + (N - n + 0.5) / (n + 0.5)) * c * 2.2 / (c + 1.2 * (0.25 + 0.75 * length / average))`:
//! `N` words of all queries, `n` of them beginning with the token, `c` of these in this query, whose
//! words are `length`, `average` in all queries.
//!
//! The score that is answered has the order of 1 and 2: `exactness + (1 + r / (1 + |r|)) / 2`, that is
//! the exactness and a fraction that grows with the relevance.
//!
//! A weight beyond 1 lets relevance outweigh exactness. With `s` the largest absolute weight, weights are divided by
//! `s`, and the score, `exactness + s * (1 + r / (1 + |r|)) / 2`, decides in place of 1.
//!
//! # How it is found
//!
//! Queries lie in a few immutable [segments](segment), each at least twice as large as the next, so
//! that a batch of new ones costs a small segment, and a merge now and then. In a segment the
//! distinct words are sorted: those that begin with a token are a range. The others are compared one
//! after the other, each from where it differs from the one before ([`prefix_distance`]), and only if
//! they can still get onto the page.
#![forbid(unsafe_code)]

mod prefix_distance;
mod ranking;
mod search;
mod segment;
mod suggestions;
mod texts;

pub use search::{EDITS_MAX, SuggestRequest, Suggested, TOKENS_MAX};
pub use suggestions::{Change, Query, Suggestions, key_of};
