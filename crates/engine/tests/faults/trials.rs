//! Runs trials from seeds, on every core, and counts their outcomes.

use std::any::Any;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::str::FromStr;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The outcome of one trial: a label to count it by.
pub struct Outcome {
    /// The kind of file that was broken.
    pub kind: String,
    /// The engine's way with it; an error where it broke the rule.
    pub result: Result<String, String>,
}

/// A number from the environment.
pub fn setting<T: FromStr>(name: &str, default: T) -> T {
    match std::env::var(name) {
        Ok(value) => match value.parse() {
            Ok(value) => value,
            Err(_) => panic!("{name} must be a number, not {value}"),
        },
        Err(_) => default,
    }
}

/// Runs `sample` trials, or as many as `PELORUS_FAULTS` says, and prints the counts.
///
/// # Panics
/// When a trial broke the rule, after all of them, with the seeds.
pub fn run(sample: usize, trial: impl Fn(u64) -> Outcome + Sync) {
    let first: u64 = setting("PELORUS_FAULTS_SEED", 1);
    let count = setting("PELORUS_FAULTS", sample);
    let next = AtomicUsize::new(0);
    let outcomes = Mutex::new(Vec::new());
    let work = || {
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= count {
                return;
            }
            let seed = first + number as u64;
            let outcome = catch_unwind(AssertUnwindSafe(|| trial(seed)));
            let outcome = outcome.unwrap_or_else(|payload| Outcome {
                kind: "?".into(),
                result: Err(format!("panicked: {}", text_of(&*payload))),
            });
            outcomes.lock().unwrap().push((seed, outcome));
        }
    };
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        (0..cores).for_each(|_| {
            scope.spawn(work);
        });
    });
    report(first, outcomes.into_inner().unwrap());
}

fn report(first: u64, mut outcomes: Vec<(u64, Outcome)>) {
    outcomes.sort_by_key(|(seed, _)| *seed);
    let mut counts: BTreeMap<(String, String), usize> = BTreeMap::new();
    let mut broken = Vec::new();
    for (seed, outcome) in &outcomes {
        let result = match &outcome.result {
            Ok(label) => label.clone(),
            Err(problem) => {
                broken.push(format!("seed {seed}, {}: {problem}", outcome.kind));
                "BROKE THE RULE".into()
            }
        };
        *counts.entry((outcome.kind.clone(), result)).or_default() += 1;
    }
    println!("{} trials from seed {first}", outcomes.len());
    for ((kind, result), count) in counts {
        println!("{count:6}  {kind}: {result}");
    }
    let shown: Vec<String> = broken.iter().map(|text| shortened(text, 1_000)).collect();
    assert!(
        broken.is_empty(),
        "{} of {} trials broke the rule:\n{}",
        broken.len(),
        outcomes.len(),
        shown.join("\n")
    );
}

fn shortened(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{} ...", &text[..end]),
        None => text.to_owned(),
    }
}

pub fn text_of(payload: &(dyn Any + Send)) -> String {
    let text = payload
        .downcast_ref::<&str>()
        .map(|text| (*text).to_owned());
    let text = text.or_else(|| payload.downcast_ref::<String>().cloned());
    text.unwrap_or_else(|| "no message".into())
}
