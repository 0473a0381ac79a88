use std::io;
use std::ops::Range;

use pelorus_cancellation::{Cancellation, Cancelled};
use tantivy::index::InvertedIndexReader;
use tantivy::postings::{Postings, SegmentPostings, TermInfo};
use tantivy::schema::IndexRecordOption;
use tantivy::{DocSet, TERMINATED};

use super::schema::{field_term, field_term_range, slot_of_term};
use super::text_segment::TextSegment;
use crate::dead_set::DeadSet;
use crate::error::Result;
use crate::field_table::Slot;
use crate::phrase::Phrase;
use crate::posting_list::{PlainPostings, PostingList};
use crate::term_matches::{DocumentCounts, DocumentList, FieldSelection, TermMatches};

/// Documents that may hold all tokens of a phrase, between two looks at whether the search is cancelled.
const DOCUMENTS_PER_CHECK: usize = 1024;

impl TextSegment {
    /// Returns the matches of the tokens of one query term: one token as it stands, several as a
    /// phrase of a slop.
    pub(crate) fn matches(
        &self,
        (tokens, slop): (&[String], u32),
        scope: FieldSelection<'_>,
        dead: &DeadSet,
        cancellation: &Cancellation,
    ) -> Result<TermMatches<'_>> {
        match tokens {
            [token] => self.token_matches(token, scope, dead),
            _ => self.phrase_matches(&Phrase::new(tokens, slop), scope, dead, cancellation),
        }
    }

    /// Gives the postings of up to `terms` terms behind `after` to `visit`, as far as their documents are `within`: token
    /// and field, none where the term names no field, then positions and document. Answers the last of these terms,
    /// none at the end.
    pub(crate) fn for_each_posting(
        &self,
        after: &[u8],
        terms: usize,
        within: Range<u32>,
        mut visit: impl FnMut(Option<(&[u8], Slot)>, &[u32], u32),
    ) -> Result<Option<Vec<u8>>> {
        let mut positions = Vec::new();
        let record = IndexRecordOption::WithFreqsAndPositions;
        for_each_term(&self.text, after, terms, |term, info| {
            let zero = term.iter().rposition(|&byte| byte == 0);
            let key = slot_of_term(term).zip(zero);
            let key = key.map(|(slot, zero)| (&term[..zero], slot));
            let mut postings = self.text.read_postings_from_terminfo(info, record)?;
            let mut local = postings.doc();
            if local < within.start {
                local = postings.seek(within.start);
            }
            while local < within.end {
                postings.positions(&mut positions);
                visit(key, &positions, local);
                local = postings.advance();
            }
            Ok(())
        })
    }

    /// As [`TextSegment::for_each_posting`], of the documents that hold a token in any field.
    pub(crate) fn for_each_document(
        &self,
        after: &[u8],
        terms: usize,
        within: Range<u32>,
        mut visit: impl FnMut(&[u8], u32),
    ) -> Result<Option<Vec<u8>>> {
        for_each_term(&self.any, after, terms, |token, info| {
            let record = IndexRecordOption::Basic;
            let mut postings = self.any.read_postings_from_terminfo(info, record)?;
            let mut local = postings.doc();
            if local < within.start {
                local = postings.seek(within.start);
            }
            while local < within.end {
                visit(token, local);
                local = postings.advance();
            }
            Ok(())
        })
    }

    /// The number of documents that hold a token, dead ones included.
    pub(crate) fn documents_with(&self, token: &str) -> Result<u32> {
        let info = self.any.terms().get(token).map_err(tantivy_io)?;
        Ok(info.map_or(0, |info| info.doc_freq))
    }

    fn token_matches(
        &self,
        token: &str,
        scope: FieldSelection<'_>,
        dead: &DeadSet,
    ) -> Result<TermMatches<'_>> {
        let infos = self.term_infos(token, scope).map_err(tantivy_io)?;
        let mut documents = match &*infos {
            [(_, info)] => Some(DocumentList {
                reader: &self.text,
                info: info.clone(),
            }),
            _ => None,
        };
        let counts = match scope {
            FieldSelection::All if infos.is_empty() => DocumentCounts::Union(0),
            FieldSelection::All if infos.len() == 1 => {
                let (slot, info) = &infos[0];
                let count = self.live_in_field(token, *slot, info, dead);
                DocumentCounts::Union(count.map_err(tantivy_io)?)
            }
            FieldSelection::All => {
                let any = self.any.terms().get(token).map_err(tantivy_io)?;
                let live = |info| self.live_in_any(token, info, dead);
                let count = any.as_ref().map_or(Ok(0), live).map_err(tantivy_io)?;
                documents = any.map(|info| DocumentList {
                    reader: &self.any,
                    info,
                });
                DocumentCounts::Union(count)
            }
            FieldSelection::Fields(_) => {
                let live = |(slot, info): &(Slot, TermInfo)| -> io::Result<(Slot, u32)> {
                    Ok((*slot, self.live_in_field(token, *slot, info, dead)?))
                };
                let counts = infos.iter().map(live).collect::<io::Result<_>>();
                DocumentCounts::PerField(counts.map_err(tantivy_io)?)
            }
        };
        let mut lists = Vec::with_capacity(infos.len());
        for (slot, info) in infos {
            let Some(lengths) = self.field_lengths(slot) else {
                continue;
            };
            let blocks = self
                .text
                .read_block_postings_from_terminfo(&info, IndexRecordOption::WithFreqs)
                .map_err(tantivy_io)?;
            lists.push((
                slot,
                PostingList::Blocks {
                    blocks: Box::new(blocks),
                    lengths,
                    offset: info.postings_range.start,
                },
            ));
        }
        Ok(TermMatches {
            lists,
            counts,
            documents,
        })
    }

    fn phrase_matches(
        &self,
        phrase: &Phrase<'_>,
        scope: FieldSelection<'_>,
        dead: &DeadSet,
        cancellation: &Cancellation,
    ) -> Result<TermMatches<'_>> {
        let mut fields = Vec::new();
        for (slot, infos) in self
            .phrase_fields(phrase.distinct(), scope)
            .map_err(tantivy_io)?
        {
            let found = self.phrase_in_field(slot, phrase, &infos, cancellation)?;
            if !found.docs.is_empty() {
                fields.push((slot, found));
            }
        }
        let counts = DocumentCounts::of_plain(scope, &fields, |local| !dead.contains(local));
        let lists = fields
            .into_iter()
            .map(|(slot, found)| (slot, PostingList::Plain(found)));
        Ok(TermMatches {
            lists: lists.collect(),
            counts,
            documents: None,
        })
    }

    /// The fields in scope that hold `token`, by ascending slot.
    fn term_infos(
        &self,
        token: &str,
        scope: FieldSelection<'_>,
    ) -> io::Result<Vec<(Slot, TermInfo)>> {
        let terms = self.text.terms();
        let mut infos = Vec::new();
        match scope {
            FieldSelection::All => {
                let (from, to) = field_term_range(token);
                let mut stream = terms.range().ge(from).lt(to).into_stream()?;
                while stream.advance() {
                    if let Some(slot) = slot_of_term(stream.key()) {
                        infos.push((slot, stream.value().clone()));
                    }
                }
            }
            FieldSelection::Fields(slots) => {
                for &slot in slots {
                    if let Some(info) = terms.get(field_term(token, slot))? {
                        infos.push((slot, info));
                    }
                }
            }
        }
        Ok(infos)
    }

    fn live_in_any(&self, token: &str, info: &TermInfo, dead: &DeadSet) -> io::Result<u32> {
        if dead.is_empty() {
            return Ok(info.doc_freq);
        }
        let dead_count = self.dead_counts.count(token.as_bytes(), dead, || {
            self.any
                .read_block_postings_from_terminfo(info, IndexRecordOption::Basic)
        })?;
        debug_assert!(
            dead_count <= info.doc_freq,
            "only what is in the postings is counted"
        );
        Ok(info.doc_freq - dead_count)
    }

    fn live_in_field(
        &self,
        token: &str,
        slot: Slot,
        info: &TermInfo,
        dead: &DeadSet,
    ) -> io::Result<u32> {
        if dead.is_empty() {
            return Ok(info.doc_freq);
        }
        let term = field_term(token, slot);
        let dead_count = self.dead_counts.count(term.as_bytes(), dead, || {
            self.text
                .read_block_postings_from_terminfo(info, IndexRecordOption::Basic)
        })?;
        debug_assert!(
            dead_count <= info.doc_freq,
            "only what is in the postings is counted"
        );
        Ok(info.doc_freq - dead_count)
    }

    /// The fields that hold all tokens, each with the tokens' postings.
    fn phrase_fields(
        &self,
        tokens: &[&str],
        scope: FieldSelection<'_>,
    ) -> io::Result<Vec<(Slot, Vec<TermInfo>)>> {
        let Some((first, others)) = tokens.split_first() else {
            return Ok(Vec::new());
        };
        let mut fields: Vec<(Slot, Vec<TermInfo>)> = self
            .term_infos(first, scope)?
            .into_iter()
            .map(|(slot, info)| (slot, vec![info]))
            .collect();
        for token in others {
            let mut with_all = Vec::with_capacity(fields.len());
            for (slot, mut infos) in fields {
                if let Some(info) = self.text.terms().get(field_term(token, slot))? {
                    infos.push(info);
                    with_all.push((slot, infos));
                }
            }
            fields = with_all;
        }
        Ok(fields)
    }

    fn phrase_in_field(
        &self,
        slot: Slot,
        phrase: &Phrase<'_>,
        infos: &[TermInfo],
        cancellation: &Cancellation,
    ) -> Result<PlainPostings> {
        let mut found = PlainPostings::default();
        let Some(lengths) = self.field_lengths(slot) else {
            return Ok(found);
        };
        let record = IndexRecordOption::WithFreqsAndPositions;
        let mut postings = infos
            .iter()
            .map(|info| self.text.read_postings_from_terminfo(info, record))
            .collect::<io::Result<Vec<_>>>()
            .map_err(tantivy_io)?;
        let rarest_first = order_by_frequency(infos);
        let mut positions = vec![Vec::new(); postings.len()];
        let mut doc = postings[rarest_first[0]].doc();
        let mut candidates = 0_usize;
        // Tokens that are never in one document are looked for to the end too.
        let mut note_candidate = || {
            candidates += 1;
            match candidates.is_multiple_of(DOCUMENTS_PER_CHECK) {
                true => cancellation.check(),
                false => Ok(()),
            }
        };
        while let Some(common) =
            next_common(&mut postings, &rarest_first, doc, &mut note_candidate)?
        {
            for (postings, positions) in postings.iter_mut().zip(&mut positions) {
                positions.clear();
                postings.append_positions_with_offset(0, positions);
            }
            let frequency = phrase.count(&positions, cancellation)?;
            if frequency > 0 {
                found.push(common, frequency, lengths.get(common));
            }
            doc = common + 1;
        }
        Ok(found)
    }
}

