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
fn an_address_that_programs_disguise_is_refused_with_the_address_itself() {
    let url = "https://shop.example.com/7";
    for text in [
        "< p >URL</ p >",
        "< div class='a' >URL< /div >",
        "<style>a{background:url(URL)}</style>",
        "[img=URL]",
        "[IMG src=\"URL\"]",
        "![a](URL){width=50%}",
        "href=\"URL\"",
        "src='URL'",
        "=IMAGE(\"URL\";1)",
        "\\includegraphics{URL}",
        "view-source:URL",
        "feed:URL",
        "blob:URL",
        "https[:]//shop.example.com/7",
        "hXXps[:]//shop[.]example[.]com/7",
        "hxxps[://]shop.example.com/7",
    ] {
        let text = text.replace("URL", url);
        assert_ne!(pointed_to(&text), Pointed::Text, "{text}");
        let fault = fault_of(bare(&text)).unwrap_or_default();
        assert!(
            fault.contains(&format!("expected `{url}` alone")),
            "{text}: {fault}"
        );
    }
    for text in [
        "///pics.invalid/nopath",
        "\\\\pics.invalid\\a.png",
        "\\\\pics.invalid\\nopath",
        "data\\:image/gif;base64,R0",
        "data%3Aimage/gif;base64,R0",
        "https%253A%252F%252Fshop.example.com%252Fa.png",
    ] {
        assert_ne!(pointed_to(text), Pointed::Text, "{text}");
        assert!(fault_of(bare(text)).is_some(), "{text}");
    }
}

#[test]
fn words_beside_a_disguised_address_make_a_text() {
    let url = "https://shop.example.com/7";
    for text in [
        "< p >red shoes</ p >URL",
        "a < b and URL",
        "[img=URL] shoes",
        "![a](URL){width=50%} shoes",
        "href=\"URL\" shoes",
        "=IMAGE(\"URL\";\"shoes\")",
        "view-source:URL shows red shoes",
        "hxxps[:]//shop.example.com is a trap",
        "<style>a{background:url(URL)}</style>red shoes",
        "image(s) of shoes",
        "feed: a meal",
        "\\\\ a line of TeX",
        "data%20sheet",
    ] {
        let text = text.replace("URL", url);
        assert_eq!(pointed_to(&text), Pointed::Text, "{text}");
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
        "https://shop.example.com/a.png, Boots",
        "https://shop.example.com/7; Boots",
        "data:image/png is a type",
        "shop.example.com/a.png",
        "www.shop.example.com",
        "<img src=\"/a.png\">",
        "<br>",
        "AT&T &amp; friends",
        "100%",
        "%20",
        "12:30",
        "and/or: both",
        "ftp // sftp",
        "http\u{ff1a}\u{8d44}\u{6599}",
        "<p>see https://shop.example.com/a.png</p>",
        "<!-- red shoes -->",
        "I <3 https://shop.example.com/a.png",
        "[b]red[/b] https://shop.example.com/a.png",
    ] {
        assert_eq!(pointed_to(text), Pointed::Text, "{text}");
    }
}

/// A text in markup of its own, in which each piece may be written with references.
fn marked_up(random: &mut SplitMix64, text: &str) -> String {
    let name = *random.pick(&[
        "p",
        "br",
        "b",
        "div",
        "li",
        "td",
        "h1",
        "span",
        "wbr",
        "center",
        "x-card",
        "media:text",
    ]);
    let open = match random.below(4) {
        0 => format!("<{name} class='a b'>"),
        1 => format!("<{name}\n id=x >"),
        _ => format!("<{name}>"),
    };
    match random.below(12) {
        0 => format!("{open}{text}</{name}>"),
        1 => format!("{open}{text}"),
        2 => format!("{text}{open}"),
        3 => format!("{text}</{name}>"),
        4 => format!("</{name}>{text}"),
        5 => format!("{text}<{name}/>"),
        6 => format!("<!-- {text} -->"),
        7 => format!("<!-- a note -->{text}"),
        8 => format!("<![CDATA[{text}]]>"),
        9 => format!("<!DOCTYPE html>{open}{text}"),
        10 => format!("<?xml version=\"1.0\"?>\n{open}\n  {text}\n</{name}>"),
        _ => format!("[b]{text}[/b]"),
    }
}

fn with_references(random: &mut SplitMix64, text: &str) -> String {
    let escaped = |lt: &str, gt: &str| text.replace('<', lt).replace('>', gt);
    match random.below(8) {
        0 => escaped("&lt;", "&gt;"),
        1 => escaped("&#60;", "&#x3E;"),
        2 => escaped("&amp;lt;", "&amp;gt;"),
        3 => escaped("\\u003c", "\\u003E"),
        4 => escaped("&LT;", "&GT;"),
        _ => text.to_owned(),
    }
}

#[test]
fn a_url_alone_in_markup_is_refused_with_the_url_itself() {
    let mut random = SplitMix64(39);
    for _ in 0..ROUNDS {
        let (url, pointed) = url(&mut random);
        let mut text = marked_up(&mut random, &url);
        for _ in 0..random.below(3) {
            if !text.contains("<!") && !text.contains("[CDATA") {
                text = marked_up(&mut random, &text);
            }
        }
        text = with_references(&mut random, &text);
        if random.below(4) == 0 {
            text = around(&mut random, &text);
        }
        assert_eq!(pointed_to(&text), pointed, "{text:?} of {url:?}");
        let fault = fault_of(bare(&text)).unwrap_or_default();
        assert!(
            fault.contains(&format!("expected `{url}` alone")),
            "{text:?}: {fault}"
        );
    }
}

