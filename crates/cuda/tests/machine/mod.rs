//! A machine with devices that there are not: the functions of NVIDIA's libraries by the same names and types, on the memory
//! and the processor of this one. Each thread has a machine of its own, whose calls fail where a test says so.

#![allow(dead_code, unused_imports, reason = "each suite uses its part")]

mod blas;
mod compiler;
mod driver;
mod execution;
mod nvml;

use std::cell::RefCell;
use std::collections::HashMap;
use std::ffi::{c_char, c_int, c_void};
use std::ptr::NonNull;
use std::sync::Arc;

pub use compiler::has_compiler;
pub use execution::Counts;
use pelorus_cuda::{Libraries, LibraryName, LoadError, Symbols};

/// The machine of a thread.
pub struct Machine {
    /// As `cuDriverGetVersion` has it: 12040 for 12.4.
    pub driver_version: c_int,
    pub devices: Vec<Device>,
    /// Libraries that are not installed.
    pub missing: Vec<LibraryName>,
    /// Functions that no library has.
    pub removed: Vec<&'static str>,
    /// Functions that fail, each with its code.
    pub failing: HashMap<&'static str, c_int>,
    /// Bytes of memory that may be taken at once.
    pub room: usize,
    /// Products come out wrong.
    pub is_faulty: bool,
    /// Figures of all that was done.
    pub counts: Counts,
}

#[derive(Clone)]
pub struct Device {
    pub name: &'static str,
    pub id: [u8; 16],
    pub memory: u64,
    pub capability: (c_int, c_int),
    pub is_prohibited: bool,
    /// As NVML tells them.
    pub used: u64,
    pub utilization: u32,
    /// The name that NVML has for it: a whole device, or a part.
    pub kind: &'static str,
}

impl Device {
    pub fn new(number: u8) -> Self {
        Self {
            name: "NVIDIA Emulated",
            id: [number; 16],
            memory: 16 << 30,
            capability: (9, 0),
            is_prohibited: false,
            used: 1 << 30,
            utilization: 37,
            kind: "GPU",
        }
    }
}

impl Default for Machine {
    fn default() -> Self {
        Self {
            driver_version: 12_040,
            devices: vec![Device::new(7)],
            missing: Vec::new(),
            removed: Vec::new(),
            failing: HashMap::new(),
            room: usize::MAX,
            is_faulty: false,
            counts: Counts::default(),
        }
    }
}

thread_local! {
    static MACHINE: RefCell<Machine> = RefCell::default();
}

/// Reads or changes the machine of this thread.
pub fn with<T>(change: impl FnOnce(&mut Machine) -> T) -> T {
    MACHINE.with_borrow_mut(change)
}

/// The libraries of the machine of whichever thread calls them.
pub fn libraries() -> Arc<dyn Libraries> {
    Arc::new(Emulated)
}

struct Emulated;

impl Libraries for Emulated {
    fn open(&self, library: LibraryName, _: Option<u32>) -> Result<Arc<dyn Symbols>, LoadError> {
        if with(|machine| machine.missing.contains(&library)) {
            return Err(LoadError::NotFound {
                library,
                tried: "emulated".to_owned(),
            });
        }
        Ok(Arc::new(Emulated))
    }
}

impl Symbols for Emulated {
    fn address(&self, function: &str) -> Option<NonNull<c_void>> {
        if with(|machine| machine.removed.contains(&function)) {
            return None;
        }
        let address = driver::address(function)
            .or_else(|| execution::address(function))
            .or_else(|| compiler::address(function))
            .or_else(|| blas::address(function))
            .or_else(|| nvml::address(function))?;
        NonNull::new(address.cast_mut())
    }
}

/// The code that a function fails with at this moment, 0 where it works.
fn fault(function: &'static str) -> c_int {
    with(|machine| machine.failing.get(function).copied().unwrap_or(0))
}

/// Writes a text with its nought into a buffer of `len` characters.
///
/// # Safety
/// The buffer has so many.
unsafe fn write_text(text: &str, buffer: *mut c_char, len: c_int) {
    let room = usize::try_from(len).expect("a length") - 1;
    for (at, byte) in text.bytes().take(room).chain([0]).enumerate() {
        // SAFETY: at most `len` characters, which the caller promises.
        unsafe { buffer.add(at).write(byte as c_char) };
    }
}
