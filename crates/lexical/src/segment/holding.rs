//! Tokens that some documents of a segment hold.

use std::io;

use tantivy::TERMINATED;
use tantivy::index::InvertedIndexReader;
use tantivy::postings::TermInfo;
use tantivy::schema::IndexRecordOption;

use super::schema::field_term;
use super::text_segment::TextSegment;
use crate::error::Result;
use crate::expansion::Sought;
use crate::field_table::Slot;

/// A search for one document costs about as much as passing this many in order.
const SEEK_COST: usize = 32;

impl TextSegment {
    /// Tells whether a document that is sought holds a token in some fields.
    pub(crate) fn holds(
        &self,
        token: &str,
        slots: &[Slot],
        sought: &mut Sought<'_>,
    ) -> Result<bool> {
        Ok(self
            .look(token, slots, sought)
            .map_err(tantivy::TantivyError::from)?)
    }

    fn look(&self, token: &str, slots: &[Slot], sought: &mut Sought<'_>) -> io::Result<bool> {
        for &slot in slots {
            let info = self.text.terms().get(field_term(token, slot))?;
            if let Some(info) = info
                && self.is_any_sought(&self.text, &info, sought)?
            {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn is_any_sought(
        &self,
        reader: &InvertedIndexReader,
        info: &TermInfo,
        sought: &mut Sought<'_>,
    ) -> io::Result<bool> {
        let documents = info.doc_freq as usize;
        if sought.passing.is_none() && documents > sought.dead.len() {
            return Ok(true);
        }
        let mut postings =
            reader.read_block_postings_from_terminfo(info, IndexRecordOption::Basic)?;
        if let Some((passing, count)) = sought.passing
            && count * SEEK_COST < documents
        {
            let mut from = self.ordinal(0);
            while let Some(ordinal) = passing.iter_from(from).next() {
                let local = self.lower_bound(ordinal);
                if local >= self.doc_count() {
                    break;
                }
                sought.passed += SEEK_COST;
                let at = postings.seek(local);
                let doc = postings.doc(at);
                if doc == TERMINATED {
                    break;
                }
                let found = self.ordinal(doc);
                if found == ordinal && !sought.dead.contains(doc) {
                    return Ok(true);
                }
                from = u32::max(found, ordinal + 1);
            }
            return Ok(false);
        }
        while !postings.docs().is_empty() {
            let docs = postings.docs();
            sought.passed += docs.len();
            if docs
                .iter()
                .any(|&doc| sought.includes(doc, |doc| self.ordinal(doc)))
            {
                return Ok(true);
            }
            postings.advance();
        }
        Ok(false)
    }
}
