//! Encoders on an NVIDIA device, each beside the same one on the processor.
//!
//! The one on the processor checks texts, tells before anybody relies on the other whether its vectors are right, and
//! takes over when the device has no room or is lost. So a device can make vectors late, but not wrong ones in silence.

mod model;

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use pelorus_cuda::encoder::{Encoder, Lane};
use pelorus_cuda::{Device, DeviceError, Element, Pool};

use crate::files::{ModelFiles, Opening};
use crate::{Pooling, Precision, Refusal, Scratch, TextEncoder, Texts, UntakenTexts, open};

/// The least cosine between a vector of the device and that of the processor.
const COSINE_MIN: f64 = 0.9995;

/// Tokens of the texts that are compared, fewer where a model takes fewer.
const PROBES: [u32; 5] = [1, 7, 33, 70, 128];

/// The least compute capability that has brain floats, ten times.
const BRAIN_FLOATS_MIN: u32 = 80;

/// A reason for which a model does not run on a device.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum DeviceRefusal {
    /// It is none that is known here.
    #[error(transparent)]
    Model(#[from] Refusal),
    /// The device cannot take it.
    #[error(transparent)]
    Device(#[from] DeviceError),
    /// Its vectors are not those of the processor.
    #[error(
        "vectors of the device have a cosine of {cosine:.6} with those of the processor, and {COSINE_MIN} is the least"
    )]
    Vectors {
        /// The least cosine that was found.
        cosine: f64,
    },
}

/// A text encoder on a device. Any number of threads may use it at once.
pub struct DeviceEncoder {
    on_processor: Arc<TextEncoder>,
    on_device: Arc<Encoder>,
    /// Ways to it that no thread uses at this moment.
    lanes: Mutex<Vec<Lane>>,
}

/// Vectors, and the fault of the device where the processor had to make them.
#[derive(Clone, Debug, PartialEq)]
pub struct Encoded {
    /// `[texts, dimensions]`
    pub vectors: Vec<f32>,
    /// None where the device made them.
    pub fault: Option<DeviceError>,
}

impl DeviceEncoder {
    /// Loads the encoder in a file, as [`open`](crate::open) does, and brings it to a device: in half precision, else, where
    /// vectors are not right in that, in brain floats. Compiled kernels are kept in `folder`.
    ///
    /// # Errors
    /// [`DeviceRefusal`] when it is not known, the device cannot take it, or its vectors are not right there.
    pub fn open(
        path: &Path,
        device: &Arc<Device>,
        folder: Option<&Path>,
    ) -> Result<Self, DeviceRefusal> {
        let on_processor = open(path, Precision::F32)?;
        let files = ModelFiles::open(path, Opening::Outline)?;
        let model = model::of(&files.architecture()?)?;
        files.check_unchanged()?;
        let mut refusal = None;
        for element in [Element::F16, Element::Bf16] {
            if element == Element::Bf16 && device.capability() < BRAIN_FLOATS_MIN {
                continue;
            }
            let on_device = Arc::new(Encoder::load(device, &model, element, folder)?);
            let encoder = Self {
                on_processor: Arc::clone(&on_processor),
                on_device,
                lanes: Mutex::default(),
            };
            let cosine = encoder.least_cosine()?;
            if cosine >= COSINE_MIN {
                return Ok(encoder);
            }
            refusal.get_or_insert(DeviceRefusal::Vectors { cosine });
        }
        Err(refusal.unwrap_or(DeviceRefusal::Vectors { cosine: f64::NAN }))
    }

    /// The encoder on the processor.
    pub fn on_processor(&self) -> &Arc<TextEncoder> {
        &self.on_processor
    }

    /// The device.
    pub fn device(&self) -> &Arc<Device> {
        self.on_device.device()
    }

    /// The numbers that it computes in.
    pub fn element(&self) -> Element {
        self.on_device.element()
    }

    /// Bytes of its weights on the device.
    pub fn device_bytes(&self) -> usize {
        self.on_device.bytes()
    }

