use crate::error::{Error, Result};
use crate::picture::Size;

/// The bounds of a picture. Only the first frame of an animation is read, so the number of frames costs nothing but
/// bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of the file. Default: 64 MiB.
    pub bytes_max: usize,
    /// Width times height, as the header claims it. While it is decoded, a pixel takes at most 16 bytes.
    /// Default: 100 million.
    pub pixels_max: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            bytes_max: 64 << 20,
            pixels_max: 100_000_000,
        }
    }
}

impl Limits {
    pub(crate) fn admit_bytes(&self, received: usize) -> Result<()> {
        if received > self.bytes_max {
            return Err(Error::TooManyBytes {
                received,
                maximum: self.bytes_max,
            });
        }
        Ok(())
    }

    pub(crate) fn admit_size(&self, size: Size) -> Result<()> {
        if u64::from(size.width) * u64::from(size.height) > self.pixels_max {
            return Err(Error::TooManyPixels {
                width: size.width,
                height: size.height,
                maximum: self.pixels_max,
            });
        }
        Ok(())
    }
}
