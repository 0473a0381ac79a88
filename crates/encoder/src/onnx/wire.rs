//! The wire format of protocol buffers, read in place.

use crate::Refusal;

/// The content of a field.
#[derive(Clone, Copy)]
pub(super) enum Content<'a> {
    Number(u64),
    /// A fixed number of 4 or 8 bytes, or as many bytes as the field says.
    Bytes(&'a [u8]),
}

/// The fields of a message, in their order.
pub(super) struct Fields<'a> {
    rest: &'a [u8],
}

impl<'a> Fields<'a> {
    pub(super) fn of(message: &'a [u8]) -> Self {
        Self { rest: message }
    }

    /// The number and the content of the next field, none at the end.
    pub(super) fn next(&mut self) -> Result<Option<(u64, Content<'a>)>, Refusal> {
        if self.rest.is_empty() {
            return Ok(None);
        }
        let key = self.number()?;
        let content = match key & 7 {
            0 => Content::Number(self.number()?),
            1 => Content::Bytes(self.bytes(8)?),
            2 => {
                let length = usize::try_from(self.number()?).map_err(|_| truncated())?;
                Content::Bytes(self.bytes(length)?)
            }
            5 => Content::Bytes(self.bytes(4)?),
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
            let (&byte, rest) = self.rest.split_first().ok_or_else(truncated)?;
            self.rest = rest;
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

    fn bytes(&mut self, length: usize) -> Result<&'a [u8], Refusal> {
        let (bytes, rest) = self.rest.split_at_checked(length).ok_or_else(truncated)?;
        self.rest = rest;
        Ok(bytes)
    }
}

impl<'a> Content<'a> {
    pub(super) fn bytes(self) -> Result<&'a [u8], Refusal> {
        match self {
            Self::Bytes(bytes) => Ok(bytes),
            Self::Number(_) => Err(Refusal::damaged("a number where bytes are due")),
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
            Self::Bytes(packed) => list.extend(Fields::numbers(packed)?),
        }
        Ok(())
    }
}

fn truncated() -> Refusal {
    Refusal::damaged("it ends before it should")
}
