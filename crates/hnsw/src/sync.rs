//! Locks and atomics: the real ones, or, under the feature `shuttle`, ones that let every use be a
//! point where another thread may go on. The state shared by searches, pushes and links is made of
//! these.

pub(crate) use std::sync::atomic::{Ordering, fence};

#[cfg(not(feature = "shuttle"))]
pub(crate) use parking_lot::{Mutex, MutexGuard, RwLock};
#[cfg(not(feature = "shuttle"))]
pub(crate) use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, AtomicUsize};

#[cfg(feature = "shuttle")]
mod shuttle;
#[cfg(feature = "shuttle")]
pub(crate) use self::shuttle::{
    AtomicBool, AtomicPtr, AtomicU32, AtomicUsize, Mutex, MutexGuard, RwLock,
};

/// Tells whether threads are scheduled by shuttle. Limits are tiny then, as a test of a few nodes
/// must reach them.
pub(crate) const UNDER_SHUTTLE: bool = cfg!(feature = "shuttle");
