//! One device in use: its memory, its streams, its kernels.
//!
//! Each call to the driver goes through [`Device::checked`]: the first fault that no later call mends makes the device a
//! lost one for the rest of the process, and every later call fails with the reason of the first.

mod memory;
mod product;
mod program;
mod stream;

use std::sync::{Arc, OnceLock};

use crate::system::driver::{self, Code, Handle, OUT_OF_MEMORY, REFUSALS, SUCCESS};
use crate::{Cuda, DeviceError};

pub use memory::Memory;
pub(crate) use memory::{Pinned, write_words};
pub use product::{Multiplier, Product};
pub use program::{Argument, Module};
pub(crate) use stream::Event;
pub use stream::Stream;

/// A device with its context, which all of the process share.
pub struct Device {
    cuda: Arc<Cuda>,
    index: u32,
    handle: driver::DeviceHandle,
    context: Handle,
    lost: OnceLock<String>,
}

// SAFETY: contexts may be used by any thread that made them its own, which each entrance does.
unsafe impl Send for Device {}
// SAFETY: as above; the driver takes calls of many threads at once.
unsafe impl Sync for Device {}

impl Device {
    /// Makes ready device `index`, unless it is already.
    ///
    /// # Errors
    /// [`DeviceError`] when no model runs on it, or it has no room for a context.
    pub fn open(cuda: &Arc<Cuda>, index: u32) -> Result<Arc<Self>, DeviceError> {
        let mut open = cuda
            .open
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        if let Some(device) = open.get(&index).and_then(std::sync::Weak::upgrade) {
            return Ok(device);
        }
        let handle = cuda.handle(index).ok_or_else(|| DeviceError::Refused {
            call: "opening the device",
            reason: format!("no model runs on device {index}"),
        })?;
        let mut device = Self {
            cuda: Arc::clone(cuda),
            index,
            handle,
            context: std::ptr::null_mut(),
            lost: OnceLock::new(),
        };
        let mut context = std::ptr::null_mut();
        // SAFETY: the place lives as long as the call.
        let code = unsafe { (cuda.driver.retain_context)(&mut context, handle) };
        device.checked("cuDevicePrimaryCtxRetain", code)?;
        device.context = context;
        let device = Arc::new(device);
        open.insert(index, Arc::downgrade(&device));
        Ok(device)
    }

    /// Its number.
    pub fn index(&self) -> u32 {
        self.index
    }

    /// Its compute capability, ten times.
    pub fn capability(&self) -> u32 {
        self.cuda
            .facts(self.index)
            .map_or(0, |facts| facts.capability)
    }

    /// The reason for which it is lost; none while it works.
    pub fn lost(&self) -> Option<&str> {
        self.lost.get().map(String::as_str)
    }

    pub(crate) fn cuda(&self) -> &Cuda {
        &self.cuda
    }

    pub(crate) fn driver(&self) -> &driver::Driver {
        &self.cuda.driver
    }

    /// Makes its context that of the calling thread, which every call after that needs.
    ///
    /// # Errors
    /// [`DeviceError::Lost`].
    pub(crate) fn enter(&self) -> Result<(), DeviceError> {
        if let Some(reason) = self.lost() {
            let reason = reason.to_owned();
            return Err(DeviceError::Lost { reason });
        }
        // SAFETY: the context lives as long as `self`.
        let code = unsafe { (self.driver().set_context)(self.context) };
        self.checked("cuCtxSetCurrent", code)
    }

    /// The outcome of a call.
    pub(crate) fn checked(&self, call: &'static str, code: Code) -> Result<(), DeviceError> {
        match code {
            SUCCESS => Ok(()),
            OUT_OF_MEMORY => Err(DeviceError::OutOfMemory { bytes: 0 }),
            code if is_refusal(code) => Err(DeviceError::Refused {
                call,
                reason: self.driver().words(code),
            }),
            code => {
                let reason = format!("{call} failed with {}", self.driver().words(code));
                let reason = self.lost.get_or_init(|| reason).clone();
                Err(DeviceError::Lost { reason })
            }
        }
    }
}

impl Drop for Device {
    fn drop(&mut self) {
        if !self.context.is_null() {
            // SAFETY: retained once. All that was made in it has a share of the device, and is gone.
            unsafe { (self.driver().release_context)(self.handle) };
        }
    }
}

/// Tells whether a device works on after a fault.
fn is_refusal(code: Code) -> bool {
    REFUSALS.iter().any(|&(_, refusal)| refusal == code)
}
