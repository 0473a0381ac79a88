use std::net::{Ipv4Addr, Ipv6Addr};

use crate::Medium;

/// The target of a text by its looks: nothing is fetched to find out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pointed {
    /// A text that stands for itself.
    Text,
    /// A data URI, or a URL whose path has the extension of a picture, film or sound.
    Medium(Medium),
    /// A URL of which only its bytes can tell.
    Unknown,
}

/// Returns the target of a text: `data:image/...`, and URLs by the extension of their path, in which query and fragment
/// have no part. Blanks around it do not count; a text with others is a URL only where it has such an extension, as
/// sentences may begin with one. A text that looks like a URL and cannot be fetched, such as `s3://bucket/a.png` or
/// `//host/a.png`, is a pointer too: the one who fetches it says so, and its letters are not taken for it.
pub fn pointed_to(text: &str) -> Pointed {
    let text = text.trim();
    if let Some(medium) = data_of(text).and_then(medium_of_type) {
        return Pointed::Medium(medium);
    }
    let Some(url) = Url::parse(text) else {
        return look_alike(text);
    };
    match medium_of_path(url.path) {
        Some(medium) => Pointed::Medium(medium),
        None if text.contains(' ') => Pointed::Text,
        None => Pointed::Unknown,
    }
}

/// Returns the text after the scheme of a data URI.
pub fn data_of(text: &str) -> Option<&str> {
    let (scheme, rest) = text.split_once(':')?;
    scheme.eq_ignore_ascii_case("data").then_some(rest)
}

/// Classifies a text of which no URL can be made that could be fetched.
fn look_alike(text: &str) -> Pointed {
    if text.contains(|c: char| c.is_whitespace() || c.is_control()) {
        return Pointed::Text;
    }
    let parts = text.strip_prefix("//").map(|rest| ("", rest));
    let Some((scheme, rest)) = parts.or_else(|| text.split_once("://")) else {
        return Pointed::Text;
    };
    if !(scheme.is_empty() && text.starts_with("//") || is_scheme(scheme)) {
        return Pointed::Text;
    }
    let path = rest.split(['?', '#']).next().unwrap_or(rest);
    let path = path.find('/').map_or("", |slash| &path[slash..]);
    match medium_of_path(path) {
        Some(medium) => Pointed::Medium(medium),
        None if scheme.is_empty() || is_fetched(scheme) || rest.is_empty() => Pointed::Text,
        None => Pointed::Unknown,
    }
}

fn is_scheme(scheme: &str) -> bool {
    let is_inner = |letter: char| letter.is_ascii_alphanumeric() || "+-.".contains(letter);
    scheme.starts_with(|letter: char| letter.is_ascii_alphabetic()) && scheme.chars().all(is_inner)
}

/// Tells whether a scheme is one of places on the net.
fn is_fetched(scheme: &str) -> bool {
    let is_known = |known: &&str| scheme.eq_ignore_ascii_case(known);
    ["http", "https", "ftp"].iter().any(is_known)
}

fn medium_of_path(path: &str) -> Option<Medium> {
    let (_, extension) = path.rsplit('/').next()?.rsplit_once('.')?;
    medium_of_extension(extension)
}

fn medium_of_type(rest: &str) -> Option<Medium> {
    match rest.split_once('/')?.0 {
        "image" => Some(Medium::Image),
        "video" => Some(Medium::Video),
        "audio" => Some(Medium::Audio),
        _ => None,
    }
}

fn medium_of_extension(extension: &str) -> Option<Medium> {
    let is = |known: &[&str]| known.iter().any(|one| extension.eq_ignore_ascii_case(one));
    if is(&["jpg", "jpeg", "png", "gif", "webp"]) {
        Some(Medium::Image)
    } else if is(&["mp4", "avi", "mov"]) {
        Some(Medium::Video)
    } else if is(&["mp3", "wav", "ogg"]) {
        Some(Medium::Audio)
    } else {
        None
    }
}

/// A text that is a URL of somewhere.
struct Url<'a> {
    path: &'a str,
}

impl<'a> Url<'a> {
    /// `None` for a text that is no URL with the scheme http, https or ftp and a host as places on the net have one: a
    /// name with a dot, an address, or `localhost`.
    fn parse(text: &'a str) -> Option<Self> {
        let (scheme, rest) = text.split_once("://")?;
        if !is_fetched(scheme) || rest.contains(char::is_control) {
            return None;
        }
        let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
        let (authority, rest) = rest.split_at(end);
        let place = authority
            .rsplit_once('@')
            .map_or(authority, |(_, place)| place);
        let (host, port) = match place.strip_prefix('[') {
            Some(bracketed) => {
                let (address, port) = bracketed.split_once(']')?;
                address.parse::<Ipv6Addr>().ok()?;
                ("", port)
            }
            None => place.split_at(place.find(':').unwrap_or(place.len())),
        };
        let has_host = place.starts_with('[') || is_host(host);
        let path = rest.split(['?', '#']).next()?;
        (has_host && is_port(port)).then_some(Self { path })
    }
}

/// Tells whether a text may follow a host: nothing, or a colon and two to five digits.
fn is_port(text: &str) -> bool {
    text.is_empty()
        || text.strip_prefix(':').is_some_and(|digits| {
            (2..=5).contains(&digits.len()) && digits.bytes().all(|digit| digit.is_ascii_digit())
        })
}

