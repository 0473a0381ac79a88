//! A search finds the same as exact search under filters of every shape, those too that exclude just the neighbourhood
//! of the query, and in every state that writes leave an index in.
//!
//! `PELORUS_FILTER_VECTORS` sets how many vectors each set has in place of the few of every day, and prints the recall
//! and that of the worst query under each filter; `PELORUS_FILTER_SEED` draws other sets.

mod support;

use std::env;

use pelorus_hnsw::{HnswParams, Metric, VectorIndex, VectorSearch};
use pelorus_kernels::BitSet;
use support::{Rng, exact, params, search};

const K: usize = 10;
const QUERIES: usize = 12;
/// The least recall of all sets together, under each filter in each state.
const RECALL_MIN: f64 = 0.99;
/// The least recall of any query.
const WORST_MIN: f64 = 0.8;

/// Vectors in groups, and how to draw one more of a group.
struct Set {
    name: &'static str,
    dim: usize,
    /// The centre of each group.
    centres: Vec<Vec<f32>>,
    /// The spread of vectors around their centre, in each component.
    spread: f32,
    /// The offset that all vectors have in common, in each component.
    mean: f32,
    rng: Rng,
}

impl Set {
    fn new(name: &'static str, dim: usize, groups: usize, distance: f32, seed: u64) -> Self {
        let mut rng = Rng(seed);
        let centres = (0..groups)
            .map(|_| (0..dim).map(|_| distance * rng.normal()).collect())
            .collect();
        Self {
            name,
            dim,
            centres,
            spread: 1.0,
            mean: 0.0,
            rng,
        }
    }

    /// Sets with groups far apart, near each other, of few members, in a narrow cone, and with none.
    fn all(seed: u64) -> Vec<Self> {
        let mut cone = Self::new("cone", 64, 60, 0.5, seed + 3);
        cone.mean = 4.0;
        vec![
            Self::new("clumps", 32, 10, 3.0, seed),
            Self::new("wide clumps", 64, 8, 1.2, seed + 1),
            Self::new("small clumps", 48, 400, 1.5, seed + 2),
            cone,
            Self::new("isotropic", 24, 1, 0.0, seed + 4),
        ]
    }

    fn draw(&mut self, group: usize) -> Vec<f32> {
        let rng = &mut self.rng;
        let centre = self.centres[group].iter();
        centre
            .map(|c| c + self.spread * rng.normal() + self.mean)
            .collect()
    }

    fn any_group(&mut self) -> usize {
        self.rng.below(self.centres.len())
    }
}

/// An index with the truth beside it.
struct Filled {
    index: VectorIndex,
    set: Set,
    /// Group of each document ever added.
    groups: Vec<usize>,
    vectors: Vec<Vec<f32>>,
    alive: BitSet,
}

impl Filled {
    fn new(set: Set) -> Self {
        let params = params(set.dim, Metric::Euclidean);
        Self::with(set, params)
    }

    fn with(set: Set, params: HnswParams) -> Self {
        Self {
            index: VectorIndex::new(params),
            set,
            groups: Vec::new(),
            vectors: Vec::new(),
            alive: BitSet::new(0),
        }
    }

    fn push(&mut self, group: usize, vector: Vec<f32>) {
        let doc = self.groups.len() as u32;
        self.index.push(&vector, doc, 0).expect("room in memory");
        self.groups.push(group);
        self.vectors.push(vector);
        self.alive.insert(doc);
    }

    fn add(&mut self, count: usize) {
        for _ in 0..count {
            let group = self.set.any_group();
            let vector = self.set.draw(group);
            self.push(group, vector);
        }
    }

    /// Adds a document's vector once more, as a new version of it.
    fn replace(&mut self, doc: usize) {
        self.remove(doc);
        self.push(self.groups[doc], self.vectors[doc].clone());
    }

    fn remove(&mut self, doc: usize) {
        self.index.remove(doc as u32);
        self.alive.remove(doc as u32);
    }

    fn in_haste(&self, count: usize) {
        let mut linked = 0;
        while linked < count {
            match self.index.link(count - linked) {
                // Codes are trained and sweeps begun by those who have the time.
                0 => _ = self.index.maintain(0),
                some => linked += some,
            }
            if self.index.unlinked() == 0 {
                return;
            }
        }
    }
}

/// Brings an empty index into a state, with that many documents.
type Preparation = fn(&mut Filled, usize);

