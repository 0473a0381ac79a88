//! Attention, on the CPU, beside its reference.
#![cfg(all(target_os = "linux", target_env = "gnu"))]

mod support;

use pelorus_cuda::reference::{self, Attention};
use pelorus_cuda::{Element, Program, attention_tiles, launch};
use pelorus_random::SplitMix64;
use support::Argument::{F32, Memory as At, Null, U32};
use support::{Emulation, Memory, check, elements, emulations, floats, step};

const ELEMENTS: [Element; 2] = [Element::F16, Element::Bf16];

fn bounds_of(lengths: &[u32]) -> Vec<u32> {
    let mut bounds = vec![0];
    for length in lengths {
        bounds.push(bounds[bounds.len() - 1] + length);
    }
    bounds
}

/// Runs attention of some queries, keys and values and answers the bits of what comes of it.
fn attend(emulation: &Emulation, bits: &[u16], bounds: &[u32], shape: Attention<'_>) -> Vec<u16> {
    let tiles = attention_tiles(bounds);
    let (heads, head_size) = (shape.heads as u32, shape.head_size as u32);
    let (qkv, tile_memory) = (Memory::of(bits), Memory::of(tiles.as_flattened()));
    let out = Memory::for_output::<u16>(bits.len() / 3);
    let offsets = shape
        .offsets
        .map(|(offsets, span)| (Memory::of(offsets), span));
    let (offsets, span) = match &offsets {
        Some((memory, span)) => (At(memory), *span as u32),
        None => (Null, 0),
    };
    let arguments = [
        At(&qkv),
        U32(3 * heads * head_size),
        At(&tile_memory),
        U32(heads),
        F32(shape.factor),
        U32(shape.causal.into()),
        offsets,
        U32(span),
        At(&out),
    ];
    let launch = launch::attention(
        tiles.len() as u32,
        heads,
        head_size,
        shape.offsets.is_some(),
    )
    .expect("a size of heads that it takes");
    emulation.run(launch, &arguments, &[&out]);
    out.values()
}

#[test]
fn texts_of_all_lengths_attend_to_themselves_alone() {
    let batches: [&[u32]; 6] = [
        &[1],
        &[16],
        &[64, 65],
        &[1, 512, 3],
        &[17, 0, 128, 1, 63, 66],
        &[],
    ];
    for element in ELEMENTS {
        for emulation in emulations(Program::Encoder(element)) {
            let mut random = SplitMix64(1);
            for (head_size, heads) in [(32, 3), (64, 2)] {
                for lengths in batches {
                    let bounds = bounds_of(lengths);
                    let tokens = lengths.iter().sum::<u32>() as usize;
                    let (qkv, bits) =
                        elements(&mut random, element, tokens * 3 * heads * head_size, 1.5);
                    let shape = Attention {
                        heads,
                        head_size,
                        factor: 1.0 / (head_size as f32).sqrt(),
                        causal: false,
                        offsets: None,
                    };
                    let expected = reference::attention(&qkv, &bounds, shape);
                    let received = attend(&emulation, &bits, &bounds, shape);
                    check(
                        "context",
                        element,
                        &received,
                        &expected,
                        2.0 * step(element),
                    );
                }
            }
        }
    }
}

#[test]
fn tokens_see_none_behind_them_where_that_is_so() {
    for element in ELEMENTS {
        for emulation in emulations(Program::Encoder(element)) {
            let mut random = SplitMix64(2);
            for (head_size, lengths) in [(64, [77, 1, 130]), (32, [64, 65, 2])] {
                let bounds = bounds_of(&lengths);
                let tokens = lengths.iter().sum::<u32>() as usize;
                let (qkv, bits) = elements(&mut random, element, tokens * 3 * 2 * head_size, 1.5);
                let shape = Attention {
                    heads: 2,
                    head_size,
                    factor: 0.125,
                    causal: true,
                    offsets: None,
                };
                let expected = reference::attention(&qkv, &bounds, shape);
                let received = attend(&emulation, &bits, &bounds, shape);
                check(
                    "context",
                    element,
                    &received,
                    &expected,
                    2.0 * step(element),
                );
            }
        }
    }
}

