//! Calibrations in the making.

use std::path::Path;

use crate::calibration::Calibration;
use crate::files::{ModelFiles, Opening};
use crate::{Pooling, Refusal, Scratch, TextEncoder, Texts, UntakenTexts};

/// An encoder in f32 that looks at the values its products are given.
pub struct Calibrator {
    encoder: TextEncoder,
    scratch: Scratch,
}

impl Calibrator {
    /// Opens the encoder in a file, as [`open`](crate::open) does, for itself alone.
    ///
    /// # Errors
    /// [`Refusal`] when the file cannot be read or is damaged, or the model is none that is known here.
    pub fn open(path: &Path) -> Result<Self, Refusal> {
        let files = ModelFiles::open(path, Opening::Outline)?;
        let encoder = TextEncoder::watched(&files)?;
        files.check_unchanged()?;
        Ok(Self {
            encoder,
            scratch: Scratch::default(),
        })
    }

    /// Looks at what comes of some texts, and answers their vectors, `[texts, dimensions]`.
    ///
    /// # Errors
    /// [`UntakenTexts`] when one of them cannot be taken.
    pub fn add(&mut self, texts: Texts<'_>, pooling: Pooling) -> Result<Vec<f32>, UntakenTexts> {
        self.encoder.encode(texts, pooling, &mut self.scratch)
    }

    /// The ranges so far.
    ///
    /// # Errors
    /// [`Refusal::Calibration`] when there were no texts yet, or a value was no number.
    pub fn calibration(&self) -> Result<Calibration, Refusal> {
        self.encoder.calibration()
    }
}