fn order_by_frequency(infos: &[TermInfo]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..infos.len()).collect();
    order.sort_by_key(|&i| infos[i].doc_freq);
    order
}

/// The first document not below `target` that is in all postings, on which they all then stand. Each that may
/// be it is noted first.
fn next_common(
    postings: &mut [SegmentPostings],
    rarest_first: &[usize],
    mut target: u32,
    mut note_candidate: impl FnMut() -> std::result::Result<(), Cancelled>,
) -> std::result::Result<Option<u32>, Cancelled> {
    'candidates: loop {
        note_candidate()?;
        for &i in rarest_first {
            let doc = postings[i].seek(target.max(postings[i].doc()));
            if doc == TERMINATED {
                return Ok(None);
            }
            if doc > target {
                target = doc;
                continue 'candidates;
            }
        }
        return Ok(Some(target));
    }
}

/// Gives up to `count` terms behind `after` to `visit`; answers the last of them, none at the end.
fn for_each_term(
    index: &InvertedIndexReader,
    after: &[u8],
    count: usize,
    mut visit: impl FnMut(&[u8], &TermInfo) -> io::Result<()>,
) -> Result<Option<Vec<u8>>> {
    let terms = index.terms().range();
    let terms = match after.is_empty() {
        true => terms,
        false => terms.gt(after),
    };
    let mut stream = terms.into_stream().map_err(tantivy_io)?;
    let mut last = None;
    for _ in 0..count {
        if !stream.advance() {
            return Ok(None);
        }
        visit(stream.key(), stream.value()).map_err(tantivy_io)?;
        last = Some(stream.key().to_vec());
    }
    Ok(last)
}

fn tantivy_io(error: io::Error) -> tantivy::TantivyError {
    error.into()
}
