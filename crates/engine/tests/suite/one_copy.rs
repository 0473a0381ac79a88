//! One durable copy of each vector: whatever is stored, referred to, deleted, copied and cut off, every vector that was
//! acknowledged comes back bit for bit, or the index names the damage.

use crate::support;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use crate::support::{DIMENSIONS, Fixture, definition};
use pelorus_engine::{DocumentScan, Engine};
use pelorus_random::SplitMix64;
use serde_json::{Value, json};

/// By then the background has done the awaited work. Usually that takes seconds.
const PATIENCE: Duration = Duration::from_secs(300);
const FIELDS: [&str; 2] = ["v", "w"];
const SPACES: [(&str, &str); 4] = [
    ("euclidean", "float"),
    ("dotproduct", "float"),
    ("euclidean", "bfloat16"),
    ("euclidean", "int8"),
];

/// The bits of the vectors of each document, by field.
type Model = BTreeMap<usize, BTreeMap<String, Vec<u32>>>;

fn id_of(id: usize) -> String {
    format!("d{id}")
}

fn made(space: &str, numeric: &str) -> Fixture {
    let settings = json!({"normalizeEmbeddings": false, "vectorNumericType": numeric,
        "annParameters": {"spaceType": space, "parameters": {"efConstruction": 32, "m": 4}}});
    let fixture = Fixture::new();
    let engine = &fixture.engine;
    engine.create_index("i", &definition(settings)).unwrap();
    fixture
}

/// Floats of all sizes, signs and patterns of bits.
fn number(random: &mut SplitMix64) -> f32 {
    match random.below(8) {
        0 => -0.0,
        1 => f32::from_bits(1 + random.below(1000) as u32),
        _ => (random.unit() - 0.5) * 2.0_f32.powi(random.below(20) as i32),
    }
}

fn vector(random: &mut SplitMix64) -> Vec<f32> {
    let mut vector: Vec<f32> = (0..DIMENSIONS).map(|_| number(random)).collect();
    // No vector is without a length.
    vector[0] += 1.0;
    vector
}

/// As it is stored.
fn bits(vector: &[f32], numeric: &str) -> Vec<u32> {
    let largest = vector
        .iter()
        .fold(0.0_f32, |largest, x| largest.max(x.abs()));
    // An int8 step is a 127th of the largest, rounded up to 17 bits.
    let step = f32::from_bits(((largest / 127.0).to_bits() + 0x7f) & !0x7f);
    let rounded = |x: &f32| match numeric {
        "float" => x.to_bits(),
        "int8" => (f32::from((x * (1.0 / step)).round_ties_even() as i8) * step).to_bits(),
        _ => {
            let bits = x.to_bits();
            (bits + 0x7fff + (bits >> 16 & 1)) & 0xffff_0000
        }
    };
    vector.iter().map(rounded).collect()
}

fn add(
    fixture: &Fixture,
    random: &mut SplitMix64,
    model: &mut Model,
    ids: &[usize],
    numeric: &str,
) {
    let mut documents = Vec::new();
    for &id in ids {
        let mut document = json!({"_id": id_of(id), "group": random.below(9)});
        let mut vectors = BTreeMap::new();
        for field in FIELDS {
            if random.below(4) > 0 {
                let vector = vector(random);
                document[field] = json!({"vector": vector, "content": format!("text {id}")});
                vectors.insert(field.to_owned(), bits(&vector, numeric));
            }
        }
        documents.push(document);
        model.insert(id, vectors);
    }
    let mapping = json!({"type": "custom_vector"});
    let answer = fixture.add(
        "i",
        json!({"documents": documents, "tensorFields": FIELDS,
            "mappings": {"v": mapping, "w": mapping}}),
    );
    assert_eq!(answer["errors"], json!(false), "{answer}");
}

fn refer(engine: &Engine) {
    let (done, answer) = mpsc::channel();
    engine.refer_to_vectors("i", Box::new(move |result| done.send(result).unwrap()));
    answer.recv().unwrap().unwrap();
}

