//! The power fails at any moment: whatever is left of writes that were not synced, everything acknowledged is served, a
//! batch is there whole or not at all, every index opens, and power that fails again while it does changes nothing.
//!
//! Processes run a script, and later openings recover, while a library records each call that changes a file. From
//! these records images are made of what a disk may hold after a cut. Many, or one of them again:
//! ```sh
//! PELORUS_FAULTS=20000 cargo test -p pelorus-engine --test power_cuts -- --nocapture
//! PELORUS_FAULTS=1 PELORUS_FAULTS_SEED=1234 PELORUS_FAULTS_KEPT=/tmp/pelorus-power-cuts-1 \
//!     cargo test -p pelorus-engine --test power_cuts -- --nocapture
//! ```
//! Threads of the engine take turns as they like, so a seed means the same only over the same records: where a trial
//! breaks the rule they are kept, and the folder is printed.
#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

mod faults;
mod support;

use std::collections::HashSet;
use std::fs::{self, OpenOptions};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use faults::directory::{copy, open_when_free, perform, pristine};
use faults::disk::{Cut, Image};
use faults::failing::{Control, Fault};
use faults::journal::{self, JOURNALS, Journal, ROOT, marks_of};
use faults::oracle::{Act, Change, Oracle};
use faults::preloaded::library;
use faults::probes::{judge, narrowed};
use faults::script::{Part, run_part};
use faults::transcript::{Event, How, Transcript};
use faults::trials::{self, Outcome};
use pelorus_random::SplitMix64;
use support::Fixture;

/// Trials of the sample that runs every time.
const SAMPLE: usize = 2_450;
/// One of so many trials has power fail while it recovers, and again, up to three times.
const RECOVERING_ONE_IN: usize = 8;
const RECOVERIES_MAX: usize = 3;
/// Processes that run the script, each from another seed, in a directory that is empty, was stopped or was killed.
const SCRIPTS: u64 = 3;
/// Bytes that the test may take at a time, and the reserve of the engine.
#[cfg(target_os = "linux")]
const ROOM_MIN: u64 = 1 << 30;
/// The variable in which a process that runs the script finds its part.
const PART: &str = "PELORUS_FAULTS_PART";
/// The variable in which a test finds the records of one before.
const KEPT: &str = "PELORUS_FAULTS_KEPT";

/// The process whose calls are recorded: this test, started by the other one.
#[test]
fn process_under_test() {
    if let Some(path) = std::env::var_os(PART) {
        let part: Part = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
        run_part(part);
    }
}

#[test]
fn a_power_cut_loses_nothing_that_was_acknowledged() {
    if let Some(root) = std::env::var_os(ROOT) {
        return Laboratory::new(Path::new(&root)).run();
    }
    let scratch = scratch();
    let scratch = fs::canonicalize(scratch.path()).unwrap();
    let Some(library) = library(&scratch, "journal", journal::SOURCE) else {
        return;
    };
    let [root, journals] = ["root", "journals"].map(|name| scratch.join(name));
    fs::create_dir(&root).unwrap();
    fs::create_dir(&journals).unwrap();
    let status = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "a_power_cut_loses_nothing_that_was_acknowledged"])
        .arg("--nocapture")
        .env("LD_PRELOAD", library)
        .env(ROOT, root)
        .env(JOURNALS, journals)
        .status()
        .unwrap();
    assert!(status.success(), "{status}");
}

/// A folder in memory where that has room: the disk under test is simulated, and another would only be slow.
fn scratch() -> tempfile::TempDir {
    match has_room("/dev/shm") {
        true => tempfile::tempdir_in("/dev/shm").unwrap(),
        false => tempfile::tempdir().unwrap(),
    }
}

#[cfg(target_os = "linux")]
fn has_room(folder: &str) -> bool {
    let found = rustix::fs::statvfs(folder);
    found.is_ok_and(|found| found.f_bavail * found.f_frsize >= ROOM_MIN)
}

#[cfg(not(target_os = "linux"))]
fn has_room(_folder: &str) -> bool {
    false
}

/// The calls of one process, and the content of its directory before.
struct Recording {
    name: String,
    journal: Journal,
    before: Oracle,
}

impl Recording {
    /// Cuts the power after some call; the image, and all that must be in it.
    fn cut(&self, random: &mut SplitMix64) -> (Cut, Image, Oracle) {
        let cut = Cut::random(random);
        let count = random.below(self.journal.calls.len() + 1);
        let image = Image::of(&self.journal, count, cut, random);
        let told = Transcript::read(&self.before, &self.journal.marks(count));
        (cut, image, told.oracle)
    }

