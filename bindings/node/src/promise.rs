//! Promises that are settled from threads of ours.

use std::marker::PhantomData;

use napi::bindgen_prelude::{JsValue, ToNapiValue};
use napi::{Env, JsDeferred};

use crate::bytes::RawValue;
use crate::error::{CodedError, catch};
use crate::pool;

type Resolver = Box<dyn FnOnce(Env) -> napi::Result<RawValue>>;

/// Returns a promise for what `work` gives on the pool.
pub(crate) fn run<T: ToNapiValue + Send + 'static>(
    env: &Env,
    work: impl FnOnce() -> Result<T, CodedError> + Send + 'static,
) -> napi::Result<RawValue> {
    start(env, |pending: Pending<T>| pending.settle(catch(work)))
}

/// Returns a promise and runs `work` on the pool, which settles it or passes the duty on, so that
/// no thread of the pool waits while the result is made elsewhere.
pub(crate) fn start<T: ToNapiValue + Send + 'static>(
    env: &Env,
    work: impl FnOnce(Pending<T>) + Send + 'static,
) -> napi::Result<RawValue> {
    let (deferred, promise) = env.create_deferred::<RawValue, Resolver>()?;
    let promise = RawValue(promise.raw());
    let pending = Pending {
        deferred: Some(deferred),
        value: PhantomData,
    };
    pool::spawn(move || work(pending));
    Ok(promise)
}

/// The duty to settle one promise. Dropping it unsettled, as an unwinding thread does, rejects
/// with `internal`: no caller waits for ever.
pub(crate) struct Pending<T: ToNapiValue + Send + 'static> {
    deferred: Option<JsDeferred<RawValue, Resolver>>,
    value: PhantomData<fn(T)>,
}

impl<T: ToNapiValue + Send + 'static> Pending<T> {
    /// Settles the promise. Does nothing when its thread of JavaScript is gone.
    pub(crate) fn settle(mut self, outcome: Result<T, CodedError>) {
        self.settle_once(outcome);
    }

    fn settle_once(&mut self, outcome: Result<T, CodedError>) {
        let Some(deferred) = self.deferred.take() else {
            return;
        };
        deferred.resolve(Box::new(move |env| {
            // A panic in here would end the process: this closure is called by Node.
            let converted = catch(|| {
                let value = match outcome {
                    Ok(value) => value,
                    Err(error) => return Ok(Err(error.into_napi(&env))),
                };
                // SAFETY: napi calls the resolver on the thread of `env`, with a handle scope open.
                Ok(unsafe { T::to_napi_value(env.raw(), value) })
            });
            match converted {
                Ok(result) => result.map(RawValue),
                Err(error) => Err(error.into_napi(&env)),
            }
        }));
    }
}

impl<T: ToNapiValue + Send + 'static> Drop for Pending<T> {
    fn drop(&mut self) {
        self.settle_once(Err(CodedError::internal(
            "the call ended without an answer",
        )));
    }
}
