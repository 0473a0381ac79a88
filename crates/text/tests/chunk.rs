//! Chunks: published examples, refusals, and properties over any text.

use pelorus_text::{
    ChunkError, ChunkMethod, ChunkSpec, SentenceRule, chunk, chunk_within, sentences, words,
};
use proptest::prelude::*;

use ChunkMethod::{Character, Passage, Sentence, Word};

const METHODS: [ChunkMethod; 4] = [Character, Word, Sentence, Passage];

fn spec(method: ChunkMethod, split_length: usize, split_overlap: usize) -> ChunkSpec {
    ChunkSpec::new(method, split_length, split_overlap).expect("overlap below length")
}

fn split(
    text: &str,
    method: ChunkMethod,
    split_length: usize,
    split_overlap: usize,
) -> Vec<String> {
    chunk(text, &spec(method, split_length, split_overlap))
}

#[test]
fn characters_overlap_as_published() {
    assert_eq!(split("short", Character, 4, 1), ["shor", "rt"]);
    assert_eq!(split("short", Character, 4, 2), ["shor", "ort"]);
    assert_eq!(split("short", Character, 4, 3), ["shor", "hort"]);
    assert_eq!(split("short", Character, 1, 0), ["s", "h", "o", "r", "t"]);
    assert_eq!(split("short", Character, 5, 4), ["short"]);
    assert_eq!(split("short", Character, 99, 0), ["short"]);
}

#[test]
fn characters_are_code_points() {
    assert_eq!(split("añ😀字", Character, 2, 0), ["añ", "😀字"]);
    assert_eq!(split("e\u{301}x", Character, 1, 0), ["e", "\u{301}", "x"]);
}

#[test]
fn words_overlap_as_published() {
    let text = "some text to test chunking";
    assert_eq!(
        split(text, Word, 3, 1),
        ["some text to", "to test chunking"]
    );
}

#[test]
fn words_are_those_of_every_sentence() {
    assert_eq!(
        split("It's late. \"Go!\"", Word, 4, 0),
        ["It 's late .", "`` Go ! ''"]
    );
}

#[test]
fn sentences_are_joined_by_one_blank_and_trimmed_behind() {
    let text = "  One came.\n\nTwo went.  Three stayed. ";
    assert_eq!(
        split(text, Sentence, 2, 0),
        ["  One came. Two went.", "Three stayed."]
    );
    assert_eq!(
        chunk(text, &ChunkSpec::default()),
        split(text, Sentence, 2, 0)
    );
}

#[test]
fn passages_end_at_a_blank_line_and_empty_ones_count() {
    assert_eq!(split("a\n\nb\nc\n\nd", Passage, 1, 0), ["a", "b\nc", "d"]);
    assert_eq!(split("a\n\n\nb", Passage, 1, 0), ["a", "\nb"]);
    assert_eq!(split("a\n\n\n\nb", Passage, 1, 0), ["a", "b"]);
    assert_eq!(split("a\n\n\n\n\n\n\n\nb", Passage, 2, 0), ["a ", " ", "b"]);
}

#[test]
fn a_blank_text_is_one_blank_and_a_single_character_is_itself() {
    for method in METHODS {
        for blank in ["", " ", "\n\n", " \t\r\n\u{a0}\u{3000}\u{1f}"] {
            assert_eq!(split(blank, method, 1, 0), [" "], "{method} of {blank:?}");
        }
        for single in ["a", "\"", ".", "😀"] {
            assert_eq!(split(single, method, 3, 2), [single], "{method}");
        }
    }
}

#[test]
fn a_window_that_would_not_advance_is_refused() {
    assert_eq!(ChunkSpec::new(Word, 0, 0), Err(ChunkError::ZeroLength));
    let refused = ChunkSpec::new(Word, 2, 2).unwrap_err();
    assert_eq!(
        refused,
        ChunkError::OverlapNotBelowLength {
            split_length: 2,
            split_overlap: 2
        }
    );
    assert_eq!(
        refused.to_string(),
        "split overlap must be less than the split length 2, received 2"
    );
    let default = ChunkSpec::default();
    assert_eq!(ChunkSpec::new(Sentence, 2, 0), Ok(default));
    assert_eq!(
        (
            default.method(),
            default.split_length(),
            default.split_overlap()
        ),
        (Sentence, 2, 0)
    );
}

#[test]
fn methods_are_read_by_name() {
    for method in METHODS {
        assert_eq!(method.to_string().parse(), Ok(method));
    }
    let refused = "Sentence".parse::<ChunkMethod>().unwrap_err();
    assert!(
        refused.to_string().ends_with("received \"Sentence\""),
        "{refused}"
    );
}

