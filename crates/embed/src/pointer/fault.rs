use pelorus_characters::is_invisible;
use pelorus_excerpt::truncated;

use super::marks::{as_seen, narrow};
use super::markup::has_tags;
use super::scheme::with_whole_scheme;
use super::url::{behind_scheme, is_fetched, is_scheme};
use super::{Left, Pointed, data_of, disguised, left_by_markup, pointed_to_as_written};

const NO_URL: &str = "it is no URL, expected `http://` or `https://` before a host and its path";

const NO_PLAIN_URL: &str = "it is markup without one plain URL, expected the URL alone";

/// Returns the reason for which a pointer, [bare](super::bare) already, is not fetched as it stands: readers of URLs mend
/// the like in silence, and not always as it was meant. `None` for data URIs and for plain addresses of any scheme.
pub fn fault_of(pointer: &str) -> Option<String> {
    if data_of(pointer).is_some() {
        return None;
    }
    let seen = as_seen(pointer);
    if pointed_to_as_written(&seen) == Pointed::Text
        && let Some((_, url)) = disguised(&seen)
    {
        let url = truncated(&url);
        return Some(format!("it is a URL in disguise, expected `{url}` alone"));
    }
    if let Some(fault) = fault_of_markup(pointer) {
        return Some(fault);
    }
    let (place, rest) = match behind_scheme(pointer) {
        Some(rest) => {
            let begin = pointer.len() - rest.len();
            let host = rest.find(['/', '?', '#']).unwrap_or(rest.len());
            pointer.split_at(begin + host)
        }
        None => (pointer, ""),
    };
    let hidden = |&c: &char| is_invisible(c) && !is_joining(c);
    let invisible = place.chars().find(|&c| is_invisible(c));
    if let Some(c) = invisible.or_else(|| rest.chars().find(hidden)) {
        let code = u32::from(c);
        return Some(format!(
            "it has the invisible character U+{code:04X}, expected the URL without that"
        ));
    }
    if pointer.contains(|c: char| c.is_whitespace() && c.is_control()) {
        return Some("it has a line break or a tab, expected the URL on one line".to_owned());
    }
    let is_url = |word: &&str| word.contains("://");
    let count = pointer.split_whitespace().filter(is_url).count();
    if count > 1 {
        return Some(format!("it is {count} URLs, expected one"));
    }
    if let Some(c) = place.chars().find(|&c| narrow(c) != c) {
        return Some(format!("it has `{c}`, expected `{}`", narrow(c)));
    }
    if pointer.starts_with(['<', '&']) {
        return Some(NO_PLAIN_URL.to_owned());
    }
    if let Some(whole) = with_whole_scheme(pointer) {
        let whole = truncated(&whole);
        return Some(format!("its scheme is in pieces, expected `{whole}`"));
    }
    if !rest.is_empty() && place.contains(char::is_whitespace) {
        return Some("it has a blank before its path, expected the URL without that".to_owned());
    }
    let before_query = pointer.split(['?', '#']).next().unwrap_or(pointer);
    if before_query.contains('\\') {
        return Some("it has a backslash, expected slashes".to_owned());
    }
    let is_plain = pointer.split_once(':').is_some_and(|(scheme, place)| {
        let place = place.strip_prefix("//").unwrap_or_default();
        let has_place = !place.is_empty() && !place.starts_with('/');
        is_scheme(scheme) && (has_place || !is_fetched(scheme))
    });
    (!is_plain).then(|| NO_URL.to_owned())
}

/// Returns the fault of an address among tags, and names it as it is written, unless its tags are so with references.
fn fault_of_markup(pointer: &str) -> Option<String> {
    let seen = as_seen(pointer);
    if !has_tags(pointer) && !has_tags(&seen) {
        return None;
    }
    let url_in = |text: &str| match left_by_markup(text) {
        Left::Pointer { target, bare } if target != Pointed::Text => Some(bare),
        _ => None,
    };
    let written = url_in(pointer).filter(|url| !has_tags(&as_seen(url)));
    Some(match written.or_else(|| url_in(&seen)) {
        Some(url) => {
            let url = truncated(&url);
            format!("it is markup around a URL, expected `{url}` alone")
        }
        None => NO_PLAIN_URL.to_owned(),
    })
}

/// Tells whether an invisible character makes part of visible ones, in emoji and in scripts such as Persian's, so that
/// paths may have it.
fn is_joining(c: char) -> bool {
    matches!(u32::from(c), 0x200C..=0x200D | 0xFE00..=0xFE0F | 0xE0000..=0xE0FFF)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_addresses_have_no_fault() {
        for pointer in [
            "https://shop.example.com/a.png",
            "http://localhost:8080/a.png?size=2#top",
            "https://shop.example.com/my picture.png",
            "https://shop.example.com/\u{645}\u{6cc}\u{200c}\u{62e}.png",
            "https://shop.example.com/\u{2764}\u{fe0f}.png",
            "https://shop.example.com/\u{ff08}1\u{ff09}.png?a=\\",
            "https://web.archive.example/2020/https://shop.example.com/a.png",
            "s3://bucket/a.png",
            "file:///a.png",
            "data:image/png;base64,AA\nAA",
        ] {
            assert_eq!(fault_of(pointer), None, "{pointer}");
        }
    }

    #[test]
    fn a_fault_names_what_to_take_away() {
        for (pointer, reason) in [
            ("https://shop.exam\u{ad}ple.com/a.png", "U+00AD"),
            ("ht\u{200b}tps://shop.example.com/a.png", "U+200B"),
            ("https://shop.example.com/a\u{202e}.png", "U+202E"),
            ("https://shop.example.com/a\u{7}.png", "U+0007"),
            ("https://shop\u{200d}.example.com/a.png", "U+200D"),
            ("https://shop.example.com/my\npicture.png", "a line break"),
            ("https://shop.exam ple.com/a.png", "a blank before its path"),
            (
                "h ttps: //shop.example.com/a.png",
                "in pieces, expected `https://shop.example.com/a.png`",
            ),
            ("https//x.example/7", "expected `https://x.example/7`"),
            (
                "https://x.example/7<br>",
                "expected `https://x.example/7` alone",
            ),
            (
                "&lt;p&gt;https://x.example/7",
                "expected `https://x.example/7` alone",
            ),
            (
                "<p>https://x.example/7<p>https://x.example/8",
                "without one plain URL",
            ),
            (
                "https://shop.example.com/a.png https://shop.example.com/b.png",
                "2 URLs",
            ),
            (
                "https\u{ff1a}//shop.example.com/a.png",
                "it has `\u{ff1a}`, expected `:`",
            ),
            ("https:\\/\\/shop.example.com\\/a.png", "a backslash"),
            ("https://shop.example.com\\a.png", "a backslash"),
            ("<img srcset=\"a b\">", "markup"),
            (
                "&lt;img src=&quot;https://shop.example.com/a.png&quot;&gt;",
                "markup",
            ),
            ("https:/shop.example.com/a.png", "no URL"),
            ("https:///a.png", "no URL"),
            ("//shop.example.com/a.png", "no URL"),
            ("https%3A%2F%2Fshop.example.com%2Fa.png", "no URL"),
            ("a picture", "no URL"),
        ] {
            let fault = fault_of(pointer).unwrap_or_default();
            assert!(fault.contains(reason), "{pointer}: {fault}");
        }
    }
}
