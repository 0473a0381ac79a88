/// A numeric field of the hit and its weight; a weight may be negative.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ScoreModifier<F> {
    pub field: F,
    pub weight: f64,
}

/// The effect of modifiers on one document, whatever its score is: `score · factor + sum`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Modification {
    pub factor: f64,
    pub sum: f64,
}

impl Modification {
    /// The modification of a document that has none of the fields.
    pub const NONE: Self = Self {
        factor: 1.0,
        sum: 0.0,
    };

    /// An upper bound of `all` for scores that are not below 0: their `score · factor + sum` is not above that of the
    /// answer, whose factor is at least 0. Its sum is infinite where one is not finite.
    pub fn highest(all: &[Self]) -> Self {
        let (mut factor, mut sum) = (0.0_f64, f64::NEG_INFINITY);
        let mut are_finite = true;
        for one in all {
            are_finite &= one.factor.is_finite() && one.sum.is_finite();
            factor = factor.max(one.factor);
            sum = sum.max(one.sum);
        }
        match are_finite {
            true => Self { factor, sum },
            false => Self {
                factor: 0.0,
                sum: f64::INFINITY,
            },
        }
    }

    /// An upper bound, at least 0, for the changed value of a score that is not below 0 and not
    /// above `score`.
    #[inline]
    pub fn at_most(self, score: f64) -> f64 {
        // Undefined counts as 0 here too: the greater of 0 and NaN is 0.
        (score * self.factor.max(0.0) + self.sum).max(0.0)
    }

    /// The modified score, always finite: past the range of 64 bits it saturates, and an undefined
    /// product counts as 0. It may be below 0, and ranks by that.
    #[inline]
    pub fn apply(self, score: f64) -> f64 {
        finite(score * self.factor + self.sum)
    }
}

/// Fields that change the score of a hit:
///
/// `modified = score · M + A`, with `M` the product of `weight · value` over the multiplying fields
/// that the document has (1 when it has none), and `A` the sum of `weight · value` over the adding
/// fields that it has (0 when it has none).
///
/// `F` names a field: a `String` as requested, or whatever [`ScoreModifiers::map_fields`] resolved
/// it to, so that a scan over many hits looks each name up once.
#[derive(Debug, Clone, PartialEq)]
pub struct ScoreModifiers<F = String> {
    multiply: Vec<ScoreModifier<F>>,
    add: Vec<ScoreModifier<F>>,
}

impl<F: PartialEq> ScoreModifiers<F> {
    /// Where a list names a field twice, the last weight wins.
    pub fn new(multiply: Vec<ScoreModifier<F>>, add: Vec<ScoreModifier<F>>) -> Self {
        ScoreModifiers {
            multiply: last_wins(multiply),
            add: last_wins(add),
        }
    }
}

impl<F> ScoreModifiers<F> {
    /// Every field, multiplying ones first.
    pub fn fields(&self) -> impl Iterator<Item = &F> {
        self.multiply
            .iter()
            .chain(&self.add)
            .map(|modifier| &modifier.field)
    }

    /// Those that multiply, in the order in which they do.
    pub fn multiply(&self) -> &[ScoreModifier<F>] {
        &self.multiply
    }

    /// Those that add.
    pub fn add(&self) -> &[ScoreModifier<F>] {
        &self.add
    }

    /// The same modifiers with each field resolved by `resolve`. Fields it has no answer for are
    /// left out, as if no document had them.
    pub fn map_fields<'a, G>(
        &'a self,
        mut resolve: impl FnMut(&'a F) -> Option<G>,
    ) -> ScoreModifiers<G> {
        let mut resolved = |modifiers: &'a [ScoreModifier<F>]| {
            let kept = modifiers.iter().filter_map(|modifier| {
                let field = resolve(&modifier.field)?;
                Some(ScoreModifier {
                    field,
                    weight: modifier.weight,
                })
            });
            kept.collect()
        };
        ScoreModifiers {
            multiply: resolved(&self.multiply),
            add: resolved(&self.add),
        }
    }

    /// Computes the modification of a hit. `value` gives its number in a field, or `None`.
    pub fn modification(&self, value: impl Fn(&F) -> Option<f64>) -> Modification {
        let weighted = |modifier: &ScoreModifier<F>| {
            value(&modifier.field).map(|value| modifier.weight * value)
        };
        let mut modification = Modification::NONE;
        for value in self.multiply.iter().filter_map(weighted) {
            modification.factor *= value;
        }
        for value in self.add.iter().filter_map(weighted) {
            modification.sum += value;
        }
        modification
    }

    /// The modified score of a hit, as [`Modification::apply`] gives it.
    pub fn apply(&self, score: f64, value: impl Fn(&F) -> Option<f64>) -> f64 {
        self.modification(value).apply(score)
    }
}