fn is_host(host: &str) -> bool {
    host.eq_ignore_ascii_case("localhost") || host.parse::<Ipv4Addr>().is_ok() || is_name(host)
}

/// Tells whether a name has two labels or more and ends in letters, as top-level domains do.
fn is_name(host: &str) -> bool {
    let Some((names, last)) = host.rsplit_once('.') else {
        return false;
    };
    let is_letter = |letter: char| letter.is_alphabetic();
    let is_top_level = last.chars().nth(1).is_some()
        && (last.chars().all(is_letter) || last.starts_with("xn--") && is_label(last));
    is_top_level && names.split('.').all(is_label)
}

fn is_label(label: &str) -> bool {
    let is_inner = |letter: char| letter.is_alphanumeric() || letter == '-' || letter == '_';
    !label.is_empty()
        && label.chars().all(is_inner)
        && !label.starts_with('-')
        && !label.ends_with('-')
}

#[cfg(test)]
mod tests {
    use super::*;

    const IMAGE: Pointed = Pointed::Medium(Medium::Image);
    const VIDEO: Pointed = Pointed::Medium(Medium::Video);
    const AUDIO: Pointed = Pointed::Medium(Medium::Audio);

    #[test]
    fn data_uris_and_known_extensions_say_what_they_are() {
        for (text, expected) in [
            ("data:image/png;base64,AAAA", IMAGE),
            ("data:image/", IMAGE),
            ("DATA:image/png;base64,AAAA", IMAGE),
            (" https://shop.example.com/a.jpg ", IMAGE),
            ("https://shop.example.com/a.jpg\n", IMAGE),
            ("\u{a0}\thttps://shop.example.com/a.mp4\r\n", VIDEO),
            ("data:video/mp4;base64,AAAA", VIDEO),
            ("data:audio/wav;base64,AAAA", AUDIO),
            ("https://shop.example.com/a.jpg", IMAGE),
            ("HTTPS://shop.example.com/a.JPEG", IMAGE),
            ("ftp://shop.example.com/a.png", IMAGE),
            ("http://127.0.0.1:8080/a.gif?size=2#top", IMAGE),
            ("http://localhost/a.webp", IMAGE),
            ("http://[::1]:8080/a.webp", IMAGE),
            ("http://user:word@shop.example.com/a.png", IMAGE),
            ("https://shop.example.com/my picture.png", IMAGE),
            ("https://müller.example/bild ä.png", IMAGE),
            ("https://a.xn--p1ai/a.png", IMAGE),
            ("https://shop.example.com/a.mp4", VIDEO),
            ("https://shop.example.com/a.avi", VIDEO),
            ("https://shop.example.com/a.MOV", VIDEO),
            ("https://shop.example.com/a.mp3", AUDIO),
            ("https://shop.example.com/a.wav", AUDIO),
            ("https://shop.example.com/a.ogg", AUDIO),
        ] {
            assert_eq!(pointed_to(text), expected, "{text}");
        }
    }

    #[test]
    fn only_the_bytes_can_tell_about_other_urls() {
        for text in [
            "https://shop.example.com",
            "https://shop.example.com/",
            "https://shop.example.com?a.png",
            "https://shop.example.com/pictures/7",
            "https://shop.example.com/pictures.png/7",
            "https://shop.example.com/?file=a.png",
            "https://shop.example.com/a.bmp",
            "https://shop.example.com/a.",
            "https://shop.example.com/pictures/7 ",
            "s3://bucket/pictures/7",
            "gs://bucket",
        ] {
            assert_eq!(pointed_to(text), Pointed::Unknown, "{text}");
        }
    }

    #[test]
    fn a_text_that_looks_like_a_url_is_no_text() {
        for text in [
            "//shop.example.com/a.png",
            "//host/a.png?size=2",
            "file:///pictures/a.png",
            "s3://bucket/a.png",
            "S3://bucket/a.png",
            "gs://bucket/folder/a.jpg",
            "http:///a.png",
            "http://minio:9000/a.png",
            "http://example/a.png",
            "http://example.c0m/a.png",
            "http://example..com/a.png",
            "http://-example.com/a.png",
            "http://example.com:/a.png",
            "http://example.com:123456/a.png",
            "http://[::1/a.png",
            "http://[1.2.3.4]/a.png",
        ] {
            assert_eq!(pointed_to(text), IMAGE, "{text}");
        }
    }

    #[test]
    fn everything_else_is_text() {
        for text in [
            "",
            "red shoes",
            "a.png",
            "/pictures/a.png",
            "data:text/plain,a.png",
            "data:imagepng",
            "http://",
            "://a.png",
            "//",
            "// a comment a.png",
            "//a.png",
            "and//or",
            "5://host/a.png",
            "s3://",
            "s3://my bucket/a.png",
            "see s3://bucket/a.png",
            "http://exa mple.com/a.png",
            "see https://example.com/a.png",
            "https://example.com/ is where to look",
            "https://example.com/\nis where a.png",
        ] {
            assert_eq!(pointed_to(text), Pointed::Text, "{text}");
        }
    }
}
