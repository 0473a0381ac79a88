//! One system call fails, or all from one on: whichever it is, nothing that was acknowledged is
//! hidden, no answer is wrong, the process goes on, and a restart brings everything back.
#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

mod faults;
mod support;

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use faults::directory::{Pristine, copy, kind, open_when_free, pristine};
use faults::failing::{self, Control, Fault, errors};
use faults::oracle::Oracle;
use faults::preloaded::library;
use faults::probes::judge;
use faults::script::{Part, run_part};
use faults::transcript::Transcript;
use faults::trials::{self, Outcome, setting};
use pelorus_random::SplitMix64;

/// The calls of which one fails in a trial that runs every time.
const SAMPLED_ONE_IN: u64 = 20;
/// A process that takes longer hangs.
const PATIENCE: Duration = Duration::from_secs(300);
/// Trials, among all, in which a sync of a store fails once: the commit may be on the disk then, and nobody knows.
const SYNC_SAMPLE: usize = 36;
/// Trials whose calls fail from one on until the disk is told to be well again, among all.
const LASTING_ONE_IN: usize = 4;
/// The variable in which the process under test finds its part.
const PART: &str = "PELORUS_FAULTS_PART";

/// The process whose calls fail: this test, started by the other one.
#[test]
fn process_under_test() {
    if let Some(path) = std::env::var_os(PART) {
        let part: Part = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
        run_part(part);
    }
}

struct Laboratory {
    library: PathBuf,
    pristine: [Pristine; 2],
}

impl Laboratory {
    fn run(&self, part: &Part, scratch: &Path) -> Transcript {
        let path = scratch.join("part.json");
        fs::write(&path, serde_json::to_vec(part).unwrap()).unwrap();
        let output = scratch.join("output");
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "process_under_test", "--nocapture"])
            .env(PART, path)
            .env("LD_PRELOAD", &self.library)
            .env("PELORUS_FAULTS_ROOT", &part.root)
            .env("PELORUS_FAULTS_CONTROL", &part.control)
            .stdout(fs::File::create(&output).unwrap())
            .stderr(fs::File::create(scratch.join("errors")).unwrap())
            .stdin(Stdio::null())
            .spawn()
            .unwrap();
        let start = Instant::now();
        let status = loop {
            if let Some(status) = child.try_wait().unwrap() {
                break Some(status);
            }
            if start.elapsed() > PATIENCE {
                child.kill().unwrap();
                child.wait().unwrap();
                break None;
            }
            std::thread::sleep(Duration::from_millis(2));
        };
        let mut answer = Transcript::read(&part.oracle, &fs::read_to_string(output).unwrap());
        match status {
            None => answer.problems.push("the process hangs".into()),
            Some(status) => {
                let errors = fs::read(scratch.join("errors")).unwrap();
                let errors = String::from_utf8_lossy(&errors);
                // The engine outlives a panic and makes its index anew, which would hide the fault behind it.
                let panicked = errors.lines().find(|line| line.contains("panicked at"));
                if !status.success() {
                    let problem = format!("the process ended with {status}: {errors}");
                    answer.problems.push(problem);
                } else if panicked.is_some() {
                    answer
                        .problems
                        .push(format!("the process panicked: {errors}"));
                }
            }
        }
        answer
    }

    /// Counts the calls of the script that can fail with this error; of all, or of the syncs of stores.
    fn calls(&self, error: u64, store_syncs: bool) -> u64 {
        let scratch = tempfile::tempdir().unwrap();
        let fault = Fault {
            error,
            store_syncs,
            ..Fault::default()
        };
        let part = self.part(1, 0, fault, scratch.path());
        let answer = self.run(&part, scratch.path());
        assert_eq!(answer.problems, Vec::<String>::new(), "without a fault");
        Control::open(&part.control).calls()
    }

    fn part(&self, seed: u64, state: usize, fault: Fault, scratch: &Path) -> Part {
        let root = fs::canonicalize(scratch).unwrap().join("data");
        let control = scratch.join("control");
        copy(self.pristine[state].directory.path(), &root);
        Control::create(&control, fault);
        Part {
            seed,
            root,
            control,
            lasting: fault.count > 1,
            oracle: self.pristine[state].oracle.clone(),
        }
    }

    fn trial(&self, seed: u64, first: u64, error: u64) -> Outcome {
        let mut random = SplitMix64(seed);
        let lasting = random.below(LASTING_ONE_IN) == 0;
        let fault = Fault {
            first,
            count: if lasting { u64::MAX } else { 1 },
            error,
            torn: random.below(2) == 0,
            ..Fault::default()
        };
        self.trial_of(seed, random.below(2), fault)
    }

    fn trial_of(&self, seed: u64, state: usize, fault: Fault) -> Outcome {
        let (error, lasting) = (fault.error, fault.count > 1);
        let scratch = tempfile::tempdir().unwrap();
        let part = self.part(seed, state, fault, scratch.path());
        let mut answer = self.run(&part, scratch.path());
        let failed = Control::open(&part.control).first_failed();
        if let Err(problem) = restart(&part.root, &answer.oracle) {
            answer.problems.push(problem);
        }
        let name = errors().iter().find(|(of, _)| *of == error).unwrap().1;
        let result = match answer.problems.first() {
            None => Ok(answer.label.unwrap_or_else(|| "ended".into())),
            Some(_) => Err(format!(
                "{fault:?}, {failed}: {:?}; last answers: {}",
                answer.problems, answer.said
            )),
        };
        let (call, path) = failed.split_once(' ').unwrap_or(("not reached", ""));
        let path = part.root.join(path.trim_start_matches('/'));
        let aside = ["building", "trash", "damaged"];
        let aside = aside
            .iter()
            .find(|name| path.starts_with(part.root.join(name)));
        let of = match aside {
            Some(name) => Some((*name).to_owned()),
            None => kind(&part.root, &path),
        };
        let lasting = if lasting { "for a while, " } else { "" };
        Outcome {
            kind: format!("{name} {lasting}{call} {}", of.unwrap_or_default()),
            result,
        }
    }
}

