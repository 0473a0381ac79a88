//! cuBLASLt: products in plain loops, of matrices that lie by columns.

use std::ffi::{c_float, c_int, c_void};

use pelorus_cuda::Element;

use super::execution::{self, enqueue, is_memory};
use super::{fault, with};

const INVALID_VALUE: c_int = 7;

/// The functions by name.
pub(super) fn address(function: &str) -> Option<*const c_void> {
    Some(match function {
        "cublasLtCreate" => create as *const c_void,
        "cublasLtDestroy" => destroy as *const c_void,
        "cublasLtMatmulDescCreate" => create_desc as *const c_void,
        "cublasLtMatmulDescDestroy" => destroy_desc as *const c_void,
        "cublasLtMatmulDescSetAttribute" => set_desc as *const c_void,
        "cublasLtMatrixLayoutCreate" => create_layout as *const c_void,
        "cublasLtMatrixLayoutDestroy" => destroy_layout as *const c_void,
        "cublasLtMatmulPreferenceCreate" => create as *const c_void,
        "cublasLtMatmulPreferenceDestroy" => destroy as *const c_void,
        "cublasLtMatmulPreferenceSetAttribute" => set_preference as *const c_void,
        "cublasLtMatmulAlgoGetHeuristic" => heuristic as *const c_void,
        "cublasLtMatmul" => multiply as *const c_void,
        _ => return None,
    })
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Layout {
    kind: c_int,
    rows: u64,
    columns: u64,
    stride: i64,
}

struct Operation {
    is_a_transposed: bool,
}

/// A product that is to be computed.
pub(super) struct Work {
    element: Element,
    a: u64,
    b: u64,
    out: u64,
    depth: usize,
    rows: usize,
    columns: usize,
}

impl Work {
    pub(super) fn run(&self) {
        let read = |address: u64, at: usize| {
            // SAFETY: the matrix was found to lie in memory of the device.
            self.element
                .value(unsafe { *(address as *const u16).add(at) })
        };
        let shift = if with(|machine| machine.is_faulty) {
            0.5
        } else {
            0.0
        };
        for column in 0..self.columns {
            for row in 0..self.rows {
                let terms = (0..self.depth).map(|at| {
                    let left = read(self.a, row * self.depth + at);
                    f64::from(left) * f64::from(read(self.b, column * self.depth + at))
                });
                let bits = self
                    .element
                    .bits((terms.sum::<f64>() + shift * f64::from(row as u32 % 3)) as f32);
                // SAFETY: as above.
                unsafe { *(self.out as *mut u16).add(column * self.rows + row) = bits };
            }
        }
    }
}

unsafe extern "system" fn create(out: *mut *mut c_void) -> c_int {
    // SAFETY: the caller's place, here and below.
    unsafe { out.write(0x20 as *mut c_void) };
    fault("cublasLtCreate")
}

extern "system" fn destroy(_: *mut c_void) -> c_int {
    0
}

unsafe extern "system" fn create_desc(
    out: *mut *mut c_void,
    compute: c_int,
    scale: c_int,
) -> c_int {
    assert_eq!(
        (compute, scale),
        (68, 0),
        "sums and factors are floats of 32 bits"
    );
    let operation = Box::new(Operation {
        is_a_transposed: false,
    });
    // SAFETY: as above.
    unsafe { out.write(Box::into_raw(operation).cast()) };
    0
}

unsafe extern "system" fn destroy_desc(desc: *mut c_void) -> c_int {
    // SAFETY: made by `create_desc`, and given back once.
    drop(unsafe { Box::from_raw(desc.cast::<Operation>()) });
    0
}

unsafe extern "system" fn set_desc(
    desc: *mut c_void,
    which: c_int,
    value: *const c_void,
    bytes: usize,
) -> c_int {
    assert_eq!(
        (which, bytes),
        (3, 4),
        "the first matrix is transposed, and nothing else is set"
    );
    // SAFETY: made by `create_desc`; the value has so many bytes.
    unsafe { (*desc.cast::<Operation>()).is_a_transposed = value.cast::<c_int>().read() == 1 };
    0
}

unsafe extern "system" fn create_layout(
    out: *mut *mut c_void,
    kind: c_int,
    rows: u64,
    columns: u64,
    stride: i64,
) -> c_int {
    let layout = Box::new(Layout {
        kind,
        rows,
        columns,
        stride,
    });
    // SAFETY: as above.
    unsafe { out.write(Box::into_raw(layout).cast()) };
    0
}

unsafe extern "system" fn destroy_layout(layout: *mut c_void) -> c_int {
    // SAFETY: made by `create_layout`, and given back once.
    drop(unsafe { Box::from_raw(layout.cast::<Layout>()) });
    0
}

unsafe extern "system" fn set_preference(
    _: *mut c_void,
    which: c_int,
    _: *const c_void,
    bytes: usize,
) -> c_int {
    assert_eq!((which, bytes), (1, 8), "the bytes of the workspace");
    0
}

#[allow(
    clippy::too_many_arguments,
    reason = "the library's function has so many"
)]
unsafe extern "system" fn heuristic(
    _: *mut c_void,
    _: *mut c_void,
    _: *mut c_void,
    _: *mut c_void,
    _: *mut c_void,
    _: *mut c_void,
    _: *mut c_void,
    asked: c_int,
    out: *mut [u64; 12],
    count: *mut c_int,
) -> c_int {
    assert_eq!(asked, 1, "one algorithm");
    let mut found = [0; 12];
    // The algorithm's own words, then the bytes of its workspace.
    found[0] = 42;
    found[8] = 1 << 20;
    // SAFETY: as above.
    unsafe {
        out.write(found);
        count.write(1);
    }
    fault("cublasLtMatmulAlgoGetHeuristic")
}

