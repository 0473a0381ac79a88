//! The facts of an index that hold for good: the fields that documents have ever had, and how their texts were analysed.
//!
//! Each is a field of the mapping by itself, within an object that no document has. A mapping only ever grows, and
//! servers that add to it at once never take back each other's facts; the settings of a text field are the value of a
//! constant, of which the manager refuses a second one.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use pelorus_columns::HeldValues;
use pelorus_engine::elsewhere::{
    Definition, EngineOptions, FieldLimits, KnownColumns, TextSettings, index_not_found,
};
use pelorus_engine::{CandidateFields, CandidateIndex, EngineError, Result, SearchError};
use pelorus_lexical::{FieldAnalysis, TextFields};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::layout::{CHUNKS, FACTS, POINTS, path_name, path_part};

/// Begins the facts of each kind.
const TEXT: &str = "text-";
const ANALYSIS: &str = "analysis-";
const TEXT_LIST: &str = "list-";
const HELD: &str = "held-";

/// Columns whose kinds of values are facts: keys of maps may be columns without end, and a mapping has a bound.
const HELD_COLUMNS_MAX: usize = 2_000;

/// An index as its mapping tells it.
#[derive(Debug)]
pub struct MappedIndex {
    /// No other index has had it, not even one of the same name and definition.
    pub id: String,
    pub definition: Arc<Definition>,
    pub facts: Facts,
    /// The same as searches know it.
    pub searched: Arc<CandidateIndex>,
}

/// The fields that documents of an index have ever had.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Facts {
    /// Text fields, with the settings of their first document.
    texts: BTreeMap<String, TextSettings>,
    /// The numbers of the analyses that texts of a field had.
    analyses: BTreeSet<(String, u8)>,
    /// Fields with lists of texts.
    text_lists: BTreeSet<String>,
    tensors: BTreeSet<String>,
    /// The kinds of values that columns had, for the first [`HELD_COLUMNS_MAX`] of them.
    held: Arc<BTreeMap<String, HeldValues>>,
    /// Tells whether documents have values that scripts read, which those of a mapping of version 2 have not.
    has_packed: bool,
}

#[derive(Deserialize)]
struct Mapping {
    _meta: Meta,
    #[serde(default)]
    properties: BTreeMap<String, Property>,
}

#[derive(Deserialize)]
struct Meta {
    pelorus: IndexMeta,
}

#[derive(Deserialize)]
struct IndexMeta {
    name: String,
    id: String,
    definition: String,
}

#[derive(Deserialize)]
struct Property {
    #[serde(default)]
    properties: BTreeMap<String, Property>,
    value: Option<String>,
}

impl MappedIndex {
    /// Reads a mapping, as JSON. `options` is `EngineOptions`, the bounds on requests.
    ///
    /// # Errors
    /// `backend_data_parsing_error` where it is not one that we have made, and those of a definition or of options.
    pub fn read(mapping: &[u8], options: &[u8]) -> Result<Self> {
        let Mapping { _meta, properties } =
            serde_json::from_slice(mapping).map_err(|_| unreadable())?;
        let IndexMeta {
            name,
            id,
            definition,
        } = _meta.pelorus;
        let definition = definition.as_bytes();
        let facts = Facts::read(&properties).ok_or_else(unreadable)?;
        let searched = CandidateIndex::new(&name, definition, options, facts.searched())?;
        Ok(Self {
            id,
            definition: Arc::new(Definition::parse(&name, definition)?),
            facts,
            searched: Arc::new(searched),
        })
    }

    /// Refuses an index that has taken the name of this one.
    ///
    /// # Errors
    /// `index_not_found`.
    pub(crate) fn check_same(&self, now: &Self) -> Result<()> {
        match self.id == now.id {
            true => Ok(()),
            false => Err(index_not_found(&self.definition.documents.index)),
        }
    }
}

fn unreadable() -> EngineError {
    SearchError::ClusterAnswer("mapping that can be read").into()
}

