use std::collections::HashMap;
use std::fs;
use std::io::{self, BufRead, Write};
use std::path::Path;
use std::time::{Duration, Instant};

use rustix::time::{ClockId, clock_gettime};

use crate::Result;
use crate::command::{Built, Cell, Command, Searched};
use crate::corpus;

/// An index that can be asked.
pub trait Engine: Sized {
    /// Builds the index in the empty folder `index` from the documents in `directory`.
    fn build(directory: &Path, index: &Path) -> Result<()>;
    fn open(directory: &Path, index: &Path) -> Result<Self>;
    /// The best `k` documents with some of `words`, and their number where the cell asks for it.
    fn search(
        &mut self,
        cell: &Cell,
        words: &[String],
        k: usize,
    ) -> Result<(Vec<u32>, Option<u64>)>;
}

/// Answers each line on standard input.
pub fn serve<E: Engine>(directory: &Path, name: &str) -> Result<()> {
    let index = directory.join(name);
    let mut opened: Option<E> = None;
    let mut queries = HashMap::new();
    for line in io::stdin().lock().lines() {
        let answer = match serde_json::from_str(&line?)? {
            Command::Build => {
                opened = None;
                serde_json::to_string(&build::<E>(directory, &index)?)?
            }
            Command::Search { cell, k, count } => {
                let engine = match &mut opened {
                    Some(engine) => engine,
                    None => {
                        if !index.exists() {
                            build::<E>(directory, &index)?;
                        }
                        opened.insert(E::open(directory, &index)?)
                    }
                };
                if !queries.contains_key(&cell.words) {
                    queries.insert(cell.words.clone(), corpus::queries(directory, &cell.words)?);
                }
                let queries = queries[&cell.words].iter().take(count);
                serde_json::to_string(&search(engine, &cell, k, queries)?)?
            }
        };
        let mut out = io::stdout().lock();
        writeln!(out, "{answer}")?;
        out.flush()?;
    }
    Ok(())
}

/// Builds an index in place of the one that may be there.
fn build<E: Engine>(directory: &Path, index: &Path) -> Result<Built> {
    let incoming = index.with_extension("incoming");
    for folder in [&incoming, index] {
        if folder.exists() {
            fs::remove_dir_all(folder)?;
        }
    }
    fs::create_dir_all(&incoming)?;
    let (started, before) = (Instant::now(), time(ClockId::ProcessCPUTime));
    E::build(directory, &incoming)?;
    let built = Built {
        seconds: started.elapsed().as_secs_f64(),
        processor_seconds: (time(ClockId::ProcessCPUTime) - before).as_secs_f64(),
    };
    fs::rename(incoming, index)?;
    Ok(built)
}

fn search<'q, E: Engine>(
    engine: &mut E,
    cell: &Cell,
    k: usize,
    queries: impl Iterator<Item = &'q Vec<String>>,
) -> Result<Searched> {
    let mut answer = Searched::default();
    for words in queries {
        let words = &words[..cell.terms];
        // The time that this thread has had a processor: what else runs on the machine disturbs it less.
        let started = time(ClockId::ThreadCPUTime);
        let (hits, total) = engine.search(cell, words, k)?;
        let taken = time(ClockId::ThreadCPUTime) - started;
        answer.micros.push(taken.as_secs_f64() * 1e6);
        answer.totals.extend(total);
        answer.hits.push(hits);
    }
    Ok(answer)
}

fn time(clock: ClockId) -> Duration {
    let time = clock_gettime(clock);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}
