//! Text analysis, the same for documents and queries.
//!
//! A text is split into words ([`words`]) after its compatibility composition (NFKC); case is dropped
//! and so are the marks that writers leave out ([`fold`]); endings are cut ([`stem`]) as the language of
//! the text ([`detect`]) and the script of the word ask for. Scripts that do not put spaces between
//! words (Chinese, Japanese, Korean, Thai and their neighbours) give one token per character, so that
//! any part of a text is found as a phrase of consecutive characters, or, where an index asks for it, the
//! words of a [`dictionary`] as the cheapest cut of the text has them ([`segment`]). Symbols and emoji are
//! tokens of their own. Endless words are shortened ([`long_word`]).

mod detect;
mod dictionary;
mod fold;
mod language;
mod long_word;
mod segment;
mod stem;
mod words;

use std::ops::Range;

use tantivy::tokenizer::{AsciiFoldingFilter, LowerCaser, RawTokenizer, TextAnalyzer, TokenStream};

pub(crate) use self::detect::{function_words, told as told_language};
pub(crate) use self::language::{Analysis, AnalysisSet};
pub use self::language::{FieldAnalysis, Language, Stemming};
pub use self::segment::Segmentation;
pub(crate) use self::words::is_symbol;

pub use self::fold::fold_text;
use self::fold::{MarkFolder, fold_case};
use self::long_word::shorten;
use self::segment::Cutter;
use self::stem::TokenMaker;
use self::words::{Piece, split, split_located};

/// Version of the rules below, of the stemmers and of Unicode. Segments analysed by another version
/// are rebuilt.
pub(crate) const ANALYSIS_VERSION: u32 = 4;

/// A token, and where it belongs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TokenPlace {
    /// Behind the token before.
    Next,
    /// Beside the token before: another form of the same word.
    Same,
}

/// The analysis of texts. Each thread uses its own.
#[derive(Clone, Default)]
pub(crate) struct Analyzer {
    words: TokenMaker,
    piece: String,
    segmentation: Segmentation,
    /// Used where texts are cut into words.
    cutter: Cutter,
}

impl FieldAnalysis {
    /// Returns the analysis of `text` in a field like this.
    pub(crate) fn of(self, text: &str) -> Analysis {
        Analysis {
            language: self.language.unwrap_or_else(|| detect::detect(text)),
            stemming: self.stemming,
        }
    }
}

impl Analyzer {
    /// An analyzer of texts that are cut in this way.
    pub(crate) fn new(segmentation: Segmentation) -> Self {
        Self {
            segmentation,
            ..Self::default()
        }
    }

    pub(crate) fn segmentation(&self) -> Segmentation {
        self.segmentation
    }

    /// Calls `emit` with each token of `text`, in order.
    pub(crate) fn for_each_token(
        &mut self,
        text: &str,
        analysis: Analysis,
        mut emit: impl FnMut(&str, TokenPlace),
    ) {
        self.for_each_word(text, analysis, |token, place, _| emit(token, place));
    }

    /// As [`Analyzer::for_each_token`], each token with the word that it stands for: folded, with its ending. Empty where
    /// there is none to complete or to correct: of symbols, of single characters, of endless words, and of other forms.
    pub(crate) fn for_each_word(
        &mut self,
        text: &str,
        analysis: Analysis,
        mut emit: impl FnMut(&str, TokenPlace, &str),
    ) {
        if text.is_ascii() && analysis == Analysis::default() {
            return self.for_each_ascii_token(text, |token, word, _| {
                emit(token, TokenPlace::Next, word);
            });
        }
        let words = &mut self.words;
        let cutter = (self.segmentation == Segmentation::Words).then_some(&mut self.cutter);
        split(text, &mut self.piece, cutter, |piece, text| match piece {
            Piece::Word => words.tokens_of(text, analysis, |token, is_first, word| {
                let place = if is_first {
                    TokenPlace::Next
                } else {
                    TokenPlace::Same
                };
                emit(token, place, word);
            }),
            Piece::Segment => {
                let is_one = shorten(text) || text.chars().nth(1).is_none();
                emit(text, TokenPlace::Next, if is_one { "" } else { text });
            }
            Piece::Character | Piece::Symbol => emit(text, TokenPlace::Next, ""),
        });
    }

    /// As [`Analyzer::for_each_token`], with the bytes of `text` that each token stands for.
    pub(crate) fn for_each_located_token(
        &mut self,
        text: &str,
        analysis: Analysis,
        mut emit: impl FnMut(&str, TokenPlace, Range<usize>),
    ) {
        if text.is_ascii() && analysis == Analysis::default() {
            let next = |token: &str, _: &str, range| emit(token, TokenPlace::Next, range);
            return self.for_each_ascii_token(text, next);
        }
        let words = &mut self.words;
        let cutter = (self.segmentation == Segmentation::Words).then_some(&mut self.cutter);
        split_located(
            text,
            &mut self.piece,
            cutter,
            |piece, text, range| match piece {
                Piece::Word => words.tokens_of(text, analysis, |token, is_first, _| {
                    let place = if is_first {
                        TokenPlace::Next
                    } else {
                        TokenPlace::Same
                    };
                    emit(token, place, range.clone());
                }),
                Piece::Segment => {
                    shorten(text);
                    emit(text, TokenPlace::Next, range);
                }
                Piece::Character | Piece::Symbol => emit(text, TokenPlace::Next, range),
            },
        );
    }

