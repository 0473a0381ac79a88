//! Markup of HTML, XML and bulletin boards around a text: its tags, and what they leave.
//!
//! Tags such as `<b>` and comments part no word. All others do, so that `<br>` stands between two texts.

use std::collections::HashSet;

use super::data_of;
use super::marks::has_words;
use super::url::{begins_as_url, is_known};

/// Elements within a line, which part no word of it. Bulletin boards share their names.
const INLINE: [&str; 25] = [
    "a", "abbr", "b", "bdi", "bdo", "big", "cite", "code", "em", "font", "i", "ins", "kbd", "mark",
    "nobr", "s", "samp", "small", "span", "strong", "sub", "sup", "tt", "u", "wbr",
];

/// A piece of a text with tags.
enum Piece<'a> {
    Text(&'a str),
    /// A tag, from its name or slash on.
    Tag(&'a str),
    Comment(&'a str),
    /// The beginning of a CDATA section.
    Section,
}

/// Tells whether a text has tags or comments.
pub(super) fn has_tags(text: &str) -> bool {
    let mut pieces = Pieces::of(text);
    pieces.any(|piece| !matches!(piece, Piece::Text(_)))
}

/// Gives each text that the markup of a text leaves to `judge`, until that says stop: the texts outside of tags, or if
/// these have no words the addresses in tags, or if there are none the comments. Tells whether it was stopped.
pub(super) fn any_left(text: &str, mut judge: impl FnMut(&str) -> bool) -> bool {
    match outside_of_comments(text, &mut judge) {
        Outcome::Stopped => true,
        Outcome::Words => false,
        // Comments within comments are none.
        Outcome::Comments(comments) => comments
            .into_iter()
            .any(|comment| matches!(outside_of_comments(comment, &mut judge), Outcome::Stopped)),
    }
}

/// The end of a walk over the texts outside of comments.
enum Outcome<'a> {
    Stopped,
    Words,
    /// There were neither words nor addresses, but for these.
    Comments(Vec<&'a str>),
}

fn outside_of_comments<'a>(text: &'a str, judge: &mut impl FnMut(&str) -> bool) -> Outcome<'a> {
    let mut left = String::new();
    let mut are_words = false;
    let (mut addresses, mut comments) = (Vec::new(), Vec::new());
    let mut end = |left: &mut String| {
        let has_words = has_words(left);
        are_words |= has_words;
        let is_stopped = has_words && judge(left);
        left.clear();
        is_stopped
    };
    for piece in Pieces::of(text) {
        match piece {
            Piece::Text(text) => left.push_str(text),
            Piece::Section => {}
            Piece::Comment(text) => comments.push(text),
            Piece::Tag(tag) => {
                if !is_inline(tag) && end(&mut left) {
                    return Outcome::Stopped;
                }
                addresses.extend(addresses_in(tag, |name| !name.starts_with("xmlns")));
            }
        }
    }
    if end(&mut left) {
        return Outcome::Stopped;
    }
    match are_words {
        true => Outcome::Words,
        false if addresses.is_empty() => Outcome::Comments(comments),
        false if addresses.into_iter().any(judge) => Outcome::Stopped,
        false => Outcome::Words,
    }
}

/// Returns the values of a tag's attributes that are addresses, of those whose names are `wanted`.
pub(super) fn addresses_in<'a>(
    tag: &'a str,
    wanted: impl Fn(&str) -> bool,
) -> impl Iterator<Item = &'a str> {
    let mut rest = tag;
    std::iter::from_fn(move || {
        loop {
            let (before, after) = rest.split_once('=')?;
            let after = after.trim_start();
            let quote = after.chars().next().filter(|c| matches!(c, '"' | '\''));
            let (value, next) = match quote {
                Some(quote) => after[1..].split_once(quote).unwrap_or((&after[1..], "")),
                None => after.split_once(char::is_whitespace).unwrap_or((after, "")),
            };
            rest = next;
            let name = before.trim_end().rsplit(is_beside_name).next();
            // Styles hold it within `url(…)`.
            let inside = |(_, inner): (_, &'a str)| inner.split(')').next();
            let address = value.split_once("url(").and_then(inside).unwrap_or(value);
            if wanted(name.unwrap_or_default()) && leads_out(address) {
                return Some(address);
            }
        }
    })
}

