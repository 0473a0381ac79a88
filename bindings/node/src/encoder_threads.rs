//! The threads that encoders of our own run on: `class EncoderThreads`.

use std::sync::Arc;

use napi::Env;
use napi_derive::napi;

use crate::bytes::RawValue;
use crate::pool::Lane;
use crate::promise;

/// The rule by which texts that wait become passes.
#[napi(object, object_to_js = false)]
pub struct PassPolicy {
    /// Tokens of a pass, unless one text alone has more.
    pub tokens_max: u32,
    /// Texts of a pass; any number when absent.
    pub texts_max: Option<u32>,
    /// Texts are not divided among idle threads below this many tokens.
    pub split_tokens_min: u32,
    /// Passes of queries in a row after which waiting documents get one.
    pub query_run_max: u32,
}

impl From<PassPolicy> for pelorus_encoder::PassPolicy {
    fn from(policy: PassPolicy) -> Self {
        Self {
            tokens_max: policy.tokens_max as usize,
            texts_max: policy.texts_max.map_or(usize::MAX, |most| most as usize),
            split_tokens_min: policy.split_tokens_min as usize,
            query_run_max: policy.query_run_max as usize,
        }
    }
}

/// The work of threads.
#[napi(object, object_from_js = false)]
pub struct EncoderWork {
    /// Passes that were computed since the start.
    pub passes: f64,
    /// Texts in them.
    pub texts: f64,
    /// Tokens of these.
    pub tokens: f64,
    /// Texts that wait.
    pub waiting: f64,
}

/// A fixed number of threads, which start with the first call, for encoders of any number.
#[napi]
pub struct EncoderThreads {
    threads: Arc<pelorus_encoder::EncoderThreads>,
}

impl EncoderThreads {
    pub(crate) fn shared(&self) -> Arc<pelorus_encoder::EncoderThreads> {
        Arc::clone(&self.threads)
    }
}

#[napi]
impl EncoderThreads {
    /// Makes so many threads, at least one.
    #[napi(factory, catch_unwind)]
    pub fn of(count: u32, policy: PassPolicy) -> Self {
        let threads = pelorus_encoder::EncoderThreads::new(count as usize, policy.into());
        Self {
            threads: Arc::new(threads),
        }
    }

    /// The work done so far, and what waits.
    #[napi(catch_unwind)]
    pub fn work(&self) -> EncoderWork {
        let done = self.threads.counts();
        EncoderWork {
            passes: done.passes as f64,
            texts: done.texts as f64,
            tokens: done.tokens as f64,
            waiting: self.threads.waiting() as f64,
        }
    }

    /// Fails what waits and what comes; resolves once what was under way is done and the threads have ended.
    #[napi(catch_unwind, ts_return_type = "Promise<void>")]
    pub fn close(&self, env: &Env) -> napi::Result<RawValue> {
        let threads = Arc::clone(&self.threads);
        threads.close();
        promise::run(env, Lane::Bulk, move || {
            threads.join();
            Ok(())
        })
    }
}
