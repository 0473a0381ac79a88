//! Explanations of the scores of a page: the same stages once more, for its hits alone, term by
//! term.

use pelorus_columns::DatePart;
use pelorus_hnsw::Metric;
use pelorus_lexical::{MatchedWord, TermScore, TermShare};

use super::documents::with_numbers;
use super::explanation::{Explanation, Operation};
use super::hits::{Hit, PassedStages};
use super::late_interaction::LateRanking;
use super::legs::Legs;
use super::nearest::boosted;
use super::rescoring::Rescoring;
use super::text_ranking::SignalsOf;
use crate::error::{Result, SearchError};
use crate::generated::{FieldBoost, RankingMethod, SearchPlan, Sort, SortField};
use crate::read::response::check_answer_size;

/// Hits that are explained together: the words of a query are looked up once for all of them, and with hundreds of
/// words an explanation is a megabyte.
const TOGETHER: usize = 10;

/// Explains the score of each hit, as JSON.
pub(super) fn explain(legs: &Legs<'_>, hits: &[Hit]) -> Result<Vec<Vec<u8>>> {
    let mut written = Vec::with_capacity(hits.len());
    let mut bytes = 0;
    for some in hits.chunks(TOGETHER) {
        legs.query.cancellation.check()?;
        for explanation in explanations_of(legs, some)? {
            let mut out = Vec::new();
            explanation.write(&mut out);
            bytes += out.len();
            check_answer_size(bytes)?;
            written.push(out);
        }
    }
    debug_assert_eq!(written.len(), hits.len(), "each hit is explained");
    Ok(written)
}

/// Those of hits of which some are pinned.
fn explanations_of(legs: &Legs<'_>, hits: &[Hit]) -> Result<Vec<Explanation>> {
    let ranked = hits.iter().filter(|hit| !hit.is_pinned);
    let ranked: Vec<Hit> = ranked.cloned().collect();
    let mut explained = explanations(legs, &ranked)?.into_iter();
    let of_hit = |hit: &Hit| match hit.is_pinned {
        true => Some(Explanation::value(
            0.0,
            "pinned: no score gives it its place",
        )),
        false => explained.next(),
    };
    Ok(hits.iter().filter_map(of_hit).collect())
}

fn explanations(legs: &Legs<'_>, hits: &[Hit]) -> Result<Vec<Explanation>> {
    let plan = &legs.query.plan;
    let all: Vec<&Hit> = hits.iter().collect();
    let mut explained = match plan.ranking_method {
        RankingMethod::Tensor => tensor(legs, &all)?,
        RankingMethod::Lexical => lexical(legs, &all)?,
        RankingMethod::Rrf => fused(legs, hits)?,
    };
    let is_changed = |hit: &Hit| hit.stages.is_changed;
    explained = rescored(legs, legs.last_rescoring(), &all, explained, is_changed)?;
    if let Some(late) = &plan.late_interaction {
        explained = LateRanking::of(legs, late)?.explain(hits, explained)?;
    }
    match &plan.sort {
        Some(sort) => sorted(legs, sort, hits, explained),
        None => Ok(explained
            .into_iter()
            .map(|score| shown(plan, score))
            .collect()),
    }
}

/// A score as its hit shows it.
fn shown(plan: &SearchPlan, score: Explanation) -> Explanation {
    let value = plan.shown_score(score.value);
    score.bounded(value, "a score is not shown below 0")
}

/// The scores of the tensor leg.
fn tensor(legs: &Legs<'_>, hits: &[&Hit]) -> Result<Vec<Explanation>> {
    let metric = legs.documents.definition().metric;
    let boosts = legs.query.plan.tensor.as_ref();
    let boosts = boosts
        .and_then(|leg| leg.boosts.as_deref())
        .unwrap_or_default();
    let boost_of = |field: &str| boosts.iter().find(|boost| boost.field == field);
    let explained = hits.iter().map(|hit| {
        let nearest = hit.nearest.as_ref();
        let boost = nearest.and_then(|nearest| boost_of(&nearest.field));
        with_boost(closeness(metric, hit), boost)
    });
    let explained = explained.collect();
    let rescoring = legs.rescoring_of_tensor();
    rescored(legs, rescoring, hits, explained, |_| true)
}

/// The closeness after a boost.
fn with_boost(closeness: Explanation, boost: Option<&FieldBoost>) -> Explanation {
    let Some(FieldBoost { weight, bias, .. }) = boost else {
        return closeness;
    };
    let value = boosted(closeness.value, boost);
    let weight = Explanation::value(*weight, "weight of the field");
    let product = Explanation::product("weight · closeness", vec![weight, closeness]);
    let bias = Explanation::value(*bias, "bias of the field");
    Explanation::sum("boost: weight · closeness + bias", vec![product, bias])
        .bounded(value, "a score is finite")
}

