import type { engine } from '@pelorus/contract';
import { invalidArgument } from '../validation/faults.js';

const OPENING_BRACKET = 0x5b;
const BEFORE = '{"documents":';
const AFTER = '}';
const EMPTY_ENVELOPE = Buffer.from(`${BEFORE}[]${AFTER}`);

/** Whether a body starts as a list: the form of clients before 2.0, whose other members are in the query. */
export function isBareList(body: Buffer): boolean {
  const first = body.find((byte) => byte !== 0x20 && byte !== 0x09 && byte !== 0x0a && byte !== 0x0d);
  return first === OPENING_BRACKET;
}

/** The same documents in today's form. */
export function inEnvelope(list: Buffer): Buffer {
  return Buffer.concat([Buffer.from(BEFORE), list, Buffer.from(AFTER)]);
}

/** Whether an envelope, as it is left without its documents, has no other member. */
export function isWithoutMembers(envelope: Buffer): boolean {
  return envelope.equals(EMPTY_ENVELOPE);
}

/** Where a list stops being JSON, from where its envelope does. */
export function placeInList(list: Buffer, { line, column, endsEarly }: engine.JsonSyntaxError): engine.JsonSyntaxError {
  const isOnLastLine = line === 1 + list.filter((byte) => byte === 0x0a).length;
  const inList = line === 1 ? column - BEFORE.length : column;
  const lastLineLength = list.length - (list.lastIndexOf(0x0a) + 1);
  return { line, column: inList, endsEarly: endsEarly || (isOnLastLine && inList > lastLineLength) };
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
