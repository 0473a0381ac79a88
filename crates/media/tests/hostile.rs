//! Bytes that nobody meant as pictures: mutated, truncated, and headers that claim the world.

#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

mod oracle;

use std::fs;
use std::panic::catch_unwind;

use pelorus_media::{
    Error, Filter, Limits, Preprocessing, Resampling, Sizing, decode, simple_patches,
};
use pelorus_random::SplitMix64;

/// Mutants of each picture; `PELORUS_FAULTS` asks for more, `PELORUS_FAULTS_SEED` for others.
const MUTANTS: u64 = 12;

/// Small enough that a header changed into a large one is refused.
fn limits() -> Limits {
    Limits {
        pixels_max: 1 << 20,
        ..Limits::default()
    }
}

#[test]
fn no_mutant_of_a_picture_panics() {
    let setting = |name: &str| {
        std::env::var(name)
            .ok()
            .map(|value| value.parse::<u64>().unwrap())
    };
    let mutants = setting("PELORUS_FAULTS").unwrap_or(MUTANTS);
    let first_seed = setting("PELORUS_FAULTS_SEED").unwrap_or(1);
    let folder = oracle::pictures();
    let mut panicked = Vec::new();
    for (name, bytes) in small_pictures(folder.path()) {
        for seed in first_seed..first_seed + mutants {
            let mutant = mutated(&bytes, &mut SplitMix64(seed));
            if catch_unwind(|| use_up(&mutant)).is_err() {
                panicked.push(format!("{name}: seed {seed}"));
            }
        }
    }
    assert!(
        panicked.is_empty(),
        "{} mutants panic:\n{}",
        panicked.len(),
        panicked.join("\n")
    );
}

#[test]
fn a_header_that_claims_too_much_is_refused_before_memory_is_taken() {
    let claims: [(&str, Vec<u8>); 6] = [
        ("JPEG", b"\xff\xd8\xff\xc0\x00\x0b\x08\xea\x60\xea\x60\x01\x01\x11\x00\xff\xda\x00\x08\x01\x01\x00\x00\x3f\x00".to_vec()),
        ("PNG", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\xea\x60\0\0\xea\x60\x08\x06\0\0\0\x80\xd2\x75\x42".to_vec()),
        ("GIF", b"GIF89a\x60\xea\x60\xea\x80\0\0\0\0\0\xff\xff\xff,\0\0\0\0\x60\xea\x60\xea\0\x02\x02D\x01\0;".to_vec()),
        ("WebP", b"RIFF\x1a\0\0\0WEBPVP8L\x0d\0\0\0\x2f\xfe\xbf\xff\x0f\x07\x10\x11\x11\x88\x88\xfe\x07\0".to_vec()),
        ("BMP", [&b"BM\0\0\0\0\0\0\0\0\x36\0\0\0\x28\0\0\0\x60\xea\0\0\x60\xea\0\0\x01\0\x18\0"[..], &[0; 24]].concat()),
        ("TIFF", tiff_of(60_000, UNCOMPRESSED)),
    ];
    for (format, bytes) in claims {
        let error = decode(&bytes, &Limits::default()).unwrap_err();
        assert!(
            matches!(
                error,
                Error::TooManyPixels {
                    maximum: 100_000_000,
                    ..
                }
            ),
            "{format}: {error}"
        );
    }
}

#[test]
fn a_file_of_too_many_bytes_is_refused_unread() {
    let limits = Limits {
        bytes_max: 10,
        ..Limits::default()
    };
    let error = decode(&[0; 11], &limits).unwrap_err();
    assert_eq!(
        error,
        Error::TooManyBytes {
            received: 11,
            maximum: 10
        }
    );
    assert_eq!(
        error.to_string(),
        "the picture has 11 bytes, which exceeds the maximum of 10"
    );
}

#[test]
fn bytes_that_are_no_picture_are_told_so() {
    for bytes in [
        &b""[..],
        b"<svg/>",
        b"%PDF-1.7",
        b"\0\0\0\x1cftypavif",
        b"B",
        b"RIFF\0\0\0\0WAVE",
    ] {
        assert_eq!(decode(bytes, &Limits::default()), Err(Error::UnknownFormat));
    }
}

#[test]
fn an_unsupported_feature_of_a_format_is_named() {
    for (compression, named) in [(FAX, "Fax4"), (LZMA, "Unknown(34925)")] {
        let error = decode(&tiff_of(8, compression), &Limits::default()).unwrap_err();
        assert_eq!(
            error.to_string(),
            format!("TIFF pictures with compression method {named} are not supported")
        );
    }
}

#[test]
fn a_picture_cut_off_in_the_middle_is_an_error() {
    let folder = oracle::pictures();
    for (name, bytes) in small_pictures(folder.path()) {
        for tenths in 1..8 {
            let cut = &bytes[..bytes.len() * tenths / 10];
            // A sign after the end of the picture may be the part that is cut off.
            let whole = [
                "jpeg-tail",
                "png-animated",
                "gif-animated",
                "webp-animated",
                "tiff-pages",
            ];
            if whole.iter().any(|whole| name.starts_with(whole)) {
                continue;
            }
            assert!(
                decode(cut, &limits()).is_err(),
                "{name}, {tenths} tenths of it"
            );
        }
    }
}

/// All that is done with bytes that turn out to be a picture.
fn use_up(bytes: &[u8]) {
    let Ok(picture) = decode(bytes, &limits()) else {
        return;
    };
    for (sizing, resampling) in [
        (Sizing::Shortest, Resampling::Pillow(Filter::Bicubic)),
        (Sizing::Squash, Resampling::Pillow(Filter::Lanczos)),
        (Sizing::Shortest, Resampling::Tensor),
    ] {
        let preprocessing = Preprocessing {
            side: 7,
            sizing,
            resampling,
            mean: [0.5; 3],
            std: [0.5; 3],
        };
        if let Ok(tensor) = preprocessing.tensor(&picture) {
            assert_eq!(tensor.values.len(), 3 * 7 * 7);
        }
    }
    assert_eq!(simple_patches(&picture).len(), 10);
}

fn small_pictures(folder: &std::path::Path) -> Vec<(String, Vec<u8>)> {
    let mut pictures: Vec<(String, Vec<u8>)> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_none())
        .map(|path| {
            (
                path.file_name().unwrap().to_string_lossy().into_owned(),
                fs::read(path).unwrap(),
            )
        })
        .filter(|(name, _)| name != "jpeg-photo")
        .collect();
    pictures.sort();
    pictures
}

