//! A text under rewriting: each rule reads it once from left to right into a second buffer, and
//! the two change places.

pub(super) struct Rewrite {
    text: String,
    next: String,
}

impl Rewrite {
    pub fn new(text: &str) -> Self {
        Self {
            text: text.to_owned(),
            next: String::with_capacity(text.len() + 16),
        }
    }

    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Offers every place where a character is a `head` to `rule`, which gets the text from there
    /// on and the text written so far, to append to. It answers how many bytes it has replaced, and
    /// is next asked behind them; zero leaves the character as it is.
    pub fn each(
        &mut self,
        head: impl Fn(char) -> bool,
        mut rule: impl FnMut(&str, &mut String) -> usize,
    ) {
        let Some(mut start) = self.text.find(&head) else {
            return;
        };
        self.next.clear();
        let mut rest = self.text.as_str();
        loop {
            let (before, from_head) = rest.split_at(start);
            self.next.push_str(before);
            let Some(c) = from_head.chars().next() else {
                break;
            };
            let mut replaced = rule(from_head, &mut self.next);
            if replaced == 0 {
                self.next.push(c);
                replaced = c.len_utf8();
            }
            rest = &from_head[replaced..];
            start = rest.find(&head).unwrap_or(rest.len());
        }
        std::mem::swap(&mut self.text, &mut self.next);
    }

    /// Puts a blank on either side of each character that `separates`.
    pub fn pad(&mut self, separates: impl Fn(char) -> bool) {
        self.each(separates, |rest, out| {
            let len = rest.chars().next().map_or(0, char::len_utf8);
            padded(out, &rest[..len])
        });
    }

    /// Replaces every `mark` by `word` between blanks.
    pub fn replace_padded(&mut self, mark: &str, word: &str) {
        self.each(
            |c| mark.starts_with(c),
            |rest, out| {
                if !rest.starts_with(mark) {
                    return 0;
                }
                padded(out, word);
                mark.len()
            },
        );
    }

    /// Replaces the bytes from `start` on.
    pub fn set_tail(&mut self, start: usize, tail: &str) {
        self.text.truncate(start);
        self.text.push_str(tail);
    }

    /// Puts a blank before and behind the whole.
    pub fn surround(&mut self) {
        self.text.insert(0, ' ');
        self.text.push(' ');
    }
}

/// Appends a word between two blanks, and answers its length in bytes.
pub(super) fn padded(out: &mut String, word: &str) -> usize {
    out.push(' ');
    out.push_str(word);
    out.push(' ');
    word.len()
}
