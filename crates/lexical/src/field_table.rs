use std::collections::HashMap;

use crate::analysis::{AnalysisSet, Segmentation};
use crate::error::{LexicalError, Result};

/// Number of a text field inside the index. Assigned at first sight, never given back.
pub(crate) type Slot = u16;

/// Slots are written into terms as one character each, below the surrogates.
pub(crate) const SLOTS_MAX: usize = 0xD000;

/// The text fields of an index: name to slot and back.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct FieldTable {
    names: Vec<String>,
    /// By slot: how texts of the field were analysed. None is taken out.
    analyses: Vec<AnalysisSet>,
    slots: HashMap<String, Slot>,
    /// The same for all fields, from the first text on.
    segmentation: Segmentation,
}

impl FieldTable {
    /// The fields by slot, each with how its texts were analysed.
    pub(crate) fn new(fields: impl IntoIterator<Item = (String, AnalysisSet)>) -> FieldTable {
        let (names, analyses): (Vec<String>, Vec<AnalysisSet>) = fields.into_iter().unzip();
        let slots = names
            .iter()
            .enumerate()
            .map(|(i, name)| (name.clone(), i as Slot))
            .collect();
        FieldTable {
            names,
            analyses,
            slots,
            segmentation: Segmentation::default(),
        }
    }

    /// The same, of texts that are cut in this way. Default [`Segmentation::Pairs`].
    pub(crate) fn with_segmentation(self, segmentation: Segmentation) -> FieldTable {
        FieldTable {
            segmentation,
            ..self
        }
    }

    /// The cut of texts in scripts without blanks.
    pub(crate) fn segmentation(&self) -> Segmentation {
        self.segmentation
    }

    /// The analyses that the texts of a field had.
    pub(crate) fn analyses(&self, slot: Slot) -> AnalysisSet {
        let analyses = self.analyses.get(usize::from(slot));
        analyses.copied().unwrap_or_default()
    }

    /// The analyses that the texts of any field had.
    pub(crate) fn all_analyses(&self) -> AnalysisSet {
        let analyses = self.analyses.iter().copied();
        analyses.fold(AnalysisSet::default(), AnalysisSet::union)
    }

    /// Notes how texts of a field were analysed, and tells whether that was new.
    pub(crate) fn note(&mut self, slot: Slot, analyses: AnalysisSet) -> bool {
        let known = &mut self.analyses[usize::from(slot)];
        let all = known.union(analyses);
        std::mem::replace(known, all) != all
    }

    /// Field names in slot order.
    pub(crate) fn names(&self) -> &[String] {
        &self.names
    }

    pub(crate) fn slot(&self, name: &str) -> Option<Slot> {
        self.slots.get(name).copied()
    }

    /// Checks that all `names` have or can get a slot.
    pub(crate) fn check(&self, names: &[&str], fields_max: usize) -> Result<()> {
        let expected = fields_max.min(SLOTS_MAX);
        let mut fresh: Vec<&str> = names
            .iter()
            .copied()
            .filter(|name| !self.slots.contains_key(*name))
            .collect();
        fresh.sort_unstable();
        fresh.dedup();
        match fresh.get(expected.saturating_sub(self.names.len())) {
            Some(field) => Err(LexicalError::TooManyFields {
                field: (*field).to_owned(),
                expected,
            }),
            None => Ok(()),
        }
    }

    /// The slot of `name`, a new one if it has none. The caller has checked that it fits.
    pub(crate) fn assign(&mut self, name: &str) -> Slot {
        if let Some(slot) = self.slot(name) {
            return slot;
        }
        debug_assert!(self.names.len() < SLOTS_MAX, "the caller has checked");
        let slot = self.names.len() as Slot;
        self.names.push(name.to_owned());
        self.analyses.push(AnalysisSet::default());
        self.slots.insert(name.to_owned(), slot);
        slot
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::Analysis;

    #[test]
    fn a_name_keeps_its_slot() {
        let mut table = FieldTable::default();
        assert_eq!(
            (table.assign("a"), table.assign("b"), table.assign("a")),
            (0, 1, 0)
        );
        let analysis = AnalysisSet::from(Analysis::default());
        assert!(table.note(1, analysis));
        assert!(!table.note(1, analysis));
        let names = table.names().to_vec();
        let analyses = [AnalysisSet::default(), analysis];
        assert_eq!(FieldTable::new(names.into_iter().zip(analyses)), table);
    }

    #[test]
    fn one_field_too_many_is_named() {
        let mut table = FieldTable::default();
        table.assign("a");
        assert!(table.check(&["a", "b", "b"], 2).is_ok());
        let error = table.check(&["a", "b", "c"], 2).unwrap_err();
        assert!(
            matches!(error, LexicalError::TooManyFields { field, expected: 2 } if field == "c")
        );
    }
}
