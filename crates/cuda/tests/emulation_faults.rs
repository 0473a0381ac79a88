//! The emulation finds the faults that it is there for.
#![cfg(all(target_os = "linux", target_env = "gnu"))]

mod support;

use std::os::unix::process::ExitStatusExt;
use std::process::Command;

use pelorus_cuda::Launch;
use support::{Argument, Emulation, Memory, emulation};

const THREADS: u32 = 64;

/// Kernels of 64 threads by their bodies, which have `unsigned* out [64]` and shared `words [64]`.
struct Kernels {
    emulation: Emulation,
    bodies: &'static [&'static str],
}

/// The names that kernels have in their order.
const NAMES: [&str; 6] = ["first", "second", "third", "fourth", "fifth", "sixth"];

impl Kernels {
    fn of(bodies: &'static [&'static str]) -> Option<Self> {
        let mut source = String::new();
        for (name, body) in NAMES.iter().zip(bodies) {
            source.push_str(&format!(
                "extern \"C\" __global__ void {name}(unsigned* out) {{
                    SHARED(unsigned, words, {THREADS});
                    unsigned at = threadIdx.x;
                    {body}
                }}\n"
            ));
        }
        let emulation = emulation(&source, &NAMES[..bodies.len()], 80)?;
        Some(Self { emulation, bodies })
    }

    fn fault(&self, number: usize) -> Option<String> {
        let out = Memory::for_output::<u32>(THREADS as usize);
        let launch = Launch {
            kernel: NAMES[number],
            grid: [2, 1],
            block: THREADS,
        };
        self.emulation
            .fault(launch, &[Argument::Memory(&out)], &[&out])
    }

    /// Each body with what is wrong with it.
    fn faults(&self) -> impl Iterator<Item = (&'static str, Option<String>)> {
        self.bodies
            .iter()
            .enumerate()
            .map(|(number, body)| (*body, self.fault(number)))
    }
}

#[test]
fn kernels_without_a_fault_have_none() {
    let kernels = Kernels::of(&[
        "words[at] = at; __syncthreads(); out[at] = words[63 - at];",
        "out[at] = __shfl_xor_sync(0xffffffffu, at, 5);",
        "if (at < 32) out[at] = __match_any_sync(0xffffffffu, at / 7);",
        "copy_async(words + at % 16 * 4, out + at % 16 * 4, false);
        copy_commit(); copy_wait<0>(); __syncthreads(); out[at] = words[at];",
        "if (at > 40) return; __syncthreads(); out[at] = at;",
    ]);
    for (body, fault) in kernels.iter().flat_map(Kernels::faults) {
        assert_eq!(fault, None, "{body}");
    }
}

#[test]
fn missing_barriers_and_waits_are_found() {
    let kernels = Kernels::of(&[
        "words[at] = at; out[at] = words[63 - at];",
        // Written for the next turn by threads that are ahead.
        "words[at] = at; __syncthreads(); out[at] = words[63 - at]; words[at] = 7;",
        "copy_async(words + at % 16 * 4, out + at % 16 * 4, false);
        copy_commit(); __syncthreads(); out[at] = words[at];",
        "copy_async(words + at % 16 * 4, out + at % 16 * 4, false);
        copy_commit(); copy_wait<1>(); __syncthreads(); out[at] = words[at];",
        "copy_async(words + at % 16 * 4, out + at % 16 * 4, false);
        copy_wait<0>(); __syncthreads(); out[at] = words[at]; copy_commit(); copy_wait<0>();",
    ]);
    for (body, fault) in kernels.iter().flat_map(Kernels::faults) {
        assert!(fault.is_some(), "{body}");
    }
}

#[test]
fn threads_that_wait_in_vain_and_rules_that_are_broken_are_found() {
    let kernels = Kernels::of(&[
        "if (at < 50) out[at] = __shfl_xor_sync(0xffffffffu, at, 1);",
        "out[at] = at % 32 < 9 ? __shfl_xor_sync(0xffffffffu, at, 1) : __match_any_sync(0xffffffffu, at);",
        "out[at] = __shfl_xor_sync(0xffu, at, 1);",
        "if (at % 2 == 0) __syncthreads(); out[at] = __shfl_xor_sync(0xffffffffu, at, 1);",
        "SHARED(float, large, 12300); out[at] = large[0];",
        "copy_async(words + at, out, true); copy_commit(); copy_wait<0>(); out[at] = 0;",
    ]);
    let expected = [
        "threads wait for others that never come",
        "lanes of a warp wait for different operations",
        "a lane is not in the mask of its own operation",
        "threads wait for others that never come",
        "a block has more shared memory than 48 KiB",
        "a copy is off its 16 bytes",
    ];
    for ((body, fault), expected) in kernels.iter().flat_map(Kernels::faults).zip(expected) {
        let fault = fault.unwrap_or_default();
        assert!(fault.starts_with(expected), "{body}: {fault}");
    }
}

/// Set in the processes that a fault ends, to the number of the kernel.
const KERNEL: &str = "PELORUS_TEST_FAULTY_KERNEL";

#[test]
fn memory_that_a_kernel_does_not_have_ends_the_process() {
    let kernels = Kernels::of(&[
        "out[at] = out[at + 1];",
        "if (at == 0) *(out - 1024) = 0;",
        "words[at + 1] = 0; out[at] = 0;",
        // Off its 16 bytes, which a device refuses.
        "reinterpret_cast<uint4*>(out + at % 4)->x = 0;",
    ]);
    let Some(kernels) = kernels else {
        return;
    };
    if let Ok(number) = std::env::var(KERNEL) {
        let fault = kernels.fault(number.parse().expect("a number"));
        panic!("the kernel came to its end: {fault:?}");
    }
    for (number, body) in kernels.bodies.iter().enumerate() {
        let this = std::env::current_exe().expect("the test has a file");
        let run = Command::new(this)
            .args([
                "--exact",
                "memory_that_a_kernel_does_not_have_ends_the_process",
            ])
            .env(KERNEL, number.to_string())
            .output();
        let status = run.expect("the test runs").status;
        assert!(status.signal().is_some(), "{body}: {status}");
    }
}
