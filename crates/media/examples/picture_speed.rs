//! The time from a picture of 1920 x 1080 to a tensor of 224 x 224, on one thread, beside Pillow in the same run.
//!
//! ```sh
//! cargo run --release -p pelorus-media --example picture_speed target/python/pillow-12.3.0/bin/python
//! ```
//!
//! The tests of this crate make that Python. Milliseconds are the least of many runs, which others on the machine
//! disturb least.
#![allow(clippy::unwrap_used, reason = "an example stops at the first surprise")]

use std::process::Command;
use std::time::Instant;

use libjpeg_turbo_rs::{PixelFormat, Subsampling, compress};
use pelorus_media::{Filter, Limits, Picture, Preprocessing, Resampling, Size, Sizing, decode};
use pelorus_random::SplitMix64;

const RUNS: usize = 20;
const PILLOW: &str = "
import sys, time
from PIL import Image
def least(work):
    times = []
    for _ in range(20):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    print(min(times) * 1e3)
rgb = Image.open(sys.argv[1]).convert('RGB')
least(lambda: Image.open(sys.argv[1]).load())
least(lambda: rgb.resize((398, 224), Image.Resampling.BICUBIC).crop((87, 0, 311, 224)))
least(lambda: Image.open(sys.argv[1]).resize((398, 224), Image.Resampling.BICUBIC).crop((87, 0, 311, 224)).convert('RGB'))
";

fn main() {
    let python = std::env::args()
        .nth(1)
        .expect("the path of a Python that has Pillow");
    let jpeg = photo(Size::new(1920, 1080));
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), &jpeg).unwrap();

    let preprocessing = Preprocessing {
        side: 224,
        sizing: Sizing::Shortest,
        resampling: Resampling::Pillow(Filter::Bicubic),
        mean: [0.5; 3],
        std: [0.5; 3],
    };
    let decoded = || decode(&jpeg, &Limits::default()).unwrap();
    let picture: Picture = decoded();
    let ours = [
        least(|| drop(decoded())),
        least(|| drop(preprocessing.tensor(&picture).unwrap())),
        least(|| drop(preprocessing.tensor(&decoded()).unwrap())),
    ];

    let output = Command::new(&python)
        .args(["-c", PILLOW])
        .arg(file.path())
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let theirs = String::from_utf8(output.stdout).unwrap();
    println!("{} bytes of JPEG; milliseconds", jpeg.len());
    println!("{:<20}{:>8}{:>8}{:>8}", "", "ours", "Pillow", "times");
    for ((step, ours), theirs) in ["decode", "resize to tensor", "both"]
        .iter()
        .zip(ours)
        .zip(theirs.lines())
    {
        let theirs: f64 = theirs.parse().unwrap();
        println!("{step:<20}{ours:>8.2}{theirs:>8.2}{:>7.2}x", theirs / ours);
    }
}

fn least(mut work: impl FnMut()) -> f64 {
    let run = |_| {
        let started = Instant::now();
        work();
        started.elapsed().as_secs_f64() * 1e3
    };
    (0..RUNS).map(run).fold(f64::INFINITY, f64::min)
}

/// Waves of colour under a little noise, as a camera leaves it.
fn photo(size: Size) -> Vec<u8> {
    let mut random = SplitMix64(7);
    let (width, height) = (size.width as usize, size.height as usize);
    let mut pixels = Vec::with_capacity(width * height * 3);
    for y in 0..height {
        for x in 0..width {
            for phase in [0.0, 2.0, 4.0] {
                let wave = (x as f32 / 61.0 + phase).sin() + (y as f32 / 37.0 + phase).cos();
                pixels.push((128.0 + 50.0 * wave + 4.0 * random.normal()) as u8);
            }
        }
    }
    compress(
        &pixels,
        width,
        height,
        PixelFormat::Rgb,
        88,
        Subsampling::S420,
    )
    .unwrap()
}
