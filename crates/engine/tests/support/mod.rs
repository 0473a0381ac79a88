//! Opens engines in temporary directories and speaks JSON with them.
#![allow(dead_code, reason = "each test binary uses its own part of this")]

use std::sync::mpsc;

use pelorus_embed::EncoderInput;
use pelorus_engine::{Engine, EngineError, ItemsResponse, split_documents};
use pelorus_random::{SplitMix64, fnv1a};
use serde_json::{Value, json};
use tempfile::TempDir;

pub const DIMENSIONS: usize = 4;

/// The report of inputs that all have their vectors.
pub const EMBEDDED: &[u8] = br#"{"failures": [], "parts": []}"#;

/// An engine and the directory it lives in.
pub struct Fixture {
    pub directory: TempDir,
    pub engine: Engine,
}

impl Fixture {
    pub fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let engine = Engine::open(directory.path(), b"{}").unwrap();
        Self { directory, engine }
    }

    /// Closes the engine and opens its directory again.
    pub fn reopen(self) -> Self {
        self.engine.close();
        let engine = Engine::open(self.directory.path(), b"{}").unwrap();
        Self {
            directory: self.directory,
            engine,
        }
    }

    /// Opens the directory again after an end without a goodbye: nothing is finished or saved.
    pub fn crash(self) -> Self {
        let Self { directory, engine } = self;
        drop(engine);
        loop {
            // A background thread may still hold the index for a slice of its work.
            match Engine::open(directory.path(), b"{}") {
                Ok(engine) => return Self { directory, engine },
                Err(error) => assert_eq!(error.code(), "data_directory_in_use"),
            }
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
    }

    pub fn unstructured(name: &str) -> Self {
        let fixture = Self::new();
        fixture
            .engine
            .create_index(name, &definition(json!({})))
            .unwrap();
        fixture
    }

    /// Adds documents; every text to embed gets the vector that [`embed`] makes of it.
    pub fn add(&self, index: &str, body: Value) -> Value {
        let response = self.try_add(index, body).unwrap();
        serde_json::from_slice(&response.body).unwrap()
    }

    pub fn try_add(&self, index: &str, body: Value) -> Result<ItemsResponse, EngineError> {
        let options = json!({
            "tensorFields": body.get("tensorFields").cloned().unwrap_or(json!([])),
            "mappings": body.get("mappings").cloned().unwrap_or(Value::Null),
            "useExistingTensors": body.get("useExistingTensors").cloned().unwrap_or(json!(false)),
            "textChunkPrefix": body.get("textChunkPrefix").cloned().unwrap_or(json!("")),
            "maxDocBytes": 100_000,
        });
        let (texts, response) = self.add_texts(index, &body, &options)?;
        drop(texts);
        Ok(response)
    }

    /// Adds documents; tells which texts were embedded.
    pub fn add_texts(
        &self,
        index: &str,
        body: &Value,
        options: &Value,
    ) -> Result<(Vec<String>, ItemsResponse), EngineError> {
        let batch = split_documents(body.to_string().into_bytes())?;
        let (prepared, inputs) =
            self.engine
                .prepare(index, &batch, options.to_string().as_bytes())?;
        let text = |input| match input {
            EncoderInput::Text(text) => text,
            EncoderInput::Chunk(chunk) => chunk.text,
            EncoderInput::Media(media) => panic!("no text: {media:?}"),
        };
        let texts: Vec<String> = inputs.into_iter().map(text).collect();
        let vectors = texts.iter().flat_map(|text| embed(text)).collect();
        let (done, response) = mpsc::channel();
        self.engine.apply(
            prepared,
            vectors,
            EMBEDDED,
            Box::new(move |r| done.send(r).unwrap()),
        );
        Ok((texts, response.recv().unwrap()?))
    }

    /// Changes single fields of documents.
    pub fn update(&self, index: &str, documents: Value) -> Value {
        let response = self.try_update(index, documents).unwrap();
        serde_json::from_slice(&response.body).unwrap()
    }

    pub fn try_update(&self, index: &str, documents: Value) -> Result<ItemsResponse, EngineError> {
        let batch = split_documents(json!({"documents": documents}).to_string().into_bytes())?;
        let (done, response) = mpsc::channel();
        let done = Box::new(move |r| done.send(r).unwrap());
        let options = json!({"maxDocBytes": 100_000}).to_string();
        self.engine
            .update_documents(index, &batch, options.as_bytes(), done);
        response.recv().unwrap()
    }

    pub fn delete(&self, index: &str, ids: &[&str]) -> Value {
        let response = self.try_delete(index, ids).unwrap();
        serde_json::from_slice(&response.body).unwrap()
    }

    pub fn try_delete(&self, index: &str, ids: &[&str]) -> Result<ItemsResponse, EngineError> {
        let (done, response) = mpsc::channel();
        let request = json!({"documentIds": ids}).to_string();
        self.engine.delete_documents(
            index,
            request.as_bytes(),
            Box::new(move |r| done.send(r).unwrap()),
        );
        response.recv().unwrap()
    }

    pub fn get(&self, index: &str, ids: &[&str], expose_facets: bool) -> Value {
        let request = json!({"documentIds": ids, "exposeFacets": expose_facets}).to_string();
        let response = self
            .engine
            .get_documents(index, request.as_bytes())
            .unwrap();
        serde_json::from_slice(&response.body).unwrap()
    }

    pub fn search(&self, index: &str, plan: Value, query: &[f32]) -> Value {
        self.try_search(index, plan, query).unwrap()
    }

    pub fn try_search(
        &self,
        index: &str,
        plan: Value,
        query: &[f32],
    ) -> Result<Value, EngineError> {
        let body = self
            .engine
            .search(index, full(plan).to_string().as_bytes(), query)?;
        Ok(serde_json::from_slice(&body).unwrap())
    }
}

