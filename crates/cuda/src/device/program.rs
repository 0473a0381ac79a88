//! Kernels on a device: compiled once for its kind, kept in a folder, loaded and launched.

use std::collections::HashMap;
use std::ffi::{CString, c_void};
use std::path::Path;
use std::sync::Arc;

use super::{Device, Stream};
use crate::images::{self, Image};
use crate::launch::Launch;
use crate::system::driver::{Address, Handle};
use crate::{DeviceError, Program};

/// The kernels of a program, on a device.
pub struct Module {
    device: Arc<Device>,
    handle: Handle,
    functions: HashMap<&'static str, Handle>,
}

// SAFETY: a module is only read after it is loaded.
unsafe impl Send for Module {}
// SAFETY: as above.
unsafe impl Sync for Module {}

/// A parameter of a kernel.
#[derive(Clone, Copy, Debug)]
pub enum Argument {
    /// The address of memory of the device, 0 for none.
    Address(Address),
    /// A whole number of 32 bits.
    U32(u32),
    /// A whole number of 64 bits.
    U64(u64),
    /// A float of 32 bits.
    F32(f32),
}

impl Argument {
    /// Its bytes, where a kernel reads them: at the begin.
    fn bytes(self) -> [u8; 8] {
        let half = |bytes: [u8; 4]| {
            let [a, b, c, d] = bytes;
            [a, b, c, d, 0, 0, 0, 0]
        };
        match self {
            Self::Address(value) | Self::U64(value) => value.to_ne_bytes(),
            Self::U32(value) => half(value.to_ne_bytes()),
            Self::F32(value) => half(value.to_ne_bytes()),
        }
    }
}

/// Most parameters of a kernel.
const ARGUMENTS_MAX: usize = 24;

impl Module {
    /// Compiles and loads a program, or loads it as it was compiled before and kept in `folder`.
    ///
    /// # Errors
    /// [`DeviceError`] where it cannot be compiled, or the driver does not take it.
    pub fn load(
        device: &Arc<Device>,
        program: Program,
        folder: Option<&Path>,
    ) -> Result<Self, DeviceError> {
        let image = images::image(device.cuda(), program, device.capability(), folder)?;
        match Self::of_image(device, program, &image) {
            // Kept by another driver, it may be none of this one's.
            Err(DeviceError::Refused { .. }) if image.is_kept() => {
                let image = images::compiled(device.cuda(), program, device.capability(), folder)?;
                Self::of_image(device, program, &image)
            }
            outcome => outcome,
        }
    }

    fn of_image(
        device: &Arc<Device>,
        program: Program,
        image: &Image,
    ) -> Result<Self, DeviceError> {
        device.enter()?;
        let driver = device.driver();
        let mut handle = std::ptr::null_mut();
        // SAFETY: the image is one of the compiler's, whole, and lives as long as the call.
        let code = unsafe { (driver.load_module)(&mut handle, image.bytes().as_ptr().cast()) };
        device.checked("cuModuleLoadData", code)?;
        let mut module = Self {
            device: Arc::clone(device),
            handle,
            functions: HashMap::new(),
        };
        for &kernel in program.kernels() {
            let Ok(name) = CString::new(kernel) else {
                continue;
            };
            let mut function = std::ptr::null_mut();
            // SAFETY: the module is loaded, and the name ends in nought.
            let code = unsafe { (driver.function)(&mut function, handle, name.as_ptr()) };
            device.checked("cuModuleGetFunction", code)?;
            module.functions.insert(kernel, function);
        }
        Ok(module)
    }

    /// Puts a kernel behind the work of a stream; nothing where its grid is empty.
    ///
    /// # Safety
    /// The arguments are those that [`launch`](crate::launch) lists for the kernel: as many, of these kinds, and their memory
    /// is as large as it says and lives until the stream is done.
    ///
    /// # Errors
    /// [`DeviceError`] where the driver refuses.
    pub unsafe fn launch(
        &self,
        stream: &Stream,
        launch: Launch,
        arguments: &[Argument],
    ) -> Result<(), DeviceError> {
        if launch.is_empty() {
            return Ok(());
        }
        assert!(
            arguments.len() <= ARGUMENTS_MAX,
            "a kernel has no more parameters"
        );
        let Some(&function) = self.functions.get(launch.kernel) else {
            return Err(DeviceError::Refused {
                call: "launching a kernel",
                reason: format!("the program has no kernel {}", launch.kernel),
            });
        };
        let mut values = [[0u64; 1]; ARGUMENTS_MAX];
        let mut places = [std::ptr::null_mut::<c_void>(); ARGUMENTS_MAX];
        for ((value, place), argument) in values.iter_mut().zip(&mut places).zip(arguments) {
            *value = [u64::from_ne_bytes(argument.bytes())];
            *place = value.as_mut_ptr().cast();
        }
        let [columns, rows] = launch.grid;
        // SAFETY: the driver reads as many values as the kernel has parameters, which the caller promises to be those of
        // `arguments`, and copies them before it returns.
        let code = unsafe {
            (self.device.driver().launch)(
                function,
                columns,
                rows,
                1,
                launch.block,
                1,
                1,
                0,
                stream.handle(),
                places.as_mut_ptr(),
                std::ptr::null_mut(),
            )
        };
        self.device.checked("cuLaunchKernel", code)
    }
}

impl Drop for Module {
    fn drop(&mut self) {
        if self.device.enter().is_ok() {
            // SAFETY: loaded once, and unloaded once; whoever launches its kernels has a share of it.
            unsafe { (self.device.driver().unload_module)(self.handle) };
        }
    }
}
