//! The words of a query in the texts of the hits of a page.

use std::collections::BTreeMap;

use pelorus_documents::{IndexedValues, StoredDocument};
use pelorus_lexical::{Fragment, FragmentBounds, Highlighter};

use super::documents::Documents;
use super::query::Query;
use crate::error::Result;
use crate::generated::LexicalHighlights;
use crate::read::attributes::Attributes;
use crate::read::response::{check_answer_size, write_text};

/// Writes the highlights of the texts of a search's hits.
pub(super) struct WordHighlights {
    /// None where no words are searched.
    words: Option<Highlighter>,
}

impl WordHighlights {
    pub fn new(words: Option<Highlighter>) -> Self {
        Self { words }
    }

    /// Appends a JSON object: fragments by field, of those that are shown and in which a word stands.
    pub fn write(
        &self,
        documents: &dyn Documents,
        query: &Query,
        attributes: &Attributes<'_>,
        document: &StoredDocument<'_>,
        out: &mut Vec<u8>,
    ) -> Result<()> {
        out.push(b'{');
        let (Some(asked), Some(words)) = (query.highlights(), &self.words) else {
            out.push(b'}');
            return Ok(());
        };
        let values = IndexedValues::of_stored(&documents.definition().documents, document)?;
        let mut texts: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for (field, text) in &values.lexical {
            if attributes.shows(field) && has(asked, field) {
                texts.entry(field).or_default().push(text);
            }
        }
        let bounds = FragmentBounds {
            size: asked.fragment_size,
            count: asked.number_of_fragments,
        };
        let mut is_first = true;
        for (field, texts) in texts {
            let fragments = words.fragments(field, &texts, bounds, &query.cancellation);
            let fragments = fragments.map_err(|error| documents.lexical_failed(error))?;
            if fragments.is_empty() {
                continue;
            }
            if !std::mem::take(&mut is_first) {
                out.push(b',');
            }
            write_text(out, field);
            for (at, fragment) in fragments.iter().enumerate() {
                out.extend_from_slice(if at == 0 { b":[" } else { b"," });
                write_text(out, &tagged(asked, fragment));
                check_answer_size(out.len())?;
            }
            out.push(b']');
        }
        out.push(b'}');
        Ok(())
    }
}

fn has(asked: &LexicalHighlights, field: &str) -> bool {
    let fields = asked.fields.as_ref();
    fields.is_none_or(|fields| fields.iter().any(|one| one == field))
}

fn tagged(asked: &LexicalHighlights, fragment: &Fragment<'_>) -> String {
    let (mut tagged, mut from) = (String::with_capacity(2 * fragment.text.len()), 0);
    for mark in &fragment.marks {
        tagged.push_str(&fragment.text[from..mark.start]);
        tagged.push_str(&asked.pre_tag);
        tagged.push_str(&fragment.text[mark.clone()]);
        tagged.push_str(&asked.post_tag);
        from = mark.end;
    }
    tagged.push_str(&fragment.text[from..]);
    tagged
}
