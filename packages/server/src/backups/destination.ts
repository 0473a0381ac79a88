import { PelorusError } from '@pelorus/contract';
import { isDiskFull } from '@pelorus/files';

/** An object of a destination: a file of a folder, or one of a bucket. */
export interface StoredObject {
  /** Its parts are separated by slashes. */
  readonly name: string;
  readonly bytes: number;
}

/**
 * The place where backups are kept. Objects are written whole: who reads one finds all of it or none, after a crash of the
 * writer too. Every reader sees it from then on.
 */
export interface Destination {
  /** The place, for people. */
  readonly text: string;
  /** Objects whose names begin with `prefix`, which ends with a slash. */
  list(prefix: string): AsyncIterable<StoredObject>;
  /** The bytes of an object; null where there is none. */
  read(name: string): Promise<Buffer | null>;
  /** Resolves once the object is durable. */
  write(name: string, bytes: Uint8Array): Promise<void>;
  /** Removes objects; resolves once that is durable. One that is not there is no error. */
  remove(names: readonly string[]): Promise<void>;
}

/** The service that buckets are in. */
export interface BucketService {
  /** Its address; the one of Amazon in the region when empty. */
  readonly endpoint: string;
  readonly region: string;
}

/**
 * The destination of a text: `s3://bucket/prefix`, or a folder, as its path or as `file:` and its path.
 * @throws PelorusError `server_configuration_error` for another text
 */
export async function openDestination(text: string, service: BucketService): Promise<Destination> {
  if (text.startsWith('s3://')) {
    const { BucketDestination } = await import('./bucket-destination.js');
    return await BucketDestination.open(text, service);
  }
  const { FolderDestination } = await import('./folder-destination.js');
  return new FolderDestination(folderOf(text));
}

function folderOf(text: string): string {
  const [, scheme, rest = ''] = /^([a-z][a-z0-9+.-]+):(.*)$/i.exec(text) ?? [];
  // A single letter is a drive of Windows.
  if (scheme === undefined) return text;
  if (scheme.toLowerCase() === 'file' && rest !== '') return rest.startsWith('//') ? new URL(text).pathname : rest;
  throw new PelorusError(
    'server_configuration_error',
    `Backups go to a folder, or to s3://bucket/prefix, received ${JSON.stringify(text.slice(0, 100))}`,
  );
}

/** The error of a destination that cannot be used now. */
export function destinationFailed(text: string, action: string, cause: unknown): PelorusError {
  const { message } = cause as Error;
  const told = `The place of backups, ${text}, cannot be used: ${action}: ${message}`;
  return new PelorusError(isDiskFull(cause) ? 'insufficient_storage' : 'backup_storage_unavailable', told, { cause });
}

/** Tells whether a destination has no room left for what is written to it. */
export const isFull = (error: unknown): boolean =>
  error instanceof PelorusError && error.code === 'insufficient_storage';

/** Codes of faults that one file may have, in a folder whose others can be read. */
const OF_ONE_FILE: ReadonlySet<unknown> = new Set(['EIO', 'EACCES', 'EPERM', 'EISDIR', 'EBADMSG', 'EUCLEAN']);

/** The reason for which an object cannot be read where others of its destination may be; undefined for other errors. */
export function faultOfObject(error: unknown): string | undefined {
  if (!(error instanceof PelorusError) || error.code !== 'backup_storage_unavailable') return undefined;
  const { code, message } = (error.cause ?? {}) as Partial<NodeJS.ErrnoException>;
  return OF_ONE_FILE.has(code) ? message : undefined;
}
