//! The texts that are found by some queries, in every language and script, by queries that do not name their language;
//! and the difference when one names it, or a field does.

use crate::support::{open_empty, query};
use pelorus_files::{Durability, read_manifest, write_manifest};
use pelorus_kernels::BitSet;
use pelorus_lexical::{
    FieldAnalysis, Language, LexicalIndex, LexicalOptions, LexicalQuery, Stemming,
};

fn total(index: &LexicalIndex, query: &LexicalQuery) -> u64 {
    let all: BitSet = (0..64).collect();
    index.search(query, &all).unwrap().total
}

fn finds(text: &str, asked: &str) -> bool {
    let dir = tempfile::tempdir().unwrap();
    let index = open_empty(dir.path());
    index.add(0, &[("text", text)]).unwrap();
    index.publish();
    total(&index, &query(asked)) > 0
}

#[test]
fn a_text_is_found_by_what_its_readers_type() {
    let mut missed = Vec::new();
    for (text, asked) in [
        // Case, marks and compatibility forms.
        ("ΠΟΛΙΤΗΣ", "πολίτης"),
        ("GROẞE STRAßE", "strasse"),
        ("DİYARBAKIR", "diyarbakir"),
        ("Ещё чаю", "еще"),
        ("и\u{306}од", "йод"),
        ("йод", "и\u{306}од"),
        ("\u{1112}\u{1161}\u{11AB}강", "한강"),
        ("Kraków żółw", "krakow zolw"),
        ("Þórsmörk Æsir", "aesir"),
        ("naïve façade", "naive facade"),
        ("NAÏVE FAÇADE", "façade"),
        ("ｶﾒﾗ", "カメラ"),
        ("Ｗｉｄｅ", "wide"),
        ("ﬂat oﬃcer", "flat officer"),
        ("Louis ⅩⅣ", "xiv"),
        ("№ 7", "no"),
        ("5 µm", "μm"),
        ("H₂O", "h2o"),
        // Hidden characters.
        ("inter\u{AD}national", "international"),
        ("key\u{200B}board", "keyboard"),
        ("\u{FEFF}first word", "first"),
        // Digits.
        ("صفحة ٤٢", "42"),
        ("page 42", "४२"),
        ("หน้า ๔๒", "42"),
        // English.
        ("running shoes", "run shoe"),
        ("three wolves", "wolf"),
        ("the women's tent", "woman"),
        ("state-of-the-art", "art"),
        ("F# and C++", "c++"),
        ("version 2.10.3", "2.10.3"),
        ("node.config.json", "config"),
        // Languages of Latin letters, told by their function words.
        ("Die Kinder spielten mit den Bällen im Garten", "ball"),
        ("Les fenêtres de la maison sont ouvertes", "fenetre"),
        ("Las casas de la costa son muy hermosas", "casa"),
        ("I libri sono sul tavolo della cucina", "libro"),
        ("As janelas da casa estão abertas", "janela"),
        ("De tuinen liggen bij het park en de rivier", "tuin"),
        ("Böckerna ligger på bordet och är inte mina", "böcker"),
        ("Bøkene ligger på bordet og er ikke mine", "bøker"),
        ("Bilerne holder på gaden og er ikke vores", "biler"),
        ("Kirjat ovat pöydällä ja ne ovat minun", "kirja"),
        ("Az asztalok és a székek nem nagyok", "asztal"),
        ("Evler ve bahçeler çok büyük", "ev"),
        ("Domy są na wzgórzu i nie mają ogrodów", "dom"),
        ("Casele sunt pe deal și au grădini", "casa"),
        ("Els gats són a la taula del menjador", "gat"),
        ("Anak itu tidak makanan yang di meja", "makan"),
        ("Tá na fuinneoga ar oscailt agus tá sé fuar", "bhfuinneoga"),
        // Other scripts, by themselves.
        ("деревья", "дерево"),
        ("в красивых садах", "сад"),
        ("στους δρόμους", "δρόμος"),
        ("الكتب الجديدة", "كتب"),
        ("الكتاب الجديد", "كتاب"),
        ("القلم والكتاب", "كتاب"),
        ("إسلام", "اسلام"),
        ("مُعَلِّم", "معلم"),
        ("مكتبـــة", "مكتبة"),
        ("בְּרֵאשִׁית", "בראשית"),
        ("خانه‌های قدیمی", "خانه"),
        ("लड़कियों", "लड़की"),
        ("தமிழ்நாடு அரசு", "அரசு"),
        ("বাংলা ভাষা", "ভাষা"),
        // Scripts without blanks.
        ("我喜欢喝绿茶", "绿茶"),
        ("彼は新聞を読んでいる", "新聞"),
        ("コーヒーを飲む", "コーヒー"),
        ("지하철역에서 만나요", "지하철"),
        ("วันนี้อากาศดี", "อากาศ"),
        ("ຂ້ອຍຮັກເຈົ້າ", "ຮັກ"),
        ("ភាសាខ្មែរ", "ខ្មែរ"),
        ("ကျေးဇူးတင်ပါတယ်", "ကျေးဇူး"),
        ("Sony相机Alpha", "相机"),
        ("Sony相机Alpha", "alpha"),
        // Emoji and symbols.
        ("party 🎉 tonight", "🎉"),
        ("nice👍🏽", "👍"),
        ("❤️", "❤"),
        ("from 🇯🇵 with love", "🇯🇵"),
        ("👨‍👩‍👧 day", "👨‍👩‍👧"),
        ("x ≠ y", "≠"),
        ("100€", "100"),
        ("Nike™ Air", "nike"),
    ] {
        if !finds(text, asked) {
            missed.push(format!("{text:?} by {asked:?}"));
        }
    }
    assert_eq!(missed, Vec::<String>::new());
}

