//! The devices of this machine: how they are found, and their state.

use std::collections::HashMap;
use std::ffi::{CString, c_char, c_int};
use std::sync::{Arc, LazyLock, Mutex, Weak};

use crate::Absence;
use crate::system::driver::{self, Driver, SUCCESS};
use crate::system::nvml::{self, Nvml};
use crate::system::{Libraries, LibraryName, SystemLibraries};

/// The oldest release of CUDA that a driver must support.
const RELEASE_MIN: u32 = 12;

/// The least compute capability that the kernels run on, ten times it.
const CAPABILITY_MIN: u32 = 75;

/// Devices that are looked at.
const DEVICES_MAX: usize = 64;

/// A device, as it is from start to end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceFacts {
    /// Its number, in the order of the driver.
    pub index: u32,
    /// Its name, such as `NVIDIA H100 80GB HBM3`.
    pub name: String,
    /// Bytes of its memory.
    pub memory: u64,
    /// Its compute capability, ten times: 90 for 9.0.
    pub capability: u32,
    /// The reason for which no model runs on it; none where one does.
    pub unusable: Option<String>,
}

/// The state of a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeviceState {
    /// Bytes of its memory.
    pub total_bytes: u64,
    /// Bytes that are taken, by whichever process; none where nobody tells.
    pub used_bytes: Option<u64>,
    /// Percent of the last moment in which something ran on it; none where nobody tells.
    pub utilization_percent: Option<u32>,
}

/// The driver and what it sees.
pub struct Cuda {
    pub(crate) driver: Driver,
    pub(crate) libraries: Arc<dyn Libraries>,
    /// The release of CUDA that the driver supports.
    pub(crate) release: u32,
    /// The devices that are in use, each once.
    pub(crate) open: Mutex<HashMap<u32, Weak<crate::Device>>>,
    nvml: Option<Nvml>,
    devices: Vec<Found>,
}

struct Found {
    facts: DeviceFacts,
    handle: driver::DeviceHandle,
}

static SYSTEM: LazyLock<Result<Arc<Cuda>, Absence>> =
    LazyLock::new(|| Cuda::find(Arc::new(SystemLibraries)).map(Arc::new));

impl Cuda {
    /// The devices of this machine, looked for once in the process.
    ///
    /// # Errors
    /// [`Absence`] when there is none that models run on.
    pub fn of_machine() -> Result<Arc<Self>, Absence> {
        SYSTEM.clone()
    }

    /// Looks for devices.
    ///
    /// # Errors
    /// [`Absence`] when there is none that models run on.
    pub fn find(libraries: Arc<dyn Libraries>) -> Result<Self, Absence> {
        let driver = Driver::load(libraries.open(LibraryName::Driver, None)?)?;
        let checked = |code| match code {
            SUCCESS => Ok(()),
            driver::NO_DEVICE => Err(Absence::NoDevice),
            code => Err(Absence::Driver {
                reason: driver.words(code),
            }),
        };
        let mut version = 0;
        // SAFETY: the place lives as long as the call, as those of the calls below do.
        checked(unsafe { (driver.version)(&mut version) })?;
        let [major, minor] = [version / 1000, version % 1000 / 10].map(unsigned);
        if major < RELEASE_MIN {
            return Err(Absence::OldDriver {
                major,
                minor,
                expected: RELEASE_MIN,
            });
        }
        // SAFETY: takes no pointer; it may be called more than once.
        checked(unsafe { (driver.init)(0) })?;
        let mut count = 0;
        // SAFETY: as above.
        checked(unsafe { (driver.device_count)(&mut count) })?;
        let devices = (0..count).take(DEVICES_MAX);
        let devices = devices.map(|ordinal| Found::of(&driver, ordinal));
        let devices: Vec<Found> = devices
            .collect::<Result<_, _>>()
            .or_else(|code| checked(code).map(|()| Vec::new()))?;
        let Some(first) = devices.first() else {
            return Err(Absence::NoDevice);
        };
        if let (Some(reason), true) = (
            &first.facts.unusable,
            devices.iter().all(|device| device.facts.unusable.is_some()),
        ) {
            return Err(Absence::Unusable {
                device: 0,
                name: first.facts.name.clone(),
                reason: reason.clone(),
            });
        }
        let nvml = started_nvml(libraries.as_ref());
        Ok(Self {
            driver,
            libraries,
            release: major,
            open: Mutex::default(),
            nvml,
            devices,
        })
    }

    /// All devices that the driver shows to this process, also those that no model runs on.
    pub fn devices(&self) -> impl Iterator<Item = &DeviceFacts> {
        self.devices.iter().map(|device| &device.facts)
    }

    /// The state of a device at this moment; none where there is no such device, or it is gone.
    pub fn state(&self, index: u32) -> Option<DeviceState> {
        let device = self.devices.get(index as usize)?;
        let total_bytes = device.facts.memory;
        let unknown = DeviceState {
            total_bytes,
            used_bytes: None,
            utilization_percent: None,
        };
        let Some(nvml) = &self.nvml else {
            return Some(unknown);
        };
        let handle = self.nvml_handle(nvml, device.handle)?;
        let (mut memory, mut rates) = (nvml::Memory::default(), nvml::Utilization::default());
        // SAFETY: the places live as long as the calls, and the handle is one of NVML.
        let codes = unsafe {
            [
                (nvml.memory)(handle, &mut memory),
                (nvml.utilization)(handle, &mut rates),
            ]
        };
        let [has_memory, has_rates] = codes.map(|code| code == nvml::SUCCESS);
        Some(DeviceState {
            total_bytes: if has_memory {
                memory.total
            } else {
                total_bytes
            },
            used_bytes: has_memory.then_some(memory.used),
            utilization_percent: has_rates.then_some(rates.device),
        })
    }

