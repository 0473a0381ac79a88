//! Calibrations: the ranges of the values that each product of an encoder is given, by which int8 is scaled. They are measured
//! on texts once and kept in a file, so that a text has the same vector in any batch.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::Refusal;

/// The form of the file that is written here, and the only one that is read.
const VERSION: u32 = 1;
/// Longest file that is read: ten times that of the largest encoders.
const BYTES_MAX: u64 = 64 << 20;
/// Largest magnitude of a value that is taken for one of a layer.
const VALUE_MAX: f32 = 1e6;

/// Ranges for each product of each layer, and the weights that they were measured with.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Calibration {
    version: u32,
    weights: WeightsDigest,
    /// Tokens that were looked at.
    tokens: u64,
    /// Checksum of all ranges, so that a damaged digit shows.
    checksum: u32,
    layers: Vec<LayerRanges>,
}

/// The part of a file that all versions have.
#[derive(Deserialize)]
struct Versioned {
    version: u32,
}

/// The weights of all products, told from others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct WeightsDigest {
    bytes: u64,
    crc32: u32,
}

/// The digest of weights as they are read.
#[derive(Default)]
pub(crate) struct WeightsHasher {
    bytes: u64,
    hasher: crc32fast::Hasher,
}

impl WeightsHasher {
    pub(crate) fn add(&mut self, tensor: &[u8]) {
        self.bytes += tensor.len() as u64;
        self.hasher.update(tensor);
    }

    /// Adds what another one was told of, behind this.
    pub(crate) fn add_later(&mut self, later: &Self) {
        self.bytes += later.bytes;
        self.hasher.combine(&later.hasher);
    }

    pub(crate) fn finish(self) -> WeightsDigest {
        WeightsDigest {
            bytes: self.bytes,
            crc32: self.hasher.finalize(),
        }
    }
}

/// Ranges of the four products of a layer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct LayerRanges {
    pub(crate) qkv: Ranges,
    pub(crate) out: Ranges,
    pub(crate) up: Ranges,
    pub(crate) down: Ranges,
}

/// The least and largest value of each channel, and their mean.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Ranges {
    pub(crate) low: Vec<f32>,
    pub(crate) high: Vec<f32>,
    pub(crate) mean: Vec<f32>,
}

impl Ranges {
    fn parts(&self) -> [&[f32]; 3] {
        [&self.low, &self.high, &self.mean]
    }

    /// Tells what is wrong with ranges that should be those of `channels`.
    fn fault(&self, channels: usize) -> Option<String> {
        if let Some(part) = self.parts().iter().find(|part| part.len() != channels) {
            return Some(format!(
                "it has ranges for {} channels, the model has {channels}",
                part.len()
            ));
        }
        let is_value = |value: f32| value.abs() <= VALUE_MAX;
        let is_range = |at: usize| {
            let (low, high, mean) = (self.low[at], self.high[at], self.mean[at]);
            is_value(low) && is_value(high) && low <= mean && mean <= high
        };
        let odd = (0..channels).find(|&at| !is_range(at))?;
        Some(format!(
            "the range of channel {odd} is {} to {} with a mean of {}",
            self.low[odd], self.high[odd], self.mean[odd]
        ))
    }
}

impl LayerRanges {
    fn parts(&self) -> [&Ranges; 4] {
        [&self.qkv, &self.out, &self.up, &self.down]
    }
}

impl Calibration {
    pub(crate) fn new(weights: WeightsDigest, tokens: u64, layers: Vec<LayerRanges>) -> Self {
        Self {
            version: VERSION,
            weights,
            tokens,
            checksum: checksum(&layers),
            layers,
        }
    }

    /// Reads a file.
    ///
    /// # Errors
    /// [`Refusal::Calibration`] when it cannot be read or is damaged.
    pub fn read(path: &Path) -> Result<Self, Refusal> {
        let mut bytes = Vec::new();
        let file = File::open(path).map_err(|error| Refusal::calibration(error.to_string()))?;
        let read = file.take(BYTES_MAX + 1).read_to_end(&mut bytes);
        read.map_err(|error| Refusal::calibration(error.to_string()))?;
        if bytes.len() as u64 > BYTES_MAX {
            return Err(Refusal::calibration(format!(
                "it has more than {BYTES_MAX} bytes"
            )));
        }
        Self::parse(&bytes)
    }

    fn parse(bytes: &[u8]) -> Result<Self, Refusal> {
        let damaged = |error| Refusal::calibration(format!("it is damaged: {error}"));
        let Versioned { version } = serde_json::from_slice(bytes).map_err(damaged)?;
        if version != VERSION {
            return Err(Refusal::calibration(format!(
                "it has version {version}, this program reads version {VERSION}"
            )));
        }
        let calibration: Self = serde_json::from_slice(bytes).map_err(damaged)?;
        if checksum(&calibration.layers) != calibration.checksum {
            return Err(Refusal::calibration(
                "it is damaged: its checksum is another",
            ));
        }
        Ok(calibration)
    }

