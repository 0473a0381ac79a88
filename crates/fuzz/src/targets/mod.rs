//! The targets, by name.

mod files;
mod media;
mod models;
mod requests;

use crate::Target;

/// A target that is made when it is asked for: some write files for that.
pub struct NamedTarget {
    pub name: &'static str,
    /// Runs in CI: all targets together take a few seconds there.
    pub runs: u64,
    pub make: fn() -> Box<dyn Target>,
}

/// Every target.
pub const TARGETS: &[NamedTarget] = &[
    target("filter", 20_000, || Box::new(requests::Filters::new())),
    target("words", 1_500, || Box::new(requests::Words::new())),
    target("documents", 1_000, || Box::new(requests::Documents::new())),
    target("updates", 1_000, || Box::new(requests::Updates::new())),
    target("search-body", 10_000, || {
        Box::new(requests::SearchBodies::new())
    }),
    target("search-plan", 1_000, || {
        Box::new(requests::SearchPlans::new())
    }),
    target("stored-documents", 10_000, || {
        Box::new(files::StoredDocuments::new())
    }),
    target("stored-tensors", 10_000, || {
        Box::new(files::StoredTensors::new())
    }),
    target("store", 300, || Box::new(files::StoreFiles::new())),
    target("graph", 300, || Box::new(files::Graphs::new())),
    target("rows", 300, || Box::new(files::RowLists::new())),
    target("text-index", 300, || Box::new(files::TextIndexes::new())),
    target("onnx", 300, || Box::new(models::Onnx::new())),
    target("safetensors", 300, || Box::new(models::SafeTensors::new())),
    target("model-config", 2_000, || Box::new(models::Configs::new())),
    target("pictures", 1_000, || Box::new(media::Pictures::new())),
];

const fn target(name: &'static str, runs: u64, make: fn() -> Box<dyn Target>) -> NamedTarget {
    NamedTarget { name, runs, make }
}
