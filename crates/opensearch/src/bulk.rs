//! The actions of a write, as bulk bodies, and what the cluster has answered to each.

use pelorus_engine::{EngineError, Result, SearchError};
use serde::Deserialize;

use crate::refusal::{Cause, Refusal};
use crate::version::{current_version, next_version, saw_version};

/// Bytes of a body from which on no further action joins it. A node takes 100 MB at most.
pub(crate) const BODY_BYTES: usize = 16 << 20;

/// Times that an action is sent whose node went away.
const TRIES: u32 = 5;

/// Actions that are sent until each is settled. Each can be sent twice: `version` says why.
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
    /// The head, `{"index":{"_id":ID}}` or that of another kind, and the line below it where the kind has one.
    lines: Vec<u8>,
    version: u64,
    /// Answers by which its node was away.
    losses: u32,
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
    /// Actions that the cluster had no room for, whose node went away, or that came too late: they are in the next body.
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
            version: next_version(),
            losses: 0,
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
            action.write(&mut body);
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
            let action = &mut self.actions[at];
            let outcome = match outcome(item).ok_or_else(unreadable)? {
                ActionOutcome::Refused(refusal) if refusal.is_of_all() => {
                    settled.failure.get_or_insert(refusal);
                    continue;
                }
                ActionOutcome::Refused(refusal) if action.prepare_retry(&refusal) => {
                    settled.waiting += 1;
                    continue;
                }
                ActionOutcome::Refused(refusal) if action.is_done(&refusal) => action.done(),
                ActionOutcome::Refused(refusal) if self.fails_whole => {
                    settled.failure.get_or_insert(refusal);
                    continue;
                }
                outcome => outcome,
            };
            action.outcome = Some(outcome);
            action.lines = Vec::new();
        }
        Ok(settled)
    }

    /// The outcome of the action at a place; none where that is not settled.
    pub fn outcome(&self, place: usize) -> Option<&ActionOutcome> {
        self.actions.get(place)?.outcome.as_ref()
    }
}

impl Action {
    fn write(&self, body: &mut Vec<u8>) {
        let head = self.lines.iter().position(|byte| *byte == b'\n');
        let end = head.map_or(0, |line| line.saturating_sub(2));
        let (head, rest) = self.lines.split_at(end);
        body.extend_from_slice(head);
        let version = format!(
            ",\"version\":{},\"version_type\":\"external\"",
            self.version
        );
        body.extend_from_slice(version.as_bytes());
        body.extend_from_slice(rest);
    }

    /// Makes it ready to be sent again after a refusal; false where it is not to be.
    fn prepare_retry(&mut self, refusal: &Refusal) -> bool {
        if refusal.status == 429 {
            return true;
        }
        if refusal.may_pass() {
            self.losses += 1;
            return self.losses < TRIES;
        }
        match conflict(refusal) {
            // Another server's clock is ahead, or another writer was faster: this write is the later one.
            Some(version) if version > self.version => {
                saw_version(version);
                self.version = next_version();
                true
            }
            _ => false,
        }
    }

    /// Tells whether a refusal says that the action was carried out before, and only its answer was lost.
    fn is_done(&self, refusal: &Refusal) -> bool {
        conflict(refusal) == Some(self.version)
    }

    fn done(&self) -> ActionOutcome {
        match self.lines.starts_with(b"{\"delete\"") {
            true => ActionOutcome::Deleted,
            false => ActionOutcome::Updated,
        }
    }
}

/// The version of the document, of a refusal by which that is no lower than the action's.
fn conflict(refusal: &Refusal) -> Option<u64> {
    (refusal.kind == "version_conflict_engine_exception")
        .then(|| current_version(&refusal.reason))
        .flatten()
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
