//! Token ids against the Python tokenizers library, see `fixtures/tokenizer/generate.py`.

use pelorus_growth::assert_linear;
use pelorus_text::{Tokenizer, TokenizerError};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use serde_json::Value;

static WORDPIECE: &[u8] = include_bytes!("fixtures/tokenizer/wordpiece.json");
static UNIGRAM: &[u8] = include_bytes!("fixtures/tokenizer/unigram.json");

fn wordpiece(max_tokens: usize) -> Tokenizer {
    Tokenizer::from_bytes(WORDPIECE, max_tokens).expect("a readable tokenizer")
}

#[test]
fn ids_are_those_of_the_oracle_whatever_truncation_and_padding_the_file_declares() {
    let cases: Vec<Value> =
        serde_json::from_str(include_str!("fixtures/tokenizer/expected.json")).unwrap();
    assert_eq!(cases.len(), 54);
    for case in &cases {
        let file = if case["file"] == "unigram" {
            UNIGRAM
        } else {
            WORDPIECE
        };
        let limit = case["limit"].as_u64().unwrap() as usize;
        let tokenizer = Tokenizer::from_bytes(file, limit).unwrap();
        let encoding = tokenizer.encode(case["text"].as_str().unwrap()).unwrap();
        assert_eq!(serde_json::json!(encoding.ids), case["ids"], "{case}");
    }
}

#[test]
fn a_long_text_loses_its_end_and_keeps_the_closing_token() {
    let long = "the dog ".repeat(1_000);
    let whole = wordpiece(10_000).encode(&long).unwrap().ids;
    assert_eq!(whole.len(), 2_002);
    for limit in [3, 4, 100, 2_001, 2_002, 2_003] {
        let ids = wordpiece(limit).encode(&long).unwrap().ids;
        assert_eq!(ids.len(), limit.min(whole.len()));
        let (last, head) = ids.split_last().unwrap();
        assert_eq!(head, &whole[..head.len()]);
        assert_eq!(Some(last), whole.last());
    }
}

#[test]
fn the_head_of_a_very_long_text_has_the_ids_of_the_whole() {
    let texts = include_str!("fixtures/nltk/texts.txt");
    let blank_head = format!("{}{texts}", " \n".repeat(2_000));
    let one_word_head = format!("{} {texts}", "x".repeat(3_000));
    let one_word = "word".repeat(5_000);
    for file in [WORDPIECE, UNIGRAM] {
        let whole = Tokenizer::from_bytes(file, 1_000_000).unwrap();
        for text in [texts, &blank_head, &one_word_head, &one_word] {
            let whole = whole.encode(text).unwrap().ids;
            for limit in [3, 10, 50, 200] {
                let ids = Tokenizer::from_bytes(file, limit)
                    .unwrap()
                    .encode(text)
                    .unwrap()
                    .ids;
                assert_eq!(ids.len(), limit.min(whole.len()));
                assert_eq!(ids[..ids.len() - 1], whole[..ids.len() - 1]);
            }
        }
    }
}

#[test]
fn a_text_without_blanks_has_the_ids_the_whole_starts_with() {
    let texts = include_str!("fixtures/nltk/texts.txt");
    let unbroken: String = texts.split_whitespace().collect();
    let twelve_times = unbroken.repeat(12);
    let scripts = "东京は大きい都市です。Москваистолица".repeat(2_000);
    for file in [WORDPIECE, UNIGRAM] {
        let whole = Tokenizer::from_bytes(file, 1_000_000).unwrap();
        for text in [&unbroken, &twelve_times, &scripts] {
            let whole = whole.encode(text).unwrap().ids;
            for limit in [3, 10, 50, 200] {
                let limited = Tokenizer::from_bytes(file, limit).unwrap();
                let ids = limited.encode(text).unwrap().ids;
                assert_eq!(ids.len(), limit.min(whole.len()));
                assert_eq!(ids[..ids.len() - 1], whole[..ids.len() - 1]);
            }
        }
    }
}

