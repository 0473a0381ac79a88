//! Marked words against what the same texts are found by.

use pelorus_cancellation::Cancellation;
use pelorus_kernels::BitSet;
use pelorus_lexical::{
    FieldAnalysis, FragmentBounds, Language, LexicalError, LexicalIndex, LexicalOptions,
    LexicalQuery, Operand,
};
use proptest::prelude::*;

const WHOLE: FragmentBounds = FragmentBounds { size: 1, count: 0 };

fn query(text: &str) -> LexicalQuery {
    LexicalQuery {
        text: text.to_owned(),
        fields: None,
        k: 10,
        operand: Operand::Or,
        ..LexicalQuery::default()
    }
}

/// An index in which each text is a document, of any language.
fn index_of(texts: &[&str]) -> (tempfile::TempDir, LexicalIndex) {
    index_in(None, texts)
}

/// An index in which each text is a document in `language`.
fn index_in(language: Option<Language>, texts: &[&str]) -> (tempfile::TempDir, LexicalIndex) {
    let dir = tempfile::tempdir().unwrap();
    let index = LexicalIndex::open(dir.path(), LexicalOptions::default(), &BitSet::default());
    let analysis = FieldAnalysis {
        language,
        ..FieldAnalysis::default()
    };
    index.set_field_analysis("f", analysis);
    let batch = index.invert(texts.iter().map(|text| vec![("f", *text)]));
    let ordinals: Vec<Option<u32>> = (0..texts.len() as u32).map(Some).collect();
    index.add_batch(&batch, &ordinals).unwrap();
    index.publish();
    (dir, index)
}

/// The fragments of texts of one field, with brackets around marks.
fn marked(words: &str, texts: &[&str], bounds: FragmentBounds) -> Vec<String> {
    let (_dir, index) = index_of(texts);
    let highlighter = index
        .reader()
        .highlighter(&query(words), &Cancellation::never())
        .unwrap();
    let fragments = highlighter.fragments("f", texts, bounds, &Cancellation::never());
    let bracketed = fragments.unwrap().into_iter().map(|fragment| {
        let (mut out, mut from) = (String::new(), 0);
        for mark in fragment.marks {
            out += &fragment.text[from..mark.start];
            out += &format!("[{}]", &fragment.text[mark.clone()]);
            from = mark.end;
        }
        out + &fragment.text[from..]
    });
    bracketed.collect()
}

#[test]
fn words_are_marked_as_they_are_written() {
    for (words, text, expected) in [
        ("dog", "Red DOGS, and a dogma.", "Red [DOGS], and a dogma."),
        ("cafe", "The Cafe\u{301}s", "The [Cafe\u{301}s]"),
        ("fine nike", "ﬁne Nike™", "[ﬁne] [Nike]™"),
        (
            "t-shirt",
            "A t shirt: T-Shirts, no t.",
            "A [t] [shirt]: [T]-[Shirts], no t.",
        ),
        ("\"red dog\"", "a red dog, a dog", "a [red] [dog], a dog"),
        ("手机壳", "新手机 壳", "新[手机] [壳]"),
        ("机手", "手机", ""),
        ("👍", "ok👍🏽!", "ok[👍🏽]!"),
        ("กำ", "กำ", "[กำ]"),
        (
            "häuser",
            "Die Häuser und das Haus in der Stadt",
            "Die [Häuser] und das [Haus] in der Stadt",
        ),
        ("a b", "b a-b", "[b] [a]-[b]"),
        ("👍 ★", "👍★", "[👍★]"),
        ("*", "anything", ""),
        ("other", "anything", ""),
    ] {
        let expected: Vec<&str> = Some(expected)
            .filter(|text| !text.is_empty())
            .into_iter()
            .collect();
        assert_eq!(marked(words, &[text], WHOLE), expected, "{words} in {text}");
    }
}

#[test]
fn fragments_of_most_terms_come_first() {
    let text = "one two three four dog five six seven eight nine ten red dog eleven twelve dog dog";
    let shown = |size, count| marked("red dog", &[text], FragmentBounds { size, count });
    assert_eq!(
        shown(16, 3),
        ["ten [red] [dog]", "twelve [dog] [dog]", "four [dog] five"]
    );
    assert_eq!(shown(16, 1), ["ten [red] [dog]"]);
    assert_eq!(shown(1, 2), ["[dog]", "[red]"]);
    assert_eq!(shown(1_000, 5).len(), 1);
    let texts = ["a dog", "none", "a red dog", "the dog"];
    let bounds = FragmentBounds { size: 50, count: 2 };
    assert_eq!(
        marked("red dog", &texts, bounds),
        ["a [red] [dog]", "a [dog]"]
    );
    assert_eq!(
        marked("red dog", &texts, WHOLE),
        ["a [dog]", "a [red] [dog]", "the [dog]"]
    );
}

#[test]
fn only_searched_fields_have_marks() {
    let (_dir, index) = index_of(&["dog"]);
    let reader = index.reader();
    let never = Cancellation::never();
    for (searched, field, count) in [("f", "f", 1), ("g", "f", 0), ("f", "g", 0)] {
        let fields = Some(vec![searched.to_owned()]);
        let query = LexicalQuery {
            fields,
            ..query("dog")
        };
        let highlighter = reader.highlighter(&query, &never).unwrap();
        let found = highlighter
            .fragments(field, &["dog"], WHOLE, &never)
            .unwrap();
        assert_eq!(found.len(), count);
    }
}

