//! An index of the engine that examples fill and time.

use std::sync::mpsc;

use pelorus_engine::{Engine, split_documents};
use rustix::time::{ClockId, clock_gettime};
use serde_json::{Value, json};

pub type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

pub const INDEX: &str = "documents";

/// Creates the index, of vectors of so many dimensions, whose graph has these `efConstruction` and `m`.
pub fn create(engine: &Engine, dimensions: usize, [ef_construction, m]: [usize; 2]) -> Result<()> {
    let settings = json!({
        "type": "unstructured", "model": "no_model", "normalizeEmbeddings": true,
        "treatUrlsAndPointersAsImages": false, "treatUrlsAndPointersAsMedia": false, "filterStringMaxLength": 50,
        "textPreprocessing": {"splitLength": 1, "splitOverlap": 0, "splitMethod": "sentence"},
        "annParameters": {"spaceType": "prenormalized-angular",
                          "parameters": {"efConstruction": ef_construction, "m": m}},
    });
    let resolved = json!({"dimensions": dimensions, "embeds": false});
    let definition = json!({"settings": settings, "resolved": resolved});
    engine.create_index(INDEX, definition.to_string().as_bytes())?;
    Ok(())
}

/// Adds documents, and waits until they are stored.
pub fn add(
    engine: &Engine,
    documents: &[Value],
    tensor_fields: &[&str],
    mappings: &Value,
) -> Result<()> {
    let options = json!({"tensorFields": tensor_fields, "mappings": mappings, "useExistingTensors": false,
                         "textChunkPrefix": "", "maxDocBytes": 100_000});
    let batch = split_documents(json!({"documents": documents}).to_string().into_bytes())?;
    let (prepared, _) = engine.prepare(INDEX, &batch, options.to_string().as_bytes())?;
    let (done, response) = mpsc::channel();
    let done = Box::new(move |answer| drop(done.send(answer)));
    engine.apply(prepared, Vec::new(), br#"{"failures":[],"parts":[]}"#, done);
    response.recv()??;
    Ok(())
}

/// Microseconds of processor time of this thread.
pub fn now() -> f64 {
    let now = clock_gettime(ClockId::ThreadCPUTime);
    now.tv_sec as f64 * 1e6 + now.tv_nsec as f64 / 1e3
}

pub fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
