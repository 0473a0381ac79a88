//! The answers that an engine must give, told from the acknowledged writes: brute force over a few
//! documents.
//!
//! A write that was answered by an error may be on the disk or not, but only as a whole. So the
//! oracle keeps every state that an index may be in; usually that is one.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Deref;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use pelorus_random::SplitMix64;

/// Ids are `d0` .. `d99`.
pub const IDS: usize = 100;
pub const WORDS: [&str; 5] = ["apple", "pear", "plum", "quince", "cherry"];
pub const GROUPS: usize = 3;
/// Vectors are made from this many seeds.
const SEEDS: usize = 40;

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Document {
    pub word: usize,
    pub topping: usize,
    /// The number of further words in the title: lengths matter for scores.
    pub filler: usize,
    pub group: usize,
    /// Tensor fields and the seeds of their vectors.
    pub vectors: BTreeMap<String, usize>,
    /// Bytes of a field that is there to take room.
    pub bulk: usize,
}

impl Document {
    pub fn random(random: &mut SplitMix64) -> Self {
        let mut vectors = BTreeMap::new();
        for field in ["v", "w"] {
            if random.below(3) > 0 {
                vectors.insert(field.to_owned(), random.below(SEEDS));
            }
        }
        Self {
            word: random.below(WORDS.len()),
            topping: random.below(WORDS.len()),
            filler: random.below(5),
            group: random.below(GROUPS),
            vectors,
            bulk: 0,
        }
    }

    pub fn title(&self) -> String {
        let (word, topping) = (WORDS[self.word], WORDS[self.topping]);
        format!("{word}{} pie with {topping}", " baked".repeat(self.filler))
    }

    /// The number of times that the title has a word.
    pub fn frequency(&self, word: usize) -> usize {
        [self.word, self.topping]
            .iter()
            .filter(|of| **of == word)
            .count()
    }

    /// Words of the title.
    pub fn length(&self) -> usize {
        4 + self.filler
    }

    pub fn json(&self, id: usize) -> Value {
        let mut document = json!({"_id": id_of(id), "group": self.group, "title": self.title()});
        if self.bulk > 0 {
            document["bulk"] = json!("x".repeat(self.bulk));
        }
        for (field, seed) in &self.vectors {
            document[field] = json!({"vector": vector_of(*seed)});
        }
        document
    }
}

pub fn id_of(id: usize) -> String {
    format!("d{id}")
}

pub fn vector_of(seed: usize) -> Vec<f32> {
    crate::support::embed(&format!("vector {seed}"))
}

/// The content of one index. Most of it are its documents, and it is used as these.
#[derive(Clone, Default, PartialEq, Debug, Serialize, Deserialize)]
pub struct Model {
    documents: BTreeMap<usize, Document>,
    /// Queries that it suggests, by the numbers in their texts.
    pub queries: BTreeSet<usize>,
    /// The note that its definition was last given.
    pub note: Option<usize>,
}

impl Deref for Model {
    type Target = BTreeMap<usize, Document>;

    fn deref(&self) -> &Self::Target {
        &self.documents
    }
}

impl Model {
    /// The same without some vectors, or without the documents that have them.
    pub fn without(&self, vectors: &BTreeMap<usize, BTreeSet<String>>, whole: bool) -> Self {
        let mut model = self.clone();
        for (id, fields) in vectors {
            match model.documents.get_mut(id) {
                Some(_) if whole => {
                    model.documents.remove(id);
                }
                Some(document) => document.vectors.retain(|field, _| !fields.contains(field)),
                None => {}
            }
        }
        model
    }
}

pub fn query_of(number: usize) -> String {
    format!("query {number}")
}

/// One write.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Change {
    Add(Vec<(usize, Document)>),
    Delete(Vec<usize>),
    /// Moves documents to another group, those of them that are there.
    Update(Vec<(usize, usize)>),
    Suggest(BTreeSet<usize>),
    Unsuggest(BTreeSet<usize>),
    Define(usize),
    /// Makes the store refer to the rows of vectors: no answer changes.
    Refer,
    /// Puts a copy in the place of the store: no answer changes.
    Compact,
}

impl Change {
    pub fn random_add(random: &mut SplitMix64, count: usize) -> Self {
        // One batch names no document twice.
        let mut documents = BTreeMap::new();
        while documents.len() < count {
            documents.insert(random.below(IDS), Document::random(random));
        }
        Self::Add(documents.into_iter().collect())
    }

