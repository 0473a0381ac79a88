import { PelorusError } from '@pelorus/contract';

/**
 * Reads the `device` of a request: `cpu`, `cuda` or `cudaN` in either case, N being the number of a GPU.
 * Returns `cpu`, `cuda` or `cuda:N`; undefined when none was named.
 */
export function readDevice(text: string | undefined, cudaCount: number): string | undefined {
  if (text === undefined) return undefined;
  const device = text.toLowerCase();
  if (!device.startsWith('cpu') && !device.startsWith('cuda')) {
    throw new PelorusError(
      'invalid_argument',
      `Given device \`${text}\` doesn't start with a known device type. Acceptable device types: ['cpu', 'cuda']`,
    );
  }
  const match = /^(?:cpu|cuda(\d*))$/.exec(device);
  if (match === null) {
    throw new PelorusError(
      'invalid_argument',
      `Given device \`${text}\` not recognised. Acceptable devices: ['cpu', 'cuda']`,
    );
  }
  if (device === 'cpu') return device;
  const number = match[1] === '' || match[1] === undefined ? undefined : Number(match[1]);
  const name = number === undefined ? 'cuda' : `cuda:${number}`;
  if ((number ?? 0) >= cudaCount) {
    throw new PelorusError(
      'hardware_compatability_error',
      `Requested device is not available to this Pelorus instance. Requested device: \`${name}\``,
    );
  }
  return name;
}
