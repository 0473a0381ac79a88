//! Some runs of each target. `PELORUS_FUZZ_RUNS` multiplies them, `PELORUS_FUZZ_FROM` begins elsewhere.

use pelorus_fuzz::run;
use pelorus_fuzz::targets::TARGETS;

fn setting(name: &str, default: u64) -> u64 {
    let text = std::env::var(name).ok();
    text.and_then(|text| text.parse().ok()).unwrap_or(default)
}

#[test]
fn no_target_fails() {
    let (times, from) = (
        setting("PELORUS_FUZZ_RUNS", 1),
        setting("PELORUS_FUZZ_FROM", 0),
    );
    let queue = std::sync::Mutex::new(TARGETS.iter().collect::<Vec<_>>());
    let failures = std::sync::Mutex::new(Vec::new());
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some(target) = { queue.lock().expect("no panic").pop() } {
                    let made = (target.make)();
                    let start = std::time::Instant::now();
                    for number in from..from + target.runs * times {
                        if let Err(failure) = run(target.name, &*made, number) {
                            failures.lock().expect("no panic").push(format!(
                                "{}: run {number}: {}; again: npm run fuzz -- {} --from {number} --runs 1",
                                target.name, failure.message, target.name
                            ));
                            break;
                        }
                    }
                    println!("{}: {} runs in {:?}", target.name, target.runs * times, start.elapsed());
                }
            });
        }
    });
    let failures = failures.into_inner().expect("no panic");
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
