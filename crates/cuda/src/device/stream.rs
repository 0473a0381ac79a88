//! Streams, whose work is done in its order, and marks in them.

use std::sync::Arc;

use super::Device;
use crate::DeviceError;
use crate::system::driver::{EVENT_QUIET, Handle, STREAM_NON_BLOCKING};

/// Work of a device that is done in its order, beside that of other streams.
pub struct Stream {
    device: Arc<Device>,
    handle: Handle,
}

// SAFETY: a stream may be used by any thread that entered its device; calls are the driver's to order.
unsafe impl Send for Stream {}

impl Stream {
    /// Begins one.
    ///
    /// # Errors
    /// [`DeviceError`] when the device is lost, or has no room.
    pub fn new(device: &Arc<Device>) -> Result<Self, DeviceError> {
        device.enter()?;
        let mut handle = std::ptr::null_mut();
        // SAFETY: the place lives as long as the call.
        let code = unsafe { (device.driver().create_stream)(&mut handle, STREAM_NON_BLOCKING) };
        device.checked("cuStreamCreate", code)?;
        Ok(Self {
            device: Arc::clone(device),
            handle,
        })
    }

    pub(crate) fn handle(&self) -> Handle {
        self.handle
    }

    pub(crate) fn device(&self) -> &Arc<Device> {
        &self.device
    }

    /// Waits until all is done.
    ///
    /// # Errors
    /// [`DeviceError`] with the first fault of what was done.
    pub fn synchronize(&self) -> Result<(), DeviceError> {
        self.device.enter()?;
        // SAFETY: the stream lives as long as `self`.
        let code = unsafe { (self.device.driver().synchronize_stream)(self.handle) };
        self.device.checked("cuStreamSynchronize", code)
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        if self.device.enter().is_ok() {
            // SAFETY: made once, and given back once.
            unsafe { (self.device.driver().destroy_stream)(self.handle) };
        }
    }
}

/// A mark in a stream, which is passed when all before it is done.
pub(crate) struct Event {
    device: Arc<Device>,
    handle: Handle,
}

// SAFETY: as of a stream.
unsafe impl Send for Event {}

impl Event {
    pub(crate) fn new(device: &Arc<Device>) -> Result<Self, DeviceError> {
        device.enter()?;
        let mut handle = std::ptr::null_mut();
        // SAFETY: the place lives as long as the call.
        let code = unsafe { (device.driver().create_event)(&mut handle, EVENT_QUIET) };
        device.checked("cuEventCreate", code)?;
        Ok(Self {
            device: Arc::clone(device),
            handle,
        })
    }

    /// Puts it behind what the stream has to do now.
    pub(crate) fn record(&self, stream: &Stream) -> Result<(), DeviceError> {
        // SAFETY: both live.
        let code = unsafe { (self.device.driver().record_event)(self.handle, stream.handle()) };
        self.device.checked("cuEventRecord", code)
    }

    /// Waits until it is passed.
    pub(crate) fn wait(&self) -> Result<(), DeviceError> {
        // SAFETY: the event lives.
        let code = unsafe { (self.device.driver().synchronize_event)(self.handle) };
        self.device.checked("cuEventSynchronize", code)
    }
}

impl Drop for Event {
    fn drop(&mut self) {
        if self.device.enter().is_ok() {
            // SAFETY: made once, and given back once.
            unsafe { (self.device.driver().destroy_event)(self.handle) };
        }
    }
}