/// One to four faults: bits, bytes and runs of bytes changed, cut out, doubled or cut off, more often near the head,
/// where the sizes are.
fn mutated(bytes: &[u8], random: &mut SplitMix64) -> Vec<u8> {
    let mut mutant = bytes.to_vec();
    for _ in 0..1 + random.below(4) {
        if mutant.len() < 4 {
            break;
        }
        let range = if random.below(2) == 0 {
            mutant.len().min(80)
        } else {
            mutant.len()
        };
        let at = random.below(range);
        let end = (at + 1 + random.below(8)).min(mutant.len());
        match random.below(7) {
            0 => mutant[at] ^= 1 << random.below(8),
            1 => mutant[at] = random.below(256) as u8,
            2 => mutant[at..end].fill([0, 0x7F, 0x80, 0xFF][random.below(4)]),
            3 => drop(mutant.drain(at..end)),
            4 => {
                let doubled = mutant[at..end].to_vec();
                mutant.splice(at..at, doubled);
            }
            5 => mutant.truncate(at.max(1)),
            _ => mutant[at] = mutant[at].wrapping_add(1),
        }
    }
    mutant
}

/// `Compression` of a TIFF.
const UNCOMPRESSED: u16 = 1;
const FAX: u16 = 4;
const LZMA: u16 = 34_925;

/// The head of a TIFF of so many pixels a side: a directory whose only strip is not there.
fn tiff_of(side: u16, compression: u16) -> Vec<u8> {
    let tags: [(u16, u16); 8] = [
        (256, side),
        (257, side),
        (258, 8),
        (259, compression),
        (262, 1),
        (273, 8),
        (278, side),
        (279, 8),
    ];
    let mut tiff = b"II\x2a\0\x08\0\0\0\x08\0".to_vec();
    for (tag, value) in tags {
        let [tag, kind, count, value] = [
            tag.to_le_bytes(),
            3_u16.to_le_bytes(),
            [1, 0],
            value.to_le_bytes(),
        ];
        tiff.extend([&tag[..], &kind, &count, &[0, 0], &value, &[0, 0]].concat());
    }
    tiff.extend([0; 4]);
    tiff
}
