//! The check of encoders and kernels on a machine with a GPU: `npm run check:gpu`.
//!
//! - `precompile FOLDER CAPABILITY...` compiles the kernels for kinds of GPU, `90` being 9.0; it needs NVRTC and no GPU.
//! - `run [--kernels FOLDER] [--peers FILE] [--python COMMAND] [--small] [--allow-no-gpu]` compares every kernel with its
//!   reference, whole models with the processor, the exact search with a search of every row, and fills and loses the
//!   device. It needs a driver and nothing else: weights come from a seed. With a Python that has them, `peers.py` runs the
//!   same on PyTorch and ONNX Runtime.
//!
//! Exits with 1 where a value is wrong, with 3 where there is no GPU to run on, unless that is allowed.

mod checkpoint;
mod faults;
mod kernels;
mod models;
mod nearest;
mod peers;
mod report;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use pelorus_cuda::{Cuda, Device, SystemLibraries, precompile};
use report::Report;

type Failure = Box<dyn std::error::Error>;

/// The settings of a run.
struct Settings {
    /// Kernels that were compiled before.
    kernels: Option<PathBuf>,
    peers: Option<PathBuf>,
    python: String,
    /// Sizes for an emulated device.
    is_small: bool,
    allows_no_gpu: bool,
}

/// A part of the check, which tells what it finds.
type Check = fn(&Bench<'_>, &mut Report) -> Result<(), Failure>;

/// The device that is checked, and the way in which it is.
struct Bench<'a> {
    device: Arc<Device>,
    /// A folder that may be written, with the kernels that were compiled before.
    kernels: PathBuf,
    settings: &'a Settings,
    /// A folder for files of models.
    scratch: &'a Path,
}

const USAGE: &str = "expected: precompile FOLDER CAPABILITY..., or run [--kernels FOLDER] [--peers FILE] [--python COMMAND] [--small] [--allow-no-gpu]";

const NO_GPU: u8 = 3;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let outcome = match arguments[..] {
        ["precompile", folder, ref capabilities @ ..] => compile(folder, capabilities),
        ["run", ref rest @ ..] => settings(rest).and_then(|settings| run(&settings)),
        _ => Err(USAGE.into()),
    };
    outcome.unwrap_or_else(|failure| {
        eprintln!("check:gpu failed: {failure}");
        ExitCode::FAILURE
    })
}

fn settings(arguments: &[&str]) -> Result<Settings, Failure> {
    let mut settings = Settings {
        kernels: None,
        peers: None,
        python: "python3".to_owned(),
        is_small: false,
        allows_no_gpu: false,
    };
    let mut arguments = arguments.iter();
    while let Some(&argument) = arguments.next() {
        let mut value = || {
            arguments
                .next()
                .map(|value| (*value).to_owned())
                .ok_or(USAGE)
        };
        match argument {
            "--kernels" => settings.kernels = Some(value()?.into()),
            "--peers" => settings.peers = Some(value()?.into()),
            "--python" => settings.python = value()?,
            "--small" => settings.is_small = true,
            "--allow-no-gpu" => settings.allows_no_gpu = true,
            _ => return Err(USAGE.into()),
        }
    }
    Ok(settings)
}

fn compile(folder: &str, capabilities: &[&str]) -> Result<ExitCode, Failure> {
    for capability in capabilities {
        let begun = std::time::Instant::now();
        precompile(&SystemLibraries, &[capability.parse()?], folder.as_ref())?;
        let seconds = begun.elapsed().as_secs_f64();
        println!("compiled the kernels for {capability} in {seconds:.1} s");
    }
    Ok(ExitCode::SUCCESS)
}

fn run(settings: &Settings) -> Result<ExitCode, Failure> {
    let cuda = match Cuda::of_machine() {
        Ok(cuda) => cuda,
        Err(absence) => {
            println!("no GPU: skipped. NOTHING WAS CHECKED: {absence}");
            return Ok(if settings.allows_no_gpu {
                ExitCode::SUCCESS
            } else {
                ExitCode::from(NO_GPU)
            });
        }
    };
    for facts in cuda.devices() {
        println!(
            "device {}: {}, {:.1} GiB, compute capability {}.{}{}",
            facts.index,
            facts.name,
            facts.memory as f64 / f64::from(1 << 30),
            facts.capability / 10,
            facts.capability % 10,
            facts
                .unusable
                .as_ref()
                .map_or(String::new(), |reason| format!(": {reason}")),
        );
    }
    let usable = cuda.devices().find(|facts| facts.unusable.is_none());
    let index = usable.map_or(0, |facts| facts.index);
    let mut report = Report::default();
    let scratch = tempfile::tempdir()?;
    let bench = Bench {
        device: Device::open(&cuda, index)?,
        kernels: kept_kernels(settings, scratch.path())?,
        settings,
        scratch: scratch.path(),
    };
    let parts: [(&str, Check); 4] = [
        ("kernels", kernels::check),
        ("exact search", nearest::check),
        ("models", models::check),
        // The device is of no use after this.
        ("faults", faults::check),
    ];
    for (name, check) in parts {
        // Each part tells its own fault, so that one does not hide the others.
        if let Err(failure) = check(&bench, &mut report) {
            report.wrong(name, &failure.to_string());
        }
    }
    Ok(report.end())
}

/// A folder that may be written, with what was compiled before.
fn kept_kernels(settings: &Settings, scratch: &Path) -> Result<PathBuf, Failure> {
    let folder = scratch.join("kernels");
    std::fs::create_dir(&folder)?;
    if let Some(kernels) = &settings.kernels {
        for entry in std::fs::read_dir(kernels)? {
            let entry = entry?;
            std::fs::copy(entry.path(), folder.join(entry.file_name()))?;
        }
    }
    Ok(folder)
}
