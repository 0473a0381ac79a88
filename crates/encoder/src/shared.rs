//! Encoders that are open, each once in the process.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, LazyLock, Mutex, PoisonError, Weak};

use crate::files::{FileState, ModelFiles};
use crate::{Precision, Refusal, TextEncoder};

/// Files as they were when they were opened, and the precision: others in their places are another encoder.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Place {
    files: Vec<FileState>,
    precision: Precision,
}

type Slot = Arc<Mutex<Weak<TextEncoder>>>;

static OPEN: LazyLock<Mutex<HashMap<Place, Slot>>> = LazyLock::new(Mutex::default);

/// The encoder in an ONNX file, or in a file `.safetensors` with `config.json` beside it, in a precision: the one that is
/// open already, wherever it was opened. It lives as long as somebody has it.
///
/// # Errors
/// [`Refusal`] when a file cannot be read or is damaged, or the model is none that is known here.
pub fn open(path: &Path, precision: Precision) -> Result<Arc<TextEncoder>, Refusal> {
    let files = ModelFiles::open(path)?;
    let slot = slot_of(Place {
        files: files.states.clone(),
        precision,
    });
    // Whoever comes second waits for the first, and does not read it again.
    let mut held = slot.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(open) = held.upgrade() {
        return Ok(open);
    }
    let encoder = Arc::new(TextEncoder::of(&files, precision)?);
    *held = Arc::downgrade(&encoder);
    Ok(encoder)
}

/// Tells whether the model of a file is one that is known here, without reading its weights.
///
/// # Errors
/// [`Refusal`] as [`open`] has it, but for weights of wrong shapes.
pub fn check(path: &Path) -> Result<(), Refusal> {
    ModelFiles::open(path)?.architecture().map(drop)
}

fn slot_of(place: Place) -> Slot {
    let mut open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
    // Those that nobody has any more, nor is about to.
    open.retain(|_, slot| {
        Arc::strong_count(slot) > 1 || slot.try_lock().is_ok_and(|held| held.strong_count() > 0)
    });
    Arc::clone(open.entry(place).or_default())
}