/// A definition with defaults; `changes` overrides members of the settings, and `dimensions`.
pub fn definition(changes: Value) -> Vec<u8> {
    let mut settings = json!({
        "type": "unstructured", "model": "no_model", "normalizeEmbeddings": true,
        "treatUrlsAndPointersAsImages": false, "treatUrlsAndPointersAsMedia": false,
        "filterStringMaxLength": 50,
        "textPreprocessing": {"splitLength": 1, "splitOverlap": 0, "splitMethod": "sentence"},
        "annParameters": {
            "spaceType": "prenormalized-angular",
            "parameters": {"efConstruction": 64, "m": 8}
        }
    });
    for (name, value) in changes.as_object().unwrap() {
        settings[name] = value.clone();
    }
    let embeds = settings["model"] != "no_model" || settings.get("embeds").is_some();
    let dimensions = changes.get("dimensions").cloned();
    let dimensions = dimensions.unwrap_or(json!(DIMENSIONS));
    let resolved = json!({"dimensions": dimensions, "embeds": embeds});
    json!({"settings": settings, "resolved": resolved})
        .to_string()
        .into_bytes()
}

/// A plan with every member that `plan` and its legs leave out.
pub fn full(plan: Value) -> Value {
    let whole = json!({
        "limit": 10, "offset": 0, "filter": null, "attributesToRetrieve": null, "showHighlights": true,
        "retrievalMethod": "tensor", "rankingMethod": "tensor", "rrf": null, "tensor": null, "lexical": null,
        "trackTotalHits": false, "explain": false, "lexicalHighlights": null,
    });
    let mut whole = with(whole, &plan);
    let lexical = json!({"text": "", "operand": "or", "fields": null});
    for (leg, defaults) in [("tensor", tensor_leg()), ("lexical", lexical)] {
        if plan.get(leg).is_some_and(Value::is_object) {
            whole[leg] = with(defaults, &plan[leg]);
        }
    }
    whole
}

/// An object with the members of another put over its own.
pub fn with(mut object: Value, members: &Value) -> Value {
    for (name, value) in members.as_object().unwrap() {
        object[name] = value.clone();
    }
    object
}

pub fn tensor_leg() -> Value {
    json!({"fields": null, "efSearch": 2_000, "approximate": true,
           "approximateThreshold": null, "weights": [1.0], "interpolation": null})
}

/// A unit vector that depends on the text only.
pub fn embed(text: &str) -> Vec<f32> {
    let mut random = SplitMix64(fnv1a(text.as_bytes()));
    let mut vector: Vec<f32> = (0..DIMENSIONS).map(|_| random.unit() - 0.5).collect();
    let norm = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
    vector.iter_mut().for_each(|x| *x /= norm);
    vector
}

/// Ids of the hits, in order.
pub fn ids(answer: &Value) -> Vec<String> {
    answer["hits"]
        .as_array()
        .unwrap()
        .iter()
        .map(|hit| hit["_id"].as_str().unwrap().to_owned())
        .collect()
}
