//! A store behaves like a map, across any number of reopenings.
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
    document: Vec<u8>,
    tensors: Vec<u8>,
    is_referred: bool,
}

#[derive(Default)]
struct Model {
    living: BTreeMap<u32, Version>,
    definition: Vec<u8>,
    places: Option<Vec<u8>>,
    suggestions: BTreeMap<String, Vec<u8>>,
    next_doc: u32,
    sequence: u64,
}

impl Model {
    fn apply(&mut self, batch: &WriteBatch) {
        let mut has_effect = false;
        for op in &batch.ops {
            has_effect |= self.change(op);
        }
        self.sequence += u64::from(has_effect);
    }

    /// Applies an operation; tells whether anything is other than before.
    fn change(&mut self, op: &WriteOp) -> bool {
        match op {
            WriteOp::Put {
                doc,
                replaces,
                document,
                tensors,
            } => {
                self.next_doc = doc + 1;
                if let Some(old) = replaces {
                    self.living.remove(old).unwrap();
                }
                let version = Version {
                    document: document.clone(),
                    tensors: tensors.clone(),
                    is_referred: false,
                };
                self.living.insert(*doc, version);
            }
            WriteOp::Revise { doc, document } => {
                let version = self.living.get_mut(doc).unwrap();
                version.document.clone_from(document);
            }
            WriteOp::Delete { doc } => drop(self.living.remove(doc).unwrap()),
            WriteOp::Refer { references, places } => {
                let mut has_effect = false;
                for (doc, reference) in references {
                    let version = self.living.get_mut(doc);
                    if let Some(version) = version.filter(|one| !one.is_referred) {
                        version.tensors.clone_from(reference);
                        version.is_referred = true;
                        self.places = Some(places.clone());
                        has_effect = true;
                    }
                }
                return has_effect;
            }
            WriteOp::Define { definition } => self.definition.clone_from(definition),
            WriteOp::Suggest { key, query } => {
                self.suggestions.insert(key.clone(), query.clone());
            }
            WriteOp::Unsuggest { key } => return self.suggestions.remove(key).is_some(),
            WriteOp::UnsuggestAll => {
                return !std::mem::take(&mut self.suggestions).is_empty();
            }
        }
        true
    }