#[test]
fn more_windows_than_the_limit_are_refused_before_they_are_built() {
    let text = "x".repeat(1_000_000);
    let spec = spec(Character, 500_000, 499_999);
    let refused = ChunkError::TooManyChunks {
        limit: 1_000,
        received: 500_001,
    };
    assert_eq!(chunk_within(&text, &spec, 1_000), Err(refused));
    assert_eq!(chunk_within("abc", &spec, 1), Ok(vec!["abc".to_owned()]));
}

#[test]
fn chunks_that_repeat_a_text_too_often_are_refused_before_they_are_built() {
    let text = "x".repeat(1_000_000);
    let limit = 32 * text.len() + 262_144;
    let half = spec(Character, 500_000, 499_500);
    let refused = ChunkError::TooMuchOverlap {
        limit,
        received: 1_001 * 500_000,
    };
    assert_eq!(
        refused.to_string(),
        "overlapping chunks repeat the text until they hold 500500000 bytes, expected at most 32262144"
    );
    assert_eq!(chunk_within(&text, &half, 2_000), Err(refused));
    let twentyfold = spec(Character, 20_000, 19_000);
    let chunks = chunk_within(&text, &twentyfold, 2_000).unwrap();
    assert!(chunks.iter().map(String::len).sum::<usize>() > 19 * text.len());

    let words = "word ".repeat(20_000);
    let refused = chunk_within(&words, &spec(Word, 10_000, 9_990), 2_000).unwrap_err();
    let received = 1_001 * (10_000 * 5 - 1);
    assert!(
        matches!(refused, ChunkError::TooMuchOverlap { received: got, .. } if got == received),
        "{refused}"
    );
    let passages = "line\n\n".repeat(20_000);
    assert!(chunk_within(&passages, &spec(Passage, 10_000, 9_990), 2_000).is_err());
}

#[test]
fn a_short_text_may_be_repeated_as_often_as_it_has_chunks() {
    let text = "x".repeat(1_000);
    let dense = spec(Character, 500, 499);
    assert_eq!(chunk_within(&text, &dense, 1_000).unwrap().len(), 501);
}

fn every_script(text: &str, split_length: usize) -> Vec<String> {
    let spec = spec(Sentence, split_length, 0).with_sentences(SentenceRule::EveryScript);
    chunk(text, &spec)
}

#[test]
fn texts_of_every_script_are_cut_at_their_own_full_stops() {
    for (sentence, separator) in [
        ("狗追着球跑。", ""),
        ("犬が走った！」", ""),
        ("यह एक छोटा वाक्य है।", " "),
        ("هل وصل القطار إلى المدينة؟", " "),
        ("یہ ایک جملہ ہے۔", " "),
        ("ሰላም ለሁሉም ይሁን።", " "),
        ("Սա նախադասություն է։", " "),
        ("ဒါက စာကြောင်းတစ်ခုပါ။", " "),
        ("នេះជាប្រយោគ។", " "),
        ("The dog ran.", " "),
    ] {
        let text = vec![sentence; 80].join(separator);
        let pair = [sentence, sentence].join(separator);
        assert_eq!(every_script(&text, 2), vec![pair; 40], "{sentence}");
        let english = chunk(&text, &spec(Sentence, 2, 0));
        assert_eq!(
            english.len(),
            if sentence.is_ascii() { 40 } else { 1 },
            "{sentence}"
        );
    }
}

#[test]
fn sentences_of_several_scripts_in_one_text_are_all_cut() {
    let text = "He said hello. 他说你好。She left！ Они ушли. ठीक है। 😀😀。 done";
    assert_eq!(
        every_script(text, 1),
        [
            "He said hello.",
            "他说你好。",
            "She left！",
            "Они ушли.",
            "ठीक है।",
            "😀😀。",
            "done"
        ]
    );
    // Without a stop there is nothing to cut at: the limit of the model does it.
    for text in [
        "ภาษาไทยไม่มีจุด ".repeat(50),
        "😀".repeat(500),
        "没有句号".repeat(100),
    ] {
        assert_eq!(every_script(&text, 1).len(), 1);
    }
}

/// Sentences of many scripts, with and without blanks between.
fn scripts() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        4 => "[a-z]{1,5}[.?!]? ?",
        4 => "[一-十]{1,4}[。！？｡，]?[」”)]? ?",
        2 => "[अ-ह]{1,4}[।॥]? ?",
        2 => "[ا-ي]{1,4}[؟۔،]? ?",
        1 => "[ก-ฮ]{1,4} ?",
        1 => "(😀|👩‍👧|e\u{301}|．|３．１|\n\n)",
    ];
    prop::collection::vec(piece, 0..20).prop_map(|pieces| pieces.concat())
}