fn compact(engine: &Engine) {
    let (done, answer) = mpsc::channel();
    engine.compact_store("i", Box::new(move |result| done.send(result).unwrap()));
    answer.recv().unwrap().unwrap();
}

/// The bits of the vectors in `_tensor_facets`.
fn bits_of(document: &Value) -> BTreeMap<String, Vec<u32>> {
    let facets = document["_tensor_facets"].as_array().unwrap().iter();
    let facets = facets.map(|facet| {
        let names = facet.as_object().unwrap().keys();
        let field = names
            .into_iter()
            .find(|name| *name != "_embedding")
            .unwrap();
        let numbers = facet["_embedding"].as_array().unwrap().iter();
        let bits = numbers.map(|x| (x.as_f64().unwrap() as f32).to_bits());
        (field.clone(), bits.collect())
    });
    facets.collect()
}

/// Every vector that a scan comes to.
fn met(scan: &DocumentScan) -> Model {
    let (mut met, mut next) = (Model::new(), Some(0));
    while let Some(start) = next {
        let page = scan.page(start, 100).unwrap();
        next = page.next;
        let page: Value = serde_json::from_slice(&page.body).unwrap();
        for document in page["documents"].as_array().unwrap() {
            let id = document["_id"].as_str().unwrap()[1..].parse().unwrap();
            met.insert(id, bits_of(document));
        }
    }
    met
}

fn assert_holds(engine: &Engine, model: &Model, when: &str) {
    let scan = json!({"exposeFacets": true, "exposeTensors": true}).to_string();
    let scan = engine.scan_documents("i", scan.as_bytes()).unwrap();
    let met = met(&scan);
    assert!(met == *model, "{when}: {met:?} instead of {model:?}");
    // Searches and the store agree: each document is nearest to itself.
    if let Some((id, vectors)) = model.iter().find(|(_, vectors)| vectors.contains_key("v")) {
        let query: Vec<f32> = vectors["v"].iter().map(|x| f32::from_bits(*x)).collect();
        let plan = json!({"limit": 1000, "tensor": {"fields": ["v"], "approximate": false}});
        let search = support::full(plan).to_string();
        let answer = engine.search("i", search.as_bytes(), &query).unwrap();
        let answer: Value = serde_json::from_slice(&answer).unwrap();
        assert!(
            support::ids(&answer).contains(&id_of(*id)),
            "{when}: {answer}"
        );
    }
}

fn tree(directory: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => found.append(&mut tree(&path)),
            false => found.push(path),
        }
    }
    found
}

fn files_of_rows(directory: &Path) -> Vec<PathBuf> {
    let mut files = tree(directory);
    let name = |path: &Path| path.file_name().unwrap().to_string_lossy().into_owned();
    files.retain(|path| name(path).starts_with("vectors-"));
    files
}

/// Files of rows as they are known to be on the disk, by their place in the directory.
type Synced = BTreeMap<PathBuf, Vec<u8>>;

fn synced(directory: &Path) -> Synced {
    let files = files_of_rows(directory).into_iter();
    let file = |path: PathBuf| {
        let bytes = fs::read(&path).unwrap();
        (path.strip_prefix(directory).unwrap().to_owned(), bytes)
    };
    files.map(file).collect()
}

