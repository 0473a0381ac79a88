import { setImmediate as nextTurn } from 'node:timers/promises';
import { invalidArgument } from '@pelorus/contract';
import type { DownloadHeaders } from '../validation/download-headers.js';

const BEFORE = Buffer.from('{"documents":');
const AFTER = Buffer.from('}');
const NO_MEMBERS = Buffer.from('[]');

/**
 * Tells whether the body of this envelope was a list: the form of clients before 2.0, with its options in the query.
 */
export function isBareList(envelope: Buffer): boolean {
  return envelope.equals(NO_MEMBERS);
}

/**
 * The documents of a list, the pieces of whose JSON these are, in today's form. The engine copies its input: that copy
 * and this one, of 32 MiB each, are of different turns of the event loop.
 */
export async function inEnvelope(list: readonly Buffer[]): Promise<Buffer> {
  const body = Buffer.concat([BEFORE, ...list, AFTER]);
  await nextTurn();
  return body;
}

/** @throws PelorusError `invalid_argument` for headers that are no JSON object of texts */
export function headersInQuery(text: string | undefined): DownloadHeaders {
  if (text === undefined || text === '') return {};
  let headers: unknown;
  try {
    headers = JSON.parse(text);
  } catch {
    headers = undefined;
  }
  const isObject = typeof headers === 'object' && headers !== null && !Array.isArray(headers);
  if (isObject && Object.values(headers as object).every((value) => typeof value === 'string')) {
    return headers as DownloadHeaders;
  }
  throw invalidArgument('image_download_headers must be a JSON object of header names and texts, URL-encoded');
}
