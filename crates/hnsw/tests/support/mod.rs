//! Data, a plain model and the comparison that the tests of this crate share.

#![allow(dead_code, reason = "each test binary uses a part")]

use std::collections::BTreeMap;

use pelorus_hnsw::{HnswParams, Metric, NumericType, VectorHit, VectorIndex, VectorSearch};
use pelorus_kernels::BitSet;
pub use pelorus_random::SplitMix64 as Rng;

/// Vectors around cluster centres, on a mean common to all.
pub struct Clustered {
    rng: Rng,
    centres: Vec<Vec<f32>>,
    mean: f32,
    unit_length: bool,
}

impl Clustered {
    pub fn new(dim: usize, seed: u64) -> Self {
        let mut rng = Rng(seed);
        let centres = (0..60)
            .map(|_| (0..dim).map(|_| rng.normal()).collect())
            .collect();
        Self {
            rng,
            centres,
            mean: 0.2,
            unit_length: true,
        }
    }

    /// The mean outweighs the differences, as with models whose vectors fill a narrow cone.
    pub fn in_a_cone(mut self) -> Self {
        self.mean = 4.0;
        self
    }

    /// Lengths differ by a factor of three.
    pub fn of_any_length(mut self) -> Self {
        self.unit_length = false;
        self
    }

    pub fn draw(&mut self) -> Vec<f32> {
        let cluster = self.rng.below(self.centres.len());
        self.draw_near(cluster)
    }

    pub fn draw_near(&mut self, cluster: usize) -> Vec<f32> {
        let (rng, mean) = (&mut self.rng, self.mean);
        let centre = &self.centres[cluster];
        let mut x: Vec<f32> = centre
            .iter()
            .map(|c| c + 0.6 * rng.normal() + mean)
            .collect();
        let length = x.iter().map(|x| x * x).sum::<f32>().sqrt();
        let target = if self.unit_length {
            1.0
        } else {
            0.5 + self.rng.unit()
        };
        x.iter_mut().for_each(|x| *x *= target / length);
        x
    }
}

pub fn params(dim: usize, metric: Metric) -> HnswParams {
    HnswParams {
        dim,
        metric,
        numeric: NumericType::Float,
        m: 16,
        ef_construction: 128,
        seed: 11,
    }
}

/// Puts everything pushed so far into the graph.
pub fn settle(index: &VectorIndex) {
    while index.maintain(1000) > 0 {}
}

/// The default search for `k` of the documents in `accept`.
pub fn search(k: usize, accept: &BitSet, live_docs: usize) -> VectorSearch {
    VectorSearch {
        k,
        watched: k,
        ef: 2000,
        stops_early: true,
        exact: false,
        approximate_threshold: None,
        accept_count: accept.len(),
        live_docs,
    }
}

pub fn exact(p: VectorSearch) -> VectorSearch {
    VectorSearch { exact: true, ..p }
}

/// The share of the exact answer's distances that the default search reaches, and a check of the
/// rules for any answer.
pub fn recall(
    index: &VectorIndex,
    queries: &[Vec<f32>],
    k: usize,
    accept: &BitSet,
    live_docs: usize,
) -> f64 {
    let p = search(k, accept, live_docs);
    let (mut found, mut wanted) = (0, 0);
    for query in queries {
        let truth = index.search(query, &exact(p.clone()), accept);
        let hits = index.search(query, &p, accept);
        assert_eq!(
            hits.len(),
            truth.len(),
            "as many distinct documents as there are"
        );
        assert_well_formed(&hits, accept);
        let bound = truth.last().map_or(f32::NEG_INFINITY, |last| last.distance);
        found += hits.iter().filter(|hit| hit.distance <= bound).count();
        wanted += truth.len();
    }
    found as f64 / wanted.max(1) as f64
}

/// Hits ascend by distance and then document, name each document once, and only accepted ones.
pub fn assert_well_formed(hits: &[VectorHit], accept: &BitSet) {
    for pair in hits.windows(2) {
        let order = pair[0]
            .distance
            .total_cmp(&pair[1].distance)
            .then(pair[0].doc.cmp(&pair[1].doc));
        assert!(order.is_lt(), "{pair:?}");
    }
    let docs: BitSet = hits.iter().map(|hit| hit.doc).collect();
    assert_eq!(docs.len(), hits.len(), "a document twice");
    assert!(
        docs.iter().all(|doc| accept.contains(doc)),
        "a document that is not accepted"
    );
}

/// The contents that an index should have: the chunks of living documents, in the order of their
/// arrival.
#[derive(Default)]
pub struct Model {
    pub chunks: Vec<(u32, u32, Vec<f32>)>,
}

impl Model {
    /// The `k` nearest accepted documents by their best chunk, computed the plain way.
    pub fn search(
        &self,
        metric: Metric,
        query: &[f32],
        k: usize,
        accept: &BitSet,
    ) -> Vec<VectorHit> {
        let mut best: BTreeMap<u32, VectorHit> = BTreeMap::new();
        for (doc, chunk, vector) in &self.chunks {
            let distance = metric.distance(query, vector);
            let hit = VectorHit {
                doc: *doc,
                chunk: *chunk,
                distance,
            };
            let kept = best.entry(*doc).or_insert(hit);
            if distance < kept.distance {
                *kept = hit;
            }
        }
        let mut hits: Vec<VectorHit> = best
            .into_values()
            .filter(|hit| accept.contains(hit.doc))
            .collect();
        hits.sort_by(|a, b| a.distance.total_cmp(&b.distance).then(a.doc.cmp(&b.doc)));
        hits.truncate(k);
        hits
    }

    pub fn docs(&self) -> BitSet {
        self.chunks.iter().map(|&(doc, _, _)| doc).collect()
    }
}
