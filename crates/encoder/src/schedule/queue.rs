//! Texts that wait, and their way into passes.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use pelorus_cuda::DeviceError;

use super::call::{Answering, Begun};
use super::{CallEncoder, CallError, CallLane, PassPolicy};
use crate::Pooling;

/// Texts that wait for any encoder.
#[derive(Default)]
pub(super) struct Queue {
    queries: Lane,
    documents: Lane,
    /// Passes of queries since the last of documents.
    query_run: usize,
    /// The number of the next text: they are counted as they come.
    next: u64,
}

/// The texts of a lane, those of each encoder by themselves.
#[derive(Default)]
struct Lane(Vec<Line>);

/// Texts that may be computed together, in the order in which they came.
struct Line {
    encoder: CallEncoder,
    pooling: Pooling,
    texts: VecDeque<WaitingText>,
    /// The texts that were taken from it: the place of a text is its number less these.
    taken: usize,
    /// The number of each text in the line.
    numbers: HashMap<Arc<[i32]>, usize>,
    tokens: usize,
}

/// A text that waits.
pub(super) struct WaitingText {
    pub(super) ids: Arc<[i32]>,
    /// When it came.
    order: u64,
    /// Those who want its vector.
    rows: Vec<(Arc<Answering>, u32)>,
}

/// Texts that are computed together.
pub(super) struct Pass {
    pub(super) encoder: CallEncoder,
    pub(super) pooling: Pooling,
    pub(super) texts: Vec<WaitingText>,
}

impl Queue {
    pub(super) fn is_empty(&self) -> bool {
        self.queries.0.is_empty() && self.documents.0.is_empty()
    }

    /// The number of texts.
    pub(super) fn len(&self) -> usize {
        let lines = self.queries.0.iter().chain(&self.documents.0);
        lines.map(|line| line.texts.len()).sum()
    }

    /// Adds the texts of a call. One that waits already gets another who wants its vector.
    pub(super) fn add(&mut self, begun: Begun, answering: &Arc<Answering>) {
        let lane = match begun.lane {
            CallLane::Query => &mut self.queries,
            CallLane::Document => &mut self.documents,
        };
        let line = lane.line(begun.encoder, begun.pooling);
        for (ids, rows) in begun.texts {
            let rows = rows.into_iter().map(|row| (Arc::clone(answering), row));
            line.add(ids, self.next, rows);
            self.next += 1;
        }
    }

    /// Takes the next pass, of a share of what waits where several threads are idle, and the calls that it found
    /// cancelled on the way.
    pub(super) fn take(
        &mut self,
        policy: &PassPolicy,
        idle: usize,
    ) -> (Option<Pass>, Vec<Arc<Answering>>) {
        let mut cancelled = Vec::new();
        while !self.is_empty() {
            let is_documents_turn =
                !self.documents.0.is_empty() && self.query_run >= policy.query_run_max;
            let is_query = !self.queries.0.is_empty() && !is_documents_turn;
            let lane = if is_query {
                &mut self.queries
            } else {
                &mut self.documents
            };
            if let Some(pass) = lane.take(policy, idle, &mut cancelled) {
                self.query_run = if is_query { self.query_run + 1 } else { 0 };
                return (Some(pass), cancelled);
            }
        }
        (None, cancelled)
    }

    /// Takes everything: the calls that wait, some of them more than once.
    pub(super) fn clear(&mut self) -> Vec<Arc<Answering>> {
        let lines = self.queries.0.drain(..).chain(self.documents.0.drain(..));
        let rows = lines.flat_map(|line| line.texts).flat_map(|text| text.rows);
        rows.map(|(answering, _)| answering).collect()
    }
}

