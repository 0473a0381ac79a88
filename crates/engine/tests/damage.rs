//! Damaged files: whatever is broken, every document is served or its index says why not, no answer
//! is wrong, other indexes are whole, and undoing the damage brings everything back.
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

mod faults;
mod support;

use faults::breaking::{Broken, Damage, STORE, holds_rows};
use faults::directory::{Pristine, copy, kind, perform, pristine, tree};
use faults::oracle::{Act, Change, Oracle};
use faults::probes::{Said, judge_but_damaged};
use faults::trials::{self, Outcome};
use pelorus_engine::Engine;
use pelorus_random::SplitMix64;
use support::Fixture;
use tempfile::TempDir;

/// Trials of the sample that runs every time.
const SAMPLE: usize = 2_000;

/// A copy of a data directory in which something is broken.
struct Trial<'a> {
    random: SplitMix64,
    pristine: &'a Pristine,
    directory: TempDir,
    broken: Broken,
    oracle: Oracle,
}

impl<'a> Trial<'a> {
    fn new(mut random: SplitMix64, pristine: &'a Pristine) -> Self {
        let directory = tempfile::tempdir().unwrap();
        copy(pristine.directory.path(), directory.path());
        let broken = Broken::choose(&mut random, directory.path());
        Self {
            random,
            pristine,
            directory,
            broken,
            oracle: pristine.oracle.clone(),
        }
    }

    /// Runs the trial and returns its outcome, as a label.
    fn run(mut self, writes: bool) -> Result<String, String> {
        let label = match Engine::open(self.directory.path(), b"{}") {
            Ok(engine) => {
                let fixture = Fixture {
                    directory: tempfile::tempdir().unwrap(),
                    engine,
                };
                let said = self.serve(&fixture, writes);
                fixture.engine.close();
                let (said, damaged) = said?;
                match damaged {
                    0 => label_of(&said),
                    _ => "vectors are damaged, all else is served".into(),
                }
            }
            Err(error) if ["format", "lock"].contains(&self.broken.kind.as_str()) => {
                format!("the whole directory is refused with {}", error.code())
            }
            Err(error) => return Err(format!("nothing is opened: {error}")),
        };
        self.broken.undo(self.pristine.directory.path());
        self.serve_all().map(|()| label)
    }

    fn serve(&mut self, fixture: &Fixture, writes: bool) -> Result<(Said, usize), String> {
        let mut said = self.judge(&fixture.engine)?;
        if writes {
            let mut refused = self.write_to_each(fixture);
            said.0.append(&mut refused);
            let (mut more, damaged) = self.judge(&fixture.engine)?;
            said.0.append(&mut more);
            said.1 = said.1.max(damaged);
            for name in ["shop", "notes"] {
                for change in [Change::Refer, Change::Compact] {
                    // Where no write is taken this is not done.
                    let _ = perform(fixture, &Act::Change(name.into(), change));
                }
            }
            self.judge(&fixture.engine)?;
        }
        Ok(said)
    }

    fn judge(&self, engine: &Engine) -> Result<(Said, usize), String> {
        let (said, damaged) = judge_but_damaged(engine, &self.oracle)?;
        let kind = self.broken.kind.as_str();
        // Derived files can be made anew, and rows of vectors are set aside: that is no reason to refuse a question.
        if kind != STORE && !said.is_empty() {
            return Err(format!("not served: {said:?}"));
        }
        match damaged > 0 && !holds_rows(kind) {
            true => Err(format!("vectors of {damaged} documents are damaged")),
            false => Ok((said, damaged)),
        }
    }

    /// A write is acknowledged and kept, or refused with an error.
    fn write_to_each(&mut self, fixture: &Fixture) -> Said {
        let mut said = Said::new();
        for name in ["shop", "notes", "empty"] {
            let add = Change::random_add(&mut self.random, 2);
            let delete = Change::random_delete(&mut self.random, 3);
            for change in [add, delete] {
                let act = Act::Change(name.into(), change);
                match perform(fixture, &act) {
                    Ok(()) => self.oracle.acknowledged(&act),
                    Err(error) => {
                        self.oracle.unknown(&act);
                        said.insert(error.to_string());
                    }
                }
            }
        }
        said
    }

    /// The damage is undone: everything is there again.
    fn serve_all(&self) -> Result<(), String> {
        let engine = Engine::open(self.directory.path(), b"{}");
        let engine = engine.map_err(|error| format!("undone, nothing is opened: {error}"))?;
        let said = self.judge(&engine);
        engine.close();
        let (said, damaged) = said.map_err(|problem| format!("undone: {problem}"))?;
        // Rows written in the place of ones that were cut off stay, and so does a folder that was made anew.
        let is_undone = match self.broken.damage {
            Damage::FlippedBit | Damage::ZeroedPage => true,
            Damage::Missing => self.broken.kind != "vectors/",
            _ => false,
        };
        if is_undone && damaged > 0 {
            return Err(format!(
                "undone, yet vectors of {damaged} documents are damaged"
            ));
        }
        match said.first() {
            None => Ok(()),
            Some(error) => Err(format!("undone, yet: {error}")),
        }
    }
}

fn label_of(said: &Said) -> String {
    match said.first().and_then(|error| error.split_once(':')) {
        None => "all served".into(),
        Some((code, _)) => format!("said {code}"),
    }
}

fn trial(seed: u64, pristine: &[Pristine; 2]) -> Outcome {
    let mut random = SplitMix64(seed);
    let (state, pristine) = match random.below(2) {
        0 => ("stopped", &pristine[0]),
        _ => ("killed", &pristine[1]),
    };
    let writes = random.below(2) == 0;
    let trial = Trial::new(random, pristine);
    let kind = format!("{} {:?}", trial.broken.kind, trial.broken.damage);
    let place = trial.broken.place();
    let result = trial.run(writes);
    Outcome {
        kind,
        result: result
            .map_err(|problem| format!("{state}, {place}, with writes: {writes}: {problem}")),
    }
}

#[test]
fn damage_hides_nothing_and_is_forgotten_once_undone() {
    let pristine = pristine();
    for one in &pristine {
        let root = one.directory.path();
        let paths = tree(root).unwrap();
        let kinds = paths.iter().filter_map(|path| kind(root, path));
        let segments = kinds.filter(|kind| kind == "lexical/seg-N/").count();
        assert!(segments >= 4, "several segments: {paths:#?}");
    }
    trials::run(SAMPLE, |seed| trial(seed, &pristine));
}
