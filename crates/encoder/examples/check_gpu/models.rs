//! Whole encoders: their vectors beside those of the processor, and their speed.

use std::time::Instant;

use pelorus_encoder::{DeviceEncoder, Pooling, Scratch};

use crate::checkpoint::{self, KNOWN, SMALL, Shape, Tokens};
use crate::peers::{self, Peers};
use crate::report::Report;
use crate::{Bench, Failure, Settings};

/// The least cosine between a vector of the device and that of the processor.
const COSINE_MIN: f64 = 0.9995;

/// Tokens of a query.
const QUERY: u32 = 16;

pub fn check(bench: &Bench<'_>, report: &mut Report) -> Result<(), Failure> {
    let Bench {
        device,
        kernels,
        settings,
        scratch,
    } = bench;
    let shapes: &[Shape] = if settings.is_small { &SMALL } else { &KNOWN };
    for shape in shapes {
        let folder = scratch.join(shape.name);
        let path = checkpoint::write(shape, &folder)?;
        let begun = Instant::now();
        let encoder = DeviceEncoder::open(&path, device, Some(kernels))?;
        let seconds = begun.elapsed().as_secs_f64();
        let megabytes = encoder.device_bytes() as f64 / 1e6;
        let element = encoder.element();
        let what = |what: &str| format!("{} {what}", shape.name);
        report.figure(
            &what("loaded"),
            &format!("{element:?}, {megabytes:.0} MB, {seconds:.2} s"),
        );
        vectors(&encoder, shape, settings, report)?;
        let (rate, query) = speed(&encoder, shape, settings)?;
        report.figure(
            &what("ours"),
            &format!("{rate:.0} tokens a second, one query {query:.3} ms"),
        );
        let tokens = Tokens::new(shape, texts(settings));
        let peers = Peers::of(settings);
        let figures = peers.models(&encoder, &folder, &tokens)?;
        peers::judge_models(&figures, shape.name, COSINE_MIN, rate, query, report);
        std::fs::remove_dir_all(&folder)?;
    }
    Ok(())
}

/// Texts whose speed is measured.
fn texts(settings: &Settings) -> usize {
    if settings.is_small { 8 } else { 4096 }
}

fn vectors(
    encoder: &DeviceEncoder,
    shape: &Shape,
    settings: &Settings,
    report: &mut Report,
) -> Result<(), Failure> {
    let tokens = Tokens::new(shape, if settings.is_small { 5 } else { 24 });
    let mut scratch = Scratch::default();
    for pooling in [Pooling::Mean, Pooling::Cls] {
        let found = encoder.encode(tokens.texts(), pooling, &mut scratch)?;
        let expected = encoder
            .on_processor()
            .encode(tokens.texts(), pooling, &mut scratch)?;
        let cosine = least_cosine(&found.vectors, &expected, shape.width);
        let is_right = found.fault.is_none() && cosine >= COSINE_MIN;
        let fault = found
            .fault
            .map_or(String::new(), |fault| format!(", {fault}"));
        let what = format!("{} against the processor, {pooling:?}", shape.name);
        report.judge(&what, is_right, &format!("least cosine {cosine:.6}{fault}"));
        // A text alone, among others, and once more.
        let again = encoder.encode(tokens.texts(), pooling, &mut scratch)?;
        let is_same = again.vectors == found.vectors;
        report.judge(&format!("{} once more", shape.name), is_same, "to the bit");
    }
    Ok(())
}

/// The least cosine of the vectors of some texts; NaN where one is no number.
pub fn least_cosine(found: &[f32], expected: &[f32], width: usize) -> f64 {
    if found.len() != expected.len() {
        return f64::NAN;
    }
    let dot = |a: &[f32], b: &[f32]| -> f64 {
        let pairs = a.iter().zip(b);
        pairs.map(|(&a, &b)| f64::from(a) * f64::from(b)).sum()
    };
    let pairs = found.chunks_exact(width).zip(expected.chunks_exact(width));
    let cosines = pairs.map(|(a, b)| dot(a, b) / (dot(a, a) * dot(b, b)).sqrt());
    cosines.fold(1.0, |least, cosine| {
        if cosine.is_nan() || cosine < least {
            cosine
        } else {
            least
        }
    })
}

/// Tokens a second, the best of some rounds, and the median time of one query in milliseconds.
fn speed(
    encoder: &DeviceEncoder,
    shape: &Shape,
    settings: &Settings,
) -> Result<(f64, f64), Failure> {
    let (rounds, queries) = if settings.is_small { (1, 3) } else { (5, 400) };
    let tokens = Tokens::new(shape, texts(settings));
    let mut scratch = Scratch::default();
    let mut rate: f64 = 0.0;
    for _ in 0..=rounds {
        let begun = Instant::now();
        let found = encoder.encode(tokens.texts(), Pooling::Mean, &mut scratch)?;
        if let Some(fault) = found.fault {
            return Err(fault.into());
        }
        rate = rate.max(tokens.ids.len() as f64 / begun.elapsed().as_secs_f64());
    }
    let query = Tokens {
        ids: tokens.ids[..QUERY as usize].to_vec(),
        lengths: vec![QUERY],
    };
    let mut times = Vec::new();
    for _ in 0..queries {
        let begun = Instant::now();
        encoder.encode(query.texts(), Pooling::Mean, &mut scratch)?;
        times.push(begun.elapsed().as_secs_f64() * 1e3);
    }
    times.sort_by(f64::total_cmp);
    Ok((rate, times[times.len() / 2]))
}
