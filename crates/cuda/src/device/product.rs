//! Products of rows with matrices of weights: those of cuBLASLt where it is there, else by a kernel of our own.

use std::collections::HashMap;
use std::ffi::{c_float, c_int, c_void};
use std::sync::Arc;

use super::{Argument, Device, Memory, Module, Stream};
use crate::launch::{self, Activation};
use crate::system::LibraryName;
use crate::system::cublaslt::{self, Algorithm, CublasLt, Handle, Heuristic};
use crate::system::driver::Address;
use crate::{DeviceError, Element};

/// Memory that an algorithm may take beside its matrices: what NVIDIA recommends for its newest devices.
const WORKSPACE_BYTES: usize = 32 << 20;

/// Shapes whose algorithm is remembered.
const PLANS_MAX: usize = 4096;

/// One product: rows, a matrix whose columns lie as rows, and where the results go. `[rows, depth]`, `[columns, depth]`,
/// `[rows, columns]`, all of them elements.
#[derive(Clone, Copy)]
pub struct Product {
    /// Address of the rows.
    pub rows: Address,
    /// Address of the matrix.
    pub matrix: Address,
    /// Address of the results.
    pub out: Address,
    /// Address of what is added to each row, floats `[columns]`; 0 for nothing.
    pub bias: Address,
    /// The function after that.
    pub activation: Activation,
    /// Rows.
    pub count: u32,
    /// Values of a row.
    pub depth: u32,
    /// Values of a result.
    pub columns: u32,
}

/// The way of one stream to products.
pub struct Multiplier {
    /// The kernels of encoders, which have the activations.
    module: Arc<Module>,
    way: Way,
}

enum Way {
    Blas(Box<Blas>),
    /// A kernel of this module.
    Kernel(Arc<Module>),
}

impl Multiplier {
    /// Uses cuBLASLt where it is found and starts, else the kernels of products that `load` gives.
    ///
    /// # Errors
    /// [`DeviceError`] when the device is lost, or there is neither.
    pub fn new(
        device: &Arc<Device>,
        module: Arc<Module>,
        element: Element,
        load: impl FnOnce() -> Result<Arc<Module>, DeviceError>,
    ) -> Result<Self, DeviceError> {
        let way = match Blas::new(device, element) {
            Ok(blas) => Way::Blas(Box::new(blas)),
            Err(error @ DeviceError::Lost { .. }) => return Err(error),
            Err(_) => Way::Kernel(load()?),
        };
        Ok(Self { module, way })
    }

    /// The name of what computes them.
    pub fn name(&self) -> &'static str {
        match self.way {
            Way::Blas(_) => "cuBLASLt",
            Way::Kernel(_) => "kernels",
        }
    }

    /// Puts a product behind the work of a stream.
    ///
    /// # Safety
    /// All that it names is memory of the device, as large as it says, and lives until the stream is done.
    ///
    /// # Errors
    /// [`DeviceError`] where the driver or cuBLASLt refuses.
    pub unsafe fn multiply(
        &mut self,
        stream: &Stream,
        product: Product,
    ) -> Result<(), DeviceError> {
        let Product {
            rows,
            matrix,
            out,
            bias,
            activation,
            count,
            depth,
            columns,
        } = product;
        let blas = match &mut self.way {
            Way::Blas(blas) => blas,
            Way::Kernel(module) => {
                let arguments = [
                    Argument::Address(rows),
                    Argument::Address(matrix),
                    Argument::Address(bias),
                    Argument::U32(activation as u32),
                    Argument::U32(count),
                    Argument::U32(columns),
                    Argument::U32(depth),
                    Argument::Address(out),
                ];
                let launch = launch::multiply(count, columns, depth)?;
                // SAFETY: the parameters of this kernel; their memory is the caller's.
                return unsafe { module.launch(stream, launch, &arguments) };
            }
        };
        blas.multiply(stream, product)?;
        if bias == 0 && activation == Activation::None {
            return Ok(());
        }
        // The activations of cuBLASLt are approximations, and its bias is of elements.
        let arguments = [
            Argument::Address(out),
            Argument::Address(bias),
            Argument::U32(activation as u32),
            Argument::U32(count),
            Argument::U32(columns),
        ];
        let launch = launch::bias_activation(count, columns)?;
        // SAFETY: as above.
        unsafe { self.module.launch(stream, launch, &arguments) }
    }
}

/// cuBLASLt on one stream.
struct Blas {
    device: Arc<Device>,
    library: CublasLt,
    handle: Handle,
    element: Element,
    workspace: Memory,
    plans: HashMap<(u32, u32, u32), Plan>,
}

// SAFETY: its handles may be used by any thread, one at a time.
unsafe impl Send for Blas {}

/// The way to compute products of one shape.
struct Plan {
    descriptions: [Description; 4],
    algorithm: Algorithm,
    workspace: usize,
}

/// A description that the library made, with its way to give it back.
struct Description {
    handle: Handle,
    destroy: unsafe extern "system" fn(Handle) -> cublaslt::Code,
}

impl Drop for Description {
    fn drop(&mut self) {
        // SAFETY: made once, and given back once.
        unsafe { (self.destroy)(self.handle) };
    }
}

impl Blas {
    fn new(device: &Arc<Device>, element: Element) -> Result<Self, DeviceError> {
        let cuda = device.cuda();
        let libraries = &cuda.libraries;
        let library = CublasLt::load(libraries.open(LibraryName::CublasLt, Some(cuda.release))?)?;
        let workspace = Memory::new(device, WORKSPACE_BYTES)?;
        device.enter()?;
        let mut handle = std::ptr::null_mut();
        // SAFETY: the place lives as long as the call.
        checked("cublasLtCreate", unsafe { (library.create)(&mut handle) })?;
        Ok(Self {
            device: Arc::clone(device),
            library,
            handle,
            element,
            workspace,
            plans: HashMap::new(),
        })
    }

