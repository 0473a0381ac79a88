//! The kernels on the CPU: compiled as C++ by the system's compiler, run by the emulation.

#![allow(dead_code, reason = "each test file uses what it needs")]

mod memory;

use std::collections::HashMap;
use std::ffi::{CStr, CString, c_char, c_void};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{LazyLock, Mutex, PoisonError};

use libloading::Library;
use pelorus_cuda::{Element, Launch, Program};
use pelorus_random::SplitMix64;

pub use memory::Memory;

/// The orders in which threads run: in turn, in reverse, and one of chance.
const ORDERS: [u64; 3] = [0, 1, 0x5eed];

type Run = unsafe extern "C" fn(
    *const c_char,
    *const u32,
    u32,
    *mut *mut c_void,
    u32,
    u64,
) -> *const c_char;

/// A program compiled for the CPU.
#[derive(Clone, Copy)]
pub struct Emulation {
    run: Run,
}

/// A parameter of a kernel.
#[derive(Clone, Copy)]
pub enum Argument<'a> {
    Memory(&'a Memory),
    Null,
    U32(u32),
    U64(u64),
    F32(f32),
}

/// The emulations of a program, as for devices of now and, where they run it, for those before; none, said aloud, where there
/// is no C++ compiler.
pub fn emulations(program: Program) -> Vec<Emulation> {
    let source = program.source();
    let of = |capability| emulation(&source, program.kernels(), capability);
    let capabilities = [80, 75].into_iter();
    let capabilities = capabilities.filter(|&capability| program.runs_on(capability));
    capabilities.filter_map(of).collect()
}

/// The emulation of some kernels; none, said aloud, where there is no C++ compiler.
pub fn emulation(source: &str, kernels: &[&str], capability: u32) -> Option<Emulation> {
    static OPEN: LazyLock<Mutex<HashMap<String, Option<Emulation>>>> =
        LazyLock::new(Mutex::default);
    let mut text = format!("#define CAPABILITY {capability}\n");
    text.push_str(include_str!("../emulation/emulation.hpp"));
    text.push_str(source);
    text.push_str(include_str!("../emulation/entry.hpp"));
    text.push_str("static const emulation::Entry ENTRIES[] = {\n");
    for kernel in kernels {
        text.push_str(&format!("ENTRY({kernel}),\n"));
    }
    text.push_str("};\nRUN(ENTRIES)\n");
    let mut open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(open) = open.get(&text) {
        return *open;
    }
    let built = build(&text).map(|path| load(&path));
    if built.is_none() {
        eprintln!(
            "skipped: there is no C++ compiler `{}`, so no kernel was run",
            compiler()
        );
    }
    open.insert(text, built);
    built
}

fn compiler() -> String {
    std::env::var("CXX").unwrap_or_else(|_| "c++".to_owned())
}

/// The shared library of a text, compiled unless that was done before; none without a compiler.
fn build(text: &str) -> Option<PathBuf> {
    let flags = [
        "-std=c++17",
        "-O2",
        "-shared",
        "-fPIC",
        "-w",
        // Kernels look at elements as the words that hold them; a device does not fuse what is written apart here.
        "-fno-strict-aliasing",
        "-ffp-contract=off",
        // A check of jumps that takes those from one fiber to another for a fault.
        "-U_FORTIFY_SOURCE",
        "-fsanitize=undefined",
        "-fsanitize-undefined-trap-on-error",
    ];
    let mut hasher = DefaultHasher::new();
    (text, flags, compiler()).hash(&mut hasher);
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let library = folder.join(format!("kernels-{:016x}.so", hasher.finish()));
    if library.exists() {
        return Some(library);
    }
    let build = tempfile::tempdir_in(folder).expect("a folder to compile in");
    let (source, out) = (
        build.path().join("kernels.cpp"),
        build.path().join("out.so"),
    );
    std::fs::write(&source, text).expect("the source is written");
    let run = Command::new(compiler())
        .args(flags)
        .arg("-o")
        .args([&out, &source])
        .output();
    let output = match run {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return None,
        other => other.expect("the compiler runs"),
    };
    let messages = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "kernels compile:\n{messages}");
    std::fs::rename(out, &library).expect("the library is moved to its place");
    Some(library)
}

