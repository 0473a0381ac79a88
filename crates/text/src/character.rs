//! Character classes as Python's `re` and `str` define them, which the splitting rules are
//! written against. Rust's own `char` methods follow other Unicode properties: they leave out the
//! four ASCII separators as blanks and count combining marks as letters.

use unicode_properties::{GeneralCategory, GeneralCategoryGroup, UnicodeGeneralCategory};

/// `\s`, and what `str.strip` removes.
pub(crate) fn is_blank(c: char) -> bool {
    c.is_whitespace() || matches!(c, '\u{1c}'..='\u{1f}')
}

/// `string.whitespace`: the six blanks of ASCII.
pub(crate) fn is_ascii_blank(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\n' | '\r' | '\u{b}' | '\u{c}')
}

/// `\d`: a decimal digit of any script.
pub(crate) fn is_digit(c: char) -> bool {
    c.is_ascii_digit() || (!c.is_ascii() && c.general_category() == GeneralCategory::DecimalNumber)
}

/// `\w`: a letter, a number or the underscore.
pub(crate) fn is_word(c: char) -> bool {
    if c.is_ascii() {
        return c.is_ascii_alphanumeric() || c == '_';
    }
    matches!(
        c.general_category_group(),
        GeneralCategoryGroup::Letter | GeneralCategoryGroup::Number
    )
}

/// Tells whether a text holds nothing but blanks, or nothing at all.
pub(crate) fn is_all_blank(text: &str) -> bool {
    text.chars().all(is_blank)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ascii_separators_are_blank_and_zero_width_ones_are_not() {
        for c in [
            ' ', '\t', '\u{1c}', '\u{1f}', '\u{85}', '\u{a0}', '\u{2009}', '\u{3000}',
        ] {
            assert!(is_blank(c), "{c:?}");
        }
        for c in ['\u{200b}', '\u{2060}', '\u{feff}', '\u{180e}', '_'] {
            assert!(!is_blank(c), "{c:?}");
        }
    }

    #[test]
    fn combining_marks_are_no_word_characters() {
        assert!(is_word('é') && is_word('字') && is_word('²') && is_word('Ⅷ') && is_word('_'));
        assert!(!is_word('\u{301}') && !is_word('\u{93e}') && !is_word('Ⓐ') && !is_word('’'));
    }

    #[test]
    fn digits_are_decimal_digits_of_any_script() {
        assert!(is_digit('7') && is_digit('٣') && is_digit('७'));
        assert!(!is_digit('²') && !is_digit('Ⅷ') && !is_digit('½'));
    }
}
