//! The line between pointers and texts: an address is one in whatever disguise, and a sentence with an address is none.

use pelorus_embed::{Medium, Pointed, bare, fault_of, pointed_to};
use pelorus_random::SplitMix64;

const ROUNDS: usize = 3_000;

const INVISIBLE: [char; 24] = [
    '\u{ad}', '\u{34f}', '\u{61c}', '\u{115f}', '\u{180e}', '\u{200b}', '\u{200c}', '\u{200d}',
    '\u{200e}', '\u{200f}', '\u{202a}', '\u{202b}', '\u{202c}', '\u{202d}', '\u{202e}', '\u{2060}',
    '\u{2066}', '\u{2069}', '\u{3164}', '\u{fe0f}', '\u{feff}', '\u{fffa}', '\u{0}', '\u{7f}',
];

const BLANKS: [&str; 7] = [" ", "\n", "\r\n", "\t", "\u{a0}", "\u{2003}", "\u{3000}"];

/// Pairs of marks, each of which may also stand alone on one side.
const PAIRS: [(&str, &str); 26] = [
    ("\"", "\""),
    ("'", "'"),
    ("`", "`"),
    ("```\n", "\n```"),
    ("\u{201e}", "\u{201c}"),
    ("\u{201c}", "\u{201d}"),
    ("\u{201d}", "\u{201d}"),
    ("\u{2018}", "\u{2019}"),
    ("\u{201a}", "\u{2018}"),
    ("\u{ab}", "\u{bb}"),
    ("\u{2039}", "\u{203a}"),
    ("\u{300c}", "\u{300d}"),
    ("\u{ff02}", "\u{ff02}"),
    ("(", ")"),
    ("[", "]"),
    ("{", "}"),
    ("<", ">"),
    ("[\"", "\"]"),
    ("\\\"", "\\\""),
    ("&quot;", "&quot;"),
    ("&#34;", "&#x22;"),
    ("&amp;quot;", "&amp;quot;"),
    ("&lt;", "&gt;"),
    ("&nbsp;", "&nbsp;"),
    ("- ", ""),
    ("\u{1f449} ", ""),
];

/// Markup, which is one only as a whole.
const MARKUP: [(&str, &str); 14] = [
    ("url(", ")"),
    ("url(\"", "\");"),
    ("URL('", "')"),
    ("<img src=\"", "\">"),
    ("<img src='", "' />"),
    ("<IMG SRC=", " alt=\"red shoes\">"),
    ("<img alt=\"red > shoes\" width=7 src=\"", "\"/>"),
    ("<p><img class='a b' data-src=\"", "\"></p>"),
    ("<video controls><source src=\"", "\"></video>"),
    ("<a href=\"", "\"></a>"),
    ("![](", ")"),
    ("![red shoes](", ")"),
    ("![red shoes](", " \"red shoes\")"),
    ("[img]", "[/img]"),
];

fn url(random: &mut SplitMix64) -> (String, Pointed) {
    let scheme = random.pick(&["http", "https", "HTTPS", "ftp"]);
    let host = random.pick(&[
        "shop.example.com",
        "127.0.0.1:8080",
        "localhost",
        "m\u{fc}ller.example",
        "a.xn--p1ai",
        "user:word@shop.example.com",
    ]);
    let folder = random.pick(&[
        "",
        "/pictures",
        "/7_(b)",
        "/l'e't",
        "/~me",
        "/\u{7d75}",
        "/a=b&c;d",
    ]);
    let image = Pointed::Medium(Medium::Image);
    let &(name, pointed) = random.pick(&[
        ("/a.png", image),
        ("/a-b_c.JPEG", image),
        ("/a.mp4", Pointed::Medium(Medium::Video)),
        ("/a.ogg", Pointed::Medium(Medium::Audio)),
        ("/7", Pointed::Unknown),
        ("/wiki/Red_(colour)", Pointed::Unknown),
        ("/", Pointed::Unknown),
    ]);
    let query = random.pick(&["", "?size=2", "?a=1&b=(2)", "#top"]);
    (format!("{scheme}://{host}{folder}{name}{query}"), pointed)
}

fn around(random: &mut SplitMix64, text: &str) -> String {
    let (open, close) = *random.pick(&PAIRS);
    match random.below(5) {
        0 => format!(
            "{}{text}{}",
            random.pick(&INVISIBLE),
            random.pick(&INVISIBLE)
        ),
        1 => format!("{}{text}{}", random.pick(&BLANKS), random.pick(&BLANKS)),
        2 => format!("{open}{text}"),
        // One alone behind a URL may be its own.
        3 if close != "'" => format!("{text}{close}"),
        _ => format!("{open}{text}{close}"),
    }
}

