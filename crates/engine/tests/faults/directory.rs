//! A data directory with every kind of file, and copies of it.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use pelorus_engine::{Engine, EngineError, ItemsResponse, WriteDone};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::oracle::{Act, Change, Document, Oracle, query_of};
use super::probes::{Said, judge};
use crate::support::{Fixture, definition};
use pelorus_random::SplitMix64;

/// New documents before each stop: so many less each time that the postings of a stop stay a segment
/// of their own.
const BATCHES: [std::ops::Range<usize>; 3] = [0..60, 60..76, 76..80];

/// One state of a data directory, and the acknowledged writes in it.
pub struct Pristine {
    pub directory: TempDir,
    pub oracle: Oracle,
}

/// Does what `act` says; tells the outcome.
///
/// # Errors
/// Those of the engine, and `item` when a document was refused.
pub fn perform(fixture: &Fixture, act: &Act) -> Result<(), EngineError> {
    match act {
        Act::Create(name) => fixture.engine.create_index(name, &definition(json!({}))),
        Act::Drop(name) => fixture.engine.drop_index(name),
        Act::Change(name, Change::Add(documents)) => {
            let documents: Vec<Value> = documents.iter().map(|(id, d)| d.json(*id)).collect();
            let mapping = json!({"type": "custom_vector"});
            let body = json!({"documents": documents, "tensorFields": ["v", "w"],
                "mappings": {"v": mapping, "w": mapping}});
            let response = fixture.try_add(name, body)?;
            let answer = String::from_utf8_lossy(&response.body);
            assert_eq!((response.failure, response.error), (0, 0), "{answer}");
            Ok(())
        }
        Act::Change(name, Change::Delete(ids)) => {
            let ids: Vec<String> = ids.iter().map(|id| super::oracle::id_of(*id)).collect();
            let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
            fixture.try_delete(name, &ids).map(drop)
        }
        Act::Change(name, Change::Suggest(queries)) => {
            let query = |number: &usize| json!({"query": query_of(*number), "popularity": number, "metadata": "{}"});
            let queries: Vec<Value> = queries.iter().map(query).collect();
            let request = json!({"queries": queries}).to_string();
            let engine = &fixture.engine;
            let response = written(|done| engine.put_queries(name, request.as_bytes(), done))?;
            assert_eq!(response.failure, 0);
            Ok(())
        }
        Act::Change(name, Change::Unsuggest(queries)) => {
            let queries: Vec<String> = queries.iter().map(|number| query_of(*number)).collect();
            let request = json!({"queries": queries}).to_string();
            let engine = &fixture.engine;
            written(|done| engine.delete_queries(name, request.as_bytes(), done)).map(drop)
        }
        Act::Change(name, Change::Define(note)) => {
            let noted = definition(json!({"note": note}));
            written(|done| fixture.engine.redefine_index(name, noted, done)).map(drop)
        }
        Act::Change(name, Change::Refer) => {
            written(|done| fixture.engine.refer_to_vectors(name, done)).map(drop)
        }
        Act::Change(name, Change::Compact) => {
            written(|done| fixture.engine.compact_store(name, done)).map(drop)
        }
        Act::Change(name, Change::Update(moves)) => {
            let moves = moves.iter();
            let moves: Vec<Value> = moves
                .map(|(id, group)| json!({"_id": super::oracle::id_of(*id), "group": group}))
                .collect();
            fixture.try_update(name, json!(moves)).map(drop)
        }
    }
}

fn written(write: impl FnOnce(WriteDone)) -> Result<ItemsResponse, EngineError> {
    let (done, answer) = mpsc::channel();
    write(Box::new(move |answer| done.send(answer).unwrap()));
    answer.recv().unwrap()
}

/// Until then nobody holds a directory that was closed any more.
const PATIENCE: Duration = Duration::from_secs(300);

/// Opens a directory as soon as nobody holds it: on a busy machine background work lets go of it a
/// moment after it was closed, and so does a process of another trial that is just being started.
pub fn open_when_free(root: &Path) -> Result<Engine, EngineError> {
    let start = Instant::now();
    loop {
        match Engine::open(root, b"{}") {
            Err(error) if error.code() == "data_directory_in_use" && start.elapsed() < PATIENCE => {
                std::thread::sleep(Duration::from_millis(10));
            }
            opened => return opened,
        }
    }
}

