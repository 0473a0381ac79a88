//! Texts of scripts without blanks, cut into words.

use std::path::Path;

use pelorus_cancellation::Cancellation;
use pelorus_kernels::BitSet;
use pelorus_lexical::{
    FragmentBounds, LexicalIndex, LexicalOptions, LexicalQuery, Operand, PrefixWords, Segmentation,
    Typing, Typos,
};
use proptest::prelude::*;

const TEXTS: [&str; 10] = [
    "科学家研究生命的起源",
    "他是北京大学的研究生",
    "我买了手机壳和充电器",
    "東京都に住んでいます",
    "京都の古い寺を見学しました",
    "新しいコーヒーメーカーを買いました",
    "ฉันชอบกินข้าวผัดกุ้ง",
    "ผ้าสีขาวตากลมอยู่หน้าบ้าน",
    "iPhone手机2台，價格合理",
    "학교에서 한국어를 배웁니다",
];

fn open(dir: &Path, segmentation: Segmentation, alive: &BitSet) -> LexicalIndex {
    let options = LexicalOptions {
        segmentation,
        ..LexicalOptions::default()
    };
    LexicalIndex::open(dir, options, alive)
}

fn index_of(dir: &Path, segmentation: Segmentation, texts: &[&str]) -> LexicalIndex {
    let index = open(dir, segmentation, &BitSet::default());
    let batch = index.invert(texts.iter().map(|text| vec![("f", *text)]));
    let ordinals: Vec<Option<u32>> = (0..texts.len() as u32).map(Some).collect();
    index.add_batch(&batch, &ordinals).unwrap();
    index.publish();
    index
}

fn query(text: &str) -> LexicalQuery {
    LexicalQuery {
        text: text.to_owned(),
        k: 100,
        operand: Operand::And,
        ..LexicalQuery::default()
    }
}

fn found(index: &LexicalIndex, query: &LexicalQuery) -> Vec<u32> {
    let all = (0..100).collect();
    let hits = index.search(query, &all).unwrap().hits;
    let mut docs: Vec<u32> = hits.into_iter().map(|(doc, _)| doc).collect();
    docs.sort_unstable();
    docs
}

#[test]
fn words_match_and_pairs_across_their_borders_do_not() {
    let dir = tempfile::tempdir().unwrap();
    let index = index_of(dir.path(), Segmentation::Words, &TEXTS);
    for (text, docs) in [
        ("研究", vec![0]),
        ("生命起源", vec![0]),
        ("研究生", vec![1]),
        ("究生", vec![]),
        ("手机", vec![2, 8]),
        ("机壳", vec![]),
        ("東京", vec![3]),
        ("京都", vec![4]),
        ("コーヒー", vec![5]),
        ("ーメ", vec![]),
        ("ข้าว", vec![6]),
        ("ขาว", vec![7]),
        ("กุ้ง", vec![6]),
        ("วผ", vec![]),
        ("價格", vec![8]),
        ("格合", vec![]),
        // Korean stays in pairs, by which a word is found whatever it ends with.
        ("학교", vec![9]),
        ("한국", vec![9]),
    ] {
        assert_eq!(found(&index, &query(text)), docs, "{text}");
    }
}

#[test]
fn pairs_match_wherever_they_stand() {
    let dir = tempfile::tempdir().unwrap();
    let index = index_of(dir.path(), Segmentation::Pairs, &TEXTS);
    for (text, docs) in [
        ("研究", vec![0, 1]),
        ("究生", vec![0, 1]),
        ("機壳", vec![]),
        ("机壳", vec![2]),
        ("京都", vec![3, 4]),
        ("학교", vec![9]),
    ] {
        assert_eq!(found(&index, &query(text)), docs, "{text}");
    }
}

#[test]
fn words_of_a_phrase_stand_side_by_side() {
    let dir = tempfile::tempdir().unwrap();
    let index = index_of(dir.path(), Segmentation::Words, &TEXTS);
    for (text, docs) in [
        ("\"研究生命\"", vec![0]),
        ("\"研究起源\"", vec![]),
        ("起源研究", vec![0]),
        ("\"กินข้าว\"", vec![6]),
        ("\"ข้าวกิน\"", vec![]),
        ("iphone手机", vec![8]),
        ("\"手机 2\"", vec![8]),
    ] {
        assert_eq!(found(&index, &query(text)), docs, "{text}");
    }
}