    /// The vector of each text: the device's, or the processor's where the device fails or has not the numbers for it.
    ///
    /// # Errors
    /// [`UntakenTexts`] when one of them cannot be taken.
    pub fn encode(
        &self,
        texts: Texts<'_>,
        pooling: Pooling,
        scratch: &mut Scratch,
    ) -> Result<Encoded, UntakenTexts> {
        self.on_processor.check(texts)?;
        match self.encode_there(texts, pooling) {
            Ok(mut vectors) => {
                self.mend(texts, pooling, scratch, &mut vectors)?;
                let fault = None;
                Ok(Encoded { vectors, fault })
            }
            Err(fault) => Ok(Encoded {
                vectors: self.on_processor.encode(texts, pooling, scratch)?,
                fault: Some(fault),
            }),
        }
    }

    /// The vectors of the device for texts that can be taken.
    fn encode_there(&self, texts: Texts<'_>, pooling: Pooling) -> Result<Vec<f32>, DeviceError> {
        let places = self.on_processor.places(texts);
        let places = pelorus_cuda::encoder::Texts {
            places: &places,
            lengths: texts.lengths,
        };
        let idle = self.lanes().pop();
        let mut lane = idle.map_or_else(|| Lane::new(&self.on_device), Ok)?;
        let outcome = lane.encode(places, pool_of(pooling), false);
        if self.device().lost().is_none() {
            self.lanes().push(lane);
        }
        outcome
    }

    /// Computes the texts on the processor whose numbers were too large for the device's.
    fn mend(
        &self,
        texts: Texts<'_>,
        pooling: Pooling,
        scratch: &mut Scratch,
        vectors: &mut [f32],
    ) -> Result<(), UntakenTexts> {
        let mut first = 0;
        let rows = vectors.chunks_exact_mut(self.on_processor.dimensions());
        for (&length, vector) in texts.lengths.iter().zip(rows) {
            let end = first + length as usize;
            if !vector.iter().all(|component| component.is_finite()) {
                let alone = Texts {
                    ids: &texts.ids[first..end],
                    lengths: &[length],
                };
                vector.copy_from_slice(&self.on_processor.encode(alone, pooling, scratch)?);
            }
            first = end;
        }
        Ok(())
    }

    fn lanes(&self) -> std::sync::MutexGuard<'_, Vec<Lane>> {
        self.lanes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Compares vectors of some texts; the least cosine, NaN where one is no number.
    fn least_cosine(&self) -> Result<f64, DeviceError> {
        let most = self.on_processor.tokens_max().unwrap_or(usize::MAX);
        let lengths: Vec<u32> = PROBES
            .iter()
            .map(|&length| length.min(u32::try_from(most).unwrap_or(u32::MAX)))
            .collect();
        let tokens: u32 = lengths.iter().sum();
        // A large prime goes through the vocabulary in no order.
        let vocabulary = self.on_processor.vocabulary().max(1) as u64;
        let ids = (1..=u64::from(tokens)).map(|at| (at * 7_919 % vocabulary) as i32);
        let ids: Vec<i32> = ids.collect();
        let texts = Texts {
            ids: &ids,
            lengths: &lengths,
        };
        let mut lane = Lane::new(&self.on_device)?;
        let mut least = 1.0;
        for pooling in [Pooling::Mean, Pooling::Cls] {
            let places = self.on_processor.places(texts);
            let places = pelorus_cuda::encoder::Texts {
                places: &places,
                lengths: &lengths,
            };
            let found = lane.encode(places, pool_of(pooling), false)?;
            let expected = self
                .on_processor
                .encode(texts, pooling, &mut Scratch::default());
            let Ok(expected) = expected else {
                return Ok(f64::NAN);
            };
            let width = self.on_processor.dimensions();
            for (found, expected) in found.chunks_exact(width).zip(expected.chunks_exact(width)) {
                let cosine = cosine(found, expected);
                if cosine.is_nan() {
                    return Ok(cosine);
                }
                least = f64::min(least, cosine);
            }
        }
        Ok(least)
    }
}

fn pool_of(pooling: Pooling) -> Pool {
    match pooling {
        Pooling::Mean => Pool::Mean,
        Pooling::Cls => Pool::First,
    }
}

fn cosine(a: &[f32], b: &[f32]) -> f64 {
    let dot = |a: &[f32], b: &[f32]| -> f64 {
        let terms = a.iter().zip(b);
        terms.map(|(&a, &b)| f64::from(a) * f64::from(b)).sum()
    };
    dot(a, b) / (dot(a, a) * dot(b, b)).sqrt()
}
