//! Texts whose words are as rare as those of a language.

/// Words that analysis leaves whole and apart: letters stand for digits.
pub fn word(rank: usize) -> String {
    let letters: String = rank
        .to_string()
        .bytes()
        .map(|digit| char::from(b'b' + (digit - b'0')))
        .collect();
    format!("x{letters}x")
}

pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }

    pub fn log_uniform(&mut self, from: f64, to: f64) -> usize {
        (from * (to / from).powf(self.next())) as usize
    }

    /// Zipf's law with exponent one is uniform over the logarithm of the rank.
    pub fn text(&mut self, words: usize, vocabulary: f64) -> String {
        let words = (0..words).map(|_| word(self.log_uniform(1.0, vocabulary)));
        words.collect::<Vec<_>>().join(" ")
    }
}