/// States that writes leave an index in.
const STATES: [(&str, Preparation); 6] = [
    ("just added", |filled, count| {
        filled.add(count / 2);
        filled.in_haste(count / 2);
        filled.add(count - count / 2);
    }),
    ("linked in haste", |filled, count| {
        filled.add(count);
        filled.in_haste(count);
    }),
    ("settled", |filled, count| {
        filled.add(count);
        support::settle(&filled.index);
    }),
    ("half replaced", |filled, count| {
        filled.add(count);
        support::settle(&filled.index);
        (0..count / 2).for_each(|doc| filled.replace(doc));
        filled.in_haste(count / 4);
    }),
    ("replaced twice", |filled, count| {
        filled.add(count);
        support::settle(&filled.index);
        (0..2 * count).for_each(|doc| {
            filled.replace(doc);
            // As writers do who leave no time to anybody else.
            if doc % 128 == 127 {
                filled.in_haste(120);
                filled.index.sweep_overdue(256);
            }
        });
    }),
    ("a third removed, reclaimed", |filled, count| {
        filled.add(count * 3 / 2);
        support::settle(&filled.index);
        (0..count * 3 / 2)
            .filter(|doc| doc % 3 == 1)
            .for_each(|doc| filled.remove(doc));
        support::settle(&filled.index);
    }),
];

/// A query, its group, and how far each living document is.
struct Query {
    vector: Vec<f32>,
    group: usize,
    /// Living documents, nearest first.
    ranked: Vec<u32>,
}

/// Shapes of filters: whether a document passes, given its rank as seen from the query.
type Shape = fn(&Filled, &Query, u32, usize) -> bool;

/// A number below `below` that a document always has.
fn tag(doc: u32, below: u64) -> u64 {
    let mut rng = Rng(u64::from(doc) ^ 0x9e37_79b9);
    rng.bits();
    rng.bits() % below
}

const SHAPES: [(&str, Shape); 16] = [
    ("none", |_, _, _, _| true),
    ("half", |_, _, doc, _| tag(doc, 2) == 0),
    ("a tenth", |_, _, doc, _| tag(doc, 10) == 0),
    ("a hundredth", |_, _, doc, _| tag(doc, 100) == 0),
    ("all but own", |filled, query, doc, _| {
        filled.groups[doc as usize] != query.group
    }),
    ("own", |filled, query, doc, _| {
        filled.groups[doc as usize] == query.group
    }),
    ("the other half of groups", |filled, query, doc, _| {
        filled.groups[doc as usize] % 2 != query.group % 2
    }),
    ("one other group", |filled, query, doc, _| {
        filled.groups[doc as usize] == (query.group + 1) % filled.set.centres.len()
    }),
    ("all but the 40 nearest", |_, _, _, rank| rank >= 40),
    ("all but the 300 nearest", |_, _, _, rank| rank >= 300),
    ("all but the nearest tenth", |_, query, _, rank| {
        rank >= query.ranked.len() / 10
    }),
    ("a ring", |_, query, _, rank| {
        (query.ranked.len() / 20..query.ranked.len() / 4).contains(&rank)
    }),
    ("the nearest fifth", |_, query, _, rank| {
        rank < query.ranked.len() / 5
    }),
    ("the farthest third", |_, query, _, rank| {
        rank >= query.ranked.len() / 3 * 2
    }),
    ("rather near", |_, query, doc, rank| {
        tag(doc, query.ranked.len() as u64) >= rank as u64
    }),
    ("rather far", |_, query, doc, rank| {
        tag(doc, query.ranked.len() as u64) < rank as u64
    }),
];

struct Found {
    recall: f64,
    worst: f64,
}

fn found(filled: &Filled, queries: &[Query], shape: Shape) -> Found {
    let mut recalls = Vec::new();
    for query in queries {
        let mut accept = BitSet::new(0);
        for (rank, &doc) in query.ranked.iter().enumerate() {
            if shape(filled, query, doc, rank) {
                accept.insert(doc);
            }
        }
        let params = search(K, &accept, filled.alive.len());
        recalls.push(recall(filled, &query.vector, &params, &accept));
    }
    Found {
        recall: recalls.iter().sum::<f64>() / recalls.len() as f64,
        worst: recalls.iter().copied().fold(1.0, f64::min),
    }
}

fn recall(filled: &Filled, query: &[f32], params: &VectorSearch, accept: &BitSet) -> f64 {
    let truth = filled.index.search(query, &exact(params.clone()), accept);
    let hits = filled.index.search(query, params, accept);
    assert_eq!(hits.len(), truth.len());
    let bound = truth.last().map_or(f32::NEG_INFINITY, |hit| hit.distance);
    let near = hits.iter().filter(|hit| hit.distance <= bound).count();
    match truth.len() {
        0 => 1.0,
        wanted => near as f64 / wanted as f64,
    }
}

