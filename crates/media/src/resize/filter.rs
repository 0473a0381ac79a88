//! The weights that Pillow's filters give to pixels.

use std::f64::consts::PI;

/// The filter that makes a resized pixel of those around it. All but [`Filter::Nearest`] are stretched when a picture
/// shrinks, so that every pixel has its part in the result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Filter {
    Nearest,
    Box,
    Bilinear,
    Hamming,
    /// Keys' cubic convolution with a = -0.5.
    Bicubic,
    /// A sinc windowed by a sinc, three lobes.
    Lanczos,
}

impl Filter {
    /// The distance from the middle at which a pixel still has weight, in pixels of the larger of
    /// both pictures.
    fn support(self) -> f64 {
        match self {
            Filter::Nearest | Filter::Box => 0.5,
            Filter::Bilinear | Filter::Hamming => 1.0,
            Filter::Bicubic => 2.0,
            Filter::Lanczos => 3.0,
        }
    }

    fn weight(self, x: f64) -> f64 {
        match self {
            Filter::Nearest | Filter::Box => f64::from(u8::from(x > -0.5 && x <= 0.5)),
            Filter::Bilinear => (1.0 - x.abs()).max(0.0),
            Filter::Hamming => hamming(x.abs()),
            Filter::Bicubic => cubic(x.abs()),
            Filter::Lanczos if (-3.0..3.0).contains(&x) => sinc(x) * sinc(x / 3.0),
            Filter::Lanczos => 0.0,
        }
    }
}

fn hamming(x: f64) -> f64 {
    if x == 0.0 {
        1.0
    } else if x >= 1.0 {
        0.0
    } else {
        let x = x * PI;
        x.sin() / x * (0.54 + 0.46 * x.cos())
    }
}

/// Keys, "Cubic convolution interpolation for digital image processing" (1981), in Horner's form.
fn cubic(x: f64) -> f64 {
    const A: f64 = -0.5;
    if x < 1.0 {
        ((A + 2.0) * x - (A + 3.0)) * x * x + 1.0
    } else if x < 2.0 {
        (((x - 5.0) * x + 8.0) * x - 4.0) * A
    } else {
        0.0
    }
}

fn sinc(x: f64) -> f64 {
    if x == 0.0 {
        1.0
    } else {
        let x = x * PI;
        x.sin() / x
    }
}

/// The pixels that one resized pixel is made of, along one axis: `weights[i]` belongs to `start + i`. They sum to 1.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Kernel<W> {
    pub(super) start: usize,
    pub(super) weights: Vec<W>,
}

impl<W> Kernel<W> {
    pub(super) fn end(&self) -> usize {
        self.start + self.weights.len()
    }
}

/// The kernels of `count` pixels from `first` on, along a side that goes from `from` to `to` pixels. Neither their
/// starts nor their ends ever go back.
pub(super) fn kernels<W>(
    filter: Filter,
    (from, to): (u32, u32),
    (first, count): (u32, u32),
    quantize: impl Fn(f64) -> W,
) -> Vec<Kernel<W>> {
    if from == to {
        // Pillow leaves out the pass of a side that stays as it is; weight 1 on the pixel itself is the same.
        let unchanged = |at: u32| Kernel {
            start: at as usize,
            weights: vec![quantize(1.0)],
        };
        return (first..first + count).map(unchanged).collect();
    }
    let scale = f64::from(from) / f64::from(to);
    let stretch = scale.max(1.0);
    let support = filter.support() * stretch;
    let kernel = |at: u32| {
        let centre = (f64::from(at) + 0.5) * scale;
        let start = (centre - support + 0.5).max(0.0) as usize;
        let end = ((centre + support + 0.5) as usize).min(from as usize);
        let weight = |pixel: usize| filter.weight((pixel as f64 - centre + 0.5) * (1.0 / stretch));
        let weights: Vec<f64> = (start..end).map(weight).collect();
        let sum: f64 = weights.iter().sum();
        let normalized = |weight: f64| if sum == 0.0 { weight } else { weight / sum };
        Kernel {
            start,
            weights: weights
                .into_iter()
                .map(|weight| quantize(normalized(weight)))
                .collect(),
        }
    };
    (first..first + count).map(kernel).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_of_a_kernel_sum_to_one_wherever_it_is_cut_off() {
        for filter in [
            Filter::Box,
            Filter::Bilinear,
            Filter::Hamming,
            Filter::Bicubic,
            Filter::Lanczos,
        ] {
            for (from, to) in [(1, 7), (5, 3), (100, 1), (1000, 224), (3, 224)] {
                for kernel in kernels(filter, (from, to), (0, to), |weight| weight) {
                    let sum: f64 = kernel.weights.iter().sum();
                    assert!(
                        (sum - 1.0).abs() < 1e-12,
                        "{filter:?} {from} -> {to}: {sum}"
                    );
                }
            }
        }
    }

    #[test]
    fn kernels_of_a_window_are_those_of_the_whole() {
        let whole = kernels(Filter::Lanczos, (37, 101), (0, 101), |weight| weight);
        assert_eq!(
            kernels(Filter::Lanczos, (37, 101), (40, 20), |weight| weight),
            whole[40..60]
        );
    }
}
