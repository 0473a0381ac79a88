//! A call and its answer.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::{Arc, Mutex, PoisonError};

use pelorus_cancellation::Cancellation;
use pelorus_cuda::DeviceError;

use super::{CallEncoder, CallLane};
use crate::Pooling;

/// Told the outcome of a call, once.
pub type Done = Box<dyn FnOnce(Result<Vectors, CallError>) + Send>;

/// Texts that want vectors.
pub struct Call {
    /// The encoder that makes them.
    pub encoder: CallEncoder,
    /// Tokens of all texts, one after the other.
    pub ids: Vec<i32>,
    /// Row `i` has the tokens from `offsets[i]` up to `offsets[i + 1]`.
    pub offsets: Vec<u32>,
    /// The rows that have failed before, ascending.
    pub failures: Vec<FailedRow>,
    /// The way from a vector for each token to one for the text.
    pub pooling: Pooling,
    /// Makes vectors of unit length.
    pub is_normalized: bool,
    /// Its way through the threads.
    pub lane: CallLane,
    /// Cancelled when nobody waits any more: asked before each pass.
    pub cancellation: Cancellation,
    /// Told the outcome.
    pub done: Done,
}

/// The vectors of a call.
#[derive(Debug)]
pub struct Vectors {
    /// `[rows, dimensions]`, zeros in the rows that failed.
    pub values: Vec<f32>,
    /// The rows without a vector, ascending.
    pub failures: Vec<FailedRow>,
    /// The fault of the device for which the processor made vectors in its place; none where it made them, or there is none.
    pub fault: Option<DeviceError>,
}

/// A text without a vector.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FailedRow {
    /// Its place among those of its call.
    pub row: u32,
    /// The reason, for people.
    pub message: String,
}

/// The failure of a call as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CallError {
    /// Nobody waits any more.
    #[error("nobody waits for the vectors any more")]
    Cancelled,
    /// The threads end.
    #[error("Inference is shutting down.")]
    Closed,
    /// A pass with a text of it panicked.
    #[error("the encoder failed unexpectedly")]
    Panicked,
}

/// Texts of a call that are to be computed: equal ones once.
pub(super) struct Begun {
    pub(super) encoder: CallEncoder,
    pub(super) pooling: Pooling,
    pub(super) lane: CallLane,
    /// Each with the rows that want its vector.
    pub(super) texts: Vec<(Arc<[i32]>, Vec<u32>)>,
}

impl Begun {
    pub(super) fn is_empty(&self) -> bool {
        self.texts.is_empty()
    }
}

/// A call on its way to its answer.
pub(super) struct Answering {
    dimensions: usize,
    is_normalized: bool,
    cancellation: Cancellation,
    /// None once it is answered.
    answer: Mutex<Option<Answer>>,
}

struct Answer {
    vectors: Vectors,
    /// Rows that are still to come.
    remaining: usize,
    done: Done,
}

impl Call {
    /// Takes the texts apart: those that cannot be taken fail here, each alone.
    pub(super) fn begin(self) -> (Begun, Arc<Answering>) {
        let rows = self.offsets.len().saturating_sub(1);
        let mut failures = self.failures;
        let mut has_failed = vec![false; rows];
        for failure in &failures {
            if let Some(failed) = has_failed.get_mut(failure.row as usize) {
                *failed = true;
            }
        }
        let mut texts: Vec<(Arc<[i32]>, Vec<u32>)> = Vec::new();
        let mut places: HashMap<&[i32], usize> = HashMap::new();
        let mut remaining = 0;
        for (row, bounds) in self.offsets.windows(2).enumerate() {
            if has_failed[row] {
                continue;
            }
            let ids = self.ids.get(bounds[0] as usize..bounds[1] as usize);
            let ids = ids.unwrap_or_default();
            if let Err(error) = self.encoder.on_processor().check_text(ids) {
                failures.push(FailedRow {
                    row: row as u32,
                    message: error.to_string(),
                });
                continue;
            }
            remaining += 1;
            match places.entry(ids) {
                Entry::Occupied(place) => texts[*place.get()].1.push(row as u32),
                Entry::Vacant(place) => {
                    place.insert(texts.len());
                    texts.push((ids.into(), vec![row as u32]));
                }
            }
        }
        let dimensions = self.encoder.on_processor().dimensions();
        let vectors = Vectors {
            values: vec![0.0; rows * dimensions],
            failures,
            fault: None,
        };
        let answering = Answering {
            dimensions,
            is_normalized: self.is_normalized,
            cancellation: self.cancellation,
            answer: Mutex::new(Some(Answer {
                vectors,
                remaining,
                done: self.done,
            })),
        };
        let begun = Begun {
            encoder: self.encoder,
            pooling: self.pooling,
            lane: self.lane,
            texts,
        };
        (begun, Arc::new(answering))
    }
}

impl Answering {
    /// Nobody waits any more.
    pub(super) fn is_cancelled(&self) -> bool {
        self.cancellation.check().is_err()
    }

    /// It has had its answer.
    pub(super) fn is_answered(&self) -> bool {
        self.lock().is_none()
    }

    /// Sets the vector of a row; answers the call with its last. One that holds what is no number fails its row.
    pub(super) fn give(&self, row: u32, vector: &[f32], fault: Option<&DeviceError>) {
        if !vector.iter().all(|component| component.is_finite()) {
            return self.refuse(row, "its vector holds what is not a finite number");
        }
        self.settle(|answer| {
            if answer.vectors.fault.is_none() {
                answer.vectors.fault = fault.cloned();
            }
            let place = &mut answer.vectors.values[row as usize * self.dimensions..];
            let place = &mut place[..self.dimensions];
            place.copy_from_slice(vector);
            if self.is_normalized {
                pelorus_embed::normalize(place, self.dimensions);
            }
        });
    }

    /// Fails a row; answers the call with its last.
    pub(super) fn refuse(&self, row: u32, message: &str) {
        self.settle(|answer| {
            let message = message.to_owned();
            answer.vectors.failures.push(FailedRow { row, message });
        });
    }

    /// Fails the call, unless it has had its answer.
    pub(super) fn fail(&self, error: CallError) {
        let answer = self.lock().take();
        if let Some(Answer { done, .. }) = answer {
            done(Err(error));
        }
    }

    /// Answers a call of which nothing is to come.
    pub(super) fn answer_if_done(&self) {
        let mut held = self.lock();
        let answer = held.take_if(|answer| answer.remaining == 0);
        drop(held);
        let Some(Answer {
            mut vectors, done, ..
        }) = answer
        else {
            return;
        };
        vectors.failures.sort_by_key(|failure| failure.row);
        done(Ok(vectors));
    }

    fn settle(&self, set: impl FnOnce(&mut Answer)) {
        if let Some(answer) = &mut *self.lock() {
            set(answer);
            answer.remaining -= 1;
        }
        self.answer_if_done();
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Option<Answer>> {
        self.answer.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
