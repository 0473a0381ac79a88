//! Libraries by name, and the functions in them.

use std::ffi::c_void;
use std::fmt;
use std::ptr::NonNull;
use std::sync::Arc;

use super::places;

/// A library of NVIDIA.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LibraryName {
    /// The driver.
    Driver,
    /// The state of devices; comes with the driver.
    Nvml,
    /// The compiler of kernels.
    Nvrtc,
    /// Products of matrices.
    CublasLt,
}

impl fmt::Display for LibraryName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Driver => "the NVIDIA driver",
            Self::Nvml => "NVML",
            Self::Nvrtc => "NVRTC",
            Self::CublasLt => "cuBLASLt",
        })
    }
}

/// A reason for which a library cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LoadError {
    /// It is nowhere where it is looked for.
    #[error("{library} was not found ({tried})")]
    NotFound {
        /// The library.
        library: LibraryName,
        /// The names that were tried.
        tried: String,
    },
    /// It is of another release than what is called here.
    #[error("{library} has no function {function}: it is too old")]
    NoFunction {
        /// The library.
        library: LibraryName,
        /// The function.
        function: &'static str,
    },
}

/// Functions by name: those of a library, or of what stands for it in tests.
pub trait Symbols: Send + Sync {
    /// The address of a function; none where there is no such function. It is valid as long as `self`.
    fn address(&self, function: &str) -> Option<NonNull<c_void>>;
}

/// The place where libraries are found.
pub trait Libraries: Send + Sync {
    /// Opens a library whose release is at most `newest`, none bounding it.
    ///
    /// # Errors
    /// [`LoadError::NotFound`].
    fn open(
        &self,
        library: LibraryName,
        newest: Option<u32>,
    ) -> Result<Arc<dyn Symbols>, LoadError>;
}

/// The libraries of this machine.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemLibraries;

impl Libraries for SystemLibraries {
    fn open(
        &self,
        library: LibraryName,
        newest: Option<u32>,
    ) -> Result<Arc<dyn Symbols>, LoadError> {
        let names = places::file_names(library, newest);
        let opened = names.iter().find_map(|name| open_named(name)).or_else(|| {
            // The driver is where the system looks for it, or not installed.
            let is_toolkit = matches!(library, LibraryName::Nvrtc | LibraryName::CublasLt);
            let folders = if is_toolkit {
                places::folders()
            } else {
                Vec::new()
            };
            let mut paths = names
                .iter()
                .flat_map(|name| folders.iter().map(move |folder| folder.join(name)));
            paths.find_map(|path| {
                if !path.is_file() {
                    return None;
                }
                let companions = places::companions(library, &path);
                // They are found by their name once they are open.
                let held = companions
                    .iter()
                    .filter_map(|path| open_at(path.as_os_str()));
                let held: Vec<_> = held.collect();
                let library = open_at(path.as_os_str())?;
                held.into_iter().for_each(std::mem::forget);
                Some(library)
            })
        });
        match opened {
            // The driver has threads of its own, and does not bear to be unloaded.
            Some(opened) => Ok(Arc::new(System(std::mem::ManuallyDrop::new(opened)))),
            None => Err(LoadError::NotFound {
                library,
                tried: names.join(", "),
            }),
        }
    }
}

fn open_named(name: &str) -> Option<libloading::Library> {
    open_at(name.as_ref())
}

fn open_at(path: &std::ffi::OsStr) -> Option<libloading::Library> {
    // SAFETY: the libraries of NVIDIA start nothing when they are loaded that others have to know of.
    unsafe { libloading::Library::new(path) }.ok()
}

struct System(std::mem::ManuallyDrop<libloading::Library>);

impl Symbols for System {
    fn address(&self, function: &str) -> Option<NonNull<c_void>> {
        // SAFETY: the address is only carried here; whoever calls it knows its type.
        let symbol = unsafe { self.0.get::<*mut c_void>(function) }.ok()?;
        NonNull::new(*symbol)
    }
}

/// Declares the table of some functions of a library, and its loading. `name: "symbol" (types) -> type;`
macro_rules! functions {
    ($(#[$meta:meta])* $table:ident of $library:ident {
        $($field:ident: $symbol:literal ($($argument:ty),* $(,)?) -> $result:ty;)*
    }) => {
        $(#[$meta])*
        pub(crate) struct $table {
            $(pub(crate) $field: unsafe extern "system" fn($($argument),*) -> $result,)*
            /// Keeps the functions where they are.
            _symbols: std::sync::Arc<dyn crate::system::Symbols>,
        }

        impl $table {
            /// The functions as their header has to declare them: the name, and how the result and each argument are passed.
            #[cfg(test)]
            pub(crate) const DECLARATIONS: &[(&str, &str, &[&str])] = {
                use crate::system::headers::Passed;
                &[$(
                    ($symbol, <$result as Passed>::HOW, &[$(<$argument as Passed>::HOW),*]),
                )*]
            };

            /// Finds all of them.
            ///
            /// # Errors
            /// [`LoadError`](crate::system::LoadError) naming the first that is missing.
            pub(crate) fn load(
                symbols: std::sync::Arc<dyn crate::system::Symbols>,
            ) -> Result<Self, crate::system::LoadError> {
                $(
                    let address = symbols.address($symbol).ok_or(
                        crate::system::LoadError::NoFunction {
                            library: crate::system::LibraryName::$library,
                            function: $symbol,
                        },
                    )?;
                    // SAFETY: the header of the library declares the function of this name with this type.
                    let $field = unsafe {
                        std::mem::transmute::<
                            *mut std::ffi::c_void,
                            unsafe extern "system" fn($($argument),*) -> $result,
                        >(address.as_ptr())
                    };
                )*
                Ok(Self { $($field,)* _symbols: symbols })
            }
        }
    };
}

pub(super) use functions;
