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

/// The use of a cache since it was made, and what it holds now.
#[napi(object, object_from_js = false)]
pub struct QueryVectorsUse {
    /// Texts whose vectors were known.
    pub hits: f64,
    /// Texts whose vectors were not.
    pub misses: f64,
    /// Vectors now.
    pub entries: f64,
    /// Bytes of them.
    pub bytes: f64,
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
            // SAFETY: JavaScript waits for this call, and nothing else has the array meanwhile.
            let vectors = unsafe { vectors.as_mut() };
            fill(&mut self.cache.lock(), &space, &text, vectors, at as usize)
        })
    }

    /// Keeps the vector of a text, as far as there is room for it; not where vectors were forgotten since `edition`.
    #[napi(catch_unwind)]
    pub fn keep(&self, space: String, text: String, vector: &[f32], edition: f64) {
        self.cache.lock().set(&space, &text, vector, edition as u64);
    }

    /// Its use by all threads.
    #[napi(catch_unwind)]
    pub fn usage(&self) -> QueryVectorsUse {
        let usage = self.cache.lock().usage();
        QueryVectorsUse {
            hits: usage.hits as f64,
            misses: usage.misses as f64,
            entries: usage.entries as f64,
            bytes: usage.bytes as f64,
        }
    }

    /// Forgets all vectors of a space, those that are still being computed too.
    #[napi(catch_unwind)]
    pub fn forget(&self, space: String) {
        self.cache.lock().forget(&space);
    }
}

/// Writes the vector of a text into `vectors`, from component `at` on; false where it is not known.
fn fill(
    cache: &mut VectorCache,
    space: &str,
    text: &str,
    vectors: &mut [f32],
    at: usize,
) -> Result<bool, CodedError> {
    let Some(vector) = cache.get(space, text) else {
        return Ok(false);
    };
    let place = vectors.get_mut(at..).unwrap_or_default();
    let place = place.get_mut(..vector.len()).ok_or_else(|| {
        CodedError::invalid_argument(format!(
            "a vector of {} components has no room there",
            vector.len()
        ))
    })?;
    place.copy_from_slice(vector);
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keeping() -> QueryVectors {
        QueryVectors::of(QueryVectorsBounds {
            bytes_max: 1e6,
            count_max: None,
            policy: QueryEviction::Lru,
        })
    }

    /// The row that a text gets among four components, from the second on.
    fn row(of: &QueryVectors, space: &str, text: &str) -> Option<[f32; 4]> {
        let mut vectors = [0.0; 4];
        let is_known = fill(&mut of.cache.lock(), space, text, &mut vectors, 1).unwrap();
        is_known.then_some(vectors)
    }

    #[test]
    fn a_vector_is_written_where_it_is_wanted_and_nowhere_else() {
        let vectors = keeping();
        vectors.keep("a".into(), "boat".into(), &[1.0, 2.0], vectors.edition());
        assert_eq!(row(&vectors, "a", "boat"), Some([0.0, 1.0, 2.0, 0.0]));
        assert_eq!(row(&vectors, "a", "boats"), None);
        assert_eq!(row(&vectors, "b", "boat"), None);
    }

    #[test]
    fn hits_and_misses_of_all_threads_are_counted() {
        let vectors = keeping();
        let other = QueryVectors {
            cache: handover::take(vectors.share()).unwrap(),
        };
        vectors.keep("a".into(), "boat".into(), &[1.0, 2.0], vectors.edition());
        row(&vectors, "a", "boat");
        row(&other, "a", "boat");
        row(&other, "a", "ship");
        let usage = vectors.usage();
        assert_eq!((usage.hits, usage.misses, usage.entries), (2.0, 1.0, 1.0));
        assert!(usage.bytes > 8.0);
    }

    #[test]
    fn a_vector_without_room_is_refused_and_writes_nothing() {
        let vectors = keeping();
        vectors.keep("a".into(), "boat".into(), &[1.0, 2.0], vectors.edition());
        for (len, at) in [(1, 0), (3, 2), (3, 3), (3, 4), (0, 0)] {
            let mut short = vec![0.0; len];
            assert!(fill(&mut vectors.cache.lock(), "a", "boat", &mut short, at).is_err());
            assert!(short.iter().all(|&component| component == 0.0));
        }
    }

    #[test]
    fn another_thread_has_the_same_vectors_and_forgets_them_for_all() {
        let vectors = keeping();
        let other = QueryVectors {
            cache: handover::take(vectors.share()).unwrap(),
        };
        let before = other.edition();
        other.keep("a".into(), "boat".into(), &[1.0, 2.0], before);
        assert!(row(&vectors, "a", "boat").is_some());
        vectors.forget("a".into());
        assert!(row(&other, "a", "boat").is_none());
        // Computed before they were forgotten: not taken, whoever brings it.
        other.keep("a".into(), "boat".into(), &[1.0, 2.0], before);
        assert!(row(&vectors, "a", "boat").is_none());
        other.keep("a".into(), "boat".into(), &[3.0, 4.0], other.edition());
        assert_eq!(row(&vectors, "a", "boat"), Some([0.0, 3.0, 4.0, 0.0]));
    }
}
