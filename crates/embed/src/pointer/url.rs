//! URLs, as far as a pointer is told by its looks: scheme, host, port and the path with its extension.

use std::net::{Ipv4Addr, Ipv6Addr};

use crate::Medium;

/// A text that is a URL of somewhere.
pub(super) struct Url<'a> {
    pub path: &'a str,
}

impl<'a> Url<'a> {
    /// `None` for a text that is no URL with the scheme http, https or ftp and a host as places on the net have one: a
    /// name with a dot, an address, or `localhost`.
    pub fn parse(text: &'a str) -> Option<Self> {
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

/// Tells whether a text has the letters of a scheme.
pub(super) fn is_scheme(scheme: &str) -> bool {
    let is_inner = |letter: char| letter.is_ascii_alphanumeric() || "+-.".contains(letter);
    scheme.starts_with(|letter: char| letter.is_ascii_alphabetic()) && scheme.chars().all(is_inner)
}

/// Tells whether a scheme is one of places on the net.
pub(super) fn is_fetched(scheme: &str) -> bool {
    let is_known = |known: &&str| scheme.eq_ignore_ascii_case(known);
    ["http", "https", "ftp"].iter().any(is_known)
}

/// Tells whether a scheme is one of places on the net or of files.
pub(super) fn is_known(scheme: &str) -> bool {
    is_fetched(scheme) || scheme.eq_ignore_ascii_case("file")
}

/// Returns the rest of a text that begins as a URL does, behind its scheme and slashes: with any scheme and `://`, with
/// `//` alone, or with a known scheme and whatever stands in place of the slashes.
pub(super) fn behind_scheme(text: &str) -> Option<&str> {
    if let Some(rest) = text.strip_prefix("//") {
        return Some(rest);
    }
    let (scheme, rest) = text.split_once(':')?;
    match rest.strip_prefix("//") {
        Some(place) if is_scheme(scheme) => Some(place),
        _ => is_known(scheme).then(|| rest.trim_start_matches('/')),
    }
}

/// Tells whether a text begins as a URL does, and goes on.
pub(super) fn begins_as_url(text: &str) -> bool {
    behind_scheme(text).is_some_and(|rest| !rest.is_empty())
}

/// Returns the path behind a host.
pub(super) fn path_of(rest: &str) -> &str {
    let path = rest.split(['?', '#']).next().unwrap_or(rest);
    path.find('/').map_or("", |slash| &path[slash..])
}

/// Returns the medium that the extension of a path names.
pub(super) fn medium_of_path(path: &str) -> Option<Medium> {
    let (_, extension) = path.rsplit('/').next()?.rsplit_once('.')?;
    medium_of_extension(extension)
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
