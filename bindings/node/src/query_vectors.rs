//! The vectors of recent queries, which all threads of JavaScript have in common: `class QueryVectors`. Its calls take
//! microseconds and are answered at once.

use std::sync::Arc;

use napi::Env;
use napi::bindgen_prelude::Float32ArraySlice;
use napi_derive::napi;
use parking_lot::Mutex;
use pelorus_embed::{VectorCache, VectorCacheBounds};

use crate::error::{CodedError, answer};
use crate::handover;

/// The order in which vectors leave a full cache: least recently used first, or least frequently used first.
#[napi(string_enum = "lowercase")]
pub enum QueryEviction {
    Lru,
    Lfu,
}

impl From<QueryEviction> for pelorus_embed::Eviction {
    fn from(eviction: QueryEviction) -> Self {
        match eviction {
            QueryEviction::Lru => Self::LeastRecent,
            QueryEviction::Lfu => Self::LeastFrequent,
        }
    }
}

/// The bounds of a cache.
#[napi(object, object_to_js = false)]
pub struct QueryVectorsBounds {
    /// 0 keeps nothing.
    pub bytes_max: f64,
    /// Most vectors; 0 keeps none, and their bytes alone bound them where it is absent.
    pub count_max: Option<f64>,
    pub policy: QueryEviction,
}

/// Vectors of recent queries.
#[napi]
pub struct QueryVectors {
    cache: Arc<Mutex<VectorCache>>,
}

#[napi]
impl QueryVectors {
    /// Makes a cache that holds nothing yet.
    #[napi(factory, catch_unwind)]
    pub fn of(bounds: QueryVectorsBounds) -> Self {
        let cache = VectorCache::new(VectorCacheBounds {
            bytes_max: bounds.bytes_max as usize,
            count_max: bounds.count_max.map_or(usize::MAX, |most| most as usize),
            eviction: bounds.policy.into(),
        });
        Self {
            cache: Arc::new(Mutex::new(cache)),
        }
    }

    /// Offers this cache to one other thread, which takes it with `attach` and the token that this gives.
    #[napi(catch_unwind)]
    pub fn share(&self) -> u32 {
        handover::offer(Arc::clone(&self.cache))
    }

    /// The cache that another thread offers by a token, which is good once. Throws `invalid_argument` where there is none.
    #[napi(factory, catch_unwind)]
    pub fn attach(env: &Env, token: u32) -> napi::Result<Self> {
        let cache = answer(env, || handover::take(token))?;
        Ok(Self { cache })
    }

    /// The number of times that vectors were forgotten.
    #[napi(getter, catch_unwind)]
    pub fn edition(&self) -> f64 {
        self.cache.lock().edition() as f64
    }

    /// Writes the vector of a text into `vectors`, from component `at` on; false where it is not known.
    #[napi(catch_unwind)]
    pub fn fill(
        &self,
        env: &Env,
        space: String,
        text: String,
        mut vectors: Float32ArraySlice<'_>,
        at: u32,
    ) -> napi::Result<bool> {
        answer(env, || {
            let mut cache = self.cache.lock();
            let Some(vector) = cache.get(&space, &text) else {
                return Ok(false);
            };
            // SAFETY: JavaScript waits for this call, and nothing else has the array meanwhile.
            let vectors = unsafe { vectors.as_mut() };
            let place = vectors.get_mut(at as usize..).unwrap_or_default();
            let place = place.get_mut(..vector.len()).ok_or_else(|| {
                CodedError::invalid_argument(format!(
                    "a vector of {} components has no room there",
                    vector.len()
                ))
            })?;
            place.copy_from_slice(vector);
            Ok(true)
        })
    }

    /// Keeps the vector of a text, as far as there is room for it; not where vectors were forgotten since `edition`.
    #[napi(catch_unwind)]
    pub fn keep(&self, space: String, text: String, vector: &[f32], edition: f64) {
        self.cache.lock().set(&space, &text, vector, edition as u64);
    }

    /// Forgets all vectors of a space, those that are still being computed too.
    #[napi(catch_unwind)]
    pub fn forget(&self, space: String) {
        self.cache.lock().forget(&space);
    }
}
