import { invalidArgument } from '../validation/faults.js';

const BEFORE = Buffer.from('{"documents":');
const AFTER = Buffer.from('}');
const NO_MEMBERS = Buffer.from('[]');

/** Whether a body, whose envelope this is, was a list: the form of clients before 2.0, with its options in the query. */
export function isBareList(envelope: Buffer): boolean {
  return envelope.equals(NO_MEMBERS);
}

/** The documents of a list, the pieces of whose JSON these are, in today's form. */
export function inEnvelope(list: readonly Buffer[]): Buffer {
  return Buffer.concat([BEFORE, ...list, AFTER]);
}

/** @throws PelorusError `invalid_argument` for headers that are no JSON object of texts */
export function checkHeadersInQuery(text: string | undefined): void {
  if (text === undefined || text === '') return;
  let headers: unknown;
  try {
    headers = JSON.parse(text);
  } catch {
    headers = undefined;
  }
  const isObject = typeof headers === 'object' && headers !== null && !Array.isArray(headers);
  if (isObject && Object.values(headers as object).every((value) => typeof value === 'string')) return;
  throw invalidArgument('image_download_headers must be a JSON object of header names and texts, URL-encoded');
}