    /// The bytes of its file.
    ///
    /// # Errors
    /// [`Refusal::Calibration`] when a value is not finite.
    pub fn to_bytes(&self) -> Result<Vec<u8>, Refusal> {
        let bytes =
            serde_json::to_vec(self).map_err(|error| Refusal::calibration(error.to_string()))?;
        // A value that is no number would be written as null, and read by nobody.
        Self::parse(&bytes).map(|_| bytes)
    }

    /// Refuses weights that it was not made for.
    pub(crate) fn check_weights(&self, weights: WeightsDigest) -> Result<(), Refusal> {
        if self.weights == weights {
            return Ok(());
        }
        Err(Refusal::calibration("it was made for other weights"))
    }

    /// The ranges of each layer, where they have the shapes of an encoder.
    pub(crate) fn layers(
        &self,
        layers: usize,
        width: usize,
        inner: impl Fn(usize) -> usize,
    ) -> Result<&[LayerRanges], Refusal> {
        if self.layers.len() != layers {
            return Err(Refusal::calibration(format!(
                "it is for {} layers, the model has {layers}",
                self.layers.len()
            )));
        }
        for (number, layer) in self.layers.iter().enumerate() {
            let channels = [width, width, width, inner(number)];
            let mut parts = layer.parts().into_iter().zip(channels);
            if let Some(fault) = parts.find_map(|(ranges, channels)| ranges.fault(channels)) {
                return Err(Refusal::calibration(format!("in layer {number} {fault}")));
            }
        }
        Ok(&self.layers)
    }
}

fn checksum(layers: &[LayerRanges]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    let parts = layers.iter().flat_map(LayerRanges::parts);
    for value in parts.flat_map(Ranges::parts).flatten() {
        hasher.update(&value.to_le_bytes());
    }
    hasher.finalize()
}

/// The values of each channel that were seen so far.
#[derive(Debug)]
pub(crate) struct Seen {
    low: Vec<f32>,
    high: Vec<f32>,
    sum: Vec<f64>,
    rows: u64,
}

impl Seen {
    pub(crate) fn nothing(channels: usize) -> Self {
        Self {
            low: vec![f32::INFINITY; channels],
            high: vec![f32::NEG_INFINITY; channels],
            sum: vec![0.0; channels],
            rows: 0,
        }
    }

    /// Adds rows, `[rows, channels]`. Values that are no numbers make the means so, which nobody takes.
    pub(crate) fn add(&mut self, values: &[f32]) {
        for row in values.chunks_exact(self.low.len().max(1)) {
            self.rows += 1;
            for (at, &value) in row.iter().enumerate() {
                self.low[at] = self.low[at].min(value);
                self.high[at] = self.high[at].max(value);
                self.sum[at] += f64::from(value);
            }
        }
    }

    pub(crate) fn rows(&self) -> u64 {
        self.rows
    }

    pub(crate) fn ranges(&self) -> Ranges {
        let mean = |at: usize| {
            let mean = (self.sum[at] / self.rows as f64) as f32;
            // Rounding may lead out of the range.
            if mean.is_nan() {
                mean
            } else {
                mean.max(self.low[at]).min(self.high[at])
            }
        };
        Ranges {
            low: self.low.clone(),
            high: self.high.clone(),
            mean: (0..self.sum.len()).map(mean).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WIDTH: usize = 3;
    const INNER: usize = 5;

    fn ranges(channels: usize) -> Ranges {
        Ranges {
            low: vec![-1.0; channels],
            high: vec![2.0; channels],
            mean: vec![0.5; channels],
        }
    }

    fn fault(change: impl Fn(&mut LayerRanges)) -> Option<String> {
        let mut layer = LayerRanges {
            qkv: ranges(WIDTH),
            out: ranges(WIDTH),
            up: ranges(WIDTH),
            down: ranges(INNER),
        };
        change(&mut layer);
        let calibration = Calibration::new(WeightsHasher::default().finish(), 1, vec![layer]);
        let layers = calibration.layers(1, WIDTH, |_| INNER);
        layers.err().map(|refusal| refusal.to_string())
    }

    #[test]
    fn ranges_of_other_shapes_or_of_no_values_are_refused() {
        assert_eq!(fault(|_| ()), None);
        let says = |change: fn(&mut LayerRanges), words: &str| {
            let fault = fault(change).unwrap_or_default();
            assert!(fault.contains(words), "{fault:?} lacks {words:?}");
        };
        says(
            |layer| layer.down = ranges(4),
            "4 channels, the model has 5",
        );
        says(|layer| layer.up.mean.push(0.0), "4 channels");
        says(|layer| layer.qkv.high[1] = -1.5, "channel 1");
        says(|layer| layer.out.mean[2] = 2.5, "channel 2");
        says(|layer| layer.out.low[0] = -1e30, "channel 0");
        says(|layer| layer.out.high[0] = f32::INFINITY, "channel 0");
        says(|layer| layer.down.mean[4] = f32::NAN, "channel 4");
    }

    #[test]
    fn values_that_are_no_numbers_make_ranges_that_nobody_takes() {
        let mut seen = Seen::nothing(2);
        seen.add(&[1.0, 2.0, 3.0, f32::NAN]);
        assert!(seen.ranges().fault(2).is_some());
        assert!(Seen::nothing(2).ranges().fault(2).is_some());
    }
}