#[test]
fn another_word_is_not_found() {
    for (text, asked) in [
        ("N.A.T.O. summit", "nato"),
        ("e-mail", "email"),
        ("1,500 km", "1500"),
        ("theatre", "theater"),
        ("can't", "cant"),
        ("Handschuhe sind in der Kiste und nicht hier", "Schuhe"),
        ("が", "か"),
        ("हिन्दी", "हिन"),
        ("👩‍🚀", "👩"),
        ("🇫🇷", "🇩🇪"),
    ] {
        assert!(!finds(text, asked), "{text:?} by {asked:?}");
    }
}

/// Tables of texts to be found hold some of these with the opposite answer. Analyzers of other engines find them too.
#[test]
fn a_matter_of_taste_is_found() {
    for (text, asked, why) in [
        (
            "Die Häuser stehen in der Stadt und sind sehr alt",
            "haeuser",
            "umlauts are typed so, and Snowball's German stemmer takes one for the other",
        ),
        (
            "繁體中文搜尋",
            "繁体中文",
            "one pair of the three is the same, and a query asks for any of its words",
        ),
        (
            "東京都に住んでいます",
            "京都",
            "a pair across the border of two words: no dictionary cuts texts, so that no word is missed",
        ),
    ] {
        assert!(finds(text, asked), "{text:?} by {asked:?}: {why}");
    }
}

#[test]
fn a_word_finds_itself_whatever_its_text_was_taken_for() {
    let texts = [
        "Die Katzen schlafen auf dem Sofa und nicht im Garten",
        "The cats are asleep on the sofa and not in the garden",
        "Les chats dorment sur le canapé et pas dans le jardin",
    ];
    let dir = tempfile::tempdir().unwrap();
    let index = open_empty(dir.path());
    for (doc, text) in texts.iter().enumerate() {
        index.add(doc as u32, &[("text", text)]).unwrap();
    }
    index.publish();
    for (doc, text) in texts.iter().enumerate() {
        for word in text.split(' ') {
            for asked in [word.to_owned(), word.to_uppercase(), format!("\"{word}\"")] {
                let hits = index.search(&query(&asked), &[doc as u32].into_iter().collect());
                assert_eq!(hits.unwrap().total, 1, "{asked}");
            }
        }
        assert_eq!(total(&index, &query(&format!("\"{text}\""))), 1);
    }
}

