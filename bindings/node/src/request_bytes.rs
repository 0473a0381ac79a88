//! `class RequestBytes`: the bytes of a request that may be long, copied piece by piece.

use napi_derive::napi;
use parking_lot::Mutex;

/// The bytes of a request, for one call, which takes them away. To copy tens of megabytes at once would hold
/// the event loop for tens of milliseconds: whoever appends them says how many a turn copies.
#[napi]
pub struct RequestBytes {
    bytes: Mutex<Vec<u8>>,
}

#[napi]
impl RequestBytes {
    /// None yet, with room for so many.
    #[napi(factory, catch_unwind)]
    pub fn with_room(length: u32) -> Self {
        RequestBytes {
            bytes: Mutex::new(Vec::with_capacity(length as usize)),
        }
    }

    /// Copies `bytes` behind those that are there.
    #[napi(catch_unwind)]
    pub fn append(&self, bytes: &[u8]) {
        self.bytes.lock().extend_from_slice(bytes);
    }

    pub(crate) fn take(&self) -> Vec<u8> {
        std::mem::take(&mut *self.bytes.lock())
    }
}
