//! The health of an engine's indexes.

use crate::generated::{EngineHealth, HealthStatus, IndexHealth, Severity};

use super::Slot;

impl EngineHealth {
    /// Returns the health of these indexes. Waits for no disk and no index.
    pub fn of<'s>(slots: impl Iterator<Item = &'s Slot>) -> Self {
        let indexes: Vec<IndexHealth> = slots.filter_map(of_index).collect();
        let is_red = |index: &IndexHealth| index.status == Severity::Red;
        let status = match indexes.iter().any(is_red) {
            true => HealthStatus::Red,
            false if indexes.is_empty() => HealthStatus::Green,
            false => HealthStatus::Yellow,
        };
        Self { status, indexes }
    }
}

fn of_index(slot: &Slot) -> Option<IndexHealth> {
    let open = slot.open.load();
    let of_open = open.as_ref().and_then(|index| index.status());
    let of_unopened = || slot.error().map(|error| (Severity::Red, error));
    let (status, error) = of_open.or_else(of_unopened)?;
    Some(IndexHealth {
        name: slot.name.clone(),
        status,
        code: error.code().to_owned(),
        reason: error.to_string(),
    })
}