#[test]
fn a_url_in_any_disguise_is_fetched_as_it_is() {
    let mut random = SplitMix64(36);
    for _ in 0..ROUNDS {
        let (url, pointed) = url(&mut random);
        let mut text = url.clone();
        for _ in 0..random.below(3) {
            text = around(&mut random, &text);
        }
        if random.below(3) == 0 && !text.contains(['"', '\'', '<', '>', '&', '\n', ' ', '\u{a0}']) {
            let (open, close) = *random.pick(&MARKUP);
            text = format!("{open}{url}{close}");
            text = around(&mut random, &text);
        }
        assert_eq!(pointed_to(&text), pointed, "{text:?} of {url:?}");
        assert_eq!(bare(&text), url, "{text:?}");
        assert_eq!(fault_of(bare(&text)), None, "{text:?}");
    }
}

#[test]
fn a_broken_url_in_any_disguise_is_refused_or_fetched_and_never_a_text() {
    let mut random = SplitMix64(37);
    for _ in 0..ROUNDS {
        let (url, _) = url(&mut random);
        let places: Vec<usize> = url.char_indices().map(|(at, _)| at).collect();
        let at = *random.pick(&places);
        let path = url.find("://").map_or(0, |at| at + 3);
        let path = path + url[path..].find('/').unwrap_or_default() + 1;
        let broken = match random.below(7) {
            0 => format!("{}{}{}", &url[..at], random.pick(&INVISIBLE), &url[at..]),
            1 => format!("{}my {}", &url[..path], &url[path..]),
            2 => format!("{}my\nown{}", &url[..path], &url[path..]),
            3 => url.replace('/', "\\/"),
            4 => url.replacen(':', "\u{ff1a}", 1),
            5 => format!("{url}\n{url}"),
            _ => url.replace(':', "%3A").replace('/', "%2F"),
        };
        let mut text = broken.clone();
        for _ in 0..random.below(3) {
            text = around(&mut random, &text);
        }
        assert_ne!(pointed_to(&text), Pointed::Text, "{text:?} of {broken:?}");
        let is_plain = bare(&text) == url || broken.contains("my ") && text.contains(&broken);
        let fault = fault_of(bare(&text));
        let joins = ['\u{200c}', '\u{200d}', '\u{fe0f}']
            .iter()
            .any(|&c| broken.contains(c));
        assert!(
            is_plain || joins || fault.is_some(),
            "{text:?}: {:?}",
            bare(&text)
        );
    }
}

#[test]
fn a_sentence_with_a_url_is_a_text() {
    let words = [
        "red",
        "shoes",
        "of",
        "leather,",
        "new:",
        "\u{201e}Qualit\u{e4}t\u{201c}",
        "(cheap)",
        "the",
        "best;",
        "\u{43a}\u{440}\u{430}\u{441}\u{43d}\u{44b}\u{435}",
        "\u{7ea2}\u{978b}",
        "caf\u{e9}",
        "7",
        "C:",
        "a/b",
    ];
    let mut random = SplitMix64(38);
    for _ in 0..ROUNDS {
        let (url, _) = url(&mut random);
        let count = 1 + random.below(6);
        let mut picked: Vec<&str> = (0..count).map(|_| *random.pick(&words)).collect();
        // At the beginning it takes several words to be no part of a path.
        let at = random.below(picked.len() + 1);
        picked.insert(at, &url);
        let end = *random.pick(&[
            "in the shop.",
            "und mehr!",
            "\u{3092}\u{898b}\u{308b}\u{3002} ok",
            "is it?",
        ]);
        picked.push(end);
        let sentence = picked.join(*random.pick(&[" ", "  ", "\n", "\u{a0}"]));
        let text = match random.below(6) {
            0 => format!("<p>{sentence}</p>"),
            1 => format!("\"{sentence}\""),
            2 => format!("- {sentence}"),
            3 => format!("\u{200e}{sentence}"),
            _ => sentence,
        };
        assert_eq!(pointed_to(&text), Pointed::Text, "{text:?}");
    }
}

#[test]
fn words_beside_an_address_make_a_text() {
    for text in [
        "photo: https://shop.example.com/a.png",
        "url=https://shop.example.com/a.png",
        "see https://shop.example.com/a.png",
        "https://shop.example.com/a.png shows red shoes",
        "[red shoes](https://shop.example.com/a.png)",
        "<a href=\"https://shop.example.com/a.png\">red shoes</a>",
        "<p>Red shoes</p><img src=\"https://shop.example.com/a.png\">",
        "background: url(https://shop.example.com/a.png)",
        "{\"url\": \"https://shop.example.com/a.png\"}",
        "1. https://shop.example.com/a.png",
        "[img]https://shop.example.com/a.png[/img] red shoes",
        "![red](https://shop.example.com/a.png) shoes",
        "shop.example.com/a.png",
        "www.shop.example.com",
        "<img src=\"/a.png\">",
        "<br>",
        "AT&T &amp; friends",
        "100%",
        "%20",
        "12:30",
        "and/or: both",
    ] {
        assert_eq!(pointed_to(text), Pointed::Text, "{text}");
    }
}