/// A copy of the files that the end of the process leaves. With `synced`, the files that the loss
/// of power may leave: some sectors of the rows written since then did not reach the disk.
fn copy(from: &Path, synced: Option<(&Synced, &mut SplitMix64)>) -> tempfile::TempDir {
    let to = tempfile::tempdir().unwrap();
    for path in tree(from) {
        let copy = to.path().join(path.strip_prefix(from).unwrap());
        fs::create_dir_all(copy.parent().unwrap()).unwrap();
        match fs::copy(path, copy) {
            // The background replaces its own files.
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
            copied => _ = copied.unwrap(),
        }
    }
    for folder in ["indexes", "building", "trash", "damaged"] {
        if from.join(folder).exists() {
            fs::create_dir_all(to.path().join(folder)).unwrap();
        }
    }
    if let Some((synced, random)) = synced {
        for path in files_of_rows(to.path()) {
            let nothing = Vec::new();
            let place = path.strip_prefix(to.path()).unwrap();
            let before = synced.get(place).unwrap_or(&nothing);
            let mut bytes = fs::read(&path).unwrap();
            for at in (0..bytes.len()).step_by(512) {
                let sector = at..bytes.len().min(at + 512);
                if random.below(2) == 0 {
                    for i in sector {
                        bytes[i] = before.get(i).copied().unwrap_or(0);
                    }
                }
            }
            fs::write(&path, bytes).unwrap();
        }
    }
    to
}

/// Random histories; each state is also looked at as the end of the process and the loss of power
/// would leave it, with the next references made from there.
#[test]
fn every_vector_comes_back_bit_for_bit_from_any_history() {
    for seed in 0..12 {
        let mut random = SplitMix64(0xc0ffee + seed);
        let (space, numeric) = SPACES[random.below(SPACES.len())];
        let mut fixture = made(space, numeric);
        let mut model = Model::new();
        let mut on_disk = synced(fixture.directory.path());
        for step in 0..40 {
            let when = format!("seed {seed}, {space} {numeric}, step {step}");
            match random.below(10) {
                0..4 => {
                    let ids: std::collections::BTreeSet<usize> = (0..1 + random.below(12))
                        .map(|_| random.below(60))
                        .collect();
                    let ids: Vec<usize> = ids.into_iter().collect();
                    add(&fixture, &mut random, &mut model, &ids, numeric);
                }
                4 => {
                    let ids: Vec<usize> =
                        (0..1 + random.below(8)).map(|_| random.below(60)).collect();
                    let names: Vec<String> = ids.iter().map(|id| id_of(*id)).collect();
                    let names: Vec<&str> = names.iter().map(String::as_str).collect();
                    fixture.delete("i", &names);
                    ids.iter().for_each(|id| _ = model.remove(id));
                }
                5 => {
                    // A number of one is changed in place, a text of the other makes a new version.
                    let Some(id) = model.keys().nth(random.below(model.len().max(1))) else {
                        continue;
                    };
                    let change = match random.below(2) {
                        0 => json!({"_id": id_of(*id), "group": random.below(9)}),
                        _ => json!({"_id": id_of(*id), "note": format!("word{step}")}),
                    };
                    fixture.update("i", json!([change]));
                }
                6 | 7 => {
                    refer(&fixture.engine);
                    on_disk = synced(fixture.directory.path());
                    if random.below(2) == 0 {
                        compact(&fixture.engine);
                    }
                }
                8 => {
                    fixture = match random.below(2) {
                        0 => fixture.reopen(),
                        _ => fixture.crash(),
                    };
                    on_disk = synced(fixture.directory.path());
                }
                _ => {
                    let lost = random.below(2) == 0;
                    let cut = lost.then_some((&on_disk, &mut random));
                    let left = copy(fixture.directory.path(), cut);
                    for again in ["cut", "cut again"] {
                        let engine = Engine::open(left.path(), b"{}").unwrap();
                        assert_holds(&engine, &model, &format!("{when}, {again}"));
                        refer(&engine);
                        assert_holds(&engine, &model, &format!("{when}, {again} and referred"));
                        engine.close();
                    }
                }
            }
            assert_holds(&fixture.engine, &model, &when);
        }
    }
}

/// A directory with so many documents, all of whose vectors the store refers to.
fn referred(count: usize) -> (Fixture, Model) {
    let fixture = made("euclidean", "float");
    let (mut random, mut model) = (SplitMix64(7), Model::new());
    for ids in (0..count).collect::<Vec<_>>().chunks(500) {
        add(&fixture, &mut random, &mut model, ids, "float");
        refer(&fixture.engine);
    }
    (fixture, model)
}

