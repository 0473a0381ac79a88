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

/// Returns the target of a text: data URIs of media and of base64, and URLs by the extension of their path, in which query
/// and fragment have no part. Marks around it that [`bare`] takes off do not count. A URL followed by several words is
/// the beginning of a sentence, unless such an extension ends it. A text that looks like a URL and cannot be fetched, such
/// as `s3://bucket/a.png`, `//host/a.png` or `http:/host`, is a pointer too: the one who fetches it says so, and its
/// letters are not taken for it.
pub fn pointed_to(text: &str) -> Pointed {
    let text = bare(text);
    if let Some(rest) = data_of(text) {
        return pointed_to_by_data(rest);
    }
    let slashed = with_slashes(text);
    let text = slashed.as_deref().unwrap_or(text);
    let Some(url) = Url::parse(text) else {
        return look_alike(text);
    };
    match medium_of_path(url.path) {
        Some(medium) => Pointed::Medium(medium),
        None if is_sentence(text, url.path) => Pointed::Text,
        None => Pointed::Unknown,
    }
}

/// Returns a text without what people and programs leave around a pointer: blanks, marks without a width, and pairs of
/// quotes or brackets.
pub fn bare(text: &str) -> &str {
    let is_blank = |letter: char| {
        letter.is_whitespace() || matches!(letter, '\u{feff}' | '\u{200b}' | '\u{2060}')
    };
    let mut text = text.trim_matches(is_blank);
    while let Some(inner) = unpaired(text) {
        text = inner.trim_matches(is_blank);
    }
    text
}

/// Returns the text after the scheme of a data URI.
pub fn data_of(text: &str) -> Option<&str> {
    let (scheme, rest) = text.split_once(':')?;
    scheme.eq_ignore_ascii_case("data").then_some(rest)
}

const PAIRS: [(char, char); 9] = [
    ('"', '"'),
    ('\'', '\''),
    ('`', '`'),
    ('<', '>'),
    ('(', ')'),
    ('[', ']'),
    ('\u{201c}', '\u{201d}'),
    ('\u{2018}', '\u{2019}'),
    ('\u{ab}', '\u{bb}'),
];

fn unpaired(text: &str) -> Option<&str> {
    let inner = |&(first, last): &(char, char)| text.strip_prefix(first)?.strip_suffix(last);
    PAIRS.iter().find_map(inner)
}

/// The longest type of a data URI, with its parameters, in bytes.
const DATA_TYPE_BYTES_MAX: usize = 1000;

/// Classifies a data URI by what follows its scheme. Base64 is meant as data, whatever its type; without it only the
/// type of a medium is.
fn pointed_to_by_data(rest: &str) -> Pointed {
    let end = rest.find(['/', ';', ',']).unwrap_or(rest.len());
    let (kind, behind) = rest.split_at(end);
    match medium_of_type(kind.trim_start()) {
        Some(medium) if is_base64(rest) => Pointed::Medium(medium),
        Some(medium) if !kind.starts_with(char::is_whitespace) && behind.starts_with('/') => {
            Pointed::Medium(medium)
        }
        None if is_base64(rest) => Pointed::Unknown,
        _ => Pointed::Text,
    }
}

fn is_base64(rest: &str) -> bool {
    let Some((head, _)) = rest.split_once(',') else {
        return false;
    };
    if head.len() > DATA_TYPE_BYTES_MAX {
        return false;
    }
    let mut parts = head.split(';').map(str::trim);
    let is_last = parts
        .next_back()
        .is_some_and(|last| last.eq_ignore_ascii_case("base64"));
    is_last && head.contains(';') && !parts.any(|part| part.contains(char::is_whitespace))
}

/// Returns a text with slashes for the backslashes of a URL, where its scheme is one that people write with them.
fn with_slashes(text: &str) -> Option<String> {
    let (scheme, rest) = text.split_once(':')?;
    (is_known(scheme) && rest.contains('\\')).then(|| text.replace('\\', "/"))
}

/// Tells whether a text that begins with a URL goes on in words. One word alone after a path is a part of the path.
fn is_sentence(text: &str, path: &str) -> bool {
    let is_in_path = path
        .split_once(char::is_whitespace)
        .is_some_and(|(before, _)| before != "/");
    let words = text.split_whitespace().count();
    words > 2 || words == 2 && !is_in_path
}

/// Classifies a text of which no URL can be made that could be fetched.
fn look_alike(text: &str) -> Pointed {
    if text.contains(|c: char| c.is_whitespace() || c.is_control()) {
        return Pointed::Text;
    }
    if let Some(target) = misspelt(text) {
        return target;
    }
    let parts = text.strip_prefix("//").map(|rest| ("", rest));
    let Some((scheme, rest)) = parts.or_else(|| text.split_once("://")) else {
        return Pointed::Text;
    };
    if !(scheme.is_empty() && text.starts_with("//") || is_scheme(scheme)) {
        return Pointed::Text;
    }
    match medium_of_path(path_of(rest)) {
        Some(medium) => Pointed::Medium(medium),
        None if scheme.is_empty() || rest.is_empty() => Pointed::Text,
        None => Pointed::Unknown,
    }
}

