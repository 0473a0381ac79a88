//! Locks and atomics: the real ones, or, under the feature `shuttle`, ones that let every use be a
//! point where another thread may go on. What searches, pushes and links share is made of these.

pub(crate) use std::sync::atomic::{Ordering, fence};

#[cfg(not(feature = "shuttle"))]
pub(crate) use parking_lot::{Mutex, MutexGuard, RwLock};
#[cfg(not(feature = "shuttle"))]
pub(crate) use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, AtomicUsize};

#[cfg(feature = "shuttle")]
mod modelled;
#[cfg(feature = "shuttle")]
pub(crate) use modelled::{
    AtomicBool, AtomicPtr, AtomicU32, AtomicUsize, Mutex, MutexGuard, RwLock,
};

/// `real`, or `tiny` under the feature `shuttle`: limits that a few nodes must reach there.
pub(crate) const fn unless_modelled(real: usize, tiny: usize) -> usize {
    if cfg!(feature = "shuttle") {
        tiny
    } else {
        real
    }
}