#[test]
fn without_its_snapshot_an_index_is_made_anew_from_the_rows() {
    let (fixture, model) = referred(60);
    fixture.engine.close();
    let directory = fixture.directory;
    for damage in [None, Some(&b"damaged"[..])] {
        for path in tree(directory.path()) {
            if path.ends_with("graph.snapshot") {
                match damage {
                    None => fs::remove_file(&path).unwrap(),
                    Some(bytes) => fs::write(&path, bytes).unwrap(),
                }
            }
        }
        let engine = Engine::open(directory.path(), b"{}").unwrap();
        assert_holds(&engine, &model, "without a snapshot");
        engine.close();
    }
}

/// The entry that health has of the index; none where it has nothing to say.
fn health_of_index(engine: &Engine) -> Option<Value> {
    let health: Value = serde_json::from_slice(&engine.health()).unwrap();
    health["indexes"].as_array().unwrap().first().cloned()
}

/// The ids of documents whose vectors a scan finds damaged.
fn damaged(engine: &Engine) -> Vec<usize> {
    let request = json!({"exposeFacets": false, "exposeTensors": true}).to_string();
    let scan = engine.scan_documents("i", request.as_bytes()).unwrap();
    let page: Value = serde_json::from_slice(&scan.page(0, 10_000).unwrap().body).unwrap();
    let documents = page["documents"].as_array().unwrap().iter();
    let damaged = documents.filter(|document| {
        let mut tensors = document["_tensors"].as_array().unwrap().iter();
        tensors.any(|tensors| tensors["vectors"].is_null())
    });
    let id = |document: &Value| document["_id"].as_str().unwrap()[1..].parse().unwrap();
    damaged.map(id).collect()
}

/// Everything of an index some of whose vectors are damaged.
fn assert_holds_but(engine: &Engine, model: &Model, bad: &[usize], when: &str) {
    let mut count = 0;
    for (id, vectors) in model {
        let name = id_of(*id);
        let get = |expose: bool| {
            let request = json!({"documentId": name, "exposeFacets": expose}).to_string();
            engine.get_document("i", request.as_bytes())
        };
        assert!(get(false).unwrap().is_some(), "{when}: {name} is readable");
        if bad.contains(id) {
            let error = get(true).unwrap_err();
            assert_eq!(error.code(), "vectors_damaged", "{when}");
            assert!(error.to_string().contains(&format!("{name:?}")), "{error}");
            count += 1;
            continue;
        }
        let document: Value = serde_json::from_slice(&get(true).unwrap().unwrap()).unwrap();
        assert_eq!(bits_of(&document), *vectors, "{when}: {name}");
    }
    match health_of_index(engine) {
        None => assert_eq!(count, 0, "{when}"),
        Some(index) => {
            assert_eq!(
                (&index["status"], &index["code"]),
                (&json!("yellow"), &json!("vectors_damaged")),
                "{index}"
            );
            assert!(
                index["reason"]
                    .as_str()
                    .unwrap()
                    .starts_with(&format!("Vectors of {count} documents")),
                "{index}"
            );
        }
    }
    let plan = json!({"limit": 10_000, "tensor": support::tensor_leg()});
    let plan = support::full(plan).to_string();
    let found = engine
        .search("i", plan.as_bytes(), &[0.5; DIMENSIONS])
        .unwrap();
    let found: Value = serde_json::from_slice(&found).unwrap();
    for hit in found["hits"].as_array().unwrap() {
        let id: usize = hit["_id"].as_str().unwrap()[1..].parse().unwrap();
        assert!(model.contains_key(&id), "{when}: {id} is found");
        assert!(!model[&id].is_empty(), "{when}: {id} has no vectors");
    }
}

