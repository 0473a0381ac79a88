import { PelorusError } from '@pelorus/contract';
import type { BatchPolicy } from './batch-policy.js';
import { type Device, parseDevice } from './device.js';

/** A device that is there, and what models may take of it. */
export interface DeviceLimits {
  readonly device: Device;
  /** The number that the driver has for it; absent for the CPU. */
  readonly index?: number;
  readonly batchPolicy: BatchPolicy;
  /** Sum of the sizes of the models that are loaded on it at once, about one per gigabyte. */
  readonly modelMemory: number;
  /** Bytes that each copy of a model takes of it besides its weights. */
  readonly copyBytes: number;
  /** Copies of a model that may compute at once. */
  readonly copiesMax: number;
}

/** The devices of this machine. */
export class Devices {
  /** The device of a request that names none. */
  readonly #default: Device;
  readonly #limits: ReadonlyMap<Device, DeviceLimits>;

  /** @param limits one or more, first that of the device where none is named */
  constructor(limits: readonly [DeviceLimits, ...DeviceLimits[]]) {
    this.#default = limits[0].device;
    this.#limits = new Map(limits.flatMap((one) => namesOf(one).map((name) => [name, one] as const)));
  }

  /** The device of a name, in either case and with a colon before its number or without; null where there is none of it. */
  known(name: string): Device | null {
    const device = name.toLowerCase().replace(/^cuda(?=\d)/, 'cuda:');
    return this.#limits.get(device as Device)?.device ?? null;
  }

  /** All of them, first the one where none is named. */
  get all(): Device[] {
    return [...new Set([...this.#limits.values()].map(({ device }) => device))];
  }

  /**
   * The device that a `device` parameter means.
   * @throws PelorusError `invalid_argument` for what names no device, `hardware_compatability_error` for one that is not
   *   on this machine
   */
  named(text: string | undefined): Device {
    return this.orDefault(text === undefined ? undefined : parseDevice(text));
  }

  /**
   * A device that is there; for none, the one where none is named.
   * @throws PelorusError `hardware_compatability_error` for one that is not on this machine
   */
  orDefault(device: Device | undefined): Device {
    return device === undefined ? this.#default : this.limits(device).device;
  }

  /** @throws PelorusError `hardware_compatability_error` for a device that is not on this machine */
  limits(device: Device): DeviceLimits {
    const limits = this.#limits.get(device);
    if (limits !== undefined) return limits;
    throw new PelorusError(
      'hardware_compatability_error',
      `Requested device is not available to this Pelorus instance. Requested device: \`${device}\``,
    );
  }
}

/** The first CUDA device has its number for a name, too. */
function namesOf({ device, index }: DeviceLimits): Device[] {
  return device === 'cuda' && index !== undefined ? [device, `cuda:${index}`] : [device];
}
