//! The cost of texts by their script, cut into pairs of characters and into words.
//!
//! Made-up documents of sentences in a random order, 2 KB each, inverted in batches of 128 by one thread: megabytes of
//! text a second of processor time, and the bytes that postings of them take in memory.
//!
//! `cargo run --release -p pelorus-lexical --example segmentation [MEGABYTES]`

use pelorus_growth::thread_time;
use pelorus_kernels::BitSet;
use pelorus_lexical::{LexicalIndex, LexicalOptions, Segmentation};
use pelorus_random::SplitMix64;

const BATCH: usize = 128;
const DOCUMENT_BYTES: usize = 2_000;

const SCRIPTS: [(&str, [&str; 4]); 5] = [
    (
        "Chinese",
        [
            "科学家研究生命的起源，",
            "他是北京大学的研究生。",
            "我买了手机壳和充电器，价格合理。",
            "明天的天气会很好，我们去公园散步吧。",
        ],
    ),
    (
        "Japanese",
        [
            "東京都に住んでいます。",
            "新しいコーヒーメーカーを買いました。",
            "京都の古い寺を見学しました。",
            "日本語の形態素解析を勉強しています。",
        ],
    ),
    (
        "Thai",
        [
            "ฉันชอบกินข้าวผัดกุ้ง ",
            "ภาษาไทยเขียนติดกันไม่มีช่องว่าง ",
            "ผ้าสีขาวตากลมอยู่หน้าบ้าน ",
            "วันนี้อากาศดีมากเราไปเดินเล่นกันเถอะ ",
        ],
    ),
    (
        "Burmese",
        [
            "မြန်မာစာကို လေ့လာသည်။ ",
            "ယနေ့ ရာသီဥတု ကောင်းသည်။ ",
            "ကျွန်တော် ထမင်းစားသည်။ ",
            "စာအုပ်အသစ် ဝယ်ခဲ့သည်။ ",
        ],
    ),
    (
        "German",
        [
            "Die Wissenschaft erforscht den Ursprung des Lebens. ",
            "Er studiert an der Universität von Peking. ",
            "Ich habe eine Hülle und ein Ladegerät gekauft. ",
            "Morgen wird das Wetter schön, gehen wir spazieren. ",
        ],
    ),
];

fn main() {
    let megabytes = std::env::args().nth(1).and_then(|n| n.parse().ok());
    let documents = megabytes.unwrap_or(16) * 1_000_000 / DOCUMENT_BYTES;
    for (script, sentences) in SCRIPTS {
        for segmentation in [Segmentation::Pairs, Segmentation::Words] {
            measure(script, segmentation, &sentences, documents);
        }
    }
}

fn measure(script: &str, segmentation: Segmentation, sentences: &[&str], documents: usize) {
    let dir = tempfile::tempdir().expect("a temporary directory can be made");
    let options = LexicalOptions {
        segmentation,
        ..LexicalOptions::default()
    };
    let index = LexicalIndex::open(dir.path(), options, &BitSet::default());
    let mut random = SplitMix64(7);
    let (mut bytes, mut memory) = (0, 0);
    let mut spent = std::time::Duration::ZERO;
    for _ in 0..documents.div_ceil(BATCH) {
        let texts: Vec<String> = (0..BATCH).map(|_| text(&mut random, sentences)).collect();
        bytes += texts.iter().map(String::len).sum::<usize>();
        let from = thread_time();
        let batch = index.invert(texts.iter().map(|text| [("f", &**text)]));
        spent += thread_time() - from;
        memory += batch.memory_bytes();
    }
    println!(
        "{script:8} {:5} {:6.1} MB/s, {:.2} bytes of postings for a byte of text",
        segmentation.as_str(),
        bytes as f64 / 1e6 / spent.as_secs_f64(),
        memory as f64 / bytes as f64,
    );
}

fn text(random: &mut SplitMix64, sentences: &[&str]) -> String {
    let mut text = String::new();
    while text.len() < DOCUMENT_BYTES {
        text += sentences[random.below(sentences.len())];
    }
    text
}
