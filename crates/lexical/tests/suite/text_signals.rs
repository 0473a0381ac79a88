//! Signals of texts, against their definitions word by word.

use std::collections::BTreeMap;

use pelorus_cancellation::Cancellation;
use pelorus_lexical::{
    LexicalIndex, LexicalQuery, PrefixWords, SignalReader, TextSignals, Typing, Typos,
};
use pelorus_random::SplitMix64;

use crate::support::{add, open_empty};

/// Pieces of texts, each one word: as they are, without case and accents, and the token that they are.
const PIECES: [(&str, &str, &str); 12] = [
    ("Café", "cafe", "cafe"),
    ("CAFÉ,", "cafe", "cafe"),
    ("cafe", "cafe", "cafe"),
    ("C#", "c", "c"),
    ("(C++)", "c", "c"),
    ("c#", "c", "c"),
    ("c", "c", "c"),
    ("running", "running", "run"),
    ("Run", "run", "run"),
    ("storm", "storm", "storm"),
    ("Storm!", "storm", "storm"),
    ("boat", "boat", "boat"),
];
const FIELDS: [&str; 3] = ["title", "plot", "tag"];

type Piece = &'static (&'static str, &'static str, &'static str);
type Texts = Vec<(&'static str, Vec<Piece>)>;

fn query(text: &str, typing: Typing) -> LexicalQuery {
    LexicalQuery {
        text: text.to_owned(),
        k: 10,
        typing,
        ..LexicalQuery::default()
    }
}

fn read(
    index: &LexicalIndex,
    query: &LexicalQuery,
    texts: &[(&str, &str)],
    order: &[&str],
) -> TextSignals {
    let words = index.reader().highlighter(query, &Cancellation::never());
    let order: Vec<String> = order.iter().map(|&field| field.to_owned()).collect();
    let mut signals = SignalReader::new(words.unwrap(), query);
    let read = signals.read(texts.iter().copied(), &order, &Cancellation::never());
    read.unwrap()
}

fn bare(piece: Piece) -> &'static str {
    piece.0.trim_matches(['(', ')', ',', '!'])
}

fn exactness(asked: Piece, found: Piece) -> f64 {
    if asked.2 != found.2 {
        0.0
    } else if bare(asked) == bare(found) {
        1.0
    } else if bare(asked).to_lowercase() == bare(found).to_lowercase() {
        0.75
    } else if asked.1 == found.1 {
        0.5
    } else {
        0.25
    }
}

/// The fewest tokens between one place of each list, by a look at every choice.
fn fewest_between(places: &[Vec<usize>]) -> usize {
    let mut choices: Vec<Vec<usize>> = vec![Vec::new()];
    for places in places {
        let longer = choices.iter().flat_map(|choice| {
            places.iter().map(|place| {
                let mut choice = choice.clone();
                choice.push(*place);
                choice
            })
        });
        choices = longer.collect();
    }
    let spans = choices.iter().map(|choice| {
        let span = choice.iter().max().unwrap() - choice.iter().min().unwrap();
        span + 1 - choice.len()
    });
    spans.min().unwrap()
}

fn expected(asked: &[Piece], texts: &Texts, order: &[&str]) -> TextSignals {
    let mut terms: BTreeMap<&str, Vec<Piece>> = BTreeMap::new();
    for piece in asked {
        terms.entry(piece.2).or_default().push(piece);
    }
    let count = terms.len() as f64;
    let of_term = |share: &dyn Fn(&str, &[Piece], Piece) -> f64| -> f64 {
        let best = terms.values().map(|asked| {
            let found = texts.iter().flat_map(|(field, text)| {
                let same = text.iter().filter(|piece| piece.2 == asked[0].2);
                same.map(|piece| share(field, asked, piece))
            });
            found.fold(0.0, f64::max)
        });
        best.sum::<f64>() / count
    };
    let step = |field: &str| {
        let place = order.iter().position(|one| *one == field);
        place.map_or(0.0, |place| 1.0 - place as f64 / order.len() as f64)
    };
    let near = texts.iter().map(|(_, text)| {
        let places = terms.keys().map(|term| -> Vec<usize> {
            let places = text.iter().enumerate();
            let places = places.filter(|(_, piece)| piece.2 == *term);
            places.map(|(place, _)| place).collect()
        });
        let places: Vec<Vec<usize>> = places.filter(|places| !places.is_empty()).collect();
        if places.len() < 2 {
            return 0.0;
        }
        let held = places.len() as f64;
        (held - 1.0) / (count - 1.0) * held / (held + fewest_between(&places) as f64)
    });
    TextSignals {
        exactness: of_term(&|_, asked, found| {
            let shares = asked.iter().map(|piece| exactness(piece, found));
            shares.fold(0.0, f64::max)
        }),
        proximity: near.fold(0.0, f64::max),
        field_order: of_term(&|field, _, _| step(field)),
    }
}

