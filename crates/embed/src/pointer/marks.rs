//! Marks around a pointer: what people and programs leave there when they copy one.
//!
//! Before a pointer every character but letters and digits is a mark, as no URL begins with one. Behind it only those
//! are with which none ends: blanks, invisible characters, quotes, and brackets that nothing in the URL opens. Characters
//! that HTML writes as references, such as `&quot;`, count as themselves. Markup that stands for a medium is a mark too:
//! `url(…)`, `![…](…)`, `[img]…[/img]`, and tags such as `<img src="…">` that leave no words outside of them. The letters of
//! a label, as in `photo: https://…`, are words.

use std::borrow::Cow;

use pelorus_characters::is_invisible;

use super::data_of;
use super::markup::{addresses_in, end_of_tag, has_tags};
use super::url::{is_known, is_scheme};

/// A text without the marks around it.
pub(super) struct Bare<'a> {
    pub text: &'a str,
    /// It stood in a tag.
    pub is_tagged: bool,
}

/// Returns a text without the marks around the pointer in it. A text that begins with words keeps all but the blanks.
pub fn bare(text: &str) -> &str {
    match unwrapped(text) {
        Some(found) => found.text,
        None => trimmed(text),
    }
}

/// Markup in markup that is opened.
const NESTED_MAX: usize = 4;

/// Returns a text without marks. `None` where tags name several addresses, none of which is meant more than another.
pub(super) fn unwrapped(text: &str) -> Option<Bare<'_>> {
    let (mut text, mut is_tagged) = (trimmed(text), false);
    for _ in 0..NESTED_MAX {
        match markup(text) {
            Markup::None => break,
            Markup::Around(inner) => text = inner,
            Markup::Tags(inner) => (text, is_tagged) = (inner, true),
            Markup::Several => return None,
        }
    }
    // The words that markup leaves are told apart by their fault.
    let start = start_of_url(text).filter(|_| !is_marked_up(text));
    let text = match start {
        Some(start) => without_closing(&text[start..]),
        None => trimmed(text),
    };
    Some(Bare { text, is_tagged })
}

/// Tells whether a text has tags or comments, written with references or as they are.
fn is_marked_up(text: &str) -> bool {
    !is_data(text) && (has_tags(text) || has_tags(&as_seen(text)))
}

/// Tells whether a text is a data URI, marks aside, in which any character may stand.
fn is_data(text: &str) -> bool {
    start_of_url(text).is_some_and(|start| data_of(&text[start..]).is_some())
}

fn is_blank(c: char) -> bool {
    c.is_whitespace() || is_invisible(c)
}

fn trimmed(text: &str) -> &str {
    text.trim_matches(is_blank)
}

/// Returns a text as a reader sees it: without invisible characters, and with the characters that references, escapes of
/// programs, wide forms and, in a URL that is encoded as a whole, percent signs stand for.
pub(super) fn as_seen(text: &str) -> Cow<'_, str> {
    let is_plain = |byte: u8| {
        !matches!(byte, b'&' | b'\\') && (byte.is_ascii_graphic() || byte.is_ascii_whitespace())
    };
    let seen = match text.bytes().all(is_plain) {
        true => Cow::Borrowed(text),
        false => Cow::Owned(plain_characters(text)),
    };
    let mut seen = seen;
    for _ in 0..NESTED_MAX {
        if !is_encoded(&seen) {
            break;
        }
        seen = Cow::Owned(percent_decoded(seen.trim()));
    }
    seen
}

fn plain_characters(text: &str) -> String {
    let mut seen = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let written = reference(rest).or_else(|| escape(rest));
        let (c, after) = written.unwrap_or((c, &rest[c.len_utf8()..]));
        rest = after;
        if !is_invisible(c) {
            seen.push(narrow(c));
        }
    }
    seen
}

/// Returns the character for which an escape at the beginning of a text stands, `\u003c` or `\x3c`, and the text behind it.
fn escape(text: &str) -> Option<(char, &str)> {
    let escape = text.strip_prefix('\\')?;
    let digits = match escape.as_bytes().first()? {
        b'u' => 4,
        b'x' => 2,
        _ => return None,
    };
    let code = escape.get(1..=digits)?;
    let is_code = code.bytes().all(|byte| byte.is_ascii_hexdigit());
    let c = char::from_u32(u32::from_str_radix(code, 16).ok()?).filter(|_| is_code)?;
    Some((c, &escape[1 + digits..]))
}

/// Returns the ASCII character of which `c` is the wide form, as keyboards of Chinese and Japanese write it.
pub(super) fn narrow(c: char) -> char {
    match u32::from(c) {
        code @ 0xFF01..=0xFF5E => char::from((code - 0xFEE0) as u8),
        _ => c,
    }
}

