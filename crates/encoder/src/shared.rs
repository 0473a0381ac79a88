//! Encoders that are open, each once in the process.

use std::collections::HashMap;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock, Mutex, PoisonError, Weak};
use std::time::SystemTime;

use crate::{Precision, Refusal, TextEncoder};

/// A file as it was when it was opened, and the precision: another one in its place is another encoder.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Place {
    path: PathBuf,
    bytes: u64,
    changed: Option<SystemTime>,
    precision: Precision,
}

type Slot = Arc<Mutex<Weak<TextEncoder>>>;

static OPEN: LazyLock<Mutex<HashMap<Place, Slot>>> = LazyLock::new(Mutex::default);

/// The encoder in an ONNX file, in a precision: the one that is open already, wherever it was opened. It lives as long
/// as somebody has it.
///
/// # Errors
/// [`Refusal`] when the file cannot be read or is damaged, or the model is none that is known here.
pub fn open(path: &Path, precision: Precision) -> Result<Arc<TextEncoder>, Refusal> {
    let file = File::open(path).map_err(unreadable)?;
    let state = file.metadata().map_err(unreadable)?;
    let place = Place {
        path: path.to_owned(),
        bytes: state.len(),
        changed: state.modified().ok(),
        precision,
    };
    let slot = slot_of(place);
    // Whoever comes second waits for the first, and does not read it again.
    let mut held = slot.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(open) = held.upgrade() {
        return Ok(open);
    }
    let encoder = Arc::new(TextEncoder::of(&file, precision)?);
    *held = Arc::downgrade(&encoder);
    Ok(encoder)
}

/// Tells whether the graph of an ONNX file is one that is known here, without its weights.
///
/// # Errors
/// [`Refusal`] as [`open`] has it, but for weights of wrong shapes.
pub fn check(path: &Path) -> Result<(), Refusal> {
    TextEncoder::check_file(&File::open(path).map_err(unreadable)?)
}

fn unreadable(error: std::io::Error) -> Refusal {
    Refusal::Unreadable {
        reason: error.to_string(),
    }
}

fn slot_of(place: Place) -> Slot {
    let mut open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
    // Those that nobody has any more, nor is about to.
    open.retain(|_, slot| {
        Arc::strong_count(slot) > 1 || slot.try_lock().is_ok_and(|held| held.strong_count() > 0)
    });
    Arc::clone(open.entry(place).or_default())
}