/// Without a fault, everything is there; the second time too.
fn restart(root: &Path, oracle: &Oracle) -> Result<(), String> {
    for time in ["restarted", "restarted again"] {
        let engine = open_when_free(root).map_err(|error| format!("{time}: {error}"))?;
        let said = judge(&engine, oracle).map_err(|problem| format!("{time}: {problem}"))?;
        let listed = engine.list_indexes();
        engine.close();
        if let Some(error) = said.first() {
            return Err(format!("{time}: {error}"));
        }
        let folders = fs::read_dir(root.join("indexes")).unwrap().count();
        if folders != listed.len() {
            return Err(format!("{time}: {folders} folders of {listed:?}"));
        }
    }
    Ok(())
}

#[test]
fn a_call_that_fails_hides_nothing_and_is_recovered_from() {
    let scratch = tempfile::tempdir().unwrap();
    let Some(library) = library(scratch.path(), "failing_calls", failing::SOURCE) else {
        return;
    };
    let laboratory = Laboratory {
        library,
        pristine: pristine(),
    };
    let calls: Vec<(u64, u64)> = errors()
        .iter()
        .map(|(error, _)| (*error, laboratory.calls(*error, false)))
        .collect();
    let total: u64 = calls.iter().map(|(_, count)| count).sum();
    println!("{total} calls can fail: errno and calls {calls:?}");
    std::io::stdout().flush().unwrap();
    // Number n of all: every call of the script with every error that it can meet.
    let fault = |mut number: u64| {
        for (error, count) in &calls {
            if number < *count {
                return (number + 1, *error);
            }
            number -= count;
        }
        unreachable!("numbers are below the total")
    };
    let every = setting("PELORUS_FAULTS_EVERY", 0) == 1;
    let step = if every { 1 } else { SAMPLED_ONE_IN };
    trials::run(total.div_ceil(step) as usize, |seed| {
        let within = SplitMix64(seed).below(step as usize) as u64;
        let number = ((seed - 1) * step + within) % total;
        let (first, error) = fault(number);
        laboratory.trial(seed, first, error)
    });
}

/// The bytes of a commit whose last sync fails are where the next opening of the store finds them: it must be shown
/// then, whole, as if the sync had not failed.
#[test]
fn a_commit_in_doubt_is_shown_if_it_is_on_the_disk() {
    let scratch = tempfile::tempdir().unwrap();
    let Some(library) = library(scratch.path(), "failing_syncs", failing::SOURCE) else {
        return;
    };
    let laboratory = Laboratory {
        library,
        pristine: pristine(),
    };
    let error = errors()[0].0;
    let syncs = laboratory.calls(error, true);
    println!("a store is synced {syncs} times");
    let every = setting("PELORUS_FAULTS_EVERY", 0) == 1;
    trials::run(if every { syncs as usize } else { SYNC_SAMPLE }, |seed| {
        let first = match every {
            true => seed,
            false => 1 + SplitMix64(seed).below(syncs as usize) as u64,
        };
        let fault = Fault {
            first,
            count: 1,
            error,
            store_syncs: true,
            ..Fault::default()
        };
        laboratory.trial_of(seed, 0, fault)
    });
}