#[test]
fn the_language_of_a_query_is_the_one_it_is_analysed_in() {
    let dir = tempfile::tempdir().unwrap();
    let index = open_empty(dir.path());
    index
        .add(0, &[("text", "Die Hunde und die Katzen")])
        .unwrap();
    index.publish();
    let asked = |text: &str, tag: Option<&str>| LexicalQuery {
        language: tag.map(Language::from_tag),
        ..query(text)
    };
    // "Katzen" is "katz" in German, and stays as it is in English.
    assert_eq!(total(&index, &asked("Katzen", Some("de"))), 1);
    assert_eq!(total(&index, &asked("Katze", Some("de-AT"))), 1);
    assert_eq!(total(&index, &asked("Katzen", Some("en"))), 0);
    assert_eq!(total(&index, &asked("Katzen", Some("klingon"))), 0);
    assert_eq!(total(&index, &asked("Katze", None)), 1);
}

#[test]
fn a_field_is_analysed_as_was_said_of_it() {
    let dir = tempfile::tempdir().unwrap();
    let index = open_empty(dir.path());
    let stemming = |stemming| FieldAnalysis {
        language: None,
        stemming,
    };
    index.set_field_analysis("exact", stemming(Stemming::None));
    index.set_field_analysis("both", stemming(Stemming::Multiple));
    let german = FieldAnalysis {
        language: Some(Language::De),
        stemming: Stemming::Best,
    };
    index.set_field_analysis("german", german);
    index.add(0, &[("exact", "dogs")]).unwrap();
    index.add(1, &[("both", "dogs")]).unwrap();
    index.add(2, &[("both", "dog")]).unwrap();
    index.add(3, &[("german", "Katzen")]).unwrap();
    index.publish();
    for _ in 0..2 {
        let all: BitSet = (0..8).collect();
        let found = |asked: &str| -> Vec<u32> {
            let hits = index.search(&query(asked), &all).unwrap().hits;
            hits.into_iter().map(|(doc, _)| doc).collect()
        };
        let sorted = |mut docs: Vec<u32>| {
            docs.sort_unstable();
            docs
        };
        assert_eq!(sorted(found("dogs")), [0, 1, 2]);
        assert_eq!(sorted(found("dog")), [1, 2]);
        // The word as it is counts on top of its stem.
        assert_eq!(found("dogs").iter().find(|&&doc| doc != 0), Some(&1));
        assert_eq!(found("Katze"), [3]);
        let german = LexicalQuery {
            fields: Some(vec!["german".into()]),
            ..query("katze dog")
        };
        assert_eq!(total(&index, &german), 1);
        // The same from the files.
        index.close().unwrap();
    }
    drop(index);
    let alive: BitSet = (0..4).collect();
    let index = LexicalIndex::open(dir.path(), LexicalOptions::default(), &alive);
    assert!(index.rebuild_reason().is_none());
    assert_eq!(total(&index, &query("Katze")), 1);
    assert_eq!(total(&index, &query("dog")), 2);
}

#[test]
fn texts_of_another_analysis_are_to_be_added_again() {
    let dir = tempfile::tempdir().unwrap();
    let index = open_empty(dir.path());
    index.add(0, &[("text", "words")]).unwrap();
    index.publish();
    index.close().unwrap();
    drop(index);
    let manifest = dir.path().join("manifest");
    let text = String::from_utf8(read_manifest(&manifest).unwrap().unwrap()).unwrap();
    assert!(text.contains(r#""analysis":4"#));
    let older = text.replace(r#""analysis":4"#, r#""analysis":3"#);
    write_manifest(&manifest, &older, Durability::None).unwrap();
    let alive: BitSet = [0].into_iter().collect();
    let index = LexicalIndex::open(dir.path(), LexicalOptions::default(), &alive);
    let reason = index.rebuild_reason().map(ToString::to_string);
    assert!(reason.is_some_and(|reason| reason.ends_with("written by another version")));
    assert_eq!((index.watermark(), index.document_count()), (0, 0));
}
