import type { Device } from './device.js';

/** For how long a device that had no room for a model, or lacked a library, is not asked again. */
const REFUSED_MS = 60_000;
/** Refusals that are remembered: whoever may name models can name any number. */
const REFUSALS_MAX = 1_000;
/** For how long a fault of a device that it told of already is not told again. */
const TOLD_MS = 60_000;

/** The refusal of a model by a device. The CPU runs it. */
export class DeviceRefusal extends Error {
  /** The device may take the model later. */
  readonly passes: boolean;

  constructor(reason: string, passes: boolean) {
    super(reason);
    this.passes = passes;
  }
}

/** A fault of a device in use. */
export interface DeviceFault {
  readonly message: string;
  /** No later call mends it. */
  readonly isLost: boolean;
}

/**
 * The rule for where models run: on the device that was asked for, or on the CPU where that has refused the model or is
 * lost. Tells each such case once.
 */
export class DevicePlaces {
  readonly #report: (message: string) => void;
  readonly #now: () => number;
  /** The time until which each refusal holds, by device and model. */
  readonly #refusals = new Map<string, number>();
  readonly #lost = new Map<Device, string>();
  readonly #told = new Map<string, number>();

  constructor(report: (message: string) => void, now: () => number = Date.now) {
    this.#report = report;
    this.#now = now;
  }

  /** The device to run a model on. */
  placeOf(key: string, device: Device): Device {
    if (device === 'cpu' || this.#lost.has(device)) return 'cpu';
    const until = this.#refusals.get(`${device} ${key}`);
    return until !== undefined && this.#now() < until ? 'cpu' : device;
  }

  /** Notes that a device does not take a model, and tells why. */
  refuse(key: string, name: string, device: Device, { message, passes }: DeviceRefusal): void {
    const place = `${device} ${key}`;
    this.#refusals.delete(place);
    const [oldest] = this.#refusals.keys();
    if (this.#refusals.size >= REFUSALS_MAX && oldest !== undefined) this.#refusals.delete(oldest);
    this.#refusals.set(place, passes ? this.#now() + REFUSED_MS : Number.POSITIVE_INFINITY);
    this.#report(`Model ${name} runs on the CPU, not on ${device}: ${message}.`);
  }

  /**
   * Notes a fault for which the CPU computed in the place of a device, and tells of it. True where the device is lost by it,
   * and was not before: no model of it is used again.
   */
  fault(device: Device, { message, isLost }: DeviceFault): boolean {
    if (isLost) {
      if (this.#lost.has(device)) return false;
      this.#lost.set(device, message);
      this.#report(`The CPU computes in the place of ${device} until the server is started anew: ${message}.`);
      return true;
    }
    const now = this.#now();
    if (now < (this.#told.get(device) ?? 0)) return false;
    this.#told.set(device, now + TOLD_MS);
    this.#report(`The CPU computed some texts in the place of ${device}: ${message}.`);
    return false;
  }

  /** The devices that are lost, each with the reason, for people. */
  problems(): string[] {
    return [...this.#lost].map(([device, reason]) => `The CPU computes in the place of ${device}: ${reason}.`);
  }
}
