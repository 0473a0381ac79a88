//! Memory of a device, and memory of this machine that a device reads and writes by itself.

use std::ffi::c_void;
use std::ptr::NonNull;
use std::sync::Arc;

use super::{Device, Stream};
use crate::DeviceError;
use crate::system::driver::Address;

/// Memory of a device. It lies on 256 bytes, and holds anything until it is written.
pub struct Memory {
    device: Arc<Device>,
    address: Address,
    bytes: usize,
}

impl Memory {
    /// Takes memory, one byte where none is asked for.
    ///
    /// # Errors
    /// [`DeviceError::OutOfMemory`] where there is not so much.
    pub fn new(device: &Arc<Device>, bytes: usize) -> Result<Self, DeviceError> {
        device.enter()?;
        let mut address = 0;
        // SAFETY: the place lives as long as the call.
        let code = unsafe { (device.driver().allocate)(&mut address, bytes.max(1)) };
        device
            .checked("cuMemAlloc", code)
            .map_err(|error| match error {
                DeviceError::OutOfMemory { .. } => DeviceError::OutOfMemory {
                    bytes: bytes as u64,
                },
                error => error,
            })?;
        Ok(Self {
            device: Arc::clone(device),
            address,
            bytes,
        })
    }

    /// Bytes of it.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Its address, as kernels take it.
    pub fn address(&self) -> Address {
        self.address
    }

    /// Takes memory for some bytes and writes them; they are there when it returns.
    ///
    /// # Errors
    /// [`DeviceError`] where there is not so much, or the device refuses.
    pub fn of(stream: &Stream, bytes: &[u8]) -> Result<Self, DeviceError> {
        let memory = Self::new(stream.device(), bytes.len())?;
        let mut pinned = Pinned::new(stream.device(), bytes.len())?;
        pinned.content_mut().copy_from_slice(bytes);
        let sent = memory.upload(&pinned, bytes.len(), stream);
        // The buffers may go only when nothing is under way.
        stream.synchronize().and(sent).map(|()| memory)
    }

    /// Reads all of it, when the stream is done.
    ///
    /// # Errors
    /// [`DeviceError`] where the device refuses, or what it did before failed.
    pub fn read(&self, stream: &Stream) -> Result<Vec<u8>, DeviceError> {
        let mut pinned = Pinned::new(stream.device(), self.bytes)?;
        let sent = self.download(&mut pinned, self.bytes, stream);
        stream.synchronize().and(sent)?;
        Ok(pinned.content().to_vec())
    }

    /// Copies the first bytes of `from` to it, behind what the stream does before. The bytes may not change until then,
    /// which an event tells.
    pub(crate) fn upload(
        &self,
        from: &Pinned,
        bytes: usize,
        stream: &Stream,
    ) -> Result<(), DeviceError> {
        assert!(bytes <= self.bytes, "it has so many bytes");
        // SAFETY: it has so many bytes, and lives until the stream is done: whoever has it waits for that.
        unsafe { Self::upload_to(self.address, from, bytes, stream) }
    }

    /// The same, to any address.
    ///
    /// # Safety
    /// There are so many bytes of the device's memory, until the stream is done.
    pub(crate) unsafe fn upload_to(
        to: Address,
        from: &Pinned,
        bytes: usize,
        stream: &Stream,
    ) -> Result<(), DeviceError> {
        assert!(bytes <= from.bytes, "it has so many bytes");
        let device = stream.device();
        // SAFETY: as many bytes on both sides, as the caller promises and as was checked.
        let code =
            unsafe { (device.driver().upload)(to, from.start.as_ptr(), bytes, stream.handle()) };
        device.checked("cuMemcpyHtoDAsync", code)
    }

    /// Copies its first bytes to `to`, behind what the stream does before.
    pub(crate) fn download(
        &self,
        to: &mut Pinned,
        bytes: usize,
        stream: &Stream,
    ) -> Result<(), DeviceError> {
        assert!(
            bytes <= self.bytes && bytes <= to.bytes,
            "both have so many bytes"
        );
        // SAFETY: as in `upload`.
        let code = unsafe {
            let to = to.start.as_ptr();
            (self.device.driver().download)(to, self.address, bytes, stream.handle())
        };
        self.device.checked("cuMemcpyDtoHAsync", code)
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        // A device that is lost has lost its memory, too.
        if self.device.enter().is_ok() {
            // SAFETY: taken once, and given back once. The driver waits for what still uses it.
            unsafe { (self.device.driver().free)(self.address) };
        }
    }
}

/// Memory of this machine that stays in its place, so that a device copies it by itself.
pub(crate) struct Pinned {
    device: Arc<Device>,
    start: NonNull<c_void>,
    bytes: usize,
}

// SAFETY: it is memory like any other.
unsafe impl Send for Pinned {}

impl Pinned {
    /// Takes memory, which holds zeros.
    pub(crate) fn new(device: &Arc<Device>, bytes: usize) -> Result<Self, DeviceError> {
        device.enter()?;
        let mut start = std::ptr::null_mut();
        // SAFETY: the place lives as long as the call.
        let code = unsafe { (device.driver().allocate_host)(&mut start, bytes.max(1), 0) };
        device.checked("cuMemHostAlloc", code)?;
        let start = NonNull::new(start).ok_or_else(|| DeviceError::Refused {
            call: "cuMemHostAlloc",
            reason: "it gave no memory".to_owned(),
        })?;
        // SAFETY: it has so many bytes.
        unsafe { start.as_ptr().cast::<u8>().write_bytes(0, bytes.max(1)) };
        Ok(Self {
            device: Arc::clone(device),
            start,
            bytes,
        })
    }

    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Its bytes. Nothing on a stream may write them meanwhile.
    pub(crate) fn content(&self) -> &[u8] {
        // SAFETY: it has so many bytes, all of them written.
        unsafe { std::slice::from_raw_parts(self.start.as_ptr().cast(), self.bytes) }
    }

    /// Its bytes. Nothing on a stream may read or write them meanwhile.
    pub(crate) fn content_mut(&mut self) -> &mut [u8] {
        // SAFETY: as in `content`, and `self` is borrowed alone.
        unsafe { std::slice::from_raw_parts_mut(self.start.as_ptr().cast(), self.bytes) }
    }
}

impl Drop for Pinned {
    fn drop(&mut self) {
        // The memory of this machine is there yet when the device is lost, but only the driver can give it back.
        let _ = self.device.enter();
        // SAFETY: taken once, and given back once.
        unsafe { (self.device.driver().free_host)(self.start.as_ptr()) };
    }
}

/// Writes words from the begin on.
pub(crate) fn write_words(bytes: &mut [u8], words: impl Iterator<Item = [u8; 4]>) {
    for (place, word) in bytes.as_chunks_mut::<4>().0.iter_mut().zip(words) {
        *place = word;
    }
}
