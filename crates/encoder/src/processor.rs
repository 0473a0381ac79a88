//! The kernels that encoders have on this processor.

use pelorus_kernels::kernels;

/// The kernels of this processor, as far as the choice of an encoder depends on them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Processor {
    /// Name of their table.
    pub kernels: &'static str,
    /// Texts in f32 take no more time with them than on ONNX Runtime, one by one less: products have blocks of rows, and the
    /// other loops are compiled for the widest vectors. So it was measured with AVX; with NEON it is expected.
    pub is_fast: bool,
    /// Pictures in f32 take less time with them than on ONNX Runtime.
    pub is_fast_at_pictures: bool,
}

impl Processor {
    /// This one, with the kernels that were chosen for it.
    pub fn here() -> Self {
        Self::of(kernels().name)
    }

    fn of(kernels: &'static str) -> Self {
        // Those of x86-64 were measured against ONNX Runtime with the same instructions, those of ARM only by a model of
        // processors; see docs/models.md.
        let has_avx512 = kernels.starts_with("avx512") || kernels == "amx";
        Self {
            kernels,
            is_fast: kernels != "scalar",
            is_fast_at_pictures: has_avx512,
        }
    }
}

#[cfg(test)]
mod tests {
    use pelorus_kernels::Kernels;

    use super::*;

    #[test]
    fn kernels_are_fast_where_products_have_blocks_of_rows() {
        assert!(!Processor::of("scalar").is_fast);
        for name in [
            "neon",
            "dotprod",
            "i8mm",
            "avx2",
            "avxvnni",
            "avx512",
            "avx512vpopcnt",
            "avx512bf16",
            "amx",
        ] {
            assert!(Processor::of(name).is_fast, "{name}");
        }
    }

    #[test]
    fn kernels_are_fast_at_pictures_from_avx512_on() {
        for name in ["scalar", "neon", "dotprod", "i8mm", "avx2", "avxvnni"] {
            assert!(!Processor::of(name).is_fast_at_pictures, "{name}");
        }
        for name in ["avx512", "avx512vpopcnt", "avx512bf16", "amx"] {
            assert!(Processor::of(name).is_fast_at_pictures, "{name}");
        }
    }

    #[test]
    fn the_slow_tables_of_this_machine_come_before_the_fast_ones() {
        let tables = Kernels::supported();
        let fast: Vec<_> = tables
            .iter()
            .map(|table| Processor::of(table.name).is_fast)
            .collect();
        assert!(fast.is_sorted(), "{fast:?}");
        assert_eq!(Processor::here(), Processor::of(kernels().name));
    }
}
