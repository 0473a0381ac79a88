//! The same locks and atomics as far as this crate uses them, scheduled by shuttle. Atomics keep the
//! representation of the real ones, since blocks of memory are read as them, and are sequentially
//! consistent: orderings are not modelled.

use std::sync::PoisonError;
use std::sync::atomic::Ordering;

pub(crate) use ::shuttle::sync::MutexGuard;
use ::shuttle::sync::{RwLockReadGuard, RwLockWriteGuard};

/// A point where another thread may go on.
fn step() {
    ::shuttle::sync::atomic::AtomicBool::new(false).load(Ordering::SeqCst);
}

#[derive(Default)]
pub(crate) struct Mutex<T>(::shuttle::sync::Mutex<T>);

impl<T> Mutex<T> {
    pub fn new(value: T) -> Self {
        Self(::shuttle::sync::Mutex::new(value))
    }

    pub fn lock(&self) -> MutexGuard<'_, T> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn get_mut(&mut self) -> &mut T {
        self.0.get_mut().unwrap_or_else(PoisonError::into_inner)
    }
}

#[derive(Default)]
pub(crate) struct RwLock<T>(::shuttle::sync::RwLock<T>);

impl<T> RwLock<T> {
    pub fn read(&self) -> RwLockReadGuard<'_, T> {
        self.0.read().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn try_read(&self) -> Option<RwLockReadGuard<'_, T>> {
        self.0.try_read().ok()
    }

    pub fn write(&self) -> RwLockWriteGuard<'_, T> {
        self.0.write().unwrap_or_else(PoisonError::into_inner)
    }
}

macro_rules! atomic {
    ($name:ident $(<$T:ident>)?, $value:ty) => {
        #[repr(transparent)]
        pub(crate) struct $name $(<$T>)? (std::sync::atomic::$name $(<$T>)?);

        // SAFETY: it has the representation of the real one, for which zero bytes are a value.
        unsafe impl $(<$T>)? bytemuck::Zeroable for $name $(<$T>)? {}

        #[allow(dead_code, reason = "no type is used in every way")]
        impl $(<$T>)? $name $(<$T>)? {
            pub const fn new(value: $value) -> Self {
                Self(std::sync::atomic::$name::new(value))
            }

            pub fn load(&self, order: Ordering) -> $value {
                step();
                self.0.load(order)
            }

            pub fn store(&self, value: $value, order: Ordering) {
                step();
                self.0.store(value, order);
            }

            pub fn swap(&self, value: $value, order: Ordering) -> $value {
                step();
                self.0.swap(value, order)
            }

            pub fn compare_exchange(
                &self,
                current: $value,
                new: $value,
                success: Ordering,
                failure: Ordering,
            ) -> Result<$value, $value> {
                step();
                self.0.compare_exchange(current, new, success, failure)
            }

            pub fn compare_exchange_weak(
                &self,
                current: $value,
                new: $value,
                success: Ordering,
                failure: Ordering,
            ) -> Result<$value, $value> {
                self.compare_exchange(current, new, success, failure)
            }
        }
    };
}

macro_rules! arithmetic {
    ($name:ident, $value:ty) => {
        #[allow(dead_code, reason = "no type is used in every way")]
        impl $name {
            pub fn fetch_add(&self, value: $value, order: Ordering) -> $value {
                step();
                self.0.fetch_add(value, order)
            }

            pub fn fetch_sub(&self, value: $value, order: Ordering) -> $value {
                step();
                self.0.fetch_sub(value, order)
            }

            pub fn fetch_max(&self, value: $value, order: Ordering) -> $value {
                step();
                self.0.fetch_max(value, order)
            }
        }
    };
}

atomic!(AtomicBool, bool);
atomic!(AtomicU32, u32);
atomic!(AtomicUsize, usize);
atomic!(AtomicPtr<T>, *mut T);
arithmetic!(AtomicU32, u32);
arithmetic!(AtomicUsize, usize);

impl Default for AtomicBool {
    fn default() -> Self {
        Self::new(false)
    }
}
