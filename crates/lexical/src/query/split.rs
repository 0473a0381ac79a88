/// A query text split into its two kinds of terms, in the order they were typed.
#[derive(Debug, PartialEq, Eq, Default)]
pub(crate) struct SplitQuery<'a> {
    /// The inside of each good pair of quotes that holds more than blanks, spaces kept.
    pub(crate) required: Vec<&'a str>,
    /// Everything else, split on white space.
    pub(crate) optional: Vec<&'a str>,
    /// Tells whether the last of these is the last of all.
    pub(crate) ends_with_word: bool,
    /// The places of these before which a required one stands.
    breaks: Vec<usize>,
}

impl<'a> SplitQuery<'a> {
    /// Splits `text`. Quotes pair up left to right, one behind a backslash is an ordinary
    /// character. A pair is good when it opens at the start or behind a space and closes at the
    /// end or before one; any other quote only separates.
    pub(crate) fn new(text: &'a str) -> SplitQuery<'a> {
        let mut split = SplitQuery::default();
        let mut plain_from = 0;
        let mut quotes = Quotes { text, from: 0 };
        while let Some(open) = quotes.next() {
            let Some(close) = quotes.next() else {
                split.add_optional(&text[plain_from..open]);
                plain_from = open + 1;
                break;
            };
            split.add_optional(&text[plain_from..open]);
            let inner = &text[open + 1..close];
            if is_good_pair(text, open, close) {
                if !inner.trim().is_empty() {
                    split.required.push(inner);
                    split.ends_with_word = false;
                    split.breaks.push(split.optional.len());
                }
            } else {
                split.add_optional(inner);
            }
            plain_from = close + 1;
        }
        split.add_optional(&text[plain_from..]);
        split
    }

    /// Tells whether an optional term is the neighbour of the one before it.
    pub(crate) fn has_neighbour_before(&self, at: usize) -> bool {
        at > 0 && self.breaks.binary_search(&at).is_err()
    }

    fn add_optional(&mut self, text: &'a str) {
        let before = self.optional.len();
        self.optional.extend(text.split_whitespace());
        self.ends_with_word |= self.optional.len() > before;
    }
}

fn is_good_pair(text: &str, open: usize, close: usize) -> bool {
    let before = text[..open].chars().next_back();
    let after = text[close + 1..].chars().next();
    before.is_none_or(char::is_whitespace) && after.is_none_or(char::is_whitespace)
}

/// Byte positions of the quotes that are not behind a backslash.
struct Quotes<'a> {
    text: &'a str,
    from: usize,
}

impl Iterator for Quotes<'_> {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        loop {
            let at = self.from + self.text[self.from..].find('"')?;
            self.from = at + 1;
            if !self.text[..at].ends_with('\\') {
                return Some(at);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_documented_query_splits_as_documented() {
        let table: &[(&str, &[&str], &[&str])] = &[
            (r#"just "a" string"#, &["a"], &["just", "string"]),
            (
                r#"just "a long long " string"#,
                &["a long long "],
                &["just", "string"],
            ),
            (
                r#""just" "just" "" a string"#,
                &["just", "just"],
                &["a", "string"],
            ),
            (r#"" " string"#, &[], &["string"]),
            (r#"""#, &[], &[]),
            (r#""""#, &[], &[]),
            ("", &[], &[]),
            (r#""""hello"#, &[], &["hello"]),
            (
                r#"\" escaped quotes\"  what"#,
                &[],
                &[r#"\""#, "escaped", r#"quotes\""#, "what"],
            ),
            (r#""go"od""#, &[], &["go", "od"]),
            (r#""ter"m1" term2"#, &[], &["ter", "m1", "term2"]),
            (
                r#""term1" "term2" "ter"m3"#,
                &["term1", "term2"],
                &["ter", "m3"],
            ),
            (
                r#""term 1" "term "2 "term 3""#,
                &["term 1", "term 3"],
                &["term", "2"],
            ),
            (r#"sa"ma" hello!"#, &[], &["sa", "ma", "hello!"]),
            (r#""sam"?"#, &[], &["sam", "?"]),
            (r#""朋友"你好"#, &[], &["朋友", "你好"]),
            (
                r#"hello "term1" " term 2 " space b"adterm" "badte"rm "term \"3" "unfinished"#,
                &["term1", " term 2 ", r#"term \"3"#],
                &["hello", "space", "b", "adterm", "badte", "rm", "unfinished"],
            ),
        ];
        for (text, required, optional) in table {
            let split = SplitQuery::new(text);
            assert_eq!(split.required, *required, "required of {text}");
            assert_eq!(split.optional, *optional, "optional of {text}");
        }
    }

    #[test]
    fn a_query_ends_with_a_word_or_with_a_phrase() {
        for (text, ends_with_word) in [
            ("red do", true),
            ("red do ", true),
            ("\"red dog\" ca", true),
            ("ca \"red dog\"", false),
            ("ca \"red do", true),
            ("ca \" \"", true),
            ("\"red\"", false),
            ("", false),
        ] {
            let split = SplitQuery::new(text);
            assert_eq!(split.ends_with_word, ends_with_word, "{text}");
        }
    }

    #[test]
    fn a_phrase_between_two_words_parts_them() {
        let split = SplitQuery::new("a b \"c\" \"d\" e f\"g");
        let with_neighbour = (0..split.optional.len()).filter(|&at| split.has_neighbour_before(at));
        assert_eq!(split.optional, ["a", "b", "e", "f", "g"]);
        assert_eq!(with_neighbour.collect::<Vec<_>>(), [1, 3, 4]);
    }

    #[test]
    fn quotes_are_split_in_linear_time() {
        let quotes = |count: usize| "\"".repeat(count);
        pelorus_growth::assert_linear("quotes", 1 << 17, quotes, |text: &String| {
            assert_eq!(SplitQuery::new(text).required.len(), 0);
        });
    }
}
