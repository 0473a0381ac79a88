//! A disk that is full for a while: writes are refused with a reason, everything acknowledged is
//! served, and once there is room again writes are accepted without a restart.
#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

mod faults;
mod support;

use std::fs::{self, File};
use std::io::{Seek, SeekFrom, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use faults::directory::{perform, tree};
use faults::oracle::{Act, Change, Oracle};
use faults::probes::{Said, judge};
use pelorus_engine::{Engine, EngineError};
use pelorus_random::SplitMix64;
use serde_json::Value;
use support::Fixture;

/// The variable in which the process on the small disk finds it.
const DISK: &str = "PELORUS_FAULTS_DISK";
const DISK_BYTES: u64 = 128 << 20;
/// The room that the ballast leaves at first: a reserve, and some documents.
const LEFT_BYTES: usize = 24 << 20;
/// Bytes of the text of each document, so that a disk fills within some hundreds of writes.
const BULK_BYTES: usize = 60_000;
/// Writes of one index that certainly do not fit: more than the whole disk.
const WRITES_MAX: usize = 1_000;
/// From room on the disk to writes accepted: 5 s are the aim, and a slow machine may need more.
const RECOVERED_WITHIN: Duration = Duration::from_secs(60);

const INDEXES: [&str; 2] = ["shop", "notes"];

/// Runs `on_a_small_disk` in a name space of its own, where it may mount a file system in memory.
#[test]
fn a_full_disk_refuses_writes_serves_reads_and_needs_no_restart() {
    let directory = tempfile::tempdir().unwrap();
    let mount = format!("mount -t tmpfs -o size={DISK_BYTES} tmpfs \"$0\"");
    let inside = |then: &str| {
        let mut command = Command::new("unshare");
        let script = format!("{mount} && {then}");
        command.args(["-rm", "sh", "-c", &script]);
        command.arg(directory.path());
        command
    };
    let possible = inside("true").output();
    if !possible
        .as_ref()
        .is_ok_and(|output| output.status.success())
    {
        println!("SKIPPED: no small disk can be made here: {possible:?}");
        return;
    }
    let output = inside("exec \"$@\"")
        .arg(std::env::current_exe().unwrap())
        .args(["--exact", "on_a_small_disk", "--nocapture"])
        .env(DISK, directory.path())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    print!("{said}");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}\n{errors}");
}

#[test]
fn on_a_small_disk() {
    if let Some(disk) = std::env::var_os(DISK) {
        let disk = Path::new(&disk);
        let mut run = Run::start(disk);
        run.fill_up_to_the_reserve();
        run.lose_all_room_while_writing();
        run.get_room_again();
        run.restart();
    }
}

struct Run {
    disk: PathBuf,
    ballast: File,
    fixture: Fixture,
    oracle: Oracle,
    random: SplitMix64,
}

impl Run {
    fn start(disk: &Path) -> Self {
        let mut run = Self {
            disk: disk.to_owned(),
            ballast: File::create(disk.join("ballast")).unwrap(),
            fixture: Fixture {
                directory: tempfile::tempdir().unwrap(),
                engine: Engine::open(&disk.join("data"), b"{}").unwrap(),
            },
            oracle: Oracle::default(),
            random: SplitMix64(1),
        };
        for name in INDEXES {
            run.ask(Act::Create(name.into())).unwrap();
            let add = Change::random_add(&mut run.random, 20);
            run.ask(Act::Change(name.into(), add)).unwrap();
        }
        run
    }

    fn ask(&mut self, act: Act) -> Result<(), EngineError> {
        let result = perform(&self.fixture, &act);
        match result {
            Ok(()) => self.oracle.acknowledged(&act),
            Err(_) => self.oracle.unknown(&act),
        }
        result
    }

    /// Everything that was acknowledged is served.
    fn judge(&self) {
        assert_eq!(judge(&self.fixture.engine, &self.oracle), Ok(Said::new()));
    }

    /// Other files take most of the disk. Documents are refused while there is still a reserve, which
    /// is for deleting.
    fn fill_up_to_the_reserve(&mut self) {
        let free = DISK_BYTES as usize - used_bytes(&self.disk);
        self.ballast.write_all(&vec![0; free - LEFT_BYTES]).unwrap();
        self.add_until_refused(|| {});
        self.judge();
        for name in INDEXES {
            let delete = Change::random_delete(&mut self.random, 5);
            self.ask(Act::Change(name.into(), delete)).unwrap();
        }
        self.judge();
    }

