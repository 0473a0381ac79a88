//! Kernels for AVX-512 (F, BW, VL, VNNI): 512-bit vectors, partial results to hide latency, the
//! last incomplete vector by masked loads. Processors that count bits as well (VPOPCNTDQ) have a
//! table of their own, and so have those that multiply bfloat16 besides (BF16).

mod bits;
mod bits_vpopcnt;
mod dense;
mod dense_bf16;
mod dense_dpbf16;
pub(crate) mod dense_i8;
mod f32;
mod hadamard;
mod i8;
mod i8_rows;
mod near_sets;
mod quantise;
mod sorted;

use std::arch::x86_64::*;

use crate::key_weights::FACTOR_WORDS;
use crate::{BitQuery, Kernels, KeyWeights};

/// Rows of codes that are worked on together and reduced to one vector of sums.
const ROWS: usize = 4;

/// The table, or none where the processor lacks one of the four extensions.
pub(crate) fn table() -> Option<&'static Kernels> {
    let available = is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512vl")
        && is_x86_feature_detected!("avx512vnni");
    available.then_some(&PLAIN_TABLE)
}

/// The table that counts bits, or none where the processor lacks one of the five extensions.
pub(crate) fn vpopcnt_table() -> Option<&'static Kernels> {
    let available = table().is_some() && is_x86_feature_detected!("avx512vpopcntdq");
    available.then_some(&VPOPCNT_TABLE)
}

/// The table that multiplies bfloat16, or none where the processor lacks one of the six extensions.
pub(crate) fn bf16_table() -> Option<&'static Kernels> {
    static BF16: Kernels = BF16_TABLE;
    let available = vpopcnt_table().is_some() && is_x86_feature_detected!("avx512bf16");
    available.then_some(&BF16)
}

static PLAIN_TABLE: Kernels = TABLE;
static VPOPCNT_TABLE: Kernels = COUNTING_TABLE;

/// Reachable through [`vpopcnt_table`] alone, which is what makes its functions safe to call.
const COUNTING_TABLE: Kernels = Kernels {
    name: "avx512vpopcnt",
    bit_keys: |query, weights, rows, out| {
        // SAFETY: `vpopcnt_table` hands this out after it found all five extensions.
        unsafe { bits_vpopcnt::keys(query, weights, rows, out) }
    },
    ..TABLE
};

/// Reachable through [`bf16_table`] and the table of AMX alone, which is what makes its functions safe to call.
pub(crate) const BF16_TABLE: Kernels = Kernels {
    name: "avx512bf16",
    bf16: dense_dpbf16::KERNELS,
    ..COUNTING_TABLE
};

/// Reachable through [`table`] and [`vpopcnt_table`] alone, which is what makes its functions safe
/// to call.
const TABLE: Kernels = Kernels {
    name: "avx512",
    dot_f32: |a, b| {
        // SAFETY: `table` hands this out after it found F, BW, VL and VNNI, `vpopcnt_table` too.
        unsafe { f32::dot(a, b) }
    },
    dot_bf16: |a, b| {
        // SAFETY: as above.
        unsafe { f32::dot_bf16(a, b) }
    },
    dot_int8: |a, scale, b| {
        // SAFETY: as above.
        unsafe { f32::dot_int8(a, scale, b) }
    },
    l2sq_f32: |a, b| {
        // SAFETY: as above.
        unsafe { f32::l2sq(a, b) }
    },
    l1_f32: |a, b| {
        // SAFETY: as above.
        unsafe { f32::l1(a, b) }
    },
    linf_f32: |a, b| {
        // SAFETY: as above.
        unsafe { f32::linf(a, b) }
    },
    hamming_f32: |a, b| {
        // SAFETY: as above.
        unsafe { f32::hamming(a, b) }
    },
    dot_i8: |a, b| {
        // SAFETY: as above.
        unsafe { i8::dot(a, b) }
    },
    dot_i8_rows: |query, query_sum, rows, out| {
        // SAFETY: as above.
        unsafe { i8_rows::dot(query, query_sum, rows, out) }
    },
    bit_keys: |query, weights, rows, out| {
        // SAFETY: as above.
        unsafe { bits::keys(query, weights, rows, out) }
    },
    hadamard: |block, signs| {
        // SAFETY: as above.
        unsafe { hadamard::transform(block, signs) }
    },
    reflect: |v, parts| {
        // SAFETY: as above.
        unsafe { hadamard::reflect(v, parts) }
    },
    insert_sorted: |list, len, value| {
        // SAFETY: as above.
        unsafe { sorted::insert(list, len, value) }
    },
    near_sets: |sets, other, lacking, added, out| {
        // SAFETY: as above.
        unsafe { near_sets::find(sets, other, lacking, added, out) }
    },
    residual: |x, factor, centre, out| {
        // SAFETY: as above.
        unsafe { quantise::residual(x, factor, centre, out) }
    },
    encode_i8: |v, steps, codes| {
        // SAFETY: as above.
        unsafe { quantise::encode_i8(v, steps, codes) }
    },
    encode_i4: |v, scale, codes, planes| {
        // SAFETY: as above.
        unsafe { quantise::encode_i4(v, scale, codes, planes) }
    },
    multiply: |rows, panels, out| {
        // SAFETY: as above.
        unsafe { dense::multiply(rows, panels, out) }
    },
    gelu: |values| {
        // SAFETY: as above.
        unsafe { dense::gelu(values) }
    },
    tanh_gelu: |values| {
        // SAFETY: as above.
        unsafe { dense::tanh_gelu(values) }
    },
    quick_gelu: |values| {
        // SAFETY: as above.
        unsafe { dense::quick_gelu(values) }
    },
    softmax: |row, scale| {
        // SAFETY: as above.
        unsafe { dense::softmax(row, scale) }
    },
    add_norm: |row, residual, weight, bias, epsilon| {
        // SAFETY: as above.
        unsafe { dense::add_norm(row, residual, weight, bias, epsilon) }
    },
    bf16: dense_bf16::KERNELS,
    int8: dense_i8::KERNELS,
};

