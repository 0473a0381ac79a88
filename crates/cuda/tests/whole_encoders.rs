//! Whole encoders on the emulated machine: the same calls, kernels and layouts as on a device, beside plain loops in f64.

mod machine;
mod reference;

use std::sync::Arc;

use machine::{Counts, has_compiler, libraries, with};
use pelorus_cuda::encoder::{Encoder, Lane, Texts};
use pelorus_cuda::{Cuda, Device, DeviceError, Element, LibraryName, Pool, Program, precompile};
use reference::{Tokens, Weights};

const WIDTH: usize = 64;
const LENGTHS: [u32; 6] = [1, 70, 5, 33, 2, 17];

fn device() -> Arc<Device> {
    let cuda = Arc::new(Cuda::find(libraries()).expect("a device"));
    Device::open(&cuda, 0).expect("it opens")
}

fn encoder(device: &Arc<Device>, weights: &Weights, element: Element) -> Arc<Encoder> {
    let model = weights.model();
    Arc::new(Encoder::load(device, &model, element, None).expect("it loads"))
}

fn cosine(a: &[f32], b: &[f64]) -> f64 {
    let dot: f64 = a.iter().zip(b).map(|(&a, &b)| f64::from(a) * b).sum();
    let a: f64 = a.iter().map(|&a| f64::from(a).powi(2)).sum();
    let b: f64 = b.iter().map(|b| b * b).sum();
    dot / (a * b).sqrt()
}

fn check(vectors: &[f32], expected: &[Vec<f64>], least: f64) {
    assert_eq!(vectors.len(), expected.len() * WIDTH);
    for (text, (vector, expected)) in vectors.chunks_exact(WIDTH).zip(expected).enumerate() {
        let cosine = cosine(vector, expected);
        assert!(cosine >= least, "text {text}: cosine {cosine}");
    }
}

#[test]
fn vectors_are_those_of_plain_loops_in_both_elements_with_both_products() {
    if !has_compiler() {
        return;
    }
    let weights = Weights::new(WIDTH, 2, 128, 2);
    let tokens = Tokens::new(&weights, &LENGTHS);
    for (missing, products) in [
        (vec![], "cuBLASLt"),
        (vec![LibraryName::CublasLt], "kernels"),
    ] {
        with(|machine| machine.missing = missing);
        for (element, least) in [(Element::F16, 0.999_99), (Element::Bf16, 0.999_5)] {
            let device = device();
            let mut lane = Lane::new(&encoder(&device, &weights, element)).expect("a lane");
            assert_eq!(lane.multiplier(), products);
            for pool in [Pool::Mean, Pool::First] {
                let vectors = lane.encode(tokens.texts(), pool, false).expect("vectors");
                check(&vectors, &weights.vectors(&tokens, pool), least);
            }
            let unit = lane
                .encode(tokens.texts(), Pool::Mean, true)
                .expect("vectors");
            for vector in unit.chunks_exact(WIDTH) {
                let square: f32 = vector.iter().map(|x| x * x).sum();
                assert!((square - 1.0).abs() < 1e-5);
            }
        }
    }
}

#[test]
fn a_text_has_the_same_bits_alone_and_among_others() {
    if !has_compiler() {
        return;
    }
    let weights = Weights::new(WIDTH, 2, 128, 1);
    let tokens = Tokens::new(&weights, &LENGTHS);
    let device = device();
    let mut lane = Lane::new(&encoder(&device, &weights, Element::F16)).expect("a lane");
    let together = lane
        .encode(tokens.texts(), Pool::Mean, false)
        .expect("vectors");
    let mut at = 0;
    for (text, &length) in LENGTHS.iter().enumerate() {
        let places = &tokens.places[at * 4..(at + length as usize) * 4];
        let lengths = &[length];
        let alone = lane.encode(Texts { places, lengths }, Pool::Mean, false);
        assert_eq!(alone.expect("a vector"), together[text * WIDTH..][..WIDTH]);
        at += length as usize;
    }
}

#[test]
fn little_memory_makes_passes_smaller_and_too_little_is_told() {
    if !has_compiler() {
        return;
    }
    let weights = Weights::new(WIDTH, 2, 128, 1);
    let lengths = [200; 8];
    let tokens = Tokens::new(&weights, &lengths);
    let device = device();
    let encoder = encoder(&device, &weights, Element::F16);
    let [mut lane, mut other] = [0, 1].map(|_| Lane::new(&encoder).expect("a lane"));
    let taken = with(|machine| machine.counts.bytes);
    // Room for the scratch of some 500 tokens: 1,600 come at once.
    with(|machine| machine.room = taken + 700_000);
    let before = with(|machine| machine.counts.downloads);
    let vectors = lane
        .encode(tokens.texts(), Pool::Mean, false)
        .expect("vectors");
    assert!(
        with(|machine| machine.counts.downloads) > before + 2,
        "several passes"
    );
    check(&vectors, &weights.vectors(&tokens, Pool::Mean), 0.999_9);

    with(|machine| machine.room = machine.counts.bytes);
    let refused = other.encode(tokens.texts(), Pool::Mean, false);
    assert!(
        matches!(refused, Err(DeviceError::OutOfMemory { .. })),
        "{refused:?}"
    );
    with(|machine| machine.room = usize::MAX);
    let vectors = other
        .encode(tokens.texts(), Pool::Mean, false)
        .expect("room is there again");
    check(&vectors, &weights.vectors(&tokens, Pool::Mean), 0.999_9);
}

