//! Documents of one shape in both kinds of index, and filters over them with their meaning.

use pelorus_random::SplitMix64;
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::support::{Fixture, definition, embed};

pub const DOCUMENTS: usize = 240;
pub const WORDS: [&str; 6] = ["river", "stone", "lamp", "winter", "coat", "green"];
const BRANDS: [&str; 6] = ["Acme", "ACME", "acme", "Zed", "zed & co", "Überbrand"];
const TAGS: [&str; 5] = ["New", "new", "Sale", "tag 1", "Tag 2"];

/// The names of the indexes.
pub const KINDS: [&str; 2] = ["unstructured", "structured"];

pub struct Catalogue {
    pub fixture: Fixture,
    /// By kind, in the order in which they are stored.
    pub documents: [Vec<Value>; 2],
}

impl Catalogue {
    pub fn new() -> Self {
        let fixture = Fixture::new();
        let unstructured = json!({"collapseFields": [{"name": "sku", "minGroups": 500}]});
        let field = |name: &str, kind: &str, features: &[&str]| json!({"name": name, "type": kind, "features": features});
        let structured = json!({
            "type": "structured",
            "allFields": [
                field("brand", "text", &["filter"]),
                field("tags", "array<text>", &["filter"]),
                field("price", "double", &["filter"]),
                field("stock", "map<text, int>", &["score_modifier"]),
                field("sku", "text", &["filter"]),
                field("title", "text", &["lexical_search"]),
                field("v", "custom_vector", &[]),
            ],
            "tensorFields": ["v"],
        });
        for (name, changes) in KINDS.into_iter().zip([unstructured, structured]) {
            let created = fixture.engine.create_index(name, &definition(changes));
            created.unwrap();
        }
        let mut catalogue = Self {
            fixture,
            documents: [vec![], vec![]],
        };
        catalogue.fill();
        catalogue
    }

    fn fill(&mut self) {
        let mut random = SplitMix64(7);
        for (kind, name) in KINDS.into_iter().enumerate() {
            for start in (0..DOCUMENTS).step_by(80) {
                let documents: Vec<Value> = (start..start + 80)
                    .map(|n| document(n, kind, &mut random))
                    .collect();
                let mut body = json!({"documents": documents});
                if kind == 0 {
                    body["tensorFields"] = json!(["v"]);
                    body["mappings"] = json!({"v": {"type": "custom_vector"}});
                }
                let answer = self.fixture.add(name, body);
                assert_eq!(answer["errors"], false, "{answer}");
                self.documents[kind].extend(documents);
            }
        }
        // Some are changed: where brands are searched by their words as new versions, else in place.
        for n in (0..DOCUMENTS).step_by(17) {
            for (kind, name) in KINDS.into_iter().enumerate() {
                // An update leaves integers integers.
                let price = match self.documents[kind][n]["price"].is_i64() {
                    true => json!(n % 60),
                    false => json!(n as f64 / 4.0),
                };
                let id = format!("d{n}");
                let changes = json!({"_id": id, "brand": BRANDS[n % 5], "price": price});
                let answer = self.fixture.update(name, json!([changes]));
                assert_eq!(answer["errors"], false, "{answer}");
                for member in ["brand", "price"] {
                    self.documents[kind][n][member] = changes[member].clone();
                }
            }
        }
    }
}

fn document(n: usize, kind: usize, random: &mut SplitMix64) -> Value {
    let mut below = |end: usize| random.below(end);
    let title = format!("{} {}", WORDS[below(6)], WORDS[below(6)]);
    let mut document =
        json!({"_id": format!("d{n}"), "title": title, "sku": format!("Group {}", below(60))});
    if below(8) > 0 {
        document["brand"] = json!(BRANDS[below(6)]);
    } else if below(2) > 0 {
        document["brand"] = json!("a brand with a name that is too long to be filtered by anyone");
    }
    if below(4) > 0 {
        let tags: Vec<&str> = (0..1 + below(4)).map(|_| TAGS[below(5)]).collect();
        document["tags"] = json!(tags);
    }
    if below(6) > 0 {
        // A field without a declared type holds integers and floats.
        document["price"] = match kind == 0 && below(2) > 0 {
            true => json!(below(60)),
            false => json!(below(240) as f64 / 4.0),
        };
    }
    if below(3) > 0 {
        document["stock"] = json!({"north": below(5)});
    }
    if below(10) < 7 {
        let vector = embed(&format!("vector {}", below(150)));
        document["v"] = json!({"vector": vector, "content": ""});
    }
    document
}