fn joined(pieces: &[Piece]) -> String {
    let pieces: Vec<&str> = pieces.iter().map(|piece| piece.0).collect();
    pieces.join(" ")
}

#[test]
fn signals_are_those_of_their_definitions() {
    let dir = tempfile::tempdir().unwrap();
    let index = open_empty(dir.path());
    add(
        &index,
        &[(0, &[("title", "a"), ("plot", "b"), ("tag", "c")])],
    );
    let mut random = SplitMix64(3);
    for _ in 0..600 {
        let some = |random: &mut SplitMix64, most: usize| -> Vec<Piece> {
            let count = random.below(most);
            (0..count).map(|_| random.pick(&PIECES)).collect()
        };
        let asked = some(&mut random, 6);
        if asked.is_empty() {
            continue;
        }
        let texts: Texts = (0..random.below(4))
            .map(|_| (*random.pick(&FIELDS), some(&mut random, 9)))
            .collect();
        let order: Vec<&str> = match random.below(3) {
            0 => Vec::new(),
            1 => vec!["plot", "title"],
            _ => FIELDS.to_vec(),
        };
        let written: Vec<(&str, String)> = texts
            .iter()
            .map(|(field, text)| (*field, joined(text)))
            .collect();
        let written: Vec<(&str, &str)> = written
            .iter()
            .map(|(field, text)| (*field, &**text))
            .collect();
        let text = joined(&asked);
        let found = read(&index, &query(&text, Typing::default()), &written, &order);
        let expected = expected(&asked, &texts, &order);
        for (found, expected) in [
            (found.exactness, expected.exactness),
            (found.proximity, expected.proximity),
            (found.field_order, expected.field_order),
        ] {
            assert!(
                (found - expected).abs() < 1e-12,
                "{found} for {expected}: {text} in {written:?}"
            );
        }
    }
}

#[test]
fn phrases_are_as_near_as_the_words_around_them() {
    let dir = tempfile::tempdir().unwrap();
    let index = open_empty(dir.path());
    add(&index, &[(0, &[("f", "a")])]);
    let of = |text: &str, found: &str| {
        let signals = read(
            &index,
            &query(text, Typing::default()),
            &[("f", found)],
            &[],
        );
        (signals.exactness, signals.proximity)
    };
    assert_eq!(of("red t-shirt", "red t-shirt"), (1.0, 1.0));
    assert_eq!(of("red t-shirt", "T-shirt, red"), (0.875, 1.0));
    assert_eq!(of("red t-shirt", "red t shirt"), (0.75, 1.0));
    assert_eq!(of("red t-shirt", "red and blue t-shirt"), (1.0, 0.5));
    assert_eq!(of("\"red shoes\" shoes", "red shoes"), (1.0, 1.0));
    assert_eq!(of("storm", "storm"), (1.0, 0.0));
    assert_eq!(of("storm", "a storm-tossed boat"), (1.0, 0.0));
    assert_eq!(of("C#", "C#/.NET"), (0.5, 0.0));
    assert_eq!(of("AT&T", "AT&T's"), (1.0, 0.0));
    assert_eq!(of("手机壳", "新手机壳"), (1.0, 1.0));
    assert_eq!(of("*", "storm"), (0.0, 0.0));
}

#[test]
fn words_that_a_term_stands_for_are_inexact_and_as_near() {
    let dir = tempfile::tempdir().unwrap();
    let index = open_empty(dir.path());
    add(&index, &[(0, &[("f", "storm kettlebell")])]);
    let typing = Typing {
        prefix: PrefixWords::Last,
        typos: Some(Typos::default()),
        ..Typing::default()
    };
    let asked = query("stomr kettle", typing);
    let signals = read(&index, &asked, &[("f", "storm kettlebell")], &["f"]);
    assert_eq!((signals.exactness, signals.proximity), (0.25, 1.0));
    assert_eq!(signals.field_order, 1.0);
}

#[test]
fn fields_that_are_not_searched_say_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let index = open_empty(dir.path());
    add(&index, &[(0, &[("f", "storm"), ("g", "storm")])]);
    let asked = LexicalQuery {
        fields: Some(vec!["f".to_owned()]),
        ..query("storm", Typing::default())
    };
    let of = |field| read(&index, &asked, &[(field, "storm")], &["g", "f"]);
    assert_eq!(of("g"), TextSignals::default());
    assert_eq!((of("f").exactness, of("f").field_order), (1.0, 0.5));
}
