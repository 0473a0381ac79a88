//! The exact search for the nearest, on the CPU, beside its reference.
#![cfg(all(target_os = "linux", target_env = "gnu"))]

mod support;

use pelorus_cuda::launch::NEAREST_MAX;
use pelorus_cuda::{Nearness, Program, decode_key, launch, reference};
use pelorus_random::SplitMix64;
use support::Argument::{Memory as At, Null, U32};
use support::{Emulation, Memory, emulations, floats};

#[test]
fn scores_are_those_of_the_twin() {
    for emulation in emulations(Program::Nearest) {
        let mut random = SplitMix64(1);
        for (queries, vectors, dim) in [
            (1, 1, 1),
            (3, 130, 17),
            (65, 129, 48),
            (64, 128, 16),
            (2, 300, 33),
        ] {
            let query_values = floats(&mut random, queries * dim, 1.0);
            let vector_values = floats(&mut random, vectors * dim, 1.0);
            let some: Vec<u32> = (0..vectors as u32)
                .filter(|_| random.below(3) > 0)
                .rev()
                .collect();
            let range: Vec<u32> = (vectors as u32 / 3..vectors as u32).collect();
            let (query_memory, vector_memory) =
                (Memory::of(&query_values), Memory::of(&vector_values));
            for measure in [Nearness::Dot, Nearness::L2] {
                for (rows, is_list) in [(&some, true), (&range, false)] {
                    let list = Memory::of(rows);
                    let out = Memory::for_output::<f32>(queries * rows.len());
                    let arguments = [
                        At(&query_memory),
                        U32(queries as u32),
                        At(&vector_memory),
                        if is_list { At(&list) } else { Null },
                        U32(if is_list { 0 } else { range[0] }),
                        U32(rows.len() as u32),
                        U32(dim as u32),
                        U32(measure as u32),
                        At(&out),
                    ];
                    let launch = launch::nearness(queries as u32, rows.len() as u32)
                        .expect("queries that it takes");
                    emulation.run(launch, &arguments, &[&out]);
                    let expected =
                        reference::nearness(&query_values, &vector_values, rows, dim, measure);
                    for (received, expected) in out.values::<f32>().iter().zip(&expected) {
                        assert!(
                            (received - expected).abs() <= 1e-5 * (1.0 + expected.abs()),
                            "{measure:?}"
                        );
                    }
                }
            }
        }
    }
}

fn best(
    emulation: &Emulation,
    scores: &[f32],
    rows: Option<&[u32]>,
    first: u32,
    k: u32,
) -> Vec<u64> {
    let list = Memory::of(rows.unwrap_or_default());
    let memory = Memory::of(scores);
    // Between the keys of another list on either side.
    let out = Memory::of(&vec![7_u64; k as usize + 2]);
    let rows = if rows.is_some() { At(&list) } else { Null };
    let count = U32(scores.len() as u32);
    let arguments = [
        At(&memory),
        rows,
        U32(first),
        count,
        U32(k),
        At(&out),
        U32(k + 2),
        U32(1),
    ];
    emulation.run(
        launch::best(1, k).expect("as many as it takes"),
        &arguments,
        &[&out],
    );
    let keys: Vec<u64> = out.values();
    assert_eq!((keys[0], keys[k as usize + 1]), (7, 7));
    keys[1..=k as usize].to_vec()
}

#[test]
fn the_best_are_found_whatever_the_scores() {
    for emulation in emulations(Program::Nearest) {
        let mut random = SplitMix64(2);
        let shapes: [fn(&mut SplitMix64) -> f32; 4] = [
            |random| random.normal(),
            // Many are equal.
            |random| random.below(3) as f32 - 1.0,
            |_| 0.25,
            // Some are none, or the ends of what there is.
            |random| {
                *random.pick(&[
                    f32::NAN,
                    f32::INFINITY,
                    f32::NEG_INFINITY,
                    0.0,
                    -0.0,
                    1e-40,
                    -1.0,
                ])
            },
        ];
        for shape in shapes {
            for (count, k) in [
                (0, 3),
                (1, 1),
                (5, 10),
                (300, 1),
                (300, 17),
                (1000, 256),
                (1500, NEAREST_MAX),
            ] {
                let scores: Vec<f32> = (0..count).map(|_| shape(&mut random)).collect();
                let first = random.below(1000) as u32;
                let range: Vec<u32> = (first..first + count).collect();
                let expected = reference::best(&scores, &range, k as usize);
                assert_eq!(
                    best(&emulation, &scores, None, first, k),
                    expected,
                    "{k} of {count}"
                );
                let list: Vec<u32> = range.iter().map(|row| row * 3).collect();
                let expected = reference::best(&scores, &list, k as usize);
                assert_eq!(
                    best(&emulation, &scores, Some(&list), 0, k),
                    expected,
                    "{k} of {count}"
                );
            }
        }
    }
}