    /// The number of a device that NVML has for it, which counts devices in an order of its own. None where it is gone.
    fn nvml_handle(&self, nvml: &Nvml, device: driver::DeviceHandle) -> Option<nvml::Handle> {
        let mut handle = std::ptr::null_mut();
        let mut id = [0; 16];
        // SAFETY: the place lives as long as the call.
        if unsafe { (self.driver.device_uuid)(&mut id, device) } == SUCCESS {
            // Parts of a device that is divided have names of their own.
            for kind in ["GPU", "MIG"] {
                let Ok(name) = CString::new(uuid_name(kind, &id)) else {
                    continue;
                };
                // SAFETY: the name ends in nought, and both live as long as the call.
                if unsafe { (nvml.by_uuid)(name.as_ptr(), &mut handle) } == nvml::SUCCESS {
                    return Some(handle);
                }
            }
        }
        let mut bus: [c_char; 32] = [0; 32];
        // SAFETY: the driver writes at most so many characters, the last one nought, and NVML reads up to it.
        let is_found = unsafe {
            (self.driver.device_bus)(bus.as_mut_ptr(), bus.len() as c_int, device) == SUCCESS
                && (nvml.by_bus)(bus.as_ptr(), &mut handle) == nvml::SUCCESS
        };
        is_found.then_some(handle)
    }
}

impl Cuda {
    /// The number that the driver has for a device that models run on.
    pub(crate) fn handle(&self, index: u32) -> Option<driver::DeviceHandle> {
        let found = self.devices.get(index as usize)?;
        found.facts.unusable.is_none().then_some(found.handle)
    }

    pub(crate) fn facts(&self, index: u32) -> Option<&DeviceFacts> {
        self.devices.get(index as usize).map(|found| &found.facts)
    }
}

impl Found {
    fn of(driver: &Driver, ordinal: c_int) -> Result<Self, driver::Code> {
        let checked = |code| if code == SUCCESS { Ok(()) } else { Err(code) };
        let (mut handle, mut memory) = (0, 0);
        let mut name: [c_char; 256] = [0; 256];
        // SAFETY: the places live as long as the calls, and the name has as many characters as told.
        unsafe {
            checked((driver.device)(&mut handle, ordinal))?;
            checked((driver.device_name)(
                name.as_mut_ptr(),
                name.len() as c_int,
                handle,
            ))?;
            checked((driver.device_memory)(&mut memory, handle))?;
        }
        let attribute = |which| {
            let mut value = 0;
            // SAFETY: as above.
            checked(unsafe { (driver.device_attribute)(&mut value, which, handle) })?;
            Ok::<c_int, driver::Code>(value)
        };
        let major = unsigned(attribute(driver::COMPUTE_CAPABILITY_MAJOR)?);
        let minor = unsigned(attribute(driver::COMPUTE_CAPABILITY_MINOR)?);
        let capability = major * 10 + minor;
        let unusable = if capability < CAPABILITY_MIN {
            Some(format!(
                "has compute capability {major}.{minor}, and {}.{} is the least that models run on",
                CAPABILITY_MIN / 10,
                CAPABILITY_MIN % 10
            ))
        } else if attribute(driver::COMPUTE_MODE)? == driver::MODE_PROHIBITED {
            Some("is in a compute mode that lets nobody use it".to_owned())
        } else {
            None
        };
        let facts = DeviceFacts {
            index: unsigned(ordinal),
            name: driver::text(&name),
            memory: memory as u64,
            capability,
            unusable,
        };
        Ok(Self { facts, handle })
    }
}

/// NVML, where it is there and works.
fn started_nvml(libraries: &dyn Libraries) -> Option<Nvml> {
    let nvml = Nvml::load(libraries.open(LibraryName::Nvml, None).ok()?).ok()?;
    // SAFETY: takes nothing; it may be called more than once.
    (unsafe { (nvml.init)() } == nvml::SUCCESS).then_some(nvml)
}

/// A name as NVML has them: `GPU-xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx`.
fn uuid_name(kind: &str, id: &[u8; 16]) -> String {
    use std::fmt::Write;
    let mut name = kind.to_owned();
    for (at, byte) in id.iter().enumerate() {
        if matches!(at, 0 | 4 | 6 | 8 | 10) {
            name.push('-');
        }
        // A text takes whatever is written.
        let _ = write!(name, "{byte:02x}");
    }
    name
}

/// A number that is never negative.
fn unsigned(value: c_int) -> u32 {
    u32::try_from(value).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_devices_are_written_as_nvml_reads_them() {
        let id = std::array::from_fn(|at| at as u8);
        assert_eq!(
            uuid_name("GPU", &id),
            "GPU-00010203-0405-0607-0809-0a0b0c0d0e0f"
        );
    }
}
