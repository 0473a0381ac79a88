//! Pointers: texts that stand for a picture, film or sound.
//!
//! A text is a pointer where it is one address and nothing else, whatever [marks](marks) people and programs left around
//! it, and however the address is broken. One that is plain is fetched; any other is refused with what is to be taken
//! away ([`fault_of`]), so that the letters of none are taken for a text. A text with words of its own beside an address,
//! before it, behind it or outside of the tag that holds it, is a text.

mod disguise;
mod fault;
mod marks;
mod markup;
mod scheme;
mod url;

pub use fault::fault_of;
pub use marks::bare;

use std::borrow::Cow;

use pelorus_characters::is_unsegmented;

use crate::Medium;
use disguise::undisguised;
use marks::{Bare, as_seen, unwrapped};
use markup::{any_left, has_tags};
use scheme::with_whole_scheme;
use url::{
    Url, begins_as_url, behind_scheme, is_fetched, is_known, is_scheme, medium_of_path, path_of,
};

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

/// Returns the target of a text: data URIs of media and of base64, and URLs by the extension of their path, in which
/// query and fragment have no part. Marks around it and invisible characters in it do not count, nor does markup that
/// leaves nothing else. A URL followed by several words, or by one of a script without blanks, is the beginning of a
/// sentence, unless such an extension ends it. A text that looks like a URL and cannot be fetched, such as
/// `s3://bucket/a.png`, `//host/a.png` or `http:/host`, is a pointer too: the one who fetches it says so, and its letters
/// are not taken for it.
pub fn pointed_to(text: &str) -> Pointed {
    let seen = as_seen(text);
    match pointed_to_as_written(&seen) {
        Pointed::Text => disguised(&seen).map_or(Pointed::Text, |(target, _)| target),
        target => target,
    }
}

fn pointed_to_as_written(seen: &str) -> Pointed {
    let Some(found) = unwrapped(seen) else {
        return Pointed::Unknown;
    };
    if found.is_tagged || data_of(found.text).is_some() || !has_tags(found.text) {
        return target_of(&found);
    }
    match left_by_markup(found.text) {
        Left::Words => Pointed::Text,
        Left::Pointer { target, .. } => target,
        Left::Pointers => Pointed::Unknown,
    }
}

/// Returns the target of an address in disguise, and the address.
fn disguised(seen: &str) -> Option<(Pointed, String)> {
    let text = undisguised(seen)?;
    let target = pointed_to_as_written(&text);
    if target == Pointed::Text {
        return None;
    }
    let bare = match left_by_markup(&text) {
        Left::Pointer { bare, .. } => bare,
        Left::Words | Left::Pointers => marks::bare(&text).to_owned(),
    };
    Some((target, bare))
}

fn target_of(found: &Bare<'_>) -> Pointed {
    let text = match with_whole_scheme(found.text) {
        Some(whole) => Cow::Owned(whole),
        None => Cow::Borrowed(found.text),
    };
    match classify(&text) {
        Pointed::Text if found.is_tagged && begins_as_url(&text) => Pointed::Unknown,
        target => target,
    }
}

/// The texts that markup leaves.
enum Left {
    /// Words, or nothing.
    Words,
    /// One pointer, several times maybe.
    Pointer { target: Pointed, bare: String },
    /// Several pointers, and nothing else.
    Pointers,
}

fn left_by_markup(text: &str) -> Left {
    let mut left = Left::Words;
    let has_words = any_left(text, |text| {
        let Some(found) = unwrapped(text) else {
            left = Left::Pointers;
            return false;
        };
        let target = target_of(&found);
        left = match &left {
            Left::Words => Left::Pointer {
                target,
                bare: found.text.to_owned(),
            },
            Left::Pointer { bare, .. } if bare == found.text => return false,
            Left::Pointer { .. } | Left::Pointers => Left::Pointers,
        };
        target == Pointed::Text
    });
    if has_words { Left::Words } else { left }
}

/// Returns the text after the scheme of a data URI.
pub fn data_of(text: &str) -> Option<&str> {
    let (scheme, rest) = text.split_once(':')?;
    scheme.eq_ignore_ascii_case("data").then_some(rest)
}

/// The longest type of a data URI, with its parameters, in bytes.
const DATA_TYPE_BYTES_MAX: usize = 1000;

/// Classifies a text around which there are no marks.
fn classify(text: &str) -> Pointed {
    if let Some(rest) = data_of(text) {
        return pointed_to_by_data(rest);
    }
    let text = with_slashes(text);
    if has_blanks(&text) && !is_address(&text) {
        return Pointed::Text;
    }
    match Url::parse(&text) {
        Some(url) => medium_of_path(url.path).map_or(Pointed::Unknown, Pointed::Medium),
        None => look_alike(&text),
    }
}

