//! Windows into pictures.

use crate::picture::Size;

/// A rectangle of pixels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window {
    pub left: u32,
    pub top: u32,
    pub size: Size,
}

impl Window {
    pub const fn whole(size: Size) -> Self {
        Self {
            left: 0,
            top: 0,
            size,
        }
    }

    /// The window of `inner` in the middle of `outer`. Half a pixel is rounded to the even one, as Python's `round`
    /// and so torchvision's `CenterCrop` do.
    ///
    /// # Panics
    /// When `inner` is larger than `outer`.
    pub fn centred(inner: Size, outer: Size) -> Self {
        let offset = |inner: u32, outer: u32| {
            assert!(
                inner <= outer,
                "a window of {inner} pixels in a side of {outer}"
            );
            let spare = outer - inner;
            let half = spare / 2;
            half + (spare % 2) * (half % 2)
        };
        Self {
            left: offset(inner.width, outer.width),
            top: offset(inner.height, outer.height),
            size: inner,
        }
    }

    pub(crate) fn assert_inside(&self, outer: Size) {
        let inside = |start: u32, len: u32, outer: u32| {
            len > 0 && start.checked_add(len).is_some_and(|end| end <= outer)
        };
        assert!(
            inside(self.left, self.size.width, outer.width)
                && inside(self.top, self.size.height, outer.height),
            "{self:?} is not inside {outer:?}"
        );
    }

    /// The samples of this window of a picture of size `outer`.
    pub(crate) fn cut<S: Copy>(&self, samples: &[S], outer: Size, channels: usize) -> Vec<S> {
        let row_len = outer.width as usize * channels;
        let columns =
            self.left as usize * channels..(self.left + self.size.width) as usize * channels;
        samples
            .chunks_exact(row_len)
            .skip(self.top as usize)
            .take(self.size.height as usize)
            .flat_map(|row| &row[columns.clone()])
            .copied()
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_a_pixel_of_a_centred_window_is_rounded_to_the_even_one() {
        let left = |outer| Window::centred(Size::new(10, 1), Size::new(outer, 1)).left;
        assert_eq!(
            [10, 11, 12, 13, 14, 15, 17].map(left),
            [0, 0, 1, 2, 2, 2, 4]
        );
    }

    #[test]
    fn a_crop_keeps_the_pixels_of_its_window() {
        let window = Window {
            left: 1,
            top: 1,
            size: Size::new(2, 1),
        };
        assert_eq!(window.cut(&[0, 1, 2, 3, 4, 5], Size::new(3, 2), 1), [4, 5]);
    }
}
