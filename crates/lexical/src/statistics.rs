use crate::field_table::Slot;

/// Tokens of one field of one document that statistics and scores count; more count as this many.
pub(crate) type FieldLength = u16;

/// The figures of all live documents that BM25 needs.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Statistics {
    /// Live documents, with or without text.
    pub(crate) documents: u64,
    fields: Vec<FieldStatistics>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq)]
struct FieldStatistics {
    /// Live documents with at least one token in this field.
    documents: u64,
    /// Their lengths, added up.
    tokens: u64,
}

impl Statistics {
    pub(crate) fn add(&mut self, lengths: impl IntoIterator<Item = (Slot, FieldLength)>) {
        self.documents += 1;
        for (slot, length) in lengths {
            let slot = usize::from(slot);
            if self.fields.len() <= slot {
                self.fields.resize(slot + 1, FieldStatistics::default());
            }
            self.fields[slot].documents += 1;
            self.fields[slot].tokens += u64::from(length);
        }
    }

    /// Takes back what [`Statistics::add`] counted for the same document.
    pub(crate) fn remove(&mut self, lengths: impl IntoIterator<Item = (Slot, FieldLength)>) {
        debug_assert!(self.documents > 0, "no document is taken back twice");
        self.documents -= 1;
        for (slot, length) in lengths {
            let field = &mut self.fields[usize::from(slot)];
            debug_assert!(
                field.documents > 0 && field.tokens >= u64::from(length),
                "no field is taken back that was not counted"
            );
            field.documents -= 1;
            field.tokens -= u64::from(length);
        }
    }

    /// Mean length over the documents that have the field; 1 when none has it.
    pub(crate) fn average_length(&self, slot: Slot) -> f64 {
        match self.fields.get(usize::from(slot)) {
            Some(field) if field.documents > 0 => field.tokens as f64 / field.documents as f64,
            _ => 1.0,
        }
    }
}