/// Tells whether a text is a URL of which the very colon or a quote before it is percent-encoded.
fn is_encoded(text: &str) -> bool {
    let text = text.trim_matches(|c: char| c != '%' && !c.is_alphanumeric());
    let is_url = has_code(text)
        || (text.split_once('%')).is_some_and(|(scheme, rest)| {
            let is_meant = is_known(scheme) || scheme.eq_ignore_ascii_case("data");
            is_meant && has_code(&text[text.len() - rest.len() - 1..])
        });
    is_url && !text.contains(char::is_whitespace)
}

/// Tells whether a text begins with `%` and two hexadecimal digits.
fn has_code(text: &str) -> bool {
    matches!(text.as_bytes(), [b'%', high, low, ..] if high.is_ascii_hexdigit() && low.is_ascii_hexdigit())
}

fn percent_decoded(text: &str) -> String {
    let digit = |byte: u8| char::from(byte).to_digit(16);
    let mut decoded = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, after @ ..] = rest {
        let code = match rest {
            [b'%', high, low, ..] => digit(*high).zip(digit(*low)),
            _ => None,
        };
        decoded.push(code.map_or(*first, |(high, low)| (16 * high + low) as u8));
        rest = if code.is_some() { &after[2..] } else { after };
    }
    String::from_utf8_lossy(&decoded).into_owned()
}

/// The longest name or number of a reference, in bytes.
const REFERENCE_BYTES_MAX: usize = 32;

/// Returns the character for which a reference at the beginning of a text stands, and the text behind it. One that was
/// written out twice, `&amp;quot;`, stands for the same.
fn reference(text: &str) -> Option<(char, &str)> {
    let mut name = text.strip_prefix('&')?;
    while let Some(inner) = name.strip_prefix("amp;") {
        name = inner;
    }
    let end = name
        .bytes()
        .take(REFERENCE_BYTES_MAX + 1)
        .position(|byte| byte == b';')?;
    let (name, rest) = (&name[..end], &name[end + 1..]);
    let c = match name.strip_prefix('#') {
        Some(number) => {
            let code = match number.strip_prefix(['x', 'X']) {
                Some(digits) => u32::from_str_radix(digits, 16),
                None => number.parse(),
            };
            char::from_u32(code.ok()?)?
        }
        None => named_character(name)?,
    };
    Some((c, rest))
}

/// Returns the character that HTML names so, where it is one alone.
fn named_character(name: &str) -> Option<char> {
    let character = htmlize::unescape(format!("&{name};"));
    let mut characters = character.chars();
    characters.next().filter(|_| characters.next().is_none())
}

/// Returns the text behind the mark at its beginning; `None` before a letter or digit, and at the end.
fn after_mark(text: &str) -> Option<&str> {
    let c = text.chars().next()?;
    let (c, rest) = reference(text).unwrap_or((c, &text[c.len_utf8()..]));
    (!c.is_alphanumeric() || is_invisible(c)).then_some(rest)
}

/// Returns a text without the marks that begin it.
pub(super) fn behind_marks(mut text: &str) -> &str {
    while let Some(rest) = after_mark(text) {
        text = rest;
    }
    text
}

pub(super) fn has_words(text: &str) -> bool {
    !behind_marks(text).is_empty()
}

/// Returns where a URL begins behind nothing but marks.
pub(super) fn start_of_url(text: &str) -> Option<usize> {
    let rest = behind_marks(text);
    let start = text.len() - rest.len();
    let scheme = rest.split_once(':').map(|(scheme, _)| scheme);
    let has = |is: fn(&str) -> bool| scheme.is_some_and(is);
    if has(is_known) || !text[..start].ends_with("//") {
        return has(is_scheme).then_some(start);
    }
    Some(start - 2)
}

/// Marks with which no URL ends, whatever it holds.
const CLOSING: &str = "\"`<>|\\\u{201c}\u{201d}\u{201e}\u{201f}\u{2018}\u{2019}\u{201a}\u{201b}\u{ab}\u{bb}\u{2039}\u{203a}\u{2033}\
                       \u{301d}\u{301e}\u{301f}\u{ff02}\u{ff1c}\u{ff1e}";

/// Marks that close what a URL may open itself.
const PAIRS: [(char, char); 14] = [
    ('\'', '\''),
    ('(', ')'),
    ('[', ']'),
    ('{', '}'),
    ('\u{300c}', '\u{300d}'),
    ('\u{300e}', '\u{300f}'),
    ('\u{3010}', '\u{3011}'),
    ('\u{3008}', '\u{3009}'),
    ('\u{300a}', '\u{300b}'),
    ('\u{3014}', '\u{3015}'),
    ('\u{ff07}', '\u{ff07}'),
    ('\u{ff08}', '\u{ff09}'),
    ('\u{ff3b}', '\u{ff3d}'),
    ('\u{ff5b}', '\u{ff5d}'),
];

