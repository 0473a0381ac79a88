//! Documents that stand at places of their own among the hits.
//!
//! The legs rank the other documents as if these were not there; then each is put at its place. Places count from the
//! first hit of the first page, so pages are cut from one list. Those of one place follow each other. Where the ranking
//! ends before a place, the document follows the last hit. Where hits are grouped, a pinned document is the hit of its
//! group, which the legs then rank no other of.

use pelorus_columns::Columns;
use rustc_hash::FxHashSet;

use super::documents::Documents;
use super::hits::Hit;
use super::query::Query;
use crate::error::Result;

/// A document, and the number of hits before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Pin {
    pub doc: u32,
    pub place: usize,
}

/// The pinned documents of a search, by their places.
#[derive(Default)]
pub(super) struct Pins {
    pins: Vec<Pin>,
    /// Names of the groups that they stand for.
    groups: FxHashSet<String>,
}

impl Pins {
    /// Takes those that pass the filter; the first one of several of one group.
    pub fn of(documents: &dyn Documents, query: &Query) -> Result<Self> {
        if query.plan.pinned.is_empty() {
            return Ok(Self::default());
        }
        let mut pins = documents.pins(query)?;
        debug_assert!(
            pins.is_sorted_by_key(|pin| pin.place),
            "they come in the order of their places"
        );
        let mut groups = FxHashSet::default();
        if let Some(collapse) = &query.plan.collapse
            && !pins.is_empty()
        {
            documents.read_columns(&mut |columns| {
                pins.retain(|pin| match group(columns, &collapse.field, pin.doc) {
                    Some(name) => groups.insert(name.to_owned()),
                    None => true,
                });
            });
        }
        Ok(Self { pins, groups })
    }

    pub fn len(&self) -> usize {
        self.pins.len()
    }

    pub fn docs(&self) -> impl Iterator<Item = u32> {
        self.pins.iter().map(|pin| pin.doc)
    }

    /// Names of the groups that they stand for.
    pub fn groups(&self) -> &FxHashSet<String> {
        &self.groups
    }

    /// Puts each at its place among the first hits of a ranking.
    pub fn put_among(&self, ranked: Vec<Hit>) -> Vec<Hit> {
        let mut hits = Vec::with_capacity(ranked.len() + self.pins.len());
        let mut pins = self.pins.iter().peekable();
        for hit in ranked {
            while let Some(pin) = pins.next_if(|pin| pin.place <= hits.len()) {
                hits.push(pinned(pin));
            }
            hits.push(hit);
        }
        hits.extend(pins.map(pinned));
        hits
    }
}

/// A hit whose score says nothing: it is 0.
fn pinned(pin: &Pin) -> Hit {
    Hit {
        is_pinned: true,
        ..Hit::new(pin.doc, 0.0)
    }
}

fn group<'a>(columns: &'a Columns, field: &str, doc: u32) -> Option<&'a str> {
    let texts = columns.texts(field)?;
    Some(texts.text(texts.single(doc)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Documents of a list in which those below 100 are ranked, in order.
    fn list(ranked: u32, pins: &[(u32, usize)]) -> Vec<u32> {
        let pins = Pins {
            pins: pins
                .iter()
                .map(|&(doc, place)| Pin { doc, place })
                .collect(),
            groups: FxHashSet::default(),
        };
        let ranked = (0..ranked).map(|doc| Hit::new(doc, 1.0)).collect();
        let hits = pins.put_among(ranked);
        assert!(hits.iter().all(|hit| hit.is_pinned == (hit.doc >= 100)));
        hits.iter().map(|hit| hit.doc).collect()
    }

    #[test]
    fn each_stands_at_its_place_or_behind_the_last_hit() {
        assert_eq!(list(3, &[]), [0, 1, 2]);
        assert_eq!(list(3, &[(100, 0)]), [100, 0, 1, 2]);
        assert_eq!(
            list(3, &[(100, 0), (101, 1), (102, 3)]),
            [100, 101, 0, 102, 1, 2]
        );
        assert_eq!(list(3, &[(100, 3)]), [0, 1, 2, 100]);
        assert_eq!(
            list(2, &[(100, 1), (101, 50), (102, 70)]),
            [0, 100, 1, 101, 102]
        );
        assert_eq!(list(0, &[(100, 4), (101, 9)]), [100, 101]);
        assert_eq!(
            list(2, &[(100, 1), (101, 1), (102, 2)]),
            [0, 100, 101, 102, 1]
        );
    }
}