#[test]
fn the_best_of_parts_merge_into_the_best_of_all() {
    for emulation in emulations(Program::Nearest) {
        let mut random = SplitMix64(3);
        let (queries, count, k) = (3, 700, 20);
        let parts = [0..256, 256..512, 512..700];
        let scores: Vec<f32> = (0..queries * count)
            .map(|_| random.below(100) as f32)
            .collect();
        let keys = Memory::for_output::<u64>(queries * parts.len() * k);
        for (number, part) in parts.iter().enumerate() {
            let of_part: Vec<f32> = (0..queries)
                .flat_map(|query| &scores[query * count..][part.clone()])
                .copied()
                .collect();
            let memory = Memory::of(&of_part);
            let arguments = [
                At(&memory),
                Null,
                U32(part.start as u32),
                U32(part.len() as u32),
                U32(k as u32),
                At(&keys),
                U32((parts.len() * k) as u32),
                U32((number * k) as u32),
            ];
            emulation.run(
                launch::best(queries as u32, k as u32).expect("as many as it takes"),
                &arguments,
                &[&keys],
            );
        }
        let out = Memory::for_output::<u64>(queries * k);
        let arguments = [
            At(&keys),
            U32((parts.len() * k) as u32),
            U32(k as u32),
            At(&out),
            U32(k as u32),
        ];
        emulation.run(
            launch::merge(queries as u32, k as u32).expect("as many as it takes"),
            &arguments,
            &[&out],
        );
        let rows: Vec<u32> = (0..count as u32).collect();
        for (query, keys) in out.values::<u64>().chunks(k).enumerate() {
            let scores = &scores[query * count..][..count];
            assert_eq!(keys, reference::best(scores, &rows, k));
            let (score, row) = decode_key(keys[0]).expect("a key of something");
            assert_eq!(score, scores[row as usize]);
        }
    }
}

#[test]
fn keys_of_nothing_are_left_out() {
    for emulation in emulations(Program::Nearest) {
        let mut keys = vec![0_u64; 600];
        for (at, key) in [(3, 9), (599, 5), (300, u64::MAX)] {
            keys[at] = key;
        }
        for k in [1, 3, 40] {
            let (memory, out) = (Memory::of(&keys), Memory::for_output::<u64>(k));
            let stride = U32(k as u32);
            let arguments = [At(&memory), U32(600), U32(k as u32), At(&out), stride];
            emulation.run(
                launch::merge(1, k as u32).expect("as many as it takes"),
                &arguments,
                &[&out],
            );
            assert_eq!(out.values::<u64>(), reference::merge(&keys, k));
        }
    }
}

#[test]
fn lists_merge_where_they_lie() {
    for emulation in emulations(Program::Nearest) {
        let mut random = SplitMix64(4);
        let (queries, count) = (3, 40);
        let keys: Vec<u64> = (0..queries * count)
            .map(|_| random.below(1 << 30) as u64 + 1)
            .collect();
        for k in [1, 10, 40] {
            let memory = Memory::of(&keys);
            let size = U32(count as u32);
            let arguments = [At(&memory), size, U32(k as u32), At(&memory), size];
            emulation.run(
                launch::merge(queries as u32, k as u32).expect("as many as it takes"),
                &arguments,
                &[&memory],
            );
            let merged: Vec<u64> = memory.values();
            for (merged, before) in merged.chunks(count).zip(keys.chunks(count)) {
                assert_eq!(merged[..k], reference::merge(before, k));
                assert_eq!(merged[k..], before[k..]);
            }
        }
    }
}
