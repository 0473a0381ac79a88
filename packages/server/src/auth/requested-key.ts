import { PelorusError, type schemas, truncated } from '@pelorus/contract';
import { checkDocumentFilter, isEngineError } from '@pelorus/engine';
import { type ApiKey, type KeyRecord, keyScopes, type NewKey, type TrackingKey } from '@pelorus/keys';
import { indexNameProblem } from '../indexes/names.js';
import { isMoment } from '../validation/moments.js';
import { originsExpected, readOriginPattern } from './origins.js';

const NAME_LENGTH_MAX = 128;
/** Longest filter of a key: it goes with each call that is handed on, in a header. */
const FILTER_BYTES_MAX = 4096;
/** Longest id of a customer, in characters, as events have it. */
export const CUSTOMER_ID_LENGTH_MAX = 256;

/**
 * The key that a request to make one asks for.
 * @throws PelorusError `invalid_argument`, naming the member
 */
export function readNewKey(body: schemas.KeyRequest, nowMs: number): NewKey {
  const { kind, scope, indexes = null, filter = null, origins = null, customerId, allowsNoOrigin } = body;
  const name = readText('name', body.name, NAME_LENGTH_MAX);
  const expiresAt = readExpiry(body.expiresAt ?? null, nowMs);
  if (kind === 'tracking') {
    if (scope != null) throw notOf('scope', 'a tracking key');
    if (indexes !== null) throw notOf('indexes', 'a tracking key');
    if (filter !== null) throw notOf('filter', 'a tracking key');
    const origin = readTrackingOrigins(origins, allowsNoOrigin);
    if (customerId === undefined) throw invalid("A tracking key needs 'customerId'");
    const customer = readText('customerId', customerId, CUSTOMER_ID_LENGTH_MAX);
    return { kind, name, customerId: customer, origins: origin, allowsNoOrigin, expiresAt };
  }
  if (customerId !== undefined) throw notOf('customerId', 'an API key');
  if (allowsNoOrigin) throw notOf('allowsNoOrigin', 'an API key');
  if (scope === undefined) {
    throw invalid(`An API key needs 'scope', one of ${keyScopes.join(', ')}, or null for one that counts as admin`);
  }
  const key = { kind, name, scope, indexes: readIndexes(indexes), origins: readOrigins(origins), expiresAt };
  return filter === null ? key : { ...key, filter: readFilter(filter, scope) };
}

/**
 * `key` with what a request to change it names.
 * @throws PelorusError `invalid_argument`, naming the member
 */
export function withChanges(key: KeyRecord, body: schemas.KeyUpdate, nowMs: number): KeyRecord {
  const { name, indexes, origins, allowsNoOrigin, expiresAt } = body;
  const changed = {
    ...key,
    ...(name !== undefined && { name: readText('name', name, NAME_LENGTH_MAX) }),
    ...(expiresAt !== undefined && { expiresAt: readExpiry(expiresAt, nowMs) }),
  };
  return changed.kind === 'tracking'
    ? withTrackingChanges(changed, { indexes, origins, allowsNoOrigin })
    : withApiChanges(changed, { indexes, origins, allowsNoOrigin });
}

type KindChanges = { [Name in 'indexes' | 'origins' | 'allowsNoOrigin']: schemas.KeyUpdate[Name] | undefined };

function withTrackingChanges(key: TrackingKey, { indexes, origins, allowsNoOrigin }: KindChanges): TrackingKey {
  if (indexes !== undefined) throw notOf('indexes', 'a tracking key');
  const changed = { ...key, ...(allowsNoOrigin !== undefined && { allowsNoOrigin }) };
  if (origins === undefined && allowsNoOrigin === undefined) return changed;
  const wanted = origins === undefined ? key.origins : origins;
  return { ...changed, origins: readTrackingOrigins(wanted, changed.allowsNoOrigin) };
}

function withApiChanges(key: ApiKey, { indexes, origins, allowsNoOrigin }: KindChanges): ApiKey {
  if (allowsNoOrigin !== undefined) throw notOf('allowsNoOrigin', 'an API key');
  return {
    ...key,
    ...(indexes !== undefined && { indexes: readIndexes(indexes) }),
    ...(origins !== undefined && { origins: readOrigins(origins) }),
  };
}

/**
 * The time at which a key ends, in UTC; null for never.
 * @throws PelorusError `invalid_argument` for what is no moment, or one that has passed
 */
export function readExpiry(text: string | null, nowMs: number): string | null {
  if (text === null) return null;
  const at = isMoment(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(at)) {
    throw invalid(`'expiresAt' is '${truncated(text)}', expected a time such as 2027-01-31T12:00:00Z`);
  }
  if (at <= nowMs) throw invalid(`'expiresAt' is '${truncated(text)}', which has passed`);
  return new Date(at).toISOString();
}

function readText(member: string, text: string, lengthMax: number): string {
  const length = [...text].length;
  const isPlain = !/\p{Cc}/u.test(text) && text.trim() !== '';
  if (isPlain && length <= lengthMax) return text;
  const given = length > lengthMax ? `has ${length} characters` : `is '${truncated(text)}'`;
  throw invalid(`'${member}' ${given}, expected 1 to ${lengthMax} characters, none of them a control character`);
}

function readIndexes(names: readonly string[] | null): readonly string[] | null {
  if (names === null) return null;
  if (names.length === 0) throw invalid("'indexes' is an empty list, expected names of indexes, or null for all");
  for (const name of names) {
    // One that is not there yet may be named, but a name that no index can have is a slip.
    const problem = indexNameProblem(name);
    if (problem !== undefined) throw invalid(`'indexes' has '${truncated(name)}': ${problem}`);
  }
  return [...new Set(names)];
}

/** A key that manages anything reaches all documents by that. */
function readFilter(filter: string, scope: schemas.KeyRequest['scope']): string {
  if (scope !== 'read' && scope !== 'read_write') {
    throw invalid(`'filter' is for keys of scope read or read_write, and this one has ${scope ?? 'none'}`);
  }
  const bytes = Buffer.byteLength(filter);
  if (bytes > FILTER_BYTES_MAX) throw invalid(`'filter' has ${bytes} bytes, expected at most ${FILTER_BYTES_MAX}`);
  try {
    checkDocumentFilter(filter);
  } catch (error) {
    throw isEngineError(error) && error.code === 'invalid_argument' ? invalid(`'filter': ${error.message}`) : error;
  }
  return filter;
}

function readOrigins(origins: readonly string[] | null): readonly string[] | null {
  if (origins === null) return null;
  const patterns = origins.map((text) => {
    const pattern = readOriginPattern(text);
    if (pattern === undefined) throw invalid(`'origins' has '${truncated(text)}', expected ${originsExpected}`);
    return pattern;
  });
  return [...new Set(patterns)];
}

/** A tracking key that neither pages nor servers may send would be of no use. */
function readTrackingOrigins(origins: readonly string[] | null, allowsNoOrigin: boolean): readonly string[] {
  const read = readOrigins(origins) ?? [];
  if (read.length > 0 || allowsNoOrigin) return read;
  throw invalid(
    `A tracking key needs 'origins', a list of ${originsExpected}, unless 'allowsNoOrigin' says that servers may send it`,
  );
}

function notOf(member: string, kind: string): PelorusError {
  return invalid(`'${member}' is no member of ${kind}`);
}

function invalid(message: string): PelorusError {
  return new PelorusError('invalid_argument', message);
}
