//! Names of fields, and scores read as distances.

use pelorus_hnsw::Metric;
use pelorus_opensearch::layout::{distance, words_path};

#[test]
fn a_name_is_a_part_of_a_path_that_no_other_name_is() {
    assert_eq!(words_path("title1"), "words.title1");
    assert_eq!(words_path("a.b"), "words.a_2eb");
    assert_eq!(words_path("a_2eb"), "words.a_5f2eb");
    assert_eq!(words_path("ä"), "words._c3_a4");
}

#[test]
fn a_score_is_read_as_the_distance_that_it_was_made_of() {
    for dot in [-3.0_f64, -0.5, 0.0, 0.25, 1.0] {
        let score = match dot >= 0.0 {
            true => 1.0 + dot,
            false => 1.0 / (1.0 - dot),
        } as f32;
        let read = distance(Metric::DotProduct, score, 1.0);
        assert!((f64::from(read) + dot).abs() < 1e-6, "{dot}: {read}");
    }
    let read = distance(Metric::Euclidean, 1.0 / (1.0 + 4.0), 1.0);
    assert!((read - 2.0).abs() < 1e-6);
    let read = distance(Metric::Angular, 0.5, 1.0);
    assert!((read - std::f32::consts::FRAC_PI_2).abs() < 1e-6);
    let read = distance(Metric::PrenormalizedAngular, 1.0 + 0.5 * 4.0, 4.0);
    assert!((read - 0.5).abs() < 1e-6);
}
