//! The script of a process whose system calls fail: it opens a data directory, asks, writes, creates, drops, recovers,
//! and closes or ends. It prints its requests and their answers on its standard output.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use pelorus_engine::{Engine, EngineError};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::directory::perform;
use super::failing::Control;
use super::oracle::{Act, Change, Oracle};
use super::probes::judge;
use super::transcript::{Event, How};
use crate::support::Fixture;
use pelorus_random::SplitMix64;

/// By then everything is served and takes writes again. Usually that takes some milliseconds.
const RECOVERED_WITHIN: Duration = Duration::from_secs(60);

/// The part that the process plays.
#[derive(Serialize, Deserialize)]
pub struct Part {
    pub seed: u64,
    pub root: PathBuf,
    pub control: PathBuf,
    /// Tells whether calls fail until they are told not to.
    pub lasting: bool,
    /// The content of the directory.
    pub oracle: Oracle,
}

/// Plays the part and ends the process.
pub fn run_part(part: Part) {
    let end = match play(&part) {
        Ok(label) => Event::End(label),
        Err(problem) => Event::Problem(problem),
    };
    end.say();
    // Without destructors: an engine that was not closed is not to be closed now.
    std::process::exit(0);
}

fn play(part: &Part) -> Result<String, String> {
    let mut random = SplitMix64(part.seed);
    let control = Control::open(&part.control);
    let (engine, refused) = open(part, &control)?;
    let mut run = Run {
        fixture: Fixture {
            directory: tempfile::tempdir().unwrap(),
            engine,
        },
        oracle: part.oracle.clone(),
        lasting: part.lasting,
    };
    run.judge("opened")?;
    let is_empty = part.oracle.indexes.is_empty();
    let first = is_empty.then(|| ["shop", "notes", "empty"].map(|name| Act::Create(name.into())));
    for act in first.into_iter().flatten().chain(script(&mut random)) {
        run.insist(&act)?;
    }
    run.judge("worked")?;
    let ends_failing = random.below(2) == 0;
    let mut label = "not reached".to_owned();
    if !part.lasting || !ends_failing {
        if part.lasting {
            control.switch_off();
        }
        let reached = control.failed() > 0;
        let after = run.recover(&mut random)?;
        if reached {
            label = format!("recovered within {} s", after.as_secs() + 1);
        }
    }
    if random.below(2) == 0 {
        run.fixture.engine.close();
    }
    if label == "not reached" && control.failed() > 0 {
        label = "ended".into();
    }
    Ok(refused.map_or(label, |code| format!("refused once with {code}")))
}

/// Opens the directory; once it may be refused as a whole, if the fault hit a part that is not one index's.
fn open(part: &Part, control: &Control) -> Result<(Engine, Option<&'static str>), String> {
    let error = match Engine::open(&part.root, b"{}") {
        Ok(engine) => return Ok((engine, None)),
        Err(error) => error,
    };
    let failed = control.first_failed();
    let path = failed.split_once(' ').map_or("", |(_, path)| path);
    if control.failed() == 0 || path.starts_with("/indexes/") {
        return Err(format!("nothing is opened: {error}"));
    }
    if part.lasting {
        control.switch_off();
    }
    let engine = Engine::open(&part.root, b"{}");
    let engine = engine.map_err(|error| format!("nothing is opened the second time: {error}"))?;
    Ok((engine, Some(error.code())))
}