#[test]
fn a_flipped_byte_of_a_row_costs_that_row_and_is_told() {
    let (fixture, model) = referred(60);
    fixture.engine.close();
    let directory = fixture.directory;
    let file = files_of_rows(directory.path()).into_iter().next().unwrap();
    let good = fs::read(&file).unwrap();
    for byte in [0, 5 * DIMENSIONS * 4 + 3, 20 * DIMENSIONS * 4] {
        let left = copy(directory.path(), None);
        let mut model = model.clone();
        let broken = left
            .path()
            .join(file.strip_prefix(directory.path()).unwrap());
        let mut bytes = good.clone();
        bytes[byte] ^= 0x10;
        fs::write(&broken, &bytes).unwrap();
        let engine = Engine::open(left.path(), b"{}").unwrap();
        let mut fixture = Fixture {
            directory: left,
            engine,
        };
        let bad = damaged(&fixture.engine);
        assert_eq!(bad.len(), 1);
        assert_holds_but(&fixture.engine, &model, &bad, "opened");
        // Its graph and its list of rows are written without the row, and read again.
        for _ in 0..2 {
            fixture = fixture.reopen();
            assert_eq!(damaged(&fixture.engine), bad);
            assert_holds_but(&fixture.engine, &model, &bad, "opened again");
        }
        let name = id_of(bad[0]);
        let changed = fixture.update("i", json!([{"_id": name, "group": 77}]));
        assert_eq!(changed["items"][0]["status"], 200, "{changed}");
        fixture.add("i", json!({"documents": [{"_id": "d900", "note": "a"}]}));
        model.insert(900, BTreeMap::new());
        let refused = fixture.update("i", json!([{"_id": name, "note": "b"}]));
        assert_eq!(refused["items"][0]["status"], 500, "{refused}");
        // The file is made good.
        fixture.engine.close();
        let mut now = fs::read(&broken).unwrap();
        now[byte] ^= 0x10;
        fs::write(&broken, &now).unwrap();
        fixture = fixture.reopen();
        assert_holds_but(&fixture.engine, &model, &[], "made good");
        fixture.engine.close();
        now[byte] ^= 0x10;
        fs::write(&broken, &now).unwrap();
        fixture = fixture.reopen();
        assert_holds_but(&fixture.engine, &model, &bad, "damaged once more");
        // Added again it has a vector again.
        add(&fixture, &mut SplitMix64(3), &mut model, &bad, "float");
        assert_holds_but(&fixture.engine, &model, &[], "added again");
        refer(&fixture.engine);
        fixture = fixture.reopen();
        assert_holds_but(&fixture.engine, &model, &[], "added again and opened");
        fixture.engine.close();
    }
}

/// Ways to damage a file.
const DAMAGES: [&str; 5] = ["flipped", "cut", "emptied", "noise", "deleted"];

fn damage(path: &Path, how: &str, random: &mut SplitMix64) {
    let mut bytes = fs::read(path).unwrap();
    let at = random.below(bytes.len());
    match how {
        "flipped" => bytes[at] ^= 1 << random.below(8),
        "cut" => bytes.truncate(at),
        "emptied" => bytes.clear(),
        "noise" => bytes
            .iter_mut()
            .for_each(|byte| *byte = random.below(256) as u8),
        _ => return fs::remove_file(path).unwrap(),
    }
    fs::write(path, bytes).unwrap();
}

