//! `class Engine`: the calls of `pelorus_engine::Engine`, by the same names.

use std::path::PathBuf;

use napi::Env;
use napi_derive::napi;
use pelorus_engine::{EngineError, ItemsResponse, WriteDone};

use crate::add_batch::AddBatch;
use crate::bytes::{Bytes, Items, RawValue};
use crate::error::{CodedError, answer, catch};
use crate::log;
use crate::pool;
use crate::promise::{self, Pending};

#[napi]
pub struct Engine {
    engine: Option<pelorus_engine::Engine>,
}

impl Engine {
    fn clone_inner(&self) -> pelorus_engine::Engine {
        self.engine.clone().expect("only drop takes the engine out")
    }

    fn call<T: napi::bindgen_prelude::ToNapiValue + Send + 'static>(
        &self,
        env: &Env,
        work: impl FnOnce(pelorus_engine::Engine) -> Result<T, EngineError> + Send + 'static,
    ) -> napi::Result<RawValue> {
        let engine = self.clone_inner();
        promise::run(env, move || Ok(work(engine)?))
    }
}

impl Drop for Engine {
    /// The last handle may close files and wait for threads, and the garbage collector calls this
    /// on the event loop.
    fn drop(&mut self) {
        let engine = self.engine.take();
        pool::spawn(move || drop(engine));
    }
}

#[napi]
impl Engine {
    #[napi(catch_unwind)]
    pub fn open(env: &Env, directory: String, options: &[u8]) -> napi::Result<RawValue> {
        let options = options.to_vec();
        log::install();
        promise::run(env, move || {
            let engine = pelorus_engine::Engine::open(&PathBuf::from(directory), &options)?;
            Ok(Engine {
                engine: Some(engine),
            })
        })
    }

    #[napi(catch_unwind)]
    pub fn create_index(
        &self,
        env: &Env,
        name: String,
        definition: &[u8],
    ) -> napi::Result<RawValue> {
        let definition = definition.to_vec();
        self.call(env, move |engine| engine.create_index(&name, &definition))
    }

    #[napi(catch_unwind)]
    pub fn drop_index(&self, env: &Env, name: String) -> napi::Result<RawValue> {
        self.call(env, move |engine| engine.drop_index(&name))
    }

    #[napi(catch_unwind)]
    pub fn list_indexes(&self, env: &Env) -> napi::Result<Vec<String>> {
        answer(env, || Ok(self.clone_inner().list_indexes()))
    }

    #[napi(catch_unwind)]
    pub fn health(&self, env: &Env) -> napi::Result<RawValue> {
        let bytes = answer(env, || Ok(self.clone_inner().health()))?;
        RawValue::of(env, Bytes(bytes))
    }

    #[napi(catch_unwind)]
    pub fn definition(&self, env: &Env, name: String) -> napi::Result<RawValue> {
        let bytes = answer(env, || Ok(self.clone_inner().definition(&name)?))?;
        RawValue::of(env, Bytes(bytes))
    }

    #[napi(catch_unwind)]
    pub fn stats(&self, env: &Env, name: String) -> napi::Result<RawValue> {
        self.call(env, move |engine| engine.stats(&name).map(Bytes))
    }

    #[napi(catch_unwind)]
    pub fn prepare_add(&self, env: &Env, name: String, body: &[u8]) -> napi::Result<RawValue> {
        let body = body.to_vec();
        self.call(env, move |engine| AddBatch::split(engine, name, body))
    }

    #[napi(catch_unwind)]
    pub fn apply(&self, env: &Env, batch: &AddBatch, vectors: &[f32]) -> napi::Result<RawValue> {
        let engine = self.clone_inner();
        let prepared = answer(env, || batch.take_prepared())?;
        let vectors = vectors.to_vec();
        promise::start(env, move |pending| {
            run_write(pending, |done| engine.apply(prepared, vectors, done));
        })
    }

    #[napi(catch_unwind)]
    pub fn get_documents(&self, env: &Env, name: String, request: &[u8]) -> napi::Result<RawValue> {
        let request = request.to_vec();
        self.call(env, move |engine| {
            engine.get_documents(&name, &request).map(Items)
        })
    }

    #[napi(catch_unwind)]
    pub fn delete_documents(&self, env: &Env, name: String, ids: &[u8]) -> napi::Result<RawValue> {
        let engine = self.clone_inner();
        let ids = ids.to_vec();
        promise::start(env, move |pending| {
            run_write(pending, |done| engine.delete_documents(&name, &ids, done));
        })
    }

    #[napi(catch_unwind)]
    pub fn search(
        &self,
        env: &Env,
        name: String,
        plan: &[u8],
        vectors: &[f32],
    ) -> napi::Result<RawValue> {
        let (plan, vectors) = (plan.to_vec(), vectors.to_vec());
        self.call(env, move |engine| {
            engine.search(&name, &plan, &vectors).map(Bytes)
        })
    }

    #[napi(catch_unwind)]
    pub fn close(&self, env: &Env) -> napi::Result<RawValue> {
        self.call(env, |engine| {
            engine.close();
            Ok(())
        })
    }
}

/// Starts a write whose answer comes from the applier's thread. When starting it panics, `done`
/// is dropped on the way and rejects the promise.
fn run_write(pending: Pending<Items>, write: impl FnOnce(WriteDone)) {
    let done: WriteDone = Box::new(move |outcome: Result<ItemsResponse, EngineError>| {
        pending.settle(outcome.map(Items).map_err(CodedError::from));
    });
    let _ = catch(|| {
        write(done);
        Ok(())
    });
}
