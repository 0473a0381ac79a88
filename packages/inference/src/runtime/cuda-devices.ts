import { PelorusError } from '@pelorus/contract';
import { type CudaDeviceState, type CudaDevices, cudaDeviceState, cudaDevices } from '@pelorus/node';

/** A row of the list of CUDA devices, in the words that it is answered in. */
export interface CudaRow {
  readonly device_id: number;
  readonly device_name: string;
  readonly memory_used: string;
  readonly total_memory: string;
  readonly utilization: string;
  readonly memory_used_percent: string;
}

/** The driver, as far as devices are asked for. */
export interface CudaDriver {
  /** The devices that it shows to this process, or the reason for which there is none. */
  devices(): CudaDevices;
  /** The state of one; null where it is gone. */
  state(index: number): Promise<CudaDeviceState | null>;
}

const DRIVER: CudaDriver = { devices: cudaDevices, state: cudaDeviceState };

/**
 * The CUDA devices of this machine, with their state at this moment.
 * @throws PelorusError `hardware_compatability_error` with the reason where there is none
 */
export async function cudaRows(driver: CudaDriver = DRIVER): Promise<CudaRow[]> {
  const { devices, absence } = driver.devices();
  if (absence !== undefined) {
    throw new PelorusError('hardware_compatability_error', `CUDA is not available on this instance: ${absence}`);
  }
  return Promise.all(devices.map(async ({ index, name }) => rowOf(index, name, await driver.state(index))));
}

/** A figure that nobody tells is called unknown: that of a device that is gone, or whose monitor is not installed. */
function rowOf(index: number, name: string, state: CudaDeviceState | null): CudaRow {
  const { totalBytes, usedBytes, utilizationPercent } = state ?? {};
  return {
    device_id: index,
    device_name: name,
    memory_used: inGibibytes(usedBytes),
    total_memory: inGibibytes(totalBytes),
    utilization: percent(utilizationPercent),
    memory_used_percent: percent(share(usedBytes, totalBytes)),
  };
}

const inGibibytes = (bytes: number | undefined) => shown(bytes === undefined ? bytes : bytes / 1024 ** 3, 'GiB');

const share = (part: number | undefined, whole: number | undefined) =>
  part === undefined || whole === undefined ? undefined : (part / Math.max(whole, 1)) * 100;

const percent = (value: number | undefined) => shown(value, '%');

const shown = (value: number | undefined, unit: string) =>
  value === undefined ? 'unknown' : `${value.toFixed(1)} ${unit}`;
