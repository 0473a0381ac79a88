//! The actions of a write, as bulk bodies, and what the cluster has answered to each.

use pelorus_engine::{EngineError, Result, SearchError};
use serde::Deserialize;

use crate::msearch::Refusal;

/// Bytes of a body from which on no further action joins it. A node takes 100 MB at most.
pub(crate) const BODY_BYTES: usize = 16 << 20;

/// Actions that are sent until each is settled.
#[derive(Debug, Default)]
pub struct Bulk {
    actions: Vec<Action>,
    /// Tells that one refusal ends the whole write.
    fails_whole: bool,
    /// Those of the last body, in its order.
    sent: Vec<usize>,
}

#[derive(Debug)]
struct Action {
    lines: Vec<u8>,
    outcome: Option<ActionOutcome>,
}

/// The result of an action.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ActionOutcome {
    Created,
    Updated,
    Deleted,
    NotFound,
    Refused(Refusal),
}

/// The actions that an answer has left.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Settled {
    /// Actions that the cluster had no room for: they are in the next body.
    pub waiting: usize,
    /// Ends the whole write.
    pub failure: Option<Refusal>,
}

#[derive(Deserialize)]
struct Answer {
    items: Vec<Item>,
}

/// The result of an action, by the name of the kind that it is of.
#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum Item {
    Index(Told),
    Update(Told),
    Delete(Told),
}

#[derive(Deserialize)]
struct Told {
    status: u16,
    result: Option<String>,
    error: Option<Cause>,
}

#[derive(Deserialize)]
pub(crate) struct Cause {
    #[serde(rename = "type")]
    pub kind: String,
    #[serde(default)]
    pub reason: Option<String>,
}

impl Cause {
    pub fn with_status(self, status: u16) -> Refusal {
        Refusal {
            status,
            kind: self.kind,
            reason: self.reason.unwrap_or_default(),
        }
    }
}

impl Refusal {
    /// Tells whether every action of the index fails so.
    pub(crate) fn is_of_all(&self) -> bool {
        matches!(
            &*self.kind,
            "index_not_found_exception" | "cluster_block_exception" | "security_exception"
        )
    }
}

impl Bulk {
    /// One that fails where any of its actions does.
    pub fn whole() -> Self {
        Self {
            fails_whole: true,
            ..Self::default()
        }
    }

    /// Adds an action by its lines. Gives its place.
    pub fn push(&mut self, lines: Vec<u8>) -> usize {
        self.actions.push(Action {
            lines,
            outcome: None,
        });
        self.actions.len() - 1
    }

    /// The next actions that are not settled, as a body; none where all are.
    pub fn next_body(&mut self) -> Option<Vec<u8>> {
        self.sent.clear();
        let mut body = Vec::new();
        let unsettled = self.actions.iter().enumerate();
        for (at, action) in unsettled.filter(|(_, action)| action.outcome.is_none()) {
            if !body.is_empty() && body.len() + action.lines.len() > BODY_BYTES {
                break;
            }
            body.extend_from_slice(&action.lines);
            self.sent.push(at);
        }
        (!self.sent.is_empty()).then_some(body)
    }

    /// Takes in the answer to the last body.
    ///
    /// # Errors
    /// `backend_data_parsing_error`.
    pub fn take(&mut self, answer: &[u8]) -> Result<Settled> {
        let Answer { items } = serde_json::from_slice(answer).map_err(|_| unreadable())?;
        if items.len() != self.sent.len() {
            return Err(unreadable());
        }
        let mut settled = Settled::default();
        for (item, at) in items.into_iter().zip(self.sent.drain(..)) {
            let outcome = outcome(item).ok_or_else(unreadable)?;
            match outcome {
                ActionOutcome::Refused(refusal) if refusal.is_of_all() => {
                    settled.failure.get_or_insert(refusal);
                }
                ActionOutcome::Refused(Refusal { status: 429, .. }) => settled.waiting += 1,
                ActionOutcome::Refused(refusal) if self.fails_whole => {
                    settled.failure.get_or_insert(refusal);
                }
                outcome => {
                    let action = &mut self.actions[at];
                    action.outcome = Some(outcome);
                    action.lines = Vec::new();
                }
            }
        }
        Ok(settled)
    }

    /// The outcome of the action at a place; none where that is not settled.
    pub fn outcome(&self, place: usize) -> Option<&ActionOutcome> {
        self.actions.get(place)?.outcome.as_ref()
    }
}

fn outcome(item: Item) -> Option<ActionOutcome> {
    let (Item::Index(told) | Item::Update(told) | Item::Delete(told)) = item;
    if let Some(error) = told.error {
        return Some(ActionOutcome::Refused(error.with_status(told.status)));
    }
    match told.result.as_deref()? {
        "created" => Some(ActionOutcome::Created),
        "updated" | "noop" => Some(ActionOutcome::Updated),
        "deleted" => Some(ActionOutcome::Deleted),
        "not_found" => Some(ActionOutcome::NotFound),
        _ => None,
    }
}

fn unreadable() -> EngineError {
    SearchError::ClusterAnswer("result for each document").into()
}
