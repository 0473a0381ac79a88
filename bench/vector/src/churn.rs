//! Documents replaced, removed and added again, generation after generation.

use parking_lot::Mutex;
use serde_json::{Value, json};

use crate::corpus::Corpus;
use crate::graph::{Accept, Graph, Wish};
use crate::random::Random;
use crate::truth::exact_neighbors;

pub struct Churn<'a> {
    pub graph: &'a Graph,
    pub corpus: &'a Mutex<Corpus>,
    /// `[n, dim]`
    pub queries: &'a [f32],
    pub wish: Wish,
    pub threads: usize,
    pub generations: usize,
    /// Share of the living documents that a generation touches.
    pub share: f64,
}

impl Churn<'_> {
    /// The recall and size before any change and after each generation, and in the end the living
    /// documents that a search for their own vector does not answer.
    pub fn run(&self) -> Value {
        let mut corpus = self.corpus.lock();
        let mut generations = vec![self.measure(&corpus)];
        let mut gone = Vec::new();
        let mut random = Random::new(1, 7);
        for _ in 0..self.generations {
            self.generation(&mut corpus, &mut gone, &mut random);
            self.graph.link(self.threads);
            generations.push(self.measure(&corpus));
        }
        json!({
            "generations": generations,
            "documents": corpus.living().len(),
            "unfound": self.unfound(&corpus),
            "unreachable": self.graph.unreachable(),
        })
    }

    /// A third of those touched are replaced, a third removed, and as many earlier ones come back.
    fn generation(&self, corpus: &mut Corpus, gone: &mut Vec<u32>, random: &mut Random) {
        let touched = (corpus.living().len() as f64 * self.share) as usize;
        for number in 0..touched {
            let document = match (number % 3, gone.len()) {
                (0, _) => corpus.add(),
                (1, len @ 1..) => {
                    let earlier = gone.swap_remove((random.uniform() * len as f64) as usize);
                    corpus.add_again(earlier)
                }
                _ => {
                    let document = self.remove_any(corpus);
                    gone.push(document);
                    continue;
                }
            };
            self.graph.push(corpus.row(document));
            if number % 3 == 0 {
                self.remove_any(corpus);
            }
        }
    }

    fn remove_any(&self, corpus: &mut Corpus) -> u32 {
        let document = corpus.any_living();
        self.graph.remove(document);
        corpus.remove(document);
        document
    }

    fn measure(&self, corpus: &Corpus) -> Value {
        let living = corpus.living();
        let among = [Some(&living[..])];
        let truth = exact_neighbors(
            corpus.vectors(),
            self.queries,
            corpus.dim,
            self.wish.k,
            &among,
        );
        let accept = Accept::only(&living, living.len());
        let queries = self.queries.chunks_exact(corpus.dim);
        let hits: usize = queries
            .zip(truth[0].chunks_exact(self.wish.k))
            .map(|(query, truth)| {
                let found = self.graph.search(query, self.wish, &accept);
                truth.iter().filter(|id| found.contains(id)).count()
            })
            .sum();
        json!({
            "recall": hits as f64 / truth[0].len() as f64,
            "bytes": self.graph.memory_bytes(),
        })
    }

    fn unfound(&self, corpus: &Corpus) -> usize {
        let living = corpus.living();
        let accept = Accept::only(&living, living.len());
        let finds = |&document: &u32| {
            let vector = corpus.row(document);
            let found = self.graph.search(vector, self.wish, &accept);
            // One with the very same vector is as good an answer.
            found
                .iter()
                .any(|&found| found == document || corpus.row(found) == vector)
        };
        living.iter().filter(|&document| !finds(document)).count()
    }
}
