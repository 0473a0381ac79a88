//! Spellings of an address that programs write for one another: `hxxps[:]//…`, `view-source:…`, `[img=…]`, `=IMAGE("…")`.

use std::borrow::Cow;

use super::marks::{ADDRESSES, behind, behind_marks, has_words};

/// Schemes that stand before the URL of which they ask for something.
const OUTER: [&str; 3] = ["view-source:", "feed:", "blob:"];

/// Colons and dots as those write them who want no link.
const DEFANGED: [(&str, &str); 4] = [("[://]", "://"), ("[:]", ":"), ("[.]", "."), ("\\:", ":")];

/// Names before an address, of bulletin boards, tables and TeX.
const NAMES: [&str; 5] = [
    "img=",
    "img src=",
    "image(",
    "hyperlink(",
    "includegraphics{",
];

/// Returns a text without the disguises around an address and in its scheme. `None` where it has none. One that is no
/// address stays none.
pub(super) fn undisguised(text: &str) -> Option<Cow<'_, str>> {
    let text = text.trim();
    let start = behind_marks(text);
    let inner = OUTER.iter().find_map(|outer| behind(start, outer));
    if let Some(inner) = inner.or_else(|| argument(start)).or_else(|| style(text)) {
        return Some(Cow::Borrowed(inner));
    }
    if text.starts_with("![")
        && let Some((image, attributes)) = text.rsplit_once('{')
    {
        let (_, behind) = attributes.split_once('}')?;
        return (!has_words(behind)).then_some(Cow::Borrowed(image));
    }
    let plain = DEFANGED
        .iter()
        .fold(Cow::Borrowed(start), |text, &(written, meant)| {
            match text.contains(written) {
                true => Cow::Owned(text.replace(written, meant)),
                false => text,
            }
        });
    if let Some(rest) = behind(&plain, "hxxp") {
        return Some(Cow::Owned(format!("http{rest}")));
    }
    match plain {
        Cow::Owned(_) => Some(plain),
        Cow::Borrowed(_) => with_tight_tags(text),
    }
}

/// Returns the only argument of a name, in quotes or up to its end.
fn argument(text: &str) -> Option<&str> {
    let attribute = |name: &&str| behind(text, name)?.strip_prefix('=');
    let named = NAMES.iter().find_map(|name| behind(text, name));
    let inner = named.or_else(|| ADDRESSES.iter().find_map(attribute))?;
    match inner.chars().next().filter(|c| matches!(c, '"' | '\'')) {
        Some(quote) => {
            let (inner, after) = inner[1..].split_once(quote)?;
            (!after.contains(char::is_alphabetic)).then_some(inner)
        }
        None => (!inner.contains(char::is_whitespace)).then_some(inner),
    }
}

/// Returns the one address of a style sheet that is all of the text.
fn style(text: &str) -> Option<&str> {
    let sheet = behind(text, "<style")?;
    let (sheet, end) = sheet.rsplit_once("</")?;
    let (_, inner) = sheet.split_once("url(")?;
    let (inner, after) = inner.split_once(')')?;
    let is_all = behind(end, "style>").is_some_and(|rest| !has_words(rest));
    (is_all && !after.contains("url(")).then_some(inner)
}

/// Returns a text without the blanks that begin its tags.
fn with_tight_tags(text: &str) -> Option<Cow<'_, str>> {
    let mut tight = String::with_capacity(text.len());
    for piece in text.split_inclusive('<') {
        let is_tag = tight.ends_with('<');
        let (slash, rest) = match piece.strip_prefix('/').filter(|_| is_tag) {
            Some(rest) => ("/", rest),
            None => ("", piece),
        };
        tight.push_str(slash);
        tight.push_str(if is_tag { rest.trim_start() } else { rest });
    }
    (tight.len() < text.len()).then_some(Cow::Owned(tight))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_without_disguises_has_none() {
        for text in [
            "",
            "red shoes",
            "https://x.example/7",
            "src",
            "src=",
            "<style>",
            "![",
            "a < b",
            "image(\"",
        ] {
            let found = undisguised(text).unwrap_or_default();
            assert!(!found.contains("://"), "{text}: {found}");
        }
    }

    #[test]
    fn long_runs_cost_no_more_than_their_length() {
        for run in [
            "< ", "< /", "![", "![{", "{", "[:]", "hxxp", "feed:", "src=", "<style", "</", "url(",
            "\\",
        ] {
            let text = run.repeat(200_000);
            let found = undisguised(&text).unwrap_or_default();
            assert!(found.len() <= text.len());
        }
    }
}
