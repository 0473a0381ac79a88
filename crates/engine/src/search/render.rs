//! The response body, joined from stored fragments.

use pelorus_columns::{distance_of, field_of};
use pelorus_documents::StoredDocument;

use super::answer::Answer;
use super::documents::{Documents, with_numbers};
use super::group_hits::GroupHits;
use super::hits::{Hit, NearestChunk};
use super::query::Query;
use super::word_highlights::WordHighlights;
use crate::error::{EngineError, Result};
use crate::read::attributes::Attributes;
use crate::read::response::{check_answer_size, write_text};
use crate::read::retrieve::write_members;

/// Writes the body.
pub(super) fn render(documents: &dyn Documents, query: &Query, answer: &Answer) -> Result<Vec<u8>> {
    let mut out = b"{\"hits\":[".to_vec();
    let page = &answer.page;
    let distances = Distances::of(documents, query, &page.hits)?;
    for (at, hit) in page.hits.iter().enumerate() {
        query.cancellation.check()?;
        let bytes = stored(documents, hit.variant.unwrap_or(hit.doc))?;
        check_answer_size(out.len())?;
        if at > 0 {
            out.push(b',');
        }
        write_hit(
            documents,
            query,
            hit,
            &StoredDocument::decode(&bytes)?,
            answer.explanations.as_ref().map(|all| &*all[at]),
            answer.highlights.as_deref(),
            &mut out,
        )?;
        distances.write(at, &mut out);
        if let Some(others) = &answer.group_hits {
            write_group(documents, query, answer, &others[at], &mut out)?;
        }
    }
    out.push(b']');
    if let Some(facets) = &answer.facets {
        out.extend_from_slice(b",\"facets\":");
        out.extend_from_slice(facets);
    }
    if let Some(total) = answer.total_hits {
        out.extend_from_slice(format!(",\"totalHits\":{total}").as_bytes());
    }
    if let Some(text) = &answer.did_you_mean {
        out.extend_from_slice(b",\"didYouMean\":");
        write_text(&mut out, text);
    }
    if !answer.warnings.is_empty() {
        out.extend_from_slice(b",\"warnings\":");
        let warnings = serde_json::to_vec(&answer.warnings);
        out.extend_from_slice(&warnings.expect("texts serialise into memory"));
    }
    for (name, count) in [
        ("_sortCandidates", page.sort_candidates),
        ("_probeCandidates", page.probe.map(|probe| probe.candidates)),
        (
            "_relevantCandidates",
            page.probe.map(|probe| probe.relevant),
        ),
        ("_postProcessCandidates", page.left),
    ] {
        if let Some(count) = count {
            out.extend_from_slice(format!(",\"{name}\":{count}").as_bytes());
        }
    }
    out.push(b'}');
    Ok(out)
}

/// Writes further documents of the group of a hit into it, in place of the brace that ends it.
fn write_group(
    documents: &dyn Documents,
    query: &Query,
    answer: &Answer,
    others: &GroupHits,
    out: &mut Vec<u8>,
) -> Result<()> {
    debug_assert_eq!(out.last(), Some(&b'}'), "a hit is an object");
    out.pop();
    out.extend_from_slice(b",\"_groupHits\":[");
    let distances = Distances::of(documents, query, &others.hits)?;
    for (at, hit) in others.hits.iter().enumerate() {
        let bytes = stored(documents, hit.doc)?;
        check_answer_size(out.len())?;
        if at > 0 {
            out.push(b',');
        }
        let document = StoredDocument::decode(&bytes)?;
        write_hit(
            documents,
            query,
            hit,
            &document,
            others.explanations.as_ref().map(|all| &*all[at]),
            answer.highlights.as_deref(),
            out,
        )?;
        distances.write(at, out);
    }
    out.extend_from_slice(b"]}");
    Ok(())
}

/// The distances of the documents that a page shows, in the order of its hits.
struct Distances<'a> {
    names: &'a [String],
    /// By hit, then by name; `None` for a document without a point in the field.
    metres: Vec<Vec<Option<f64>>>,
}

impl<'a> Distances<'a> {
    fn of(documents: &dyn Documents, query: &'a Query, hits: &[Hit]) -> Result<Self> {
        let names = query.plan.distances.as_slice();
        if names.is_empty() {
            let metres = Vec::new();
            return Ok(Self { names, metres });
        }
        let metres = with_numbers(documents, query, names, |numbers| {
            let of_hit = |hit: &Hit| {
                let doc = hit.variant.unwrap_or(hit.doc);
                let metres = (0..names.len()).map(|at| Some(numbers.get(at, doc)?.as_f64()));
                metres.collect()
            };
            Ok(hits.iter().map(of_hit).collect())
        })?;
        Ok(Self { names, metres })
    }