/// Returns a URL without the marks behind it.
fn without_closing(url: &str) -> &str {
    // Counted once for each kind: a long run of brackets costs no more than its length.
    let mut unopened = [None; PAIRS.len()];
    let mut url = url;
    loop {
        url = url.trim_end_matches(is_blank);
        // Rows of tables and lists of programs go on behind the quotes.
        let listed = url.strip_suffix([',', ';']);
        let shorter = listed.and_then(|url| without_last(url, &mut unopened));
        match shorter.or_else(|| without_last(url, &mut unopened)) {
            Some(shorter) => url = shorter,
            None => return url,
        }
    }
}

/// Returns a URL without the mark that ends it. `unopened` counts, for each of the [`PAIRS`] that was met, those closed
/// and never opened.
fn without_last<'a>(url: &'a str, unopened: &mut [Option<usize>; PAIRS.len()]) -> Option<&'a str> {
    let (shorter, last) = split_last(url)?;
    if is_blank(last) || CLOSING.contains(last) {
        return Some(shorter);
    }
    let pair = PAIRS.iter().position(|&(_, close)| close == last)?;
    let unopened = unopened[pair].get_or_insert_with(|| unopened_in(url, PAIRS[pair]));
    *unopened = unopened.checked_sub(1)?;
    Some(shorter)
}

/// Returns a text without its last character, and that; a reference is the one for which it stands.
fn split_last(text: &str) -> Option<(&str, char)> {
    let written = || {
        let tail = text.len().saturating_sub(2 * REFERENCE_BYTES_MAX);
        let start = tail
            + text.as_bytes()[tail..]
                .iter()
                .rposition(|&byte| byte == b'&')?;
        let (c, rest) = reference(&text[start..])?;
        rest.is_empty().then_some((&text[..start], c))
    };
    if text.ends_with(';')
        && let Some(found) = written()
    {
        return Some(found);
    }
    let (start, c) = text.char_indices().next_back()?;
    Some((&text[..start], c))
}

/// Counts the marks of a kind at the end of a URL that close nothing in it.
fn unopened_in(url: &str, (open, close): (char, char)) -> usize {
    let count = |text: &str, mark: char| text.chars().filter(|&c| c == mark).count();
    if open != close {
        return count(url, close).saturating_sub(count(url, open));
    }
    // Quotes that open and close alike: what stands before all marks tells those of the URL from those behind it.
    let (mut inner, mut closing) = (url, 0);
    while let Some((shorter, last)) = split_last(inner)
        && (is_blank(last) || ",;".contains(last) || is_closing(last))
    {
        closing += usize::from(last == close);
        inner = shorter;
    }
    closing - (count(inner, close) % 2).min(closing)
}

fn is_closing(c: char) -> bool {
    CLOSING.contains(c) || PAIRS.iter().any(|&(_, close)| close == c)
}

/// The markup with which a text begins, marks aside.
enum Markup<'a> {
    None,
    /// The text inside.
    Around(&'a str),
    /// Tags, and nothing outside of them but marks: the one address in them.
    Tags(&'a str),
    /// The same with several addresses.
    Several,
}

fn markup(text: &str) -> Markup<'_> {
    let mut rest = text;
    // Each opening may take a look at the whole text, so that only the first has one.
    let mut is_first = true;
    loop {
        if is_first && let Some(found) = markup_at(rest) {
            if !matches!(found, Markup::None) {
                return found;
            }
            is_first = false;
        }
        if let Some(inner) = behind(rest, "url(") {
            return Markup::Around(inner);
        }
        match after_mark(rest) {
            Some(after) => rest = after,
            None => return Markup::None,
        }
    }
}

/// Returns the markup that opens at the beginning of a text.
fn markup_at(text: &str) -> Option<Markup<'_>> {
    let around = |inner: Option<_>| Some(inner.map_or(Markup::None, Markup::Around));
    if let Some(tag) = text.strip_prefix('<') {
        return tag
            .starts_with(|c: char| c.is_ascii_alphabetic())
            .then(|| addresses(text));
    }
    if let Some(alternative) = text.strip_prefix("![") {
        return around(inside_image(alternative));
    }
    let codes = [("[img]", "[/img]"), ("[url]", "[/url]")];
    let opened = |(open, close)| Some((behind(text, open)?, close));
    let (inner, close) = codes.into_iter().find_map(opened)?;
    around(inside_code(inner, close))
}

/// Returns the text behind `open`, in any case.
pub(super) fn behind<'a>(text: &'a str, open: &str) -> Option<&'a str> {
    let head = text.get(..open.len())?;
    head.eq_ignore_ascii_case(open).then(|| &text[open.len()..])
}