    fn multiply(&mut self, stream: &Stream, product: Product) -> Result<(), DeviceError> {
        let Product {
            rows,
            matrix,
            out,
            count,
            depth,
            columns,
            ..
        } = product;
        let shape = (count, columns, depth);
        if !self.plans.contains_key(&shape) {
            if self.plans.len() >= PLANS_MAX {
                self.plans.clear();
            }
            let plan = self.plan(count, columns, depth)?;
            self.plans.insert(shape, plan);
        }
        let plan = &self.plans[&shape];
        let [operation, a, b, c] = &plan.descriptions;
        let (one, zero): (c_float, c_float) = (1.0, 0.0);
        // SAFETY: the descriptions are of these shapes, and the caller promises that the memory is as large.
        let code = unsafe {
            (self.library.multiply)(
                self.handle,
                operation.handle,
                &one,
                matrix,
                a.handle,
                rows,
                b.handle,
                &zero,
                out,
                c.handle,
                out,
                c.handle,
                &plan.algorithm,
                self.workspace.address(),
                plan.workspace,
                stream.handle(),
            )
        };
        checked("cublasLtMatmul", code)
    }

    /// The library's matrices lie by columns: `out` by columns is `matrix` transposed, times `rows`.
    fn plan(&self, count: u32, columns: u32, depth: u32) -> Result<Plan, DeviceError> {
        let library = &self.library;
        let mut operation = std::ptr::null_mut();
        // SAFETY: the places live as long as the calls, here and below.
        let code = unsafe {
            let (compute, scale) = (cublaslt::COMPUTE_F32, cublaslt::TYPE_F32);
            (library.create_desc)(&mut operation, compute, scale)
        };
        checked("cublasLtMatmulDescCreate", code)?;
        let operation = Description {
            handle: operation,
            destroy: library.destroy_desc,
        };
        let transposed = cublaslt::TRANSPOSED;
        // SAFETY: the attribute is of this type.
        let code = unsafe {
            let value: *const c_int = &transposed;
            let (which, bytes) = (cublaslt::DESC_TRANSPOSE_A, size_of::<c_int>());
            (library.set_desc)(operation.handle, which, value.cast(), bytes)
        };
        checked("cublasLtMatmulDescSetAttribute", code)?;
        let a = self.layout(depth, columns)?;
        let b = self.layout(depth, count)?;
        let c = self.layout(columns, count)?;
        let found = self.heuristic(&operation, &a, &b, &c)?;
        Ok(Plan {
            descriptions: [operation, a, b, c],
            algorithm: found.algorithm,
            workspace: found.workspace.min(WORKSPACE_BYTES),
        })
    }

    fn layout(&self, rows: u32, columns: u32) -> Result<Description, DeviceError> {
        let kind = match self.element {
            Element::F16 => cublaslt::TYPE_F16,
            Element::Bf16 => cublaslt::TYPE_BF16,
        };
        let mut handle = std::ptr::null_mut();
        // SAFETY: the place lives as long as the call.
        let code = unsafe {
            let (rows, columns) = (u64::from(rows), u64::from(columns));
            (self.library.create_layout)(&mut handle, kind, rows, columns, rows as i64)
        };
        checked("cublasLtMatrixLayoutCreate", code)?;
        Ok(Description {
            handle,
            destroy: self.library.destroy_layout,
        })
    }

    fn heuristic(
        &self,
        operation: &Description,
        a: &Description,
        b: &Description,
        c: &Description,
    ) -> Result<Heuristic, DeviceError> {
        let library = &self.library;
        let mut preference = std::ptr::null_mut();
        // SAFETY: the place lives as long as the call.
        let code = unsafe { (library.create_preference)(&mut preference) };
        checked("cublasLtMatmulPreferenceCreate", code)?;
        let preference = Description {
            handle: preference,
            destroy: library.destroy_preference,
        };
        // SAFETY: the attribute is of this type.
        let code = unsafe {
            let (which, bytes) = (cublaslt::PREFERENCE_WORKSPACE, size_of::<usize>());
            let value: *const usize = &WORKSPACE_BYTES;
            let value: *const c_void = value.cast();
            (library.set_preference)(preference.handle, which, value, bytes)
        };
        checked("cublasLtMatmulPreferenceSetAttribute", code)?;
        let (mut found, mut count) = (Heuristic::default(), 0);
        // SAFETY: all descriptions live, and there is room for the one algorithm that is asked for.
        let code = unsafe {
            (library.heuristics)(
                self.handle,
                operation.handle,
                a.handle,
                b.handle,
                c.handle,
                c.handle,
                preference.handle,
                1,
                &mut found,
                &mut count,
            )
        };
        checked("cublasLtMatmulAlgoGetHeuristic", code)?;
        if count < 1 {
            return Err(refused(
                "cublasLtMatmulAlgoGetHeuristic",
                "it knows no algorithm",
            ));
        }
        checked("cublasLtMatmulAlgoGetHeuristic", found.state)?;
        Ok(found)
    }
}

impl Drop for Blas {
    fn drop(&mut self) {
        self.plans.clear();
        if self.device.enter().is_ok() {
            // SAFETY: made once, and given back once.
            unsafe { (self.library.destroy)(self.handle) };
        }
    }
}

fn checked(call: &'static str, code: cublaslt::Code) -> Result<(), DeviceError> {
    match code {
        cublaslt::SUCCESS => Ok(()),
        code => Err(refused(call, &format!("status {code}"))),
    }
}

fn refused(call: &'static str, reason: &str) -> DeviceError {
    DeviceError::Refused {
        call,
        reason: reason.to_owned(),
    }
}