fn load(path: &Path) -> Emulation {
    // SAFETY: the library was compiled from this repository's sources; nothing runs as it is loaded.
    let library = unsafe { Library::new(path) }.expect("the library loads");
    // It stays for as long as the process, as the function is.
    let library = Box::leak(Box::new(library));
    // SAFETY: RUN of entry.hpp defines it with this type.
    let run = unsafe { library.get::<Run>(b"pelorus_run") }.expect("its function is there");
    Emulation { run: *run }
}

impl Emulation {
    /// Runs a kernel in several orders of its threads; `outputs` are those of its arguments that it writes.
    ///
    /// Panics if [`fault`](Self::fault) finds one.
    pub fn run(&self, launch: Launch, arguments: &[Argument<'_>], outputs: &[&Memory]) {
        assert_eq!(self.fault(launch, arguments, outputs), None, "{launch:?}");
    }

    /// Runs a kernel in several orders of its threads, and answers what the emulation found wrong or which order wrote other
    /// bytes than the first.
    pub fn fault(
        &self,
        launch: Launch,
        arguments: &[Argument<'_>],
        outputs: &[&Memory],
    ) -> Option<String> {
        if launch.is_empty() {
            return None;
        }
        let bytes = || -> Vec<_> { outputs.iter().map(|memory| memory.bytes()).collect() };
        let before = bytes();
        let mut first = None;
        for order in ORDERS {
            for (memory, bytes) in outputs.iter().zip(&before) {
                memory.fill(bytes);
            }
            if let Some(failure) = self.run_once(launch, arguments, order) {
                return Some(format!("{failure}, in order {order}"));
            }
            let after = bytes();
            if *first.get_or_insert_with(|| after.clone()) != after {
                return Some(format!("other bytes in order {order}"));
            }
        }
        None
    }

    /// Runs a kernel in one order and answers what the emulation found wrong.
    fn run_once(&self, launch: Launch, arguments: &[Argument<'_>], order: u64) -> Option<String> {
        let mut words: Vec<u64> = arguments
            .iter()
            .map(|argument| match *argument {
                Argument::Memory(memory) => memory.address(),
                Argument::Null => 0,
                Argument::U32(value) => value.into(),
                Argument::U64(value) => value,
                Argument::F32(value) => value.to_bits().into(),
            })
            .collect();
        let mut places: Vec<*mut c_void> = words
            .iter_mut()
            .map(|word| (word as *mut u64).cast())
            .collect();
        let kernel = CString::new(launch.kernel).expect("names have no zero byte");
        // SAFETY: the arguments are as many as the entry has parameters, which it checks, each of eight bytes at least; their
        // memory is alive. A kernel that leaves its memory ends the process at a page that cannot be read.
        let failure = unsafe {
            (self.run)(
                kernel.as_ptr(),
                launch.grid.as_ptr(),
                launch.block,
                places.as_mut_ptr(),
                places.len() as u32,
                order,
            )
        };
        if failure.is_null() {
            return None;
        }
        // SAFETY: failures are literals of the library, which stays loaded.
        Some(
            unsafe { CStr::from_ptr(failure) }
                .to_string_lossy()
                .into_owned(),
        )
    }
}

/// Values that an element can hold, nearly normal, and their bits.
pub fn elements(
    random: &mut SplitMix64,
    element: Element,
    count: usize,
    scale: f32,
) -> (Vec<f32>, Vec<u16>) {
    let bits: Vec<u16> = (0..count)
        .map(|_| element.bits(random.normal() * scale))
        .collect();
    (bits.iter().map(|&bits| element.value(bits)).collect(), bits)
}

pub fn floats(random: &mut SplitMix64, count: usize, scale: f32) -> Vec<f32> {
    (0..count).map(|_| random.normal() * scale).collect()
}

/// The largest relative difference between neighbours.
pub fn step(element: Element) -> f32 {
    match element {
        Element::F16 => 1.0 / 1024.0,
        Element::Bf16 => 1.0 / 128.0,
    }
}

/// Checks values against those of a reference: within a step of the element, and `slack` for what was rounded on the way.
pub fn check(what: &str, element: Element, received: &[u16], expected: &[f32], slack: f32) {
    assert_eq!(received.len(), expected.len(), "{what}");
    for (at, (&bits, &expected)) in received.iter().zip(expected).enumerate() {
        let value = element.value(bits);
        let is_near = (value - expected).abs() <= 0.51 * step(element) * expected.abs() + slack;
        assert!(
            is_near || value.is_nan() && expected.is_nan(),
            "{what}: {value} at {at}, expected {expected}"
        );
    }
}
