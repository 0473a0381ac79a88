//! Pictures.

use pelorus_media::{Limits, Picture, decode, medium_of, simple_patches};

use crate::{Target, corpus, files_in};

/// Files of pictures.
pub struct Pictures {
    seeds: Vec<Vec<u8>>,
}

impl Pictures {
    pub fn new() -> Self {
        Self {
            seeds: files_in(&corpus("pictures")),
        }
    }
}

impl Target for Pictures {
    fn seeds(&self) -> &[Vec<u8>] {
        &self.seeds
    }

    fn words(&self) -> &[&str] {
        &[
            "IHDR", "IDAT", "PLTE", "tRNS", "VP8L", "VP8X", "ALPH", "GIF89a", "RIFF", "II*\0",
        ]
    }

    fn read(&self, input: &[u8]) {
        let _ = medium_of(input);
        // Small enough that a header changed into a large one is refused.
        let limits = Limits {
            pixels_max: 1 << 18,
            ..Limits::default()
        };
        if let Ok(picture) = decode(input, &limits) {
            let Picture { .. } = &picture;
            let _ = simple_patches(&picture);
        }
    }
}
