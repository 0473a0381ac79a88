//! Treebank words: a sentence is rewritten by an ordered list of rules that put blanks around
//! whatever is a word of its own, then cut at the blanks.
//!
//! The rules change the text: straight double quotes come out as `` and '', so a chunk of words
//! is not a piece of its field. Their order matters, for later ones see the blanks that earlier
//! ones made.

mod clitic;
mod punctuation;
mod quote;
mod rewrite;

use rewrite::Rewrite;

use crate::{character::is_blank, sentence::sentences};

/// The words of an English text, sentence by sentence.
pub fn words(text: &str) -> Vec<String> {
    sentences(text)
        .into_iter()
        .flat_map(sentence_words)
        .collect()
}

fn sentence_words(sentence: &str) -> Vec<String> {
    let mut text = Rewrite::new(sentence);
    quote::open(&mut text);
    punctuation::separate(&mut text);
    text.surround();
    quote::close(&mut text);
    clitic::detach(&mut text);
    clitic::split_contractions(&mut text);
    text.as_str()
        .split(is_blank)
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_are_told_apart_and_renamed() {
        assert_eq!(
            words("\"Yes,\" she said."),
            ["``", "Yes", ",", "''", "she", "said", "."]
        );
        assert_eq!(
            words("He (\"Al\") left"),
            ["He", "(", "``", "Al", "''", ")", "left"]
        );
    }

    #[test]
    fn clitics_and_contractions_come_apart() {
        assert_eq!(
            words("I can't, they'll cannot"),
            ["I", "ca", "n't", ",", "they", "'ll", "can", "not"]
        );
        assert_eq!(
            words("Gimme more, 'tis Bob's"),
            ["Gim", "me", "more", ",", "'t", "is", "Bob", "'s"]
        );
    }

    #[test]
    fn numbers_keep_their_points_and_commas() {
        assert_eq!(
            words("It cost $3,000.50 (10% off)."),
            [
                "It", "cost", "$", "3,000.50", "(", "10", "%", "off", ")", "."
            ]
        );
    }

    #[test]
    fn only_the_full_stop_of_the_sentence_is_detached() {
        assert_eq!(
            words("Mr. Lee left. Dr. Wu stayed."),
            ["Mr.", "Lee", "left", ".", "Dr.", "Wu", "stayed", "."]
        );
    }
}
