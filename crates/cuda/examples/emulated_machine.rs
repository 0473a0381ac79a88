//! The machine that tests emulate, as a shared library with the functions of NVIDIA's: a program that finds it under their
//! names, such as `libcuda.so.1`, runs on it through all that it would run on a GPU. Only tests build it, and nothing ships it.
//!
//! `PELORUS_EMULATED_MACHINE` may name a file with its state, which is read before each call, so that a test changes it while a
//! program runs: lines `devices N`, `room BYTES` of memory that may be taken beyond what is, `fail FUNCTION CODE`, and
//! `faulty`, of a machine whose products come out wrong.

#[path = "../tests/machine/mod.rs"]
mod machine;

use std::fs;
use std::sync::mpsc::{Sender, channel};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::thread;

use machine::{Device, libraries, with};
use pelorus_cuda::{LibraryName, Symbols};

/// Codes of functions that fail are numbers by names that live as long as the process.
const NAMES: &[&str] = &[
    "cuMemAlloc_v2",
    "cuLaunchKernel",
    "cuEventSynchronize",
    "cuStreamSynchronize",
    "cuInit",
];

type Job = Box<dyn FnOnce() + Send>;

/// Runs a call on the one thread that has the machine.
fn on_machine(call: impl FnOnce() -> usize + Send + 'static) -> usize {
    static JOBS: OnceLock<Mutex<Sender<Job>>> = OnceLock::new();
    let jobs = JOBS.get_or_init(|| {
        let (jobs, received) = channel::<Job>();
        thread::spawn(move || {
            while let Ok(job) = received.recv() {
                read_state();
                job();
            }
        });
        Mutex::new(jobs)
    });
    let (told, answer) = channel();
    let job: Job = Box::new(move || {
        // Nobody waits where the process ends.
        let _ = told.send(call());
    });
    let sent = jobs
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .send(job);
    sent.expect("the machine runs");
    answer.recv().expect("the machine answers")
}

/// Puts the machine into the state that the file tells.
fn read_state() {
    let Some(path) = std::env::var_os("PELORUS_EMULATED_MACHINE") else {
        return;
    };
    let state = fs::read_to_string(path).unwrap_or_default();
    with(|machine| {
        machine.failing.clear();
        machine.room = usize::MAX;
        machine.is_faulty = false;
        for line in state.lines() {
            match line.split(' ').collect::<Vec<_>>()[..] {
                ["devices", count] => {
                    let count: u8 = count.parse().expect("a count");
                    machine.devices = (0..count).map(|number| Device::new(7 + number)).collect();
                }
                ["room", bytes] => {
                    let bytes: usize = bytes.parse().expect("bytes");
                    machine.room = machine.counts.bytes + bytes;
                }
                ["faulty"] => machine.is_faulty = true,
                ["fail", function, code] => {
                    let function = NAMES.iter().find(|name| **name == function);
                    let code = code.parse().expect("a code");
                    machine.failing.insert(function.expect("a function"), code);
                }
                _ => {}
            }
        }
    });
}

/// The address of a function of the machine, found on its thread.
fn address(function: &str) -> usize {
    let symbols = libraries().open(LibraryName::Driver, None).ok();
    let found = symbols.and_then(|symbols: std::sync::Arc<dyn Symbols>| symbols.address(function));
    found.expect("the machine has the function").as_ptr().addr()
}

/// Whole numbers and pointers take a register or a place on the stack each, whatever their size, and functions read as much
/// of it as their argument has.
macro_rules! exported {
    ($($name:ident($($argument:ident),*);)*) => {
        $(
            /// As NVIDIA's library has it.
            ///
            /// # Safety
            /// As NVIDIA's.
            #[allow(non_snake_case, clippy::too_many_arguments, reason = "the name and the arguments of NVIDIA's")]
            // SAFETY: no other library of this process has it, or it stands in its place.
            #[unsafe(no_mangle)]
            pub unsafe extern "C" fn $name($($argument: usize),*) -> usize {
                on_machine(move || {
                    let place = address(stringify!($name)) as *const ();
                    // SAFETY: the function of this name takes as many arguments, none of them a float.
                    unsafe {
                        let function: unsafe extern "C" fn($(exported!(@ $argument)),*) -> usize =
                            std::mem::transmute(place);
                        function($($argument),*)
                    }
                })
            }
        )*
    };
    (@ $argument:ident) => { usize };
}

exported! {
    cuInit(a);
    cuDriverGetVersion(a);
    cuGetErrorName(a, b);
    cuGetErrorString(a, b);
    cuDeviceGetCount(a);
    cuDeviceGet(a, b);
    cuDeviceGetName(a, b, c);
    cuDeviceTotalMem_v2(a, b);
    cuDeviceGetAttribute(a, b, c);
    cuDeviceGetUuid_v2(a, b);
    cuDeviceGetPCIBusId(a, b, c);
    cuDevicePrimaryCtxRetain(a, b);
    cuDevicePrimaryCtxRelease_v2(a);
    cuCtxSetCurrent(a);
    cuMemAlloc_v2(a, b);
    cuMemFree_v2(a);
    cuMemHostAlloc(a, b, c);
    cuMemFreeHost(a);
    cuMemcpyHtoDAsync_v2(a, b, c, d);
    cuMemcpyDtoHAsync_v2(a, b, c, d);
    cuStreamCreate(a, b);
    cuStreamDestroy_v2(a);
    cuStreamSynchronize(a);
    cuEventCreate(a, b);
    cuEventDestroy_v2(a);
    cuEventRecord(a, b);
    cuEventSynchronize(a);
    cuModuleLoadData(a, b);
    cuModuleUnload(a);
    cuModuleGetFunction(a, b, c);
    cuLaunchKernel(a, b, c, d, e, f, g, h, i, j, k);
    nvmlInit_v2();
    nvmlDeviceGetHandleByUUID(a, b);
    nvmlDeviceGetHandleByPciBusId_v2(a, b);
    nvmlDeviceGetMemoryInfo(a, b);
    nvmlDeviceGetUtilizationRates(a, b);
    nvrtcGetNumSupportedArchs(a);
    nvrtcGetSupportedArchs(a);
    nvrtcGetErrorString(a);
    nvrtcCreateProgram(a, b, c, d, e, f);
    nvrtcDestroyProgram(a);
    nvrtcCompileProgram(a, b, c);
    nvrtcGetProgramLogSize(a, b);
    nvrtcGetProgramLog(a, b);
    nvrtcGetCUBINSize(a, b);
    nvrtcGetCUBIN(a, b);
    nvrtcGetPTXSize(a, b);
    nvrtcGetPTX(a, b);
    cublasLtCreate(a);
    cublasLtDestroy(a);
    cublasLtMatmulDescCreate(a, b, c);
    cublasLtMatmulDescDestroy(a);
    cublasLtMatmulDescSetAttribute(a, b, c, d);
    cublasLtMatrixLayoutCreate(a, b, c, d, e);
    cublasLtMatrixLayoutDestroy(a);
    cublasLtMatmulPreferenceCreate(a);
    cublasLtMatmulPreferenceDestroy(a);
    cublasLtMatmulPreferenceSetAttribute(a, b, c, d);
    cublasLtMatmulAlgoGetHeuristic(a, b, c, d, e, f, g, h, i, j);
    cublasLtMatmul(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p);
}
