import { invalidArgument } from '@pelorus/contract';

const URL_LENGTH_MAX = 2_048;

/** Tells whether a value is an address that browsers and downloads can follow. */
export function isWebUrl(value: unknown): value is string {
  return typeof value === 'string' && /^https?:\/\/[^\s/]/i.test(value);
}

/**
 * @throws PelorusError `invalid_argument` with the form that `name` must have and the received value, in part where
 * that is long
 */
export function checkWebUrl(name: string, value: string): void {
  if (isWebUrl(value) && value.length <= URL_LENGTH_MAX) return;
  const expected = `an http or https URL of at most ${URL_LENGTH_MAX} characters`;
  const came = `${JSON.stringify(value.slice(0, 100))}, of ${value.length} characters`;
  throw invalidArgument(`${name} must be ${expected}, but it is ${came}`);
}
