//! Classes of Unicode characters that several crates ask for.
#![forbid(unsafe_code)]

/// Tells whether a character takes no place of its own by default: Default_Ignorable_Code_Point, as far as it is assigned
/// (DerivedCoreProperties.txt).
pub fn is_ignorable(c: char) -> bool {
    matches!(u32::from(c),
        0xAD | 0x34F | 0x61C | 0x115F..=0x1160 | 0x17B4..=0x17B5 | 0x180B..=0x180F
        | 0x200B..=0x200F | 0x202A..=0x202E | 0x2060..=0x206F | 0x3164
        | 0xFE00..=0xFE0F | 0xFEFF | 0xFFA0 | 0x1BCA0..=0x1BCA3 | 0x1D173..=0x1D17A
        | 0xE0000..=0xE0FFF)
}

/// Tells whether nobody sees a character, and nobody sees a gap: what is ignorable, controls that are no blanks, the
/// marks of annotations with those that stand for an object, and the blank of Braille.
pub fn is_invisible(c: char) -> bool {
    is_ignorable(c)
        || c.is_control() && !c.is_whitespace()
        || matches!(u32::from(c), 0x2800 | 0xFFF0..=0xFFFC)
}

/// Tells whether a character is of a script that writes words without blanks between them.
pub fn is_unsegmented(c: char) -> bool {
    matches!(u32::from(c),
        0x0E00..=0x0EFF       // Thai, Lao
        | 0x1000..=0x109F     // Myanmar
        | 0x1780..=0x17FF     // Khmer
        | 0x3005 | 0x3007     // ideographic iteration mark and zero
        | 0x3041..=0x312F     // Hiragana, Katakana, Bopomofo
        | 0x31A0..=0x31BF | 0x31F0..=0x31FF
        | 0x3400..=0x4DBF | 0x4E00..=0x9FFF | 0xF900..=0xFAFF // Han
        | 0xAC00..=0xD7A3     // Hangul syllables
        | 0xFF66..=0xFF9D     // half-width Katakana
        | 0x20000..=0x3FFFF) // Han, supplementary planes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invisible_characters_are_no_blanks_and_no_letters() {
        for c in [
            '\u{0}', '\u{7f}', '\u{ad}', '\u{200b}', '\u{2800}', '\u{feff}', '\u{fffc}',
        ] {
            assert!(
                is_invisible(c) && !c.is_whitespace() && !is_unsegmented(c),
                "{c:?}"
            );
        }
        for c in [
            '\t', '\u{b}', '\u{85}', ' ', '\u{a0}', '\u{2028}', '\u{3000}', 'a', '-', '\u{fffd}',
        ] {
            assert!(!is_invisible(c), "{c:?}");
        }
        assert!(!is_ignorable('\0') && is_ignorable('\u{200d}'));
    }

    #[test]
    fn scripts_without_blanks_are_told_from_those_with_them() {
        assert!("見る绘กำម한ｱ".chars().all(is_unsegmented));
        assert!(!"aéяعह7。、".chars().any(is_unsegmented));
    }
}
