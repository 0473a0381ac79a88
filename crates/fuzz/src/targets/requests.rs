//! The parts of requests: filters, words, documents, bodies and plans of searches.

use std::sync::mpsc;

use pelorus_documents::{split_documents, split_search};
use pelorus_engine::Engine;
use pelorus_filter::parse;
use pelorus_kernels::BitSet;
use pelorus_lexical::{LexicalIndex, LexicalOptions, LexicalQuery, Operand};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::{Target, lines_in};

/// Texts of filters.
pub struct Filters {
    seeds: Vec<Vec<u8>>,
}

impl Filters {
    pub fn new() -> Self {
        Self {
            seeds: lines_in("filters"),
        }
    }
}

const FILTER_WORDS: &[&str] = &[
    " AND ",
    " OR ",
    "NOT ",
    " IN ",
    "(",
    ")",
    "[",
    "]",
    " TO ",
    "*",
    ":",
    "\\",
    "\"",
    "1e400",
    "-0",
    "2026-02-30",
    "9223372036854775808",
    "\u{300}",
    "😀",
    "true",
];

impl Target for Filters {
    fn seeds(&self) -> &[Vec<u8>] {
        &self.seeds
    }

    fn words(&self) -> &[&str] {
        FILTER_WORDS
    }

    fn read(&self, input: &[u8]) {
        let text = String::from_utf8_lossy(input);
        if let Ok(filter) = parse(&text) {
            let printed = filter.to_string();
            let again = parse(&printed).expect("a filter that was printed is one");
            assert_eq!(again.to_string(), printed, "it is the same filter");
        }
    }
}

/// Texts of lexical searches, and of documents.
pub struct Words {
    seeds: Vec<Vec<u8>>,
    index: LexicalIndex,
    alive: BitSet,
    _folder: TempDir,
}

impl Words {
    pub fn new() -> Self {
        let seeds = lines_in("words");
        let folder = tempfile::tempdir().expect("a folder");
        let options = LexicalOptions::default();
        let index = LexicalIndex::open(folder.path(), options, &BitSet::default());
        for (doc, text) in (0..).zip(&seeds) {
            let text = String::from_utf8_lossy(text);
            index.add(doc, &[("text", &text)]).expect("a document");
        }
        index.publish();
        Self {
            alive: (0..seeds.len() as u32).collect(),
            seeds,
            index,
            _folder: folder,
        }
    }
}

impl Target for Words {
    fn seeds(&self) -> &[Vec<u8>] {
        &self.seeds
    }

    fn words(&self) -> &[&str] {
        &[
            "\"",
            "\"\"",
            "\\\"",
            "\u{200d}",
            "\u{301}",
            "ß",
            "İ",
            "\0",
            "  ",
            "\u{feff}",
            "한",
            "ไทย",
            "-",
        ]
    }

    fn read(&self, input: &[u8]) {
        let text = String::from_utf8_lossy(input).into_owned();
        let _ = self.index.invert([[("text", &*text)]]);
        for operand in [Operand::Or, Operand::And] {
            let query = LexicalQuery {
                text: text.clone(),
                fields: None,
                k: 10,
                operand,
                ..LexicalQuery::default()
            };
            if let Ok(found) = self.index.search(&query, &self.alive) {
                assert!(
                    found.hits.len() <= 10 && found.hits.iter().all(|(_, score)| score.is_finite())
                );
            }
        }
        let found = self
            .index
            .contains("text", &text)
            .expect("segments that can be read");
        assert!(found.iter().all(|doc| self.alive.contains(doc)));
    }
}

/// An engine with one index that has a document of every kind of value.
struct Served {
    engine: Engine,
    _folder: TempDir,
}