impl Facts {
    fn read(properties: &BTreeMap<String, Property>) -> Option<Self> {
        let mut facts = Self {
            has_packed: properties.contains_key(POINTS),
            ..Self::default()
        };
        for name in properties.keys() {
            if let Some(part) = name.strip_prefix(CHUNKS) {
                facts.tensors.insert(path_name(part)?);
            }
        }
        let Some(known) = properties.get(FACTS) else {
            return Some(facts);
        };
        let mut held: BTreeMap<String, HeldValues> = BTreeMap::new();
        for (name, fact) in &known.properties {
            if let Some(part) = name.strip_prefix(TEXT) {
                let settings = serde_json::from_str(fact.value.as_ref()?).ok()?;
                facts.texts.insert(path_name(part)?, settings);
            } else if let Some(rest) = name.strip_prefix(ANALYSIS) {
                let (part, number) = rest.split_once('-')?;
                let analysis = (path_name(part)?, number.parse().ok()?);
                facts.analyses.insert(analysis);
            } else if let Some(part) = name.strip_prefix(TEXT_LIST) {
                facts.text_lists.insert(path_name(part)?);
            } else if let Some(rest) = name.strip_prefix(HELD) {
                let (part, kind) = rest.split_once('-')?;
                let held = held.entry(path_name(part)?).or_default();
                *held = held.union(held_by_name(kind)?);
            }
        }
        facts.held = Arc::new(held);
        Some(facts)
    }

    /// The fields that a search looks into.
    fn searched(&self) -> CandidateFields {
        let texts = self.texts.keys().map(|field| {
            let of_field = self.analyses.iter().filter(|(name, _)| name == field);
            let numbers = of_field.map(|(_, number)| *number);
            (field.as_str(), numbers.collect())
        });
        let analyses = self.texts.iter();
        let analyses = analyses.map(|(field, settings)| (field.clone(), settings.analysis()));
        CandidateFields {
            text: TextFields::new(texts),
            analyses: Arc::new(analyses.collect()),
            tensor: self.tensors.iter().cloned().collect(),
            held: self.held.clone(),
            held_max: HELD_COLUMNS_MAX,
            has_packed: self.has_packed,
        }
    }

    /// Tells whether documents have values that scripts read.
    pub(crate) fn has_packed(&self) -> bool {
        self.has_packed
    }

    /// Text fields, with the settings of their first document.
    pub fn texts(&self) -> &BTreeMap<String, TextSettings> {
        &self.texts
    }

    pub fn tensors(&self) -> &BTreeSet<String> {
        &self.tensors
    }