fn closeness(metric: Metric, hit: &Hit) -> Explanation {
    let Some(nearest) = &hit.nearest else {
        return Explanation::value(0.0, "closeness: none of its vectors was searched");
    };
    let formula = match metric {
        Metric::DotProduct => "closeness: -distance",
        _ => "closeness: 1 / (1 + distance)",
    };
    let name = metric.name();
    let distance = Explanation::new(
        f64::from(nearest.distance),
        Operation::Distance,
        format!(
            "{name} distance of the query and the nearest chunk, number {}",
            nearest.chunk
        ),
        Vec::new(),
    );
    let value = f64::from(metric.score(nearest.distance));
    Explanation::new(value, Operation::Closeness, formula, vec![distance]).of_field(&nearest.field)
}

/// The scores of the lexical leg.
fn lexical(legs: &Legs<'_>, hits: &[&Hit]) -> Result<Vec<Explanation>> {
    let Some(leg) = &legs.query.plan.lexical else {
        let none = |_| Explanation::value(0.0, "no words were searched");
        return Ok(hits.iter().map(none).collect());
    };
    let mut by_doc: Vec<usize> = (0..hits.len()).collect();
    by_doc.sort_by_key(|&at| hits[at].doc);
    let docs: Vec<u32> = by_doc.iter().map(|&at| hits[at].doc).collect();
    let mut explained = vec![None; hits.len()];
    let scores: Vec<Explanation> = match &leg.sparse {
        Some(sparse) => legs.words.explain_sparse(sparse, &docs)?,
        None => {
            let scores = legs.words.explain(leg, &docs)?.into_iter();
            // A caller that is bound to a filter is told no numbers of all documents.
            let tells_counts = legs.query.plan.within.is_none();
            scores.map(|terms| bm25(terms, tells_counts)).collect()
        }
    };
    debug_assert_eq!(scores.len(), docs.len(), "each document is explained");
    for (at, score) in by_doc.into_iter().zip(scores) {
        explained[at] = Some(score);
    }
    let explained = explained.into_iter().flatten().collect();
    let is_changed = |hit: &Hit| hit.stages.is_lexical_changed;
    let rescoring = legs.rescoring_of_lexical(leg);
    let explained = rescored(legs, rescoring, hits, explained, is_changed)?;
    let Some(mut signals) = SignalsOf::leg(legs, leg)? else {
        return Ok(explained);
    };
    let hits = hits.iter().zip(explained);
    hits.map(|(hit, score)| signals.explain(hit, score))
        .collect()
}

fn bm25(scores: Vec<TermScore>, tells_counts: bool) -> Explanation {
    let sum = scores.iter().fold(0.0, |sum, term| sum + term.score);
    let details = scores.into_iter();
    let details = details.map(|term| of_term(term, tells_counts)).collect();
    let description = "BM25 of the query, in 32 bits";
    Explanation::new(f64::from(sum), Operation::Sum, description, details)
}

fn idf_of(found: &TermScore) -> Explanation {
    let (documents, matching) = (found.documents as f64, found.matching as f64);
    Explanation::new(
        found.idf,
        Operation::InverseDocumentFrequency,
        "idf: ln(1 + (documents - matching + 0.5) / (matching + 0.5))",
        vec![
            Explanation::value(documents, "documents"),
            Explanation::value(matching, "matching: documents that hold the term"),
        ],
    )
}

fn of_term(found: TermScore, tells_counts: bool) -> Explanation {
    let value = |value: f64, description: &'static str| Explanation::value(value, description);
    let idf = match tells_counts {
        true => idf_of(&found),
        false => value(found.idf, "idf: how rare the term is in the whole index"),
    };
    let count = value(
        f64::from(found.count),
        "count: how often the query names the term",
    );
    // Fields weigh 1 unless it is said.
    let weight = (found.weight != 1.0).then(|| value(found.weight, "weight of the field"));
    let weighted = |formula: &str| match found.weight != 1.0 {
        true => format!("weight · {formula}"),
        false => formula.to_owned(),
    };
    if let Some(TermShare { share, word }) = found.share {
        let description = match word {
            None => "share: the document holds the term itself".to_owned(),
            Some(matched) => share_of(&matched),
        };
        let parts = [count, idf, Explanation::value(share, description)];
        let details = weight.into_iter().chain(parts).collect();
        let formula =
            "count · idf · share, of documents with the term or a word that it stands for";
        return Explanation {
            field: Some(found.field),
            term: Some(found.term),
            ..Explanation::new(
                f64::from(found.score),
                Operation::IdfShare,
                weighted(formula),
                details,
            )
        };
    }
    let parts = [
        count,
        idf,
        value(
            found.frequency,
            "frequency: how often the field holds the term",
        ),
        value(f64::from(found.length), "length: tokens of the field"),
        value(
            found.average_length,
            "average length: mean tokens of the field",
        ),
    ];
    let details = weight.into_iter().chain(parts).collect();
    let formula = "count · idf · (k1 + 1) · frequency / (frequency + k1 · (1 - b + b · length / average length)), \
                   k1 = 1.2, b = 0.75";
    Explanation {
        field: Some(found.field),
        term: Some(found.term),
        ..Explanation::new(
            f64::from(found.score),
            Operation::Bm25,
            weighted(formula),
            details,
        )
    }
}

