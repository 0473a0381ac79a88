//! A process killed at any moment loses nothing it acknowledged.
//!
//! The test starts this very test binary as a child that commits in a loop and prints each
//! sequence number once its commit returned, kills it at a random moment, and opens the file.
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use pelorus_store::{CompactCopy, ReadView, Store, StoreError, WriteBatch, WriteOp};
use proptest::prelude::Rng;
use proptest::test_runner::{RngAlgorithm, TestRng};

const CACHE_BYTES: usize = 1 << 20;
const ROUNDS: usize = 25;
const IDS: u64 = 40;
const DEFINES_EVERY: u64 = 4;
const CLEARS_EVERY: u64 = 16;
const COMPACTS_EVERY: u64 = 3;
const VICTIM: &str = "PELORUS_STORE_VICTIM";

/// The batch of a commit, and with it the whole content after it, follows from its sequence.
/// Batch `s` rewrites five of the ids, deletes one of them again now and then, and revises another
/// if it is alive.
fn batch(sequence: u64, next_doc: u32, mut living: BTreeMap<u64, u32>) -> WriteBatch {
    let ids = (0..5).map(|i| (sequence * 5 + i) % IDS);
    let put = |(doc, id): (u32, u64)| WriteOp::Put {
        doc,
        replaces: living.insert(id, doc),
        document: sequence.to_le_bytes().repeat(1 + (sequence % 600) as usize),
        tensors: vec![id as u8; 3000],
    };
    let mut ops: Vec<_> = (next_doc..).zip(ids).map(put).collect();
    if sequence.is_multiple_of(3) {
        let deleted = living.remove(&(sequence * 5 % IDS));
        ops.extend(deleted.map(|doc| WriteOp::Delete { doc }));
    }
    let revised = living.get(&revised_by(sequence));
    ops.extend(revised.map(|&doc| WriteOp::Revise {
        doc,
        document: sequence.to_le_bytes().to_vec(),
    }));
    // A query of its own for each batch; all of them go now and then.
    if sequence.is_multiple_of(CLEARS_EVERY) {
        ops.push(WriteOp::UnsuggestAll);
    }
    ops.push(WriteOp::Suggest {
        key: format!("query {sequence}"),
        query: vec![sequence as u8; 2000],
    });
    if sequence.is_multiple_of(DEFINES_EVERY) {
        ops.push(WriteOp::Define {
            definition: definition(sequence),
        });
    }
    WriteBatch { ops }
}

/// The ordinals of the living documents by id, which their tensors tell.
fn living(view: &ReadView) -> BTreeMap<u64, u32> {
    let mut living = BTreeMap::new();
    view.scan(0, 0, |doc, _, tensors| {
        let id = u64::from(tensors.unwrap()[0]);
        assert_eq!(living.insert(id, doc), None, "two versions of {id}");
        Ok::<_, StoreError>(())
    })
    .unwrap();
    living
}

/// The content of the last batch that defined anything at or before `sequence`.
fn definition(sequence: u64) -> Vec<u8> {
    (sequence - sequence % DEFINES_EVERY).to_le_bytes().to_vec()
}

fn revised_by(sequence: u64) -> u64 {
    (sequence * 5 + 20) % IDS
}

/// The sequence of the batch that last wrote or revised `id` at or before `sequence`, if it is alive.
fn writer_of(id: u64, sequence: u64) -> Option<u64> {
    let last = (1..=sequence)
        .rev()
        .find(|s| (0..5).any(|i| (s * 5 + i) % IDS == id))?;
    let deleted = last.is_multiple_of(3) && last * 5 % IDS == id;
    let mut later = (last + 1..=sequence).rev();
    let revised = later.find(|s| revised_by(*s) == id);
    (!deleted).then_some(revised.unwrap_or(last))
}

fn check_content(store: &Store) -> u64 {
    let view = store.read().unwrap();
    let sequence = view.sequence().unwrap();
    let docs = living(&view);
    let mut met = 0;
    for id in 0..IDS {
        let written = docs.get(&id).map(|&doc| {
            met += 1;
            assert_eq!(view.tensors(doc).unwrap().unwrap(), vec![id as u8; 3000]);
            let document = view.document(doc).unwrap().unwrap();
            u64::from_le_bytes(document[..8].try_into().unwrap())
        });
        assert_eq!(
            written,
            writer_of(id, sequence),
            "id-{id} at sequence {sequence}"
        );
    }
    assert_eq!((docs.len() as u64, view.count().unwrap()), (met, met));
    assert_eq!(store.definition().unwrap(), definition(sequence));
    let mut suggested = 0;
    view.scan_suggestions(|_, _| {
        suggested += 1;
        Ok::<_, StoreError>(())
    })
    .unwrap();
    let since_cleared = (sequence - sequence % CLEARS_EVERY).max(1)..=sequence;
    assert_eq!(suggested, since_cleared.clone().count());
    for one in since_cleared {
        let query = view.suggestion(&format!("query {one}")).unwrap();
        assert_eq!(query, Some(vec![one as u8; 2000]), "query {one}");
    }
    sequence
}

fn commit_until_killed(path: &Path) -> ! {
    let mut store = Store::open(path, CACHE_BYTES).unwrap();
    let mut sequence = store.read().unwrap().sequence().unwrap();
    let mut out = std::io::stdout();
    loop {
        let view = store.read().unwrap();
        sequence += 1;
        let batch = batch(sequence, view.next_doc().unwrap(), living(&view));
        drop(view);
        store.commit(&batch).unwrap();
        writeln!(out, "acknowledged {sequence}").unwrap();
        out.flush().unwrap();
        if cfg!(unix) && sequence.is_multiple_of(COMPACTS_EVERY) {
            let view = store.read().unwrap();
            let copy = CompactCopy::make(&view, path, CACHE_BYTES, || true).unwrap();
            drop(view);
            store = copy.unwrap().replace(&store, path).unwrap().unwrap();
        }
    }
}

#[test]
fn a_killed_process_loses_nothing_it_acknowledged() {
    if let Some(path) = std::env::var_os(VICTIM) {
        commit_until_killed(Path::new(&path));
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store");
    drop(Store::create(&path, &definition(0), CACHE_BYTES).unwrap());
    let mut random = TestRng::from_seed(RngAlgorithm::ChaCha, &[5; 32]);
    let mut acknowledged = 0;
    for round in 0..ROUNDS {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args([
                "kill::a_killed_process_loses_nothing_it_acknowledged",
                "--exact",
                "--nocapture",
            ])
            .env(VICTIM, &path)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut lines = lines
            .map(Result::unwrap)
            .filter(|line| line.starts_with("acknowledged"));
        acknowledged = sequence_in(&lines.next().expect("the victim commits at least once"));
        std::thread::sleep(Duration::from_micros(random.next_u64() % 40_000));
        child.kill().unwrap();
        acknowledged = lines.last().map_or(acknowledged, |line| sequence_in(&line));
        child.wait().unwrap();

        let store = Store::open(&path, CACHE_BYTES).unwrap();
        let sequence = check_content(&store);
        // The last commit may have reached the disk without the time to say so.
        assert!(
            sequence == acknowledged || sequence == acknowledged + 1,
            "round {round}: {acknowledged} acknowledged, {sequence} found"
        );
    }
    assert!(acknowledged >= ROUNDS as u64);
}

fn sequence_in(line: &str) -> u64 {
    line.rsplit(' ').next().unwrap().parse().unwrap()
}
