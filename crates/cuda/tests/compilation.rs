//! All programs compile for every GPU that they are for, and leave room for as many blocks as planned.
#![cfg(target_os = "linux")]

mod nvrtc;

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;

use nvrtc::Nvrtc;
use pelorus_cuda::{OPTIONS, Program};

/// The compute capabilities of data centres and desks from Turing on, and the shared memory of a processor of each, in KiB.
const CAPABILITIES: [(u32, u32); 8] = [
    (75, 64),
    (80, 164),
    (86, 100),
    (89, 100),
    (90, 228),
    (100, 228),
    (120, 100),
    (121, 100),
];

/// Registers of a processor.
const REGISTERS: u32 = 65_536;

/// The threads of a kernel's block, and the blocks that a processor must have room for.
fn planned(kernel: &str, capability: u32) -> (u32, u32) {
    let is_small = !matches!(capability, 80 | 90 | 100);
    match kernel {
        "embed_norm" | "add_norm" => (128, 4),
        "bias_activation" => (128, 8),
        "attention_32" => (128, if capability == 75 { 3 } else { 4 }),
        "attention_64" if capability == 75 => (128, 2),
        "attention_64" => (128, if matches!(capability, 80 | 90) { 4 } else { 3 }),
        "attention_32_offsets" | "attention_64_offsets" => (128, 2),
        "multiply_128" => (256, 2),
        "multiply_32" => (128, if is_small { 3 } else { 6 }),
        "nearness" => (256, 2),
        "pool" | "convert" | "convert_transposed" | "best" | "merge" => (256, 4),
        _ => panic!("{kernel} has no plan"),
    }
}

/// The needs of a kernel, as the assembler tells them.
#[derive(Debug, Default)]
struct Resources {
    registers: u32,
    shared_bytes: u32,
    /// Bytes of registers that went to memory, and of arrays that lie there.
    spilled_bytes: u32,
}

impl Resources {
    /// Blocks of so many threads that a processor with so much shared memory holds.
    fn blocks(&self, threads: u32, capability: u32, shared_kib: u32) -> u32 {
        // Registers come in units of 256 for a warp; from 8.0 on a block takes a kibibyte of shared memory for itself.
        let registers = (self.registers * 32).next_multiple_of(256) * threads / 32;
        let shared = self.shared_bytes + if capability >= 80 { 1024 } else { 0 };
        let by_shared = (shared_kib * 1024).checked_div(shared).unwrap_or(u32::MAX);
        (REGISTERS / registers.max(1)).min(by_shared)
    }
}

/// The resources of each kernel, from the lines that `--ptxas-options=-v` adds to a log.
fn resources(log: &str) -> BTreeMap<String, Resources> {
    let mut kernels: BTreeMap<String, Resources> = BTreeMap::new();
    let mut name = String::new();
    for line in log.lines() {
        if let Some((_, rest)) = line.split_once("Compiling entry function '") {
            name = rest.split('\'').next().unwrap_or_default().to_owned();
            kernels.entry(name.clone()).or_default();
        }
        let Some(kernel) = kernels.get_mut(&name) else {
            continue;
        };
        for part in line.split(',') {
            let number = number_in(part);
            if part.contains("stack frame") || part.contains("spill") {
                kernel.spilled_bytes += number;
            } else if part.contains("registers") {
                kernel.registers = number;
            } else if part.contains("bytes smem") {
                kernel.shared_bytes = number;
            }
        }
    }
    kernels
}

/// The first number of a text.
fn number_in(text: &str) -> u32 {
    let words = text.split_whitespace();
    words
        .filter_map(|word| word.parse().ok())
        .next()
        .unwrap_or_default()
}

/// The log of a compilation; that of the same text before, if there was one.
fn log_of(nvrtc: &Nvrtc, program: Program, capability: u32) -> String {
    let source = program.source();
    let architecture = format!("--gpu-architecture=sm_{capability}");
    let mut options = OPTIONS.to_vec();
    options.extend([architecture.as_str(), "--ptxas-options=-v"]);
    let mut hasher = DefaultHasher::new();
    (&source, &options, nvrtc.version()).hash(&mut hasher);
    let kept = Path::new(env!("CARGO_TARGET_TMPDIR"))
        .join(format!("compilation-{:016x}.log", hasher.finish()));
    if let Ok(log) = std::fs::read_to_string(&kept) {
        return log;
    }
    let (log, bytes) = nvrtc.compile(program.name(), &source, &options);
    assert!(bytes > 0, "{} for {capability} has no code", program.name());
    std::fs::write(&kept, &log).expect("the log is kept");
    log
}

#[test]
fn every_kernel_compiles_for_every_gpu_and_spills_nothing() {
    let Some(nvrtc) = Nvrtc::find() else {
        eprintln!(
            "skipped: there is no NVRTC, so no kernel was compiled for a GPU; `npm run nvrtc` fetches one"
        );
        return;
    };
    let known = nvrtc.capabilities();
    let (now, later): (Vec<_>, Vec<_>) = CAPABILITIES
        .into_iter()
        .partition(|(capability, _)| known.contains(capability));
    assert!(!now.is_empty(), "it compiles for {known:?}");
    if !later.is_empty() {
        eprintln!(
            "skipped: NVRTC {:?} does not know {later:?}",
            nvrtc.version()
        );
    }
    for program in Program::ALL {
        for &(capability, shared_kib) in &now {
            if !program.runs_on(capability) {
                continue;
            }
            let log = log_of(&nvrtc, program, capability);
            let kernels = resources(&log);
            assert!(!log.contains("warning"), "{}: {log}", program.name());
            let mut expected = program.kernels().to_vec();
            expected.sort_unstable();
            assert_eq!(kernels.keys().collect::<Vec<_>>(), expected);
            for (kernel, resources) in kernels {
                let (threads, blocks) = planned(&kernel, capability);
                let room = resources.blocks(threads, capability, shared_kib);
                println!(
                    "{} sm_{capability} {kernel}: {resources:?}, {room} blocks",
                    program.name()
                );
                assert_eq!(
                    resources.spilled_bytes, 0,
                    "{kernel} for {capability} spills"
                );
                assert!(resources.registers > 0 && resources.shared_bytes <= 48 << 10);
                assert!(
                    room >= blocks,
                    "{kernel} for {capability}: {blocks} blocks do not fit: {resources:?}"
                );
            }
        }
    }
}

#[test]
fn logs_of_the_assembler_are_read() {
    let log = "\
ptxas info    : 72 bytes gmem, 144 bytes cmem[4]
ptxas info    : Compiling entry function 'one' for 'sm_80'
ptxas info    : Function properties for one
ptxas         .     48 bytes stack frame, 136 bytes spill stores, 176 bytes spill loads
ptxas info    : Used 62 registers, used 1 barriers, 24576 bytes smem, 400 bytes cmem[0]
ptxas info    : Compiling entry function 'two' for 'sm_80'
ptxas         .     0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 15 registers, used 0 barriers, 376 bytes cmem[0]";
    let kernels = resources(log);
    let facts = |name: &str| {
        let kernel = &kernels[name];
        (kernel.registers, kernel.shared_bytes, kernel.spilled_bytes)
    };
    assert_eq!((facts("one"), facts("two")), ((62, 24576, 360), (15, 0, 0)));
    assert_eq!(kernels["one"].blocks(128, 80, 164), 6);
}