    /// Other files take the whole disk, the reserve too, amid writes. Even a delete may be refused
    /// now, but for no other reason.
    fn lose_all_room_while_writing(&mut self) {
        self.get_room_again();
        let ballast = self.ballast.try_clone().unwrap();
        self.add_until_refused(|| {
            let mut ballast = &ballast;
            while ballast.write_all(&[0; 1 << 16]).is_ok() {}
        });
        self.judge();
        for name in INDEXES {
            let delete = Change::random_delete(&mut self.random, 5);
            if let Err(error) = self.ask(Act::Change(name.into(), delete)) {
                assert_eq!(error.code(), "insufficient_storage", "{error}");
            }
        }
        self.judge();
    }

    /// Adds to every index at once, while `meanwhile` runs, until each has refused for want of room.
    fn add_until_refused(&mut self, meanwhile: impl FnOnce() + Send) {
        let seeds = INDEXES.map(|_| self.random.below(1 << 30) as u64);
        let fixture = &self.fixture;
        let ends: Vec<_> = std::thread::scope(|scope| {
            scope.spawn(meanwhile);
            let start = |(name, seed)| scope.spawn(move || add_until_refused(fixture, name, seed));
            let writers: Vec<_> = INDEXES.into_iter().zip(seeds).map(start).collect();
            writers
                .into_iter()
                .map(|writer| writer.join().unwrap())
                .collect()
        });
        for (acknowledged, refused, error) in ends {
            let writes = acknowledged.len();
            println!("{} took {writes} writes, then: {error}", refused.index());
            assert_eq!(error.code(), "insufficient_storage", "{error}");
            for act in acknowledged {
                self.oracle.acknowledged(&act);
            }
            self.oracle.unknown(&refused);
        }
    }

    /// The other files are gone: writes are accepted again, and everything is well.
    fn get_room_again(&mut self) {
        self.ballast.set_len(0).unwrap();
        self.ballast.seek(SeekFrom::Start(0)).unwrap();
        let start = Instant::now();
        let add = Change::random_add(&mut self.random, 2);
        for name in INDEXES {
            let act = Act::Change(name.into(), add.clone());
            while let Err(error) = self.ask(act.clone()) {
                assert!(start.elapsed() < RECOVERED_WITHIN, "{error}");
                std::thread::sleep(Duration::from_millis(10));
            }
        }
        let accepted = start.elapsed();
        while let health = self.health()
            && health["status"] != "green"
        {
            assert!(start.elapsed() < RECOVERED_WITHIN, "{health}");
            std::thread::sleep(Duration::from_millis(10));
        }
        let (accepted, green) = (accepted.as_secs_f64(), start.elapsed().as_secs_f64());
        println!(
            "with room again: writes accepted after {accepted:.2} s, green after {green:.2} s"
        );
        self.judge();
    }

    fn health(&self) -> Value {
        serde_json::from_slice(&self.fixture.engine.health()).unwrap()
    }

    fn restart(&mut self) {
        self.fixture.engine.close();
        self.fixture.engine = Engine::open(&self.disk.join("data"), b"{}").unwrap();
        self.judge();
        self.fixture.engine.close();
    }
}

/// Returns the writes acknowledged before the first refusal, the refused one, and the reason.
fn add_until_refused(fixture: &Fixture, name: &str, seed: u64) -> (Vec<Act>, Act, EngineError) {
    let mut random = SplitMix64(seed);
    let mut acknowledged = Vec::new();
    for _ in 0..WRITES_MAX {
        let add = Change::random_add(&mut random, 3).with_bulk(BULK_BYTES);
        let act = Act::Change(name.into(), add);
        match perform(fixture, &act) {
            Ok(()) => acknowledged.push(act),
            Err(error) => return (acknowledged, act, error),
        }
    }
    panic!("{name} took {WRITES_MAX} writes on a full disk");
}

/// Bytes of all files of a file system in memory, rounded up to its pages.
fn used_bytes(disk: &Path) -> usize {
    let files = tree(disk).unwrap();
    let blocks = files
        .iter()
        .map(|path| fs::metadata(path).unwrap().blocks());
    blocks.sum::<u64>() as usize * 512
}