#[test]
fn an_address_in_tags_alone_is_refused_or_fetched() {
    let url = "https://shop.example.com/a.png";
    for (open, close) in [
        ("<p title=\"", "\"></p>"),
        ("<div style=\"background: url('", "')\"></div>"),
        ("<meta property=\"og:image\" content=\"", "\">"),
        ("<media:content url=\"", "\" type=\"image/png\"/>"),
        ("<object data=", "></object>"),
        ("<a href=\"/7\">", "</a>"),
        ("<a href=\"https://shop.example.com/7\">", "</a>"),
        ("<img src=\"", "\"><br><!-- red shoes -->"),
        ("[url=/7]", "[/url]"),
        ("[img=7x7]", "[/img]"),
        ("<p>red ", ""),
    ] {
        let text = format!("{open}{url}{close}");
        let fault = fault_of(bare(&text)).unwrap_or_default();
        let is_refused = fault.contains(&format!("expected `{url}` alone"));
        match open {
            "<p>red " => assert_eq!(pointed_to(&text), Pointed::Text),
            _ => {
                assert_eq!(pointed_to(&text), Pointed::Medium(Medium::Image), "{text}");
                assert!(is_refused || bare(&text) == url, "{text}: {fault}");
            }
        }
    }
}

#[test]
fn words_beside_a_url_in_markup_make_a_text() {
    let mut random = SplitMix64(40);
    for _ in 0..ROUNDS {
        let (url, _) = url(&mut random);
        let words = *random.pick(&["red shoes", "Farbe", "\u{898b}\u{308b}", "7", "see:"]);
        let beside = match random.below(5) {
            0 => format!("{url}<br>{words}"),
            1 => format!("{words}<br>{url}"),
            2 => format!("<p>{words}</p><p>{url}</p>"),
            3 => format!("<li>{url}</li>\n<li>{words}</li>"),
            _ => format!("{words} {url}"),
        };
        let text = marked_up(&mut random, &beside);
        let text = with_references(&mut random, &text);
        assert_eq!(pointed_to(&text), Pointed::Text, "{text:?}");
    }
}

#[test]
fn a_scheme_with_anything_blank_or_invisible_inside_is_no_text() {
    let blanks = "\t\n\u{b}\u{c}\r \u{85}\u{a0}\u{1680}\u{2000}\u{2009}\u{200a}\u{2028}\u{2029}\u{202f}\u{205f}\u{3000}";
    let others = "\u{fffc}\u{fffd}\u{2800}\u{e0041}\u{2066}\u{1}*|_'";
    for url in [
        "https://shop.example.com/a.png",
        "http://shop.example.com/pictures/7",
        "ftp://shop.example.com/a.png",
        "s3://bucket/a.png",
        "file:///a.png",
    ] {
        let end = url.find("//").unwrap_or_default() + 2;
        for c in INVISIBLE.into_iter().chain(blanks.chars()) {
            for at in 1..=end {
                for count in [1, 3] {
                    let inside = String::from(c).repeat(count);
                    let text = format!("{}{inside}{}", &url[..at], &url[at..]);
                    assert_ne!(pointed_to(&text), Pointed::Text, "{text:?}");
                    assert!(fault_of(bare(&text)).is_some(), "{text:?}");
                    let text = format!("<p>\"{text}\"</p>");
                    assert_ne!(pointed_to(&text), Pointed::Text, "{text:?}");
                }
            }
        }
        for c in others.chars() {
            for at in 1..end - 2 {
                let text = format!("{}{c}{}", &url[..at], &url[at..]);
                assert_ne!(pointed_to(&text), Pointed::Text, "{text:?}");
            }
        }
    }
    for text in [
        "https//shop.example.com/a.png",
        "http;//shop.example.com/7",
        "https :// shop.example.com/a.png",
        "h t t p s : / / shop.example.com/a.png",
        "https:/ /shop.example.com/7",
        "d ata:image/png;base64,AAAA",
        "https&NewLine;://shop.example.com/a.png",
        "https&Tab;&colon;//shop.example.com/a.png",
    ] {
        assert_ne!(pointed_to(text), Pointed::Text, "{text}");
        assert!(fault_of(bare(text)).is_some(), "{text}");
    }
}

#[test]
fn words_of_scripts_without_blanks_are_words() {
    for url in [
        "https://shop.example.com/a.png",
        "https://shop.example.com/pictures/7",
        "https://shop.example.com",
    ] {
        for words in [
            "\u{3092}\u{898b}\u{3066}",
            "\u{89c1}\u{56fe}",
            "\u{0e14}\u{0e39}\u{0e17}\u{0e35}\u{0e48}\u{0e19}\u{0e35}\u{0e48}",
            "\u{ca38}\u{ace0}\u{d558}\u{c138}\u{c694}",
            "\u{179f}\u{17bc}\u{1798}",
            "(\u{56fe}1)",
        ] {
            for text in [
                format!("{url} {words}"),
                format!("{words} {url}"),
                format!("{words}{url}"),
                format!("{words}\u{ff1a}{url}"),
                format!("{words}\u{3000}{url}"),
                format!("<p>{url}</p>{words}"),
            ] {
                assert_eq!(pointed_to(&text), Pointed::Text, "{text:?}");
            }
        }
    }
    for text in [
        "https://shop.example.com/\u{79c1}\u{306e} \u{5199}\u{771f}.png",
        "https://shop.example.com/\u{89c1}\u{56fe}",
        "https://shop.example.com/\u{89c1} 7",
    ] {
        assert_ne!(pointed_to(text), Pointed::Text, "{text:?}");
    }
}