/// Classifies a text with the scheme of a URL and no `//` behind it, or no host behind that.
fn misspelt(text: &str) -> Option<Pointed> {
    let (scheme, rest) = text.split_once(':')?;
    let is_web = ["http", "https"]
        .iter()
        .any(|web| scheme.eq_ignore_ascii_case(web));
    if !(is_web && !rest.is_empty() || is_known(scheme) && rest.starts_with('/')) {
        return None;
    }
    let place = rest.trim_start_matches('/');
    let medium = medium_of_path(path_of(place)).or_else(|| medium_of_path(path_of(rest)));
    Some(medium.map_or(Pointed::Unknown, Pointed::Medium))
}

/// Returns the path behind a host.
fn path_of(rest: &str) -> &str {
    let path = rest.split(['?', '#']).next().unwrap_or(rest);
    path.find('/').map_or("", |slash| &path[slash..])
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

/// Tells whether a scheme is one of places on the net or of files.
fn is_known(scheme: &str) -> bool {
    is_fetched(scheme) || scheme.eq_ignore_ascii_case("file")
}

fn medium_of_path(path: &str) -> Option<Medium> {
    let (_, extension) = path.rsplit('/').next()?.rsplit_once('.')?;
    medium_of_extension(extension)
}

fn medium_of_type(kind: &str) -> Option<Medium> {
    let media = [Medium::Image, Medium::Video, Medium::Audio];
    media
        .into_iter()
        .find(|medium| kind.eq_ignore_ascii_case(medium.name()))
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
    use pelorus_random::SplitMix64;

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
    fn a_data_uri_of_base64_is_a_pointer_whatever_its_type() {
        for (text, expected) in [
            ("data:IMAGE/PNG;base64,AAAA", IMAGE),
            ("data:image;base64,AAAA", IMAGE),
            ("data: image/png;base64,AAAA", IMAGE),
            ("data:Video/mp4; BASE64 ,AAAA", VIDEO),
            (
                "data:application/octet-stream;base64,AAAA",
                Pointed::Unknown,
            ),
            ("data:;base64,AAAA", Pointed::Unknown),
            (
                "data:text/plain;charset=utf-8;base64,AAAA",
                Pointed::Unknown,
            ),
        ] {
            assert_eq!(pointed_to(text), expected, "{text}");
        }
    }

    #[test]
    fn a_misspelt_url_is_a_pointer() {
        for text in [
            "http:/x",
            "http:\\\\x",
            "https:x",
            "HTTP:\\x",
            "http://",
            "ftp:/",
            "http://[::1",
            "http://minio:9000/pictures/7",
            "https://shop.example.com/a b",
        ] {
            assert_eq!(pointed_to(text), Pointed::Unknown, "{text}");
        }
        for text in [
            "file:/a.png",
            "FILE:\\a.png",
            "http:/shop.example.com/a.png",
            "https:shop.example.com/a.png",
            "https://shop.example.com\\a.png",
            "https:\\\\shop.example.com\\a.png",
        ] {
            assert_eq!(pointed_to(text), IMAGE, "{text}");
        }
    }

    #[test]
    fn marks_around_a_pointer_do_not_count() {
        let around = [
            ("\u{feff}", ""),
            ("", "\u{200b}"),
            ("\u{a0}", "\u{feff}\n"),
            ("\"", "\""),
            ("'", "'"),
            ("`", "`"),
            ("<", ">"),
            ("(", ")"),
            ("\u{201c}", "\u{201d}"),
            ("\u{2018}", "\u{2019}"),
            (" (\"", "\") "),
        ];
        for (before, after) in around {
            for pointer in [
                "https://shop.example.com/a.png",
                "data:image/png;base64,AAAA",
            ] {
                let text = format!("{before}{pointer}{after}");
                assert_eq!(bare(&text), pointer, "{text}");
                assert_eq!(pointed_to(&text), IMAGE, "{text}");
            }
        }
    }

    #[test]
    fn sentences_stay_texts() {
        let words = [
            "http",
            "https",
            "http:",
            "data:",
            "file:",
            "is",
            "a",
            "shoes,",
            "red",
            "image/png",
            "https://x.example.com/7",
            "(or",
            "base64,",
            "\"nice\"",
        ];
        let mut random = SplitMix64(7);
        for _ in 0..5000 {
            let count = 2 + random.below(8);
            let mut picked: Vec<&str> = (0..count).map(|_| *random.pick(&words)).collect();
            picked.push("together.");
            let sentence = picked.join(" ");
            assert_eq!(pointed_to(&sentence), Pointed::Text, "{sentence}");
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
            "https://example.com/shoes are red",
            "http is a protocol",
            "http: the protocol of the web",
            "https:",
            "file: a tool of metal",
            "file:name",
            "ftp:upload",
            "(see https://example.com/a.png)",
            "\"red shoes\"",
            "<b>shoes</b>",
            "'",
            "data: image/png files",
            "data: image/png",
            "data: a letter and ;base64, as words",
            "data:text/plain;base64",
            "C:\\pictures\\a.png",
        ] {
            assert_eq!(pointed_to(text), Pointed::Text, "{text}");
        }
    }
}
