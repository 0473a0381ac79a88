//! The table of kernels and the choice of one at run time.

use std::sync::OnceLock;

use crate::{Bf16Kernels, BitQuery, Int8Kernels, KeyWeights, Panels, Rows, RowsMut, scalar};

type DotI8Rows = fn(&[i8], i32, &[&[i8]], &mut [i32]);
type Residual = fn(&[f32], f32, &[f32], &mut [f32]) -> (f32, f32);
type EncodeI4 = fn(&[f32], f32, &mut [i8], &mut [u64]) -> (i32, f32);
type NearSets = fn(&[u64], u64, u32, u32, &mut [u64]);
type AddNorm = fn(&mut [f32], &[f32], &[f32], &[f32], f32);
type BitKeys = fn(&BitQuery, KeyWeights, &[&[u64]], &mut [f32]);

/// One implementation of every kernel.
///
/// Distances take two buffers of one dimension; of buffers that differ in length the common prefix
/// counts. The functions over many rows check their lengths. Floats are summed in an order of the
/// table's choosing, so two tables agree within rounding; integer kernels agree exactly.
pub struct Kernels {
    /// `scalar`, `avx2`, `avxvnni`, `avx512`, `avx512vpopcnt`, `avx512bf16`, `amx`, `neon`, `dotprod` or `i8mm`.
    pub name: &'static str,
    /// Inner product.
    pub dot_f32: fn(&[f32], &[f32]) -> f32,
    /// Inner product with a row of bfloat16: [`dot_f32`](Self::dot_f32) of what the row stands for, bit for bit.
    pub dot_bf16: fn(&[f32], &[u16]) -> f32,
    /// `dot_int8(query, step, codes)` answers the inner product with a [row of int8](crate::write_int8_row):
    /// [`dot_f32`](Self::dot_f32) of what the row stands for, bit for bit.
    pub dot_int8: fn(&[f32], f32, &[i8]) -> f32,
    /// Squared euclidean distance.
    pub l2sq_f32: fn(&[f32], &[f32]) -> f32,
    /// Sum of absolute differences.
    pub l1_f32: fn(&[f32], &[f32]) -> f32,
    /// Largest absolute difference.
    pub linf_f32: fn(&[f32], &[f32]) -> f32,
    /// Number of components that differ.
    pub hamming_f32: fn(&[f32], &[f32]) -> f32,
    /// Inner product of int8 codes. Exact up to 2^16 components.
    pub dot_i8: fn(&[i8], &[i8]) -> i32,
    /// Inner products of one code with many, `dot_i8_rows(query, Σ query, rows, out)`: the sum
    /// saves VNNI every second multiplication. Exact up to 2^16 components.
    ///
    /// Panics if a row is not as long as the query, or `out` not as long as `rows`.
    pub dot_i8_rows: DotI8Rows,
    /// `bit_keys(query, weights, rows, out)` answers, for each row of sign bits,
    /// `add - weights.product * factor * product - weights.error * error`, where `product` is the inner
    /// product of the query with those signs, so that `factor * product ≈ ⟨q, x⟩`
    /// ([`BitFactors`](crate::BitFactors)). Behind the bits a row holds the f32 `add`, `factor` and
    /// `error`, in the low and the high half of one word and the low half of the next. All tables
    /// agree bit for bit.
    ///
    /// Panics if a row has less than two words after its [`BitQuery::words`], or `out` is not as
    /// long as `rows`.
    pub bit_keys: BitKeys,
    /// `hadamard(block, signs)` multiplies a block by as many signs (of whatever magnitude), then
    /// transforms it in place, not normalised: component `i` becomes `Σ_j ± block_j`, minus where
    /// `i & j` has an odd number of bits.
    ///
    /// Panics if the length is not a power of two or the two differ in it.
    pub hadamard: fn(&mut [f32], &[f32]),
    /// `reflect(v, parts)` takes twice the mean of `parts` equal parts from each of them: the
    /// Householder reflection that mixes the blocks of a rotation.
    ///
    /// Panics unless there are 3, 4 or 5 parts.
    pub reflect: fn(&mut [f32], usize),
    /// `insert_sorted(list, len, value)` inserts into the first `len` numbers of a list, which
    /// ascend, and answers where: before the first that is not smaller. Those behind move up.
    ///
    /// Panics if the list has no room after the first `len`.
    pub insert_sorted: fn(&mut [u64], usize, u64) -> usize,
    /// `near_sets(sets, other, lacking, added, out)` writes a bit for each set of numbers below 64, the first of a word
    /// lowest: set where it lacks at most `lacking` numbers of `other`, and has at most `added` that `other` has not; from
    /// 64 on it may have any.
    ///
    /// Panics if `out` has not a word for each 64 sets.
    pub near_sets: NearSets,
    /// `residual(x, factor, centre, out)` writes `factor x - centre` and answers the largest magnitude in it, NaN left
    /// out, and the sum of squares. All tables agree bit for bit on all but that sum, which is
    /// [`l2sq_f32`](Self::l2sq_f32) of `factor x` and the centre.
    ///
    /// Panics if one of the three differs in length.
    pub residual: Residual,
    /// `encode_i8(v, steps, codes)` writes `round(steps v)` within -127..=127, ties to even, and
    /// answers the sum of the codes. NaN has code zero. All tables agree bit for bit.
    ///
    /// Panics if there is not one code a component.
    pub encode_i8: fn(&[f32], f32, &mut [i8]) -> i32,
    /// `encode_i4(v, scale, codes, planes)` writes `round(scale v)` within -8..=7, ties to even,
    /// `[64 n]`, and bit `j` of all codes into plane `j`, `[4, n]`. Answers `Σ code` and
    /// `Σ scale v code`. NaN has code -8. All tables agree bit for bit but for the rounding of the
    /// last.
    ///
    /// Panics if the lengths are not of these shapes.
    pub encode_i4: EncodeI4,
    /// `multiply(rows, matrix, out)` writes the products of rows with a packed matrix, each sum begun at the first value
    /// of its column and added up in the order of its depth: a row has the same bits whatever rows are beside it. All
    /// tables agree bit for bit.
    ///
    /// Panics if a row, as long as the matrix is deep, or one of `out`, as long as it has columns, lies beyond its buffer.
    pub multiply: fn(Rows<'_>, &Panels, RowsMut<'_>),
    /// `gelu(values)` makes `x Φ(x)` of each, Φ being the normal distribution, within `4e-7 (1 + |x|)`. All tables agree
    /// bit for bit.
    pub gelu: fn(&mut [f32]),
    /// `tanh_gelu(values)` makes `x Φ(x)` of each by the hyperbolic tangent, `½ x (1 + tanh(√(2/π) (x + 0.044715 x³)))`, within
    /// `4e-7 (1 + |x|)`. All tables agree bit for bit.
    pub tanh_gelu: fn(&mut [f32]),
    /// `quick_gelu(values)` makes `x sigmoid(1.702 x)` of each, within `4e-7 (1 + |x|)`. All tables agree bit for bit.
    pub quick_gelu: fn(&mut [f32]),
    /// `softmax(row, scale)` makes `e^(scale x)` of each, divided by their sum. All tables agree bit for bit.
    pub softmax: fn(&mut [f32], f32),
    /// `add_norm(row, residual, weight, bias, epsilon)` adds the residual to a row, makes its mean zero and its variance,
    /// to which epsilon is added, one, and then answers `weight x + bias`. All tables agree bit for bit.
    ///
    /// Panics if the four differ in length.
    pub add_norm: AddNorm,
    /// Products of bfloat16.
    pub bf16: Bf16Kernels,
    /// Products of bytes.
    pub int8: Int8Kernels,
}

