//! The thread that audits the indexes of an engine, one after the other.

use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, RecvTimeoutError};
use pelorus_priority::Priority;

use super::round::{Progress, Round};
use crate::error::{EngineError, Result};
use crate::index::Index;
use crate::registry::{Registry, Slot};

/// The time for which documents are compared at once.
const SLICE: Duration = Duration::from_millis(5);
/// The pause after a slice, in slices: the thread takes a hundredth of a core.
const PAUSE_SLICES: u32 = 99;
/// The time after which it looks for indexes that were opened meanwhile.
const LOOK: Duration = Duration::from_secs(30);

/// Starts the thread. It ends when the registry is gone, whose end of `ends` is dropped then.
///
/// # Errors
/// `internal` when the system starts no thread.
pub(crate) fn start(
    registry: Weak<Registry>,
    interval: Duration,
    ends: Receiver<()>,
) -> Result<()> {
    let run = move || {
        Priority::Background.take();
        let mut auditor = Auditor {
            interval,
            running: None,
        };
        loop {
            let Some(registry) = registry.upgrade() else {
                return;
            };
            let pause = auditor.step(&registry);
            drop(registry);
            if !matches!(ends.recv_timeout(pause), Err(RecvTimeoutError::Timeout)) {
                return;
            }
        }
    };
    std::thread::Builder::new()
        .name("pelorus-audit".into())
        .spawn(run)
        .map(drop)
        .map_err(EngineError::thread)
}

/// The state of the thread. It holds no index while it sleeps.
struct Auditor {
    interval: Duration,
    running: Option<Running>,
}

struct Running {
    slot: Arc<Slot>,
    index: Weak<Index>,
    round: Round,
}

impl Auditor {
    /// Takes one slice, or begins a round; gives the pause after it.
    fn step(&mut self, registry: &Registry) -> Duration {
        let Some(running) = &mut self.running else {
            return self.begin(registry);
        };
        let start = Instant::now();
        let progress = match running.index.upgrade() {
            Some(index) => running
                .round
                .slice(&index, &running.slot.audit, start + SLICE),
            None => Progress::GivenUp,
        };
        let now = Instant::now();
        if progress != Progress::More {
            running.slot.audit.ended(now);
            self.running = None;
        }
        (now - start) * PAUSE_SLICES
    }

    /// Begins a round over the index whose last one is longest ago, if it is due.
    fn begin(&mut self, registry: &Registry) -> Duration {
        let now = Instant::now();
        let slots = registry.slots();
        let open = slots.into_iter().filter(|slot| slot.open.load().is_some());
        let Some((since, slot)) = open
            .map(|slot| (slot.audit.since(now), slot))
            .min_by_key(|(since, _)| *since)
        else {
            return LOOK.min(self.interval);
        };
        let due = since + self.interval;
        if now < due {
            return LOOK.min(due - now);
        }
        if let Some(index) = slot.open.load_full()
            && let Ok(round) = Round::of(&index)
        {
            self.running = Some(Running {
                index: Arc::downgrade(&index),
                slot,
                round,
            });
            return Duration::ZERO;
        }
        slot.audit.ended(now);
        Duration::ZERO
    }
}

/// Takes a whole round over an index without pauses; tells whether documents differ.
///
/// # Errors
/// Those of reading its state.
pub(crate) fn audit_now(index: &Arc<Index>, slot: &Slot) -> Result<bool> {
    let mut round = Round::of(index)?;
    loop {
        match round.slice(index, &slot.audit, Instant::now() + SLICE) {
            Progress::More => {}
            progress => {
                slot.audit.ended(Instant::now());
                return Ok(progress == Progress::Differed);
            }
        }
    }
}