    fn agrees_on_references(&self, view: &pelorus_store::ReadView) {
        for (is_referred, from) in [(true, 0), (false, 0), (true, 9), (false, 9)] {
            let expected: Vec<(u32, Vec<u8>)> = self
                .living
                .range(from..)
                .filter(|(_, one)| one.is_referred == is_referred)
                .map(|(doc, one)| (*doc, one.tensors.clone()))
                .collect();
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
        let half = self.next_doc / 2;
        for (from, tensors_from) in [(0, 0), (half, 0), (0, half), (half / 2, u32::MAX)] {
            let mut met = Vec::new();
            view.scan(from, tensors_from, |doc, document, tensors| {
                met.push((doc, document.to_vec(), tensors.map(<[u8]>::to_vec)));
                Ok::<_, StoreError>(())
            })
            .unwrap();
            let expected = self.living.range(from..).map(|(doc, version)| {
                let tensors = (*doc >= tensors_from).then(|| version.tensors.clone());
                (*doc, version.document.clone(), tensors)
            });
            assert!(met.into_iter().eq(expected));
        }
        for doc in 0..=self.next_doc {
            let version = self.living.get(&doc);
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
        // The living ordinals of ids, and the next one, after the batch that is not committed yet.
        let mut docs = BTreeMap::new();
        let mut next_doc = 0;
        for step in steps.into_iter().chain([Step::EndOfBatch, Step::Reopen]) {
            match step {
                Step::Put { id, len, gap } => {
                    let doc = next_doc + gap;
                    next_doc = doc + 1;
                    batch.ops.push(WriteOp::Put {
                        doc,
                        replaces: docs.insert(id, doc),
                        document: vec![id; len],
                        tensors: vec![!id; len / 2],
                    });
                }
                Step::Revise { id, len } => {
                    let revise = docs.get(&id).map(|&doc| WriteOp::Revise {
                        doc,
                        document: vec![id ^ 0xff; len],
                    });
                    batch.ops.extend(revise);
                }
                Step::Delete { id } => {
                    let delete = docs.remove(&id).map(|doc| WriteOp::Delete { doc });
                    batch.ops.extend(delete);
                }
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
                    store.commit(&batch).unwrap();
                    model.apply(&std::mem::take(&mut batch));
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
    let put = |doc, replaces| WriteBatch {
        ops: vec![WriteOp::Put {
            doc,
            replaces,
            document: vec![doc as u8],
            tensors: vec![],
        }],
    };
    store.commit(&put(0, None)).unwrap();
    let before = store.read().unwrap();
    store.commit(&put(1, Some(0))).unwrap();
    let after = store.read().unwrap();
    for (view, shown, other) in [(before, 0, 1), (after, 1, 0)] {
        assert_eq!(view.document(shown).unwrap(), Some(vec![shown as u8]));
        assert_eq!(view.document(other).unwrap(), None);
        assert_eq!(view.count().unwrap(), 1);
    }
}

#[test]
fn a_bad_batch_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::create(&folder.path().join("store"), b"", CACHE_BYTES).unwrap();
    let put = |doc| WriteOp::Put {
        doc,
        replaces: None,
        document: vec![],
        tensors: vec![],
    };
    store.commit(&WriteBatch { ops: vec![put(4)] }).unwrap();

    let stale = store
        .commit(&WriteBatch {
            ops: vec![put(5), put(5)],
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
    let last = store
        .commit(&WriteBatch {
            ops: vec![put(5), put(u32::MAX)],
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
fn a_change_of_a_version_that_is_not_there_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store");
    let mut store = Store::create(&path, b"", CACHE_BYTES).unwrap();
    let put = |doc, replaces| WriteOp::Put {
        doc,
        replaces,
        document: vec![doc as u8; 300],
        tensors: vec![!doc as u8; 5000],
    };
    let suggest = |query: u8| WriteOp::Suggest {
        key: "key".into(),
        query: vec![query; 20],
    };
    let define = |definition: u8| WriteOp::Define {
        definition: vec![definition],
    };
    let refer = |doc: u32| WriteOp::Refer {
        references: vec![(doc, vec![doc as u8])],
        places: vec![doc as u8],
    };
    let mut model = Model::default();
    let mut commit = |store: &Store, ops| {
        let batch = WriteBatch { ops };
        store.commit(&batch).unwrap();
        model.apply(&batch);
        model.agrees_with(store);
    };
    // There never was a version of 1, that of 2 was replaced, that of 3 is gone.
    commit(&store, [0, 2, 3, 4, 5].map(|doc| put(doc, None)).into());
    commit(&store, vec![refer(5), suggest(1), define(1)]);
    commit(&store, vec![put(6, Some(2)), WriteOp::Delete { doc: 3 }]);

    // Versions of 4, 5 and 7 are there until an earlier change of the same batch.
    for missing in [1, 2, 3, 4, 5, 7, 8, 9, u32::MAX] {
        let changes = [
            put(9, Some(missing)),
            WriteOp::Revise {
                doc: missing,
                document: b"never".to_vec(),
            },
            WriteOp::Delete { doc: missing },
        ];
        for change in changes {
            let ops = vec![
                put(7, Some(4)),
                WriteOp::Delete { doc: 5 },
                put(8, Some(7)),
                WriteOp::Delete { doc: 8 },
                WriteOp::Revise {
                    doc: 0,
                    document: b"never".to_vec(),
                },
                refer(0),
                suggest(2),
                define(2),
                change,
                put(10, None),
            ];
            let refused = store.commit(&WriteBatch { ops }).unwrap_err();
            assert!(matches!(refused, StoreError::Damaged { .. }), "{refused}");
            let place = format!("documents[{missing}]");
            assert!(refused.to_string().contains(&place), "{refused}");
            assert!(store.is_writable());
            model.agrees_with(&store);
        }
        drop(store);
        store = Store::open(&path, CACHE_BYTES).unwrap();
        model.agrees_with(&store);
    }
    let batch = WriteBatch {
        ops: vec![put(7, Some(4)), WriteOp::Delete { doc: 5 }],
    };
    store.commit(&batch).unwrap();
    model.apply(&batch);
    model.agrees_with(&store);
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
        doc: 0,
        replaces: None,
        document: large.clone(),
        tensors: large.clone(),
    }];
    store.commit(&WriteBatch { ops }).unwrap();
    drop(store);
    let store = Store::open(&path, CACHE_BYTES).unwrap();
    assert!(store.read().unwrap().document(0).unwrap().unwrap() == large);
    store
        .commit(&WriteBatch {
            ops: vec![WriteOp::Delete { doc: 0 }],
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