    fn keep(&self, folder: &Path) {
        let folder = folder.join(&self.name);
        self.journal.keep(&folder);
        let before = serde_json::to_vec(&self.before).unwrap();
        fs::write(folder.join("oracle.json"), before).unwrap();
    }

    fn kept(folder: &Path) -> Self {
        let before = fs::read(folder.join("oracle.json")).unwrap();
        Self {
            name: folder.file_name().unwrap().to_string_lossy().into_owned(),
            journal: Journal::kept(folder),
            before: serde_json::from_slice(&before).unwrap(),
        }
    }
}

struct Laboratory {
    /// The folder of data directories whose calls can be recorded.
    root: PathBuf,
    recordings: Vec<Recording>,
    images: AtomicUsize,
    recoveries: AtomicUsize,
    distinct: Mutex<HashSet<u64>>,
}

impl Laboratory {
    fn new(root: &Path) -> Self {
        let mut laboratory = Self {
            root: root.to_owned(),
            recordings: Vec::new(),
            images: AtomicUsize::new(0),
            recoveries: AtomicUsize::new(0),
            distinct: Mutex::default(),
        };
        if let Some(folder) = std::env::var_os(KEPT) {
            let recordings = fs::read_dir(folder).unwrap();
            let recordings = recordings.map(|entry| Recording::kept(&entry.unwrap().path()));
            laboratory.recordings = recordings.collect();
            laboratory.recordings.sort_by_key(|one| one.name.clone());
            return laboratory;
        }
        let [stopped, killed] = pristine();
        for seed in 1..=SCRIPTS {
            for (state, before) in [
                ("empty", None),
                ("stopped", Some(&stopped)),
                ("killed", Some(&killed)),
            ] {
                let name = format!("{state}-{seed}");
                let directory = root.join(&name);
                let mut oracle = Oracle::default();
                fs::create_dir(&directory).unwrap();
                if let Some(before) = before {
                    copy(before.directory.path(), &directory);
                    oracle = before.oracle.clone();
                }
                let recording = record_script(name, &directory, oracle, seed);
                fs::remove_dir_all(directory).unwrap();
                laboratory.recordings.push(recording);
            }
        }
        laboratory.recordings.sort_by_key(|one| one.name.clone());
        laboratory
    }

    /// Runs the trials; keeps the records where one of them breaks the rule.
    fn run(&self) {
        let trials = catch_unwind(AssertUnwindSafe(|| self.run_trials()));
        if let Err(panic) = trials {
            let folder = format!("pelorus-power-cuts-{}", std::process::id());
            let folder = std::env::temp_dir().join(folder);
            for recording in &self.recordings {
                recording.keep(&folder);
            }
            println!(
                "the records are kept: PELORUS_FAULTS_KEPT={}",
                folder.display()
            );
            resume_unwind(panic);
        }
    }

    /// Kept records give the images that they gave before.
    fn check_kept(&self) {
        let folder = tempfile::tempdir().unwrap();
        let recording = &self.recordings[0];
        recording.keep(folder.path());
        let kept = Recording::kept(&folder.path().join(&recording.name));
        for seed in 0..20 {
            let image = |of: &Recording| hash_of(&of.cut(&mut SplitMix64(seed)).1);
            assert_eq!(image(recording), image(&kept), "seed {seed}");
        }
    }

    fn run_trials(&self) {
        self.check_kept();
        for recording in &self.recordings {
            println!(
                "{}: {} calls",
                recording.name,
                recording.journal.calls.len()
            );
        }
        trials::run(SAMPLE, |seed| self.trial(seed));
        println!(
            "{} images, {} of them distinct, {} of a recovery",
            self.images.load(Ordering::Relaxed),
            self.distinct.lock().unwrap().len(),
            self.recoveries.load(Ordering::Relaxed)
        );
    }

    fn trial(&self, seed: u64) -> Outcome {
        let mut random = SplitMix64(seed);
        let recording = random.pick(&self.recordings);
        let (cut, image, oracle) = recording.cut(&mut random);
        let recoveries = match random.below(RECOVERING_ONE_IN) {
            0 => 1 + random.below(RECOVERIES_MAX),
            _ => 0,
        };
        let label = match recoveries {
            0 => "all served".to_owned(),
            _ => format!("all served after {recoveries} more cuts"),
        };
        let result = self.recover(seed, recoveries, image, oracle, &mut random);
        Outcome {
            kind: format!("{cut:?}"),
            result: result
                .map(|()| label)
                .map_err(|problem| format!("{}: {problem}", recording.name)),
        }
    }

