//! The call that wakes the mender, for everything that may break.

use crossbeam_channel::{Receiver, Sender, TrySendError, bounded};

/// Tells the mender that something broke. Cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct Waker(Sender<()>);

impl Waker {
    /// A waker, and where its calls arrive.
    pub fn new() -> (Self, Receiver<()>) {
        // One call that waits says as much as many.
        let (sender, calls) = bounded(1);
        (Self(sender), calls)
    }

    pub fn wake(&self) {
        match self.0.try_send(()) {
            Ok(()) | Err(TrySendError::Full(())) => {}
            // The engine is gone, and with it the indexes to be mended.
            Err(TrySendError::Disconnected(())) => {}
        }
    }
}
