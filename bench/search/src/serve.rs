use std::collections::HashMap;
use std::io::{self, BufRead, Write};
use std::path::Path;
use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

use crate::Result;
use crate::command::{Answer, Cell, Command};
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
    if !index.exists() {
        let incoming = directory.join(format!("{name}.incoming"));
        let _ = std::fs::remove_dir_all(&incoming);
        std::fs::create_dir_all(&incoming)?;
        E::build(directory, &incoming)?;
        std::fs::rename(incoming, &index)?;
    }
    let mut engine = E::open(directory, &index)?;
    let mut queries: HashMap<String, Vec<Vec<String>>> = HashMap::new();
    for line in io::stdin().lock().lines() {
        let Command { cell, k, count } = serde_json::from_str(&line?)?;
        if !queries.contains_key(&cell.words) {
            queries.insert(cell.words.clone(), corpus::queries(directory, &cell.words)?);
        }
        let mut answer = Answer::default();
        for words in queries[&cell.words].iter().take(count) {
            let words = &words[..cell.terms];
            let started = thread_time();
            let (hits, total) = engine.search(&cell, words, k)?;
            answer
                .micros
                .push((thread_time() - started).as_secs_f64() * 1e6);
            answer.totals.extend(total);
            answer.hits.push(hits);
        }
        let mut out = io::stdout().lock();
        serde_json::to_writer(&mut out, &answer)?;
        writeln!(out)?;
        out.flush()?;
    }
    Ok(())
}

/// The time that this thread has had a processor: what else runs on the machine disturbs it less.
fn thread_time() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}