#[test]
fn the_beginning_of_a_long_text_is_looked_at() {
    let text = "dog ".repeat(24_999) + "doghouse dog";
    let shown = marked("dog", &[&text], WHOLE).remove(0);
    assert_eq!(shown.matches("[dog]").count(), 24_999);
    assert!(shown.ends_with("doghouse dog"));
}

#[test]
fn a_cancelled_search_marks_nothing() {
    let (_dir, index) = index_of(&["dog"]);
    let cancellation = Cancellation::new(None);
    let reader = index.reader();
    let highlighter = reader.highlighter(&query("dog"), &cancellation).unwrap();
    cancellation.cancel();
    let found = highlighter.fragments("f", &["dog"], WHOLE, &cancellation);
    assert!(matches!(found, Err(LexicalError::Cancelled(_))));
}

#[test]
fn words_that_cannot_be_cut_apart_are_shown_together() {
    let text = "กำ — 手, 手, 👍🏽-手-dog — red red, red — red, 手-กำ 手 手 dog 手 ";
    let (_dir, index) = index_of(&[text]);
    let highlighter = index
        .reader()
        .highlighter(&query("red กำ red"), &Cancellation::never())
        .unwrap();
    for size in 1..60 {
        let bounds = FragmentBounds { size, count: 4 };
        let found = highlighter.fragments("f", &[text], bounds, &Cancellation::never());
        let shown: Vec<usize> = found.unwrap().iter().map(|one| one.marks.len()).collect();
        assert!(shown.iter().all(|&count| count > 0), "{size}: {shown:?}");
    }
}

#[test]
fn highlights_grow_with_the_text() {
    let text = |count: usize| "a dog e\u{301}👍\u{200D} ".repeat(count);
    let (_dir, index) = index_of(&["dog a"]);
    let highlighter = index
        .reader()
        .highlighter(&query("dog \"a dog\""), &Cancellation::never())
        .unwrap();
    let bounds = FragmentBounds { size: 40, count: 3 };
    pelorus_growth::assert_linear("highlights", 1 << 11, text, |text: &String| {
        let found = highlighter.fragments("f", &[text], bounds, &Cancellation::never());
        assert_eq!(found.unwrap().len(), 3);
    });
}

/// Words of a small vocabulary in several scripts, with characters between them.
fn texts() -> impl Strategy<Value = String> {
    let piece = proptest::sample::select(vec![
        "dog",
        "Dogs",
        "red",
        "RED",
        "cat",
        "手",
        "机",
        "👍",
        "👍🏽",
        "e\u{301}t",
        "été",
        "กำ",
        "x²",
        "ﬁn",
        "™",
    ]);
    let between = proptest::sample::select(vec![" ", ", ", "-", "\n\n", " — "]);
    proptest::collection::vec((piece, between), 0..40).prop_map(|words| {
        words
            .into_iter()
            .flat_map(|(word, between)| [word, between])
            .collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn marks_are_what_is_found(text in texts(), words in texts(), size in 1_usize..60, count in 1_usize..4) {
        // Without the marked words nothing matches.
        let (_dir, index) = index_in(Some(Language::En), &[&text]);
        let words: Vec<&str> = words.split([' ', ',', '-', '\n', '—']).filter(|word| !word.is_empty()).take(3).collect();
        let words = words.join(" ");
        let highlighter = index.reader().highlighter(&query(&words), &Cancellation::never()).unwrap();
        let find = |bounds| highlighter.fragments("f", &[&text], bounds, &Cancellation::never()).unwrap();
        let is_found = |text: &str| {
            let (_dir, index) = index_in(Some(Language::En), &[text]);
            index.search(&query(&words), &[0].into_iter().collect()).unwrap().total == 1
        };
        let whole = find(WHOLE);
        prop_assert_eq!(!whole.is_empty(), is_found(&text));
        let Some(whole) = whole.first() else { return Ok(()) };
        for mark in &whole.marks {
            let of_phrase = words.contains(['手', '机', 'ก']);
            prop_assert!(of_phrase || is_found(&whole.text[mark.clone()]));
        }
        prop_assert!(whole.marks.windows(2).all(|two| two[0].end < two[1].start));
        let mut rest = String::new();
        let mut from = 0;
        for mark in &whole.marks {
            rest += &whole.text[from..mark.start];
            rest += " zzz ";
            from = mark.end;
        }
        rest += &whole.text[from..];
        prop_assert!(!is_found(&rest), "{words:?} in {rest:?}");

        let fragments = find(FragmentBounds { size, count });
        prop_assert!(!fragments.is_empty() && fragments.len() <= count);
        let offset = |part: &str, of: &str| part.as_ptr() as usize - of.as_ptr() as usize;
        for fragment in &fragments {
            let at = offset(fragment.text, whole.text);
            let end = at + fragment.text.len();
            // The marks that the whole text has there.
            let expected: Vec<_> = whole.marks.iter()
                .filter(|mark| mark.start < end && mark.end > at)
                .map(|mark| mark.start.max(at) - at..mark.end.min(end) - at)
                .collect();
            prop_assert_eq!(&fragment.marks, &expected);
            let longest = fragment.marks.iter().map(|mark| mark.len()).max().unwrap_or(0);
            prop_assert!(fragment.text.chars().count() <= size.max(longest));
        }
    }
}