impl Lane {
    fn line(&mut self, encoder: CallEncoder, pooling: Pooling) -> &mut Line {
        let known = self
            .0
            .iter()
            .position(|line| line.encoder.is(&encoder) && line.pooling == pooling);
        let at = known.unwrap_or(self.0.len());
        if known.is_none() {
            self.0.push(Line {
                encoder,
                pooling,
                texts: VecDeque::new(),
                taken: 0,
                numbers: HashMap::new(),
                tokens: 0,
            });
        }
        &mut self.0[at]
    }

    /// Takes a pass from the line whose first text has waited longest; none where all of that line were cancelled. A
    /// line without texts is forgotten, and its encoder with it.
    fn take(
        &mut self,
        policy: &PassPolicy,
        idle: usize,
        cancelled: &mut Vec<Arc<Answering>>,
    ) -> Option<Pass> {
        let lines = self.0.iter().enumerate();
        let (at, _) = lines.min_by_key(|(_, line)| line.texts.front().map(|text| text.order))?;
        let line = &mut self.0[at];
        let texts = line.take(policy, idle, cancelled);
        let pass = Pass {
            encoder: line.encoder.clone(),
            pooling: line.pooling,
            texts,
        };
        if line.texts.is_empty() {
            self.0.swap_remove(at);
        }
        (!pass.texts.is_empty()).then_some(pass)
    }
}

impl Line {
    fn add(
        &mut self,
        ids: Arc<[i32]>,
        order: u64,
        rows: impl Iterator<Item = (Arc<Answering>, u32)>,
    ) {
        if let Some(number) = self.numbers.get(&ids) {
            self.texts[number - self.taken].rows.extend(rows);
            return;
        }
        self.tokens += ids.len();
        self.numbers
            .insert(Arc::clone(&ids), self.taken + self.texts.len());
        self.texts.push_back(WaitingText {
            ids,
            order,
            rows: rows.collect(),
        });
    }

    fn take(
        &mut self,
        policy: &PassPolicy,
        idle: usize,
        cancelled: &mut Vec<Arc<Answering>>,
    ) -> Vec<WaitingText> {
        let share = self.share(policy, idle);
        let (mut texts, mut tokens) = (Vec::new(), 0);
        while let Some(text) = self.texts.front() {
            let has_no_room = tokens + text.ids.len() > policy.tokens_max;
            let is_full = has_no_room || tokens >= share || texts.len() >= policy.texts_max;
            if is_full && !texts.is_empty() {
                break;
            }
            let Some(mut text) = self.texts.pop_front() else {
                break;
            };
            self.taken += 1;
            self.numbers.remove(&text.ids);
            self.tokens -= text.ids.len();
            text.rows.retain(|(answering, _)| {
                if answering.is_cancelled() {
                    cancelled.push(Arc::clone(answering));
                    return false;
                }
                !answering.is_answered()
            });
            if !text.rows.is_empty() {
                tokens += text.ids.len();
                texts.push(text);
            }
        }
        texts
    }

    /// Tokens of the next pass: what waits is divided evenly among the idle threads, or among the passes that it takes
    /// at least.
    fn share(&self, policy: &PassPolicy, idle: usize) -> usize {
        let passes = self.tokens.div_ceil(policy.tokens_max.max(1)).max(idle);
        let share = self.tokens.div_ceil(passes.max(1));
        share.max(policy.split_tokens_min).min(policy.tokens_max)
    }
}

impl WaitingText {
    /// Gives its vector to all who want it, with the fault of the device that should have made it.
    pub(super) fn give(&self, vector: &[f32], fault: Option<&DeviceError>) {
        for (answering, row) in &self.rows {
            answering.give(*row, vector, fault);
        }
    }

    /// Fails the rows of all who want it.
    pub(super) fn refuse(&self, message: &str) {
        for (answering, row) in &self.rows {
            answering.refuse(*row, message);
        }
    }
}

impl Pass {
    /// Fails the calls of all its texts.
    pub(super) fn fail(&self, error: CallError) {
        let rows = self.texts.iter().flat_map(|text| &text.rows);
        for (answering, _) in rows {
            answering.fail(error);
        }
    }
}
