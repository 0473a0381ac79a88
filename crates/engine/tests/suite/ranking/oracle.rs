//! Rankings by the plain formulas, document by document, over whole lists.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use serde_json::Value;

use super::DATES;

/// A ranked document by its place in the catalogue.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ranked {
    pub doc: usize,
    pub score: f64,
}

/// The subject of the formulas: documents, and how both legs rank them by themselves.
pub struct Oracle<'a> {
    pub documents: &'a [Value],
    /// All with a vector, nearest first.
    pub tensor: Vec<Ranked>,
    /// All with a word of the query, by BM25, equal ones in the order of the catalogue.
    pub lexical: Vec<Ranked>,
    pub plan: &'a Value,
}

/// The counts in an answer besides its hits.
#[derive(Debug, Default, PartialEq)]
pub struct Counts {
    pub sort_candidates: Option<usize>,
    pub probe: Option<usize>,
    pub relevant: Option<usize>,
    /// Hits that a cut-off leaves.
    pub left: Option<usize>,
    /// All hits, where those are counted.
    pub total: Option<usize>,
    /// Those with a number to count, where these are.
    pub numbers: Option<usize>,
}

/// The number of a document in a field, or in the entry of a map behind a point.
pub fn number<'a>(document: &'a Value, field: &str) -> Option<&'a Value> {
    let value = match field.split_once('.') {
        Some((map, key)) => &document[map][key],
        None => &document[field],
    };
    value.is_number().then_some(value)
}

/// The date that a document has in a field: seconds since 1970, and nanoseconds behind these.
fn date(document: &Value, field: &str) -> Option<(i64, u32)> {
    if let Some(text) = document[field].as_str() {
        return DATES.iter().find(|(date, _)| *date == text)?.1;
    }
    let number = number(document, field)?.as_f64().unwrap();
    // No number of these documents is of milliseconds that are a date.
    let is_date = number.abs() < 1e10;
    is_date.then(|| {
        (
            number.floor() as i64,
            ((number - number.floor()) * 1e9) as u32,
        )
    })
}

/// Compares two values by a field of a sort.
fn order_of<T>(
    key: &Value,
    values: (Option<T>, Option<T>),
    compare: impl Fn(&T, &T) -> Ordering,
) -> Ordering {
    match values {
        (Some(a), Some(b)) => {
            let order = compare(&a, &b);
            match key["descending"] == true {
                true => order.reverse(),
                false => order,
            }
        }
        (None, None) => Ordering::Equal,
        (missing, _) => match missing.is_none() == (key["missingFirst"] == true) {
            true => Ordering::Less,
            false => Ordering::Greater,
        },
    }
}

fn by_score(list: &mut [Ranked]) {
    list.sort_by(|a, b| b.score.total_cmp(&a.score));
}