/// A data directory with three indexes, one of them empty. The first is left by a clean stop, the
/// second by the end of the process without one.
pub fn pristine() -> [Pristine; 2] {
    let mut random = SplitMix64(1);
    let mut oracle = Oracle::default();
    let mut fixture = Fixture::new();
    let mut act = |fixture: &Fixture, act: Act| {
        perform(fixture, &act).unwrap();
        oracle.acknowledged(&act);
    };
    for name in ["shop", "notes", "empty"] {
        act(&fixture, Act::Create(name.into()));
    }
    for ids in BATCHES {
        for name in ["shop", "notes"] {
            let add = |id| (id, Document::random(&mut random));
            let add = Change::Add(ids.clone().map(add).collect());
            act(&fixture, Act::Change(name.into(), add));
        }
        // Some before a snapshot knows them, some after; the last ones not at all.
        act(&fixture, Act::Change("shop".into(), Change::Refer));
        fixture = fixture.reopen();
    }
    for name in ["shop", "notes"] {
        let add = Change::random_add(&mut random, 2);
        act(&fixture, Act::Change(name.into(), add));
        let delete = Change::random_delete(&mut random, 4);
        act(&fixture, Act::Change(name.into(), delete));
        if name == "notes" {
            act(&fixture, Act::Change(name.into(), Change::Refer));
        }
        let update = Change::random_update(&mut random, 4);
        act(&fixture, Act::Change(name.into(), update));
        let suggest = Change::random_suggest(&mut random, 20);
        act(&fixture, Act::Change(name.into(), suggest));
        act(&fixture, Act::Change(name.into(), Change::Define(1)));
    }
    settle(fixture.directory.path());
    let killed = tempfile::tempdir().unwrap();
    copy(fixture.directory.path(), killed.path());
    assert_eq!(judge(&fixture.engine, &oracle), Ok(Said::new()));
    fixture.engine.close();
    let whole = [fixture.directory, killed];
    whole.map(|directory| Pristine {
        directory,
        oracle: oracle.clone(),
    })
}

/// Waits until the background changes no file any more: only then a copy equals the files that the
/// end of the process would leave.
fn settle(directory: &Path) {
    let states = || -> std::io::Result<Vec<_>> {
        let state = |path: PathBuf| {
            let metadata = fs::metadata(&path)?;
            Ok((path, metadata.len(), metadata.modified()?))
        };
        tree(directory)?.into_iter().map(state).collect()
    };
    let mut before = states();
    loop {
        std::thread::sleep(Duration::from_millis(300));
        let now = states();
        if let (Ok(before), Ok(now)) = (&before, &now)
            && before == now
        {
            return;
        }
        before = now;
    }
}

/// A copy that shares nothing with its original: files are written in place.
pub fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for path in tree(from).unwrap() {
        let copy = to.join(path.strip_prefix(from).unwrap());
        if path.is_dir() {
            fs::create_dir_all(copy).unwrap();
        } else {
            fs::copy(path, copy).unwrap();
        }
    }
}

/// All files and folders under `directory`, each folder before its contents.
///
/// # Errors
/// When something is removed meanwhile.
pub fn tree(directory: &Path) -> std::io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let entries = fs::read_dir(directory)?;
    let mut paths = entries
        .map(|entry| Ok(entry?.path()))
        .collect::<std::io::Result<Vec<_>>>()?;
    paths.sort();
    for path in paths {
        found.push(path.clone());
        if path.is_dir() {
            found.append(&mut tree(&path)?);
        }
    }
    Ok(found)
}

/// The kind of a path in a data directory: its name without generated or counted parts. None for
/// the folders that the engine is not asked to go on without.
pub fn kind(root: &Path, path: &Path) -> Option<String> {
    let inside = path.strip_prefix(root).unwrap();
    let mut parts: Vec<String> = inside
        .iter()
        .map(|part| part.to_string_lossy().into_owned())
        .collect();
    if parts.first()? == "indexes" {
        parts = parts.split_off(2.min(parts.len()));
        parts.first()?;
    } else if path.is_dir() {
        return None;
    }
    for part in &mut parts {
        if let Some((_, extension)) = part.split_once('.')
            && part.len() > 32
        {
            *part = format!("*.{extension}");
        } else if part.bytes().all(|byte| byte.is_ascii_digit()) {
            *part = "N".into();
        } else if part.starts_with("seg-") {
            *part = "seg-N".into();
        } else if part.starts_with("vectors-") {
            *part = "vectors-N.bin".into();
        }
    }
    let folder = if path.is_dir() { "/" } else { "" };
    Some(format!("{}{folder}", parts.join("/")))
}