impl Kernels {
    /// The portable table, and the oracle of the others.
    pub fn scalar() -> &'static Kernels {
        &scalar::TABLE
    }

    /// Every table this machine can run, slowest first.
    pub fn supported() -> Vec<&'static Kernels> {
        let mut tables = vec![Self::scalar()];
        #[cfg(target_arch = "x86_64")]
        tables.extend(
            [
                crate::avx2::table(),
                crate::avx2::vnni_table(),
                crate::avx512::table(),
                crate::avx512::vpopcnt_table(),
                crate::avx512::bf16_table(),
                crate::amx::table(),
            ]
            .into_iter()
            .flatten(),
        );
        #[cfg(target_arch = "aarch64")]
        tables.extend(
            [
                crate::neon::table(),
                crate::neon::dotprod_table(),
                crate::neon::i8mm_table(),
            ]
            .into_iter()
            .flatten(),
        );
        tables
    }
}

/// The fastest table of this machine, chosen at the first call. The environment variable
/// `PELORUS_KERNELS` names another supported one; a name that is unknown or that this machine
/// cannot run is passed over.
pub fn kernels() -> &'static Kernels {
    static CHOSEN: OnceLock<&'static Kernels> = OnceLock::new();
    CHOSEN.get_or_init(|| choose(std::env::var("PELORUS_KERNELS").ok().as_deref()))
}

fn choose(forced: Option<&str>) -> &'static Kernels {
    let supported = Kernels::supported();
    let named = supported.iter().find(|table| Some(table.name) == forced);
    named
        .or(supported.last())
        .expect("the scalar table is always supported")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_supported_table_can_be_forced_by_name() {
        for table in Kernels::supported() {
            assert_eq!(choose(Some(table.name)).name, table.name);
        }
    }

    #[test]
    fn an_unknown_name_leaves_the_fastest_table() {
        assert_eq!(choose(Some("abacus")).name, choose(None).name);
    }
}
