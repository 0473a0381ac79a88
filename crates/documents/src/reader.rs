//! JSON from front to back, for what nothing is unusual about: whoever uses it reads again with
//! `serde_json`, which explains, where it gives none.

use serde::Deserialize;

use crate::decimal::number_at;

/// A place in a text that is read once.
pub(crate) struct Reader<'a> {
    text: &'a str,
    at: usize,
    /// The list that is being read: how long one is, is known at its end.
    numbers: Vec<f32>,
}

impl<'a> Reader<'a> {
    pub fn new(text: &'a str) -> Self {
        Self {
            text,
            at: 0,
            numbers: Vec::new(),
        }
    }

    pub fn at(&self) -> usize {
        self.at
    }

    /// Goes on at another place.
    pub fn go_to(&mut self, at: usize) {
        self.at = at;
    }

    /// The next byte after blanks.
    pub fn peek(&mut self) -> Option<u8> {
        let bytes = self.text.as_bytes();
        while matches!(bytes.get(self.at), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
        bytes.get(self.at).copied()
    }

    /// Passes `byte` and blanks before it. None where there is another.
    pub fn pass(&mut self, byte: u8) -> Option<()> {
        let is_next = self.peek() == Some(byte);
        self.at += usize::from(is_next);
        is_next.then_some(())
    }

    /// Passes the separator between two items of a list or object, or `end`, which ends it. None where there is
    /// neither.
    pub fn ends(&mut self, end: u8) -> Option<bool> {
        let next = self.peek()?;
        self.at += 1;
        match next {
            b',' => Some(false),
            next if next == end => Some(true),
            _ => None,
        }
    }

    /// The next value.
    pub fn value<T: Deserialize<'a>>(&mut self) -> Option<T> {
        let rest = serde_json::Deserializer::from_str(&self.text[self.at..]);
        let mut values = rest.into_iter();
        let value = values.next()?.ok()?;
        self.at += values.byte_offset();
        Some(value)
    }

    /// A list of one number or more.
    pub fn floats(&mut self) -> Option<Vec<f32>> {
        let mut numbers = std::mem::take(&mut self.numbers);
        numbers.clear();
        let read = self.push_floats(&mut numbers);
        let floats = read.map(|()| numbers.clone());
        self.numbers = numbers;
        floats
    }

    /// As [`Reader::floats`], to the end of a list there is.
    pub fn push_floats(&mut self, numbers: &mut Vec<f32>) -> Option<()> {
        self.pass(b'[')?;
        loop {
            self.peek()?;
            let (number, end) = number_at(self.text, self.at)?;
            numbers.push(number);
            self.at = end;
            if self.ends(b']')? {
                return Some(());
            }
        }
    }
}