impl Served {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let engine =
            Engine::open(folder.path(), br#"{"auditIntervalSeconds": 0}"#).expect("an engine");
        let definition = json!({
            "settings": {"type": "unstructured", "model": "no_model", "normalizeEmbeddings": true,
                "treatUrlsAndPointersAsImages": true, "treatUrlsAndPointersAsMedia": false,
                "filterStringMaxLength": 50,
                "textPreprocessing": {"splitLength": 1, "splitOverlap": 0, "splitMethod": "sentence"},
                "annParameters": {"spaceType": "prenormalized-angular",
                    "parameters": {"efConstruction": 64, "m": 8}}},
            "resolved": {"dimensions": 2, "embeds": false}});
        engine
            .create_index("i", definition.to_string().as_bytes())
            .expect("an index");
        let served = Self {
            engine,
            _folder: folder,
        };
        for document in lines_in("documents") {
            served.add(&document);
        }
        served
    }

    fn options() -> Value {
        json!({"tensorFields": ["v"], "mappings": {"v": {"type": "custom_vector"}, "s": {"type": "sparse_vector"},
            "w": {"type": "multi_vector", "dimensions": 2}}, "useExistingTensors": false,
            "textChunkPrefix": "", "maxDocBytes": 100_000})
    }

    /// Adds the documents of a body, unless they need vectors that nobody makes here.
    fn add(&self, body: &[u8]) {
        let Ok(batch) = split_documents(body.to_vec()) else {
            return;
        };
        let options = Self::options().to_string();
        let Ok((prepared, inputs)) = self.engine.prepare("i", &batch, options.as_bytes()) else {
            return;
        };
        if !inputs.is_empty() {
            return;
        }
        let (done, answer) = mpsc::channel();
        let done = Box::new(move |outcome| drop(done.send(outcome)));
        self.engine.apply(
            prepared,
            Vec::new(),
            br#"{"failures": [], "parts": []}"#,
            done,
        );
        check(answer.recv().expect("an answer"));
    }

    fn update(&self, body: &[u8]) {
        let Ok(batch) = split_documents(body.to_vec()) else {
            return;
        };
        let (done, answer) = mpsc::channel();
        let done = Box::new(move |outcome| drop(done.send(outcome)));
        self.engine
            .update_documents("i", &batch, br#"{"maxDocBytes": 100000}"#, done);
        check(answer.recv().expect("an answer"));
    }

    /// Documents are as they are said to be, whatever was added.
    fn is_sound(&self) {
        let health: Value = serde_json::from_slice(&self.engine.health()).expect("JSON");
        assert_eq!(health["status"], "green", "{health}");
        assert!(
            !self.engine.audit("i").expect("an index"),
            "the audit finds differences"
        );
    }
}

fn check(outcome: Result<pelorus_engine::ItemsResponse, pelorus_engine::EngineError>) {
    match outcome {
        Ok(answer) => drop(serde_json::from_slice::<Value>(&answer.body).expect("JSON")),
        Err(error) => assert!(
            ![
                "internal",
                "backend_communication_error",
                "backend_data_parsing_error"
            ]
            .contains(&error.code()),
            "{error}"
        ),
    }
}

/// Bodies of added documents.
pub struct Documents {
    seeds: Vec<Vec<u8>>,
    served: Served,
}

impl Documents {
    pub fn new() -> Self {
        Self {
            seeds: lines_in("documents"),
            served: Served::new(),
        }
    }
}

const JSON_WORDS: &[&str] = &[
    "null",
    "true",
    "[]",
    "{}",
    "\"_id\":",
    "\"__proto__\":",
    "1e400",
    "-0.0",
    "18446744073709551616",
    "\"\\ud800\"",
    "\\u0000",
    "{\"a\":{\"b\":1}}",
    "[[[[",
    "\"vector\":",
    "\"content\":",
    "{\"indices\":[2,1],\"values\":[0.5,1e-3]}",
    "[[0.5,-1.25],[7.5e-1,2]]",
    "NaN",
    "\u{feff}",
];

impl Target for Documents {
    fn seeds(&self) -> &[Vec<u8>] {
        &self.seeds
    }

    fn words(&self) -> &[&str] {
        JSON_WORDS
    }