#[test]
fn offsets_of_distances_are_added_to_scores() {
    for emulation in emulations(Program::Encoder(Element::F16)) {
        let mut random = SplitMix64(3);
        let (heads, head_size, span) = (3, 64, 131);
        let bounds = bounds_of(&[131, 5, 70]);
        let (qkv, bits) = elements(&mut random, Element::F16, 206 * 3 * heads * head_size, 1.0);
        let offsets = floats(&mut random, heads * (2 * span - 1), 2.0);
        let shape = Attention {
            heads,
            head_size,
            factor: 0.125,
            causal: false,
            offsets: Some((&offsets, span)),
        };
        let expected = reference::attention(&qkv, &bounds, shape);
        let received = attend(&emulation, &bits, &bounds, shape);
        check(
            "context",
            Element::F16,
            &received,
            &expected,
            2.0 * step(Element::F16),
        );
    }
}

#[test]
fn scores_far_apart_neither_overflow_nor_vanish() {
    // The largest score lies in the last tile of keys, hundreds above the others: what was summed before must fade.
    for element in ELEMENTS {
        for emulation in emulations(Program::Encoder(element)) {
            let (tokens, head_size) = (150, 32);
            let mut random = SplitMix64(4);
            let (mut qkv, mut bits) = elements(&mut random, element, tokens * 3 * head_size, 1.0);
            for token in 0..tokens {
                for at in 0..head_size {
                    let key = if token % 37 == 36 { 30.0 } else { -30.0 };
                    for (part, value) in [(0, 20.0), (1, key)] {
                        let place = token * 3 * head_size + part * head_size + at;
                        (qkv[place], bits[place]) = (value, element.bits(value));
                    }
                }
            }
            let shape = Attention {
                heads: 1,
                head_size,
                factor: 0.176_776_7,
                causal: false,
                offsets: None,
            };
            let bounds = [0, tokens as u32];
            let expected = reference::attention(&qkv, &bounds, shape);
            let received = attend(&emulation, &bits, &bounds, shape);
            check(
                "context",
                element,
                &received,
                &expected,
                2.0 * step(element),
            );
        }
    }
}

#[test]
fn a_text_has_the_same_bits_alone_and_among_others() {
    for emulation in emulations(Program::Encoder(Element::F16)) {
        let mut random = SplitMix64(5);
        let lengths = [70, 5, 129];
        let row = 3 * 2 * 32;
        let (_, bits) = elements(&mut random, Element::F16, 204 * row, 1.0);
        let shape = Attention {
            heads: 2,
            head_size: 32,
            factor: 0.2,
            causal: false,
            offsets: None,
        };
        let bounds = bounds_of(&lengths);
        let together = attend(&emulation, &bits, &bounds, shape);
        for (text, &length) in lengths.iter().enumerate() {
            let tokens = bounds[text] as usize..bounds[text + 1] as usize;
            let alone = attend(
                &emulation,
                &bits[tokens.start * row..tokens.end * row],
                &[0, length],
                shape,
            );
            assert_eq!(
                alone,
                together[tokens.start * row / 3..tokens.end * row / 3]
            );
        }
    }
}

#[test]
fn a_value_that_is_no_number_reaches_its_text_and_no_other() {
    for emulation in emulations(Program::Encoder(Element::F16)) {
        for part in 0..3 {
            let mut random = SplitMix64(6);
            let row = 3 * 32;
            let (_, mut bits) = elements(&mut random, Element::F16, 140 * row, 1.0);
            bits[100 * row + part * 32 + 5] = Element::F16.bits(f32::NAN);
            let shape = Attention {
                heads: 1,
                head_size: 32,
                factor: 0.2,
                causal: false,
                offsets: None,
            };
            let received = attend(&emulation, &bits, &[0, 70, 140], shape);
            let is_nan = |token: usize| {
                received[token * 32..][..32]
                    .iter()
                    .any(|&bits| Element::F16.value(bits).is_nan())
            };
            assert!((0..70).all(|token| !is_nan(token)));
            assert!(is_nan(100) && (part == 0 || (70..140).all(is_nan)));
        }
    }
}
