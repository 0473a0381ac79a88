//! Turning and mirroring, by the eight orientations of TIFF 6.0.

use crate::picture::{Picture, Samples, Size};

impl Picture {
    /// The picture upright, from the orientation that it was stored in: 1 is upright, 2 to 8 are those of the TIFF tag;
    /// any other number is taken for upright.
    pub(crate) fn upright(self, orientation: u16) -> Picture {
        if !(2..=8).contains(&orientation) {
            return self;
        }
        let channels = self.mode().channels();
        let Size { width, height } = self.size();
        let size = if orientation >= 5 {
            Size::new(height, width)
        } else {
            self.size()
        };
        let samples = match self.samples() {
            Samples::Bytes(bytes) => {
                Samples::Bytes(turned(bytes, self.size(), size, channels, orientation))
            }
            Samples::Words(words) => {
                Samples::Words(turned(words, self.size(), size, channels, orientation))
            }
            Samples::Floats(floats) => {
                Samples::Floats(turned(floats, self.size(), size, channels, orientation))
            }
        };
        self.with_samples(size, samples)
    }
}

fn turned<S: Copy>(
    samples: &[S],
    from: Size,
    to: Size,
    channels: usize,
    orientation: u16,
) -> Vec<S> {
    let (right, bottom) = (from.width as usize - 1, from.height as usize - 1);
    let mut turned = Vec::with_capacity(samples.len());
    for y in 0..to.height as usize {
        for x in 0..to.width as usize {
            let (x, y) = match orientation {
                2 => (right - x, y),
                3 => (right - x, bottom - y),
                4 => (x, bottom - y),
                5 => (y, x),
                6 => (y, bottom - x),
                7 => (right - y, bottom - x),
                _ => (right - y, x),
            };
            turned.extend_from_slice(
                &samples[(y * from.width as usize + x) * channels..][..channels],
            );
        }
    }
    turned
}