    pub fn with_bulk(mut self, bytes: usize) -> Self {
        if let Self::Add(documents) = &mut self {
            documents
                .iter_mut()
                .for_each(|(_, document)| document.bulk = bytes);
        }
        self
    }

    pub fn random_delete(random: &mut SplitMix64, count: usize) -> Self {
        Self::Delete((0..count).map(|_| random.below(IDS)).collect())
    }

    pub fn random_update(random: &mut SplitMix64, count: usize) -> Self {
        let mut moves = BTreeMap::new();
        while moves.len() < count {
            moves.insert(random.below(IDS), random.below(GROUPS));
        }
        Self::Update(moves.into_iter().collect())
    }

    pub fn random_suggest(random: &mut SplitMix64, count: usize) -> Self {
        Self::Suggest((0..count).map(|_| random.below(IDS)).collect())
    }

    pub fn random_unsuggest(random: &mut SplitMix64, count: usize) -> Self {
        Self::Unsuggest((0..count).map(|_| random.below(IDS)).collect())
    }

    fn apply(&self, model: &mut Model) {
        match self {
            Self::Add(documents) => model.documents.extend(documents.iter().cloned()),
            Self::Delete(ids) => ids.iter().for_each(|id| {
                model.documents.remove(id);
            }),
            Self::Suggest(queries) => model.queries.extend(queries),
            Self::Unsuggest(queries) => model.queries.retain(|number| !queries.contains(number)),
            Self::Define(note) => model.note = Some(*note),
            Self::Refer | Self::Compact => {}
            Self::Update(moves) => {
                for (id, group) in moves {
                    if let Some(document) = model.documents.get_mut(id) {
                        document.group = *group;
                    }
                }
            }
        }
    }
}

/// Something that was asked of the engine.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Act {
    Create(String),
    Drop(String),
    Change(String, Change),
}

impl Act {
    pub fn index(&self) -> &str {
        match self {
            Self::Create(name) | Self::Drop(name) | Self::Change(name, _) => name,
        }
    }

    pub fn name(&self) -> &str {
        match self {
            Self::Create(_) => "create",
            Self::Drop(_) => "drop",
            Self::Change(_, Change::Add(_)) => "add to",
            Self::Change(_, Change::Delete(_)) => "delete from",
            Self::Change(_, Change::Update(_)) => "update in",
            Self::Change(_, Change::Suggest(_)) => "suggest in",
            Self::Change(_, Change::Unsuggest(_)) => "suggest no more in",
            Self::Change(_, Change::Define(_)) => "redefine",
            Self::Change(_, Change::Refer) => "refer in",
            Self::Change(_, Change::Compact) => "compact",
        }
    }

    fn apply(&self, state: &mut Option<Model>) {
        match self {
            Self::Create(_) => {
                state.get_or_insert_default();
            }
            Self::Drop(_) => *state = None,
            Self::Change(_, change) => {
                if let Some(model) = state {
                    change.apply(model);
                }
            }
        }
    }
}

/// The possible contents of one index; `None` where there may be no such index.
pub type States = Vec<Option<Model>>;

/// Every index that was ever asked for, with its possible contents.
#[derive(Clone, Default, Debug, Serialize, Deserialize)]
pub struct Oracle {
    pub indexes: BTreeMap<String, States>,
}

impl Oracle {
    fn states(&mut self, name: &str) -> &mut States {
        let none = || vec![None];
        self.indexes.entry(name.to_owned()).or_insert_with(none)
    }

    /// The engine said that it did this.
    pub fn acknowledged(&mut self, act: &Act) {
        let states = self.states(act.index());
        states.iter_mut().for_each(|state| act.apply(state));
        remove_repeated(states);
    }

    /// The engine answered with an error, or not at all: it may have done this or not.
    pub fn unknown(&mut self, act: &Act) {
        let states = self.states(act.index());
        let mut done = states.clone();
        done.iter_mut().for_each(|state| act.apply(state));
        states.append(&mut done);
        remove_repeated(states);
    }

    /// It was seen whether there is such an index.
    pub fn seen(&mut self, name: &str, exists: bool) {
        self.states(name).retain(|state| state.is_some() == exists);
    }
}

fn remove_repeated(states: &mut States) {
    let mut distinct = States::new();
    for state in states.drain(..) {
        if !distinct.contains(&state) {
            distinct.push(state);
        }
    }
    *states = distinct;
}
