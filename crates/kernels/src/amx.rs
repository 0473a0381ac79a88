//! Kernels for AMX, whose instructions multiply tiles: up to sixteen rows of sixty-four bytes each. All else is that of
//! AVX-512, which every processor with AMX has.
//!
//! The compiler has no functions for these instructions yet, nor does it use their registers: a configuration holds from
//! [`Tiles::configured`] to its drop, through any code between.

mod dense_bf16;
mod dense_i8;

use std::arch::asm;
use std::sync::LazyLock;

use crate::Kernels;

/// The table, or none where the processor lacks AMX or something of AVX-512, or the system does not lend its registers.
pub(crate) fn table() -> Option<&'static Kernels> {
    (crate::avx512::bf16_table().is_some() && *IS_LENT).then_some(&TABLE)
}

static TABLE: Kernels = Kernels {
    name: "amx",
    bf16: dense_bf16::KERNELS,
    int8: dense_i8::KERNELS,
    ..crate::avx512::BF16_TABLE
};

/// The processor has tiles, and the system lends them to this process, which is asked once: to threads that are there and
/// to come.
static IS_LENT: LazyLock<bool> = LazyLock::new(|| {
    // Bits of the leaf of extended features: products of bfloat16, tiles, products of bytes.
    const AMX: u32 = 1 << 22 | 1 << 24 | 1 << 25;
    let features = std::arch::x86_64::__cpuid_count(7, 0).edx;
    features & AMX == AMX && ask()
});

/// Asks the system for the registers of tiles.
#[cfg(target_os = "linux")]
fn ask() -> bool {
    const ARCH_REQ_XCOMP_PERM: libc::c_ulong = 0x1023;
    const XFEATURE_XTILEDATA: libc::c_ulong = 18;
    // SAFETY: it takes numbers and changes no memory of ours; a system that does not know it answers an error.
    let answer = unsafe {
        libc::syscall(
            libc::SYS_arch_prctl,
            ARCH_REQ_XCOMP_PERM,
            XFEATURE_XTILEDATA,
        )
    };
    answer == 0
}

/// Other systems have other ways, which are not known here.
#[cfg(not(target_os = "linux"))]
fn ask() -> bool {
    false
}

/// The shapes of all eight tiles, as the processor reads them.
#[repr(C, align(64))]
struct Shapes {
    palette: u8,
    start_row: u8,
    reserved: [u8; 14],
    row_bytes: [u16; 16],
    rows: [u8; 16],
}

/// Eight tiles of sixteen rows of sixty-four bytes.
static SHAPES: Shapes = Shapes {
    palette: 1,
    start_row: 0,
    reserved: [0; 14],
    row_bytes: [64, 64, 64, 64, 64, 64, 64, 64, 0, 0, 0, 0, 0, 0, 0, 0],
    rows: [16, 16, 16, 16, 16, 16, 16, 16, 0, 0, 0, 0, 0, 0, 0, 0],
};

/// Tiles that are configured, until it is dropped: switches between threads are dear as long as they are.
struct Tiles;

impl Tiles {
    /// Configures all tiles of this thread for their largest shape.
    ///
    /// # Safety
    /// The processor must have AMX, and the system must have lent it; the thread must not have tiles already.
    unsafe fn configured() -> Self {
        // SAFETY: the caller vouches for AMX; the instruction reads 64 bytes, as there are.
        unsafe {
            asm!(
                "ldtilecfg [{shapes}]",
                shapes = in(reg) &raw const SHAPES,
                out("tmm0") _, out("tmm1") _, out("tmm2") _, out("tmm3") _,
                out("tmm4") _, out("tmm5") _, out("tmm6") _, out("tmm7") _,
                options(nostack, preserves_flags, readonly),
            );
        }
        Self
    }
}

impl Drop for Tiles {
    fn drop(&mut self) {
        // SAFETY: it was configured by this thread, as the type is not sent to others.
        unsafe {
            asm!(
                "tilerelease",
                out("tmm0") _, out("tmm1") _, out("tmm2") _, out("tmm3") _,
                out("tmm4") _, out("tmm5") _, out("tmm6") _, out("tmm7") _,
                options(nostack, preserves_flags, nomem),
            );
        }
    }
}
