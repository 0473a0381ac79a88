//! int8 codes beyond their budget of memory lie in files, and searches answer the same.
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

mod support;

use std::fs;

use pelorus_hnsw::{HnswParams, Metric, VectorHit, VectorIndex, limit_code_memory};
use pelorus_kernels::BitSet;
use support::{Clustered, params, recall, search, settle};

const DIM: usize = 64;
const COUNT: u32 = 6_000;

fn settings() -> HnswParams {
    params(DIM, Metric::Angular)
}

fn built(folder: &std::path::Path) -> VectorIndex {
    let mut data = Clustered::new(DIM, 3);
    let index = VectorIndex::create(settings(), folder).unwrap();
    (0..COUNT).for_each(|doc| index.push(&data.draw(), doc, 0).unwrap());
    settle(&index);
    index
}

/// One test, since the budget is that of the process.
#[test]
fn codes_in_files_answer_as_codes_in_memory_do() {
    let mut data = Clustered::new(DIM, 3).in_a_cone();
    let mut queries: Vec<Vec<f32>> = (0..30).map(|_| data.draw()).collect();
    let mut data = Clustered::new(DIM, 3);
    queries.extend((0..30).map(|_| data.draw()));
    let accept: BitSet = (0..COUNT).collect();
    let answers = |index: &VectorIndex| -> Vec<Vec<VectorHit>> {
        let p = search(10, &accept, COUNT as usize);
        let queries = queries.iter();
        queries.map(|q| index.search(q, &p, &accept)).collect()
    };
    let folders = [(); 4].map(|()| tempfile::tempdir().unwrap());
    let in_memory = built(folders[0].path());
    let expected = answers(&in_memory);

    // Two blocks of 4,096 codes, as many as the index before has: one of them has room in memory, or none.
    let block = 4096 * DIM;
    for (limit, folder) in [(3, &folders[1]), (2, &folders[2]), (0, &folders[3])] {
        let limit = limit * block;
        limit_code_memory(limit);
        let index = built(folder.path());
        assert_eq!(answers(&index), expected, "a budget of {limit}");
        if cfg!(target_os = "linux") {
            let in_files = in_memory.memory_bytes() - index.memory_bytes();
            let beyond = COUNT as usize * DIM - limit.saturating_sub(2 * block);
            assert!(in_files >= beyond, "{in_files} bytes in files of {beyond}");
        }
        let files: Vec<_> = fs::read_dir(folder.path()).unwrap().collect();
        assert_eq!(files.len(), 1, "the file of codes has no name: {files:?}");

        index.save(COUNT).unwrap();
        drop(index);
        let index = VectorIndex::open(settings(), folder.path()).unwrap().0;
        assert_eq!(answers(&index), expected, "opened again");
        // Compaction copies them.
        (0..COUNT / 2).for_each(|doc| index.remove(doc));
        settle(&index);
        let living: BitSet = (COUNT / 2..COUNT).collect();
        let found = recall(&index, &queries[30..], 10, &living, living.len());
        assert!(found >= 0.98 && index.removed() == 0, "{found}");
    }

    // The budget is free again once nobody has a share of it.
    drop(in_memory);
    limit_code_memory(usize::MAX);
}