/// Classifies a data URI by what follows its scheme. Base64 is meant as data, whatever its type; without it only the
/// type of a medium is.
fn pointed_to_by_data(rest: &str) -> Pointed {
    let end = rest.find(['/', ';', ',']).unwrap_or(rest.len());
    let (kind, behind) = rest.split_at(end);
    match medium_of_type(kind.trim_start()) {
        Some(medium) if is_base64(rest) => Pointed::Medium(medium),
        // Words behind a type, and no comma before data.
        Some(_) if has_blanks(behind.trim()) && !behind.contains(',') => Pointed::Text,
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
    is_last && head.contains(';') && !parts.any(has_blanks)
}

fn medium_of_type(kind: &str) -> Option<Medium> {
    let media = [Medium::Image, Medium::Video, Medium::Audio];
    media
        .into_iter()
        .find(|medium| kind.eq_ignore_ascii_case(medium.name()))
}

/// Returns a text with slashes for the backslashes of a URL, where its scheme is one that people write with them, and
/// where they stand in its place.
fn with_slashes(text: &str) -> Cow<'_, str> {
    match text.split_once(':') {
        Some((scheme, rest)) if is_known(scheme) && rest.contains('\\') => {
            Cow::Owned(text.replace('\\', "/"))
        }
        _ if text.starts_with("\\\\") && !has_blanks(text) => Cow::Owned(text.replace('\\', "/")),
        _ => Cow::Borrowed(text),
    }
}

fn has_blanks(text: &str) -> bool {
    text.contains(char::is_whitespace)
}

/// Tells whether a text with blanks is an address all the same, and no sentence that begins with one. A blank inside the
/// path belongs to it, where one word follows or the extension of a medium ends it all; one right behind a host or slash
/// ends the address, unless a path with such an extension is all that follows. Several URLs and nothing else are no
/// sentence either.
fn is_address(text: &str) -> bool {
    let mut words = text.split_whitespace();
    let first = words.next().unwrap_or_default();
    let Some(rest) = behind_scheme(first) else {
        return false;
    };
    if words.clone().all(|word| begins_as_url(marks::bare(word))) {
        return true;
    }
    let is_broken_path = !path_of(rest).is_empty() && !first.ends_with('/');
    let has_extension = |text: &str| medium_of_path(path_of(text)).is_some();
    let is_host_and_path = |word: &str| Url::parse(&format!("http://{word}")).is_some();
    // Scripts without blanks write whole sentences as one word.
    let is_sentence = |word: &str| word.contains(is_unsegmented) && !word.contains('/');
    match (words.next(), words.next()) {
        (Some(word), None) => {
            let is_begun = !rest.is_empty() || is_of_web(first);
            let is_end = has_extension(word.trim_start_matches('/')) || is_host_and_path(word);
            // No path goes on behind a comma and a blank.
            let is_path = !is_sentence(word) && !first.ends_with([',', ';']);
            is_broken_path && (has_extension(text) || is_path) || is_begun && is_end
        }
        _ => {
            let is_path = is_broken_path && !first.contains(['?', '#']);
            is_path && behind_scheme(text).is_some_and(has_extension)
        }
    }
}

fn is_of_web(text: &str) -> bool {
    text.split_once(':')
        .is_some_and(|(scheme, _)| is_fetched(scheme))
}

/// Classifies an address of which no URL can be made that could be fetched.
fn look_alike(text: &str) -> Pointed {
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
        None if scheme.is_empty() && is_host_with_path(rest) => Pointed::Unknown,
        None if scheme.is_empty() || rest.is_empty() => Pointed::Text,
        None => Pointed::Unknown,
    }
}

fn is_host_with_path(text: &str) -> bool {
    Url::parse(&format!("http://{text}")).is_some_and(|url| !url.path.is_empty())
}

/// Classifies a text with the scheme of a URL and no `//` behind it, or no host behind that.
fn misspelt(text: &str) -> Option<Pointed> {
    let (scheme, rest) = text.split_once(':')?;
    let is_web = ["http", "https"]
        .iter()
        .any(|web| scheme.eq_ignore_ascii_case(web));
    let is_of_words = rest.starts_with(is_unsegmented);
    if !(is_web && !rest.is_empty() && !is_of_words || is_known(scheme) && rest.starts_with('/')) {
        return None;
    }
    let place = rest.trim_start_matches('/');
    let medium = medium_of_path(path_of(place)).or_else(|| medium_of_path(path_of(rest)));
    Some(medium.map_or(Pointed::Unknown, Pointed::Medium))
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
            "http://exa mple.com/a.png",
            "http:// example.com/a.png",
            "http: //example.com/a.png",
            "s3://my bucket/a.png",
            "//host/my picture.png",
            "http://minio:9000/my pictures/of the day.png",
            "https://shop.example.com/my\npicture.png",
            "https://shop.example.com/my\u{7}picture.png",
            "http\u{ff1a}//shop.example.com/a.png",
            "ht\u{200b}tps://shop.example.com/a.png",
            "https://shop.example.com/a.p\u{ad}ng",
            "https%3A%2F%2Fshop.example.com%2Fa.png",
            "%22https://shop.example.com/a.png%22",
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
            "see s3://bucket/a.png",
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
