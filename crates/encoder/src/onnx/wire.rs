//! The wire format of protocol buffers, read in place.

use crate::Refusal;
use crate::bytes::{Bytes, OpenFile};

/// Bytes that are left in the file.
#[derive(Clone, Copy, Debug)]
pub(super) struct Gap {
    /// Bytes of the outline that come before.
    pub(super) before: usize,
    /// The place in the file.
    pub(super) at: u64,
    pub(super) len: u64,
}

/// A message, of which some bytes may be left in the file.
#[derive(Clone, Copy)]
pub(crate) struct Message<'a> {
    bytes: &'a [u8],
    /// Bytes of the outline before these.
    before: usize,
    gaps: &'a [Gap],
    file: Option<&'a OpenFile>,
}

impl<'a> Message<'a> {
    pub(super) fn of(bytes: &'a [u8], gaps: &'a [Gap], file: &'a OpenFile) -> Self {
        Self {
            bytes,
            before: 0,
            gaps,
            file: Some(file),
        }
    }

    pub(super) fn fields(self) -> Fields<'a> {
        Fields { rest: self }
    }

    fn is_empty(&self) -> bool {
        self.bytes.is_empty() && self.gaps.is_empty()
    }

    /// Takes the next bytes off, of which `length` are in the file.
    fn take(&mut self, length: usize) -> Result<Self, Refusal> {
        let (mut kept, mut gaps, mut missing) = (0, 0, length);
        for gap in self.gaps {
            let up_to_gap = gap.before - self.before - kept;
            if missing <= up_to_gap {
                break;
            }
            let len = usize::try_from(gap.len).map_err(|_| truncated())?;
            missing = (missing - up_to_gap)
                .checked_sub(len)
                .ok_or_else(truncated)?;
            kept += up_to_gap;
            gaps += 1;
        }
        let (bytes, rest) = self
            .bytes
            .split_at_checked(kept + missing)
            .ok_or_else(truncated)?;
        let (inner, later) = self.gaps.split_at(gaps);
        let taken = Self {
            bytes,
            gaps: inner,
            ..*self
        };
        self.before += bytes.len();
        (self.bytes, self.gaps) = (rest, later);
        Ok(taken)
    }

    fn byte(&mut self) -> Result<u8, Refusal> {
        let taken = self.take(1)?;
        taken.bytes.first().copied().ok_or_else(truncated)
    }

    /// The bytes of a message of which none is left in the file.
    fn whole(self) -> Result<&'a [u8], Refusal> {
        if self.gaps.is_empty() {
            return Ok(self.bytes);
        }
        Err(Refusal::damaged("weights where something else is due"))
    }
}

/// The content of a field.
#[derive(Clone, Copy)]
pub(super) enum Content<'a> {
    Number(u64),
    /// A fixed number of 4 or 8 bytes, or as many bytes as the field says.
    Bytes(Message<'a>),
}

/// The fields of a message, in their order.
pub(super) struct Fields<'a> {
    rest: Message<'a>,
}

impl<'a> Fields<'a> {
    pub(super) fn of(message: &'a [u8]) -> Self {
        let rest = Message {
            bytes: message,
            before: 0,
            gaps: &[],
            file: None,
        };
        Self { rest }
    }

    /// The number and the content of the next field, none at the end.
    pub(super) fn next(&mut self) -> Result<Option<(u64, Content<'a>)>, Refusal> {
        if self.rest.is_empty() {
            return Ok(None);
        }
        let key = self.number()?;
        let content = match key & 7 {
            0 => Content::Number(self.number()?),
            1 => Content::Bytes(self.rest.take(8)?),
            2 => {
                let length = usize::try_from(self.number()?).map_err(|_| truncated())?;
                Content::Bytes(self.rest.take(length)?)
            }
            5 => Content::Bytes(self.rest.take(4)?),
            other => {
                return Err(Refusal::damaged(format!(
                    "a field of an unknown wire type {other}"
                )));
            }
        };
        Ok(Some((key >> 3, content)))
    }

    /// The numbers of a packed list.
    pub(super) fn numbers(packed: &'a [u8]) -> Result<Vec<i64>, Refusal> {
        let mut list = Self::of(packed);
        let mut numbers = Vec::new();
        while !list.rest.is_empty() {
            numbers.push(list.number()? as i64);
        }
        Ok(numbers)
    }

    fn number(&mut self) -> Result<u64, Refusal> {
        let mut number = 0_u64;
        for shift in (0..64).step_by(7) {
            let byte = self.rest.byte()?;
            let bits = u64::from(byte & 0x7f);
            if shift == 63 && bits > 1 {
                break;
            }
            number |= bits << shift;
            if byte & 0x80 == 0 {
                return Ok(number);
            }
        }
        Err(Refusal::damaged("a number of more than 64 bits"))
    }
}

impl<'a> Content<'a> {
    pub(super) fn bytes(self) -> Result<&'a [u8], Refusal> {
        match self {
            Self::Bytes(message) => message.whole(),
            Self::Number(_) => Err(number_for_bytes()),
        }
    }

    pub(super) fn message(self) -> Result<Message<'a>, Refusal> {
        match self {
            Self::Bytes(message) => Ok(message),
            Self::Number(_) => Err(number_for_bytes()),
        }
    }

    /// The values of a tensor, which may be left in the file.
    pub(super) fn values(self) -> Result<Bytes<'a>, Refusal> {
        let message = self.message()?;
        match (message.gaps, message.file) {
            ([gap], Some(file)) if message.bytes.is_empty() => Ok(Bytes::There {
                file,
                at: gap.at,
                len: usize::try_from(gap.len).map_err(|_| truncated())?,
            }),
            _ => message.whole().map(Bytes::Here),
        }
    }

    pub(super) fn number(self) -> Result<i64, Refusal> {
        match self {
            Self::Number(number) => Ok(number as i64),
            Self::Bytes(_) => Err(Refusal::damaged("bytes where a number is due")),
        }
    }

    pub(super) fn text(self) -> Result<&'a str, Refusal> {
        std::str::from_utf8(self.bytes()?).map_err(|_| Refusal::damaged("a name that is not UTF-8"))
    }

    pub(super) fn float(self) -> Result<f32, Refusal> {
        let bytes = <[u8; 4]>::try_from(self.bytes()?);
        Ok(f32::from_le_bytes(bytes.map_err(|_| {
            Refusal::damaged("a float that has not four bytes")
        })?))
    }

    /// Adds the numbers of a field that is repeated, packed or not.
    pub(super) fn numbers_into(self, list: &mut Vec<i64>) -> Result<(), Refusal> {
        match self {
            Self::Number(number) => list.push(number as i64),
            Self::Bytes(packed) => list.extend(Fields::numbers(packed.whole()?)?),
        }
        Ok(())
    }
}

fn number_for_bytes() -> Refusal {
    Refusal::damaged("a number where bytes are due")
}

fn truncated() -> Refusal {
    Refusal::damaged("it ends before it should")
}
