//! Hits that are kept for later pages.

use std::mem::size_of;
use std::sync::Arc;

use super::hits::{Hit, NearestChunk};

/// Stands for no document and for no tensor field.
const NONE: u32 = u32::MAX;

/// Hits in their order, column by column: a member that no hit has takes no room.
#[derive(Default)]
pub(super) struct RankedHits {
    docs: Vec<u32>,
    scores: Vec<f64>,
    tensor_scores: Scores,
    lexical_scores: Scores,
    pre_rerank_scores: Scores,
    recency_scores: Scores,
    /// Names of the tensor fields in `nearest`.
    fields: Vec<Arc<str>>,
    nearest: Vec<Nearest>,
    variants: Vec<u32>,
    group_counts: Vec<u32>,
    /// Places of hits that are pinned, ascending.
    pinned: Vec<u32>,
}

/// A [`NearestChunk`].
#[derive(Clone, Copy)]
struct Nearest {
    /// Place of its field.
    field: u32,
    chunk: u32,
    distance: f32,
}

/// A score for each hit, NaN where it has none; empty where none has.
#[derive(Default)]
struct Scores(Vec<f64>);

impl Scores {
    fn of(hits: &[Hit], score: impl Fn(&Hit) -> Option<f64>) -> Self {
        Self(column(hits, |hit| score(hit), f64::NAN))
    }

    fn get(&self, place: usize) -> Option<f64> {
        let score = self.0.get(place).copied();
        score.filter(|score| !score.is_nan())
    }
}

/// The values of hits, `none` for those without; empty where all are.
fn column<T: Copy>(hits: &[Hit], value: impl Fn(&Hit) -> Option<T>, none: T) -> Vec<T> {
    if hits.iter().all(|hit| value(hit).is_none()) {
        return Vec::new();
    }
    hits.iter().map(|hit| value(hit).unwrap_or(none)).collect()
}

impl RankedHits {
    pub fn of(hits: &[Hit]) -> Self {
        let mut fields: Vec<Arc<str>> = Vec::new();
        for NearestChunk { field, .. } in hits.iter().filter_map(|hit| hit.nearest.as_ref()) {
            if !fields.contains(field) {
                fields.push(field.clone());
            }
        }
        debug_assert!(
            hits.iter().all(|hit| hit.variant != Some(NONE)),
            "no document has the number that stands for none"
        );
        let nearest = |hit: &Hit| {
            let nearest = hit.nearest.as_ref()?;
            let place = fields.iter().position(|name| *name == nearest.field)?;
            Some(Nearest {
                field: place as u32,
                chunk: nearest.chunk,
                distance: nearest.distance,
            })
        };
        let no_chunk = Nearest {
            field: NONE,
            chunk: NONE,
            distance: f32::NAN,
        };
        let pinned = hits.iter().zip(0..).filter(|(hit, _)| hit.is_pinned);
        Self {
            pinned: pinned.map(|(_, place)| place).collect(),
            docs: hits.iter().map(|hit| hit.doc).collect(),
            scores: hits.iter().map(|hit| hit.score).collect(),
            tensor_scores: Scores::of(hits, |hit| hit.tensor_score),
            lexical_scores: Scores::of(hits, |hit| hit.lexical_score),
            pre_rerank_scores: Scores::of(hits, |hit| hit.pre_rerank_score),
            recency_scores: Scores::of(hits, |hit| hit.recency_score),
            nearest: column(hits, nearest, no_chunk),
            fields,
            variants: column(hits, |hit| hit.variant, NONE),
            group_counts: column(hits, |hit| hit.group_count, 0),
        }
    }

    pub fn len(&self) -> usize {
        self.docs.len()
    }

    pub fn memory_bytes(&self) -> usize {
        let scores = [
            &self.tensor_scores,
            &self.lexical_scores,
            &self.pre_rerank_scores,
            &self.recency_scores,
        ];
        let scores = scores.into_iter().map(|column| column.0.len());
        let scores = scores.sum::<usize>() + self.scores.len();
        let variants = self.variants.len() + self.group_counts.len();
        let docs = self.docs.len() + variants + self.pinned.len();
        scores * size_of::<f64>()
            + docs * size_of::<u32>()
            + self.nearest.len() * size_of::<Nearest>()
    }

    /// `limit` of them from place `start` on, or the rest.
    pub fn page(&self, start: usize, limit: usize) -> Vec<Hit> {
        let end = start.saturating_add(limit).min(self.len());
        (start..end).map(|place| self.hit(place)).collect()
    }

    fn hit(&self, place: usize) -> Hit {
        let nearest = self.nearest.get(place).and_then(|nearest| {
            Some(NearestChunk {
                field: self.fields.get(nearest.field as usize)?.clone(),
                chunk: nearest.chunk,
                distance: nearest.distance,
            })
        });
        let variant = self.variants.get(place).copied();
        Hit {
            tensor_score: self.tensor_scores.get(place),
            lexical_score: self.lexical_scores.get(place),
            pre_rerank_score: self.pre_rerank_scores.get(place),
            recency_score: self.recency_scores.get(place),
            nearest,
            variant: variant.filter(|&doc| doc != NONE),
            group_count: self.group_counts.get(place).copied(),
            is_pinned: self.pinned.binary_search(&(place as u32)).is_ok(),
            ..Hit::new(self.docs[place], self.scores[place])
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hits_come_back_as_they_were_kept() {
        let some = |doc: u32| Hit {
            tensor_score: Some(0.5),
            lexical_score: doc.is_multiple_of(2).then_some(0.0),
            recency_score: doc.is_multiple_of(3).then_some(-1.5),
            nearest: (!doc.is_multiple_of(4)).then(|| NearestChunk {
                field: format!("field {}", doc % 2).into(),
                chunk: doc,
                distance: 0.25,
            }),
            variant: doc.is_multiple_of(5).then_some(doc + 1),
            group_count: Some(doc + 1),
            is_pinned: doc.is_multiple_of(6),
            ..Hit::new(doc, f64::from(doc) / 3.0)
        };
        let hits: Vec<Hit> = (0..40).map(some).collect();
        let kept = RankedHits::of(&hits);
        assert_eq!(kept.page(0, usize::MAX), hits);
        assert_eq!(kept.page(7, 9), hits[7..16]);
        assert_eq!(kept.page(38, 9), hits[38..]);
        assert!(kept.page(40, 9).is_empty());
    }

    #[test]
    fn a_value_that_no_hit_has_takes_no_room() {
        let hits: Vec<Hit> = (0..10).map(|doc| Hit::new(doc, 1.0)).collect();
        assert_eq!(RankedHits::of(&hits).memory_bytes(), 10 * (4 + 8));
        assert_eq!(RankedHits::of(&[]).memory_bytes(), 0);
    }
}
