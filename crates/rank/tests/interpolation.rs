//! The documented numbers and messages of combining vectors, and the rules for any vectors.

use std::f32::consts::FRAC_1_SQRT_2;

use pelorus_rank::{Interpolation, InterpolationError, interpolate};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

fn combine(
    method: Interpolation,
    vectors: &[(&[f32], f64)],
) -> Result<Vec<f32>, InterpolationError> {
    let (vectors, weights): (Vec<&[f32]>, Vec<f64>) = vectors.iter().copied().unzip();
    interpolate(method, &vectors, &weights)
}

#[track_caller]
fn close(received: &[f32], expected: &[f32]) {
    let near = received
        .iter()
        .zip(expected)
        .all(|(r, e)| (r - e).abs() < 1e-6);
    assert!(
        received.len() == expected.len() && near,
        "{received:?} is not {expected:?}"
    );
}

#[track_caller]
fn message(method: Interpolation, vectors: &[(&[f32], f64)]) -> String {
    combine(method, vectors).expect_err("refused").to_string()
}

const X: &[f32] = &[1.0, 0.0];
const Y: &[f32] = &[0.0, 1.0];
const ZERO: &[f32] = &[0.0, 0.0];

#[test]
fn slerp_gives_the_documented_values() {
    let slerp = |vectors: &[_]| combine(Interpolation::Slerp, vectors).expect("an arc");
    close(
        &slerp(&[(X, 1.0), (Y, 1.0)]),
        &[FRAC_1_SQRT_2, FRAC_1_SQRT_2],
    );
    close(&slerp(&[(X, 3.0), (Y, 1.0)]), &[0.923_879_5, 0.382_683_4]);
    close(&slerp(&[(X, -2.0)]), X);
}

#[test]
fn slerp_pairs_neighbours_and_lifts_the_odd_one() {
    // Level 1: (X, X) with weight 1, and Y with weight 1 as it was. Level 2: half way.
    let odd = combine(Interpolation::Slerp, &[(X, 1.0), (X, 1.0), (Y, 1.0)]).expect("an arc");
    close(&odd, &[FRAC_1_SQRT_2, FRAC_1_SQRT_2]);
    // Level 1: X with weight 2, and Y with weight 1 as it was: a third of the way.
    let thirds = combine(Interpolation::Slerp, &[(X, 3.0), (X, 1.0), (Y, 1.0)]).expect("an arc");
    close(&thirds, &[0.866_025_4, 0.5]);
}

#[test]
fn opposite_vectors_meet_on_the_line_between_them() {
    let back: &[f32] = &[-1.0, 0.0];
    close(
        &combine(Interpolation::Slerp, &[(X, 3.0), (back, 1.0)]).expect("a line"),
        &[0.5, 0.0],
    );
}

#[test]
fn lerp_divides_by_the_absolute_weights() {
    let lerp = |vectors: &[_]| combine(Interpolation::Lerp, vectors).expect("a sum");
    close(&lerp(&[(X, 1.0), (Y, 3.0)]), &[0.25, 0.75]);
    close(&lerp(&[(X, 1.0), (Y, -3.0)]), &[0.25, -0.75]);
    close(&lerp(&[(X, f64::MAX), (Y, f64::MAX)]), &[0.5, 0.5]);
}

#[test]
fn nlerp_has_unit_length() {
    close(
        &combine(Interpolation::Nlerp, &[(X, 3.0), (Y, 4.0)]).expect("a direction"),
        &[0.6, 0.8],
    );
}

#[test]
fn refusals_carry_the_documented_text() {
    use Interpolation::{Lerp, Nlerp, Slerp};
    let lerp_zero = "All weights are zero. LERP cannot interpolate vectors with all zero weights.";
    assert_eq!(message(Lerp, &[(X, 0.0), (Y, 0.0)]), lerp_zero);
    assert_eq!(message(Nlerp, &[(X, 0.0)]), lerp_zero);
    let slerp_zero =
        "All weights are zero. SLERP cannot interpolate vectors with all zero weights.";
    assert_eq!(message(Slerp, &[(X, 0.0), (Y, 0.0)]), slerp_zero);
    assert_eq!(message(Slerp, &[(X, 0.0), (Y, 0.0), (X, 1.0)]), slerp_zero);
    assert_eq!(
        message(Nlerp, &[(X, 1.0), (X, -1.0)]),
        "Interpolated vector has zero magnitude. Cannot normalize a vector with zero magnitude"
    );
    assert_eq!(
        combine(Slerp, &[(X, 1.0), (ZERO, 1.0)]),
        Err(InterpolationError::ZeroVector)
    );
}

fn unit_vectors() -> impl Strategy<Value = Vec<(Vec<f32>, f64)>> {
    let vector = prop::collection::vec(-1.0_f32..1.0, 4)
        .prop_filter("a direction", |v| {
            v.iter().map(|x| x * x).sum::<f32>() > 1e-2
        })
        .prop_map(|v| {
            let norm = v.iter().map(|x| x * x).sum::<f32>().sqrt();
            v.into_iter().map(|x| x / norm).collect()
        });
    prop::collection::vec((vector, 0.1_f64..10.0), 1..7)
}

proptest! {
    #![proptest_config(ProptestConfig {
        rng_seed: RngSeed::Fixed(0x70e1_0515),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn scaling_all_weights_changes_nothing(vectors in unit_vectors(), factor in 1e-3_f64..1e3) {
        for method in [Interpolation::Lerp, Interpolation::Nlerp, Interpolation::Slerp] {
            let plain: Vec<(&[f32], f64)> = vectors.iter().map(|(v, w)| (&v[..], *w)).collect();
            let scaled: Vec<(&[f32], f64)> =
                vectors.iter().map(|(v, w)| (&v[..], w * factor)).collect();
            let (plain, scaled) = (combine(method, &plain), combine(method, &scaled));
            for (a, b) in plain.expect("positive").iter().zip(scaled.expect("positive")) {
                prop_assert!((a - b).abs() < 1e-4, "{method:?}: {a} and {b}");
            }
        }
    }

    #[test]
    fn an_arc_between_two_unit_vectors_stays_on_the_sphere(
        vectors in unit_vectors().prop_filter("a pair", |v| v.len() == 2),
    ) {
        let pair: Vec<(&[f32], f64)> = vectors.iter().map(|(v, w)| (&v[..], *w)).collect();
        let between = combine(Interpolation::Slerp, &pair).expect("positive");
        let norm = between.iter().map(|x| x * x).sum::<f32>().sqrt();
        prop_assert!((norm - 1.0).abs() < 1e-3, "{norm}");
    }
}
