//! Against Pillow itself: `oracle/pictures.py` makes pictures of every format and oddity, and what Pillow makes of them.

#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

mod oracle;

use std::fs;

use pelorus_media::{
    Error, Filter, Limits, Picture, Preprocessing, Resampling, Size, Sizing, decode, simple_patches,
};

#[test]
fn pixels_are_those_of_pillow() {
    let folder = oracle::pictures();
    let cases = fs::read_to_string(folder.path().join("cases.tsv")).unwrap();
    let mut failures = Vec::new();
    let mut pictures = std::collections::BTreeSet::new();
    for case in cases.lines() {
        let [picture, operation, expected] = case.split('\t').collect::<Vec<_>>()[..] else {
            panic!("{case}")
        };
        pictures.insert(picture);
        let bytes = fs::read(folder.path().join(picture)).unwrap();
        let verdict = match (outcome(&bytes, operation), expected) {
            (Err(_), "error") => Ok(()),
            // Pillow takes a file without its last bytes, or checksums, for whole; that may be refused.
            (Err(_), _) if operation.starts_with("truncated") => Ok(()),
            (Err(Error::Unsupported { .. }), _) if picture.contains("unsupported") => Ok(()),
            (Err(error), _) => Err(error.to_string()),
            // No more than the first frame of an animation has to be there.
            (Ok(_), "error")
                if operation.starts_with("truncated") && picture.contains("animated") =>
            {
                Ok(())
            }
            (Ok(_), "error") => Err("Pillow refuses it".to_owned()),
            (Ok(pixels), expected) => {
                pixels.compare(&fs::read(folder.path().join(expected)).unwrap())
            }
        };
        if let Err(reason) = verdict {
            failures.push(format!("{picture}: {operation}: {reason}"));
        }
    }
    assert!(pictures.len() >= 200, "{} pictures", pictures.len());
    assert!(
        failures.is_empty(),
        "{} differences:\n{}",
        failures.len(),
        failures.join("\n")
    );
}

enum Pixels {
    Rgb(Vec<u8>),
    /// Normalised by `MEAN` and `STD`; the oracle's bytes are normalised here.
    Tensor(Vec<f32>),
    /// From 0 to 1, where the original interpolates floats.
    Interpolated(Vec<f32>),
}

impl Pixels {
    fn compare(&self, expected: &[u8]) -> Result<(), String> {
        match self {
            Pixels::Rgb(bytes) => equal(bytes, expected),
            Pixels::Tensor(values) => equal(values, &normalised(expected)),
            Pixels::Interpolated(values) => {
                let expected = expected
                    .as_chunks::<4>()
                    .0
                    .iter()
                    .map(|&bytes| f32::from_le_bytes(bytes));
                let farthest = values
                    .iter()
                    .zip(expected)
                    .map(|(a, b)| (a - b).abs())
                    .fold(0.0, f32::max);
                if farthest < 1e-5 {
                    Ok(())
                } else {
                    Err(format!("off by {farthest}"))
                }
            }
        }
    }
}

fn equal<T: PartialEq + Into<f64> + Copy>(received: &[T], expected: &[T]) -> Result<(), String> {
    if received.len() != expected.len() {
        return Err(format!(
            "{} values, Pillow has {}",
            received.len(),
            expected.len()
        ));
    }
    let distances = received
        .iter()
        .zip(expected)
        .map(|(&a, &b)| (a.into() - b.into()).abs());
    let count = distances.clone().filter(|&distance| distance > 0.0).count();
    if count == 0 {
        Ok(())
    } else {
        Err(format!(
            "{count} values differ, by up to {}",
            distances.fold(0.0, f64::max)
        ))
    }
}

const MEAN: [f32; 3] = [0.481_454_66, 0.457_827_5, 0.408_210_73];
const STD: [f32; 3] = [0.268_629_54, 0.261_302_6, 0.275_777_1];

/// torchvision's `ToTensor` and `Normalize`.
fn normalised(rgb: &[u8]) -> Vec<f32> {
    let channel = |channel: usize| {
        rgb.iter()
            .skip(channel)
            .step_by(3)
            .map(move |&byte| (f32::from(byte) / 255.0 - MEAN[channel]) / STD[channel])
    };
    (0..3).flat_map(channel).collect()
}

fn outcome(bytes: &[u8], operation: &str) -> pelorus_media::Result<Pixels> {
    let arguments: Vec<&str> = operation.split(' ').collect();
    let number = |at: usize| arguments[at].parse::<u32>().unwrap();
    let bytes = match arguments[0] {
        "truncated" => &bytes[..number(1) as usize],
        "without" => &bytes[..bytes.len() - number(1) as usize],
        _ => bytes,
    };
    let picture = decode(bytes, &Limits::default())?;
    let prepared = |picture: &Picture, side, sizing, filter| {
        let preprocessing = Preprocessing {
            side,
            sizing,
            resampling: Resampling::Pillow(filter),
            mean: MEAN,
            std: STD,
        };
        preprocessing
            .tensor(picture)
            .map(|tensor| Pixels::Tensor(tensor.values))
    };
    match arguments[0] {
        "rgb" | "truncated" | "without" => Ok(Pixels::Rgb(picture.into_rgb_bytes())),
        "resize" => {
            let resized = picture.resize(Size::new(number(1), number(2)), filter(arguments[3]));
            Ok(Pixels::Rgb(resized.into_rgb_bytes()))
        }
        "shortest" => prepared(&picture, number(1), Sizing::Shortest, filter(arguments[2])),
        "squash" => prepared(&picture, number(1), Sizing::Squash, filter(arguments[2])),
        "patch" => {
            let patch = simple_patches(&picture).swap_remove(number(1) as usize);
            prepared(&patch.picture, 32, Sizing::Shortest, Filter::Bicubic)
        }
        "float" => {
            let preprocessing = Preprocessing {
                side: number(1),
                sizing: Sizing::Shortest,
                resampling: Resampling::Tensor,
                mean: [0.0; 3],
                std: [1.0; 3],
            };
            // The oracle goes row by row in each channel, as the tensor does.
            preprocessing
                .tensor(&picture)
                .map(|tensor| Pixels::Interpolated(tensor.values))
        }
        other => panic!("unknown operation {other}"),
    }
}

fn filter(name: &str) -> Filter {
    match name {
        "nearest" => Filter::Nearest,
        "box" => Filter::Box,
        "bilinear" => Filter::Bilinear,
        "hamming" => Filter::Hamming,
        "bicubic" => Filter::Bicubic,
        "lanczos" => Filter::Lanczos,
        other => panic!("unknown filter {other}"),
    }
}
