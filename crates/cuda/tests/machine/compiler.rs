//! NVRTC: compiles kernels as C++ for this machine. An image is the path of a library.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::PathBuf;
use std::process::Command;

use pelorus_cuda::Program;

use super::{fault, with};

const FLAGS: [&str; 9] = [
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
    "-DCAPABILITY=90",
];

struct Compilation {
    source: String,
    /// The image and its nought.
    image: Vec<u8>,
}

/// Tells whether kernels can be run at all, aloud where they cannot.
pub fn has_compiler() -> bool {
    let is_there = Command::new(compiler()).arg("--version").output().is_ok();
    if !is_there {
        eprintln!(
            "skipped: there is no C++ compiler `{}`, so no kernel was run",
            compiler()
        );
    }
    is_there
}

fn compiler() -> String {
    std::env::var("CXX").unwrap_or_else(|_| "c++".to_owned())
}

/// The functions by name.
pub(super) fn address(function: &str) -> Option<*const c_void> {
    Some(match function {
        "nvrtcGetNumSupportedArchs" => architecture_count as *const c_void,
        "nvrtcGetSupportedArchs" => architectures as *const c_void,
        "nvrtcGetErrorString" => error_string as *const c_void,
        "nvrtcCreateProgram" => create as *const c_void,
        "nvrtcDestroyProgram" => destroy as *const c_void,
        "nvrtcCompileProgram" => compile as *const c_void,
        "nvrtcGetProgramLogSize" => log_size as *const c_void,
        "nvrtcGetProgramLog" => log as *const c_void,
        "nvrtcGetCUBINSize" | "nvrtcGetPTXSize" => image_size as *const c_void,
        "nvrtcGetCUBIN" | "nvrtcGetPTX" => image as *const c_void,
        _ => return None,
    })
}

const LOG: &CStr = c"rows.cu(7): error: this machine says so\n";

unsafe extern "system" fn architecture_count(out: *mut c_int) -> c_int {
    // SAFETY: the caller's place, here and below.
    unsafe { out.write(3) };
    0
}

unsafe extern "system" fn architectures(out: *mut c_int) -> c_int {
    for (at, architecture) in [75, 80, 90].into_iter().enumerate() {
        // SAFETY: the caller's list has as many places as were told.
        unsafe { out.add(at).write(architecture) };
    }
    0
}

extern "system" fn error_string(_: c_int) -> *const c_char {
    c"NVRTC_ERROR_COMPILATION".as_ptr()
}

unsafe extern "system" fn create(
    out: *mut *mut c_void,
    source: *const c_char,
    _: *const c_char,
    headers: c_int,
    _: *const *const c_char,
    _: *const *const c_char,
) -> c_int {
    assert_eq!(headers, 0, "programs need no headers");
    // SAFETY: the caller's text, which ends in nought.
    let source = unsafe { CStr::from_ptr(source) }
        .to_str()
        .expect("a source")
        .to_owned();
    let compilation = Box::new(Compilation {
        source,
        image: Vec::new(),
    });
    // SAFETY: as above.
    unsafe { out.write(Box::into_raw(compilation).cast()) };
    fault("nvrtcCreateProgram")
}

unsafe extern "system" fn destroy(program: *mut *mut c_void) -> c_int {
    // SAFETY: made by `create`, and given back once.
    drop(unsafe { Box::from_raw(program.read().cast::<Compilation>()) });
    0
}

unsafe extern "system" fn compile(
    program: *mut c_void,
    count: c_int,
    options: *const *const c_char,
) -> c_int {
    // SAFETY: made by `create`; as many texts as told.
    let (compilation, options) = unsafe {
        let options = std::slice::from_raw_parts(options, usize::try_from(count).expect("a count"));
        let options = options
            .iter()
            .map(|&option| CStr::from_ptr(option).to_str().expect("a text"));
        (
            &mut *program.cast::<Compilation>(),
            options.collect::<Vec<_>>(),
        )
    };
    assert!(
        options.iter().any(|option| [
            "--gpu-architecture=sm_75",
            "--gpu-architecture=sm_80",
            "--gpu-architecture=sm_90",
            "--gpu-architecture=compute_90"
        ]
        .contains(option)),
        "an architecture that is known: {options:?}"
    );
    with(|machine| machine.counts.compilations += 1);
    let library = build(&compilation.source);
    compilation.image = library.to_str().expect("a path").as_bytes().to_vec();
    fault("nvrtcCompileProgram")
}

unsafe extern "system" fn log_size(_: *mut c_void, out: *mut usize) -> c_int {
    // SAFETY: as above.
    unsafe { out.write(LOG.to_bytes_with_nul().len()) };
    0
}

unsafe extern "system" fn log(_: *mut c_void, out: *mut c_char) -> c_int {
    // SAFETY: the caller has room for as many as were told.
    unsafe { out.copy_from_nonoverlapping(LOG.as_ptr(), LOG.to_bytes_with_nul().len()) };
    0
}

unsafe extern "system" fn image_size(program: *mut c_void, out: *mut usize) -> c_int {
    // SAFETY: made by `create`.
    unsafe { out.write((*program.cast::<Compilation>()).image.len()) };
    0
}

unsafe extern "system" fn image(program: *mut c_void, out: *mut c_char) -> c_int {
    // SAFETY: made by `create`; the caller has room for as many as were told.
    unsafe {
        let image = &(*program.cast::<Compilation>()).image;
        out.copy_from_nonoverlapping(image.as_ptr().cast(), image.len());
    }
    0
}

/// The folder of what was compiled: that of the build, or, for a library that outlives it, that of the system.
fn folder() -> PathBuf {
    option_env!("CARGO_TARGET_TMPDIR").map_or_else(std::env::temp_dir, PathBuf::from)
}

/// The library of a program, compiled unless that was done before.
fn build(source: &str) -> PathBuf {
    let program = Program::ALL
        .into_iter()
        .find(|program| program.source() == source);
    let program = program.expect("one of the programs");
    let mut text = include_str!("../emulation/emulation.hpp").to_owned();
    text.push_str(source);
    text.push_str(include_str!("../emulation/entry.hpp"));
    text.push_str("static const emulation::Entry ENTRIES[] = {\n");
    for kernel in program.kernels() {
        text.push_str(&format!("ENTRY({kernel}),\n"));
    }
    text.push_str("};\nRUN(ENTRIES)\n");
    let mut hasher = DefaultHasher::new();
    (&text, FLAGS, compiler()).hash(&mut hasher);
    let folder = folder();
    let library = folder.join(format!("machine-{:016x}.so", hasher.finish()));
    if library.exists() {
        return library;
    }
    let build = tempfile::tempdir_in(&folder).expect("a folder to compile in");
    let [source, out] = ["program.cpp", "out.so"].map(|name| build.path().join(name));
    std::fs::write(&source, text).expect("the source is written");
    let mut command = Command::new(compiler());
    let output = command.args(FLAGS).arg("-o").args([&out, &source]).output();
    let output = output.expect("the compiler runs");
    let messages = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.success(),
        "{} compiles:\n{messages}",
        program.name()
    );
    // Another test may have made the same one.
    std::fs::rename(out, &library).expect("the library is moved to its place");
    library
}