    fn read(&self, input: &[u8]) {
        self.served.add(input);
        self.served.is_sound();
    }
}

/// Bodies of updates.
pub struct Updates {
    seeds: Vec<Vec<u8>>,
    served: Served,
}

impl Updates {
    pub fn new() -> Self {
        Self {
            seeds: lines_in("documents"),
            served: Served::new(),
        }
    }
}

impl Target for Updates {
    fn seeds(&self) -> &[Vec<u8>] {
        &self.seeds
    }

    fn words(&self) -> &[&str] {
        JSON_WORDS
    }

    fn read(&self, input: &[u8]) {
        self.served.update(input);
        self.served.is_sound();
    }
}

/// Bodies of searches, of which the vectors are taken out.
pub struct SearchBodies {
    seeds: Vec<Vec<u8>>,
}

impl SearchBodies {
    pub fn new() -> Self {
        Self {
            seeds: lines_in("searches"),
        }
    }
}

impl Target for SearchBodies {
    fn seeds(&self) -> &[Vec<u8>] {
        &self.seeds
    }

    fn words(&self) -> &[&str] {
        JSON_WORDS
    }

    fn read(&self, input: &[u8]) {
        let _ = split_search(input);
    }
}

/// Plans of searches, as the server hands them over.
pub struct SearchPlans {
    seeds: Vec<Vec<u8>>,
    served: Served,
}

impl SearchPlans {
    pub fn new() -> Self {
        let leg = json!({"fields": null, "efSearch": 2_000, "approximate": true, "approximateThreshold": null,
            "weights": [1.0], "interpolation": null});
        let plan = |changes: Value| {
            let mut plan = json!({"limit": 10, "offset": 0, "filter": null, "attributesToRetrieve": null,
                "showHighlights": true, "retrievalMethod": "tensor", "rankingMethod": "tensor", "rrf": null,
                "tensor": leg, "lexical": null, "trackTotalHits": true, "explain": true,
                "lexicalHighlights": null});
            for (name, value) in changes.as_object().expect("members") {
                plan[name] = value.clone();
            }
            plan.to_string().into_bytes()
        };
        let lexical = json!({"text": "red \"dog house\"", "operand": "or", "fields": null});
        let sparse = json!({"text": "", "operand": "or", "fields": null,
            "sparse": {"field": "s", "indices": [17, 204], "weights": [1.0, 0.5]}});
        let seeds = vec![
            plan(json!({})),
            plan(json!({"filter": "price:[1 TO 5] AND NOT tags:a", "explain": false})),
            plan(
                json!({"retrievalMethod": "lexical", "rankingMethod": "lexical", "tensor": null,
                "lexical": lexical}),
            ),
            plan(
                json!({"retrievalMethod": "disjunction", "rankingMethod": "rrf", "lexical": lexical,
                "rrf": {"alpha": 0.5, "k": 60}}),
            ),
            plan(
                json!({"retrievalMethod": "disjunction", "rankingMethod": "rrf", "lexical": sparse,
                "rrf": {"alpha": 0.5, "k": 60}}),
            ),
            plan(
                json!({"lateInteraction": {"field": "w", "vectors": [[0.5, -1.25], [0.75, 2.0]], "candidates": 3}}),
            ),
        ];
        Self {
            seeds,
            served: Served::new(),
        }
    }
}

impl Target for SearchPlans {
    fn seeds(&self) -> &[Vec<u8>] {
        &self.seeds
    }

    fn words(&self) -> &[&str] {
        JSON_WORDS
    }

    fn read(&self, input: &[u8]) {
        // Bounds of pages are the server's: it asks for no more than these.
        if let Ok(plan) = serde_json::from_slice::<Value>(input) {
            let is_large = |name: &str| plan[name].as_f64().is_some_and(|number| number > 10_000.0);
            if is_large("limit") || is_large("offset") {
                return;
            }
        }
        for vectors in [&[][..], &[0.6, 0.8]] {
            match self.served.engine.search("i", input, vectors) {
                Ok(answer) => drop(serde_json::from_slice::<Value>(&answer).expect("JSON")),
                Err(error) => assert_ne!(error.code(), "internal", "{error}"),
            }
        }
    }
}