#[allow(
    clippy::too_many_arguments,
    reason = "the library's function has so many"
)]
unsafe extern "system" fn multiply(
    _: *mut c_void,
    desc: *mut c_void,
    alpha: *const c_float,
    a: u64,
    a_layout: *mut c_void,
    b: u64,
    b_layout: *mut c_void,
    beta: *const c_float,
    c: u64,
    _: *mut c_void,
    out: u64,
    out_layout: *mut c_void,
    algorithm: *const u64,
    workspace: u64,
    workspace_bytes: usize,
    _: *mut c_void,
) -> c_int {
    // SAFETY: made above and not yet given back; numbers of the caller.
    let (operation, layouts, factors) = unsafe {
        let layouts = [a_layout, b_layout, out_layout].map(|layout| *layout.cast::<Layout>());
        let is_found = *algorithm == 42;
        assert!(is_found, "the algorithm is the one that was found");
        (&*desc.cast::<Operation>(), layouts, (*alpha, *beta))
    };
    let [left, right, result] = layouts;
    assert!(operation.is_a_transposed && factors == (1.0, 0.0) && c == out);
    assert!(
        is_memory(workspace, workspace_bytes),
        "the workspace is memory of the device"
    );
    let is_whole = layouts
        .iter()
        .all(|layout| layout.stride == layout.rows as i64);
    let fits = left.rows == right.rows && result.rows == left.columns;
    if !is_whole || !fits || result.columns != right.columns {
        return INVALID_VALUE;
    }
    let element = match layouts.map(|layout| layout.kind) {
        [2, 2, 2] => Element::F16,
        [14, 14, 14] => Element::Bf16,
        _ => return INVALID_VALUE,
    };
    for (address, layout) in [(a, left), (b, right), (out, result)] {
        let bytes = (layout.rows * layout.columns * 2) as usize;
        assert!(
            is_memory(address, bytes),
            "a matrix stays in the memory that was taken"
        );
    }
    enqueue(execution::Work::Product(Work {
        element,
        a,
        b,
        out,
        depth: left.rows as usize,
        rows: left.columns as usize,
        columns: right.columns as usize,
    }));
    with(|machine| machine.counts.products += 1);
    fault("cublasLtMatmul")
}