#[test]
fn words_behind_an_endless_word_or_endless_blanks_still_count() {
    let texts = include_str!("fixtures/nltk/texts.txt");
    let behind_word = format!("{} {texts}", "x".repeat(300_000));
    let behind_blanks = format!("{}{texts}", "\n".repeat(300_000));
    let between = "hello ".to_owned() + &"y".repeat(200_000) + " world " + &"z".repeat(200_000);
    for text in [behind_word, behind_blanks, between] {
        let whole = wordpiece(1_000_000).encode(&text).unwrap().ids;
        let ids = wordpiece(200).encode(&text).unwrap().ids;
        assert_eq!(ids.len(), 200.min(whole.len()));
        assert_eq!(ids[..ids.len() - 1], whole[..ids.len() - 1]);
    }
}

#[test]
fn anything_is_encoded_in_linear_time() {
    let long_word = "w".repeat(9_000) + " ";
    let pieces = [
        "x",
        "word",
        "0123456789abcdef",
        "东",
        "é",
        " ",
        "\u{301}",
        "-",
        &long_word,
    ];
    for file in [WORDPIECE, UNIGRAM] {
        let tokenizer = Tokenizer::from_bytes(file, 128).unwrap();
        for piece in pieces {
            let head: String = piece.chars().take(5).collect();
            let text = |bytes: usize| piece.repeat(bytes / piece.len());
            assert_linear(&head, 128 * 1024, text, |text: &String| {
                let ids = tokenizer.encode(text).unwrap().ids;
                assert!((2..=128).contains(&ids.len()), "{} of {head:?}", ids.len());
            });
        }
    }
}

#[test]
fn threads_share_one_tokenizer() {
    let tokenizer = wordpiece(32);
    let expected = tokenizer.encode("hello world").unwrap();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..200 {
                    assert_eq!(tokenizer.encode("hello world").unwrap(), expected);
                }
            });
        }
    });
}

const SCRIPTS: [&str; 8] = [
    "The quick brown dog jumps over the lazy fox. It runs away! Does it? Yes. ",
    "狗追着球跑，跑得很快。猫在睡觉！",
    "東京は大きい都市です。人が多い。",
    "यह एक छोटा वाक्य है। दूसरा भी है। ",
    "ภาษาไทยไม่มีจุดจบประโยคแบบนี้ ",
    "هل وصل القطار إلى المدينة؟ نعم وصل. ",
    "ሰላም ለሁሉም ይሁን። ደህና ነው። ",
    "😀👩‍👩‍👧e\u{301}🇩🇪",
];

fn without_blanks(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace()).collect()
}

/// Checks what `encode_in_parts` promises of a text with a prefix, and counts the parts.
fn check_parts(file: &[u8], limit: usize, prefix: &str, text: &str) -> usize {
    let read = |limit| Tokenizer::from_bytes(file, limit).expect("a readable tokenizer");
    let (tokenizer, boundless) = (read(limit), read(1_000_000));
    let whole = format!("{prefix}{text}");
    let parts = tokenizer.encode_in_parts(&whole, prefix.len());
    let parts = parts.expect("a text that has tokens");
    let texts: Vec<&str> = parts.iter().map(|part| part.text).collect();
    assert_eq!(without_blanks(&texts.concat()), without_blanks(text));
    for part in &parts {
        assert!(part.encoding.ids.len() <= limit);
        let of_part = boundless.encode(&format!("{prefix}{}", part.text));
        let of_part = of_part.expect("a part that has tokens");
        assert_eq!(part.encoding, of_part, "nothing of {:?} is lost", part.text);
    }
    parts.len()
}

#[test]
fn parts_cover_a_text_of_any_script_and_none_loses_its_end() {
    for file in [WORDPIECE, UNIGRAM] {
        for limit in [8, 16, 64] {
            for script in SCRIPTS {
                check_parts(file, limit, "", &script.repeat(30));
                check_parts(file, limit, "a: ", &script.repeat(7));
            }
            let mixed = SCRIPTS.concat().repeat(5);
            assert!(check_parts(file, limit, "", &mixed) > 1);
            assert!(check_parts(file, limit, "", &"x".repeat(3_000)) >= 1);
        }
    }
}

#[test]
fn a_text_that_fits_is_whole_and_a_long_one_is_cut_behind_its_sentences() {
    let tokenizer = wordpiece(16);
    let text = "the dog. the dog ran. the dog";
    let parts = tokenizer.encode_in_parts(text, 0).unwrap();
    assert_eq!(parts.len(), 1);
    assert_eq!(parts[0].text, text);
    assert_eq!(parts[0].encoding, tokenizer.encode(text).unwrap());
    let long = "the dog the dog the dog. ".repeat(4);
    let parts = tokenizer.encode_in_parts(long.trim_end(), 0).unwrap();
    let texts: Vec<&str> = parts.iter().map(|part| part.text).collect();
    assert_eq!(
        texts,
        ["the dog the dog the dog. the dog the dog the dog."; 2]
    );
}

