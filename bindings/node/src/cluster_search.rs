//! Searches of an index on a cluster: `class ClusterSearch` and `class ClusterRanking`. JavaScript brings the bytes to the cluster and back.

use std::sync::Arc;

use napi::Env;
use napi_derive::napi;
use parking_lot::Mutex;
use pelorus_opensearch::{Exchange, Sending};

use crate::bytes::{Bytes, RawValue};
use crate::cancellation::Cancellation;
use crate::cluster_index::ClusterIndex;
use crate::cluster_read::ClusterRefusal;
use crate::error::{CodedError, answer};
use crate::pool::{self, Lane};
use crate::promise;
use crate::search_body::query_vector;

#[napi]
impl ClusterIndex {
    /// Begins a `SearchPlan`. `vectors` is `[weights, dim]`, row-major: one row for each weight of the plan.
    #[napi(catch_unwind)]
    pub fn search(
        &self,
        plan: &[u8],
        vectors: &[f32],
        cancellation: &Cancellation,
    ) -> ClusterSearch {
        let vectors = vectors.to_vec();
        self.begin(plan, cancellation, move || Ok(vectors), Purpose::Page)
    }

    /// As `search`, for the one vector of a query as its list stands in JSON.
    #[napi(catch_unwind)]
    pub fn search_written(
        &self,
        plan: &[u8],
        vector: &[u8],
        cancellation: &Cancellation,
    ) -> ClusterSearch {
        let vector = vector.to_vec();
        self.begin(
            plan,
            cancellation,
            move || query_vector(&vector),
            Purpose::Page,
        )
    }

    /// As `search`, for the ranking of all pages.
    #[napi(catch_unwind)]
    pub fn rank(&self, plan: &[u8], vectors: &[f32], cancellation: &Cancellation) -> ClusterSearch {
        let vectors = vectors.to_vec();
        self.begin(plan, cancellation, move || Ok(vectors), Purpose::Ranking)
    }
}

#[derive(Clone, Copy)]
enum Purpose {
    Page,
    Ranking,
}

impl ClusterIndex {
    fn begin(
        &self,
        plan: &[u8],
        cancellation: &Cancellation,
        vectors: impl FnOnce() -> Result<Vec<f32>, CodedError> + Send + 'static,
        purpose: Purpose,
    ) -> ClusterSearch {
        let (index, plan) = (Arc::clone(&self.index.searched), plan.to_vec());
        let cancellation = cancellation.inner();
        ClusterSearch::beginning(move || {
            let begin = match purpose {
                Purpose::Page => pelorus_opensearch::ClusterSearch::begin,
                Purpose::Ranking => pelorus_opensearch::ClusterSearch::begin_ranking,
            };
            Ok(begin(&index, &plan, &vectors()?, &cancellation)?)
        })
    }
}

/// Begins a search where it runs.
type Begin = Box<dyn FnOnce() -> Result<pelorus_opensearch::ClusterSearch, CodedError> + Send>;

enum State {
    Begins(Begin),
    Runs(Box<pelorus_opensearch::ClusterSearch>),
    Over,
}

/// A search of an index on a cluster, step by step. Made by a `ClusterIndex` or a `ClusterRanking`.
#[napi]
pub struct ClusterSearch {
    state: Arc<Mutex<State>>,
}

/// The circumstances of the requests of a step.
#[napi(object, object_to_js = false)]
pub struct ClusterSending {
    /// Nobody waits any more after so many milliseconds.
    pub timeout_ms: Option<f64>,
    /// The id of the point in time that is searched, and how long it is kept from then on, such as `5m`.
    pub point_in_time: Option<String>,
    pub keep_alive: Option<String>,
    /// The times that the search was given up before, as a copy did not answer. Default 0.
    pub attempt: Option<u32>,
}

/// One of these: the next request, or how the search ended.
#[napi(object, object_from_js = false)]
pub struct ClusterStep {
    /// Bytes for `_msearch`, whose answer the next step takes.
    #[napi(ts_type = "Buffer")]
    pub request: Option<Bytes>,
    #[napi(ts_type = "Buffer")]
    pub body: Option<Bytes>,
    pub ranking: Option<ClusterRanking>,
    pub refusal: Option<ClusterRefusal>,
}