/// Text over pieces that the rules react to, mixed with any characters at all.
fn texts() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        6 => r#"[ .?!,:'"`()\n-]{1,3}"#,
        4 => "[A-Za-z0-9]{1,6}",
        2 => "(Mr|etc|U\\.S|e\\.g|n't|'s|cannot|'tis|wanna|\\. \\. \\.)",
        3 => any::<String>(),
    ];
    prop::collection::vec(piece, 0..20).prop_map(|pieces| pieces.concat())
}

fn specs() -> impl Strategy<Value = ChunkSpec> {
    let lengths = (1_usize..12).prop_flat_map(|length| (Just(length), 0..length));
    (prop::sample::select(&METHODS), lengths)
        .prop_map(|(method, (length, overlap))| spec(method, length, overlap))
}

fn units(text: &str, method: ChunkMethod) -> Vec<String> {
    match method {
        Character => text.chars().map(String::from).collect(),
        Word => words(text),
        Sentence => sentences(text).into_iter().map(str::to_owned).collect(),
        Passage => text.split("\n\n").map(str::to_owned).collect(),
    }
}

/// The windows by the words of the rule, unit by unit.
fn naive_chunks(text: &str, spec: &ChunkSpec) -> Vec<String> {
    let is_blank = |c: char| c.is_whitespace() || ('\u{1c}'..='\u{1f}').contains(&c);
    if text.chars().all(is_blank) {
        return vec![" ".to_owned()];
    }
    if text.chars().count() == 1 {
        return vec![text.to_owned()];
    }
    let units = units(text, spec.method());
    let separator = if spec.method() == Character { "" } else { " " };
    let step = spec.split_length() - spec.split_overlap();
    let mut chunks = Vec::new();
    let mut start = 0;
    loop {
        let end = units.len().min(start + spec.split_length());
        chunks.push(units[start..end].join(separator));
        if end == units.len() {
            chunks.retain(|chunk| !chunk.is_empty());
            return chunks;
        }
        start += step;
    }
}

fn without_blanks(text: &str) -> String {
    text.chars()
        .filter(|c| !c.is_whitespace() && !('\u{1c}'..='\u{1f}').contains(c))
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn chunks_are_those_of_the_plain_rule(text in texts(), spec in specs()) {
        prop_assert_eq!(chunk(&text, &spec), naive_chunks(&text, &spec));
    }

    #[test]
    fn a_text_has_a_chunk_and_no_more_than_units(text in texts(), spec in specs()) {
        let chunks = chunk(&text, &spec);
        prop_assert!(!chunks.is_empty() && chunks.len() <= text.chars().count().max(1));
        prop_assert!(chunks.iter().all(|chunk| !chunk.is_empty()));
        prop_assert_eq!(chunk_within(&text, &spec, text.len().max(1) + 1), Ok(chunks));
    }

    #[test]
    fn chunks_without_overlap_cover_the_text(text in texts(), length in 1_usize..6) {
        for method in [Character, Sentence, Passage] {
            let chunks = split(&text, method, length, 0);
            prop_assert_eq!(without_blanks(&chunks.concat()), without_blanks(&text), "{}", method);
        }
    }

    #[test]
    fn chunks_of_every_script_cover_the_text(text in scripts(), length in 1_usize..4) {
        let chunks = every_script(&text, length);
        prop_assert_eq!(without_blanks(&chunks.concat()), without_blanks(&text));
        prop_assert!(chunks.len() >= split(&text, Sentence, length, 0).len());
        let spec = spec(Sentence, length, 0).with_sentences(SentenceRule::EveryScript);
        prop_assert_eq!(chunk_within(&text, &spec, text.len().max(1) + 1), Ok(chunks));
    }

    #[test]
    fn texts_without_other_full_stops_are_cut_as_before(text in texts(), spec in specs()) {
        let text = text.replace(|c: char| !c.is_ascii() && !c.is_alphanumeric(), "");
        let every = spec.with_sentences(SentenceRule::EveryScript);
        prop_assert_eq!(chunk(&text, &every), chunk(&text, &spec));
    }

    #[test]
    fn words_cover_the_text_but_for_the_names_of_quotes(text in texts()) {
        let bare = |text: &str| without_blanks(text).replace(['"', '\'', '`'], "");
        prop_assert_eq!(bare(&words(&text).concat()), bare(&text));
        prop_assert!(words(&text).iter().all(|word| !word.is_empty() && !word.contains(' ')));
    }

    #[test]
    fn sentences_stand_in_the_text_in_order_with_blanks_between(text in texts()) {
        let mut rest = text.as_str();
        for sentence in sentences(&text) {
            let gap = rest.find(sentence).unwrap();
            prop_assert!(without_blanks(&rest[..gap]).is_empty());
            rest = &rest[gap + sentence.len()..];
        }
        prop_assert!(without_blanks(rest).is_empty());
    }
}