/// Writes, creations and drops: of indexes that were there, of new ones, of some that were there and are made anew.
fn script(random: &mut SplitMix64) -> Vec<Act> {
    let change = |name: &str, change| Act::Change(name.into(), change);
    let (fresh, notes) = ("fresh".to_owned(), "notes".to_owned());
    vec![
        change("shop", Change::random_add(random, 3)),
        change("notes", Change::random_delete(random, 3)),
        change("shop", Change::Refer),
        Act::Create(fresh.clone()),
        change("fresh", Change::random_add(random, 3)),
        change("fresh", Change::Refer),
        change("shop", Change::random_delete(random, 3)),
        change("shop", Change::Compact),
        change("shop", Change::random_update(random, 5)),
        change("empty", Change::random_add(random, 1)),
        change("shop", Change::random_suggest(random, 6)),
        change("shop", Change::Define(2)),
        Act::Drop(notes.clone()),
        change("shop", Change::random_add(random, 2)),
        change("shop", Change::Refer),
        Act::Create(notes),
        change("notes", Change::random_add(random, 2)),
        change("fresh", Change::Compact),
        change("fresh", Change::random_update(random, 20)),
        change("shop", Change::random_unsuggest(random, 20)),
        change("fresh", Change::random_suggest(random, 3)),
        change("fresh", Change::Define(3)),
        change("fresh", Change::random_delete(random, 3)),
        Act::Drop("empty".to_owned()),
    ]
}

struct Run {
    fixture: Fixture,
    oracle: Oracle,
    /// Tells whether every call after the first one fails too.
    lasting: bool,
}

impl Run {
    fn judge(&self, when: &str) -> Result<bool, String> {
        let said = judge(&self.fixture.engine, &self.oracle);
        let said = said.map_err(|problem| format!("{when}: {problem}"))?;
        Ok(said.is_empty())
    }

    /// Asks for something; a creation or drop that failed is asked for again.
    fn insist(&mut self, act: &Act) -> Result<(), String> {
        let again = matches!(act, Act::Create(_) | Act::Drop(_));
        if self.ask(act)?.is_err() && again {
            self.ask(act)?.ok();
        }
        Ok(())
    }

    fn ask(&mut self, act: &Act) -> Result<Result<(), EngineError>, String> {
        Event::Asks(act.clone()).say();
        let result = perform(&self.fixture, act);
        let how = match &result {
            Ok(()) => How::Done,
            Err(error) => match error.code() {
                "index_not_found" => How::NoIndex,
                "index_already_exists" => How::Exists,
                _ => How::Unknown,
            },
        };
        let states = self.oracle.indexes.get(act.index());
        let may_be = states.is_some_and(|states| states.iter().any(Option::is_some));
        let may_be_none = states.is_none_or(|states| states.contains(&None));
        let is_listed = self
            .fixture
            .engine
            .list_indexes()
            .iter()
            .any(|name| name == act.index());
        how.tell(&mut self.oracle, act);
        Event::Answered(how).say();
        match (how, act) {
            (How::NoIndex, _) if !may_be_none => Err(format!("{act:?}: there is no such index")),
            (How::Unknown, Act::Create(_)) if is_listed && !may_be => {
                Err(format!("{act:?}: failed, and is there: {result:?}"))
            }
            // A disk that goes on failing may let a folder be moved, but neither synced nor moved back.
            (How::Unknown, Act::Drop(_)) if !is_listed && !may_be_none && !self.lasting => {
                Err(format!("{act:?}: failed, and is gone: {result:?}"))
            }
            (How::Exists, _) if !may_be => Err(format!("{act:?}: exists, nobody made it")),
            _ => Ok(result),
        }
    }

    fn is_green(&self) -> bool {
        let health: Value = serde_json::from_slice(&self.fixture.engine.health()).unwrap();
        health["status"] == "green"
    }

    /// Waits until every index is served and takes writes, without a restart.
    fn recover(&mut self, random: &mut SplitMix64) -> Result<Duration, String> {
        let start = Instant::now();
        let change = Change::random_add(random, 1);
        loop {
            let mut waits_for = None;
            for name in self.fixture.engine.list_indexes() {
                let act = Act::Change(name, change.clone());
                if let Err(error) = self.ask(&act)? {
                    waits_for = Some(format!("{}: {error}", act.index()));
                }
            }
            let served = self.judge("recovering")?;
            match waits_for {
                None if served && self.is_green() => return Ok(start.elapsed()),
                _ if start.elapsed() < RECOVERED_WITHIN => {}
                _ => {
                    let health = self.fixture.engine.health();
                    let health = String::from_utf8_lossy(&health);
                    return Err(format!(
                        "not recovered, served: {served}; {waits_for:?}; {health}"
                    ));
                }
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}
