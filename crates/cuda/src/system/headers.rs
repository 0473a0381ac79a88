//! The calls to NVIDIA, held against its headers: how each function takes its arguments, the value of each
//! constant, the layout of each struct.
//!
//! `headers.txt` has what the headers of CUDA 12.9 and 13.5 say, which is the same. Where `PELORUS_CUDA_INCLUDE` names
//! folders with headers, a program of C++ asks these anew.

use std::ffi::c_void;
use std::fmt::Write;
use std::mem::offset_of;
use std::process::Command;

use super::cublaslt::{self, CublasLt};
use super::driver::{self, Driver};
use super::nvml::{self, Nvml};
use super::nvrtc::{self, Nvrtc};

/// A type that is passed to a function, or comes back.
pub(super) trait Passed {
    /// The registers of it: numbers and pointers by their bytes, floats by themselves.
    const HOW: &str;
}

macro_rules! passed {
    ($($kind:ty: $how:literal),* $(,)?) => {
        $(impl Passed for $kind {
            const HOW: &str = $how;
        })*
    };
}

passed!(i32: "4", u32: "4", i64: "8", u64: "8", usize: "8", f32: "f4");

impl<T> Passed for *const T {
    const HOW: &str = "8";
}

impl<T> Passed for *mut T {
    const HOW: &str = "8";
}

// Pointers to functions are of no table; a type for all others would hide a mistake.
const _: () = assert!(size_of::<*mut c_void>() == 8);

type Declaration = (&'static str, &'static str, &'static [&'static str]);

fn declarations() -> impl Iterator<Item = Declaration> {
    let tables = [
        Driver::DECLARATIONS,
        Nvml::DECLARATIONS,
        Nvrtc::DECLARATIONS,
        CublasLt::DECLARATIONS,
    ];
    tables.into_iter().flatten().copied()
}

/// Constants by the expressions that have their value in C.
fn constants() -> Vec<(String, i64)> {
    let quiet = "CU_EVENT_BLOCKING_SYNC | CU_EVENT_DISABLE_TIMING";
    let named = [
        ("CUDA_SUCCESS", driver::SUCCESS),
        ("CUDA_ERROR_OUT_OF_MEMORY", driver::OUT_OF_MEMORY),
        ("CUDA_ERROR_NO_DEVICE", driver::NO_DEVICE),
        (
            "CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR",
            driver::COMPUTE_CAPABILITY_MAJOR,
        ),
        (
            "CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR",
            driver::COMPUTE_CAPABILITY_MINOR,
        ),
        ("CU_DEVICE_ATTRIBUTE_COMPUTE_MODE", driver::COMPUTE_MODE),
        ("CU_COMPUTEMODE_PROHIBITED", driver::MODE_PROHIBITED),
        ("NVML_SUCCESS", nvml::SUCCESS),
        ("NVRTC_SUCCESS", nvrtc::SUCCESS),
        ("CUBLAS_STATUS_SUCCESS", cublaslt::SUCCESS),
        ("CUBLAS_COMPUTE_32F", cublaslt::COMPUTE_F32),
        ("CUDA_R_32F", cublaslt::TYPE_F32),
        ("CUDA_R_16F", cublaslt::TYPE_F16),
        ("CUDA_R_16BF", cublaslt::TYPE_BF16),
        ("CUBLAS_OP_T", cublaslt::TRANSPOSED),
        ("CUBLASLT_MATMUL_DESC_TRANSA", cublaslt::DESC_TRANSPOSE_A),
        (
            "CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES",
            cublaslt::PREFERENCE_WORKSPACE,
        ),
    ];
    let refusals = driver::REFUSALS.map(|(name, code)| (format!("CUDA_ERROR_{name}"), code));
    let named = named.map(|(name, value)| (name.to_owned(), value));
    let flags = [
        ("CU_STREAM_NON_BLOCKING", driver::STREAM_NON_BLOCKING),
        (quiet, driver::EVENT_QUIET),
    ];
    let flags = flags.map(|(name, value)| (name.to_owned(), value.into()));
    let values = named.into_iter().chain(refusals);
    let values = values.map(|(name, value)| (name, value.into()));
    values.chain(flags).collect()
}

