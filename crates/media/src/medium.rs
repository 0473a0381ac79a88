//! The kind of bytes, whatever a URL or a server says they are.

use infer::MatcherType;
use pelorus_embed::Medium;

/// The medium whose file begins with these bytes, of which a few hundred are enough; `None` for other files. A medium
/// is told here, not read: formats that no decoder takes are media too.
pub fn medium_of(bytes: &[u8]) -> Option<Medium> {
    match infer::get(bytes)?.matcher_type() {
        MatcherType::Image => Some(Medium::Image),
        MatcherType::Video => Some(Medium::Video),
        MatcherType::Audio => Some(Medium::Audio),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn media_are_told_by_their_first_bytes() {
        let cases: [(&[u8], Option<Medium>); 12] = [
            (b"\xFF\xD8\xFF\xE0\0\x10JFIF\0", Some(Medium::Image)),
            (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", Some(Medium::Image)),
            (b"GIF89a\x01\0\x01\0", Some(Medium::Image)),
            (b"RIFF\x24\0\0\0WEBPVP8 ", Some(Medium::Image)),
            (
                b"\0\0\0\x20ftypisom\0\0\x02\0isomiso2mp41",
                Some(Medium::Video),
            ),
            (b"RIFF\x24\0\0\0AVI LIST", Some(Medium::Video)),
            (b"RIFF\x24\0\0\0WAVEfmt ", Some(Medium::Audio)),
            (b"ID3\x03\0\0\0\0\0\0", Some(Medium::Audio)),
            (b"<!doctype html><html>", None),
            (b"#EXTM3U\n#EXT-X-VERSION:3\n", None),
            (b"%PDF-1.7\n", None),
            (b"", None),
        ];
        for (bytes, medium) in cases {
            assert_eq!(medium_of(bytes), medium, "{}", bytes.escape_ascii());
        }
    }

    #[test]
    fn formats_that_are_read_are_pictures() {
        for bytes in [
            &b"BM\x3a\0\0\0"[..],
            b"II*\0\x08\0\0\0\0\0",
            b"MM\0*\0\0\0\x08\0\0",
        ] {
            assert_eq!(
                medium_of(bytes),
                Some(Medium::Image),
                "{}",
                bytes.escape_ascii()
            );
        }
    }
}
