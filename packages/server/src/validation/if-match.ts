import { invalidArgument, truncated } from '@pelorus/contract';

/**
 * The version that a client knows, by its `If-Match`; null where any will do.
 * @throws PelorusError `invalid_argument`
 */
export function expectedVersion(header: string | undefined): number | null {
  if (header === undefined || header.trim() === '*') return null;
  const [, version] = /^\s*"?(\d{1,15})"?\s*$/.exec(header) ?? [];
  if (version !== undefined) return Number(version);
  throw invalidArgument(`If-Match must be the number of a version, but it is '${truncated(header)}'`);
}