#[test]
fn a_prefix_that_leaves_no_room_costs_the_text_and_not_the_time() {
    let prefix = "dog ".repeat(50);
    let whole = format!("{prefix}the dog");
    let parts = wordpiece(16).encode_in_parts(&whole, prefix.len()).unwrap();
    assert_eq!(parts.len(), 1);
    assert_eq!(
        (parts[0].text, parts[0].encoding.ids.len()),
        ("the dog", 16)
    );
}

#[test]
fn a_limit_without_room_for_text_is_refused() {
    for max_tokens in 0..=2 {
        let refused = Tokenizer::from_bytes(WORDPIECE, max_tokens).unwrap_err();
        let expected =
            format!("token limit must exceed the 2 special tokens, received {max_tokens}");
        assert_eq!(refused.to_string(), expected);
    }
    assert_eq!(wordpiece(3).max_tokens(), 3);
}

#[test]
fn a_file_that_is_no_tokenizer_is_refused() {
    for file in [&b""[..], b"{}", b"[1,2]", b"\xff\xfe", &WORDPIECE[..1_000]] {
        let refused = Tokenizer::from_bytes(file, 128).unwrap_err();
        assert!(
            matches!(refused, TokenizerError::Unreadable { .. }),
            "{refused}"
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig { rng_seed: RngSeed::Fixed(39), ..ProptestConfig::with_cases(300) })]

    #[test]
    fn damaged_files_are_refused_or_keep_to_the_limit(
        flips in proptest::collection::vec((any::<prop::sample::Index>(), 0..8_u32), 1..5),
        is_unigram in any::<bool>(),
        cut in proptest::option::weighted(0.1, any::<prop::sample::Index>()),
    ) {
        const LIMIT: usize = 12;
        let mut file = if is_unigram { UNIGRAM.to_vec() } else { WORDPIECE.to_vec() };
        for (place, bit) in flips {
            let at = place.index(file.len());
            file[at] ^= 1 << bit;
        }
        if let Some(cut) = cut {
            file.truncate(cut.index(file.len()));
        }
        let Ok(tokenizer) = Tokenizer::from_bytes(&file, LIMIT) else {
            return Ok(());
        };
        for text in ["", "the dog", "Ünïcödé \u{0} 😀 [SEP] [MASK]", &"a dog of the dogs ".repeat(40)] {
            let Ok(encoding) = tokenizer.encode(text) else {
                continue;
            };
            prop_assert!(encoding.ids.len() <= LIMIT, "{} ids", encoding.ids.len());
            let again = tokenizer.encode(text).map(|again| again.ids);
            prop_assert_eq!(again.ok(), Some(encoding.ids));
        }
    }
}

#[test]
fn a_pair_is_both_texts_between_special_tokens() {
    let tokenizer = wordpiece(100);
    let ids = |text: &str| tokenizer.encode(text).unwrap().ids;
    for (first, second) in [("the dog", "a cat"), ("", "the dog"), ("the dog", "")] {
        let pair = tokenizer.encode_pair(first, second).unwrap().ids;
        // The second begins behind the token that ends the first.
        assert_eq!(pair, [ids(first), ids(second)[1..].to_vec()].concat());
    }
    let separator = tokenizer.pair_separator().unwrap();
    assert_eq!(separator, ids("the dog").last().copied());
}

#[test]
fn a_pair_that_is_too_long_keeps_its_special_tokens_and_the_shorter_text() {
    let long = "the dog ".repeat(100_000);
    let tokenizer = wordpiece(40);
    let short = tokenizer.encode("a cat").unwrap().ids;
    let pair = tokenizer.encode_pair("a cat", &long).unwrap().ids;
    assert_eq!(pair.len(), 40);
    assert_eq!(pair[..short.len()], short);
    assert_eq!(pair.last(), short.last());
    let both = tokenizer.encode_pair(&long, &long).unwrap().ids;
    assert_eq!(both.len(), 40);
    assert_eq!(
        both.iter().filter(|id| Some(*id) == short.last()).count(),
        2
    );
}