fn queries(filled: &mut Filled, count: usize) -> Vec<Query> {
    (0..count)
        .map(|_| {
            let group = filled.set.any_group();
            let vector = filled.set.draw(group);
            let all = search(filled.alive.len(), &filled.alive, filled.alive.len());
            let hits = filled.index.search(&vector, &exact(all), &filled.alive);
            Query {
                group,
                vector,
                ranked: hits.iter().map(|hit| hit.doc).collect(),
            }
        })
        .collect()
}

fn number(variable: &str) -> Option<u64> {
    env::var(variable).ok()?.parse().ok()
}

#[test]
fn vectors_that_pass_are_found_whatever_the_filter_excludes_and_whatever_was_written() {
    let asked = number("PELORUS_FILTER_VECTORS");
    let seed = number("PELORUS_FILTER_SEED").unwrap_or(1);
    let count = asked.unwrap_or(5_000) as usize;
    let mut short = Vec::new();
    for (state, make) in STATES {
        let mut sums = [0.0; SHAPES.len()];
        let sets = Set::all(seed);
        let set_count = sets.len() as f64;
        for set in sets {
            let mut filled = Filled::new(set);
            make(&mut filled, count);
            let queries = queries(&mut filled, QUERIES);
            let name = filled.set.name;
            let mut line = format!("{state:26} {name:13}");
            for ((shape, passes), sum) in SHAPES.iter().zip(&mut sums) {
                let Found { recall, worst } = found(&filled, &queries, *passes);
                *sum += recall;
                line += &format!(" {recall:.3}/{worst:.1}");
                if worst < WORST_MIN {
                    short.push(format!(
                        "{state}, {name}, {shape}: a query of recall {worst}"
                    ));
                }
            }
            if asked.is_some() {
                println!("{line}");
            }
        }
        for ((shape, _), sum) in SHAPES.iter().zip(sums) {
            let recall = sum / set_count;
            if recall < RECALL_MIN {
                short.push(format!("{state}, {shape}: recall {recall:.3}"));
            }
        }
    }
    assert!(short.is_empty(), "seed {seed}:\n{}", short.join("\n"));
}

/// Replaces each document twice on the average, in any order and in batches, and searches after one batch in `one_in`.
/// Asserts the recall of all queries and that of the worst.
fn assert_found_while_replaced(mut filled: Filled, count: usize, seed: u64, one_in: usize) {
    filled.add(count);
    support::settle(&filled.index);
    let (mut versions, mut rng) = ((0..count).collect::<Vec<_>>(), Rng(seed));
    let mut recalls = Vec::new();
    for batch in 0..2 * count / 128 {
        for _ in 0..128 {
            let document = rng.below(count);
            filled.replace(versions[document]);
            versions[document] = filled.groups.len() - 1;
        }
        filled.in_haste(120);
        filled.index.maintain_in_haste(64);
        filled.index.sweep_overdue(256);
        if batch % one_in == 0 {
            let params = search(K, &filled.alive, filled.alive.len());
            let queries = queries(&mut filled, 4);
            let all = queries.iter().map(|query| &query.vector);
            recalls.extend(all.map(|query| recall(&filled, query, &params, &filled.alive)));
        }
    }
    let mean = recalls.iter().sum::<f64>() / recalls.len() as f64;
    let worst = recalls.iter().copied().fold(1.0, f64::min);
    assert!(
        mean >= RECALL_MIN && worst >= WORST_MIN,
        "seed {seed}: {mean:.4}, worst {worst:.1}"
    );
}

#[test]
fn documents_are_found_while_they_are_replaced_in_any_order() {
    let seed = number("PELORUS_FILTER_SEED").unwrap_or(7);
    let count = number("PELORUS_FILTER_VECTORS").unwrap_or(16_000) as usize;
    let clumps = Filled::new(Set::all(seed).swap_remove(0));
    assert_found_while_replaced(clumps, count, seed, 4);
}

#[test]
fn a_graph_of_few_links_keeps_its_ways_to_each_clump_while_documents_are_replaced() {
    let seed = number("PELORUS_FILTER_SEED").unwrap_or(6);
    let clumps = Set::all(seed).swap_remove(0);
    let few = HnswParams {
        m: 4,
        ef_construction: 40,
        ..params(clumps.dim, Metric::Euclidean)
    };
    assert_found_while_replaced(Filled::with(clumps, few), 10_000, seed, 1);
}