    /// The bounds on the fields of an index with this definition.
    pub(crate) fn limits<'a>(
        &self,
        definition: &'a Definition,
        limits: &'a EngineOptions,
    ) -> FieldLimits<'a, AnyColumns> {
        let texts = self.texts.keys().cloned();
        let tensors = self.tensors.iter().cloned();
        FieldLimits::of(definition, limits, AnyColumns, texts, tensors)
    }

    /// Tells whether some document has, or had, a list of texts in a field.
    pub fn has_text_lists(&self, field: &str) -> bool {
        self.text_lists.contains(field)
    }

    /// Tells whether some document has had a geo point in a field.
    pub fn has_points(&self, field: &str) -> bool {
        self.held.get(field).is_some_and(|held| held.points)
    }

    /// The analysis of the texts of a field.
    pub fn analysis(&self, field: &str) -> FieldAnalysis {
        let settings = self.texts.get(field);
        settings.map_or_else(FieldAnalysis::default, TextSettings::analysis)
    }

    /// Takes in a text field, which has these settings unless it is known.
    pub(crate) fn add_text(&mut self, field: &str, settings: impl FnOnce() -> TextSettings) {
        if !self.texts.contains_key(field) {
            self.texts.insert(field.to_owned(), settings());
        }
    }

    pub(crate) fn add_analysis(&mut self, field: &str, number: u8) {
        self.analyses.insert((field.to_owned(), number));
    }

    pub(crate) fn add_text_list(&mut self, field: &str) {
        self.text_lists.insert(field.to_owned());
    }

    pub(crate) fn add_tensor(&mut self, field: &str) {
        self.tensors.insert(field.to_owned());
    }

    /// Takes in the kinds of values of a document in a column.
    pub(crate) fn add_held(&mut self, column: String, values: HeldValues) {
        let known = self.held.get(&column).copied();
        let is_beyond = known.is_none() && self.held.len() >= HELD_COLUMNS_MAX;
        let all = known.unwrap_or_default().union(values);
        if !is_beyond && known != Some(all) {
            Arc::make_mut(&mut self.held).insert(column, all);
        }
    }

    /// Returns what a mapping that tells `known` lacks of these facts, as JSON; none where that is nothing:
    /// `{"tensors": [name of a nested field], "words": [name within `words`], "facts": {name: a field of the mapping}}`.
    pub fn beyond(&self, known: &Self) -> Option<Vec<u8>> {
        if self == known {
            return None;
        }
        let mut facts = Map::new();
        let mut words = Vec::new();
        let flag = || json!({"type": "object", "enabled": false});
        for (field, settings) in &self.texts {
            if !known.texts.contains_key(field) {
                let value = serde_json::to_string(settings).expect("texts serialise into memory");
                let constant = json!({"type": "constant_keyword", "value": value});
                facts.insert(TEXT.to_owned() + &path_part(field), constant);
                words.push(path_part(field));
            }
        }
        for (field, number) in self.analyses.difference(&known.analyses) {
            facts.insert(format!("{ANALYSIS}{}-{number}", path_part(field)), flag());
        }
        for field in self.text_lists.difference(&known.text_lists) {
            facts.insert(TEXT_LIST.to_owned() + &path_part(field), flag());
        }
        for (column, held) in &*self.held {
            let before = known.held.get(column).copied().unwrap_or_default();
            for ((kind, is_held), (_, was_held)) in held_names(*held).zip(held_names(before)) {
                if is_held && !was_held {
                    facts.insert(format!("{HELD}{}-{kind}", path_part(column)), flag());
                }
            }
        }
        let tensors = self.tensors.difference(&known.tensors);
        let tensors: Vec<String> = tensors
            .map(|field| CHUNKS.to_owned() + &path_part(field))
            .collect();
        let lacking: Value = json!({"tensors": tensors, "words": words, "facts": facts});
        Some(lacking.to_string().into_bytes())
    }
}

/// The name of each kind of values within facts, with whether it is held.
fn held_names(held: HeldValues) -> impl Iterator<Item = (&'static str, bool)> {
    let HeldValues {
        numbers,
        truths,
        dates,
        years,
        texts,
        points,
    } = held;
    let kinds = [
        ("numbers", numbers),
        ("truths", truths),
        ("dates", dates),
        ("years", years),
        ("texts", texts),
        ("points", points),
    ];
    kinds.into_iter()
}

fn held_by_name(name: &str) -> Option<HeldValues> {
    let mut held = HeldValues::default();
    let kind = match name {
        "numbers" => &mut held.numbers,
        "truths" => &mut held.truths,
        "dates" => &mut held.dates,
        "years" => &mut held.years,
        "texts" => &mut held.texts,
        "points" => &mut held.points,
        _ => return None,
    };
    *kind = true;
    Some(held)
}

/// The columns of an index on a cluster, which are terms of one field: their number has no bound.
pub(crate) struct AnyColumns;

impl KnownColumns for AnyColumns {
    fn count(&self) -> usize {
        0
    }

    fn has_field(&self, _: &str) -> bool {
        true
    }

    fn has_text_lists(&self, _: &str) -> bool {
        false
    }

    fn has_points(&self, _: &str) -> bool {
        false
    }
}
