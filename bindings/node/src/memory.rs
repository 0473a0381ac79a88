//! Memory that was freed, but not given back to the operating system.

use napi::Env;
use napi_derive::napi;

use crate::bytes::RawValue;
use crate::pool::Lane;
use crate::promise;

// One large request is enough to make glibc keep most of the memory after it: freeing a large block
// raises the size from which blocks are mapped on their own, and later ones lie between long-lived
// small ones.
/// Gives memory that was freed back to the operating system, where its allocator would keep it. Takes
/// milliseconds.
#[napi(catch_unwind, ts_return_type = "Promise<void>")]
pub fn release_memory(env: &Env) -> napi::Result<RawValue> {
    promise::run(env, Lane::Bulk, || {
        trim();
        Ok(())
    })
}

#[cfg(all(target_os = "linux", target_env = "gnu"))]
fn trim() {
    // SAFETY: takes the locks of the allocator itself and touches only blocks that are free.
    unsafe { libc::malloc_trim(0) };
}

/// Other allocators give memory back by themselves, or have no way to be asked.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
fn trim() {}
