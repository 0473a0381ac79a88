//! A search that is cancelled ends with the error that says so, whatever it is looking at just then.

use pelorus_cancellation::{Cancellation, Cancelled};
use pelorus_kernels::BitSet;
use pelorus_lexical::{
    LexicalError, LexicalIndex, LexicalOptions, LexicalQuery, MatchProbe, Operand, PrefixWords,
    Rescore, Typing, Typos,
};

/// Enough that every loop looks several times whether to go on.
const DOCUMENTS: u32 = 20_000;

/// Changes no score.
struct Same;

impl Rescore for Same {
    fn rescore(&mut self, _: &[u32], _: &mut [f64], _: Option<f64>) {}
}

/// Half of the documents hold one word, the others another, and all a third.
fn index(directory: &std::path::Path) -> (LexicalIndex, BitSet) {
    let options = LexicalOptions::default();
    let index = LexicalIndex::open(directory, options, &BitSet::default());
    for doc in 0..DOCUMENTS {
        let text = ["river stone", "lamp stone"][doc as usize % 2];
        index.add(doc, &[("title", text)]).unwrap();
    }
    index.publish();
    index.flush().unwrap();
    (index, BitSet::full(DOCUMENTS))
}

fn query(text: &str) -> LexicalQuery {
    LexicalQuery {
        text: text.to_owned(),
        fields: None,
        k: 10,
        operand: Operand::Or,
        language: None,
        typing: Typing::default(),
        ..LexicalQuery::default()
    }
}

/// Counts a search's checks whether to go on.
fn checks(search: impl Fn(&Cancellation) -> Result<(), LexicalError>) -> usize {
    let ends = |count: usize| match search(&Cancellation::after_checks(count)) {
        Ok(()) => true,
        Err(LexicalError::Cancelled(Cancelled::ByCaller)) => false,
        Err(other) => panic!("after {count} checks: {other}"),
    };
    (0..).find(|&count| ends(count)).unwrap()
}

#[test]
fn every_kind_of_search_ends_at_any_of_its_checks() {
    let directory = tempfile::tempdir().unwrap();
    let (index, all) = index(directory.path());
    for text in ["stone", "river stone", "\"river\" stone", "\"lamp stone\""] {
        let query = query(text);
        // The third search of a word knows its bounds.
        for _ in 0..3 {
            let top = checks(|cancellation| {
                index.reader().search_top(&query, &all, cancellation)?;
                Ok(())
            });
            assert!(top > 0, "{text}");
        }
        let probed = checks(|cancellation| {
            let matching = BitSet::default();
            let mut probe = MatchProbe {
                within: &all,
                matching,
            };
            index
                .reader()
                .search_probing(&query, &all, Some(&mut probe), cancellation)?;
            Ok(())
        });
        let rescored = checks(|cancellation| {
            index
                .reader()
                .search_top_rescored(&query, &all, cancellation, &mut Same)?;
            Ok(())
        });
        assert!(probed > 0 && rescored > 0, "{text}");
    }
}

#[test]
fn words_of_a_phrase_that_never_meet_are_not_looked_for_to_the_end() {
    let directory = tempfile::tempdir().unwrap();
    let (index, all) = index(directory.path());
    let checks = checks(|cancellation| {
        let found = index
            .reader()
            .search_top(&query("\"river lamp\""), &all, cancellation)?;
        assert!(found.is_empty());
        Ok(())
    });
    // One in a thousand documents, and some around.
    assert!((10..60).contains(&checks), "{checks}");
}

#[test]
fn words_that_a_word_stands_for_are_not_looked_for_to_the_end() {
    let letters = || 'a'..='z';
    let words = letters().flat_map(|a| letters().map(move |b| format!("kettle{a}{b}")));
    let words: Vec<String> = words
        .flat_map(|word| letters().map(move |c| format!("{word}{c}")))
        .collect();
    let begun = Typing {
        prefix: PrefixWords::Last,
        ..Typing::default()
    };
    let corrected = Typing {
        typos: Some(Typos::default()),
        ..Typing::default()
    };
    // No word is near the second, which the last letter of each tells.
    let typings = [("kettle", begun), ("kettleжжж", corrected)];
    for is_flushed in [false, true] {
        let directory = tempfile::tempdir().unwrap();
        let options = LexicalOptions::default();
        let index = LexicalIndex::open(directory.path(), options, &BitSet::default());
        for (doc, words) in (0..).zip(words.chunks(100)) {
            index.add(doc, &[("title", &words.join(" "))]).unwrap();
        }
        index.publish();
        if is_flushed {
            index.flush().unwrap();
        }
        for (text, typing) in typings.clone() {
            let query = LexicalQuery {
                typing,
                ..query(text)
            };
            let highlighted = checks(|cancellation| {
                index.reader().highlighter(&query, cancellation)?;
                Ok(())
            });
            assert!(highlighted >= 3, "{text} {is_flushed}: {highlighted}");
        }
    }
}
