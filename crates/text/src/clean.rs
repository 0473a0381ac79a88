//! Cleaning of texts for joint models of texts and pictures, before they are cut into tokens, as OpenCLIP does it.
//!
//! The first step there is `ftfy.fix_text`. It is followed here in its treatment of texts that were decoded rightly:
//! curly quotes, ligatures and wide forms become plain, control characters go, characters are composed. Bytes that were
//! decoded in the wrong encoding stay as they are, and so do escape sequences of terminals.

use std::borrow::Cow;

use unicode_normalization::UnicodeNormalization;

/// The steps that clean a text before it is cut into tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Cleaning {
    /// Nothing.
    #[default]
    None,
    /// Plain characters, references resolved, blanks made one: tokenizers of other models in OpenCLIP.
    Whitespace,
    /// As `Whitespace`, then lower case: byte pairs of CLIP.
    Lower,
    /// Plain characters and references resolved; then underscores are blanks, ASCII punctuation goes, lower case, and
    /// blanks made one: SigLIP.
    Canonicalize,
}

/// A reference to a reference to a reference, and so on, is followed so far, so that no text costs more than its length.
const REFERENCE_ROUNDS_MAX: usize = 8;

impl Cleaning {
    /// The text as a tokenizer gets it. Linear in its length.
    pub fn clean(self, text: &str) -> Cow<'_, str> {
        match self {
            Self::None => Cow::Borrowed(text),
            Self::Whitespace => Cow::Owned(single_blanks(&plain(text))),
            Self::Lower => Cow::Owned(single_blanks(&plain(text)).to_lowercase()),
            Self::Canonicalize => {
                let words = plain(text).replace('_', " ");
                let bare = words.replace(|c: char| c.is_ascii_punctuation(), "");
                Cow::Owned(single_blanks(&bare.to_lowercase()))
            }
        }
    }
}

/// `html.unescape(html.unescape(ftfy.fix_text(text)))`.
fn plain(text: &str) -> String {
    let mut fixed = String::with_capacity(text.len());
    let mut resolves = true;
    for line in text.split_inclusive('\n') {
        // A line that looks like markup is left as it is, and so are those after it.
        resolves &= !line.contains('<');
        let resolved = if resolves {
            resolve(line, REFERENCE_ROUNDS_MAX)
        } else {
            Cow::Borrowed(line)
        };
        fixed.extend(plain_characters(&resolved).nfc());
    }
    resolve(&fixed, 2).into_owned()
}

/// Character references resolved, up to `rounds` times.
fn resolve(text: &str, rounds: usize) -> Cow<'_, str> {
    let mut resolved = Cow::Borrowed(text);
    for _ in 0..rounds {
        if !resolved.contains('&') {
            break;
        }
        let next = htmlize::unescape(resolved.as_ref()).into_owned();
        if next == *resolved {
            break;
        }
        resolved = Cow::Owned(next);
    }
    resolved
}

/// Quotes, wide forms and ligatures made plain, control characters left out; other characters stay.
fn plain_characters(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\u{2bc}' | '\u{2018}'..='\u{201b}' => plain.push('\''),
            '\u{201c}'..='\u{201f}' => plain.push('"'),
            '\u{3000}' => plain.push(' '),
            '\u{85}' | '\u{2028}' | '\u{2029}' => plain.push('\n'),
            // Full-width and half-width forms.
            '\u{ff01}'..='\u{ffef}' => plain.extend(std::iter::once(c).nfkc()),
            _ if is_control(c) => {}
            _ => match ligature(c) {
                Some(letters) => plain.push_str(letters),
                None => plain.push(c),
            },
        }
    }
    plain
}

/// Control characters but for blanks, deprecated ones of Unicode, byte order marks and annotations.
fn is_control(c: char) -> bool {
    matches!(c,
        '\u{0}'..='\u{8}' | '\u{b}' | '\u{e}'..='\u{1f}' | '\u{7f}'
        | '\u{206a}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffc}')
}

fn ligature(c: char) -> Option<&'static str> {
    Some(match c {
        'Ĳ' => "IJ",
        'ĳ' => "ij",
        // The apostrophe of this one is a curly quote too.
        'ŉ' => "'n",
        'Ǳ' => "DZ",
        'ǲ' => "Dz",
        'ǳ' => "dz",
        'Ǆ' => "DŽ",
        'ǅ' => "Dž",
        'ǆ' => "dž",
        'Ǉ' => "LJ",
        'ǈ' => "Lj",
        'ǉ' => "lj",
        'Ǌ' => "NJ",
        'ǋ' => "Nj",
        'ǌ' => "nj",
        'ﬀ' => "ff",
        'ﬁ' => "fi",
        'ﬂ' => "fl",
        'ﬃ' => "ffi",
        'ﬄ' => "ffl",
        'ﬅ' => "ſt",
        'ﬆ' => "st",
        _ => return None,
    })
}

/// The words of a text with one blank between them.
fn single_blanks(text: &str) -> String {
    let mut words = text.split_whitespace();
    let mut single = String::with_capacity(text.len());
    single.extend(words.next());
    for word in words {
        single.push(' ');
        single.push_str(word);
    }
    single
}