/// Sizes and places by the expressions that have their value in C.
fn layouts() -> [(&'static str, usize); 15] {
    use cublaslt::{Algorithm, Heuristic};
    use nvml::{Memory, Utilization};
    [
        ("sizeof(nvmlMemory_t)", size_of::<Memory>()),
        ("offsetof(nvmlMemory_t, total)", offset_of!(Memory, total)),
        ("offsetof(nvmlMemory_t, free)", offset_of!(Memory, free)),
        ("offsetof(nvmlMemory_t, used)", offset_of!(Memory, used)),
        ("sizeof(nvmlUtilization_t)", size_of::<Utilization>()),
        (
            "offsetof(nvmlUtilization_t, gpu)",
            offset_of!(Utilization, device),
        ),
        (
            "offsetof(nvmlUtilization_t, memory)",
            offset_of!(Utilization, memory),
        ),
        ("sizeof(CUuuid)", size_of::<[u8; 16]>()),
        ("sizeof(CUdeviceptr)", size_of::<driver::Address>()),
        ("sizeof(cublasLtMatmulAlgo_t)", size_of::<Algorithm>()),
        (
            "sizeof(cublasLtMatmulHeuristicResult_t)",
            size_of::<Heuristic>(),
        ),
        (
            "offsetof(cublasLtMatmulHeuristicResult_t, algo)",
            offset_of!(Heuristic, algorithm),
        ),
        (
            "offsetof(cublasLtMatmulHeuristicResult_t, workspaceSize)",
            offset_of!(Heuristic, workspace),
        ),
        (
            "offsetof(cublasLtMatmulHeuristicResult_t, state)",
            offset_of!(Heuristic, state),
        ),
        (
            "offsetof(cublasLtMatmulHeuristicResult_t, wavesCount)",
            offset_of!(Heuristic, waves),
        ),
    ]
}

/// All of it, a line each.
fn called() -> String {
    let mut text = String::new();
    for (name, result, arguments) in declarations() {
        let _ = writeln!(text, "{name}: {result}({})", arguments.join(" "));
    }
    for (name, value) in constants() {
        let _ = writeln!(text, "{name}: {value}");
    }
    for (name, value) in layouts() {
        let _ = writeln!(text, "{name}: {value}");
    }
    text
}

/// A program that prints the same from the headers.
fn asking() -> String {
    let mut text = String::from(ASKING);
    for (name, ..) in declarations() {
        let _ = writeln!(text, "    function(\"{name}\", &{name});");
    }
    let layouts = layouts().map(|(name, _)| name.to_owned());
    for name in constants().into_iter().map(|(name, _)| name).chain(layouts) {
        let _ = writeln!(text, "    value(\"{name}\", (long long)({name}));");
    }
    text.push_str("}\n");
    text
}

const ASKING: &str = r#"#include <cstddef>
#include <cstdio>
#include <type_traits>
#include <cublasLt.h>
#include <cuda.h>
#include <nvml.h>
#include <nvrtc.h>

template <class T>
void passed() {
    std::printf("%s%zu", std::is_floating_point<T>::value ? "f" : "", sizeof(T));
}

template <class R, class... A>
void function(const char *name, R (*)(A...)) {
    std::printf("%s: ", name);
    passed<R>();
    const char *before = "(";
    ((std::printf("%s", before), passed<A>(), before = " "), ...);
    std::printf("%s)\n", sizeof...(A) == 0 ? "(" : "");
}

void value(const char *name, long long value) { std::printf("%s: %lld\n", name, value); }

int main() {
"#;

#[test]
fn the_headers_declare_all_that_is_called() {
    assert_eq!(called(), include_str!("headers.txt"));
}

#[test]
fn the_headers_that_are_named_declare_the_same() {
    let Some(folders) = std::env::var_os("PELORUS_CUDA_INCLUDE") else {
        eprintln!("skipped: PELORUS_CUDA_INCLUDE names no folders with the headers of CUDA");
        return;
    };
    let folder = tempfile::tempdir().expect("a folder");
    let [source, program] = ["asking.cpp", "asking"].map(|name| folder.path().join(name));
    std::fs::write(&source, asking()).expect("written");
    let compiler = std::env::var("CXX").unwrap_or_else(|_| "c++".to_owned());
    let mut command = Command::new(compiler);
    for include in std::env::split_paths(&folders) {
        command.arg("-I").arg(include);
    }
    // Only the types of functions are looked at, so no library needs to have them.
    let command = command
        .args(["-std=c++17", "-O2", "-Wl,--unresolved-symbols=ignore-all"])
        .arg("-o")
        .args([&program, &source]);
    let output = command.output().expect("the compiler runs");
    let messages = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "the headers compile:\n{messages}");
    let output = Command::new(&program).output().expect("the program runs");
    assert_eq!(called(), String::from_utf8_lossy(&output.stdout));
}
