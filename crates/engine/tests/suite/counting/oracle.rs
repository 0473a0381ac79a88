//! Facets, totals and groups by the letter of the rules: one document after the other.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

/// The facet of one field over documents; with groups, groups are counted.
pub fn facet(
    facet: &Value,
    documents: &[&Value],
    grouped: bool,
    is_structured: bool,
) -> Vec<(String, Value)> {
    let field = facet["field"].as_str().unwrap();
    let group = |document: &Value| match grouped {
        true => document["sku"].as_str().unwrap().to_owned(),
        false => document["_id"].as_str().unwrap().to_owned(),
    };
    if facet["kind"] == "number" {
        return numbers(facet, field, documents, group, grouped);
    }
    let mut counts: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for document in documents {
        let texts: Vec<&str> = match (&document[field], facet["kind"] == "array") {
            (Value::String(text), false) if is_structured || text.chars().count() <= 50 => {
                vec![text]
            }
            (Value::Array(texts), true) => texts.iter().filter_map(Value::as_str).collect(),
            _ => vec![],
        };
        for text in texts {
            counts
                .entry(text.to_owned())
                .or_default()
                .insert(group(document));
        }
    }
    let mut counts: Vec<(String, usize)> = counts
        .into_iter()
        .map(|(text, groups)| (text, groups.len()))
        .collect();
    counts.sort_by_key(|(_, count)| match facet["order"] == "asc" {
        true => *count as i64,
        false => -(*count as i64),
    });
    counts.truncate(facet["maxResults"].as_u64().unwrap() as usize);
    counts
        .into_iter()
        .map(|(text, count)| (text, json!({"count": count})))
        .collect()
}

fn numbers(
    facet: &Value,
    field: &str,
    documents: &[&Value],
    group: impl Fn(&Value) -> String,
    grouped: bool,
) -> Vec<(String, Value)> {
    let number = |document: &Value| match field.split_once('.') {
        Some((map, key)) => document[map][key].as_f64(),
        None => document[field].as_f64(),
    };
    let row = |from: f64, to: f64| {
        let within = documents.iter().filter_map(|document| {
            let number = number(document).filter(|number| from <= *number && *number < to)?;
            Some((number, group(document)))
        });
        let (numbers, groups): (Vec<f64>, BTreeSet<String>) = within.unzip();
        let (count, sum) = (numbers.len(), numbers.iter().sum::<f64>());
        let least = numbers.iter().copied().fold(f64::INFINITY, f64::min);
        let most = numbers.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        match (count, grouped) {
            (0, _) => json!({"count": 0}),
            (_, true) => json!({"count": groups.len()}),
            _ => {
                json!({"sum": sum, "avg": sum / count as f64, "min": least, "max": most, "count": count})
            }
        }
    };
    let Some(ranges) = facet["ranges"].as_array() else {
        let row = row(f64::NEG_INFINITY, f64::INFINITY);
        let members = row.as_object().unwrap().clone();
        return members.into_iter().collect();
    };
    let rows = ranges.iter().map(|range| {
        let end = |name: &str, open: f64| range[name].as_f64().unwrap_or(open);
        let row = row(end("from", f64::NEG_INFINITY), end("to", f64::INFINITY));
        (range["name"].as_str().unwrap().to_owned(), row)
    });
    rows.filter(|(_, row)| row["count"] != 0).collect()
}

/// The same numbers, whether they are written as integers or as floats.
pub fn as_floats(value: &Value) -> Value {
    match value {
        Value::Number(number) => json!(number.as_f64().unwrap()),
        Value::Object(members) => {
            let members = members
                .iter()
                .map(|(name, value)| (name.clone(), as_floats(value)));
            Value::Object(members.collect())
        }
        other => other.clone(),
    }
}

/// The first of each group.
pub fn collapse(ranking: &[usize], group: impl Fn(usize) -> String) -> Vec<usize> {
    let mut seen = BTreeSet::new();
    ranking
        .iter()
        .copied()
        .filter(|&doc| seen.insert(group(doc)))
        .collect()
}

/// Reciprocal rank fusion of two rankings that may be collapsed: documents and scores, best first.
pub fn fuse(
    near: &[usize],
    words: &[usize],
    alpha: f64,
    group: impl Fn(usize) -> String,
) -> Vec<(usize, f64)> {
    let share = |weight: f64, place: usize| weight / (60.0 + place as f64 + 1.0);
    // Document, score, and what orders equal scores.
    let mut fused: Vec<(usize, f64, (bool, usize))> = near
        .iter()
        .enumerate()
        .map(|(place, &doc)| (doc, share(alpha, place), (false, place)))
        .collect();
    for (place, &doc) in words.iter().enumerate() {
        let alone = (doc, share(1.0 - alpha, place), (true, place));
        match fused
            .iter_mut()
            .find(|(other, ..)| group(*other) == group(doc))
        {
            None => fused.push(alone),
            Some(known) if known.0 == doc && place < 60 && known.2.1 < 60 => known.1 += alone.1,
            Some(known) if alone.1 > known.1 => *known = alone,
            Some(_) => {}
        }
    }
    fused.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.2.cmp(&b.2)));
    fused
        .into_iter()
        .map(|(doc, score, _)| (doc, score))
        .collect()
}
