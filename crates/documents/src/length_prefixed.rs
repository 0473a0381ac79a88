//! Texts among bytes: the length of each as a little-endian `u32`, then its UTF-8.

/// Appends a text.
pub fn push_text(bytes: &mut Vec<u8>, text: &str) {
    debug_assert!(
        u32::try_from(text.len()).is_ok(),
        "no body is so long that a text of it is"
    );
    bytes.extend_from_slice(&(text.len() as u32).to_le_bytes());
    bytes.extend_from_slice(text.as_bytes());
}

/// Reads bytes from front to back. A value that is not there, or not of the form asked for, is none; nothing is
/// allocated by a length that was read.
pub struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    /// At the first of these bytes.
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes }
    }

    /// The bytes that were not read yet.
    pub fn rest(&self) -> &'a [u8] {
        self.rest
    }

    /// A text.
    pub fn text(&mut self) -> Option<&'a str> {
        std::str::from_utf8(self.skip_text()?).ok()
    }

    /// The bytes of a text, of which not even the encoding is looked at.
    pub(crate) fn skip_text(&mut self) -> Option<&'a [u8]> {
        let length = self.length()?;
        self.take(length)
    }

    pub(crate) fn length(&mut self) -> Option<usize> {
        let (length, rest) = self.rest.split_first_chunk()?;
        self.rest = rest;
        Some(u32::from_le_bytes(*length) as usize)
    }

    pub(crate) fn byte(&mut self) -> Option<u8> {
        let (byte, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(*byte)
    }

    pub(crate) fn take(&mut self, length: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.rest.split_at_checked(length)?;
        self.rest = rest;
        Some(taken)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cut_value_is_none() {
        let mut bytes = Vec::new();
        push_text(&mut bytes, "é");
        assert_eq!(bytes, [2, 0, 0, 0, 0xc3, 0xa9]);
        let mut reader = Reader::new(&bytes);
        assert_eq!((reader.text(), reader.rest()), (Some("é"), &[][..]));
        assert_eq!((reader.text(), reader.byte()), (None, None));
        for end in 0..bytes.len() {
            assert_eq!(Reader::new(&bytes[..end]).text(), None, "cut to {end}");
        }
        bytes[4] = b'e';
        assert_eq!(Reader::new(&bytes).text(), None, "not UTF-8");
    }
}