    /// Writes those of a hit into it, in place of the brace that ends it.
    fn write(&self, hit: usize, out: &mut Vec<u8>) {
        if self.names.is_empty() {
            return;
        }
        debug_assert_eq!(out.last(), Some(&b'}'), "a hit is an object");
        out.pop();
        out.extend_from_slice(b",\"_distances\":{");
        let known = self.names.iter().zip(&self.metres[hit]);
        let known = known.filter_map(|(name, metres)| Some((name, (*metres)?)));
        for (at, (name, metres)) in known.enumerate() {
            if at > 0 {
                out.push(b',');
            }
            write_text(out, field_of(name));
            out.push(b':');
            // Points are rounded to about a centimetre.
            write_number(out, (metres * 100.0).round() / 100.0);
        }
        out.extend_from_slice(b"}}");
    }
}

fn stored(documents: &dyn Documents, doc: u32) -> Result<Vec<u8>> {
    let bytes = documents.document(doc)?;
    bytes.ok_or(EngineError::MissingDocument { doc })
}

fn write_hit(
    documents: &dyn Documents,
    query: &Query,
    hit: &Hit,
    document: &StoredDocument<'_>,
    explanation: Option<&[u8]>,
    highlights: Option<&WordHighlights>,
    out: &mut Vec<u8>,
) -> Result<()> {
    let (plan, definition) = (&query.plan, documents.definition());
    let structured = definition.structured().is_some();
    let attributes = Attributes::of(definition, plan.attributes_to_retrieve.as_deref());
    out.push(b'{');
    write_members(out, document, &attributes);
    out.extend_from_slice(b",\"_score\":");
    write_number(out, plan.shown_score(hit.score));
    if hit.is_pinned {
        out.extend_from_slice(b",\"_pinned\":true");
    }
    if let Some(count) = hit.group_count {
        out.extend_from_slice(format!(",\"_groupCount\":{count}").as_bytes());
    }
    if let Some(score) = hit.pre_rerank_score {
        out.extend_from_slice(b",\"_pre_rerank_score\":");
        write_number(out, score);
    }
    // The original leaves these out of a restricted answer on unstructured indexes.
    let leg_scores = structured || attributes.are_all();
    for (name, score) in [
        ("_tensor_score", hit.tensor_score),
        ("_lexical_score", hit.lexical_score),
        (recency_name(query), hit.recency_score),
    ] {
        if let Some(score) = score
            && (leg_scores || attributes.has(name))
        {
            out.extend_from_slice(format!(",\"{name}\":").as_bytes());
            write_number(out, score);
        }
    }
    if let Some(explanation) = explanation {
        out.extend_from_slice(b",\"_explanation\":");
        out.extend_from_slice(explanation);
    }
    if let Some(highlights) = highlights {
        out.extend_from_slice(b",\"_lexicalHighlights\":");
        highlights.write(documents, query, &attributes, document, out)?;
    }
    if hit.variant.is_some() {
        let original = stored(documents, hit.doc)?;
        out.extend_from_slice(b",\"_originalId\":");
        write_text(out, StoredDocument::decode(&original)?.id);
    }
    if plan.show_highlights && hit.variant.is_some() {
        out.extend_from_slice(b",\"_highlights\":[{}]");
    } else if plan.show_highlights {
        out.extend_from_slice(b",\"_highlights\":[");
        if let Some(nearest) = &hit.nearest
            && attributes.has(&nearest.field)
        {
            write_highlight(documents, hit.doc, nearest, out)?;
        }
        out.push(b']');
    }
    out.push(b'}');
    Ok(())
}

/// The member that tells how recent, or how near, a hit is.
fn recency_name(query: &Query) -> &'static str {
    let recency = query.plan.recency.as_ref();
    match recency.is_some_and(|recency| distance_of(&recency.field).is_some()) {
        true => "_distance_score",
        false => "_recency_score",
    }
}

fn write_highlight(
    documents: &dyn Documents,
    doc: u32,
    NearestChunk { field, chunk, .. }: &NearestChunk,
    out: &mut Vec<u8>,
) -> Result<()> {
    if let Some(text) = documents.chunk(doc, field, *chunk)? {
        out.push(b'{');
        write_text(out, field);
        out.push(b':');
        write_text(out, &text);
        out.push(b'}');
    }
    Ok(())
}

/// A finite number with the digits that tell it from every other of 64 bits, also where 32 bits could hold it: who reads
/// fewer reads another number. No zero is written as negative: adding one makes it positive.
pub(super) fn write_number(out: &mut Vec<u8>, number: f64) {
    serde_json::to_writer(out, &(number + 0.0)).expect("a finite number serialises into memory");
}
