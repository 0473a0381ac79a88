//! The scores that names such as `marqo__score_bm25_sum` stand for, computed by the legs.

use std::collections::BTreeMap;

use pelorus_kernels::BitSet;
use rustc_hash::FxHashMap;

use super::hit_scores::{HitScores, NAME_START};
use super::hits::Hit;
use super::legs::Legs;
use crate::error::Result;

/// Documents whose words are looked up together: with hundreds of words those of a document are many.
const TOGETHER: usize = 128;

/// Computes the scores of `hits` that some of the `names` stand for.
pub(super) fn scores_of(legs: &Legs<'_>, names: &[String], hits: &[Hit]) -> Result<HitScores> {
    let mut docs: Vec<u32> = hits.iter().map(|hit| hit.doc).collect();
    docs.sort_unstable();
    let names = names.iter().enumerate();
    let named: Vec<(usize, Option<Name>)> = names
        .filter_map(|(place, name)| Some((place, name.strip_prefix(NAME_START)?)))
        .map(|(place, name)| (place, Name::parse(name)))
        .collect();
    let names_leg = |leg| {
        let mut names = named.iter().filter_map(|(_, name)| name.as_ref());
        names.any(|name| name.leg == leg)
    };
    let words = match names_leg(Leg::Words) {
        true => by_words(legs, &docs)?,
        false => Vec::new(),
    };
    let (near, tensor_fields) = match names_leg(Leg::Vectors) {
        true => by_vectors(legs, &docs)?,
        false => (Vec::new(), 0),
    };
    let scores = named.into_iter().map(|(place, name)| {
        let scores = name.map_or_else(FxHashMap::default, |name| {
            let (fields, count) = match name.leg {
                Leg::Words => (&words, None),
                Leg::Vectors => (&near, Some(tensor_fields)),
            };
            debug_assert_eq!(fields.len(), docs.len(), "each document was looked up");
            let of = docs.iter().zip(fields);
            normalized(of.filter_map(|(&doc, fields)| Some((doc, name.of(fields, count)?))))
        });
        (place, scores)
    });
    Ok(HitScores::of(scores.collect()))
}

/// Scores of a document by field.
type ByField = BTreeMap<String, f64>;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Leg {
    Words,
    Vectors,
}

#[derive(Debug, PartialEq, Eq)]
enum Fields {
    One(String),
    Sum,
    Max,
    Avg,
}

/// The score that a name stands for.
#[derive(Debug, PartialEq, Eq)]
struct Name {
    leg: Leg,
    fields: Fields,
}

impl Name {
    /// None where it stands for no score that there is.
    fn parse(name: &str) -> Option<Self> {
        let legs = [
            ("bm25_", Leg::Words),
            ("closeness_retrieval_vector_", Leg::Vectors),
        ];
        let (leg, fields) = legs
            .into_iter()
            .find_map(|(start, leg)| Some((leg, name.strip_prefix(start)?)))?;
        let fields = match fields {
            "sum" => Fields::Sum,
            "max" => Fields::Max,
            "avg" => Fields::Avg,
            other => Fields::One(other.strip_prefix("field_")?.to_owned()),
        };
        Some(Self { leg, fields })
    }

    /// Reduces the scores of a document to the one that is named; the mean is of `count` fields, or of those with a
    /// score.
    fn of(&self, scores: &ByField, count: Option<usize>) -> Option<f64> {
        if scores.is_empty() {
            return None;
        }
        let sum = || scores.values().fold(0.0, |sum, score| sum + score);
        match &self.fields {
            Fields::One(field) => scores.get(field).copied(),
            Fields::Sum => Some(sum()),
            Fields::Avg => Some(sum() / count.unwrap_or(scores.len()) as f64),
            Fields::Max => scores.values().copied().reduce(f64::max),
        }
    }
}

/// Divided by the highest; none where none is above 0.
fn normalized(scores: impl Iterator<Item = (u32, f64)>) -> FxHashMap<u32, f64> {
    let mut scores: FxHashMap<u32, f64> = scores.collect();
    let highest = scores.values().copied().fold(0.0, f64::max);
    match highest > 0.0 {
        true => scores.values_mut().for_each(|score| *score /= highest),
        false => scores.clear(),
    }
    scores
}

/// The BM25 of each document, by field.
fn by_words(legs: &Legs<'_>, docs: &[u32]) -> Result<Vec<ByField>> {
    let Some(leg) = &legs.query.plan.lexical else {
        return Ok(vec![ByField::new(); docs.len()]);
    };
    let mut all = Vec::with_capacity(docs.len());
    for some in docs.chunks(TOGETHER) {
        for terms in legs.words.explain(leg, some)? {
            // Added up in 32 bits, as a search does.
            let mut scores: BTreeMap<String, f32> = BTreeMap::new();
            for term in terms {
                *scores.entry(term.field).or_default() += term.score;
            }
            let scores = scores.into_iter();
            all.push(scores.map(|(field, score)| (field, score.into())).collect());
        }
    }
    Ok(all)
}

/// The closeness of each document by field, and how many fields are searched.
fn by_vectors(legs: &Legs<'_>, docs: &[u32]) -> Result<(Vec<ByField>, usize)> {
    let mut all = vec![ByField::new(); docs.len()];
    let Some(leg) = &legs.query.plan.tensor else {
        return Ok((all, 0));
    };
    let is_searched = |field: &String| leg.fields.as_ref().is_none_or(|some| some.contains(field));
    let mut names = legs.documents.tensor_fields();
    names.retain(is_searched);
    let accept: BitSet = docs.iter().copied().collect();
    for name in &names {
        for hit in legs.nearest_in(name, &accept)? {
            if let Ok(place) = docs.binary_search(&hit.doc) {
                all[place].insert(name.clone(), hit.score);
            }
        }
    }
    Ok((all, names.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_a_leg_and_its_fields() {
        let parsed = |name| Name::parse(name).map(|name| (name.leg, name.fields));
        let title = Fields::One("title".to_owned());
        assert_eq!(parsed("bm25_field_title"), Some((Leg::Words, title)));
        assert_eq!(parsed("bm25_avg"), Some((Leg::Words, Fields::Avg)));
        let v = Fields::One("sum".to_owned());
        let named = parsed("closeness_retrieval_vector_field_sum");
        assert_eq!(named, Some((Leg::Vectors, v)));
        for none in ["bm25_", "bm25_title", "closeness_max", "rrf", ""] {
            assert_eq!(parsed(none), None, "{none}");
        }
    }

    #[test]
    fn scores_of_fields_are_joined_and_divided_by_the_highest() {
        let scores = ByField::from([("a".to_owned(), 3.0), ("b".to_owned(), 1.0)]);
        let of = |fields, count| {
            let leg = Leg::Words;
            Name { leg, fields }.of(&scores, count)
        };
        assert_eq!(of(Fields::Sum, None), Some(4.0));
        assert_eq!(of(Fields::Max, None), Some(3.0));
        assert_eq!(of(Fields::Avg, None), Some(2.0));
        assert_eq!(of(Fields::Avg, Some(8)), Some(0.5));
        assert_eq!(of(Fields::One("b".to_owned()), None), Some(1.0));
        assert_eq!(of(Fields::One("c".to_owned()), None), None);
        let divided = normalized([(1, 2.0), (2, 8.0)].into_iter());
        assert_eq!((divided[&1], divided[&2]), (0.25, 1.0));
        assert!(normalized([(1, -2.0), (2, 0.0)].into_iter()).is_empty());
    }
}
