//! NVIDIA's devices: which there are, and how they are.

use napi::Env;
use napi_derive::napi;
use pelorus_cuda::Cuda;

use crate::bytes::RawValue;
use crate::error::answer;
use crate::pool::Lane;
use crate::promise;

/// The devices that the driver shows to this process.
#[napi(object, object_from_js = false)]
pub struct CudaDevices {
    /// None where no model runs on any.
    pub devices: Vec<CudaDevice>,
    /// The reason for which there is none.
    pub absence: Option<String>,
}

/// A device, as it is from start to end.
#[napi(object, object_from_js = false)]
pub struct CudaDevice {
    /// Its number, in the order of the driver.
    pub index: u32,
    pub name: String,
    /// The reason for which no model runs on it.
    pub unusable: Option<String>,
}

/// The state of a device at a moment. A figure that nobody tells is absent.
#[napi(object, object_from_js = false)]
pub struct CudaDeviceState {
    pub total_bytes: f64,
    /// Taken by whichever process.
    pub used_bytes: Option<f64>,
    /// Percent of the last moment in which something ran on it.
    pub utilization_percent: Option<u32>,
}

/// Finds the devices of this machine, once in the process. The first call starts the driver, which may take a second.
#[napi(catch_unwind)]
pub fn cuda_devices(env: &Env) -> napi::Result<CudaDevices> {
    answer(env, || {
        Ok(match Cuda::of_machine() {
            Ok(cuda) => CudaDevices {
                devices: cuda
                    .devices()
                    .map(|device| CudaDevice {
                        index: device.index,
                        name: device.name.clone(),
                        unusable: device.unusable.clone(),
                    })
                    .collect(),
                absence: None,
            },
            Err(absence) => CudaDevices {
                devices: Vec::new(),
                absence: Some(absence.to_string()),
            },
        })
    })
}

/// The state of a device at this moment; null where there is no such device, or it is gone.
#[napi(catch_unwind, ts_return_type = "Promise<CudaDeviceState | null>")]
pub fn cuda_device_state(env: &Env, index: u32) -> napi::Result<RawValue> {
    promise::run(env, Lane::Interactive, move || {
        let state = Cuda::of_machine().ok().and_then(|cuda| cuda.state(index));
        Ok(state.map(|state| CudaDeviceState {
            // Memories have far fewer than 2^53 bytes.
            total_bytes: state.total_bytes as f64,
            used_bytes: state.used_bytes.map(|bytes| bytes as f64),
            utilization_percent: state.utilization_percent,
        }))
    })
}
