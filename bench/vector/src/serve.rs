//! Commands on standard input, answers on standard output, one JSON object a line. A command that
//! this index cannot follow is answered with `{"unsupported": true}`.

use std::collections::HashMap;
use std::io::{BufRead, Write};
use std::path::Path;
use std::time::Instant;

use parking_lot::Mutex;
use pelorus_kernels::kernels;
use serde_json::{Value, json};

use crate::churn::Churn;
use crate::command::{Command, Search};
use crate::control;
use crate::corpus::Corpus;
use crate::dataset::{Dataset, Result};
use crate::graph::{Accept, EF_DEFAULT, Graph, Shape, Wish};
use crate::passes::Pass;
use crate::resident::Resident;
use crate::streaming::Stream;

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
                shape,
                threads,
                directory,
            } => self.build(self.of_dim(shape), threads, directory.as_deref()),
            Command::Search(search) => self.search(&search, true),
            Command::Default { k, count } => {
                self.search(&Search::plain(EF_DEFAULT, k, count), true)
            }
            Command::Ceiling { ef, k, count } => self.search(&Search::plain(ef, k, count), false),
            Command::Streaming {
                writes_per_second,
                seconds,
                k,
            } => {
                let (graph, corpus, queries) = self.written()?;
                let stream = Stream {
                    graph,
                    corpus,
                    queries,
                    wish: Wish::by_default(k),
                    writes_per_second,
                    seconds,
                };
                Ok(stream.run())
            }
            Command::Churn {
                generations,
                share,
                k,
                threads,
            } => {
                let (graph, corpus, queries) = self.written()?;
                let churn = Churn {
                    graph,
                    corpus,
                    queries,
                    wish: Wish::by_default(k),
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
            Command::Save => self.save(),
            Command::Restart {
                shape,
                directory,
                k,
            } => self.restart(self.of_dim(shape), &directory, k),
        }
    }

    fn of_dim(&self, shape: Shape) -> Shape {
        Shape {
            dim: self.dataset.dim,
            ..shape
        }
    }

    /// The clock covers pushing and linking, not the reading of the file.
    fn build(&mut self, shape: Shape, threads: usize, directory: Option<&Path>) -> Result<Value> {
        self.graph = None;
        let before = Resident::now();
        let graph = Graph::create(shape, directory)?;
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
            "indexBytes": graph.bytes(),
            "residentBytes": grown.map(|grown| grown.own),
            "mappedBytes": grown.map(|grown| grown.files),
            "version": env!("CARGO_PKG_VERSION"),
            "kernels": kernels().name,
        });
        self.graph = Some(graph);
        Ok(answer)
    }

    fn save(&self) -> Result<Value> {
        let started = Instant::now();
        match self.graph.as_ref().ok_or("save before build")?.save()? {
            true => Ok(json!({ "seconds": started.elapsed().as_secs_f64() })),
            false => Ok(json!({ "unsupported": true })),
        }
    }

    /// The clock runs until the first query is answered; the others tell how well.
    fn restart(&mut self, shape: Shape, directory: &Path, k: usize) -> Result<Value> {
        self.read_queries("queries")?;
        self.read_filter("")?;
        let dim = self.dataset.dim;
        let started = Instant::now();
        self.graph = Some(Graph::open(shape, directory)?);
        let pass = self.pass("", Wish::by_default(k))?;
        let queries = &self.queries["queries"];
        pass.run(&queries[..dim]);
        let seconds = started.elapsed().as_secs_f64();
        let mut answer = pass.run(queries);
        answer["seconds"] = json!(seconds);
        Ok(answer)
    }

    fn search(&mut self, search: &Search, stops_early: bool) -> Result<Value> {
        let filter = search.filter();
        self.read_queries(&search.set)?;
        self.read_filter(&filter)?;
        let wish = Wish {
            k: search.k,
            ef: search.ef,
            stops_early,
            exact: false,
        };
        let dim = self.dataset.dim;
        let queries = &self.queries[&search.set];
        let floats = search.count.map_or(queries.len(), |count| count * dim);
        let queries = &queries[..floats.min(queries.len())];
        let pass = self.pass(&filter, wish)?;
        Ok(match search.threads {
            Some(threads) => pass.run_on(threads, queries, search.times.unwrap_or(1)),
            None => pass.run(queries),
        })
    }

    fn pass(&self, filter: &str, wish: Wish) -> Result<Pass<'_>> {
        Ok(Pass {
            graph: self.graph.as_ref().ok_or("search before build")?,
            accept: &self.accepts[filter],
            dim: self.dataset.dim,
            wish,
        })
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

    /// The index and data that commands which write work on.
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
