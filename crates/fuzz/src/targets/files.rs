//! Files of an index, and what its store holds. Checksums keep most changes out, so they are made right again for half of
//! the inputs: what is behind them is read like that after a defect of our own.

use std::fs;
use std::path::{Path, PathBuf};

use pelorus_documents::{
    FieldTensors, StoredDocument, StoredVersion, TensorKind, decode_chunk, decode_references,
    decode_tensors, encode_tensors, resolve_rows,
};
use pelorus_hnsw::{HnswParams, Metric, NumericType, StoredRows, VectorIndex, VectorSearch};
use pelorus_kernels::BitSet;
use pelorus_lexical::{LexicalIndex, LexicalOptions, LexicalQuery, Operand};
use pelorus_store::{Store, WriteBatch, WriteOp};
use tempfile::TempDir;

use crate::Target;

const DIMENSIONS: usize = 2;
/// Memory for the pages of a store.
const CACHE: usize = 1024 * 1024;

/// Documents as they are stored.
pub struct StoredDocuments {
    seeds: Vec<Vec<u8>>,
}

impl StoredDocuments {
    pub fn new() -> Self {
        Self {
            seeds: vec![stored_document()],
        }
    }
}

/// A version, the length of the id and the id, then fields: each a name and JSON with their lengths.
fn stored_document() -> Vec<u8> {
    let mut bytes = vec![1];
    let mut push = |text: &str| {
        bytes.extend_from_slice(&(text.len() as u32).to_le_bytes());
        bytes.extend_from_slice(text.as_bytes());
    };
    push("id");
    for (name, json) in [
        ("title", "\"red dog\""),
        ("price", "3"),
        ("tags", "[\"a\"]"),
        ("s", "{\"indices\":[1,70],\"values\":[0.5,2.0]}"),
        ("w", "[[0.5,2.0],[-1.0,0.25]]"),
    ] {
        push(name);
        push(json);
    }
    bytes
}

impl Target for StoredDocuments {
    fn seeds(&self) -> &[Vec<u8>] {
        &self.seeds
    }

    fn read(&self, input: &[u8]) {
        if let Ok(stored) = StoredDocument::decode(input) {
            assert!(stored.id.len() <= input.len() && stored.fields.len() <= input.len());
        }
        // The values of its fields.
        let _ = StoredVersion::decode(input, &[], DIMENSIONS);
    }
}

fn tensors() -> Vec<FieldTensors> {
    ["v", "w"]
        .map(|field| FieldTensors {
            field: field.into(),
            kind: TensorKind::Text,
            weights: String::new(),
            chunks: vec!["one".into(), "two".into()],
            vectors: vec![0.6, 0.8, 1.0, 0.0],
        })
        .to_vec()
}

/// Tensors as they are stored.
pub struct StoredTensors {
    seeds: Vec<Vec<u8>>,
}

impl StoredTensors {
    pub fn new() -> Self {
        let numbers = [NumericType::Float, NumericType::Bfloat16, NumericType::Int8];
        let mut seeds: Vec<Vec<u8>> = numbers
            .into_iter()
            .map(|numbers| encode_tensors(&tensors(), numbers))
            .collect();
        let mut first = 0;
        let referred =
            pelorus_documents::refer_to_rows(&seeds[0], DIMENSIONS, |_, count, bytes| {
                first += 7;
                Some(pelorus_documents::RowReference {
                    first,
                    count,
                    checksum: crc32fast::hash(bytes),
                })
            });
        seeds.extend(referred.expect("tensors"));
        Self { seeds }
    }
}

impl Target for StoredTensors {
    fn seeds(&self) -> &[Vec<u8>] {
        &self.seeds
    }

    fn read(&self, input: &[u8]) {
        let _ = decode_tensors(input, DIMENSIONS);
        let _ = decode_references(input, DIMENSIONS);
        let _ = decode_chunk(input, DIMENSIONS, "w", 1);
        let rows = |_: &str, rows: pelorus_documents::RowReference, out: &mut Vec<u8>| {
            // As many as are referred to, where that is not absurd.
            let bytes = rows.count.checked_mul(DIMENSIONS * size_of::<f32>());
            match bytes.filter(|bytes| *bytes < 1 << 20) {
                Some(bytes) => out.resize(out.len() + bytes, 0),
                None => return Err(pelorus_documents::DocumentsError::Stored { what: "tensor" }),
            }
            Ok(())
        };
        if let Ok(whole) = resolve_rows(input.to_vec(), DIMENSIONS, rows) {
            let _ = decode_tensors(&whole, DIMENSIONS);
        }
    }
}

/// The file of a store.
pub struct StoreFiles {
    seeds: Vec<Vec<u8>>,
    folder: TempDir,
}

/// Bytes of a page. The first is the head, and each 1,025th of the others holds the sums of the 1,024 behind it.
const PAGE: usize = 4096;
const GROUP: usize = PAGE / 4;
/// Bytes of the first page of the tree that its sum is of; the sum follows them.
const HEADER_ROOM: usize = 508;