/// Returns the address of a bulletin board's code, up to `close`, in any case, or the end.
fn inside_code<'a>(inner: &'a str, close: &str) -> Option<&'a str> {
    let Some(end) = inner.to_ascii_lowercase().find(close) else {
        return Some(inner);
    };
    (!has_words(&inner[end + close.len()..])).then(|| &inner[..end])
}

/// Returns the address of a Markdown image, from its alternative text on.
fn inside_image(alternative: &str) -> Option<&str> {
    let (_, rest) = alternative.split_once("](")?;
    let (inner, after) = rest.rsplit_once(')').unwrap_or((rest, ""));
    let title = inner
        .find([' ', '\t', '\n'])
        .filter(|&at| inner[at..].trim_start().starts_with(['"', '\'']));
    (!has_words(after)).then(|| title.map_or(inner, |at| &inner[..at]))
}

/// Attributes of tags that hold an address, whatever stands before a `-` or `:` in their names.
pub(super) const ADDRESSES: [&str; 4] = ["src", "srcset", "href", "poster"];

/// Returns the addresses of tags outside of which there are no words.
fn addresses(text: &str) -> Markup<'_> {
    let is_address = |name: &str| {
        let name = name.rsplit(['-', ':']).next().unwrap_or(name);
        ADDRESSES
            .iter()
            .any(|known| name.eq_ignore_ascii_case(known))
    };
    let (mut found, mut rest) = (None, text);
    while let Some((before, behind)) = rest.split_once('<') {
        if has_words(before) {
            return Markup::None;
        }
        let end = end_of_tag(behind);
        for value in addresses_in(&behind[..end], is_address) {
            if found.is_some_and(|other| other != value) {
                return Markup::Several;
            }
            found = Some(value);
        }
        rest = behind.get(end + 1..).unwrap_or_default();
    }
    match found {
        Some(address) if !has_words(rest) => Markup::Tags(address),
        _ => Markup::None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const URL: &str = "https://shop.example.com/a_(1).png?w='2'";

    #[test]
    fn marks_around_a_url_are_taken_off_and_its_own_stay() {
        for text in [
            URL.to_owned(),
            format!("\u{200e}\u{202a}{URL}\u{202c}"),
            format!("\u{ad}{URL}\0"),
            format!("\u{201e}{URL}\u{201c}"),
            format!("{{{URL}}}"),
            format!("[\"{URL}\"],"),
            format!("\"{URL}"),
            format!("{URL}\""),
            format!("\\\"{URL}\\\""),
            format!("({URL}))"),
            format!("&quot;{URL}&quot;"),
            format!("&amp;#34;{URL}&amp;#x22;,"),
            format!("url({URL})"),
            format!("URL(\"{URL}\");"),
            format!("- <{URL}>"),
            format!("![red shoes]({URL})"),
            format!("![]({URL} \"red shoes\")"),
            format!("[IMG]{URL}[/img]"),
            format!("<img src={URL} alt=\"red > shoes\">"),
            format!("<IMG alt='red shoes' SRC=\"{URL}\"/>"),
            format!("<p>&nbsp;<img data-src=\u{201c}{URL}\u{201d}></p>"),
            format!("<a href=\"{URL}\"><img src=\"{URL}\"></a>"),
            format!("\"<img src=\\\"{URL}\\\">\""),
        ] {
            assert_eq!(bare(&text), URL, "{text}");
        }
    }

    #[test]
    fn words_are_no_marks() {
        for text in [
            format!("see {URL}"),
            format!("photo: {URL}"),
            format!("<p>red shoes</p><img src=\"{URL}\">"),
            format!("<img src=\"{URL}\"> red shoes"),
            "<img src=\"/a.png\">".to_owned(),
            "'".to_owned(),
        ] {
            assert_ne!(bare(&text), URL, "{text}");
            assert!(text.contains(bare(&text)), "{text}");
        }
    }

    #[test]
    fn tags_with_several_addresses_are_left_as_they_are() {
        let text = format!("<img src=\"{URL}\" srcset=\"https://shop.example.com/b.png\">");
        assert_eq!(bare(&text), text);
        assert!(unwrapped(&text).is_none());
    }

    #[test]
    fn long_runs_of_marks_cost_no_more_than_their_length() {
        for mark in [
            "(", ")", "![", "<", "<a ", "&amp;", "&quot;", "'", ";", "\u{200b}", "[img]", "url(",
        ] {
            let run = mark.repeat(200_000);
            for text in [run.clone(), format!("{run}{URL}"), format!("{URL}{run}")] {
                assert!(bare(&text).len() <= text.len());
            }
        }
    }
}
