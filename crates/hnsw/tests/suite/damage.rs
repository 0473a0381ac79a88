//! Files whose bytes are not those written: every change is noticed before anything is made of it.

use std::fs;
use std::path::Path;

use crate::support::{Clustered, Rng, params, search, settle};
use pelorus_hnsw::{HnswParams, Metric, SnapshotError, VectorHit, VectorIndex};
use pelorus_kernels::BitSet;

const SEED: u64 = 0xda3a_6e00;
const COUNT: u32 = 2_500;
const DIM: usize = 32;
const SNAPSHOT: &str = "graph.snapshot";
const VECTORS: &str = "vectors-0.bin";

fn small() -> HnswParams {
    params(DIM, Metric::PrenormalizedAngular)
}

/// Saves an index that has a bit of everything: codes, links, duplicates, removed nodes and a tail.
fn save(folder: &Path) {
    let mut data = Clustered::new(DIM, 41);
    let index = VectorIndex::create(small(), folder).unwrap();
    for doc in 0..COUNT {
        let vector = data.draw();
        index.push(&vector, doc, 0).unwrap();
        if doc % 9 == 0 {
            index.push(&vector, doc, 1).unwrap();
        }
    }
    settle(&index);
    (0..50).for_each(|doc| index.remove(doc));
    index.push(&data.draw(), COUNT, 0).unwrap();
    index.save(COUNT + 1).unwrap();
}

/// The index in the folder answers as it did when it was saved.
fn answers(folder: &Path) -> Vec<Vec<VectorHit>> {
    let (index, watermark) = VectorIndex::open(small(), folder).unwrap();
    assert_eq!(watermark, COUNT + 1);
    let mut data = Clustered::new(DIM, 43);
    let accept: BitSet = (50..=COUNT).collect();
    let answer = |_| index.search(&data.draw(), &search(10, &accept, accept.len()), &accept);
    (0..20).map(answer).collect()
}

fn damage_at(folder: &Path, what: &str) -> SnapshotError {
    match VectorIndex::open(small(), folder) {
        Err(
            error @ (SnapshotError::Checksum { .. }
            | SnapshotError::Damaged(_)
            | SnapshotError::FullVectors(_)),
        ) => error,
        Err(error) => panic!("seed {SEED}, {what}: {error}"),
        Ok(_) => panic!("seed {SEED}, {what}: not noticed"),
    }
}

#[test]
fn a_flipped_bit_anywhere_is_damage_and_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    save(folder.path());
    let before = answers(folder.path());
    let mut rng = Rng(SEED);
    for name in [SNAPSHOT, VECTORS] {
        let path = folder.path().join(name);
        let whole = fs::read(&path).unwrap();
        // The file of vectors is longer than its rows, and opening it cuts the rest off.
        let rows = (COUNT as usize + COUNT.div_ceil(9) as usize + 1) * DIM * 4;
        let bits = 8 * if name == VECTORS { rows } else { whole.len() };
        // The counts and numbers at the front, and many places behind.
        let front = (0..bits.min(96 * 8)).step_by(7);
        let places = front.chain((0..120).map(|_| rng.below(bits)));
        for bit in places.collect::<Vec<_>>() {
            let mut damaged = whole.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            fs::write(&path, &damaged).unwrap();
            let error = damage_at(folder.path(), &format!("bit {bit} of {name}"));
            let expected = match name {
                SNAPSHOT => matches!(error, SnapshotError::Checksum { .. }),
                _ => matches!(error, SnapshotError::FullVectors(_)),
            };
            assert!(expected, "bit {bit} of {name}: {error}");
        }
        fs::write(&path, &whole).unwrap();
    }
    assert_eq!(answers(folder.path()), before);
}

#[test]
fn a_snapshot_that_is_cut_grown_or_of_anything_else_is_damage() {
    let folder = tempfile::tempdir().unwrap();
    save(folder.path());
    let before = answers(folder.path());
    let path = folder.path().join(SNAPSHOT);
    let whole = fs::read(&path).unwrap();
    let mut rng = Rng(SEED);
    let lens = (0..16).chain((0..30).map(|_| rng.below(whole.len())));
    for len in lens.collect::<Vec<_>>() {
        fs::write(&path, &whole[..len]).unwrap();
        damage_at(folder.path(), &format!("cut to {len} bytes"));
        // Zeros in place of bytes that were not written before the machine stopped.
        let zeros = vec![0; whole.len() - len];
        fs::write(&path, [&whole[..len], &zeros].concat()).unwrap();
        damage_at(folder.path(), &format!("zeros from byte {len} on"));
    }
    fs::write(&path, [&whole[..], b"more"].concat()).unwrap();
    damage_at(folder.path(), "grown");
    let noise: Vec<u8> = whole.iter().map(|_| rng.bits() as u8).collect();
    fs::write(&path, [&whole[..64], &noise].concat()).unwrap();
    damage_at(folder.path(), "noise behind the header");
    fs::write(&path, &whole).unwrap();
    assert_eq!(answers(folder.path()), before);
}

#[test]
fn full_vectors_that_are_cut_or_gone_are_damage() {
    let folder = tempfile::tempdir().unwrap();
    save(folder.path());
    let before = answers(folder.path());
    let path = folder.path().join(VECTORS);
    let whole = fs::read(&path).unwrap();
    let mut rng = Rng(SEED);
    for len in (0..12).map(|_| rng.below(COUNT as usize * DIM * 4)) {
        fs::write(&path, &whole[..len]).unwrap();
        damage_at(folder.path(), &format!("cut to {len} bytes"));
    }
    fs::remove_file(&path).unwrap();
    damage_at(folder.path(), "gone");
    fs::write(&path, &whole).unwrap();
    assert_eq!(answers(folder.path()), before);
}

#[test]
fn a_snapshot_of_another_format_or_parameter_says_which() {
    let folder = tempfile::tempdir().unwrap();
    save(folder.path());
    let path = folder.path().join(SNAPSHOT);
    let reason = |params| match VectorIndex::open(params, folder.path()).err() {
        Some(error) => error.to_string(),
        None => panic!("it was opened"),
    };
    let other = HnswParams { m: 8, ..small() };
    let told = "the snapshot was written with other parameters: m 16, expected 8";
    assert_eq!(reason(other), told);
    // A whole file of another version has a good checksum.
    let mut bytes = fs::read(&path).unwrap();
    bytes[7] += 1;
    let body = bytes.len() - 4;
    let sum = crc32fast::hash(&bytes[..body]);
    bytes[body..].copy_from_slice(&sum.to_le_bytes());
    fs::write(&path, bytes).unwrap();
    assert_eq!(reason(small()), "the snapshot has format 6, expected 5");
}