    /// Opens an image and judges it; cuts the power meanwhile, so many times, and begins anew.
    fn recover(
        &self,
        seed: u64,
        recoveries: usize,
        mut image: Image,
        mut oracle: Oracle,
        random: &mut SplitMix64,
    ) -> Result<(), String> {
        for number in 0..=recoveries {
            self.count(&image, number);
            let directory = self.root.join(format!("{seed}-{number}"));
            image.write_to(&directory);
            let journal = (number < recoveries).then(|| Journal::begin(&directory));
            let served = serve(&directory, &oracle, journal.is_some(), random);
            served.map_err(|problem| match number {
                0 => problem,
                _ => format!("after {number} more cuts: {problem}"),
            })?;
            if let Some(journal) = journal {
                let recording = Recording {
                    name: String::new(),
                    journal: journal.end(),
                    before: oracle,
                };
                (_, image, oracle) = recording.cut(random);
                fs::remove_file(marks_of(&directory)).unwrap();
            }
            // Where background work makes a file just now, it stays until the test ends.
            let _ = fs::remove_dir_all(directory);
        }
        Ok(())
    }

    fn count(&self, image: &Image, number: usize) {
        self.distinct.lock().unwrap().insert(hash_of(image));
        self.images.fetch_add(1, Ordering::Relaxed);
        self.recoveries
            .fetch_add(usize::from(number > 0), Ordering::Relaxed);
    }
}

fn hash_of(image: &Image) -> u64 {
    let mut hasher = DefaultHasher::new();
    image.hash(&mut hasher);
    hasher.finish()
}

/// Runs the script in a process of its own and records its calls.
fn record_script(name: String, directory: &Path, before: Oracle, seed: u64) -> Recording {
    let scratch = tempfile::tempdir().unwrap();
    let control = scratch.path().join("control");
    Control::create(&control, Fault::default());
    let part = Part {
        seed,
        root: directory.to_owned(),
        control,
        lasting: false,
        oracle: before.clone(),
    };
    let path = scratch.path().join("part.json");
    fs::write(&path, serde_json::to_vec(&part).unwrap()).unwrap();
    let marks = marks_of(directory);
    let journal = Journal::begin(directory);
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "process_under_test", "--nocapture"])
        .env(PART, path)
        .stdin(Stdio::null())
        .stdout(fs::File::create(&marks).unwrap())
        .output()
        .unwrap();
    let journal = journal.end();
    let told = Transcript::read(&before, &journal.marks(journal.calls.len()));
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{name}: {errors}");
    assert_eq!(told.problems, Vec::<String>::new(), "{name}");
    assert!(told.label.is_some(), "{name}: the script did not end");
    Recording {
        name,
        journal,
        before,
    }
}

/// Opens a directory and judges it, writes to every index and judges again. Marks all of it where it is recorded.
fn serve(
    directory: &Path,
    oracle: &Oracle,
    is_recorded: bool,
    random: &mut SplitMix64,
) -> Result<(), String> {
    let mark = |event: Event| {
        if is_recorded {
            let mut options = OpenOptions::new();
            let marks = options.create(true).append(true).open(marks_of(directory));
            marks.unwrap().write_all(event.line().as_bytes()).unwrap();
        }
    };
    let engine =
        open_when_free(directory).map_err(|error| format!("nothing is opened: {error}"))?;
    let fixture = Fixture {
        directory: tempfile::tempdir().unwrap(),
        engine,
    };
    let judged = |oracle: &Oracle, when: &str| {
        let said = judge(&fixture.engine, oracle);
        let said = said.and_then(|said| match said.first() {
            None => Ok(()),
            Some(error) => Err(error.clone()),
        });
        said.map_err(|problem| format!("{when}: {problem}"))
    };
    judged(oracle, "opened")?;
    // A content that was seen once stays.
    let mut oracle = narrowed(&fixture.engine, oracle)?;
    mark(Event::Seen(oracle.clone()));
    if is_recorded || random.below(4) == 0 {
        for name in fixture.engine.list_indexes() {
            let change = match random.below(4) {
                0 => Change::random_delete(random, 5),
                1 => Change::Refer,
                2 => Change::Compact,
                _ => Change::random_add(random, 3),
            };
            let act = Act::Change(name, change);
            mark(Event::Asks(act.clone()));
            perform(&fixture, &act).map_err(|error| format!("{act:?}: {error}"))?;
            mark(Event::Answered(How::Done));
            oracle.acknowledged(&act);
        }
        judged(&oracle, "written to")?;
    }
    if random.below(2) == 0 {
        fixture.engine.close();
    }
    Ok(())
}
