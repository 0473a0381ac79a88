//! Encoders that are open, each once in the process.

use std::collections::HashMap;
use std::hash::Hash;
use std::path::Path;
use std::sync::{Arc, LazyLock, Mutex, PoisonError, Weak};

use crate::bytes::FileState;
use crate::files::{ModelFiles, Opening, calibration_state};
use crate::{Calibration, Precision, Refusal, TextEncoder, Tower, TowerInput, safetensors};

/// Files as they were when they were opened, and what they were opened for: others in their places are another encoder.
type Place<K> = (Vec<FileState>, K);

type Slot<E> = Arc<Mutex<Weak<E>>>;
type Slots<K, E> = LazyLock<Mutex<HashMap<Place<K>, Slot<E>>>>;

static ENCODERS: Slots<Precision, TextEncoder> = LazyLock::new(Mutex::default);
static CALIBRATED: Slots<FileState, TextEncoder> = LazyLock::new(Mutex::default);
static TOWERS: Slots<(TowerInput, Precision), Tower> = LazyLock::new(Mutex::default);

/// The encoder in an ONNX file, or in a file `.safetensors` with `config.json` beside it, in a precision: the one that is
/// open already, wherever it was opened. It lives as long as somebody has it.
///
/// # Errors
/// [`Refusal`] when a file cannot be read or is damaged, or the model is none that is known here.
pub fn open(path: &Path, precision: Precision) -> Result<Arc<TextEncoder>, Refusal> {
    shared(&ENCODERS, path, Opening::Outline, precision, |files| {
        TextEncoder::of(files, precision)
    })
}

/// As [`open`], in int8 with a calibration.
///
/// # Errors
/// [`Refusal`] as `open` has it, and when the calibration is not there, cannot be read, is damaged or was made for other
/// weights.
pub fn open_int8(path: &Path, calibration: &Path) -> Result<Arc<TextEncoder>, Refusal> {
    // A model that is none of those known here is told first: no calibration would help it.
    check(path)?;
    let key = calibration_state(calibration)?;
    shared(&CALIBRATED, path, Opening::Outline, key, |files| {
        TextEncoder::of_int8(files, &Calibration::read(calibration)?)
    })
}

/// Tells whether the model of a file is one that is known here, without reading its weights.
///
/// # Errors
/// [`Refusal`] as [`open`] has it, but for weights of wrong shapes.
pub fn check(path: &Path) -> Result<(), Refusal> {
    let files = ModelFiles::open(path, Opening::Outline)?;
    files.architecture().map(drop)
}

/// Tells whether `config.json` is of an encoder that is known here, so that its weights in safetensors can be run.
///
/// # Errors
/// [`Refusal`] when it is no configuration, or of another model.
pub fn check_config(config: &[u8]) -> Result<(), Refusal> {
    safetensors::check(config)
}

/// The tower in an ONNX file, in a precision, shared as [`open`] shares encoders.
///
/// # Errors
/// [`Refusal`] when a file cannot be read or is damaged, or the graph is no tower for these inputs that is known here.
pub fn open_tower(
    path: &Path,
    input: TowerInput,
    precision: Precision,
) -> Result<Arc<Tower>, Refusal> {
    let key = (input, precision);
    shared(&TOWERS, path, Opening::All, key, |files| {
        Tower::of(files, input, precision)
    })
}

/// Tells whether the graph of an ONNX file is a tower for these inputs, without reading its weights.
///
/// # Errors
/// [`Refusal`] as [`open_tower`] has it, but for weights that are no numbers.
pub fn check_tower(path: &Path, input: TowerInput) -> Result<(), Refusal> {
    Tower::check(&ModelFiles::open(path, Opening::Outline)?, input)
}

fn shared<K: Eq + Hash, E>(
    slots: &Slots<K, E>,
    path: &Path,
    opening: Opening,
    key: K,
    make: impl FnOnce(&ModelFiles) -> Result<E, Refusal>,
) -> Result<Arc<E>, Refusal> {
    let files = ModelFiles::open(path, opening)?;
    let slot = slot_of(slots, (files.states.clone(), key));
    // Whoever comes second waits for the first, and does not read it again.
    let mut held = slot.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(open) = held.upgrade() {
        return Ok(open);
    }
    let encoder = Arc::new(make(&files)?);
    files.check_unchanged()?;
    *held = Arc::downgrade(&encoder);
    Ok(encoder)
}

fn slot_of<K: Eq + Hash, E>(slots: &Slots<K, E>, place: Place<K>) -> Slot<E> {
    let mut open = slots.lock().unwrap_or_else(PoisonError::into_inner);
    // Those that nobody has any more, nor is about to.
    open.retain(|_, slot| {
        Arc::strong_count(slot) > 1 || slot.try_lock().is_ok_and(|held| held.strong_count() > 0)
    });
    Arc::clone(open.entry(place).or_default())
}
