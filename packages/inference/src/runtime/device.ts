import { PelorusError } from '@pelorus/contract';

/** A device that models run on. */
export type Device = 'cpu';

/**
 * Reads a `device` parameter: `cpu`, `cuda` or `cudaN` in any case; absent means the best there is.
 *
 * @throws PelorusError `invalid_argument` for anything else, `hardware_compatability_error` for a device
 *   that this machine does not have.
 */
export function parseDevice(device: string | undefined): Device {
  if (device === undefined) return 'cpu';
  const [, type, number] = /^(cpu|cuda)(.*)$/s.exec(device.toLowerCase()) ?? [];
  if (type === undefined) {
    throw new PelorusError(
      'invalid_argument',
      `Given device \`${device}\` doesn't start with a known device type. Acceptable device types: ['cpu', 'cuda']`,
    );
  }
  if (type === 'cpu' && number === '') return 'cpu';
  const index = /^:?(\d+)$/.exec(number ?? '')?.[1];
  if (type === 'cuda' && (number === '' || index !== undefined)) {
    throw new PelorusError(
      'hardware_compatability_error',
      'Requested device is not available to this Pelorus instance. ' +
        `Requested device: \`${index === undefined ? 'cuda' : `cuda:${Number(index)}`}\``,
    );
  }
  throw new PelorusError(
    'invalid_argument',
    `Given device \`${device}\` not recognised. Acceptable devices: ['cpu', 'cuda']`,
  );
}
