//! Schemes that are broken by blanks or marks: `h ttps://`, `https ://`, `https;//`.

use super::is_base64;
use super::marks::behind_marks;
use super::url::Url;

/// Schemes that are told however they are broken.
const SCHEMES: [&str; 9] = [
    "http", "https", "ftp", "ftps", "sftp", "file", "s3", "gs", "data",
];

/// The longest part of a text that is looked at for its scheme, in bytes.
const HEAD_BYTES_MAX: usize = 80;

/// Returns a text, which marks may begin, with its scheme and the slashes behind that in one piece. `None` where nothing
/// parts them, and where they are those of no address.
pub(super) fn with_whole_scheme(text: &str) -> Option<String> {
    let text = behind_marks(text);
    let mut head = text.bytes().take(HEAD_BYTES_MAX);
    let end = head.position(|byte| matches!(byte, b':' | b'/' | b'\\'))?;
    let (head, tail) = text.split_at(end);
    let scheme: String = head.chars().filter(|c| c.is_alphanumeric()).collect();
    let known = SCHEMES
        .into_iter()
        .find(|known| scheme.eq_ignore_ascii_case(known))?;
    let behind = tail.strip_prefix(':');
    if known == "data" {
        let data = behind.filter(|data| head != scheme && is_base64(data));
        return data.map(|data| format!("data:{data}"));
    }
    let has_colon = behind.is_some();
    let behind = behind.unwrap_or(tail);
    let is_slash = |c: char| matches!(c, '/' | '\\');
    let place = behind.trim_start_matches(|c: char| is_slash(c) || c.is_whitespace());
    let gap = &behind[..behind.len() - place.len()];
    let slashes = gap.trim_end();
    let count = slashes.chars().filter(|&c| is_slash(c)).count();
    // Behind the slashes a sentence may go on.
    let first = place.split_whitespace().next().unwrap_or_default();
    let has_place = first.contains('/') || Url::parse(&format!("http://{first}")).is_some();
    let is_parted = count < slashes.chars().count() || slashes.len() < gap.len() && has_place;
    // Without a colon they may be words of a choice.
    let is_meant = match has_colon {
        true => count > 0,
        false => count > 1 && known != "file" && !head.contains(' ') && slashes.len() == gap.len(),
    };
    let is_broken = head != scheme || !has_colon || is_parted;
    (is_meant && is_broken).then(|| format!("{known}:{}{place}", "/".repeat(count)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scheme_in_pieces_is_put_together() {
        for (text, whole) in [
            ("h ttps://x/a", "https://x/a"),
            ("(HT TP ://x", "http://x"),
            ("https:/ /x", "https://x"),
            ("https:// x.example", "https://x.example"),
            ("s3:// x/a", "s3://x/a"),
            ("https//x", "https://x"),
            ("https;//x", "https://x"),
            ("s 3://x", "s3://x"),
            ("f-i-l-e:/x", "file:/x"),
            ("d ata:image/png;base64,AA", "data:image/png;base64,AA"),
        ] {
            assert_eq!(with_whole_scheme(text).as_deref(), Some(whole), "{text}");
        }
    }

    #[test]
    fn words_and_whole_schemes_are_left_alone() {
        for text in [
            "",
            "https://x",
            "https:x",
            "http: a protocol",
            "https:// x",
            "file//name",
            "and//or",
            "see h ttps://x",
            "a http://x",
            "data : a letter",
            "ht tp",
            "data:image/png;base64,AA",
            "http / https",
            "ftp // sftp",
            "http// ftp",
        ] {
            assert_eq!(with_whole_scheme(text), None, "{text}");
        }
    }
}
