//! Resizing bit for bit as Pillow does, `Image.resize` without a reducing gap.
//!
//! [`filter`] has the weights, [`sample`] the arithmetic of bytes, words and floats, [`convolve`] the two passes.

mod convolve;
mod filter;
mod nearest;
mod rgb_row;
mod sample;

pub use filter::Filter;

use crate::alpha::{premultiplied, unpremultiply};
use crate::crop::Window;
use crate::picture::{Mode, Picture, Samples, Size};
use convolve::convolve;
use filter::kernels;
use nearest::nearest;
use sample::Sample;

impl Picture {
    /// The picture in another size, with the same mode.
    ///
    /// # Panics
    /// When the size is empty.
    pub fn resize(&self, size: Size, filter: Filter) -> Picture {
        self.resize_window(size, Window::whole(size), filter)
    }

    /// Makes the picture that [`Picture::crop`] would cut from [`Picture::resize`], without the work and the memory for
    /// the rest.
    ///
    /// # Panics
    /// When the window is not inside the size.
    pub fn resize_window(&self, size: Size, window: Window, filter: Filter) -> Picture {
        window.assert_inside(size);
        if size == self.size() {
            return self.crop(window);
        }
        let nearest_only = filter == Filter::Nearest || !self.mode().interpolates();
        let channels = self.mode().channels();
        let samples = match self.samples() {
            Samples::Bytes(bytes) if nearest_only => {
                Samples::Bytes(nearest(bytes, self.size(), size, window, channels))
            }
            Samples::Words(words) if nearest_only => {
                Samples::Words(nearest(words, self.size(), size, window, channels))
            }
            Samples::Floats(floats) if nearest_only => {
                Samples::Floats(nearest(floats, self.size(), size, window, channels))
            }
            Samples::Bytes(bytes) => Samples::Bytes(self.resize_bytes(bytes, size, window, filter)),
            Samples::Words(words) => Samples::Words(resize_samples::<_, 1>(
                words,
                self.size(),
                size,
                window,
                filter,
            )),
            Samples::Floats(floats) => Samples::Floats(resize_samples::<_, 1>(
                floats,
                self.size(),
                size,
                window,
                filter,
            )),
        };
        self.with_samples(window.size, samples)
    }

    fn resize_bytes(&self, bytes: &[u8], size: Size, window: Window, filter: Filter) -> Vec<u8> {
        let from = self.size();
        match self.mode() {
            Mode::GreyAlpha => {
                let mut resized =
                    resize_samples::<_, 2>(&premultiplied::<2>(bytes), from, size, window, filter);
                unpremultiply::<2>(&mut resized);
                resized
            }
            Mode::Rgba => {
                let mut resized =
                    resize_samples::<_, 4>(&premultiplied::<4>(bytes), from, size, window, filter);
                unpremultiply::<4>(&mut resized);
                resized
            }
            Mode::Cmyk => resize_samples::<_, 4>(bytes, from, size, window, filter),
            Mode::Rgb | Mode::Palette => resize_samples::<_, 3>(bytes, from, size, window, filter),
            Mode::Bilevel | Mode::Grey | Mode::Grey16 | Mode::GreyFloat => {
                resize_samples::<_, 1>(bytes, from, size, window, filter)
            }
        }
    }
}

fn resize_samples<S: Sample, const C: usize>(
    samples: &[S],
    from: Size,
    to: Size,
    window: Window,
    filter: Filter,
) -> Vec<S> {
    let columns = kernels(
        filter,
        (from.width, to.width),
        (window.left, window.size.width),
        S::quantize,
    );
    let rows = kernels(
        filter,
        (from.height, to.height),
        (window.top, window.size.height),
        S::quantize,
    );
    convolve::<S, C>(samples, from.width as usize, &columns, &rows)
}