#[test]
fn words_are_completed_and_corrected_as_those_of_other_scripts() {
    let dir = tempfile::tempdir().unwrap();
    let index = index_of(dir.path(), Segmentation::Words, &TEXTS);
    let typing = |prefix, typos| LexicalQuery {
        typing: Typing {
            prefix,
            typos,
            ..Typing::default()
        },
        ..query("コーヒ")
    };
    let begins = |text: &str| LexicalQuery {
        text: text.to_owned(),
        ..typing(PrefixWords::Last, None)
    };
    assert_eq!(found(&index, &begins("コーヒ")), [5]);
    assert_eq!(found(&index, &begins("買うコ")), [0_u32; 0]);
    assert_eq!(found(&index, &begins("京")), [0_u32; 0]);
    let near = LexicalQuery {
        text: "コーヒイ".to_owned(),
        ..typing(PrefixWords::None, Some(Typos::default()))
    };
    assert_eq!(found(&index, &near), [5]);
}

#[test]
fn a_word_is_marked_as_a_whole_and_where_it_stands() {
    let dir = tempfile::tempdir().unwrap();
    let index = index_of(dir.path(), Segmentation::Words, &TEXTS);
    let marked = |words: &str, text: &str| -> Vec<String> {
        let never = Cancellation::never();
        let highlighter = index.reader().highlighter(&query(words), &never).unwrap();
        let bounds = FragmentBounds { size: 1, count: 0 };
        let fragments = highlighter.fragments("f", &[text], bounds, &never).unwrap();
        let marks = fragments.into_iter().flat_map(|fragment| {
            let marks = fragment.marks.into_iter();
            marks
                .map(|mark| fragment.text[mark].to_owned())
                .collect::<Vec<_>>()
        });
        marks.collect()
    };
    assert_eq!(marked("生命", TEXTS[0]), ["生命"]);
    assert_eq!(marked("研究", TEXTS[1]), [""; 0]);
    assert_eq!(marked("ข้าว กุ้ง", TEXTS[6]), ["ข้าว", "กุ้ง"]);
    // A vowel that composition takes apart, and narrow letters that it widens.
    assert_eq!(marked("น้ำ", "ดื่มน้ำเย็น"), ["น้ำ"]);
    assert_eq!(marked("コーヒー", "熱いｺｰﾋｰです"), ["ｺｰﾋｰ"]);
    assert_eq!(marked("한국", TEXTS[9]), ["한국"]);
}

#[test]
fn files_of_texts_that_were_cut_otherwise_are_made_anew() {
    for (before, after) in [
        (Segmentation::Pairs, Segmentation::Words),
        (Segmentation::Words, Segmentation::Pairs),
    ] {
        let dir = tempfile::tempdir().unwrap();
        index_of(dir.path(), before, &TEXTS).close().unwrap();
        let alive: BitSet = (0..TEXTS.len() as u32).collect();
        let same = open(dir.path(), before, &alive);
        assert!(same.rebuild_reason().is_none());
        assert_eq!(same.watermark(), TEXTS.len() as u32);
        let borders = match before {
            Segmentation::Pairs => vec![0, 1],
            Segmentation::Words => vec![],
        };
        assert_eq!(found(&same, &query("究生")), borders);
        drop(same);
        let other = open(dir.path(), after, &alive);
        assert!(other.rebuild_reason().is_some());
        assert_eq!(other.watermark(), 0);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, failure_persistence: None, ..ProptestConfig::default() })]

    /// Any text finds itself, whatever it is made of, if it has a token at all.
    #[test]
    fn a_text_finds_itself(parts in proptest::collection::vec(
        proptest::sample::select(vec![
            "研究", "生命", "東京", "都", "の", "コーヒ", "ー", "ｶﾞ", "กิน", "ข้าว", "น้ำ", "า", "ລາວ",
            "မြန်မာ", "ខ្មែរ", "한국", "t-shirt", " ", "，", "2", "é", "\u{200B}", "👍", "㍿", "\u{301}",
        ]), 1..12))
    {
        let text = parts.concat();
        for segmentation in [Segmentation::Pairs, Segmentation::Words] {
            let dir = tempfile::tempdir().unwrap();
            let index = index_of(dir.path(), segmentation, &[&text]);
            if text.chars().any(char::is_alphanumeric) {
                prop_assert_eq!(found(&index, &query(&text)), [0_u32], "{:?} {}", segmentation, text);
                let phrase = format!("\"{}\"", text.trim());
                prop_assert_eq!(found(&index, &query(&phrase)), [0_u32], "{:?} {}", segmentation, phrase);
            }
        }
    }
}