/// Checks that the index stays usable: documents come, go and change, and derived data are written and read again.
fn stays_usable(mut fixture: Fixture, model: &Model, when: &str) {
    let (mut random, mut model) = (SplitMix64(11), model.clone());
    let mut bad = damaged(&fixture.engine);
    assert_holds_but(&fixture.engine, &model, &bad, when);
    for round in 0..2 {
        let new: Vec<usize> = (500 + round * 20..520 + round * 20).collect();
        add(&fixture, &mut random, &mut model, &new, "float");
        // Some of the damaged are replaced and deleted with others.
        let again: Vec<usize> = (round * 3..60).step_by(9).collect();
        let again: Vec<usize> = again
            .into_iter()
            .filter(|id| model.contains_key(id))
            .collect();
        add(&fixture, &mut random, &mut model, &again, "float");
        let gone: Vec<usize> = (round * 2..60).step_by(7).collect();
        let names: Vec<String> = gone.iter().map(|id| id_of(*id)).collect();
        fixture.delete("i", &names.iter().map(String::as_str).collect::<Vec<_>>());
        gone.iter().for_each(|id| drop(model.remove(id)));
        bad.retain(|id| !again.contains(id) && !gone.contains(id));
        if round > 0 {
            refer(&fixture.engine);
            compact(&fixture.engine);
        }
        assert_eq!(damaged(&fixture.engine), bad, "{when}, round {round}");
        assert_holds_but(&fixture.engine, &model, &bad, when);
        fixture = match round {
            1 => fixture.crash(),
            _ => fixture.reopen(),
        };
        assert_eq!(
            damaged(&fixture.engine),
            bad,
            "{when}, round {round}, opened"
        );
        assert_holds_but(&fixture.engine, &model, &bad, when);
    }
    let rest: Vec<usize> = bad.clone();
    add(&fixture, &mut random, &mut model, &rest, "float");
    refer(&fixture.engine);
    let fixture = fixture.reopen();
    assert_holds_but(&fixture.engine, &model, &[], "all added again");
    fixture.engine.close();
}

#[test]
fn the_index_goes_on_whatever_becomes_of_a_file_of_vectors() {
    let (fixture, model) = referred(60);
    let fixture = fixture.reopen();
    fixture.engine.close();
    let directory = fixture.directory;
    let files: Vec<PathBuf> = tree(directory.path())
        .into_iter()
        .filter(|path| {
            path.is_file() && path.components().any(|part| part.as_os_str() == "vectors")
        })
        .collect();
    for name in [
        "rows",
        "rows.copy",
        "graph.snapshot",
        "vectors-0.bin",
        "fields",
    ] {
        assert!(
            files.iter().any(|path| path.ends_with(name)),
            "{name}: {files:?}"
        );
    }
    let mut random = SplitMix64(5);
    for path in &files {
        for how in DAMAGES {
            let left = copy(directory.path(), None);
            let inside = path.strip_prefix(directory.path()).unwrap();
            damage(&left.path().join(inside), how, &mut random);
            let engine = Engine::open(left.path(), b"{}").unwrap();
            let fixture = Fixture {
                directory: left,
                engine,
            };
            let when = format!("{} {how}", inside.display());
            if !path.ends_with("vectors-0.bin") {
                assert_eq!(damaged(&fixture.engine), [0; 0], "{when}");
            }
            stays_usable(fixture, &model, &when);
        }
    }
    // All of a field, and all of all fields.
    for (part, above) in [("vectors/0", 1), ("vectors", 2)] {
        let left = copy(directory.path(), None);
        let mut paths = tree(left.path()).into_iter();
        let path = paths
            .find(|path| path.ends_with("0/vectors-0.bin"))
            .unwrap();
        fs::remove_dir_all(path.ancestors().nth(above).unwrap()).unwrap();
        let engine = Engine::open(left.path(), b"{}").unwrap();
        assert!(!damaged(&engine).is_empty());
        stays_usable(
            Fixture {
                directory: left,
                engine,
            },
            &model,
            part,
        );
    }
}