    /// The most common texts are worth a way of their own. Emits token, word and place.
    fn for_each_ascii_token(&mut self, text: &str, mut emit: impl FnMut(&str, &str, Range<usize>)) {
        let separators = |c: char| !c.is_ascii_alphanumeric();
        let mut next = 0;
        for word in text.split(separators) {
            let range = next..next + word.len();
            // A separator is one byte.
            next = range.end + 1;
            if word.is_empty() {
                continue;
            }
            self.piece.clear();
            self.piece.push_str(word);
            self.piece.make_ascii_lowercase();
            if shorten(&mut self.piece) {
                emit(&self.piece, "", range);
                continue;
            }
            let word = &self.piece;
            TokenMaker::token_of_ascii(word, |token| emit(token, word, range));
        }
    }

    /// The first token of each word of `text`, in order, as a query asks for them.
    pub(crate) fn tokens(&mut self, text: &str, analysis: Analysis) -> Vec<String> {
        let mut tokens = Vec::new();
        self.for_each_token(text, analysis, |token, place| {
            if place == TokenPlace::Next {
                tokens.push(token.to_owned());
            }
        });
        tokens
    }

    /// The bytes of `text` that each of [`Analyzer::tokens`] stands for.
    pub(crate) fn places(&mut self, text: &str) -> Vec<Range<usize>> {
        let mut places = Vec::new();
        self.for_each_located_token(text, Analysis::default(), |_, place, range| {
            if place == TokenPlace::Next {
                places.push(range);
            }
        });
        places
    }

    /// The word of each of [`Analyzer::tokens`]: see [`Analyzer::for_each_word`].
    pub(crate) fn words(&mut self, text: &str, analysis: Analysis) -> Vec<String> {
        let mut words = Vec::new();
        self.for_each_word(text, analysis, |_, place, word| {
            if place == TokenPlace::Next {
                words.push(word.to_owned());
            }
        });
        words
    }

    /// The last token of each word of `text`: as it is, where endings are cut in several ways.
    pub(crate) fn whole_tokens(&mut self, text: &str, analysis: Analysis) -> Vec<String> {
        let mut tokens: Vec<String> = Vec::new();
        self.for_each_token(text, analysis, |token, place| {
            if place == TokenPlace::Same {
                tokens.pop();
            }
            tokens.push(token.to_owned());
        });
        tokens
    }
}

/// Splits texts into words as the text index does, without cutting the endings of words or
/// shortening endless ones: for whoever completes words instead of finding them. Scripts without blanks are always split
/// into characters: where words end in a text that is still being typed, what follows decides.
pub struct WordAnalyzer {
    piece: String,
    marks: MarkFolder,
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
        let whole = TextAnalyzer::builder(RawTokenizer::default());
        Self {
            piece: String::new(),
            marks: MarkFolder::default(),
            fold: whole.filter(AsciiFoldingFilter).filter(LowerCaser).build(),
        }
    }

    /// The words of `text`, in order, without case and accents; none is empty.
    pub fn words(&mut self, text: &str) -> Vec<String> {
        let mut words = Vec::new();
        let marks = &mut self.marks;
        split(text, &mut self.piece, None, |_, piece| {
            let mut word = String::new();
            fold_case(piece, &mut word);
            marks.fold(&mut word);
            if !word.is_empty() {
                words.push(word);
            }
        });
        words
    }

    /// `text` without case and accents; everything else of it stays. Stored names are known by the result, so it never
    /// changes.
    pub fn fold(&mut self, text: &str) -> String {
        let plain: String = text.chars().filter(|c| !is_combining_accent(*c)).collect();
        let mut stream = self.fold.token_stream(&plain);
        match stream.advance() {
            true => stream.token().text.clone(),
            false => String::new(),
        }
    }
}

/// Accents typed as characters of their own belong to the letter before them and are dropped.
fn is_combining_accent(c: char) -> bool {
    matches!(u32::from(c), 0x0300..=0x036F)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(text: &str) -> Vec<String> {
        Analyzer::default().tokens(text, FieldAnalysis::default().of(text))
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
    fn ascii_words_are_the_same_beside_others() {
        let text = "Running DOGS don't bark 42 times; x_1";
        let mut beside = tokens(&format!("{text} é"));
        assert_eq!(beside.pop().as_deref(), Some("e"));
        assert_eq!(beside, tokens(text));
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
