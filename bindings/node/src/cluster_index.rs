//! `class ClusterIndex`: an index on a cluster as its mapping tells it.

use std::sync::Arc;

use napi::Env;
use napi_derive::napi;
use pelorus_opensearch::MappedIndex;

use crate::error::answer;

/// The definition of an index and the fields that its documents have had.
#[napi]
pub struct ClusterIndex {
    pub(crate) index: Arc<MappedIndex>,
}

#[napi]
impl ClusterIndex {
    /// Reads a mapping, which is JSON; `options` is `EngineOptions`. Throws `backend_data_parsing_error` where it is none of ours.
    #[napi(factory, catch_unwind)]
    pub fn read(env: &Env, mapping: &[u8], options: &[u8]) -> napi::Result<Self> {
        let index = answer(env, || Ok(Arc::new(MappedIndex::read(mapping, options)?)))?;
        Ok(ClusterIndex { index })
    }
}
