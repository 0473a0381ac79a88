//! The order of nodes by one query, guessed from sign bits and ranked by int8 codes.

use pelorus_kernels::{BitQuery, Kernels, KeyWeights, kernels, prefetch};

use crate::keys::{Keys, Query};
use crate::quantize::code_query::CodeQuery;
use crate::quantize::codes::Codes;
use crate::quantize::deviation::with_memory;
use crate::quantize::record::Records;
use crate::storage::blocks::RowsView;

/// Error radii within which a guess is trusted: one in some hundred guesses is farther off.
const DOUBT_RADII: f32 = 2.0;

/// Nodes of a run guessed in one go.
const RUN_MAX: usize = 32;

/// Guesses of a query from sign bits, keys from int8 codes.
pub(crate) struct BitKeys<'a> {
    records: Records<'a>,
    codes: RowsView<'a, i8>,
    by_code: CodeQuery<'a>,
    bits: BitQuery,
    /// What makes a guess.
    likely: KeyWeights,
    /// What makes the least that a key may be.
    least: KeyWeights,
    table: &'static Kernels,
}

impl<'a> BitKeys<'a> {
    pub fn new(codes: &'a Codes, query: &Query<'_>) -> Self {
        let (by_code, bits) = with_memory(|memory| {
            let (deviation, spread) = codes.deviate(query, memory);
            let by_code = CodeQuery::of(codes, deviation, spread);
            codes.rotation().rotate(deviation);
            (by_code, BitQuery::of_square(deviation, spread.square))
        });
        let weight = codes.product_weight();
        Self {
            // Records are written before codes: every node with a code has one in view.
            codes: codes.codes(),
            records: codes.records(),
            by_code,
            likely: KeyWeights {
                product: weight,
                error: 0.0,
            },
            least: KeyWeights {
                product: weight,
                error: DOUBT_RADII * weight * bits.norm(),
            },
            bits,
            table: kernels(),
        }
    }
}

impl<'a> Keys for BitKeys<'a> {
    const EXACT_GUESSES: bool = false;

    type Place = &'a [u64];

    #[inline(always)]
    fn limit(&self) -> usize {
        self.by_code.limit()
    }

    #[inline(always)]
    fn key(&self, node: u32) -> f32 {
        self.by_code.key(node)
    }

    #[inline(always)]
    fn prefetch(&self, node: u32) {
        // The record was read for the guess.
        prefetch(self.codes.row(node as usize));
    }

    fn error(&self, node: u32) -> f32 {
        self.by_code.error(node)
    }

    #[inline(always)]
    fn place(&self, node: u32) -> &'a [u64] {
        let record = self.records.record(node);
        prefetch(record);
        record
    }

    #[inline(always)]
    fn guess(&self, records: &[&'a [u64]], out: &mut [f32]) {
        (self.table.bit_keys)(&self.bits, self.likely, records, out);
    }

    #[inline(always)]
    fn least(&self, records: &[&'a [u64]], out: &mut [f32]) {
        (self.table.bit_keys)(&self.bits, self.least, records, out);
    }

    fn least_of_run(&self, first: u32, out: &mut [f32]) {
        let mut records: [&[u64]; RUN_MAX] = [&[]; RUN_MAX];
        let mut done = 0;
        while done < out.len() {
            let run = self
                .records
                .run(first as usize + done, RUN_MAX.min(out.len() - done));
            let mut count = 0;
            for (place, record) in records.iter_mut().zip(run) {
                *place = record;
                count += 1;
            }
            self.least(&records[..count], &mut out[done..][..count]);
            done += count;
        }
    }
}