impl StoreFiles {
    pub fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("seed.redb");
        let store = Store::create(&path, b"a definition", CACHE).expect("a store");
        let ops = (0..20).map(|doc| WriteOp::Put {
            doc,
            replaces: None,
            document: stored_document(),
            tensors: encode_tensors(&tensors(), NumericType::Float),
        });
        let batch = WriteBatch { ops: ops.collect() };
        store.commit(&batch).expect("a commit");
        drop(store);
        Self {
            seeds: vec![fs::read(&path).expect("a file")],
            folder,
        }
    }
}

/// The sum of a page: CRC-32 begun at zero, without the last inversion.
fn page_sum(bytes: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new_with_initial(u32::MAX);
    hasher.update(bytes);
    !hasher.finalize()
}

impl Target for StoreFiles {
    fn seeds(&self) -> &[Vec<u8>] {
        &self.seeds
    }

    fn reseal(&self, input: &mut Vec<u8>) {
        // Whole pages, and a head as this release writes it: else nothing else is looked at.
        let pages = (input.len() / PAGE).max(3);
        input.resize(pages * PAGE, 0);
        input[..PAGE].copy_from_slice(&self.seeds[0][..PAGE]);
        for sums in (1..pages).step_by(GROUP + 1) {
            for (at, page) in (sums + 1..pages.min(sums + 1 + GROUP)).enumerate() {
                let sum = page_sum(&input[page * PAGE..(page + 1) * PAGE]);
                let place = sums * PAGE + at * 4;
                input[place..place + 4].copy_from_slice(&sum.to_le_bytes());
            }
        }
        let header = 2 * PAGE;
        let sum = page_sum(&input[header..header + HEADER_ROOM]);
        input[header + HEADER_ROOM..header + HEADER_ROOM + 4].copy_from_slice(&sum.to_le_bytes());
    }

    fn read(&self, input: &[u8]) {
        let path = self.folder.path().join("read.redb");
        fs::write(&path, input).expect("a file");
        let Ok(store) = Store::open_for_reading(&path, CACHE) else {
            return;
        };
        let Ok(read) = store.read() else { return };
        let _ = read.scan::<pelorus_store::StoreError>(0, 0, |_, document, tensors| {
            let _ = StoredDocument::decode(document);
            let _ = decode_tensors(tensors.unwrap_or_default(), DIMENSIONS);
            Ok(())
        });
        let _ = (read.document(3), read.tensors(3), read.places());
    }
}

fn params() -> HnswParams {
    HnswParams {
        dim: DIMENSIONS,
        metric: Metric::Euclidean,
        numeric: NumericType::Float,
        m: 4,
        ef_construction: 16,
        seed: 1,
    }
}

/// Makes a folder with the vectors of some documents and their graph.
fn save_vectors(folder: &Path, count: u32) -> VectorIndex {
    let index = VectorIndex::create(params(), folder).expect("an index");
    for doc in 0..count {
        let vector = [(doc % 40) as f32, (doc / 40) as f32];
        index.push(&vector, doc, 0).expect("a vector");
    }
    while index.maintain(usize::MAX) > 0 {}
    index.save(count).expect("a snapshot");
    index
}

/// Copies the files of a folder.
fn copy(from: &Path, to: &Path) {
    let _ = fs::remove_dir_all(to);
    fs::create_dir_all(to).expect("a folder");
    for entry in fs::read_dir(from).expect("a folder") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().expect("a name");
        match path.is_dir() {
            true => copy(&path, &to.join(name)),
            false => drop(fs::copy(&path, to.join(name)).expect("a copy")),
        }
    }
}

fn search(index: &VectorIndex) {
    let accept = BitSet::full(2_000);
    let search = VectorSearch {
        k: 5,
        watched: 5,
        ef: 50,
        stops_early: true,
        exact: false,
        approximate_threshold: None,
        accept_count: accept.len(),
        live_docs: accept.len(),
    };
    assert!(index.search(&[3.0, 4.0], &search, &accept).len() <= 5);
    index.maintain(100);
}

/// Snapshots of graphs.
pub struct Graphs {
    seeds: Vec<Vec<u8>>,
    folder: TempDir,
}

impl Graphs {
    pub fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let seed = folder.path().join("seed");
        fs::create_dir(&seed).expect("a folder");
        drop(save_vectors(&seed, 1_600));
        Self {
            seeds: vec![fs::read(seed.join("graph.snapshot")).expect("a snapshot")],
            folder,
        }
    }
}

impl Target for Graphs {
    fn seeds(&self) -> &[Vec<u8>] {
        &self.seeds
    }

    fn reseal(&self, input: &mut Vec<u8>) {
        let sum = crc32fast::hash(input);
        input.extend_from_slice(&sum.to_le_bytes());
    }

    fn read(&self, input: &[u8]) {
        let home = self.folder.path().join("read");
        copy(&self.folder.path().join("seed"), &home);
        fs::write(home.join("graph.snapshot"), input).expect("a file");
        if let Ok((index, _)) = VectorIndex::open(params(), &home) {
            search(&index);
        }
    }
}

