//! Towers of joint models: texts or pictures of one shape, a vector for each.
//!
//! `read/` goes through a graph for one input, all of whose sizes are known, and finds the matrices that it computes
//! (`term`); what it computes from sizes alone it computes there (`constant`). `plan` makes steps of the matrices that the
//! output needs, and packs their weights; `forward` takes some inputs through them. Nothing is taken for granted of the
//! architecture: a graph that passes is computed as it says, and an operator in a use that has no meaning here ends it.

mod constant;
mod forward;
mod function;
mod plan;
mod read;
mod term;

pub use forward::TowerScratch;
pub use read::TowerInput;

use crate::files::ModelFiles;
use crate::{Precision, Refusal, Texts, UntakenTexts};
use forward::{Batch, place_of};
use plan::{Make, Plan};

/// Rows that are computed at once, unless one input alone has more: what comes of them stays in the cache of a core.
const PASS_ROWS: usize = 256;

/// A tower with its weights. Any number of threads may use it at once, each with a [`TowerScratch`] of its own.
pub struct Tower {
    plan: Plan,
    input: TowerInput,
}

/// Pictures that a tower cannot take.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UntakenPictures {
    /// They are not of its shape.
    #[error("pictures must have {expected} values each, received {received} in all")]
    Shape {
        /// Values of one.
        expected: usize,
        /// Values that came.
        received: usize,
    },
    /// It takes texts.
    #[error("the tower takes texts")]
    Texts,
}

impl Tower {
    /// Packs the weights in the files of a model for a precision.
    ///
    /// # Errors
    /// [`Refusal`] when they are damaged, or no tower for these inputs that is known here.
    pub(crate) fn of(
        files: &ModelFiles,
        input: TowerInput,
        precision: Precision,
    ) -> Result<Self, Refusal> {
        let mut meaning = read::of(&files.graph()?, input)?;
        // Tensors may lie in the same bytes of a file.
        let constants = &mut meaning.constants;
        constants.floats = constants.floats.min(files.floats_max());
        let plan = plan::plan(&meaning, input, precision)?;
        Ok(Self { plan, input })
    }

    /// Tells whether the graph is one that is known here, without its weights.
    pub(crate) fn check(files: &ModelFiles, input: TowerInput) -> Result<(), Refusal> {
        plan::check(&read::of(&files.graph()?, input)?)
    }

    /// Components of a vector.
    pub fn dimensions(&self) -> usize {
        self.plan.dimensions
    }

    /// The vector of each text, `[texts, dimensions]`.
    ///
    /// # Errors
    /// [`UntakenTexts`] when one of them cannot be taken.
    pub fn encode_texts(
        &self,
        texts: Texts<'_>,
        scratch: &mut TowerScratch,
    ) -> Result<Vec<f32>, UntakenTexts> {
        let TowerInput::Text { tokens, padding } = self.input else {
            return Err(UntakenTexts::Pictures);
        };
        let received = texts.ids.len();
        let expected = texts.lengths.iter().map(|&length| u64::from(length)).sum();
        if expected != received as u64 {
            return Err(UntakenTexts::Lengths { expected, received });
        }
        let (mut vectors, mut rest) = (Vec::new(), texts.ids);
        let (mut ids, mut counts) = (Vec::new(), Vec::new());
        for &length in texts.lengths {
            let (text, later) = rest.split_at(length as usize);
            rest = later;
            self.check_text(text, tokens, padding)?;
            let first = ids.len();
            ids.extend_from_slice(text);
            ids.resize(first + tokens, padding);
            let count = match self.plan.last {
                Some(place) => place_of(place, &ids[first..]) + 1,
                None => tokens,
            };
            if self.plan.has_mask && count > text.len() {
                return Err(UntakenTexts::NoLastToken);
            }
            ids.truncate(first + count);
            if !counts.is_empty() && ids.len() > PASS_ROWS {
                let now: usize = counts.iter().sum();
                self.pass(&counts, &ids[..now], &[], scratch, &mut vectors);
                ids.drain(..now);
                counts.clear();
            }
            counts.push(count);
        }
        if !counts.is_empty() {
            self.pass(&counts, &ids, &[], scratch, &mut vectors);
        }
        Ok(vectors)
    }

    fn check_text(&self, text: &[i32], tokens: usize, padding: i32) -> Result<(), UntakenTexts> {
        if text.is_empty() {
            return Err(UntakenTexts::NoTokens);
        }
        if text.len() > tokens {
            return Err(UntakenTexts::TooLong {
                positions: tokens,
                received: text.len(),
            });
        }
        for step in &self.plan.steps {
            let Make::Lookup { rows, .. } = step.make else {
                continue;
            };
            let is_known = |id: i32| usize::try_from(id).is_ok_and(|id| id < rows);
            let filled = if text.len() < tokens {
                padding
            } else {
                text[0]
            };
            if let Some(&received) = text.iter().chain([&filled]).find(|&&id| !is_known(id)) {
                let received = received.cast_unsigned();
                return Err(UntakenTexts::UnknownId { rows, received });
            }
        }
        Ok(())
    }

    /// The vector of each picture, `[pictures, dimensions]`.
    ///
    /// # Errors
    /// [`UntakenPictures`] when they are none of its shape.
    pub fn encode_pictures(
        &self,
        pictures: &[f32],
        scratch: &mut TowerScratch,
    ) -> Result<Vec<f32>, UntakenPictures> {
        let TowerInput::Picture {
            channels,
            height,
            width,
        } = self.input
        else {
            return Err(UntakenPictures::Texts);
        };
        let expected = channels * height * width;
        if !pictures.len().is_multiple_of(expected) {
            let received = pictures.len();
            return Err(UntakenPictures::Shape { expected, received });
        }
        let mut vectors = Vec::new();
        let at_once = (PASS_ROWS / self.plan.rows).max(1);
        for some in pictures.chunks(at_once * expected) {
            let counts = vec![0; some.len() / expected];
            self.pass(&counts, &[], some, scratch, &mut vectors);
        }
        Ok(vectors)
    }

    fn pass(
        &self,
        tokens: &[usize],
        ids: &[i32],
        pictures: &[f32],
        scratch: &mut TowerScratch,
        vectors: &mut Vec<f32>,
    ) {
        let batch = Batch {
            tokens,
            ids,
            pictures,
        };
        vectors.extend_from_slice(self.plan.run(&batch, scratch));
    }
}