impl ClusterSearch {
    fn beginning(
        begin: impl FnOnce() -> Result<pelorus_opensearch::ClusterSearch, CodedError> + Send + 'static,
    ) -> Self {
        Self {
            state: Arc::new(Mutex::new(State::Begins(Box::new(begin)))),
        }
    }
}

#[napi]
impl ClusterSearch {
    /// Goes on with the answer to the request of the last step; the first one takes none. Rejects as `Engine.search` does.
    #[napi(catch_unwind, ts_return_type = "Promise<ClusterStep>")]
    pub fn step(
        &self,
        env: &Env,
        answer: &[u8],
        sending: ClusterSending,
    ) -> napi::Result<RawValue> {
        let (state, answer) = (Arc::clone(&self.state), answer.to_vec());
        promise::run(env, Lane::Interactive, move || {
            let mut state = state.lock();
            // A step that fails is the last.
            let mut search = match std::mem::replace(&mut *state, State::Over) {
                State::Begins(begin) => Box::new(begin()?),
                State::Runs(search) => search,
                State::Over => {
                    return Err(CodedError::invalid_argument("the search was over before"));
                }
            };
            let step = search.exchange(&answer, sending.as_sending())?;
            if let Exchange::Send(_) = step {
                *state = State::Runs(search);
            }
            Ok(ClusterStep::from(step))
        })
    }
}

impl ClusterSending {
    fn as_sending(&self) -> Sending<'_> {
        let kept = self.point_in_time.as_deref();
        Sending {
            timeout_ms: self.timeout_ms.map(|timeout| timeout.max(1.0) as u64),
            point_in_time: kept.zip(self.keep_alive.as_deref()),
            attempt: self.attempt.unwrap_or(0),
            ..Sending::default()
        }
    }
}

impl From<Exchange> for ClusterStep {
    fn from(exchange: Exchange) -> Self {
        let mut step = ClusterStep {
            request: None,
            body: None,
            ranking: None,
            refusal: None,
        };
        match exchange {
            Exchange::Send(request) => step.request = Some(Bytes(request)),
            Exchange::Done(body) => step.body = Some(Bytes(body)),
            Exchange::Ranked(ranking) => step.ranking = Some(ClusterRanking::of(ranking)),
            Exchange::Refused(refusal) => {
                step.refusal = Some(refusal.into());
            }
        }
        step
    }
}

/// The hits of a search of an index on a cluster, page by page.
#[napi]
pub struct ClusterRanking {
    count: u32,
    memory_bytes: u32,
    /// None once it is closed.
    ranking: Mutex<Option<Arc<pelorus_opensearch::ClusterRanking>>>,
}

impl ClusterRanking {
    fn of(ranking: pelorus_opensearch::ClusterRanking) -> Self {
        Self {
            count: ranking.count() as u32,
            memory_bytes: ranking.memory_bytes().try_into().unwrap_or(u32::MAX),
            ranking: Mutex::new(Some(Arc::new(ranking))),
        }
    }
}

impl Drop for ClusterRanking {
    fn drop(&mut self) {
        self.close();
    }
}

#[napi]
impl ClusterRanking {
    /// The number of hits.
    #[napi(getter, catch_unwind)]
    pub fn count(&self) -> u32 {
        self.count
    }

    /// Bytes of memory that they take.
    #[napi(getter, catch_unwind)]
    pub fn memory_bytes(&self) -> u32 {
        self.memory_bytes
    }

    /// Begins a page: `limit` hits from place `start` on, or the rest of them. Throws `invalid_argument` once it is closed.
    #[napi(catch_unwind)]
    pub fn page(
        &self,
        env: &Env,
        start: u32,
        limit: u32,
        cancellation: &Cancellation,
    ) -> napi::Result<ClusterSearch> {
        let ranking = answer(env, || {
            let closed = || CodedError::invalid_argument("the search was closed before");
            self.ranking.lock().clone().ok_or_else(closed)
        })?;
        let cancellation = cancellation.inner();
        Ok(ClusterSearch::beginning(move || {
            Ok(ranking.page(start as usize, limit as usize, &cancellation)?)
        }))
    }

    /// Lets go of the ranking.
    #[napi(catch_unwind)]
    pub fn close(&self) {
        let ranking = self.ranking.lock().take();
        pool::spawn(Lane::Bulk, move || drop(ranking));
    }
}

/// The source of the similarity that an index on a cluster gives its text fields.
#[napi(catch_unwind)]
pub fn similarity_script() -> String {
    pelorus_opensearch::similarity_script()
}
