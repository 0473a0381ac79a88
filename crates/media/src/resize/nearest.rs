//! Nearest neighbour.

use crate::crop::Window;
use crate::picture::Size;

/// The samples of a window of the resized picture, each of them one of the picture's own.
pub(super) fn nearest<S: Copy>(
    samples: &[S],
    from: Size,
    to: Size,
    window: Window,
    channels: usize,
) -> Vec<S> {
    let columns = sources(from.width, to.width, window.left, window.size.width);
    let rows = sources(from.height, to.height, window.top, window.size.height);
    let mut resized = Vec::with_capacity(window.size.pixel_count() * channels);
    for y in rows {
        let row = &samples[y * from.width as usize * channels..][..from.width as usize * channels];
        for &x in &columns {
            resized.extend_from_slice(&row[x * channels..][..channels]);
        }
    }
    resized
}

/// The pixels of a side that are taken. Pillow adds up the step pixel by pixel; a product would round differently where
/// a step ends at the border of two pixels.
fn sources(from: u32, to: u32, first: u32, count: u32) -> Vec<usize> {
    let step = f64::from(from) / f64::from(to);
    let mut at = step * 0.5;
    for _ in 0..first {
        at += step;
    }
    (0..count)
        .map(|_| {
            let source = (at as usize).min(from as usize - 1);
            at += step;
            source
        })
        .collect()
}
