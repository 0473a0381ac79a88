//! A store behaves like a map, across any number of reopenings.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeMap;

use pelorus_store::{CompactCopy, Store, StoreError, WriteBatch, WriteOp};
use proptest::prelude::*;

const CACHE_BYTES: usize = 1 << 20;

#[derive(Debug, Clone)]
enum Step {
    Put { id: u8, len: usize, gap: u32 },
    Revise { id: u8, len: usize },
    Delete { id: u8 },
    Refer { doc: u32, count: u32, len: usize },
    Define { len: usize },
    Suggest { key: u8, len: usize },
    Unsuggest { key: u8 },
    UnsuggestAll,
    EndOfBatch,
    Reopen,
    Compact,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        5 => (0u8..24, prop_oneof![0usize..200, 3000usize..20_000], 0u32..3)
            .prop_map(|(id, len, gap)| Step::Put { id, len, gap }),
        3 => (0u8..28, 0usize..6000).prop_map(|(id, len)| Step::Revise { id, len }),
        3 => (0u8..28).prop_map(|id| Step::Delete { id }),
        2 => (0u32..60, 0u32..30, 0usize..90)
            .prop_map(|(doc, count, len)| Step::Refer { doc, count, len }),
        1 => (0usize..9000).prop_map(|len| Step::Define { len }),
        3 => (0u8..28, 0usize..6000).prop_map(|(key, len)| Step::Suggest { key, len }),
        2 => (0u8..28).prop_map(|key| Step::Unsuggest { key }),
        1 => Just(Step::UnsuggestAll),
        4 => Just(Step::EndOfBatch),
        1 => Just(Step::Reopen),
        1 => Just(Step::Compact),
    ]
}

#[derive(Debug, Clone, PartialEq)]
struct Version {
    doc: u32,
    document: Vec<u8>,
    tensors: Vec<u8>,
    is_referred: bool,
}

#[derive(Default)]
struct Model {
    living: BTreeMap<String, Version>,
    definition: Vec<u8>,
    places: Option<Vec<u8>>,
    suggestions: BTreeMap<String, Vec<u8>>,
    next_doc: u32,
    sequence: u64,
}

impl Model {
    /// Applies a batch and says what the store must answer.
    fn apply(&mut self, batch: &WriteBatch) -> Vec<Option<u32>> {
        let mut has_effect = false;
        let replaced = batch.ops.iter().map(|op| match op {
            WriteOp::Put {
                id,
                doc,
                document,
                tensors,
            } => {
                self.next_doc = doc + 1;
                let version = Version {
                    doc: *doc,
                    document: document.clone(),
                    tensors: tensors.clone(),
                    is_referred: false,
                };
                self.living.insert(id.clone(), version).map(|old| old.doc)
            }
            WriteOp::Revise { id, document } => self.living.get_mut(id).map(|version| {
                version.document.clone_from(document);
                version.doc
            }),
            WriteOp::Delete { id } => self.living.remove(id).map(|old| old.doc),
            WriteOp::Refer { references, places } => {
                for (doc, reference) in references {
                    let mut living = self.living.values_mut();
                    let version = living.find(|one| one.doc == *doc && !one.is_referred);
                    if let Some(version) = version {
                        version.tensors.clone_from(reference);
                        version.is_referred = true;
                        self.places = Some(places.clone());
                        has_effect = true;
                    }
                }
                None
            }
            WriteOp::Define { definition } => {
                self.definition.clone_from(definition);
                None
            }
            WriteOp::Suggest { key, query } => {
                self.suggestions.insert(key.clone(), query.clone());
                has_effect = true;
                None
            }
            WriteOp::Unsuggest { key } => {
                has_effect |= self.suggestions.remove(key).is_some();
                None
            }
            WriteOp::UnsuggestAll => {
                has_effect |= !self.suggestions.is_empty();
                self.suggestions.clear();
                None
            }
        });
        let replaced: Vec<_> = replaced.collect();
        let is_effect = |op: &WriteOp| matches!(op, WriteOp::Put { .. } | WriteOp::Define { .. });
        has_effect |= batch.ops.iter().any(is_effect) || replaced.iter().any(Option::is_some);
        self.sequence += u64::from(has_effect);
        replaced
    }

