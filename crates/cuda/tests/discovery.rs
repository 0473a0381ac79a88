//! Devices are found, and what is missing is told in words.

mod machine;

use machine::{Device, libraries, with};
use pelorus_cuda::{Cuda, DeviceState, LibraryName};

fn absence() -> String {
    match Cuda::find(libraries()) {
        Ok(_) => panic!("a device was found"),
        Err(absence) => absence.to_string(),
    }
}

#[test]
fn a_machine_without_a_driver_says_so() {
    with(|machine| machine.missing.push(LibraryName::Driver));
    assert_eq!(absence(), "the NVIDIA driver was not found (emulated)");
}

#[test]
fn a_driver_that_is_too_old_says_which_is_not() {
    with(|machine| machine.driver_version = 11_040);
    assert_eq!(
        absence(),
        "the NVIDIA driver supports CUDA 11.4, and 12.0 is the oldest that is taken"
    );
}

#[test]
fn a_driver_that_lacks_a_function_is_told_by_it() {
    with(|machine| machine.removed.push("cuDeviceGetUuid_v2"));
    assert_eq!(
        absence(),
        "the NVIDIA driver has no function cuDeviceGetUuid_v2: it is too old"
    );
}

#[test]
fn a_driver_that_does_not_start_is_told_in_its_own_words() {
    with(|machine| machine.failing.insert("cuInit", 803));
    assert_eq!(
        absence(),
        "the NVIDIA driver cannot be used: CUDA_ERROR_SYSTEM_DRIVER_MISMATCH: system has unsupported \
         display driver / cuda driver combination"
    );
}

#[test]
fn a_code_without_words_is_told_by_its_number() {
    with(|machine| machine.failing.insert("cuDeviceTotalMem_v2", 12_345));
    assert_eq!(absence(), "the NVIDIA driver cannot be used: error 12345");
}

#[test]
fn a_driver_without_a_device_says_so() {
    with(|machine| machine.failing.insert("cuInit", 100));
    assert_eq!(absence(), "the NVIDIA driver sees no device");
    with(|machine| {
        machine.failing.clear();
        machine.devices.clear();
    });
    assert_eq!(absence(), "the NVIDIA driver sees no device");
}

#[test]
fn devices_that_no_model_runs_on_are_told_with_the_reason() {
    let old = Device {
        name: "Tesla P100",
        capability: (6, 0),
        ..Device::new(1)
    };
    with(|machine| machine.devices = vec![old.clone()]);
    assert_eq!(
        absence(),
        "device 0, Tesla P100, has compute capability 6.0, and 7.5 is the least that models run on"
    );
    let closed = Device {
        is_prohibited: true,
        ..Device::new(2)
    };
    with(|machine| machine.devices = vec![closed]);
    assert_eq!(
        absence(),
        "device 0, NVIDIA Emulated, is in a compute mode that lets nobody use it"
    );
    // Beside one that models run on they keep their number.
    with(|machine| machine.devices = vec![old, Device::new(2)]);
    let cuda = Cuda::find(libraries()).expect("a device");
    let facts: Vec<_> = cuda
        .devices()
        .map(|device| (device.index, device.capability, device.unusable.is_none()))
        .collect();
    assert_eq!(facts, [(0, 60, false), (1, 90, true)]);
}

#[test]
fn the_state_of_a_device_is_that_of_nvml_whatever_its_order() {
    let part = Device {
        kind: "MIG",
        used: 3 << 30,
        utilization: 99,
        ..Device::new(9)
    };
    with(|machine| machine.devices.push(part));
    let cuda = Cuda::find(libraries()).expect("devices");
    let state = |used: u64, percent| {
        Some(DeviceState {
            total_bytes: 16 << 30,
            used_bytes: Some(used << 30),
            utilization_percent: Some(percent),
        })
    };
    assert_eq!(cuda.state(0), state(1, 37));
    assert_eq!(cuda.state(1), state(3, 99));
    assert_eq!(cuda.state(2), None);
    // A driver that tells no name of a device tells where it is plugged in.
    with(|machine| machine.failing.insert("cuDeviceGetUuid_v2", 1));
    assert_eq!(cuda.state(1), state(3, 99));
}

#[test]
fn figures_that_nvml_does_not_tell_are_not_made_up() {
    let unknown = DeviceState {
        total_bytes: 16 << 30,
        used_bytes: None,
        utilization_percent: None,
    };
    with(|machine| machine.missing.push(LibraryName::Nvml));
    let cuda = Cuda::find(libraries()).expect("a device");
    assert_eq!(cuda.state(0), Some(unknown));
    with(|machine| machine.missing.clear());
    let cuda = Cuda::find(libraries()).expect("a device");
    with(|machine| machine.failing.insert("nvmlDeviceGetUtilizationRates", 3));
    assert_eq!(
        cuda.state(0),
        Some(DeviceState {
            used_bytes: Some(1 << 30),
            ..unknown
        })
    );
}

#[test]
fn a_device_that_vanished_has_no_state() {
    let cuda = Cuda::find(libraries()).expect("a device");
    with(|machine| {
        machine.failing.insert("nvmlDeviceGetHandleByUUID", 15);
        machine
            .failing
            .insert("nvmlDeviceGetHandleByPciBusId_v2", 15)
    });
    assert_eq!(cuda.state(0), None);
}

#[test]
fn this_machine_is_asked_without_harm() {
    // With a device or without: both are answers.
    if let Err(absence) = Cuda::of_machine() {
        assert!(!absence.to_string().is_empty());
    }
}
