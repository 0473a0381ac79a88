//! How the indexes of an engine are.

use std::cmp::max;

use serde::Serialize;

use crate::error::EngineError;

use super::Slot;

/// Worst last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Status {
    /// All is well.
    Green,
    /// All is answered; something derived is being made anew.
    Yellow,
    /// Something cannot be read or written.
    Red,
}

/// The state of the whole, and of each index that is not green.
#[derive(Debug, Serialize)]
pub(crate) struct Health {
    pub status: Status,
    pub indexes: Vec<IndexHealth>,
}

/// One index that is not green.
#[derive(Debug, Serialize)]
pub(crate) struct IndexHealth {
    pub name: String,
    pub status: Status,
    pub code: &'static str,
    pub reason: String,
}

impl Health {
    /// Of these indexes. Waits for no disk and no index.
    pub fn of<'s>(slots: impl Iterator<Item = &'s Slot>) -> Self {
        let indexes: Vec<IndexHealth> = slots.filter_map(of_index).collect();
        let worst = indexes
            .iter()
            .map(|index| index.status)
            .fold(Status::Green, max);
        Self {
            status: worst,
            indexes,
        }
    }
}

fn of_index(slot: &Slot) -> Option<IndexHealth> {
    let open = slot.open.load();
    let trouble = open.as_ref().and_then(|index| index.trouble.status());
    let fault = || slot.fault_error().map(|error| (Status::Red, error));
    let (status, EngineError { code, message }) = trouble.or_else(fault)?;
    Some(IndexHealth {
        name: slot.name.clone(),
        status,
        code,
        reason: message,
    })
}