    fn agrees_on_references(&self, view: &pelorus_store::ReadView) {
        for (is_referred, from) in [(true, 0), (false, 0), (true, 9), (false, 9)] {
            let mut expected: Vec<(u32, Vec<u8>)> = self
                .living
                .values()
                .filter(|one| one.is_referred == is_referred && one.doc >= from)
                .map(|one| (one.doc, one.tensors.clone()))
                .collect();
            expected.sort();
            let mut met = Vec::new();
            let mut meet = |doc: u32, bytes: &[u8]| met.push((doc, bytes.to_vec()));
            match is_referred {
                true => view.scan_references(from, |doc, bytes| {
                    meet(doc, bytes);
                    Ok::<_, StoreError>(())
                }),
                false => view.scan_unreferred(from, |doc, bytes| {
                    meet(doc, bytes);
                    Ok::<_, StoreError>(true)
                }),
            }
            .unwrap();
            assert_eq!(met, expected);
        }
    }

    fn agrees_with(&self, store: &Store) {
        let view = store.read().unwrap();
        assert_eq!(view.count().unwrap(), self.living.len() as u64);
        assert_eq!(view.next_doc().unwrap(), self.next_doc);
        assert_eq!(view.sequence().unwrap(), self.sequence);
        assert_eq!(store.definition().unwrap(), self.definition);
        assert_eq!(view.places().unwrap(), self.places);
        self.agrees_on_references(&view);
        let mut met = BTreeMap::new();
        view.scan_suggestions(|key, query| {
            met.insert(key.to_owned(), query.to_vec());
            Ok::<_, StoreError>(())
        })
        .unwrap();
        assert_eq!(met, self.suggestions);
        for key in (0..28).map(name) {
            let stored = view.suggestion(&key).unwrap();
            assert_eq!(stored.as_ref(), self.suggestions.get(&key));
        }
        for id in 0..28 {
            let id = name(id);
            let expected = self.living.get(&id);
            assert_eq!(view.doc_of(&id).unwrap(), expected.map(|v| v.doc));
        }
        let mut expected: Vec<_> = self.living.values().collect();
        expected.sort_by_key(|version| version.doc);
        let half = self.next_doc / 2;
        for (from, tensors_from) in [(0, 0), (half, 0), (0, half), (half / 2, u32::MAX)] {
            let mut met = Vec::new();
            view.scan(from, tensors_from, |doc, document, tensors| {
                met.push((doc, document.to_vec(), tensors.map(<[u8]>::to_vec)));
                Ok::<_, StoreError>(())
            })
            .unwrap();
            let visited = expected.iter().filter(|version| version.doc >= from);
            let expected = visited.map(|version| {
                let tensors = (version.doc >= tensors_from).then(|| version.tensors.clone());
                (version.doc, version.document.clone(), tensors)
            });
            assert!(met.into_iter().eq(expected));
        }
        for doc in 0..self.next_doc {
            let version = expected.iter().find(|version| version.doc == doc);
            assert_eq!(
                view.document(doc).unwrap().as_deref(),
                version.map(|v| &v.document[..])
            );
            assert_eq!(
                view.tensors(doc).unwrap().as_deref(),
                version.map(|v| &v.tensors[..])
            );
        }
    }
}

fn name(id: u8) -> String {
    ["é", "a\0b", "../../etc", " "]
        .get(id as usize)
        .map_or_else(|| format!("id-{id}"), |odd| odd.to_string())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn a_store_is_a_map_that_survives_being_closed(steps in prop::collection::vec(step(), 1..60)) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("store");
        let mut store = Store::create(&path, b"definition", CACHE_BYTES).unwrap();
        let mut model = Model {
            definition: b"definition".to_vec(),
            ..Model::default()
        };
        let mut batch = WriteBatch::default();
        let mut next_doc = 0;
        for step in steps.into_iter().chain([Step::EndOfBatch, Step::Reopen]) {
            match step {
                Step::Put { id, len, gap } => {
                    let doc = next_doc + gap;
                    next_doc = doc + 1;
                    batch.ops.push(WriteOp::Put {
                        id: name(id),
                        doc,
                        document: vec![id; len],
                        tensors: vec![!id; len / 2],
                    });
                }
                Step::Revise { id, len } => batch.ops.push(WriteOp::Revise {
                    id: name(id),
                    document: vec![id ^ 0xff; len],
                }),
                Step::Delete { id } => batch.ops.push(WriteOp::Delete { id: name(id) }),
                Step::Refer { doc, count, len } => {
                    let references = (doc..doc + count).map(|doc| (doc, vec![doc as u8; len]));
                    batch.ops.push(WriteOp::Refer {
                        references: references.collect(),
                        places: vec![doc as u8; 3],
                    });
                }
                Step::Suggest { key, len } => batch.ops.push(WriteOp::Suggest {
                    key: name(key),
                    query: vec![key; len],
                }),
                Step::Unsuggest { key } => {
                    batch.ops.push(WriteOp::Unsuggest { key: name(key) });
                }
                Step::UnsuggestAll => batch.ops.push(WriteOp::UnsuggestAll),
                Step::Define { len } => batch.ops.push(WriteOp::Define {
                    definition: vec![7; len],
                }),
                Step::EndOfBatch => {
                    let replaced = store.commit(&batch).unwrap();
                    prop_assert_eq!(replaced, model.apply(&std::mem::take(&mut batch)));
                    model.agrees_with(&store);
                }
                Step::Compact if cfg!(unix) => {
                    let view = store.read().unwrap();
                    let copy = CompactCopy::make(&view, &path, CACHE_BYTES, || true).unwrap().unwrap();
                    drop(view);
                    store = copy.replace(&store, &path).unwrap().unwrap();
                    model.agrees_with(&store);
                }
                Step::Compact => {}
                Step::Reopen => {
                    drop(store);
                    store = Store::open(&path, CACHE_BYTES).unwrap();
                    model.agrees_with(&store);
                }
            }
        }
    }
}

