//! Damaged files: whatever is broken, every document is served or its index says why not, no answer
//! is wrong, other indexes are whole, and undoing the damage brings everything back.
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

mod faults;
mod support;

use faults::breaking::{Broken, is_truth};
use faults::directory::{Pristine, copy, kind, perform, pristine, tree};
use faults::oracle::{Act, Change, Oracle};
use faults::probes::{Said, judge};
use faults::trials::{self, Outcome};
use pelorus_engine::Engine;
use pelorus_random::SplitMix64;
use support::Fixture;
use tempfile::TempDir;

/// Trials of the sample that runs every time.
const SAMPLE: usize = 60;

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

    /// What came of it, as a label.
    fn run(mut self, writes: bool) -> Result<String, String> {
        let label = match Engine::open(self.directory.path(), b"{}") {
            Ok(engine) => {
                let fixture = Fixture {
                    directory: tempfile::tempdir().unwrap(),
                    engine,
                };
                let said = self.serve(&fixture, writes);
                fixture.engine.close();
                label_of(&said?)
            }
            Err(error) if ["format", "lock"].contains(&self.broken.kind.as_str()) => {
                format!("the whole directory is refused with {}", error.code())
            }
            Err(error) => return Err(format!("nothing is opened: {error}")),
        };
        self.broken.undo(self.pristine.directory.path());
        self.serve_all().map(|()| label)
    }

    fn serve(&mut self, fixture: &Fixture, writes: bool) -> Result<Said, String> {
        let mut said = judge(&fixture.engine, &self.oracle)?;
        // What is derived can be made anew: that is no reason to refuse a question.
        if !is_truth(&self.broken.kind) && !said.is_empty() {
            return Err(format!("not served: {said:?}"));
        }
        if writes {
            said.append(&mut self.write_to_each(fixture));
            said.append(&mut judge(&fixture.engine, &self.oracle)?);
        }
        Ok(said)
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
        let said = judge(&engine, &self.oracle);
        engine.close();
        let said = said.map_err(|problem| format!("undone: {problem}"))?;
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
