//! A device without room, and one that is lost: the processor takes over, and tells.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use pelorus_cuda::{
    Argument, Device, DeviceError, Element, Memory, Module, Program, Stream, launch,
};
use pelorus_encoder::{DeviceEncoder, Encoded, Pooling, Scratch};

use crate::checkpoint::{self, SMALL, Tokens};
use crate::models::least_cosine;
use crate::report::Report;
use crate::{Bench, Failure};

/// Bytes of the smallest piece by which a device is filled: drivers give no smaller ones.
const PIECE_MIN: usize = 512;

/// The file by which an emulated device is told how it fares.
const EMULATED: &str = "PELORUS_EMULATED_MACHINE";

pub fn check(bench: &Bench<'_>, report: &mut Report) -> Result<(), Failure> {
    let Bench {
        device,
        kernels,
        settings,
        scratch,
    } = bench;
    let shape = &SMALL[0];
    let path = checkpoint::write(shape, &scratch.join("faults"))?;
    // So many tokens that their buffers do not fit between the last pieces of a device that is full.
    let texts = if settings.is_small { 12 } else { 2048 };
    let tokens = Tokens::new(shape, texts);
    let fault = Fault::of(device)?;
    let open = || DeviceEncoder::open(&path, device, Some(kernels));
    let encode = |encoder: &DeviceEncoder| -> Result<Encoded, Failure> {
        Ok(encoder.encode(tokens.texts(), Pooling::Mean, &mut Scratch::default())?)
    };
    let encoder = open()?;
    let expected = encoder.on_processor();
    let expected = expected.encode(tokens.texts(), Pooling::Mean, &mut Scratch::default())?;
    let cosine = |found: &Encoded| least_cosine(&found.vectors, &expected, shape.width);

    // Room for a part of a large pass, once all that it needs besides is there.
    let few = Tokens::new(shape, 2);
    encoder.encode(few.texts(), Pooling::Mean, &mut Scratch::default())?;
    let little = fault.fill(if settings.is_small { 100_000 } else { 12 << 20 })?;
    let found = encode(&encoder)?;
    let is_right = found.fault.is_none() && cosine(&found) > 0.9995;
    let figure = format!(
        "least cosine {:.6}, fault {:?}",
        cosine(&found),
        found.fault
    );
    report.judge("little room: smaller passes", is_right, &figure);
    drop(little);
    fault.clear()?;

    let encoder = open()?;
    let full = fault.fill(0)?;
    let found = encode(&encoder)?;
    let is_told = matches!(found.fault, Some(DeviceError::OutOfMemory { .. }));
    let figure = format!("fault {:?}", found.fault);
    report.judge(
        "no room: the processor",
        is_told && found.vectors == expected,
        &figure,
    );
    drop(full);
    fault.clear()?;
    let found = encode(&encoder)?;
    let is_right = found.fault.is_none() && cosine(&found) > 0.9995;
    report.judge(
        "room again: the device",
        is_right,
        &format!("least cosine {:.6}", cosine(&found)),
    );

    fault.lose(device, kernels)?;
    let found = encode(&encoder)?;
    let is_told = matches!(found.fault, Some(DeviceError::Lost { .. }));
    let figure = format!("fault {:?}", found.fault);
    report.judge(
        "lost device: the processor",
        is_told && found.vectors == expected,
        &figure,
    );
    let reason = device.lost().unwrap_or("it does not know").to_owned();
    report.judge("lost device: told", device.lost().is_some(), &reason);
    let refused = open().err();
    let figure = refused
        .as_ref()
        .map_or("it opens".to_owned(), ToString::to_string);
    report.judge("lost device: no more models", refused.is_some(), &figure);
    Ok(())
}

/// Memory that leaves little room, given back when it goes.
struct Full(#[allow(dead_code, reason = "it is held")] Vec<Memory>);

/// The way to bring a device into trouble.
enum Fault {
    /// By what anybody may do to one.
    Real(Arc<Device>),
    /// By the file of the emulation.
    Emulated(PathBuf, String),
}

impl Fault {
    fn of(device: &Arc<Device>) -> Result<Self, Failure> {
        Ok(match std::env::var_os(EMULATED) {
            Some(path) => {
                let state = std::fs::read_to_string(&path)?;
                Self::Emulated(path.into(), state)
            }
            None => Self::Real(Arc::clone(device)),
        })
    }

    /// Takes memory until about so many bytes are left.
    fn fill(&self, left: usize) -> Result<Full, Failure> {
        match self {
            Self::Emulated(path, state) => {
                std::fs::write(path, format!("{state}\nroom {left}"))?;
                Ok(Full(Vec::new()))
            }
            Self::Real(device) => {
                let room = (left > 0).then(|| Memory::new(device, left)).transpose()?;
                let (mut pieces, mut size) = (Vec::new(), 1 << 36);
                while size >= PIECE_MIN {
                    match Memory::new(device, size) {
                        Ok(piece) => pieces.push(piece),
                        Err(DeviceError::OutOfMemory { .. }) => size /= 2,
                        Err(error) => return Err(error.into()),
                    }
                }
                drop(room);
                Ok(Full(pieces))
            }
        }
    }

    fn clear(&self) -> Result<(), Failure> {
        if let Self::Emulated(path, state) = self {
            std::fs::write(path, state)?;
        }
        Ok(())
    }

    /// Loses the device: a kernel that reads where there is no memory is what no later call mends.
    fn lose(&self, device: &Arc<Device>, kernels: &Path) -> Result<(), Failure> {
        if let Self::Emulated(path, state) = self {
            std::fs::write(path, format!("{state}\nfail cuLaunchKernel 719"))?;
            return Ok(());
        }
        let module = Module::load(device, Program::Encoder(Element::F16), Some(kernels))?;
        let stream = Stream::new(device)?;
        let nowhere = Argument::Address(1 << 46);
        let arguments = [nowhere, Argument::U64(1024), nowhere];
        // SAFETY: the addresses are nobody's memory, so that nothing but the context of this process is harmed, which is what
        // is wanted; nothing else uses it.
        unsafe { module.launch(&stream, launch::convert(1024), &arguments) }?;
        match stream.synchronize() {
            Err(DeviceError::Lost { .. }) => Ok(()),
            other => Err(format!("a kernel without memory ended with {other:?}").into()),
        }
    }
}