/// A filter as a tree, its terms by their place in [`TERMS`].
#[derive(Debug, Clone)]
pub enum Tree {
    Term(usize),
    NotTerm(usize),
    And(Box<Tree>, Box<Tree>),
    Or(Box<Tree>, Box<Tree>),
}

type Meaning = fn(&Value) -> bool;

pub const TERMS: [(&str, Meaning); 6] = [
    ("brand:acme", |document| {
        document["brand"]
            .as_str()
            .is_some_and(|brand| brand.to_lowercase() == "acme")
    }),
    ("brand:(Zed & Co)", |document| {
        document["brand"] == "zed & co"
    }),
    ("tags:new", |document| {
        let mut tags = document["tags"].as_array().into_iter().flatten();
        tags.any(|tag| tag == "New" || tag == "new")
    }),
    ("price:[10 TO 40.25]", |document| {
        document["price"]
            .as_f64()
            .is_some_and(|price| (10.0..=40.25).contains(&price))
    }),
    ("price:[30 TO *]", |document| {
        document["price"]
            .as_f64()
            .is_some_and(|price| price >= 30.0)
    }),
    ("sku:(Group 7)", |document| document["sku"] == "Group 7"),
];

impl Tree {
    pub fn text(&self) -> String {
        match self {
            Tree::Term(at) => TERMS[*at].0.to_owned(),
            Tree::NotTerm(at) => format!("NOT {}", TERMS[*at].0),
            Tree::And(a, b) => format!("({}) AND ({})", a.text(), b.text()),
            Tree::Or(a, b) => format!("({}) OR ({})", a.text(), b.text()),
        }
    }

    /// Tells whether a document passes the rest of the filter without the excluded terms; none
    /// where there is no rest.
    pub fn passes(&self, document: &Value, excluded: &[String]) -> Option<bool> {
        let own = |text: &String| *text == self.as_excluded();
        let term = |at: usize| excluded.iter().any(|text| text == TERMS[at].0);
        match self {
            Tree::Term(_) | Tree::NotTerm(_) if excluded.iter().any(own) => None,
            Tree::NotTerm(at) if term(*at) => None,
            Tree::Term(at) => Some(TERMS[*at].1(document)),
            Tree::NotTerm(at) => Some(!TERMS[*at].1(document)),
            Tree::And(a, b) => joined(a, b, document, excluded, |a, b| a && b),
            Tree::Or(a, b) => joined(a, b, document, excluded, |a, b| a || b),
        }
    }

    fn as_excluded(&self) -> String {
        match self {
            Tree::NotTerm(at) => format!("NOT ({})", TERMS[*at].0),
            other => other.text(),
        }
    }

    /// The terms as a request excludes them.
    pub fn terms(&self) -> Vec<String> {
        match self {
            Tree::Term(_) | Tree::NotTerm(_) => vec![self.as_excluded()],
            Tree::And(a, b) | Tree::Or(a, b) => [a.terms(), b.terms()].concat(),
        }
    }
}

fn joined(
    a: &Tree,
    b: &Tree,
    document: &Value,
    excluded: &[String],
    join: fn(bool, bool) -> bool,
) -> Option<bool> {
    match (a.passes(document, excluded), b.passes(document, excluded)) {
        (Some(a), Some(b)) => Some(join(a, b)),
        (one, other) => one.or(other),
    }
}

pub fn tree() -> impl Strategy<Value = Tree> {
    let term = prop_oneof![
        4 => (0..TERMS.len()).prop_map(Tree::Term),
        1 => (0..TERMS.len()).prop_map(Tree::NotTerm)
    ];
    term.prop_recursive(2, 4, 2, |inner| {
        (inner.clone(), inner, any::<bool>()).prop_map(|(a, b, all)| match all {
            true => Tree::And(a.into(), b.into()),
            false => Tree::Or(a.into(), b.into()),
        })
    })
}