/// One to four rows, the last repeated to make four. Marked to be inlined for what calls it has
/// vectors the build at large has not, and closures in such functions stay calls.
#[inline(always)]
fn four<'a, T>(rows: &[&'a [T]]) -> [&'a [T]; ROWS] {
    let last = rows.len() - 1;
    [
        rows[0],
        rows[last.min(1)],
        rows[last.min(2)],
        rows[last.min(3)],
    ]
}

/// The sixteen lanes of each vector added up.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
fn sum_rows([a, b, c, d]: [__m512i; ROWS]) -> __m128i {
    let ab = _mm512_add_epi32(_mm512_unpacklo_epi32(a, b), _mm512_unpackhi_epi32(a, b));
    let cd = _mm512_add_epi32(_mm512_unpacklo_epi32(c, d), _mm512_unpackhi_epi32(c, d));
    let all = _mm512_add_epi32(_mm512_unpacklo_epi64(ab, cd), _mm512_unpackhi_epi64(ab, cd));
    let half = _mm256_add_epi32(
        _mm512_castsi512_si256(all),
        _mm512_extracti64x4_epi64::<1>(all),
    );
    _mm_add_epi32(
        _mm256_castsi256_si128(half),
        _mm256_extracti128_si256::<1>(half),
    )
}

/// Writes as many of the four results as there are rows.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
fn store_rows(results: __m128i, out: &mut [i32]) {
    debug_assert!(out.len() <= ROWS);
    let mask = (1u8 << out.len().min(ROWS)) - 1;
    // SAFETY: the mask admits exactly the lanes of `out`, of which there are at most four.
    unsafe { _mm_mask_storeu_epi32(out.as_mut_ptr(), mask, results) };
}

/// Writes the keys that the sums of set codes make with the factors of their rows, as many as there
/// are results.
///
/// # Safety
/// The rows must have passed [`BitQuery::check_rows`].
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
unsafe fn store_keys(
    query: &BitQuery,
    weights: KeyWeights,
    sums_of_set: __m128i,
    rows: &[&[u64]; ROWS],
    out: &mut [f32],
) {
    debug_assert!(out.len() <= ROWS);
    let (sum, step) = query.sum_and_step();
    let signed = _mm_sub_epi32(_mm_slli_epi32::<1>(sums_of_set), _mm_set1_epi32(sum));
    let products = _mm_mul_ps(_mm_set1_ps(step), _mm_cvtepi32_ps(signed));
    let [a, b, c, d] = rows;
    // SAFETY: the caller vouches for the rows.
    let (a, b, c, d) = unsafe {
        (
            load_factors(query, a),
            load_factors(query, b),
            load_factors(query, c),
            load_factors(query, d),
        )
    };
    // The three columns of four rows of add, factor, error and something else.
    let (ab, cd) = (_mm_unpacklo_ps(a, b), _mm_unpacklo_ps(c, d));
    let (add, factor) = (_mm_movelh_ps(ab, cd), _mm_movehl_ps(cd, ab));
    let error = _mm_movelh_ps(_mm_unpackhi_ps(a, b), _mm_unpackhi_ps(c, d));
    // In the order of the scalar table, and without fusing, for the same last bit.
    let factor = _mm_mul_ps(_mm_set1_ps(weights.product), factor);
    let keys = _mm_sub_ps(add, _mm_mul_ps(factor, products));
    let keys = _mm_sub_ps(keys, _mm_mul_ps(_mm_set1_ps(weights.error), error));
    let mask = (1u8 << out.len().min(ROWS)) - 1;
    // SAFETY: as in `store_rows`.
    unsafe { _mm_mask_storeu_ps(out.as_mut_ptr(), mask, keys) };
}

/// The two words of factors behind the bits of a row.
///
/// # Safety
/// The row must have them.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
unsafe fn load_factors(query: &BitQuery, row: &[u64]) -> __m128 {
    debug_assert!(row.len() >= query.words() + FACTOR_WORDS);
    // SAFETY: rows are checked to have these sixteen bytes; the load needs no alignment.
    unsafe { _mm_loadu_ps(row.as_ptr().add(query.words()).cast()) }
}
