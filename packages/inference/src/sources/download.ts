import { mkdir, open, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { sha256OfFile } from '../folder/manifest.js';
import type { Fetched, Fetcher } from '../outbound/fetcher.js';
import { ALLOWING_MODEL_PLACES, OutboundRefused, OutsideNetworks } from '../outbound/outbound-policy.js';
import { reasonOf } from '../reason.js';
import { SourceFailure } from './source-failure.js';

export interface DownloadOptions {
  /** Address and headers, asked for at every attempt: signatures run out. */
  readonly request: () => Promise<{ url: string; headers?: Readonly<Record<string, string>> }>;
  /** The path of the whole file. */
  readonly to: string;
  /** Hex, when known beforehand. */
  readonly sha256?: string;
  /** Largest file that is taken. */
  readonly bytesMax: number;
  /** Asked as the file grows, with the bytes that are known to come; throws when there is no room for them. */
  readonly makeRoom?: (bytes: number) => Promise<void>;
  readonly onBytes?: (receivedBytes: number, totalBytes: number | null) => void;
  readonly signal?: AbortSignal | undefined;
}

/** Attempts in a row that bring not a single byte before the download is given up. */
const FRUITLESS_MAX = 3;
const PAUSE_MS = 200;

/** Bytes after which it is asked again whether there is room. */
const ROOM_STEP_BYTES = 64 * 1024 * 1024;

/** The state that a started download keeps on disk, so that it can go on after a cut or in another process. */
interface Part {
  readonly etag: string | null;
  readonly sha256: string | null;
}

/**
 * Downloads a file whole or not at all. A cut connection is taken up again where it broke (HTTP Range,
 * tied to the same version by If-Range), also by a later run that finds the part. The hash is the given
 * one or the one the hub announces; a file that does not match is thrown away.
 *
 * @throws SourceFailure
 */
export async function download(fetcher: Fetcher, options: DownloadOptions): Promise<void> {
  await mkdir(dirname(options.to), { recursive: true });
  const part = `${options.to}.part`;
  let fruitless = 0;
  for (;;) {
    const before = await sizeOf(part);
    try {
      await attempt(fetcher, options, part);
      break;
    } catch (error) {
      if (error instanceof SourceFailure) throw error;
      options.signal?.throwIfAborted();
      fruitless = (await sizeOf(part)) > before ? 0 : fruitless + 1;
      if (error instanceof OutboundRefused || fruitless >= FRUITLESS_MAX) {
        const isCut = !(error instanceof OutboundRefused) && (await readPart(part))?.etag != null;
        const remedy = error instanceof OutsideNetworks ? `. ${ALLOWING_MODEL_PLACES}` : '';
        throw new SourceFailure(`${reasonOf(error)}${remedy}`, { isUnreachable: before === 0, isCut, cause: error });
      }
      await setTimeout(PAUSE_MS * fruitless, undefined, options.signal && { signal: options.signal });
    }
  }
  await checkHash(part, options.sha256 ?? (await readPart(part))?.sha256 ?? null);
  await rename(part, options.to);
  await rm(`${part}.json`, { force: true });
}

/** One request, from the end of the bytes that are there; returns once the file is whole. */
async function attempt(fetcher: Fetcher, options: DownloadOptions, part: string): Promise<void> {
  const known = await readPart(part);
  const start = known?.etag == null ? 0 : await sizeOf(part);
  const { url, headers = {} } = await options.request();
  const range = start > 0 ? { range: `bytes=${start}-`, 'if-range': known?.etag ?? '' } : {};
  const answer = await fetcher.get(url, { ...headers, ...range }, options.signal);
  try {
    const place = placeOf(answer, start, options.bytesMax);
    await options.makeRoom?.(Math.max(0, (place.total ?? 0) - start));
    await onDisk(writeFile(`${part}.json`, JSON.stringify(partOf(answer))));
    await append(answer, part, place, options);
  } finally {
    answer.body.destroy();
  }
}

/** The place of an answer's bytes, and the length of the whole file. */
function placeOf(answer: Fetched, start: number, bytesMax: number): { start: number; total: number | null } {
  const { status, headers } = answer;
  const length = headers['content-length'] === undefined ? null : Number(headers['content-length']);
  let place: { start: number; total: number | null };
  if (status === 200) {
    place = { start: 0, total: length };
  } else if (status === 206) {
    const match = /^bytes (\d+)-\d+\/(\d+|\*)$/.exec(headers['content-range'] ?? '');
    if (match === null || Number(match[1]) !== start) {
      throw new SourceFailure(`asked for bytes from ${start}, received "${headers['content-range'] ?? ''}"`);
    }
    place = { start, total: match[2] === '*' ? null : Number(match[2]) };
  } else {
    throw new SourceFailure(`answered ${status}`, { status, headers });
  }
  if ((place.total ?? 0) > bytesMax) throw tooLarge(bytesMax);
  return place;
}

async function append(
  answer: Fetched,
  part: string,
  place: { start: number; total: number | null },
  { bytesMax, makeRoom, onBytes }: DownloadOptions,
): Promise<void> {
  const file = await onDisk(open(part, place.start === 0 ? 'w' : 'a'));
  let received = place.start;
  let checked = received;
  try {
    for await (const chunk of answer.body as AsyncIterable<Buffer>) {
      received += chunk.length;
      if (received > bytesMax) throw tooLarge(bytesMax);
      if (received - checked >= ROOM_STEP_BYTES) {
        await makeRoom?.(0);
        checked = received;
      }
      await onDisk(file.write(chunk));
      onBytes?.(received, place.total);
    }
    await onDisk(file.sync());
  } finally {
    await file.close();
  }
  if (place.total !== null && received !== place.total) {
    throw new Error(`the connection ended after ${received} of ${place.total} bytes`);
  }
}

/**
 * A full or failing disk is no cut connection: trying again would not help, and the bytes that are there are in the
 * way.
 */
async function onDisk<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw new SourceFailure(`the file cannot be written: ${reasonOf(error)}`, { cause: error });
  }
}

const tooLarge = (bytesMax: number) => new SourceFailure(`the file is larger than the ${bytesMax} bytes allowed`);

/** The hub names a large file's hash before it sends the reader on to where the file lies. */
function partOf({ headers, firstHeaders }: Fetched): Part {
  const announced = (firstHeaders['x-linked-etag'] ?? '').replaceAll('"', '').toLowerCase();
  const etag = headers.etag ?? null;
  return {
    etag: etag?.startsWith('W/') ? null : etag,
    sha256: /^[0-9a-f]{64}$/.test(announced) ? announced : null,
  };
}

/** Tells whether a file of that name belongs to a download that a later run can go on with. */
export function isPartFile(name: string): boolean {
  return name.endsWith('.part') || name.endsWith('.part.json');
}

async function readPart(part: string): Promise<Part | null> {
  try {
    return JSON.parse(await readFile(`${part}.json`, 'utf8')) as Part;
  } catch {
    return null;
  }
}

async function checkHash(part: string, expected: string | null): Promise<void> {
  if (expected === null) return;
  const received = await sha256OfFile(part);
  if (received === expected) return;
  await rm(part, { force: true });
  await rm(`${part}.json`, { force: true });
  throw new SourceFailure(`the file has sha256 ${received}, expected ${expected}`);
}

async function sizeOf(path: string): Promise<number> {
  return (await stat(path).catch(() => null))?.size ?? 0;
}
