//! Every space type, from index settings to scores, against brute force in 64 bits.

use std::collections::HashMap;

use crate::support::{Fixture, definition, tensor_leg};
use pelorus_hnsw::Metric;
use pelorus_random::SplitMix64;
use serde_json::{Value, json};

const DOCUMENTS: usize = 300;

/// The documented closeness of a vector to a query.
type Score = fn(&[f64], &[f64]) -> f64;

fn dot(q: &[f64], x: &[f64]) -> f64 {
    q.iter().zip(x).map(|(q, x)| q * x).sum()
}

fn cosine(q: &[f64], x: &[f64]) -> f64 {
    dot(q, x) / (dot(q, q) * dot(x, x)).sqrt()
}

fn differences(q: &[f64], x: &[f64]) -> impl Iterator<Item = f64> {
    q.iter().zip(x).map(|(q, x)| (q - x).abs())
}

/// The spherical law of cosines, unlike the haversine formula of the code under test.
fn kilometres(q: &[f64], x: &[f64]) -> f64 {
    let [a, b, c, d] = [q[0], q[1], x[0], x[1]].map(f64::to_radians);
    6371.0088 * (a.sin() * c.sin() + a.cos() * c.cos() * (b - d).cos()).acos()
}

fn closeness(distance: f64) -> f64 {
    1.0 / (1.0 + distance)
}

fn angular(q: &[f64], x: &[f64]) -> f64 {
    closeness(cosine(q, x).acos())
}

fn euclidean(q: &[f64], x: &[f64]) -> f64 {
    closeness(differences(q, x).map(|d| d * d).sum::<f64>().sqrt())
}

/// The components that vectors of a space have; `at` counts them.
fn component(space: &str, at: usize, random: f32) -> f32 {
    match space {
        "geodegrees" => [180.0, 360.0][at % 2] * (random - 0.5),
        "hamming" => (random * 3.0).floor(),
        _ => random - 0.5,
    }
}

fn vector(space: &str, dimensions: usize, seed: usize) -> Vec<f32> {
    let mut random = SplitMix64(seed as u64);
    let mut vector: Vec<f32> = (0..dimensions)
        .map(|at| component(space, at, random.unit()))
        .collect();
    if space == "prenormalized-angular" {
        let norm = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
        vector.iter_mut().for_each(|x| *x /= norm);
    }
    vector
}

fn wide(vector: &[f32]) -> Vec<f64> {
    vector.iter().map(|x| f64::from(*x)).collect()
}

fn index_of(space: &str, dimensions: usize) -> Fixture {
    let fixture = Fixture::new();
    let graph = json!({"spaceType": space, "parameters": {"efConstruction": 64, "m": 1}});
    let changes = json!({"dimensions": dimensions, "annParameters": graph,
                         "normalizeEmbeddings": false});
    let engine = &fixture.engine;
    engine.create_index("s", &definition(changes)).unwrap();
    let document = |n: usize| {
        json!({"_id": format!("{n}"), "odd": n % 2 == 1,
               "v": {"vector": vector(space, dimensions, n)}})
    };
    let answer = fixture.add(
        "s",
        json!({"documents": (0..DOCUMENTS).map(document).collect::<Vec<_>>(),
               "tensorFields": ["v"], "mappings": {"v": {"type": "custom_vector"}}}),
    );
    assert_eq!(answer["errors"], false, "{answer}");
    fixture
}

/// The hits are those of the highest scores, each with its own score. Equal scores may stand in
/// any order.
fn check(answer: &Value, scores: &HashMap<String, f64>, limit: usize, case: &str) {
    let mut best: Vec<f64> = scores.values().copied().collect();
    best.sort_by(|a, b| b.total_cmp(a));
    let hits = answer["hits"].as_array().unwrap();
    assert_eq!(hits.len(), limit.min(scores.len()), "{case}");
    for (hit, best) in hits.iter().zip(best) {
        let own = scores[hit["_id"].as_str().unwrap()];
        let found = hit["_score"].as_f64().unwrap();
        for expected in [own, best] {
            let near = (found - expected).abs() <= 2e-5 * expected.abs().max(0.05);
            assert!(near, "{case}: {found}, not {expected}");
        }
    }
}

#[test]
fn every_space_type_scores_as_documented() {
    let spaces: [(&str, usize, Score); 10] = [
        ("prenormalized-angular", 6, |q, x| {
            1.0 / (2.0 - cosine(q, x))
        }),
        ("angular", 6, angular),
        ("cosinesimil", 6, angular),
        ("euclidean", 6, euclidean),
        ("l2", 6, euclidean),
        ("dotproduct", 6, dot),
        ("geodegrees", 2, |q, x| closeness(kilometres(q, x))),
        ("hamming", 12, |q, x| {
            closeness(differences(q, x).filter(|d| *d > 0.0).count() as f64)
        }),
        ("l1", 6, |q, x| closeness(differences(q, x).sum())),
        ("linf", 6, |q, x| {
            closeness(differences(q, x).fold(0.0, f64::max))
        }),
    ];
    for metric in Metric::ALL {
        assert!(
            spaces.iter().any(|(space, ..)| *space == metric.name()),
            "{metric}"
        );
    }
    for (space, dimensions, score) in spaces {
        let mut fixture = index_of(space, dimensions);
        for round in 0..2 {
            let query = vector(space, dimensions, 10_000 + round);
            for (filter, approximate) in [(None, true), (Some("odd:true"), true), (None, false)] {
                let scores: HashMap<String, f64> = (0..DOCUMENTS)
                    .filter(|n| filter.is_none() || n % 2 == 1)
                    .map(|n| {
                        let x = wide(&vector(space, dimensions, n));
                        (format!("{n}"), score(&wide(&query), &x))
                    })
                    .collect();
                let mut tensor = tensor_leg();
                tensor["approximate"] = json!(approximate);
                let plan = json!({"limit": 40, "filter": filter, "tensor": tensor});
                let answer = fixture.search("s", plan, &query);
                check(
                    &answer,
                    &scores,
                    40,
                    &format!("{space}, {filter:?}, round {round}"),
                );
            }
            fixture = fixture.reopen();
        }
    }
}