fn is_beside_name(c: char) -> bool {
    c.is_whitespace() || matches!(c, '"' | '\'' | '/')
}

/// Tells whether an address is one on its own, and none of the same site.
fn leads_out(address: &str) -> bool {
    let url = super::marks::start_of_url(address).map(|start| &address[start..]);
    url.is_some_and(|url| data_of(url).is_some() || begins_as_url(url))
}

/// Returns where a tag ends, from its name on: at the first `>` outside of quotes.
pub(super) fn end_of_tag(tag: &str) -> usize {
    let mut quote = None;
    let is_end = |(_, c): &(usize, char)| {
        match (*c, quote) {
            (c, Some(open)) if c == open => quote = None,
            ('"' | '\'', None) => quote = Some(*c),
            _ => {}
        }
        *c == '>' && quote.is_none()
    };
    tag.char_indices()
        .find(is_end)
        .map_or(tag.len(), |(at, _)| at)
}

fn name_of(tag: &str) -> &str {
    let tag = tag.strip_prefix('/').unwrap_or(tag);
    let is_of_name = |c: char| c.is_alphanumeric() || matches!(c, '-' | ':' | '_' | '.');
    &tag[..tag.find(|c| !is_of_name(c)).unwrap_or(tag.len())]
}

fn is_inline(tag: &str) -> bool {
    let name = name_of(tag);
    INLINE.iter().any(|known| known.eq_ignore_ascii_case(name))
}

const SECTION: &str = "<![CDATA[";

/// The pieces of a text, in order.
struct Pieces<'a> {
    rest: &'a str,
    /// The text behind the CDATA section that `rest` is in.
    behind: &'a str,
    /// The names, in lower case, that tags of bulletin boards close.
    closed: HashSet<String>,
}

impl<'a> Pieces<'a> {
    fn of(text: &'a str) -> Self {
        let closings = text.split("[/").skip(1);
        let names = closings.filter_map(|tag| Some(name_of(tag.split_once(']')?.0)));
        Self {
            rest: text,
            behind: "",
            closed: names.map(str::to_ascii_lowercase).collect(),
        }
    }

    /// Returns the markup at the beginning of a text, and the text behind it.
    fn markup_at(&self, text: &'a str) -> Option<(Piece<'a>, &'a str)> {
        let until = |text: &'a str, end: &str| text.split_once(end).unwrap_or((text, ""));
        let Some(tag) = text.strip_prefix('<') else {
            return self.board_tag(text);
        };
        if let Some(comment) = tag.strip_prefix("!--") {
            let (comment, rest) = until(comment, "-->");
            return Some((Piece::Comment(comment), rest));
        }
        if tag.starts_with(['!', '?']) {
            let (declaration, rest) = until(tag, ">");
            return Some((Piece::Tag(declaration), rest));
        }
        // An address may stand in angles, and so may anything else that is no name.
        let name = name_of(tag);
        let behind = &tag[name.len() + usize::from(tag.starts_with('/'))..];
        let is_ended = |c: char| c.is_whitespace() || matches!(c, '>' | '/');
        let is_url = name.split_once(':').is_some_and(|(scheme, rest)| {
            rest.is_empty() || is_known(scheme) || scheme.eq_ignore_ascii_case("data")
        });
        let is_name = name.starts_with(|c: char| c.is_ascii_alphabetic()) && !is_url;
        if !is_name || !(behind.is_empty() || behind.starts_with(is_ended)) {
            return None;
        }
        let end = end_of_tag(tag);
        let rest = tag.get(end + 1..).unwrap_or_default();
        Some((Piece::Tag(&tag[..end]), rest))
    }

