//! Comparing integers with floats without rounding either.

use pelorus_filter::End;

use crate::Number;

/// 2^63, the first float past every `i64`.
const PAST_I64: f64 = 9_223_372_036_854_775_808.0;

/// The range of no integer.
const EMPTY: (i64, i64) = (i64::MAX, i64::MIN);

/// The integers within inclusive limits, as an inclusive range that may be empty.
pub(crate) fn int_range(lower: Option<Number>, upper: Option<Number>) -> (i64, i64) {
    let lower = match lower {
        None => i64::MIN,
        Some(Number::Int(int)) => int,
        Some(Number::Float(float)) if float >= PAST_I64 => return EMPTY,
        // Casting saturates at the least integer.
        Some(Number::Float(float)) => float.ceil() as i64,
    };
    let upper = match upper {
        None => i64::MAX,
        Some(Number::Int(int)) => int,
        Some(Number::Float(float)) if float < -PAST_I64 => return EMPTY,
        Some(Number::Float(float)) => float.floor() as i64,
    };
    (lower, upper)
}

/// The same for floats: limits that no float between them and the exact ones can fall beyond.
pub(crate) fn float_range(lower: Option<Number>, upper: Option<Number>) -> (f64, f64) {
    let lower = match lower {
        None => f64::NEG_INFINITY,
        Some(Number::Float(float)) => float,
        Some(Number::Int(int)) => {
            let near = int as f64;
            if (near as i128) < i128::from(int) {
                near.next_up()
            } else {
                near
            }
        }
    };
    let upper = match upper {
        None => f64::INFINITY,
        Some(Number::Float(float)) => float,
        Some(Number::Int(int)) => {
            let near = int as f64;
            if near as i128 > i128::from(int) {
                near.next_down()
            } else {
                near
            }
        }
    };
    (lower, upper)
}

/// The integers beyond a limit, from an end on that it does not belong to, as an inclusive range that may be empty.
pub(crate) fn ints_beyond(limit: Number, end: End) -> (i64, i64) {
    match end {
        End::Lower => match int_range(None, Some(limit)) {
            EMPTY => (i64::MIN, i64::MAX),
            (_, i64::MAX) => EMPTY,
            (_, within) => (within + 1, i64::MAX),
        },
        End::Upper => match int_range(Some(limit), None) {
            EMPTY => (i64::MIN, i64::MAX),
            (i64::MIN, _) => EMPTY,
            (within, _) => (i64::MIN, within - 1),
        },
    }
}

/// The same for floats.
pub(crate) fn floats_beyond(limit: Number, end: End) -> (f64, f64) {
    match end {
        End::Lower => (float_range(None, Some(limit)).1.next_up(), f64::INFINITY),
        End::Upper => (
            f64::NEG_INFINITY,
            float_range(Some(limit), None).0.next_down(),
        ),
    }
}

/// The float that equals `int`, if there is one.
pub(crate) fn exact_float(int: i64) -> Option<f64> {
    let near = int as f64;
    (near as i128 == i128::from(int)).then_some(near)
}

#[cfg(test)]
mod tests {
    use std::cmp::Ordering;

    use proptest::prelude::*;
    use proptest::test_runner::RngSeed;

    use super::*;

    /// Integer against float by integer part, then fraction; floats past 2^100 by sign alone.
    fn compare(int: i64, float: f64) -> Ordering {
        if float.abs() > 2_f64.powi(100) {
            return 0.0.partial_cmp(&float).expect("finite");
        }
        let whole = float.floor();
        i128::from(int)
            .cmp(&(whole as i128))
            .then(if float > whole {
                Ordering::Less
            } else {
                Ordering::Equal
            })
    }

    fn int() -> impl Strategy<Value = i64> {
        let edges = [
            i64::MIN,
            i64::MIN + 1,
            -1,
            0,
            1,
            1 << 53,
            (1 << 53) + 1,
            i64::MAX - 1,
            i64::MAX,
        ];
        prop_oneof![
            prop::sample::select(edges.to_vec()),
            any::<i64>(),
            -5..5_i64
        ]
    }

    fn float() -> impl Strategy<Value = f64> {
        let edges = [
            PAST_I64,
            -PAST_I64,
            PAST_I64.next_down(),
            (-PAST_I64).next_down(),
            0.5,
            -0.5,
        ];
        prop_oneof![
            prop::sample::select(edges.to_vec()),
            int().prop_map(|int| int as f64),
            prop::num::f64::NORMAL,
            -5.0..5.0,
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig {
            cases: 4000,
            rng_seed: RngSeed::Fixed(0x70e1_0515),
            failure_persistence: None,
            ..ProptestConfig::default()
        })]

        #[test]
        fn integers_meet_float_limits_exactly(int in int(), float in float()) {
            let order = compare(int, float);
            let (least, _) = int_range(Some(Number::Float(float)), None);
            prop_assert_eq!(int >= least && float < PAST_I64, order != Ordering::Less);
            let (low, high) = int_range(None, Some(Number::Float(float)));
            prop_assert_eq!((low..=high).contains(&int), order != Ordering::Greater);
        }

        #[test]
        fn floats_meet_integer_limits_exactly(int in int(), float in float()) {
            let order = compare(int, float);
            let (low, _) = float_range(Some(Number::Int(int)), None);
            prop_assert_eq!(float >= low, order != Ordering::Greater);
            let (_, high) = float_range(None, Some(Number::Int(int)));
            prop_assert_eq!(float <= high, order != Ordering::Less);
        }

        #[test]
        fn just_those_not_within_a_limit_are_beyond_it(
            int in int(),
            float in float(),
            limit in prop_oneof![int().prop_map(Number::Int), float().prop_map(Number::Float)],
        ) {
            for end in [End::Lower, End::Upper] {
                let within = match end {
                    End::Lower => [None, Some(limit)],
                    End::Upper => [Some(limit), None],
                };
                let (low, high) = int_range(within[0], within[1]);
                let (least, most) = ints_beyond(limit, end);
                prop_assert_eq!((least..=most).contains(&int), !(low..=high).contains(&int));
                let (low, high) = float_range(within[0], within[1]);
                let (least, most) = floats_beyond(limit, end);
                prop_assert_eq!((least..=most).contains(&float), !(low..=high).contains(&float));
            }
        }

        #[test]
        fn equality_is_exact(int in int(), float in float()) {
            let equal = compare(int, float) == Ordering::Equal;
            prop_assert_eq!(exact_float(int) == Some(float), equal);
        }
    }
}