/// Lists of rows that a store refers to.
pub struct RowLists {
    seeds: Vec<Vec<u8>>,
    rows: StoredRows,
    folder: TempDir,
}

impl RowLists {
    pub fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let seed = folder.path().join("seed");
        fs::create_dir(&seed).expect("a folder");
        let index = save_vectors(&seed, 64);
        index.secure().expect("rows");
        let bytes: Vec<u8> = [7.0_f32, 0.0]
            .iter()
            .flat_map(|x| x.to_le_bytes())
            .collect();
        let rows = index.rows_of(7, &bytes).expect("its row");
        drop(index);
        Self {
            seeds: vec![
                fs::read(seed.join("rows")).expect("a list"),
                b"00000000\n0\n0+64 70+3 64\n5,5,1,77 6,6,1,78".to_vec(),
            ],
            rows,
            folder,
        }
    }
}

/// Makes the checksum in the first line of a list that of the rest.
fn reseal_manifest(input: &mut Vec<u8>) {
    let end = input.iter().position(|&byte| byte == b'\n');
    let rest = input.split_off(end.map_or(0, |end| end + 1));
    *input = format!("{:08x}\n", crc32fast::hash(&rest)).into_bytes();
    input.extend_from_slice(&rest);
}

impl Target for RowLists {
    fn seeds(&self) -> &[Vec<u8>] {
        &self.seeds
    }

    fn words(&self) -> &[&str] {
        &[
            "18446744073709551615",
            "4294967295",
            "-1",
            "+",
            ",",
            "\n",
            " ",
        ]
    }

    fn reseal(&self, input: &mut Vec<u8>) {
        reseal_manifest(input);
    }

    fn read(&self, input: &[u8]) {
        let home = self.folder.path().join("read");
        copy(&self.folder.path().join("seed"), &home);
        for name in ["rows", "rows.copy"] {
            fs::write(home.join(name), input).expect("a file");
        }
        if let Ok(files) = pelorus_hnsw::RowFiles::open(&params(), &home) {
            let _ = files.check(&self.rows);
        }
        if let Ok(opening) = VectorIndex::begin(params(), &home)
            && let Ok(index) = VectorIndex::finish(opening, &[self.rows], None)
        {
            search(&index);
        }
    }
}

/// The list of a text index, and one of its files.
pub struct TextIndexes {
    seeds: Vec<Vec<u8>>,
    folder: TempDir,
    files: Vec<PathBuf>,
}

/// The byte before an input that says which file it is of.
impl TextIndexes {
    pub fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let seed = folder.path().join("seed");
        let index = LexicalIndex::open(&seed, LexicalOptions::default(), &BitSet::default());
        for doc in 0..50 {
            let text = format!("red dog {doc} in a house of {} cats", doc % 7);
            index
                .add(doc, &[("text", &text), ("title", "one")])
                .expect("a document");
        }
        index.publish();
        index.close().expect("files");
        drop(index);
        let mut files = vec![seed.join("manifest")];
        files.extend(segment_files(&seed));
        let seeds = files.iter().zip(0..).map(|(path, number)| {
            let mut seed = vec![number];
            seed.extend(fs::read(path).expect("a file"));
            seed
        });
        Self {
            seeds: seeds.collect(),
            files: files
                .iter()
                .map(|path| path.strip_prefix(&seed).expect("below").to_owned())
                .collect(),
            folder,
        }
    }
}

fn segment_files(home: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(home).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            let files = fs::read_dir(&path).expect("a folder");
            found.extend(files.map(|file| file.expect("an entry").path()));
        }
    }
    found.sort();
    found
}

impl Target for TextIndexes {
    fn seeds(&self) -> &[Vec<u8>] {
        &self.seeds
    }

    fn reseal(&self, input: &mut Vec<u8>) {
        if input.first() == Some(&0) {
            let mut rest = input.split_off(1);
            reseal_manifest(&mut rest);
            input.extend(rest);
        }
    }

    fn read(&self, input: &[u8]) {
        let Some((&number, bytes)) = input.split_first() else {
            return;
        };
        let home = self.folder.path().join("read");
        copy(&self.folder.path().join("seed"), &home);
        let path = &self.files[usize::from(number) % self.files.len()];
        fs::write(home.join(path), bytes).expect("a file");
        let _ = pelorus_lexical::verify(&home);
        let alive: BitSet = (0..50).collect();
        let index = LexicalIndex::open(&home, LexicalOptions::default(), &alive);
        let query = LexicalQuery {
            text: "red \"dog 7\"".to_owned(),
            fields: None,
            k: 10,
            operand: Operand::Or,
            ..LexicalQuery::default()
        };
        let found = index
            .search(&query, &alive)
            .expect("files that were compared can be read");
        // Nothing, where the files were not used: whoever opens them adds the documents again.
        assert!(found.total == 0 || index.rebuild_reason().is_none());
    }
}
