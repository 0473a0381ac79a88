//! The memory that an index tells is the growth of the process. Asked of glibc's allocator, in Linux's words.
#![cfg(all(target_os = "linux", target_env = "gnu"))]

use std::ops::Range;
use std::process::Command;
use std::sync::mpsc;
use std::time::{Duration, Instant};

use crate::support::{EMBEDDED, Fixture, definition};
use pelorus_engine::{Engine, split_documents};
use pelorus_random::SplitMix64;
use serde_json::{Value, json};

const DIMENSIONS: usize = 384;
const BATCH: usize = 200;
/// The growth that may come on top however large the index is: pages of the heap of which a part is in use, caches.
const KEPT_BYTES: f64 = 4.0 * 1024.0 * 1024.0;
/// Changes of the process that do not count: a search, a stat.
const STEADY_BYTES: f64 = (1 << 20) as f64;

fn create(engine: &Engine, name: &str) {
    let graph = json!({"spaceType": "prenormalized-angular",
                       "parameters": {"efConstruction": 24, "m": 16}});
    let changes = json!({"dimensions": DIMENSIONS, "embeds": true, "annParameters": graph});
    engine.create_index(name, &definition(changes)).unwrap();
}

fn vectors(first: usize) -> Vec<f32> {
    let mut random = SplitMix64(first as u64);
    let components = (0..BATCH * DIMENSIONS).map(|_| random.unit() - 0.5);
    components.collect()
}

fn fill(engine: &Engine, name: &str, range: Range<usize>) {
    let options = json!({"tensorFields": ["title"], "mappings": null,
        "useExistingTensors": false, "textChunkPrefix": "", "maxDocBytes": 100_000});
    for first in range.step_by(BATCH) {
        let document = |n: usize| {
            json!({"_id": format!("d{n}"), "title": format!("title {n}"),
                                         "price": n, "brand": format!("b{}", n % 90)})
        };
        let documents: Vec<Value> = (first..first + BATCH).map(document).collect();
        let body = json!({"documents": documents}).to_string().into_bytes();
        let batch = split_documents(body).unwrap();
        let (prepared, _) = engine
            .prepare(name, &batch, options.to_string().as_bytes())
            .unwrap();
        let (done, response) = mpsc::channel();
        engine.apply(
            prepared,
            vectors(first),
            EMBEDDED,
            Box::new(move |r| done.send(r).unwrap()),
        );
        assert_eq!(response.recv().unwrap().unwrap().failure, 0);
    }
}

fn stats(engine: &Engine, name: &str) -> Value {
    serde_json::from_slice(&engine.stats(name).unwrap()).unwrap()
}

fn bytes(value: &Value) -> f64 {
    value.as_u64().unwrap() as f64
}

/// Waits until maintenance has nothing left to build: every other thread sleeps, and has done so for
/// a while, however little of the processor it gets. Nothing else tells: while it calibrates, the
/// index says the same all the time, but the process grows.
fn settle(engine: &Engine, name: &str) {
    let (mut last, mut since) = ((0.0, 0.0), Instant::now());
    while since.elapsed() < Duration::from_secs(2) {
        std::thread::sleep(Duration::from_millis(50));
        let said = bytes(&stats(engine, name)["memory"]["vectors"]);
        let now = (said, (bytes_in_use() / STEADY_BYTES).round());
        if now != last || !others_sleep() {
            (last, since) = (now, Instant::now());
        }
    }
}

/// True when no thread of this process but the one that asks runs or waits for a processor.
fn others_sleep() -> bool {
    let state = |task: std::fs::DirEntry| {
        let stat = std::fs::read_to_string(task.path().join("stat")).unwrap_or_default();
        // The name before the state may hold anything.
        stat.rsplit_once(") ")
            .and_then(|(_, rest)| rest.chars().next())
    };
    let tasks = std::fs::read_dir("/proc/self/task").unwrap().flatten();
    tasks.map(state).filter(|&s| s == Some('R')).count() <= 1
}

/// Bytes of memory of this process that belong to no file, without those that its allocator has
/// free: how many it keeps depends on which thread freed what when, not on the index.
fn bytes_in_use() -> f64 {
    let pages = std::fs::read_to_string("/proc/self/statm").unwrap();
    let pages: Vec<f64> = pages
        .split(' ')
        .map(|n| n.trim().parse().unwrap())
        .collect();
    // SAFETY: it takes nothing and answers by value.
    let free = unsafe { libc::mallinfo2() }.fordblks;
    (pages[1] - pages[2]) * 4096.0 - free as f64
}

/// The bytes that the process has in use and those that the index tells, once it has settled.
fn measure(engine: &Engine) -> (f64, Value) {
    settle(engine, "index");
    (bytes_in_use(), stats(engine, "index"))
}

/// Runs this test in a process whose allocator has one heap, whose free memory it can say, and gives
/// large pieces back at once. True in that process.
fn alone(test: &str) -> bool {
    let settings = ["MALLOC_MMAP_THRESHOLD_", "MALLOC_TRIM_THRESHOLD_"];
    if settings.iter().all(|name| std::env::var_os(name).is_some()) {
        return true;
    }
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", &format!("memory::{test}"), "--nocapture"])
        .envs(settings.map(|name| (name, "65536")))
        .env("MALLOC_ARENA_MAX", "1")
        .output()
        .unwrap();
    let told = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    print!("{told}");
    assert!(
        output.status.success(),
        "in a process of its own: {told}{errors}"
    );
    assert!(told.contains("1 passed"), "no test of this name: {told}");
    false
}

#[test]
fn an_index_says_within_a_tenth_what_its_documents_take() {
    if !alone("an_index_says_within_a_tenth_what_its_documents_take") {
        return;
    }
    let fixture = Fixture::new();
    let engine = &fixture.engine;
    create(engine, "index");
    // With these comes memory that does not grow any more: threads, caches, the allocator's own.
    fill(engine, "index", 0..10_000);
    let (before, first) = measure(engine);
    fill(engine, "index", 10_000..50_000);
    let (after, last) = measure(engine);
    let total = |stats: &Value| bytes(&stats["memoryBytes"]);
    let (grown, said) = (after - before, total(&last) - total(&first));
    let off = (said - grown).abs();
    assert!(
        off <= 0.1 * grown + KEPT_BYTES,
        "{said} said, {grown} grown: {first} then {last}"
    );
    let parts = last["memory"].as_object().unwrap();
    assert_eq!(parts.values().map(bytes).sum::<f64>(), total(&last));
    for part in ["vectors", "columns", "documents"] {
        assert!(bytes(&parts[part]) > 50_000.0 * 24.0, "{part}: {last}");
    }
}