#[test]
fn weights_that_have_no_room_are_refused_and_nothing_of_them_stays() {
    if !has_compiler() {
        return;
    }
    let weights = Weights::new(WIDTH, 2, 128, 1);
    let device = device();
    let before = with(|machine| machine.counts);
    with(|machine| machine.room = 60_000);
    let model = weights.model();
    let refused = Encoder::load(&device, &model, Element::F16, None).err();
    assert!(
        matches!(refused, Some(DeviceError::OutOfMemory { bytes: 1.. })),
        "{refused:?}"
    );
    let after = with(|machine| machine.counts);
    assert_eq!((after.bytes, after.objects), (before.bytes, before.objects));
}

#[test]
fn a_lost_device_is_told_by_every_later_call_with_the_first_reason() {
    if !has_compiler() {
        return;
    }
    let weights = Weights::new(WIDTH, 2, 128, 1);
    let tokens = Tokens::new(&weights, &LENGTHS);
    let device = device();
    let encoder = encoder(&device, &weights, Element::F16);
    let mut lane = Lane::new(&encoder).expect("a lane");
    with(|machine| machine.failing.insert("cuEventSynchronize", 719));
    let reason =
        "cuEventSynchronize failed with CUDA_ERROR_LAUNCH_FAILED: unspecified launch failure";
    let lost = DeviceError::Lost {
        reason: reason.to_owned(),
    };
    assert_eq!(
        lane.encode(tokens.texts(), Pool::Mean, false),
        Err(lost.clone())
    );
    with(|machine| machine.failing.clear());
    assert_eq!(
        lane.encode(tokens.texts(), Pool::Mean, false),
        Err(lost.clone())
    );
    assert_eq!(device.lost(), Some(reason));
    assert_eq!(Lane::new(&encoder).err(), Some(lost));
}

#[test]
fn models_that_no_kernel_computes_are_refused() {
    let device = device();
    for (width, heads, inner) in [(48, 2, 64), (64, 4, 64), (64, 2, 60)] {
        let weights = Weights::new(width, heads, inner, 1);
        let model = weights.model();
        let refused = Encoder::load(&device, &model, Element::F16, None).err();
        assert!(matches!(refused, Some(DeviceError::Size(_))), "{refused:?}");
    }
}

#[test]
fn kernels_are_compiled_once_and_kept() {
    if !has_compiler() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let weights = Weights::new(WIDTH, 2, 128, 1);
    let device = device();
    let load = || {
        let model = weights.model();
        Encoder::load(&device, &model, Element::F16, Some(folder.path()))
    };
    let compilations = || with(|machine| machine.counts.compilations);
    load().expect("compiled");
    load().expect("kept");
    assert_eq!(compilations(), 1);
    // A file that is damaged, and one that the driver refuses, are compiled anew.
    let file = std::fs::read_dir(folder.path())
        .expect("files")
        .next()
        .expect("one");
    let path = file.expect("an entry").path();
    std::fs::write(&path, "damaged").expect("written");
    load().expect("compiled anew");
    assert_eq!(compilations(), 2);
    // Without a compiler the kept ones do.
    with(|machine| machine.missing.push(LibraryName::Nvrtc));
    load().expect("kept");
    std::fs::remove_file(&path).expect("removed");
    let refused = load().err().map(|error| error.to_string());
    assert_eq!(refused.as_deref(), Some("NVRTC was not found (emulated)"));
}

#[test]
fn kernels_that_were_compiled_elsewhere_need_no_compiler() {
    if !has_compiler() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let capabilities = precompile(libraries().as_ref(), &[], folder.path()).expect("compiled");
    assert_eq!(capabilities, [75, 80, 90]);
    let files = std::fs::read_dir(folder.path()).expect("files").count();
    // Those of brain floats run from 8.0 on.
    assert_eq!(files, 3 * Program::ALL.len() - 2);
    let missing = vec![LibraryName::Nvrtc, LibraryName::CublasLt];
    with(|machine| machine.missing = missing);
    let weights = Weights::new(WIDTH, 2, 128, 1);
    let device = device();
    let model = weights.model();
    let encoder = Encoder::load(&device, &model, Element::Bf16, Some(folder.path()));
    Lane::new(&Arc::new(encoder.expect("kept"))).expect("a lane");
    let refused = precompile(libraries().as_ref(), &[], folder.path());
    let refused = refused.err().map(|error| error.to_string());
    assert_eq!(refused.as_deref(), Some("NVRTC was not found (emulated)"));
}

#[test]
fn kernels_that_do_not_compile_are_told_in_the_words_of_the_compiler() {
    if !has_compiler() {
        return;
    }
    with(|machine| machine.failing.insert("nvrtcCompileProgram", 6));
    let weights = Weights::new(WIDTH, 2, 128, 1);
    let refused = Encoder::load(&device(), &weights.model(), Element::F16, None).err();
    assert_eq!(
        refused.map(|error| error.to_string()).as_deref(),
        Some("the kernels cannot be compiled: rows.cu(7): error: this machine says so")
    );
}

#[test]
fn everything_is_given_back() {
    if !has_compiler() {
        return;
    }
    let weights = Weights::new(WIDTH, 2, 128, 1);
    let tokens = Tokens::new(&weights, &LENGTHS);
    {
        let device = device();
        let mut lane = Lane::new(&encoder(&device, &weights, Element::F16)).expect("a lane");
        lane.encode(tokens.texts(), Pool::Mean, false)
            .expect("vectors");
        assert!(with(|machine| machine.counts.objects) > 0);
    }
    let Counts { bytes, objects, .. } = with(|machine| machine.counts);
    assert_eq!((bytes, objects), (0, 0));
}
