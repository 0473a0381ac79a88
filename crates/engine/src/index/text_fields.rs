//! The analyses of an index's text fields, for those whose analysis a request set.
//!
//! It is said with the first document that has such a field, and holds from then on: stored texts were analysed so, and
//! are again when the postings are made anew. So it is committed with that document, in the record of the definition.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};

use parking_lot::Mutex;
use pelorus_documents::{IndexedValues, ItemError, TextField};
use pelorus_excerpt::truncated;
use pelorus_lexical::{FieldAnalysis, Language, LexicalIndex, Stemming};
use serde::{Deserialize, Serialize};

/// The settings of a field's texts, as its first document has set them.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct TextSettings {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    language: Option<String>,
    #[serde(default)]
    stemming: Stemming,
}

impl TextSettings {
    /// Those that a request gives a new field.
    pub fn of(field: &TextField) -> Self {
        let stemming = field.stemming.as_deref().map(stemming_of);
        Self {
            language: field.language.clone(),
            stemming: stemming.unwrap_or_default(),
        }
    }

    /// Refuses a request that wants other settings for the field `name`, which has these.
    ///
    /// # Errors
    /// The error of a document that has the field.
    pub fn check(&self, name: &str, field: &TextField) -> std::result::Result<(), ItemError> {
        let refuse = |what: &str, from: &str, to: &str| {
            Err(ItemError::invalid(format!(
                "Field '{}' already exists with a different {what} configuration. Cannot change {what} from '{}' to '{}' for existing field.",
                truncated(name),
                truncated(from),
                truncated(to),
            )))
        };
        if let Some(language) = &field.language
            && self.language.as_ref() != Some(language)
        {
            let from = self.language.as_deref().unwrap_or("None");
            return refuse("language", from, language);
        }
        if let Some(stemming) = &field.stemming
            && name_of(self.stemming) != stemming
        {
            return refuse("stemming", name_of(self.stemming), stemming);
        }
        Ok(())
    }

    pub fn analysis(&self) -> FieldAnalysis {
        FieldAnalysis {
            language: self.language.as_deref().map(Language::from_tag),
            stemming: self.stemming,
        }
    }
}

fn stemming_of(name: &str) -> Stemming {
    match name {
        "none" => Stemming::None,
        "shortest" => Stemming::Shortest,
        "multiple" => Stemming::Multiple,
        _ => Stemming::Best,
    }
}

fn name_of(stemming: Stemming) -> &'static str {
    match stemming {
        Stemming::None => "none",
        Stemming::Best => "best",
        Stemming::Shortest => "shortest",
        Stemming::Multiple => "multiple",
    }
}

/// The text fields of a document for which its request has settings.
pub fn fields_with_settings<'d>(
    settings: &'d [(String, TextField)],
    values: &'d IndexedValues,
) -> impl Iterator<Item = (&'d str, &'d TextField)> {
    values.lexical.iter().filter_map(|(name, _)| {
        let mut settings = settings.iter();
        let (_, field) = settings.find(|(field, _)| field == name)?;
        Some((name.as_str(), field))
    })
}

/// The fields of one index.
#[derive(Debug, Default)]
pub(crate) struct TextFields {
    known: Mutex<BTreeMap<String, TextSettings>>,
    /// As many as the store has of them: none changes, and none is taken out.
    saved: AtomicUsize,
}

impl TextFields {
    /// Reads what [`TextFields::encode`] wrote; none if that cannot be read.
    pub fn decode(json: &[u8]) -> Option<Self> {
        let known = match json {
            [] => BTreeMap::new(),
            json => serde_json::from_slice(json).ok()?,
        };
        Some(Self {
            saved: AtomicUsize::new(known.len()),
            known: Mutex::new(known),
        })
    }

    /// All of it as JSON, and how many fields that are; empty where nothing was said of any field.
    pub fn encode(&self) -> (Vec<u8>, usize) {
        let known = self.known.lock();
        match known.len() {
            0 => (Vec::new(), 0),
            count => {
                let json = serde_json::to_vec(&*known).expect("texts serialise into memory");
                (json, count)
            }
        }
    }

    /// Tells whether the next commit has to store it.
    pub fn is_unsaved(&self) -> bool {
        self.known.lock().len() > self.saved.load(Ordering::Acquire)
    }

    /// The store has what [`TextFields::encode`] told `count` of.
    pub fn set_saved(&self, count: usize) {
        debug_assert!(count <= self.known.lock().len(), "no field is forgotten");
        self.saved.fetch_max(count, Ordering::AcqRel);
    }

    /// Makes the text index follow it.
    pub fn apply_to(&self, lexical: &LexicalIndex) {
        for (name, settings) in &*self.known.lock() {
            lexical.set_field_analysis(name, settings.analysis());
        }
    }

    /// Takes the request's settings for a field of one of its documents.
    ///
    /// # Errors
    /// The document's error, where the field is known to be analysed in another way.
    pub fn claim(
        &self,
        lexical: &LexicalIndex,
        name: &str,
        field: &TextField,
    ) -> std::result::Result<(), ItemError> {
        let mut known = self.known.lock();
        let existing = match known.get(name) {
            Some(settings) => settings.clone(),
            None if lexical.has_field(name) => TextSettings::default(),
            None => {
                let settings = TextSettings::of(field);
                lexical.set_field_analysis(name, settings.analysis());
                known.insert(name.to_owned(), settings);
                return Ok(());
            }
        };
        drop(known);
        existing.check(name, field)
    }
}
