//! The thread that looks after what is broken: it opens indexes again that could not be opened,
//! lets writing begin again where it failed, and has derived files made anew.

use std::sync::Weak;
use std::time::Instant;

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, TrySendError, bounded};

use crate::error::{EngineError, Result};

use super::Registry;

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
            // The engine is gone, and with it what was to be mended.
            Err(TrySendError::Disconnected(())) => {}
        }
    }
}

/// Starts the thread. It ends when the registry is gone.
///
/// # Errors
/// `internal` when the system starts no thread.
pub(crate) fn start(registry: Weak<Registry>, calls: Receiver<()>) -> Result<()> {
    let run = move || {
        while wait(&calls, due(&registry)) {
            // Mended by `due` of the next round.
        }
    };
    std::thread::Builder::new()
        .name("pelorus-mender".into())
        .spawn(run)
        .map(drop)
        .map_err(EngineError::thread)
}

/// What is to happen next.
enum Due {
    /// Nothing is broken.
    Never,
    At(Instant),
    /// The registry is gone.
    End,
}

/// Mends what is due and tells when something is due again.
fn due(registry: &Weak<Registry>) -> Due {
    let Some(registry) = registry.upgrade() else {
        return Due::End;
    };
    match registry.mend(Instant::now()) {
        None => Due::Never,
        Some(at) => Due::At(at),
    }
}

/// Waits for a call or the time; false at the end.
fn wait(calls: &Receiver<()>, due: Due) -> bool {
    match due {
        Due::End => false,
        Due::Never => calls.recv().is_ok(),
        Due::At(at) => !matches!(calls.recv_deadline(at), Err(RecvTimeoutError::Disconnected)),
    }
}
