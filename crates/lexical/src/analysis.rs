//! Text analysis, the same for documents and queries.
//!
//! Words are runs of letters and digits; everything else separates. Accents are folded, case is
//! dropped, English endings are stemmed. Scripts that do not put spaces between words (Chinese,
//! Japanese, Korean, Thai and their neighbours) give one token per character, so that any part of
//! a text is found as a phrase of consecutive characters. Endless words are shortened to a token
//! of their own ([`long_word`]).

mod long_word;

use tantivy::tokenizer::{
    AsciiFoldingFilter, Language, LowerCaser, RawTokenizer, Stemmer, TextAnalyzer, Token,
    TokenStream, Tokenizer,
};

use self::long_word::LongWordShortener;

/// Version of the rules below. Segments analysed by another version are rebuilt.
pub(crate) const ANALYSIS_VERSION: u32 = 2;

/// The analysis chain. Cheap to clone; each thread uses its own.
#[derive(Clone)]
pub(crate) struct Analyzer {
    chain: TextAnalyzer,
}

impl Analyzer {
    pub(crate) fn new() -> Analyzer {
        // Folding comes before lower-casing: it knows both cases, whereas lower-casing may
        // decompose a letter (a dotted capital I) into one that folding no longer recognises.
        let chain = TextAnalyzer::builder(WordTokenizer::default())
            .filter(AsciiFoldingFilter)
            .filter(LowerCaser)
            .filter(LongWordShortener)
            .filter(Stemmer::new(Language::English))
            .build();
        Analyzer { chain }
    }

    /// Calls `emit` with each token of `text`, in order.
    pub(crate) fn for_each_token(&mut self, text: &str, mut emit: impl FnMut(&str)) {
        let mut stream = self.chain.token_stream(text);
        while stream.advance() {
            let token = &stream.token().text;
            if !token.is_empty() {
                emit(token);
            }
        }
    }

    /// The tokens of `text`, in order.
    pub(crate) fn tokens(&mut self, text: &str) -> Vec<String> {
        let mut tokens = Vec::new();
        self.for_each_token(text, |token| tokens.push(token.to_owned()));
        tokens
    }
}

/// Splits texts into words as the text index does, without cutting the endings of words or
/// shortening endless ones: for whoever completes words instead of finding them.
pub struct WordAnalyzer {
    words: TextAnalyzer,
    fold: TextAnalyzer,
}

impl Default for WordAnalyzer {
    fn default() -> Self {
        Self::new()
    }
}

impl WordAnalyzer {
    /// An analyzer for one thread.
    pub fn new() -> Self {
        let words = TextAnalyzer::builder(WordTokenizer::default());
        let whole = TextAnalyzer::builder(RawTokenizer::default());
        Self {
            words: words.filter(AsciiFoldingFilter).filter(LowerCaser).build(),
            fold: whole.filter(AsciiFoldingFilter).filter(LowerCaser).build(),
        }
    }

    /// The words of `text`, in order, without case and accents; none is empty.
    pub fn words(&mut self, text: &str) -> Vec<String> {
        let mut words = Vec::new();
        let mut stream = self.words.token_stream(text);
        while stream.advance() {
            let word = &stream.token().text;
            if !word.is_empty() {
                words.push(word.clone());
            }
        }
        words
    }

    /// `text` without case and accents; everything else of it stays.
    pub fn fold(&mut self, text: &str) -> String {
        let plain: String = text.chars().filter(|c| !is_combining_accent(*c)).collect();
        let mut stream = self.fold.token_stream(&plain);
        match stream.advance() {
            true => stream.token().text.clone(),
            false => String::new(),
        }
    }
}

/// Does this script write words without spaces between them?
pub(crate) fn is_unsegmented(c: char) -> bool {
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

/// Accents typed as characters of their own belong to the letter before them and are dropped.
fn is_combining_accent(c: char) -> bool {
    matches!(u32::from(c), 0x0300..=0x036F)
}

#[derive(Clone, Default)]
struct WordTokenizer {
    token: Token,
}

struct WordStream<'a> {
    rest: std::str::Chars<'a>,
    token: &'a mut Token,
}

impl Tokenizer for WordTokenizer {
    type TokenStream<'a> = WordStream<'a>;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> WordStream<'a> {
        self.token.reset();
        WordStream {
            rest: text.chars(),
            token: &mut self.token,
        }
    }
}

impl TokenStream for WordStream<'_> {
    fn advance(&mut self) -> bool {
        self.token.text.clear();
        let Some(first) = self.rest.by_ref().find(|c| c.is_alphanumeric()) else {
            return false;
        };
        self.token.position = self.token.position.wrapping_add(1);
        self.token.text.push(first);
        if is_unsegmented(first) {
            return true;
        }
        loop {
            let mut ahead = self.rest.clone();
            match ahead.next() {
                Some(c) if is_combining_accent(c) => {}
                Some(c) if c.is_alphanumeric() && !is_unsegmented(c) => self.token.text.push(c),
                _ => return true,
            }
            self.rest = ahead;
        }
    }

    fn token(&self) -> &Token {
        self.token
    }

    fn token_mut(&mut self) -> &mut Token {
        self.token
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(text: &str) -> Vec<String> {
        Analyzer::new().tokens(text)
    }

    #[test]
    fn punctuation_of_every_kind_separates_words() {
        assert_eq!(
            tokens("t-shirt, field_1's"),
            ["t", "shirt", "field", "1", "s"]
        );
        assert!(tokens("!!! -- _ \\").is_empty());
    }

    #[test]
    fn case_accents_and_english_endings_do_not_matter() {
        assert_eq!(tokens("Crème BRÛLÉE"), tokens("creme brulee"));
        assert_eq!(tokens("dogs"), tokens("Dog"));
        assert_eq!(tokens("puppies"), tokens("puppy"));
        assert_eq!(tokens("İstanbul"), tokens("istanbul"));
    }

    #[test]
    fn an_accent_typed_as_its_own_character_is_the_same_letter() {
        assert_eq!(tokens("cafe\u{301} e\u{301}tude"), tokens("café étude"));
    }

    #[test]
    fn words_that_are_to_be_completed_keep_their_endings() {
        let mut analyzer = WordAnalyzer::new();
        assert_eq!(
            analyzer.words("Crème, Running\tDOGS!"),
            ["creme", "running", "dogs"]
        );
        assert_eq!(analyzer.words("cafe\u{301} 手机"), ["cafe", "手", "机"]);
        let endless = "x".repeat(500);
        assert_eq!(analyzer.words(&endless), [endless]);
        assert_eq!(analyzer.fold(" Cafe\u{301}  C++ "), " cafe  c++ ");
        assert_eq!(analyzer.fold(""), "");
    }

    #[test]
    fn scripts_without_spaces_give_one_token_per_character() {
        assert_eq!(tokens("iPhone手机壳2"), ["iphon", "手", "机", "壳", "2"]);
        assert_eq!(tokens("トート"), ["ト", "ー", "ト"]);
    }
}
