import { PelorusError } from '@pelorus/contract';

/** A device that models run on: a plain value, part of keys and of what answers show. */
export type Device = 'cpu' | 'cuda' | `cuda:${number}`;

/**
 * Reads a `device` parameter: `cpu`, `cuda` or `cudaN` in any case. `Devices` knows whether this machine has it.
 *
 * @throws PelorusError `invalid_argument` for anything else.
 */
export function parseDevice(text: string): Device {
  const [, type, number = ''] = /^(cpu|cuda)(.*)$/s.exec(text.toLowerCase()) ?? [];
  if (type === undefined) {
    throw invalid(`Given device \`${text}\` doesn't start with a known device type. Acceptable device types`);
  }
  if (type === 'cpu' && number === '') return 'cpu';
  const index = /^:?(\d+)$/.exec(number)?.[1];
  if (type === 'cuda' && index !== undefined) return `cuda:${Number(index)}`;
  if (type === 'cuda' && number === '') return 'cuda';
  throw invalid(`Given device \`${text}\` not recognised. Acceptable devices`);
}

const invalid = (message: string) => new PelorusError('invalid_argument', `${message}: ['cpu', 'cuda']`);