#[test]
fn a_file_of_rows_that_comes_back_brings_its_vectors_back() {
    let (fixture, mut model) = referred(60);
    let fixture = fixture.reopen();
    fixture.engine.close();
    let file = files_of_rows(fixture.directory.path())
        .into_iter()
        .next()
        .unwrap();
    let elsewhere = fixture.directory.path().join("set-aside");
    fs::rename(&file, &elsewhere).unwrap();
    let mut fixture = fixture.reopen();
    let bad = damaged(&fixture.engine);
    assert!(bad.len() > 30);
    let mut random = SplitMix64(6);
    add(&fixture, &mut random, &mut model, &[300, 301], "float");
    refer(&fixture.engine);
    for _ in 0..2 {
        fixture = fixture.reopen();
        assert_holds_but(&fixture.engine, &model, &bad, "without its rows");
    }
    fixture.engine.close();
    fs::rename(&elsewhere, &file).unwrap();
    for _ in 0..2 {
        fixture = fixture.reopen();
        assert_holds_but(&fixture.engine, &model, &[], "with its rows");
        refer(&fixture.engine);
    }
    fixture.engine.close();
}

#[test]
fn deleted_vectors_give_their_room_back_and_others_keep_their_bits() {
    let (fixture, mut model) = referred(3_000);
    let request = json!({"exposeFacets": true, "exposeTensors": false}).to_string();
    let scan = fixture
        .engine
        .scan_documents("i", request.as_bytes())
        .unwrap();
    let before = model.clone();
    let size = |directory: &Path| -> u64 {
        let files = files_of_rows(directory).into_iter();
        files
            .map(|path| fs::metadata(path).map_or(0, |file| file.len()))
            .sum()
    };
    let full = size(fixture.directory.path());
    let gone: Vec<String> = (0..3_000).filter(|id| id % 3 > 0).map(id_of).collect();
    for some in gone.chunks(500) {
        let names: Vec<&str> = some.iter().map(String::as_str).collect();
        fixture.delete("i", &names);
    }
    model.retain(|id, _| id % 3 == 0);
    // The view of a reader stays, however long it looks.
    assert!(met(&scan) == before);
    drop(scan);
    let copied = |directory: &Path| {
        let numbered = |path: &PathBuf| !path.ends_with("vectors-0.bin");
        files_of_rows(directory)
            .iter()
            .filter(|path| numbered(path))
            .count()
            == FIELDS.len()
    };
    let start = Instant::now();
    while !copied(fixture.directory.path()) {
        assert!(start.elapsed() < PATIENCE, "nothing is copied");
        std::thread::sleep(Duration::from_millis(20));
        // Readers are gone, and a write has the background look.
        fixture.update("i", json!([{"_id": "d0", "group": 1}]));
    }
    assert_holds(&fixture.engine, &model, "copied");
    let left = copy(fixture.directory.path(), None);
    let engine = Engine::open(left.path(), b"{}").unwrap();
    assert_holds(&engine, &model, "copied and cut");
    engine.close();
    let mut random = SplitMix64(8);
    add(&fixture, &mut random, &mut model, &[4, 5, 6], "float");
    refer(&fixture.engine);
    let fixture = fixture.crash();
    assert_holds(&fixture.engine, &model, "copied, referred and opened");
    let fixture = fixture.reopen();
    assert_holds(&fixture.engine, &model, "opened once more");
    fixture.engine.close();
    assert!(size(fixture.directory.path()) < full, "{full}");
}

#[test]
fn vectors_in_the_store_alone_are_served_and_referred_to_later() {
    let fixture = made("euclidean", "float");
    let (mut random, mut model) = (SplitMix64(9), Model::new());
    let ids: Vec<usize> = (0..50).collect();
    add(&fixture, &mut random, &mut model, &ids, "float");
    // As releases left directories that knew no references.
    let fixture = fixture.reopen();
    assert!(
        tree(fixture.directory.path())
            .iter()
            .all(|path| !path.ends_with("rows"))
    );
    assert_holds(&fixture.engine, &model, "in the store");
    refer(&fixture.engine);
    let fixture = fixture.reopen();
    assert!(
        tree(fixture.directory.path())
            .iter()
            .any(|path| path.ends_with("rows"))
    );
    assert_holds(&fixture.engine, &model, "in rows");
}
