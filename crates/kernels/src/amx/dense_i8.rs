//! Products of rows of codes by tiles (AMX): blocks of 32 rows and a panel, four tiles of sums of sixteen rows and sixteen
//! columns. A tile of weights is sixteen groups of a panel as they lie there.

use std::arch::asm;

use super::Tiles;
use crate::Int8Kernels;
use crate::int8_panels::{CODE_LINE, CodeGroup, Codes, GROUP, Int8Panels, Steps};
use crate::panels::{PANEL, RowsMut};
use crate::scalar::dense_i8::{self as portable, Block, ROWS_MAX, Sums, ToFloats, ToGeluCodes};

/// Reachable through the table of AMX alone, which is what makes its functions safe to call.
pub(super) const KERNELS: Int8Kernels = Int8Kernels {
    multiply: |codes, panels, out| {
        // SAFETY: the table is handed out where the processor has AMX, and the system has lent the tiles; no caller has any.
        unsafe { multiply(codes, panels, out) }
    },
    multiply_gelu: |codes, panels, steps, out| {
        // SAFETY: as above.
        unsafe { multiply_gelu(codes, panels, steps, out) }
    },
    ..crate::avx512::dense_i8::KERNELS
};

/// Rows of a tile.
const TILE_ROWS: usize = 16;
/// Rows of a block: two tiles.
const ROWS: usize = 2 * TILE_ROWS;
/// Groups of a panel in a tile.
const GROUPS: usize = CODE_LINE / GROUP;

const _: () = assert!(ROWS == ROWS_MAX && size_of::<CodeGroup>() == size_of::<Sums>());

struct Tiled;

impl Block for Tiled {
    const ROWS: usize = ROWS;

    #[inline(always)]
    unsafe fn sums(
        codes: *const u8,
        stride: usize,
        panel: &[CodeGroup],
        count: usize,
        sums: &mut [Sums; ROWS_MAX],
    ) {
        if panel.is_empty() {
            *sums = [[0; PANEL]; ROWS_MAX];
        } else if count > TILE_ROWS {
            // SAFETY: the caller vouches for rows and processor, and rows lie in whole tiles.
            unsafe { two_tiles(codes, stride, panel, sums) }
        } else {
            // SAFETY: as above.
            unsafe { one_tile(codes, stride, panel, sums) }
        }
    }
}

/// The sums of 32 rows with a panel.
///
/// # Safety
/// `codes` must begin 32 rows of a code for each row of the panel, which has some, `stride` bytes apart; the tiles must be
/// configured.
#[inline]
unsafe fn two_tiles(
    codes: *const u8,
    stride: usize,
    panel: &[CodeGroup],
    sums: &mut [Sums; ROWS_MAX],
) {
    debug_assert!(!panel.is_empty() && panel.len().is_multiple_of(GROUPS));
    // SAFETY: the loop goes over the whole lines of codes and of the panel, and there is room for four tiles of sums.
    unsafe {
        asm!(
            "tilezero tmm0",
            "tilezero tmm1",
            "tilezero tmm2",
            "tilezero tmm3",
            "2:",
            "tileloadd tmm4, [{codes} + {stride}]",
            "tileloadd tmm6, [{weights} + {line}]",
            "tileloadd tmm7, [{weights} + {line} + 64]",
            "tdpbusd tmm0, tmm4, tmm6",
            "tdpbusd tmm1, tmm4, tmm7",
            "tileloadd tmm5, [{below} + {stride}]",
            "tdpbusd tmm2, tmm5, tmm6",
            "tdpbusd tmm3, tmm5, tmm7",
            "add {codes}, 64",
            "add {below}, 64",
            "add {weights}, 2048",
            "dec {steps}",
            "jnz 2b",
            "tilestored [{sums} + {line}], tmm0",
            "tilestored [{sums} + {line} + 64], tmm1",
            "tilestored [{sums} + {line} + 2048], tmm2",
            "tilestored [{sums} + {line} + 2112], tmm3",
            codes = inout(reg) codes => _,
            below = inout(reg) codes.wrapping_add(TILE_ROWS * stride) => _,
            weights = inout(reg) panel.as_ptr() => _,
            steps = inout(reg) panel.len() / GROUPS => _,
            stride = in(reg) stride,
            line = in(reg) size_of::<Sums>(),
            sums = in(reg) sums.as_mut_ptr(),
            out("tmm0") _, out("tmm1") _, out("tmm2") _, out("tmm3") _,
            out("tmm4") _, out("tmm5") _, out("tmm6") _, out("tmm7") _,
            options(nostack),
        );
    }
}

/// The sums of sixteen rows with a panel.
///
/// # Safety
/// As for [`two_tiles`], with sixteen rows.
#[inline]
unsafe fn one_tile(
    codes: *const u8,
    stride: usize,
    panel: &[CodeGroup],
    sums: &mut [Sums; ROWS_MAX],
) {
    debug_assert!(!panel.is_empty() && panel.len().is_multiple_of(GROUPS));
    // SAFETY: as above, with two tiles of sums.
    unsafe {
        asm!(
            "tilezero tmm0",
            "tilezero tmm1",
            "2:",
            "tileloadd tmm4, [{codes} + {stride}]",
            "tileloadd tmm6, [{weights} + {line}]",
            "tileloadd tmm7, [{weights} + {line} + 64]",
            "tdpbusd tmm0, tmm4, tmm6",
            "tdpbusd tmm1, tmm4, tmm7",
            "add {codes}, 64",
            "add {weights}, 2048",
            "dec {steps}",
            "jnz 2b",
            "tilestored [{sums} + {line}], tmm0",
            "tilestored [{sums} + {line} + 64], tmm1",
            codes = inout(reg) codes => _,
            weights = inout(reg) panel.as_ptr() => _,
            steps = inout(reg) panel.len() / GROUPS => _,
            stride = in(reg) stride,
            line = in(reg) size_of::<Sums>(),
            sums = in(reg) sums.as_mut_ptr(),
            out("tmm0") _, out("tmm1") _, out("tmm4") _, out("tmm6") _, out("tmm7") _,
            options(nostack),
        );
    }
}

/// # Safety
/// As [`Tiles::configured`] has it.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
unsafe fn multiply(codes: &Codes, panels: &Int8Panels, out: RowsMut<'_>) {
    let epilogue = ToFloats::of(codes, panels, out);
    // SAFETY: the caller vouches for the tiles, which nothing else on this thread uses meanwhile.
    unsafe {
        let _tiles = Tiles::configured();
        portable::multiply::<Tiled>(codes, panels, epilogue);
    }
}

/// # Safety
/// As for [`multiply`].
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
unsafe fn multiply_gelu(codes: &Codes, panels: &Int8Panels, steps: Steps<'_>, out: &mut Codes) {
    let epilogue = ToGeluCodes::of(codes, panels, steps, out);
    // SAFETY: as above.
    unsafe {
        let _tiles = Tiles::configured();
        portable::multiply::<Tiled>(codes, panels, epilogue);
    }
}
