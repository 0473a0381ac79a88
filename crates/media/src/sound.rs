//! From samples to the input of LanguageBind's sound tower.

use crate::error::{Error, Result};
use crate::filter_bank::{BAND_COUNT, FRAME_LEN, FilterBank, frame_count};

/// Shape of the tensor of a sound: windows, bands, frames.
pub const SOUND_SHAPE: [usize; 3] = [WINDOW_COUNT, BAND_COUNT, WINDOW_FRAMES];

const WINDOW_COUNT: usize = 3;
/// Frames of a window, 10.375 s.
const WINDOW_FRAMES: usize = 1036;
/// The mean and deviation of the filter bank's values where the model was trained; they are divided by twice the
/// deviation.
const MEAN: f32 = -4.267_739_3;
const DEVIATION: f32 = 4.568_997_4;

/// The tensor of a sound, [`SOUND_SHAPE`], row-major, of its samples from -1 to 1, mono,
/// [`SAMPLE_RATE`](crate::SAMPLE_RATE) in a second.
///
/// A sound longer than a window is seen through three, the first at its start and the others where the second and the
/// last third of all possible windows begin; the original takes any of each third by chance. A shorter one is repeated
/// until it fills the window, and is seen three times.
///
/// # Errors
/// [`Error::SoundTooShort`] when there is no whole frame of 25 ms.
pub fn sound_tensor(samples: &[f32]) -> Result<Vec<f32>> {
    let total = frame_count(samples.len());
    if total == 0 {
        return Err(Error::SoundTooShort {
            samples: samples.len(),
            minimum: FRAME_LEN,
        });
    }
    let centred = centred(samples);
    let bank = FilterBank::new();
    let mut tensor = Vec::with_capacity(SOUND_SHAPE.iter().product());
    if total > WINDOW_FRAMES {
        for first in window_starts(total) {
            append_window(&mut tensor, &bank.frames(&centred, first, WINDOW_FRAMES));
        }
    } else {
        append_window(&mut tensor, &bank.frames(&centred, 0, total));
        tensor = tensor.repeat(WINDOW_COUNT);
    }
    Ok(tensor)
}

fn centred(samples: &[f32]) -> Vec<f32> {
    let sum: f64 = samples.iter().map(|&sample| f64::from(sample)).sum();
    let mean = (sum / samples.len() as f64) as f32;
    samples.iter().map(|sample| sample - mean).collect()
}

/// The first frame of each window, as `numpy.array_split` divides all that are possible among three: the first parts have
/// one more where they are not even. A part of none begins at 0.
fn window_starts(total: usize) -> [usize; WINDOW_COUNT] {
    let possible = total - WINDOW_FRAMES + 1;
    let (size, longer) = (possible / WINDOW_COUNT, possible % WINDOW_COUNT);
    std::array::from_fn(|part| {
        let start = part * size + part.min(longer);
        if start < possible { start } else { 0 }
    })
}

/// Transposes frames into bands, each repeated to the window's length, and normalises them.
fn append_window(tensor: &mut Vec<f32>, frames: &[f32]) {
    for band in 0..BAND_COUNT {
        let values = frames
            .iter()
            .skip(band)
            .step_by(BAND_COUNT)
            .map(|value| (value - MEAN) / (DEVIATION * 2.0));
        tensor.extend(values.cycle().take(WINDOW_FRAMES));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_begin_where_the_thirds_of_all_possible_ones_do() {
        assert_eq!(window_starts(1037), [0, 1, 0]);
        assert_eq!(window_starts(1038), [0, 1, 2]);
        assert_eq!(window_starts(1040), [0, 2, 4]);
        assert_eq!(window_starts(4035), [0, 1000, 2000]);
    }

    #[test]
    fn a_sound_without_a_whole_frame_is_refused() {
        let refused = |samples| {
            Err(Error::SoundTooShort {
                samples,
                minimum: 400,
            })
        };
        assert_eq!(sound_tensor(&[]), refused(0));
        assert_eq!(sound_tensor(&[0.5; 399]), refused(399));
        assert!(sound_tensor(&[0.5; 400]).is_ok());
    }

    #[test]
    fn a_short_sound_is_repeated_and_seen_three_times() {
        let samples: Vec<f32> = (0..400 + 160 * 9).map(|at| (at as f32).sin()).collect();
        let tensor = sound_tensor(&samples).unwrap();
        let [windows, bands, frames] = SOUND_SHAPE;
        assert_eq!(tensor.len(), windows * bands * frames);
        let (first, rest) = tensor.split_at(bands * frames);
        assert_eq!(first.repeat(2), rest);
        for band in first.chunks(frames) {
            assert!((10..frames).all(|at| band[at] == band[at - 10]));
        }
    }
}