fn finite(score: f64) -> f64 {
    if score.is_nan() {
        0.0
    } else {
        score.clamp(f64::MIN, f64::MAX)
    }
}

fn last_wins<F: PartialEq>(modifiers: Vec<ScoreModifier<F>>) -> Vec<ScoreModifier<F>> {
    let mut kept: Vec<ScoreModifier<F>> = Vec::with_capacity(modifiers.len());
    for modifier in modifiers {
        match kept
            .iter_mut()
            .find(|earlier| earlier.field == modifier.field)
        {
            Some(earlier) => earlier.weight = modifier.weight,
            None => kept.push(modifier),
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    fn modifier(field: &'static str, weight: f64) -> ScoreModifier<&'static str> {
        ScoreModifier { field, weight }
    }

    /// The modifiers of the recorded check: multiply mult_1 × 10 and mult_2 × -10, add add_1 × 5.
    fn recorded() -> ScoreModifiers<&'static str> {
        ScoreModifiers::new(
            vec![modifier("mult_1", 10.0), modifier("mult_2", -10.0)],
            vec![modifier("add_1", 5.0)],
        )
    }

    fn apply(modifiers: &ScoreModifiers<&str>, doc: &[(&str, f64)]) -> f64 {
        modifiers.apply(1.0, |field| {
            doc.iter()
                .find(|(name, _)| name == field)
                .map(|&(_, value)| value)
        })
    }

    #[test]
    fn scores_are_those_recorded() {
        for (doc, expected) in [
            (&[("mult_1", 3.0)] as &[_], 30.0),
            (&[("mult_1", 2.0)], 20.0),
            (&[("add_1", 1.0)], 6.0),
            (&[], 1.0),
            (&[("mult_2", 3.0)], -30.0),
        ] {
            assert_eq!(apply(&recorded(), doc), expected, "{doc:?}");
        }
    }

    #[test]
    fn multiplying_fields_multiply_each_other() {
        let doc = [("mult_1", 2.0), ("mult_2", -0.5), ("add_1", 4.0)];
        assert_eq!(apply(&recorded(), &doc), 1.0 * 20.0 * 5.0 + 20.0);
    }

    #[test]
    fn the_last_weight_of_a_field_wins() {
        let twice = ScoreModifiers::new(vec![modifier("a", 2.0), modifier("a", 7.0)], vec![]);
        assert_eq!(apply(&twice, &[("a", 1.0)]), 7.0);
    }

    #[test]
    fn scores_stay_finite() {
        let huge = ScoreModifiers::new(
            vec![
                modifier("a", f64::MAX),
                modifier("b", f64::MAX),
                modifier("c", 0.0),
            ],
            vec![],
        );
        assert_eq!(apply(&huge, &[("a", 9.0), ("b", 9.0)]), f64::MAX);
        assert_eq!(apply(&huge, &[("a", 9.0), ("b", -9.0)]), f64::MIN);
        assert_eq!(apply(&huge, &[("a", 9.0), ("b", 9.0), ("c", 1.0)]), 0.0);
    }

    #[test]
    fn zero_is_never_negative() {
        let zero = apply(&recorded(), &[("mult_2", 0.0)]);
        assert!(zero == 0.0 && zero.is_sign_positive());
    }

    #[test]
    fn resolved_fields_keep_their_weights_and_unknown_ones_go() {
        let modifiers = recorded();
        let resolved = modifiers.map_fields(|&field| match field {
            "mult_1" => Some(0_usize),
            "add_1" => Some(1),
            _ => None,
        });
        assert_eq!(resolved.fields().copied().collect::<Vec<_>>(), [0, 1]);
        let values = [3.0, 2.0];
        let modified = resolved.apply(1.0, |&at| Some(values[at]));
        assert_eq!(modified, 40.0);
    }
}
