//! What a node has beside its int8 code: sign bits and a few facts, in whole cache lines.

use pelorus_kernels::BitFacts;

use crate::storage::blocks::{Rows, RowsView};

/// Words of facts, behind the sign bits.
const FACT_WORDS: usize = 2;
/// Words of a cache line.
const LINE_WORDS: usize = 8;

/// Words of a record with so many words of sign bits.
pub(crate) fn record_words(bit_words: usize) -> usize {
    (bit_words + FACT_WORDS).next_multiple_of(LINE_WORDS)
}

/// What is kept beside the codes of a node.
#[derive(Clone, Copy)]
pub(crate) struct Facts {
    /// What the vector adds to every key, whatever the query.
    pub bias: f32,
    /// What a product with the sign bits counts, and how far it may be off.
    pub bits: BitFacts,
    /// What one step of the int8 code stands for.
    pub scale: f32,
}

impl Facts {
    #[inline(always)]
    pub fn read(words: &[u64]) -> Self {
        let words = &words[..FACT_WORDS];
        let low = |word: u64| f32::from_bits(word as u32);
        let high = |word: u64| f32::from_bits((word >> 32) as u32);
        Self {
            bias: low(words[0]),
            bits: BitFacts {
                factor: high(words[0]),
                error: low(words[1]),
            },
            scale: high(words[1]),
        }
    }

    /// Writes to the words behind the sign bits.
    pub fn write(self, words: &mut [u64]) {
        let pair = |low: f32, high: f32| u64::from(high.to_bits()) << 32 | u64::from(low.to_bits());
        words[..FACT_WORDS].copy_from_slice(&[
            pair(self.bias, self.bits.factor),
            pair(self.bits.error, self.scale),
        ]);
    }
}

/// Sign bits and facts of the nodes there were at one time.
pub(crate) struct Records<'a> {
    rows: RowsView<'a, u64>,
}

impl<'a> Records<'a> {
    #[inline(always)]
    pub fn of(rows: &'a Rows<u64>) -> Self {
        Self { rows: rows.view() }
    }

    /// Bits and facts of a node, one behind the other: the sign bits of the rotated deviation from
    /// the centre, then what a key of it is made of ([`Kernels::bit_keys`]).
    ///
    /// [`Kernels::bit_keys`]: pelorus_kernels::Kernels::bit_keys
    #[inline(always)]
    pub fn record(&self, node: u32) -> &'a [u64] {
        self.rows.row(node as usize)
    }

    /// The records from that of `node` on, as many as lie one behind the other and at most `count`.
    #[inline(always)]
    pub fn run(&self, node: usize, count: usize) -> impl Iterator<Item = &'a [u64]> {
        self.rows.run(node, count)
    }
}
