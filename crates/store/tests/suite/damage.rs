//! A damaged byte is never an answer: whatever bit of a file flips, a reader gets the data it
//! stored or an error, and putting the bit back brings everything back.
use std::collections::BTreeMap;
use std::path::Path;

use pelorus_store::{Store, StoreError, WriteBatch, WriteOp};
use proptest::prelude::Rng;
use proptest::test_runner::{RngAlgorithm, TestRng};

const CACHE_BYTES: usize = 1 << 20;
const DOCUMENTS: u32 = 300;

/// Documents with their tensors, by ordinal.
type Content = BTreeMap<u32, (Vec<u8>, Vec<u8>)>;

/// A store with deep enough trees to have branch pages, values of several pages, and holes.
fn fill(path: &Path) {
    let store = Store::create(path, b"definition", CACHE_BYTES).unwrap();
    for start in (0..DOCUMENTS * 2).step_by(50) {
        let ops = (start..start + 50).map(|doc| WriteOp::Put {
            doc,
            replaces: doc.checked_sub(DOCUMENTS),
            document: vec![doc as u8; (doc % 97 * 8) as usize],
            tensors: vec![!doc as u8; if doc % 40 == 0 { 9000 } else { 100 }],
        });
        store.commit(&WriteBatch { ops: ops.collect() }).unwrap();
    }
    let deletes = (0..20).map(|i| WriteOp::Delete {
        doc: DOCUMENTS + i * 13,
    });
    store
        .commit(&WriteBatch {
            ops: deletes.collect(),
        })
        .unwrap();
}

fn read_all(path: &Path) -> Result<Content, StoreError> {
    let store = Store::open(path, CACHE_BYTES)?;
    let view = store.read()?;
    let mut content = Content::new();
    for doc in 0..view.next_doc()? {
        if let Some(document) = view.document(doc)? {
            let gone = || StoreError::Damaged {
                place: format!("tensors[{doc}]"),
                reason: "missing".into(),
            };
            content.insert(doc, (document, view.tensors(doc)?.ok_or_else(gone)?));
        }
    }
    let mut scanned = Content::new();
    view.scan(0, 0, |doc, document, tensors| {
        scanned.insert(doc, (document.to_vec(), tensors.unwrap().to_vec()));
        Ok::<_, StoreError>(())
    })?;
    assert!(scanned == content, "a scan meets other documents");
    Ok(content)
}

#[test]
fn a_flipped_bit_is_never_an_answer() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store");
    fill(&path);
    let expected = read_all(&path).unwrap();
    assert_eq!(expected.len(), DOCUMENTS as usize - 20);
    let whole = std::fs::read(&path).unwrap();
    let mut random = TestRng::from_seed(RngAlgorithm::ChaCha, &[17; 32]);
    let anywhere = (0..150).map(|_| random.next_u64() as usize % whole.len());
    // The heads of the file, of the tree and of the sums are few bytes with much power.
    let heads = (0..20)
        .chain((4096..4160).step_by(5))
        .chain((8192..8192 + 512).step_by(3));
    let (mut detected, mut harmless) = (0, 0);
    for at in anywhere.collect::<Vec<_>>().into_iter().chain(heads) {
        let mut damaged = whole.clone();
        damaged[at] ^= 1 << (at % 8);
        std::fs::write(&path, &damaged).unwrap();
        match read_all(&path) {
            Ok(content) => {
                assert!(content == expected, "wrong data after a flip in byte {at}");
                harmless += 1;
            }
            Err(StoreError::Damaged { .. }) => {
                // Nothing was lost by looking: the same file with that one bit right is whole.
                let mut mended = std::fs::read(&path).unwrap();
                mended[at] ^= 1 << (at % 8);
                std::fs::write(&path, &mended).unwrap();
                assert!(
                    read_all(&path).unwrap() == expected,
                    "byte {at} was not all that broke"
                );
                detected += 1;
            }
            Err(other) => panic!("byte {at}: {other}"),
        }
    }
    assert!(
        detected > 50 && harmless > 5,
        "{detected} detected, {harmless} in unused pages"
    );
}

#[test]
fn a_file_that_cannot_be_opened_keeps_every_byte() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store");
    fill(&path);
    let closed = std::fs::read(&path).unwrap();
    let store = Store::open(&path, CACHE_BYTES).unwrap();
    let unclean = std::fs::read(&path).unwrap();
    drop(store);
    // As open as after a crash: the two differ in the head of the tree.
    assert!(closed[8192..8192 + 512] != unclean[8192..8192 + 512]);
    let mut refused = 0;
    for whole in [&closed, &unclean] {
        let heads = (0..16).chain((8192..8192 + 512).step_by(3));
        let pages = (4096..whole.len()).step_by(4 * 4096 + 64);
        for at in heads.chain(pages) {
            let mut damaged = whole.clone();
            damaged[at] ^= 1 << (at % 8);
            std::fs::write(&path, &damaged).unwrap();
            if let Err(error) = Store::open(&path, CACHE_BYTES) {
                assert!(
                    matches!(
                        error,
                        StoreError::Damaged { .. } | StoreError::NewerFormat { .. }
                    ),
                    "byte {at}: {error}"
                );
                assert!(std::fs::read(&path).unwrap() == damaged, "byte {at}");
                refused += 1;
            }
        }
    }
    assert!(refused > 300, "{refused} refused");
}

/// Unix only: there a file that is open and locked can still be damaged from outside.
#[cfg(unix)]
#[test]
fn damage_is_named_and_closes_the_store() {
    use std::os::unix::fs::FileExt;

    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store");
    drop(Store::create(&path, b"definition", CACHE_BYTES).unwrap());
    let store = Store::open(&path, 0).unwrap();
    let marker = b"a sentence that occurs once in the file";
    let put = |doc, document: &[u8]| WriteOp::Put {
        doc,
        replaces: None,
        document: document.repeat(500),
        tensors: vec![],
    };
    let ops = vec![put(0, b"x"), put(1, marker)];
    store.commit(&WriteBatch { ops }).unwrap();
    let bytes = std::fs::read(&path).unwrap();
    let at = bytes.windows(marker.len()).position(|w| w == marker);
    let file = std::fs::File::options().write(true).open(&path).unwrap();
    file.write_all_at(b"A", at.unwrap() as u64).unwrap();

    let view = store.read().unwrap();
    assert!(view.document(0).unwrap().is_some());
    let first = view.document(1).unwrap_err().to_string();
    assert!(first.contains("documents[1], page at byte"), "{first}");
    let ops = vec![put(2, b"y")];
    let write = store.commit(&WriteBatch { ops }).unwrap_err();
    assert!(matches!(write, StoreError::Damaged { .. }), "{write}");
}
