//! The outline of an ONNX file: all of it but the values of its weights, which stay in the file.

use super::wire::{Gap, Message};
use crate::Refusal;
use crate::bytes::OpenFile;

/// Values of so many bytes and more stay in the file.
const GAP_MIN: u64 = 1 << 12;
/// Bytes of the file that are read at once on the way through it.
const WINDOW_BYTES: usize = 1 << 12;

/// The bytes of a file without those that are left in it.
pub(crate) struct Outline {
    bytes: Vec<u8>,
    gaps: Vec<Gap>,
}

/// The messages that lead to the values of tensors.
#[derive(Clone, Copy)]
enum Level {
    Model,
    Graph,
    Tensor,
}

impl Level {
    /// The level of the message in a field.
    fn of(self, field: u64) -> Option<Self> {
        match (self, field) {
            (Self::Model, 7) => Some(Self::Graph),
            (Self::Graph, 5) => Some(Self::Tensor),
            _ => None,
        }
    }

    /// Tells whether a field holds the values of a tensor.
    fn is_values(self, field: u64) -> bool {
        matches!((self, field), (Self::Tensor, 4 | 9))
    }
}

/// A field that is not as the wire format has it.
struct Odd;

impl Outline {
    /// Reads the outline of a file. Where one of its fields is odd, all from there on is in the outline, and whoever reads
    /// that finds the fault.
    ///
    /// # Errors
    /// [`Refusal`] when the file cannot be read, or there is no memory for it.
    pub(crate) fn read(file: &OpenFile) -> Result<Self, Refusal> {
        let mut way = Way {
            file,
            at: 0,
            window: Vec::new(),
            window_at: 0,
            outline: Self {
                bytes: Vec::new(),
                gaps: Vec::new(),
            },
        };
        if way.message(file.len(), Level::Model)?.is_err() {
            way.keep(file.len() - way.at)?;
        }
        Ok(way.outline)
    }

    /// All bytes of a file.
    ///
    /// # Errors
    /// As `read` has it.
    pub(crate) fn all(file: &OpenFile) -> Result<Self, Refusal> {
        let mut bytes = Vec::new();
        file.add(0, file.len(), &mut bytes)?;
        let gaps = Vec::new();
        Ok(Self { bytes, gaps })
    }

    /// The message that the file is.
    pub(crate) fn message<'a>(&'a self, file: &'a OpenFile) -> Message<'a> {
        Message::of(&self.bytes, &self.gaps, file)
    }
}

/// The way through a file.
struct Way<'a> {
    file: &'a OpenFile,
    at: u64,
    /// Bytes of the file, from `window_at` on.
    window: Vec<u8>,
    window_at: u64,
    outline: Outline,
}

impl Way<'_> {
    /// Goes through the message that ends at `end`.
    fn message(&mut self, end: u64, level: Level) -> Result<Result<(), Odd>, Refusal> {
        while self.at < end {
            let Ok(key) = self.number(end)? else {
                return Ok(Err(Odd));
            };
            let len = match key & 7 {
                0 => {
                    if self.number(end)?.is_err() {
                        return Ok(Err(Odd));
                    }
                    continue;
                }
                1 => 8,
                2 => match self.number(end)? {
                    Ok(len) => len,
                    Err(Odd) => return Ok(Err(Odd)),
                },
                5 => 4,
                _ => return Ok(Err(Odd)),
            };
            if len > end - self.at {
                return Ok(Err(Odd));
            }
            let is_message = key & 7 == 2;
            match level.of(key >> 3).filter(|_| is_message) {
                Some(inner) => {
                    if self.message(self.at + len, inner)?.is_err() {
                        return Ok(Err(Odd));
                    }
                }
                None if is_message && len >= GAP_MIN && level.is_values(key >> 3) => {
                    self.leave(len)
                }
                None => self.keep(len)?,
            }
        }
        Ok(Ok(()))
    }

    fn number(&mut self, end: u64) -> Result<Result<u64, Odd>, Refusal> {
        let mut number = 0_u64;
        for shift in (0..64).step_by(7) {
            if self.at >= end {
                return Ok(Err(Odd));
            }
            let byte = self.byte()?;
            let bits = u64::from(byte & 0x7f);
            if shift == 63 && bits > 1 {
                return Ok(Err(Odd));
            }
            number |= bits << shift;
            if byte & 0x80 == 0 {
                return Ok(Ok(number));
            }
        }
        Ok(Err(Odd))
    }

    /// The next byte, which is kept.
    fn byte(&mut self) -> Result<u8, Refusal> {
        let mut byte = [0];
        self.look(&mut byte)?;
        self.outline.bytes.push(byte[0]);
        self.at += 1;
        Ok(byte[0])
    }

    /// Keeps the next bytes.
    fn keep(&mut self, len: u64) -> Result<(), Refusal> {
        match usize::try_from(len) {
            Ok(short) if short <= WINDOW_BYTES => {
                let begin = self.outline.bytes.len();
                let mut bytes = std::mem::take(&mut self.outline.bytes);
                bytes.resize(begin + short, 0);
                let looked = self.look(&mut bytes[begin..]);
                self.outline.bytes = bytes;
                looked?;
            }
            _ => self.file.add(self.at, len, &mut self.outline.bytes)?,
        }
        self.at += len;
        Ok(())
    }

    /// Leaves the next bytes in the file.
    fn leave(&mut self, len: u64) {
        self.outline.gaps.push(Gap {
            before: self.outline.bytes.len(),
            at: self.at,
            len,
        });
        self.at += len;
    }

    /// Copies the next bytes, at most those of a window.
    fn look(&mut self, to: &mut [u8]) -> Result<(), Refusal> {
        let is_there = |way: &Self| {
            let start = usize::try_from(way.at.checked_sub(way.window_at)?).ok()?;
            way.window
                .get(start..start.checked_add(to.len())?)
                .map(|_| start)
        };
        let start = match is_there(self) {
            Some(start) => start,
            None => {
                let left = self.file.len() - self.at;
                let len = usize::try_from(left)
                    .unwrap_or(usize::MAX)
                    .min(WINDOW_BYTES);
                self.window.resize(len, 0);
                self.window_at = self.at;
                self.file.fill(self.at, &mut self.window)?;
                0
            }
        };
        to.copy_from_slice(&self.window[start..start + to.len()]);
        Ok(())
    }
}
