//! Queries as terms for an index that is kept elsewhere.

use std::collections::BTreeSet;

use pelorus_lexical::{
    FieldAnalysis, Language, LexicalQuery, Operand, QueryTerms, SearchForm, Stemming, TextFields,
};

fn terms(text: &str, named: Option<&[&str]>, fields: &TextFields) -> QueryTerms {
    let query = LexicalQuery {
        text: text.to_owned(),
        fields: named.map(|named| named.iter().map(|&name| name.to_owned()).collect()),
        k: 0,
        operand: Operand::Or,
        ..LexicalQuery::default()
    };
    QueryTerms::of(&query, fields).unwrap()
}

fn field(name: &'static str, text: &str) -> (&'static str, Vec<u8>) {
    let number = TextFields::analysis_number(FieldAnalysis::default(), text);
    (name, vec![number])
}

#[test]
fn a_term_stands_in_each_field_in_the_forms_that_its_texts_have() {
    let german = "Die Häuser stehen an der Straße, und die Kinder spielen im Garten hinter ihnen.";
    let fields = TextFields::new([field("title", "a red dog"), field("text", german)]);
    let QueryTerms::Terms { required, optional } = terms("\"red dog\" Häuser", None, &fields)
    else {
        panic!("words are terms");
    };
    let form = |field: &str, tokens: &[&str]| SearchForm {
        field: field.to_owned(),
        weight: 1.0,
        tokens: tokens.iter().map(|&token| token.to_owned()).collect(),
        slop: 0,
    };
    assert!(required[0].forms.contains(&form("title", &["red", "dog"])));
    let of_field = |field: &str| -> Vec<&SearchForm> {
        let forms = optional[0].forms.iter();
        forms.filter(|form| form.field == field).collect()
    };
    assert_eq!((of_field("title").len(), of_field("text").len()), (1, 1));
    assert_ne!(of_field("title")[0].tokens, of_field("text")[0].tokens);
    let QueryTerms::Terms { optional, .. } = terms("dog dogs", Some(&["title"]), &fields) else {
        panic!("words are terms");
    };
    assert_eq!(optional.len(), 1);
    assert_eq!((optional[0].count, optional[0].forms.len()), (2, 1));
    assert_eq!(terms("*", None, &fields), QueryTerms::Everything);
    assert_eq!(terms("!!", None, &fields), QueryTerms::Nothing);
}

#[test]
fn every_analysis_has_a_number_of_its_own() {
    let tags = [
        "en", "ca", "da", "de", "es", "fi", "fr", "ga", "hu", "id", "it", "nl", "no", "pl", "pt",
        "ro", "sv", "tr",
    ];
    let mut numbers = BTreeSet::new();
    for tag in tags {
        for stemming in [
            Stemming::None,
            Stemming::Best,
            Stemming::Shortest,
            Stemming::Multiple,
        ] {
            let language = Some(Language::from_tag(tag));
            let number = TextFields::analysis_number(FieldAnalysis { language, stemming }, "");
            assert!(numbers.insert(number), "{tag} {stemming:?}");
        }
    }
}
