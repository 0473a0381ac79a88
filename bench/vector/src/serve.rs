//! Commands on standard input, answers on standard output, one JSON object a line. What this index
//! cannot do is answered with `{"unsupported": true}`.

use std::collections::HashMap;
use std::io::{BufRead, Write};
use std::path::Path;
use std::time::Instant;

use parking_lot::Mutex;
use pelorus_kernels::kernels;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::churn::Churn;
use crate::control;
use crate::corpus::Corpus;
use crate::dataset::{Dataset, Result};
use crate::graph::{Accept, Graph};
use crate::passes::Pass;
use crate::resident::Resident;
use crate::streaming::Stream;

/// The search list of a request that does not name one.
const EF_DEFAULT: usize = 2_000;

#[derive(Deserialize)]
#[serde(tag = "op", rename_all = "camelCase", rename_all_fields = "camelCase")]
enum Command {
    Build {
        m: usize,
        ef_construction: usize,
        threads: usize,
    },
    /// Runs the first `count` queries of a set once, all when absent.
    Search {
        ef: usize,
        k: usize,
        set: Option<String>,
        pass_rate: Option<Value>,
        threads: Option<usize>,
        count: Option<usize>,
    },
    /// As `Search`, with the search list of a request that names none.
    Default {
        k: usize,
        count: Option<usize>,
    },
    /// As `Default`, without ever stopping early.
    Ceiling {},
    /// As `Search`, several queries at once on one thread.
    Interleaved {},
    Streaming {
        writes_per_second: usize,
        seconds: f64,
        ef: Option<usize>,
        k: usize,
    },
    Churn {
        generations: usize,
        share: f64,
        ef: Option<usize>,
        k: usize,
        threads: usize,
    },
    Save {},
    Restart {},
    /// Times the control work.
    Control,
}

pub fn serve(directory: &Path) -> Result<()> {
    let mut server = Server {
        dataset: Dataset::open(directory)?,
        graph: None,
        queries: HashMap::new(),
        accepts: HashMap::new(),
        corpus: None,
    };
    for line in std::io::stdin().lock().lines() {
        let answer = server.answer(serde_json::from_str(&line?)?)?;
        let mut out = std::io::stdout().lock();
        writeln!(out, "{answer}")?;
        out.flush()?;
    }
    Ok(())
}

struct Server {
    dataset: Dataset,
    graph: Option<Graph>,
    /// `[n, dim]` by the set's name.
    queries: HashMap<String, Vec<f32>>,
    /// By the filter's name, empty for none.
    accepts: HashMap<String, Accept>,
    /// Made by the first command that writes.
    corpus: Option<Mutex<Corpus>>,
}

impl Server {
    fn answer(&mut self, command: Command) -> Result<Value> {
        match command {
            Command::Build {
                m,
                ef_construction,
                threads,
            } => self.build(m, ef_construction, threads),
            Command::Search {
                ef,
                k,
                set,
                pass_rate,
                threads,
                count,
            } => {
                let filter = pass_rate.map_or(String::new(), |rate| name_of(&rate));
                let set = set.as_deref().unwrap_or("queries");
                self.search(set, &filter, ef, k, threads.unwrap_or(1), count)
            }
            Command::Default { k, count } => self.search("queries", "", EF_DEFAULT, k, 1, count),
            Command::Streaming {
                writes_per_second,
                seconds,
                ef,
                k,
            } => {
                let (graph, corpus, queries) = self.written()?;
                let stream = Stream {
                    graph,
                    corpus,
                    queries,
                    k,
                    ef: ef.unwrap_or(EF_DEFAULT),
                    writes_per_second,
                    seconds,
                };
                Ok(stream.run())
            }
            Command::Churn {
                generations,
                share,
                ef,
                k,
                threads,
            } => {
                let (graph, corpus, queries) = self.written()?;
                let churn = Churn {
                    graph,
                    corpus,
                    queries,
                    k,
                    ef: ef.unwrap_or(EF_DEFAULT),
                    threads,
                    generations,
                    share,
                };
                Ok(churn.run())
            }
            Command::Control => {
                let (scan, multiply) = control::run();
                Ok(json!({ "scanSeconds": scan, "multiplySeconds": multiply }))
            }
            Command::Ceiling {}
            | Command::Interleaved {}
            | Command::Save {}
            | Command::Restart {} => Ok(json!({ "unsupported": true })),
        }
    }

    /// The clock covers pushing and linking, not the reading of the file.
    fn build(&mut self, m: usize, ef_construction: usize, threads: usize) -> Result<Value> {
        self.graph = None;
        let before = Resident::now();
        let graph = Graph::new(self.dataset.dim, m, ef_construction);
        let mut seconds = 0.0;
        self.dataset.each_part(|part| {
            let started = Instant::now();
            for vector in part.chunks_exact(self.dataset.dim) {
                graph.push(vector);
            }
            seconds += started.elapsed().as_secs_f64();
        })?;
        seconds += graph.link(threads);
        let grown = before
            .zip(Resident::now())
            .map(|(before, now)| now.since(before));
        let answer = json!({
            "seconds": seconds,
            "indexBytes": graph.memory_bytes(),
            "residentBytes": grown.map(|grown| grown.own),
            "mappedBytes": grown.map(|grown| grown.files),
            "version": env!("CARGO_PKG_VERSION"),
            "kernels": kernels().name,
        });
        self.graph = Some(graph);
        Ok(answer)
    }

    fn search(
        &mut self,
        set: &str,
        filter: &str,
        ef: usize,
        k: usize,
        threads: usize,
        count: Option<usize>,
    ) -> Result<Value> {
        self.read_queries(set)?;
        self.read_filter(filter)?;
        let dim = self.dataset.dim;
        let pass = Pass {
            graph: self.graph.as_ref().ok_or("search before build")?,
            accept: &self.accepts[filter],
            dim,
            k,
            ef,
        };
        let queries = &self.queries[set];
        let floats = count.map_or(queries.len(), |count| (count * dim).min(queries.len()));
        Ok(pass.run(&queries[..floats], threads))
    }

    fn read_queries(&mut self, set: &str) -> Result<()> {
        if !self.queries.contains_key(set) {
            let queries = self.dataset.queries(set)?;
            self.queries.insert(set.into(), queries);
        }
        Ok(())
    }

    fn read_filter(&mut self, filter: &str) -> Result<()> {
        if !self.accepts.contains_key(filter) {
            let accept = match filter {
                "" => Accept::all(self.dataset.count),
                filter => Accept::only(&self.dataset.filter(filter)?, self.dataset.count),
            };
            self.accepts.insert(filter.into(), accept);
        }
        Ok(())
    }

    /// What commands that write work on.
    fn written(&mut self) -> Result<(&Graph, &Mutex<Corpus>, &[f32])> {
        self.read_queries("queries")?;
        if self.corpus.is_none() {
            let corpus = Corpus::new(self.dataset.base()?, self.dataset.dim);
            self.corpus = Some(Mutex::new(corpus));
        }
        let graph = self.graph.as_ref().ok_or("write before build")?;
        let corpus = self.corpus.as_ref().ok_or("made above")?;
        Ok((graph, corpus, &self.queries["queries"]))
    }
}

/// A filter by its name, or by its pass rate.
fn name_of(rate: &Value) -> String {
    match rate {
        Value::String(name) => name.clone(),
        rate => rate.to_string(),
    }
}
