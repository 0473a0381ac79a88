//! `pelorus-fuzz TARGET [--minutes N | --runs N] [--from RUN]`: one target, for as long as one likes.

use std::process::ExitCode;
use std::time::{Duration, Instant};

use pelorus_fuzz::targets::TARGETS;
use pelorus_fuzz::{Failure, run};

/// Runs between two lines that say how far it has come.
const LINE_EVERY: Duration = Duration::from_secs(30);

fn main() -> ExitCode {
    let mut name = None;
    let (mut minutes, mut runs, mut from) = (None, None, 0);
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let mut number = || arguments.next().and_then(|text| text.parse::<u64>().ok());
        match argument.as_str() {
            "--minutes" => minutes = number(),
            "--runs" => runs = number(),
            "--from" => from = number().unwrap_or(0),
            other => name = Some(other.to_owned()),
        }
    }
    let target = TARGETS
        .iter()
        .find(|target| Some(target.name) == name.as_deref());
    let Some(target) = target else {
        let names: Vec<&str> = TARGETS.iter().map(|target| target.name).collect();
        eprintln!("usage: pelorus-fuzz TARGET [--minutes N | --runs N] [--from RUN]");
        eprintln!("targets: {}", names.join(", "));
        return ExitCode::from(2);
    };
    let made = (target.make)();
    let start = Instant::now();
    let limit = minutes.map(|minutes| Duration::from_secs(60 * minutes));
    let end = match (runs, limit) {
        (Some(runs), _) => from.saturating_add(runs),
        (None, Some(_)) => u64::MAX,
        (None, None) => from.saturating_add(target.runs),
    };
    let mut told = start;
    let mut number = from;
    while number < end && limit.is_none_or(|limit| start.elapsed() < limit) {
        if let Err(failure) = run(target.name, &*made, number) {
            return tell(&failure);
        }
        number += 1;
        if told.elapsed() >= LINE_EVERY {
            told = Instant::now();
            eprintln!("{}: {} runs", target.name, number - from);
        }
    }
    println!("{}: runs {from} to {number}, no failure", target.name);
    ExitCode::SUCCESS
}

fn tell(failure: &Failure) -> ExitCode {
    let Failure {
        target,
        run,
        message,
        input,
    } = failure;
    let path = std::env::temp_dir().join(format!("pelorus-fuzz-{target}-{run}"));
    eprintln!("{target}: run {run} fails: {message}");
    match std::fs::write(&path, input) {
        Ok(()) => eprintln!("its input is in {}", path.display()),
        Err(error) => eprintln!("its input cannot be kept: {error}"),
    }
    eprintln!("again: npm run fuzz -- {target} --from {run} --runs 1");
    ExitCode::FAILURE
}