    /// Returns the tag of a bulletin board at the beginning of a text: one that is closed somewhere.
    fn board_tag(&self, text: &'a str) -> Option<(Piece<'a>, &'a str)> {
        if self.closed.is_empty() {
            return None;
        }
        let tag = text.strip_prefix('[')?;
        let name = name_of(tag);
        if name.is_empty() || !self.closed.contains(&name.to_ascii_lowercase()) {
            return None;
        }
        let end = tag.find(['[', ']'])?;
        let rest = tag[end..].strip_prefix(']')?;
        Some((Piece::Tag(&tag[..end]), rest))
    }
}

impl<'a> Iterator for Pieces<'a> {
    type Item = Piece<'a>;

    fn next(&mut self) -> Option<Piece<'a>> {
        if self.rest.is_empty() {
            self.rest = std::mem::take(&mut self.behind);
        }
        if let Some(section) = self.rest.strip_prefix(SECTION)
            && self.behind.is_empty()
        {
            (self.rest, self.behind) = section.split_once("]]>").unwrap_or((section, ""));
            return Some(Piece::Section);
        }
        if let Some((piece, rest)) = self.markup_at(self.rest) {
            self.rest = rest;
            return Some(piece);
        }
        let opening = |&(at, _): &(usize, &str)| self.markup_at(&self.rest[at..]).is_some();
        let end = self.rest.match_indices(['<', '[']).find(opening);
        let (text, rest) = self
            .rest
            .split_at(end.map_or(self.rest.len(), |(at, _)| at));
        self.rest = rest;
        (!text.is_empty()).then_some(Piece::Text(text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn left(text: &str) -> Vec<String> {
        let mut left = Vec::new();
        any_left(text, |text| {
            left.push(text.trim().to_owned());
            false
        });
        left
    }

    #[test]
    fn tags_leave_the_words_outside_of_them() {
        for (text, expected) in [
            ("a<br>b", &["a", "b"][..]),
            ("<p>a<b>b</b><wbr>c</p>", &["abc"]),
            ("a<!-- x -->b", &["ab"]),
            ("<![CDATA[a < b]]>c", &["a < bc"]),
            ("<?xml version=\"1.0\"?><!DOCTYPE x>a", &["a"]),
            ("<p title=\"a > b\">c", &["c"]),
            ("[b]a[/b] [c] [d", &["a [c] [d"]),
            ("[SIZE=7]a[/size]", &["a"]),
            (
                "a < b <3 <a@b.example> <http://c>",
                &["a < b <3 <a@b.example> <http://c>"],
            ),
            ("<p", &[]),
            ("<!-- a -->", &["a"]),
            ("<!-- a --><p lang=en href='http://b'>", &["http://b"]),
            (
                "<p style=\"a: b; background: url('http://c')\">",
                &["'http://c'"],
            ),
            ("<svg xmlns=\"http://a\"/>", &[]),
            ("", &[]),
        ] {
            assert_eq!(left(text), expected, "{text}");
        }
    }

    #[test]
    fn a_text_without_tags_has_none() {
        for text in [
            "",
            "a < b",
            "<https://a>",
            "<3",
            "[a] b [/ c",
            "a<",
            "</ a>",
            "<<",
            "[b]",
        ] {
            assert!(!has_tags(text), "{text}");
        }
        for text in ["<p", "a<br/>", "</p>", "<!-- a", "[a]b[/a]"] {
            assert!(has_tags(text), "{text}");
        }
    }

    #[test]
    fn long_runs_cost_no_more_than_their_length() {
        for run in [
            "<", "<a ", "<!--", "<!", "[/", "[a]", "[/a]", "[a", "[/a][a", "<a x=", "'", "=\"",
            "<b>",
        ] {
            let text = run.repeat(200_000);
            assert!(left(&text).iter().map(String::len).sum::<usize>() <= text.len());
        }
    }
}
