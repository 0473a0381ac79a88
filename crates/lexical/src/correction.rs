//! The query that somebody meant: its words that no text has, or far fewer than a near one, corrected.

use crate::analysis::Analyzer;
use crate::error::Result;
use crate::expansion::{Reach, begins_a_word, nearest_words};
use crate::query::{LexicalQuery, QueryAnalyses, SplitQuery, TermForms, spellings_of};
use crate::typing::Typos;

/// Words of a query that are corrected: as many as stand for others.
const WORDS_MAX: usize = 32;
/// Documents with a near word to each with the typed one, from which on the typed one is taken for a typo.
const FAR_MORE: u64 = 100;
/// The nearest words of which the first is taken that the searched fields have.
const CANDIDATES_MAX: usize = 8;

/// Corrects the words of a query outside of quotes; `None` where all stay.
pub(crate) fn corrected(reach: &Reach<'_>, query: &LexicalQuery) -> Result<Option<String>> {
    let view = reach.view;
    let text = &*query.text;
    let analyses = &QueryAnalyses::new(view.fields.clone(), query.language);
    let analyzer = &mut analyses.analyzer();
    let split = SplitQuery::new(text);
    let known = Dictionary { reach };
    let (mut corrected, mut written, mut looked_at) = (String::new(), 0, 0);
    for (at, chunk) in split.optional.iter().enumerate() {
        let words = analyses.words(chunk, analyzer);
        let places = analyzer.places(chunk);
        let ends_query = split.ends_with_word && at + 1 == split.optional.len();
        if words.len() != places.len()
            || query.typing.split_join && known.has_spelling(chunk, analyses, analyzer)?
        {
            continue;
        }
        for (at, place) in places.iter().enumerate() {
            looked_at += 1;
            if looked_at > WORDS_MAX {
                break;
            }
            let typed = analyses.typed(chunk, at, analyzer);
            let is_last = ends_query && at + 1 == places.len();
            let mut fields = view.fields.names().iter();
            if fields.any(|field| query.typing.completes(is_last, field))
                && known.begins_any(&typed)?
            {
                continue;
            }
            if let Some(word) = known.correction(&words.term(at..at + 1), &typed)? {
                // A piece of the text, as all words of a query are.
                let start = chunk.as_ptr() as usize - text.as_ptr() as usize;
                corrected.push_str(&text[written..start + place.start]);
                corrected.push_str(&word);
                written = start + place.end;
            }
        }
    }
    if written == 0 {
        return Ok(None);
    }
    corrected.push_str(&text[written..]);
    Ok(Some(corrected))
}

/// The words of the fields that are searched.
struct Dictionary<'a> {
    reach: &'a Reach<'a>,
}

impl Dictionary<'_> {
    /// A near word that live documents hold: any where none holds the typed one, and else one of one edit that far more do.
    fn correction(&self, own: &TermForms, typed: &[String]) -> Result<Option<String>> {
        let mut documents = 0;
        for form in own.forms() {
            documents += self.documents_with(&form.tokens)?;
        }
        let needed = u64::max(1, documents.saturating_mul(FAR_MORE));
        if needed > self.reach.view.statistics.documents {
            return Ok(None);
        }
        let edits_max = if documents > 0 { 1 } else { u8::MAX };
        for word in typed {
            let edits = Typos::default().edits(word).min(edits_max);
            let nearest = nearest_words(self.reach, word, edits)?;
            for near in nearest.into_iter().take(CANDIDATES_MAX) {
                if self.documents_with(std::slice::from_ref(&near.token))? >= needed {
                    return Ok(Some(near.word));
                }
            }
        }
        Ok(None)
    }

    /// Documents that live and hold tokens side by side, those with them in several fields counted as often where fields
    /// are named.
    fn documents_with(&self, tokens: &[String]) -> Result<u64> {
        let mut documents = 0;
        let Reach {
            view,
            scope,
            cancellation,
            ..
        } = *self.reach;
        for part in view.parts() {
            cancellation.check()?;
            let found = part.tokens_matches(tokens, scope, cancellation)?;
            documents += found.counts.sum();
        }
        Ok(documents)
    }

    /// Tells whether texts have a word in two parts or in one.
    fn has_spelling(
        &self,
        word: &str,
        analyses: &QueryAnalyses,
        analyzer: &mut Analyzer,
    ) -> Result<bool> {
        for spelling in spellings_of(word, analyses, analyzer) {
            for form in spelling.forms.forms() {
                if self.reach.view.documents_with_rarest(&form.tokens)? > 0
                    && self.documents_with(&form.tokens)? > 0
                {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    /// Tells whether any word begins as typed.
    fn begins_any(&self, typed: &[String]) -> Result<bool> {
        for word in typed {
            if begins_a_word(self.reach, word)? {
                return Ok(true);
            }
        }
        Ok(false)
    }
}