#[test]
fn a_view_does_not_move() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::create(&folder.path().join("store"), b"", CACHE_BYTES).unwrap();
    let put = |doc| WriteOp::Put {
        id: "a".into(),
        doc,
        document: vec![doc as u8],
        tensors: vec![],
    };
    store.commit(&WriteBatch { ops: vec![put(0)] }).unwrap();
    let before = store.read().unwrap();
    assert_eq!(
        store.commit(&WriteBatch { ops: vec![put(1)] }).unwrap(),
        [Some(0)]
    );
    assert_eq!(before.document(0).unwrap().as_deref(), Some(&[0][..]));
    assert_eq!(before.doc_of("a").unwrap(), Some(0));
    assert_eq!(store.read().unwrap().document(0).unwrap(), None);
}

#[test]
fn a_bad_batch_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::create(&folder.path().join("store"), b"", CACHE_BYTES).unwrap();
    let put = |id: &str, doc| WriteOp::Put {
        id: id.into(),
        doc,
        document: vec![],
        tensors: vec![],
    };
    store
        .commit(&WriteBatch {
            ops: vec![put("a", 4)],
        })
        .unwrap();

    let stale = store
        .commit(&WriteBatch {
            ops: vec![put("b", 5), put("c", 5)],
        })
        .unwrap_err();
    assert!(
        matches!(
            stale,
            StoreError::OrdinalOrder {
                expected_min: 6,
                received: 5
            }
        ),
        "{stale}"
    );
    let nameless = store
        .commit(&WriteBatch {
            ops: vec![put("b", 5), put("", 6)],
        })
        .unwrap_err();
    assert!(matches!(nameless, StoreError::EmptyId), "{nameless}");
    let last = store
        .commit(&WriteBatch {
            ops: vec![put("b", u32::MAX)],
        })
        .unwrap_err();
    assert!(matches!(last, StoreError::OrdinalOrder { .. }), "{last}");

    let view = store.read().unwrap();
    assert_eq!(
        (
            view.count().unwrap(),
            view.next_doc().unwrap(),
            view.sequence().unwrap()
        ),
        (1, 5, 1)
    );
}

#[test]
fn a_large_value_crosses_groups_of_pages_whole() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store");
    let store = Store::create(&path, b"", CACHE_BYTES).unwrap();
    let large: Vec<u8> = (0..9_000_000u32)
        .map(|i| (i.wrapping_mul(2_654_435_761) >> 24) as u8)
        .collect();
    let ops = vec![WriteOp::Put {
        id: "a".into(),
        doc: 0,
        document: large.clone(),
        tensors: large.clone(),
    }];
    store.commit(&WriteBatch { ops }).unwrap();
    drop(store);
    let store = Store::open(&path, CACHE_BYTES).unwrap();
    assert!(store.read().unwrap().document(0).unwrap().unwrap() == large);
    store
        .commit(&WriteBatch {
            ops: vec![WriteOp::Delete { id: "a".into() }],
        })
        .unwrap();
    drop(store);
    assert_eq!(
        Store::open(&path, CACHE_BYTES)
            .unwrap()
            .read()
            .unwrap()
            .count()
            .unwrap(),
        0
    );
}
