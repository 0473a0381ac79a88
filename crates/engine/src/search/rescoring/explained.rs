//! Explanations of modifiers and recency for one score, step by step.

use pelorus_columns::{distance_of, field_of};
use pelorus_rank::{ScoreModifier, ScoreModifiers};

use super::{Rescoring, StageRecency};
use crate::search::explanation::{Explanation, Operation};
use crate::search::numbers::Numbers;

impl Rescoring {
    /// Explains the changes to the score of a document.
    pub fn explain(&self, numbers: &Numbers<'_>, doc: u32, score: Explanation) -> Explanation {
        let mut score = score;
        if let Some(modifiers) = &self.modifiers {
            score = self.modified(modifiers, numbers, doc, score);
        }
        if let Some(recency) = &self.recency {
            score = recency.explain(&self.fields[recency.place], numbers, doc, score);
        }
        score
    }

    fn modified(
        &self,
        modifiers: &ScoreModifiers<usize>,
        numbers: &Numbers<'_>,
        doc: u32,
        score: Explanation,
    ) -> Explanation {
        let value = self
            .modification(modifiers, numbers, doc)
            .apply(score.value);
        let weighted = |modifier: &ScoreModifier<usize>| {
            let number = self.number(numbers, modifier.field, doc)?;
            let details = vec![
                Explanation::value(modifier.weight, "weight"),
                Explanation::value(number, "value"),
            ];
            let product = Explanation::product("weight · value", details);
            Some(product.of_field(&self.fields[modifier.field]))
        };
        let factors: Vec<Explanation> = modifiers.multiply().iter().filter_map(weighted).collect();
        let addends: Vec<Explanation> = modifiers.add().iter().filter_map(weighted).collect();
        let mut modified = score;
        if !factors.is_empty() {
            let factor = Explanation::product("factor: all fields to multiply by", factors);
            modified = Explanation::product("score · factor", vec![modified, factor]);
        }
        if !addends.is_empty() {
            let sum = Explanation::sum("addend: all fields to add", addends);
            modified = Explanation::sum("score + addend", vec![modified, sum]);
        }
        modified.bounded(value, "a score is finite")
    }
}

impl StageRecency {
    fn explain(
        &self,
        field: &str,
        numbers: &Numbers<'_>,
        doc: u32,
        score: Explanation,
    ) -> Explanation {
        let value = self.apply(numbers, doc, score.value);
        let timestamp = numbers.get(self.place, doc).map(|number| number.as_f64());
        let is_distance = distance_of(field).is_some();
        let (about, read) = match is_distance {
            true => ("recency: how near the place is", "distance, in metres"),
            false => (
                "recency: how near the time is to the center",
                "time, in Unix seconds",
            ),
        };
        let mut details = Vec::new();
        details.extend(timestamp.map(|timestamp| Explanation::value(timestamp, read)));
        if !is_distance {
            let center = self.curve.center_seconds;
            details.push(Explanation::value(center, "center, in Unix seconds"));
        }
        let recency =
            Explanation::new(self.curve.at(timestamp), Operation::Recency, about, details)
                .of_field(field_of(field));
        let changed = match self.add_to_score_weight {
            Some(weight) => {
                let weight = Explanation::value(weight, "weight");
                let addend = Explanation::product("recency · weight", vec![recency, weight]);
                Explanation::sum("score + recency · weight", vec![score, addend])
            }
            None => Explanation::product("score · recency", vec![score, recency]),
        };
        changed.bounded(value, "a score is finite")
    }
}