/// Tells the relation of a word to the one that was typed.
fn share_of(matched: &MatchedWord) -> String {
    let edits = match (matched.edits, matched.is_completed) {
        _ if matched.is_compound => "which ends with it",
        (0, false) => "which is the same in one word or in two",
        (0, true) => "which begins as typed",
        (1, false) => "which is one edit away",
        (1, true) => "whose beginning is one edit away",
        (_, false) => "which is two edits away",
        (_, true) => "whose beginning is two edits away",
    };
    let word = &matched.word;
    format!("share: the nearest word of the document is \"{word}\", {edits}")
}

/// Shares of the ranks that hits have in the legs.
fn fused(legs: &Legs<'_>, hits: &[Hit]) -> Result<Vec<Explanation>> {
    let plan = &legs.query.plan;
    let rrf = plan.rrf.as_ref().ok_or(SearchError::MissingRrf)?;
    let found_by = |place: fn(&PassedStages) -> Option<usize>| -> Vec<&Hit> {
        let found = hits.iter().filter(|hit| place(&hit.stages).is_some());
        found.collect()
    };
    let near = found_by(|stages| stages.tensor_place);
    let mut near = tensor(legs, &near)?.into_iter();
    let words = found_by(|stages| stages.lexical_place);
    let mut words = lexical(legs, &words)?.into_iter();
    let fused = hits.iter().map(|hit| {
        let PassedStages {
            tensor_place,
            lexical_place,
            ..
        } = hit.stages;
        let tensor = tensor_place.and_then(|place| Some((place, near.next()?)));
        let lexical = lexical_place.and_then(|place| Some((place, words.next()?)));
        let near = tensor.map(|ranked| share("tensor", rrf.alpha, rrf.k, ranked));
        let words = lexical.map(|ranked| share("lexical", 1.0 - rrf.alpha, rrf.k, ranked));
        let shares = near.into_iter().chain(words).collect();
        Explanation::sum("reciprocal rank fusion of the legs", shares)
    });
    Ok(fused.collect())
}

/// The share of a leg in a fused score, by the place in it.
fn share(leg: &str, weight: f64, k: f64, (place, score): (usize, Explanation)) -> Explanation {
    let rank = Explanation {
        details: vec![score],
        ..Explanation::value(
            (place + 1) as f64,
            format!("rank in the {leg} leg, by its score"),
        )
    };
    let description = format!("share of the {leg} leg: weight / (k + rank)");
    Explanation::reciprocal_rank(description, weight, k, rank)
}

/// The scores of hits, changed where they were.
fn rescored(
    legs: &Legs<'_>,
    rescoring: Option<Rescoring>,
    hits: &[&Hit],
    explained: Vec<Explanation>,
    is_changed: impl Fn(&Hit) -> bool,
) -> Result<Vec<Explanation>> {
    let Some(rescoring) = rescoring else {
        return Ok(explained);
    };
    with_numbers(legs.documents, legs.query, &rescoring.fields, |numbers| {
        debug_assert_eq!(explained.len(), hits.len(), "each hit is explained");
        let hits = hits.iter().zip(explained);
        let changed = hits.map(|(hit, score)| match is_changed(hit) {
            true => rescoring.explain(numbers, hit.doc, score),
            false => score,
        });
        Ok(changed.collect())
    })
}

/// The places of hits that were sorted, which are what their scores tell.
fn sorted(
    legs: &Legs<'_>,
    sort: &Sort,
    hits: &[Hit],
    explained: Vec<Explanation>,
) -> Result<Vec<Explanation>> {
    // A date is told as one number, in 64 bits.
    let name = |field: &SortField| match field.dates {
        true => DatePart::Date.name(&field.field),
        false => field.field.clone(),
    };
    let names: Vec<String> = sort.fields.iter().map(name).collect();
    with_numbers(legs.documents, legs.query, &names, |numbers| {
        debug_assert_eq!(explained.len(), hits.len(), "each hit is explained");
        let hits = hits.iter().zip(explained);
        let placed = hits.map(|(hit, before)| {
            let Some(place) = hit.stages.sorted_place else {
                return before;
            };
            let keys = sort.fields.iter().enumerate().filter_map(|(at, field)| {
                let number = numbers.get(at, hit.doc)?.as_f64();
                let order = match field.descending {
                    true => "descending",
                    false => "ascending",
                };
                let unit = match field.dates {
                    true => ", a date in Unix seconds",
                    false => "",
                };
                let key = Explanation::value(number, format!("sorted by, {order}{unit}"));
                Some(key.of_field(&field.field))
            });
            let mut details: Vec<Explanation> = keys.collect();
            details.push(before);
            let description = "place by the fields sorted by, then by the score";
            let rank = Explanation {
                details,
                ..Explanation::value((place + 1) as f64, description)
            };
            Explanation::reciprocal_rank("1 / place", 1.0, 0.0, rank)
        });
        Ok(placed.collect())
    })
}
