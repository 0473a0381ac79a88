//! The same work by PyTorch and ONNX Runtime, where a Python has them.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use pelorus_cuda::Neighbor;
use pelorus_encoder::{DeviceEncoder, Pooling, Scratch};
use serde::Deserialize;

use crate::checkpoint::Tokens;
use crate::report::Report;
use crate::{Failure, Settings};

/// Time of one peer script; beyond it the peer counts as absent.
const LIMIT: Duration = Duration::from_secs(60);

/// A line of a peer.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Figure {
    peer: String,
    /// The reason for which there are no figures.
    absent: Option<String>,
    /// The least cosine of its vectors with ours.
    cosine: Option<f64>,
    tokens_a_second: Option<f64>,
    query_ms: Option<f64>,
    queries_a_second: Option<f64>,
    /// The largest difference, relative to the score, between its neighbor at a place and ours.
    difference: Option<f64>,
}

impl Figure {
    fn absent(peer: &str, reason: String) -> Self {
        Self {
            peer: peer.to_owned(),
            absent: Some(reason),
            cosine: None,
            tokens_a_second: None,
            query_ms: None,
            queries_a_second: None,
            difference: None,
        }
    }
}

/// The script of peers, if there is one.
pub struct Peers<'s> {
    script: Option<&'s PathBuf>,
    python: &'s str,
}

impl<'s> Peers<'s> {
    pub fn of(settings: &'s Settings) -> Self {
        Self {
            script: settings.peers.as_ref(),
            python: &settings.python,
        }
    }

    /// Whole encoders: our vectors of a few texts, and the ids of all, lie beside the model.
    pub fn models(
        &self,
        encoder: &DeviceEncoder,
        folder: &Path,
        tokens: &Tokens,
    ) -> Result<Vec<Figure>, Failure> {
        let few = Tokens {
            lengths: tokens.lengths[..tokens.lengths.len().min(64)].to_vec(),
            ids: Vec::new(),
        };
        let count = few.lengths.iter().sum::<u32>() as usize;
        let ids = tokens.ids[..count].to_vec();
        let few = Tokens { ids, ..few };
        let encoded = encoder.encode(few.texts(), Pooling::Mean, &mut Scratch::default())?;
        floats(&folder.join("ours.f32"), &encoded.vectors)?;
        let words = |values: &[u32]| -> Vec<u8> {
            values
                .iter()
                .flat_map(|value| value.to_le_bytes())
                .collect()
        };
        std::fs::write(folder.join("lengths.u32"), words(&tokens.lengths))?;
        let ids: Vec<u32> = tokens.ids.iter().map(|&id| id as u32).collect();
        std::fs::write(folder.join("ids.u32"), words(&ids))?;
        Ok(self.run("models", folder))
    }

    /// The exact search for the nearest.
    pub fn nearest(
        &self,
        scratch: &Path,
        vectors: &[f32],
        queries: &[f32],
        dim: usize,
        found: &[Neighbor],
    ) -> Result<Vec<Figure>, Failure> {
        let folder = scratch.join("nearest");
        std::fs::create_dir_all(&folder)?;
        floats(&folder.join("vectors.f32"), vectors)?;
        floats(&folder.join("queries.f32"), queries)?;
        let scores: Vec<f32> = found.iter().map(|neighbor| neighbor.score).collect();
        floats(&folder.join("ours.f32"), &scores)?;
        std::fs::write(folder.join("dim"), dim.to_string())?;
        let figures = self.run("nearest", &folder);
        std::fs::remove_dir_all(&folder)?;
        Ok(figures)
    }

    fn run(&self, what: &str, folder: &Path) -> Vec<Figure> {
        let Some(script) = self.script else {
            return vec![Figure::absent("peers", "no --peers were given".to_owned())];
        };
        match lines_of(self.python, script, what, folder) {
            Ok(lines) => lines
                .lines()
                .map(|line| {
                    serde_json::from_str(line)
                        .unwrap_or_else(|_| Figure::absent("a line of peers", line.to_owned()))
                })
                .collect(),
            Err(failure) => vec![Figure::absent("peers", failure.to_string())],
        }
    }
}

/// The output of the script, unless it takes too long or fails.
fn lines_of(python: &str, script: &Path, what: &str, folder: &Path) -> Result<String, Failure> {
    // Files, so that a child that writes much is never waited for in vain.
    let (out, errors) = (folder.join("peers.out"), folder.join("peers.err"));
    let mut child = Command::new(python)
        .args([script.as_os_str(), what.as_ref(), folder.as_os_str()])
        .stdin(Stdio::null())
        .stdout(std::fs::File::create(&out)?)
        .stderr(std::fs::File::create(&errors)?)
        .spawn()
        .map_err(|error| format!("{python} does not start: {error}"))?;
    let begun = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break Some(status);
        }
        if begun.elapsed() > LIMIT {
            child.kill()?;
            child.wait()?;
            break None;
        }
        std::thread::sleep(Duration::from_millis(20));
    };
    let lines = std::fs::read_to_string(&out)?;
    match status {
        Some(status) if status.success() => Ok(lines),
        // Lines that came before that count.
        _ if !lines.is_empty() => Ok(lines),
        Some(status) => {
            let errors = std::fs::read_to_string(&errors)?;
            let last = errors.lines().last().unwrap_or_default();
            Err(format!("{python} ended with {status}: {last}").into())
        }
        None => Err(format!("no figures after {} s", LIMIT.as_secs()).into()),
    }
}

fn floats(path: &Path, values: &[f32]) -> std::io::Result<()> {
    let bytes = values.iter().flat_map(|value| value.to_le_bytes());
    std::fs::write(path, bytes.collect::<Vec<u8>>())
}

pub fn judge_models(
    figures: &[Figure],
    model: &str,
    least: f64,
    rate: f64,
    query: f64,
    report: &mut Report,
) {
    for figure in figures {
        let what = format!("{model} against {}", figure.peer);
        if let Some(reason) = &figure.absent {
            report.absent(&what, reason);
            continue;
        }
        if let Some(cosine) = figure.cosine {
            report.judge(&what, cosine >= least, &format!("least cosine {cosine:.6}"));
        }
        if let (Some(theirs), Some(theirs_query)) = (figure.tokens_a_second, figure.query_ms) {
            let line = format!(
                "{theirs:.0} tokens a second, ours {:.2} times; one query {theirs_query:.3} ms, ours {:.2} times",
                rate / theirs,
                query / theirs_query
            );
            report.figure(&what, &line);
        }
    }
}

pub fn judge_nearest(figures: &[Figure], rate: f64, report: &mut Report) {
    for figure in figures {
        let what = format!("nearest against {}", figure.peer);
        if let Some(reason) = &figure.absent {
            report.absent(&what, reason);
            continue;
        }
        if let Some(difference) = figure.difference {
            let line = format!("{difference:.1e} is the largest difference of a score");
            report.judge(&what, difference < 1e-3, &line);
        }
        if let Some(theirs) = figure.queries_a_second {
            let line = format!(
                "{theirs:.0} queries a second, ours {:.2} times",
                rate / theirs
            );
            report.figure(&what, &line);
        }
    }
}
