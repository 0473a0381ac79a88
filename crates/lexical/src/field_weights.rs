//! Weights of fields, which multiply what a field adds to a score.

use crate::field_table::{FieldTable, Slot};

/// The weights of the fields of a view; 1 where none is set.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct FieldWeights {
    /// By ascending slot, none of them 1.
    named: Vec<(Slot, f64)>,
    /// Every weight that a field may have, ascending: the place of one is its class.
    classes: Vec<f64>,
}

impl Default for FieldWeights {
    fn default() -> Self {
        Self {
            named: Vec::new(),
            classes: vec![1.0],
        }
    }
}

impl FieldWeights {
    /// Looks up the fields of some names. The last weight of a name counts.
    pub(crate) fn new(weights: &[(String, f64)], fields: &FieldTable) -> Self {
        let mut all = Self::default();
        for (name, weight) in weights {
            debug_assert!(
                weight.is_finite() && *weight > 0.0,
                "a weight is above 0 and finite"
            );
            let Some(slot) = fields.slot(name) else {
                continue;
            };
            all.named.retain(|(known, _)| *known != slot);
            if *weight != 1.0 {
                all.named.push((slot, *weight));
            }
        }
        all.named.sort_by_key(|(slot, _)| *slot);
        all.classes
            .extend(all.named.iter().map(|(_, weight)| weight));
        all.classes.sort_by(f64::total_cmp);
        all.classes.dedup();
        all
    }

    pub(crate) fn of(&self, slot: Slot) -> f64 {
        let named = &self.named;
        match named.binary_search_by_key(&slot, |(slot, _)| *slot) {
            Ok(at) => named[at].1,
            Err(_) => 1.0,
        }
    }

    /// The place of a field's weight among all that fields have, the least first.
    pub(crate) fn class(&self, slot: Slot) -> u16 {
        let weight = self.of(slot);
        self.classes.partition_point(|one| *one < weight) as u16
    }

    pub(crate) fn class_count(&self) -> usize {
        self.classes.len()
    }

    pub(crate) fn of_class(&self, class: u16) -> f64 {
        self.classes[usize::from(class)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_weighs_what_was_said_last_and_others_1() {
        let names = ["a", "b", "c", "d"].map(|name| (name.to_owned(), Default::default()));
        let fields = FieldTable::new(names);
        let weights = [("d", 0.5), ("b", 7.0), ("a", 3.0), ("b", 1.0), ("z", 9.0)];
        let weights = weights.map(|(name, weight)| (name.to_owned(), weight));
        let weights = FieldWeights::new(&weights, &fields);
        assert_eq!(
            [0, 1, 2, 3].map(|slot| weights.of(slot)),
            [3.0, 1.0, 1.0, 0.5]
        );
        assert_eq!([0, 1, 2, 3].map(|slot| weights.class(slot)), [2, 1, 1, 0]);
        assert_eq!(
            [0, 1, 2].map(|class| weights.of_class(class)),
            [0.5, 1.0, 3.0]
        );
        let none = FieldWeights::default();
        assert_eq!((none.of(7), none.class(7), none.class_count()), (1.0, 0, 1));
    }
}