impl Oracle<'_> {
    fn modified(&self, modifiers: &Value, doc: usize, score: f64) -> f64 {
        let value = |field: &str| number(&self.documents[doc], field)?.as_f64();
        let weighted = |list: &str| {
            let mut weights: Vec<(&str, f64)> = Vec::new();
            for modifier in modifiers[list].as_array().unwrap() {
                let field = modifier["field"].as_str().unwrap();
                let weight = modifier["weight"].as_f64().unwrap();
                match weights.iter_mut().find(|(known, _)| *known == field) {
                    Some(known) => known.1 = weight,
                    None => weights.push((field, weight)),
                }
            }
            let values = weights.into_iter();
            let values = values.filter_map(|(field, weight)| Some(weight * value(field)?));
            values.collect::<Vec<f64>>()
        };
        let factor: f64 = weighted("multiply").iter().product();
        let sum = weighted("add").iter().fold(0.0, |sum, value| sum + value);
        score * factor + sum
    }

    /// The recency of a document, by the table of the reference.
    pub fn recency(&self, doc: usize) -> f64 {
        let recency = &self.plan["recency"];
        let slope = |name: &str| {
            let part = |member: &str| recency[name][member].as_f64().unwrap();
            (part("scaleSeconds"), part("offsetSeconds"), part("floor"))
        };
        let (scale, offset, floor) = slope("decay");
        let field = recency["field"].as_str().unwrap();
        let document = &self.documents[doc];
        let timestamp = match document[field].is_string() {
            true => date(document, field)
                .map(|(seconds, nanos)| seconds as f64 + f64::from(nanos) / 1e9),
            false => number(document, field).and_then(Value::as_f64),
        };
        let Some(timestamp) = timestamp.filter(|&timestamp| timestamp != 0.0) else {
            return floor;
        };
        let age = recency["centerSeconds"].as_f64().unwrap() - timestamp;
        if age >= offset + scale {
            return floor;
        }
        if age >= offset {
            return falloff(&recency["decay"]["falloff"], age - offset, scale, floor);
        }
        if recency["growth"].is_null() {
            return 1.0;
        }
        let (scale, offset, floor) = slope("growth");
        match -age {
            ahead if ahead <= offset => 1.0,
            ahead if ahead <= offset + scale => {
                falloff(&recency["growth"]["falloff"], ahead - offset, scale, floor)
            }
            _ => floor,
        }
    }

    /// The score after a stage.
    fn staged(&self, modifiers: &Value, stage: &str, hit: Ranked) -> f64 {
        let mut score = hit.score;
        if !modifiers.is_null() {
            score = self.modified(modifiers, hit.doc, score);
        }
        let recency = &self.plan["recency"];
        if recency[stage] == true {
            let value = self.recency(hit.doc);
            score = match recency["addToScoreWeight"].as_f64() {
                Some(weight) => score + value * weight,
                None => score * value,
            };
        }
        score
    }

    /// A score as its hit shows it.
    pub fn shown(&self, score: f64) -> f64 {
        let leg = &self.plan[self.plan["rankingMethod"].as_str().unwrap()];
        let is_modified = !leg["scoreModifiers"].is_null() || !self.plan["rescoring"].is_null();
        if is_modified { score.max(0.0) } else { score }
    }

    fn changes(&self, modifiers: &Value, stage: &str) -> bool {
        !modifiers.is_null() || self.plan["recency"][stage] == true
    }

    /// Tells whether hits are grouped: the rank tells the best of each group, and documents are cut off behind that.
    fn is_grouped(&self) -> bool {
        !self.plan["collapse"].is_null()
    }

    /// The group of a document, where hits are grouped.
    fn group(&self, doc: usize) -> Option<&str> {
        let collapse = &self.plan["collapse"];
        let field = collapse["field"].as_str()?;
        self.documents[doc][field].as_str()
    }

    fn is_one(&self, a: &Ranked, b: &Ranked) -> bool {
        a.doc == b.doc
            || self
                .group(a.doc)
                .is_some_and(|group| self.group(b.doc) == Some(group))
    }

    /// The first of each group.
    fn collapsed(&self, list: Vec<Ranked>) -> Vec<Ranked> {
        let mut kept: Vec<Ranked> = Vec::new();
        for hit in list {
            if !kept.iter().any(|other| self.is_one(other, &hit)) {
                kept.push(hit);
            }
        }
        kept
    }

    fn tensor_leg(&self, cap: usize) -> Vec<Ranked> {
        let modifiers = &self.plan["tensor"]["scoreModifiers"];
        let mut list = self.tensor.clone();
        for hit in &mut list {
            hit.score = self.staged(modifiers, "tensor", *hit);
        }
        if self.changes(modifiers, "tensor") {
            by_score(&mut list);
        }
        let mut list = self.collapsed(list);
        list.truncate(cap);
        list
    }

    fn lexical_leg(&self, cap: usize) -> Vec<Ranked> {
        let leg = &self.plan["lexical"];
        let modifiers = &leg["scoreModifiers"];
        let mut list = self.lexical.clone();
        if self.changes(modifiers, "lexical") {
            let count = leg["modifiedCount"].as_u64().unwrap_or(u64::MAX) as usize;
            let (best, _) = list.split_at_mut(count.min(self.lexical.len()));
            for hit in &mut *best {
                hit.score = self.staged(modifiers, "lexical", *hit);
            }
            if leg["modifiedCount"].is_null() {
                best.sort_by_key(|hit| hit.doc);
            }
            by_score(best);
        }
        let mut list = self.collapsed(list);
        list.truncate(cap);
        list
    }

    /// Everything that the legs find up to their caps, ranked.
    fn pool(&self, tensor: usize, lexical: usize) -> Vec<Ranked> {
        let plan = self.plan;
        match (
            plan["retrievalMethod"].as_str().unwrap(),
            plan["rankingMethod"].as_str().unwrap(),
        ) {
            ("tensor", "tensor") => self.tensor_leg(tensor),
            ("lexical", "lexical") => self.lexical_leg(lexical),
            ("tensor", "lexical") => {
                let mut list = self.tensor.clone();
                if !self.is_grouped() {
                    list.truncate(tensor);
                }
                for hit in &mut list {
                    let found = self.lexical.iter().find(|found| found.doc == hit.doc);
                    hit.score = found.map_or(0.0, |found| found.score);
                    hit.score = self.staged(&plan["lexical"]["scoreModifiers"], "lexical", *hit);
                }
                by_score(&mut list);
                let mut list = self.collapsed(list);
                list.truncate(tensor);
                list
            }
            ("lexical", "tensor") => self.lexical_by_distance(lexical),
            _ => self.fused(&self.tensor_leg(tensor), &self.lexical_leg(lexical)),
        }
    }

    fn lexical_by_distance(&self, cap: usize) -> Vec<Ranked> {
        let modifiers = &self.plan["lexical"]["scoreModifiers"];
        let mut found = self.lexical.clone();
        if !modifiers.is_null() {
            for hit in &mut found {
                hit.score = self.modified(modifiers, hit.doc, hit.score);
            }
            found.sort_by_key(|hit| hit.doc);
            by_score(&mut found);
        }
        if !self.is_grouped() {
            found.truncate(cap);
        }
        let is_found = |hit: &&Ranked| found.iter().any(|other| other.doc == hit.doc);
        let mut list: Vec<Ranked> = self.tensor.iter().filter(is_found).copied().collect();
        for hit in found {
            if !list.iter().any(|near| near.doc == hit.doc) {
                list.push(Ranked { score: 0.0, ..hit });
            }
        }
        let modifiers = &self.plan["tensor"]["scoreModifiers"];
        for hit in &mut list {
            hit.score = self.staged(modifiers, "tensor", *hit);
        }
        by_score(&mut list);
        let mut list = self.collapsed(list);
        list.truncate(cap);
        list
    }

    /// Reciprocal ranks add up inside the window, beyond it the better one counts.
    fn fused(&self, tensor: &[Ranked], lexical: &[Ranked]) -> Vec<Ranked> {
        const WINDOW: usize = 60;
        let rrf = &self.plan["rrf"];
        let (alpha, k) = (rrf["alpha"].as_f64().unwrap(), rrf["k"].as_f64().unwrap());
        let place = |list: &[Ranked], weight: f64, doc: usize| {
            list.iter().position(|hit| weight > 0.0 && hit.doc == doc)
        };
        let share = |weight: f64, place: Option<usize>| {
            place.map_or(0.0, |place| weight / (k + (place + 1) as f64))
        };
        let mut by_doc: BTreeMap<usize, (f64, (bool, usize))> = BTreeMap::new();
        for doc in tensor.iter().chain(lexical).map(|hit| hit.doc) {
            let places = (place(tensor, alpha, doc), place(lexical, 1.0 - alpha, doc));
            let shares = (share(alpha, places.0), share(1.0 - alpha, places.1));
            let entry = match places {
                (Some(near), Some(word)) if near < WINDOW && word < WINDOW => {
                    (shares.0 + shares.1, (false, near))
                }
                (Some(near), None) => (shares.0, (false, near)),
                (Some(near), Some(_)) if shares.0 >= shares.1 => (shares.0, (false, near)),
                (_, Some(word)) => (shares.1, (true, word)),
                (None, None) => continue,
            };
            by_doc.insert(doc, entry);
        }
        // The document of the words takes a group's place only where it is the better of the two.
        let scores: Vec<(Ranked, bool)> = by_doc
            .iter()
            .map(|(&doc, &(score, (of_words, _)))| (Ranked { doc, score }, of_words))
            .collect();
        by_doc.retain(|&doc, &mut (score, (of_words, _))| {
            let hit = Ranked { doc, score };
            !scores.iter().any(|(other, other_of_words)| {
                other.doc != doc
                    && self.is_one(other, &hit)
                    && match (of_words, other_of_words) {
                        (true, false) => score <= other.score,
                        _ => other.score > score,
                    }
            })
        });
        let mut entries: Vec<_> = by_doc.into_iter().collect();
        entries.sort_by(|(_, a), (_, b)| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        entries
            .into_iter()
            .map(|(doc, (score, _))| Ranked { doc, score })
            .collect()
    }

    /// Scores of the probe, best first, and how many of them are relevant.
    fn probe(&self) -> (usize, usize) {
        let cutoff = &self.plan["relevanceCutoff"];
        let depth = cutoff["probeDepth"].as_u64().unwrap() as usize;
        let scores: Vec<f64> = self
            .collapsed(self.lexical.clone())
            .iter()
            .take(depth)
            .map(|hit| hit.score)
            .collect();
        if scores.is_empty() {
            return (0, 0);
        }
        let n = scores.len() as f64;
        let factor = cutoff["factor"].as_f64().unwrap();
        let least = match cutoff["method"].as_str().unwrap() {
            "relativeMaxScore" => scores[0] * factor,
            "meanStdDev" => {
                let mean = scores.iter().sum::<f64>() / n;
                let squares: f64 = scores.iter().map(|score| (score - mean).powi(2)).sum();
                mean + factor * (squares / (n - 1.0).max(1.0)).sqrt()
            }
            _ => {
                let mut gaps: Vec<(f64, usize)> = (1..scores.len())
                    .map(|at| (scores[at - 1] - scores[at], at))
                    .collect();
                gaps.sort_by(|a, b| b.0.total_cmp(&a.0));
                let count = gaps.first().map_or(1, |&(_, at)| at);
                return (scores.len(), count);
            }
        };
        // The mean of equal scores differs from them by rounding.
        let count = scores
            .iter()
            .filter(|&&score| score >= least - 1e-12)
            .count();
        (scores.len(), count)
    }

    /// Compares two documents by the fields of the plan's sort.
    pub fn order(&self, a: &Ranked, b: &Ranked) -> Ordering {
        for key in self.plan["sort"]["fields"].as_array().unwrap() {
            let field = key["field"].as_str().unwrap();
            let (a, b) = (&self.documents[a.doc], &self.documents[b.doc]);
            let order = match key["dates"] == true {
                true => order_of(key, (date(a, field), date(b, field)), Ord::cmp),
                false => order_of(key, (number(a, field), number(b, field)), |a, b| {
                    match (a.as_i64(), b.as_i64()) {
                        (Some(a), Some(b)) => a.cmp(&b),
                        _ => a.as_f64().unwrap().total_cmp(&b.as_f64().unwrap()),
                    }
                }),
            };
            if order.is_ne() {
                return order;
            }
        }
        Ordering::Equal
    }

    /// Counts the hits that a cut-off leaves.
    fn count(&self, left: &[Ranked], counts: &mut Counts) {
        let plan = self.plan;
        counts.left = Some(left.len());
        counts.total = (plan["relevanceCutoff"]["totalsRelevant"] == true).then_some(left.len());
        let depth = plan["facets"]["maxDepth"].as_u64().unwrap_or(u64::MAX) as usize;
        let has_number = |hit: &&Ranked| number(&self.documents[hit.doc], "n").is_some();
        counts.numbers = (plan["relevanceCutoff"]["facetsRelevant"] == true)
            .then(|| left.iter().take(depth).filter(has_number).count());
    }

    /// The whole ranking as far as a page of this depth needs it, and the counts told besides.
    pub fn ranking(&self, depth: usize) -> (Vec<Ranked>, Counts) {
        let plan = self.plan;
        let mut counts = Counts::default();
        let all = usize::MAX;
        let cut = (!plan["relevanceCutoff"].is_null()).then(|| self.probe());
        if let Some((probe, relevant)) = cut {
            (counts.probe, counts.relevant) = (Some(probe), Some(relevant));
        }
        let cap_lexical = |count: usize| match plan["relevanceCutoff"]["legs"] == "tensor" {
            true => plan["relevanceCutoff"]["probeDepth"].as_u64().unwrap() as usize,
            false => count,
        };
        if !plan["sort"].is_null() {
            let candidates = plan["sort"]["candidates"].as_u64().unwrap_or(0) as usize;
            let blocks = match cut {
                Some((_, relevant)) => vec![candidates.max(relevant)],
                None => (0..8).map(|step| candidates << (2 * step)).collect(),
            };
            let mut is_first = true;
            let mut list: Vec<Ranked> = Vec::new();
            for cap in blocks {
                let lexical = if cut.is_some() { cap_lexical(cap) } else { cap };
                let mut pool = self.pool(cap, lexical);
                pool.retain(|hit| !list.iter().any(|known| self.is_one(known, hit)));
                if plan["relevanceCutoff"]["sortsRelevant"] == true {
                    pool.truncate(cap);
                }
                if cut.is_some() {
                    self.count(&pool, &mut counts);
                }
                if std::mem::take(&mut is_first) {
                    let sorted = plan["sort"]["depth"].as_u64().unwrap_or(u64::MAX) as usize;
                    let sorted = sorted.min(pool.len());
                    pool[..sorted].sort_by(|a, b| self.order(a, b));
                    counts.sort_candidates = Some(pool.len());
                }
                list.extend(pool);
                if list.len() >= depth {
                    break;
                }
            }
            for (place, hit) in list.iter_mut().enumerate() {
                hit.score = 1.0 / (place + 1) as f64;
            }
            return (list, counts);
        }
        let mut list = match cut {
            Some((_, relevant)) => self.pool(relevant, cap_lexical(relevant)),
            None => self.pool(all, all),
        };
        if cut.is_some() {
            self.count(&list, &mut counts);
        }
        let modifiers = &plan["rescoring"]["scoreModifiers"];
        if self.changes(modifiers, "fused") {
            let count = plan["rescoring"]["depth"].as_u64().unwrap_or(u64::MAX) as usize;
            for hit in list.iter_mut().take(count) {
                hit.score = self.staged(modifiers, "fused", *hit);
            }
            by_score(&mut list);
        }
        (list, counts)
    }
}

fn falloff(function: &Value, age: f64, scale: f64, floor: f64) -> f64 {
    let part = age / scale;
    let value = match function.as_str().unwrap() {
        "exponential" => floor.powf(part),
        "linear" => 1.0 - (1.0 - floor) * part,
        "gaussian" => floor.powf(part * part),
        _ if age < scale => 1.0,
        _ => floor,
    };
    value.max(floor)
}
