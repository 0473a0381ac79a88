import { hash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { writeDurably } from './durable-file.js';

/**
 * The form of sealed files: a line of JSON, the seal, and below it the value as JSON. The seal holds this number, a name
 * that says what the file is, the generation where one is counted, and the SHA-256 of all but itself.
 */
const FORMAT = 2;

/** Tells a file from all others, and its value from any other. */
export interface SealedForm<Value> {
  /** Stands in the seal, so that the file of a neighbour cannot take the place of this one. */
  readonly name: string;
  /** Holds for values of the right shape: files that were written before there were seals have nothing else to be told by. */
  readonly isValue: (value: unknown) => value is Value;
  /** Reads what was written before there were seals, where that is more than the value; null where it is no good. */
  readonly fromOlder?: (parsed: unknown) => Value | null;
}

/** The `fromOlder` of files that always had a seal: one without is damaged, however its value looks. */
export function neverOlder(): null {
  return null;
}

/** A file that is there and cannot be used, or is missing where others say that it was there. */
export class DamagedFileError extends Error {
  override readonly name = 'DamagedFileError';

  constructor(path: string, reason: string, cause?: unknown) {
    super(`${path} ${reason}`, { cause });
  }
}

/** The generations that files have at least, by the names of their forms: an older file was put back. */
export interface Generations {
  least(name: string): number;
  /** Notes a generation, durably. One that is no later than the noted one costs nothing. */
  raise(name: string, generation: number): Promise<void>;
}

/** A value, and the number of times that it was changed. */
export interface Generated<Value> {
  readonly value: Value;
  readonly generation: number;
}

interface Seal {
  readonly format: number;
  readonly name: string;
  /** 0 where none is counted. */
  readonly generation: number;
  readonly sha256: string;
}

/** The text of a sealed file. */
export function sealed<Value>(value: Value, { name }: Pick<SealedForm<Value>, 'name'>, generation = 0): string {
  const body = `${JSON.stringify(value)}\n`;
  const counted = generation > 0 && { generation };
  return `${JSON.stringify({ format: FORMAT, name, ...counted, sha256: digestOf(name, generation, body) })}\n${body}`;
}

/**
 * The value in the bytes of a file, sealed or older than seals.
 * @throws DamagedFileError where they are not what was written, are of another file, or of a later form
 */
export function unsealed<Value>(bytes: Uint8Array, path: string, form: SealedForm<Value>): Value {
  return unsealedGeneration(bytes, path, form).value;
}

/**
 * The fault in the bytes of a sealed file, of whatever form; null where there is none. A file that is older than seals must be
 * JSON, and no more is known of it.
 */
export function sealFault(bytes: Uint8Array, path: string): string | null {
  const anything: SealedForm<unknown> = { name: '', isValue: (value): value is unknown => value !== undefined };
  try {
    const text = textOf(bytes, path);
    const seal = sealOf(text.slice(0, text.indexOf('\n') + 1));
    unsealed(bytes, path, { ...anything, name: seal?.name ?? '' });
    return null;
  } catch (error) {
    return (error as Error).message;
  }
}

function unsealedGeneration<Value>(bytes: Uint8Array, path: string, form: SealedForm<Value>): Generated<Value> {
  const text = textOf(bytes, path);
  const end = text.indexOf('\n') + 1;
  const seal = sealOf(text.slice(0, end));
  if (seal === null) return { value: olderValue(text, path, form), generation: 0 };
  if (seal.format > FORMAT) throw new DamagedFileError(path, `is of a later version: its form is ${seal.format}`);
  const body = text.slice(end);
  if (seal.format !== FORMAT || seal.sha256 !== digestOf(seal.name, seal.generation, body)) {
    throw new DamagedFileError(path, 'is damaged: its checksum is not that of what it holds');
  }
  if (seal.name !== form.name) throw new DamagedFileError(path, `is another file, ${seal.name}, not ${form.name}`);
  const value: unknown = JSON.parse(body);
  if (form.isValue(value)) return { value, generation: seal.generation };
  throw new DamagedFileError(path, 'does not hold what such a file does');
}

/**
 * Reads a sealed file; undefined where there is none.
 * @throws DamagedFileError where it cannot be read or used: it is left as it is
 */
export async function readSealed<Value>(path: string, form: SealedForm<Value>): Promise<Value | undefined> {
  return (await readGenerated(path, form))?.value;
}

/**
 * Reads a sealed file with its generation, 0 of one that counts none; undefined where there is none.
 * @throws DamagedFileError as {@link readSealed} does
 */
export async function readGenerated<Value>(
  path: string,
  form: SealedForm<Value>,
): Promise<Generated<Value> | undefined> {
  let bytes: Buffer;
  try {
    // A pipe would be waited for without end.
    if (!(await stat(path)).isFile()) throw new Error('it is no file');
    bytes = await readFile(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new DamagedFileError(path, `cannot be read: ${(error as Error).message}`, error);
  }
  return unsealedGeneration(bytes, path, form);
}

/**
 * Reads a sealed file of which the generations are noted.
 * @throws DamagedFileError as {@link readSealed} does, and where the file is older than what was stored
 */
export async function readNewest<Value>(
  path: string,
  form: SealedForm<Value>,
  generations: Generations,
): Promise<Generated<Value> | undefined> {
  const found = await readGenerated(path, form);
  if (found === undefined) return undefined;
  const least = generations.least(form.name);
  if (found.generation < least) {
    throw new DamagedFileError(
      path,
      `is an older copy: it is of generation ${found.generation}, and ${least} was stored`,
    );
  }
  await noted(generations, form.name, found.generation);
  return found;
}

/**
 * Replaces a sealed file by one of the next generation, which is noted once it is there.
 * @param generation of the file that is replaced
 * @returns that of the new one
 */
export async function writeNext<Value>(
  path: string,
  { value, generation }: Generated<Value>,
  form: SealedForm<Value>,
  generations: Generations,
): Promise<number> {
  const next = Math.max(generation, generations.least(form.name)) + 1;
  await writeDurably(path, sealed(value, form, next));
  await noted(generations, form.name, next);
  return next;
}

/** A change that is done is not to fail by its note: the next start, or change, makes it. */
async function noted(generations: Generations, name: string, generation: number): Promise<void> {
  await generations.raise(name, generation).catch(() => undefined);
}

/** Replaces a sealed file whole, as {@link writeDurably} does. */
export async function writeSealed<Value>(
  path: string,
  value: Value,
  form: SealedForm<Value>,
  generation = 0,
): Promise<void> {
  await writeDurably(path, sealed(value, form, generation));
}

/**
 * Seals a file that is older than seals, so that its next damage is told by more than its shape.
 * @returns whether it was such a file
 * @throws DamagedFileError as {@link readSealed} does
 */
export async function sealOlder<Value>(path: string, form: SealedForm<Value>): Promise<boolean> {
  const bytes = await readFile(path);
  if (sealOf(bytes.subarray(0, bytes.indexOf('\n') + 1).toString('utf8')) !== null) return false;
  await writeSealed(path, unsealed(bytes, path, form), form);
  return true;
}

function olderValue<Value>(text: string, path: string, { isValue, fromOlder }: SealedForm<Value>): Value {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch (error) {
    throw new DamagedFileError(path, 'is damaged: it is not JSON', error);
  }
  const value = fromOlder === undefined ? parsed : fromOlder(parsed);
  if (isValue(value)) return value;
  throw new DamagedFileError(path, 'is damaged: it does not hold what such a file does');
}

function textOf(bytes: Uint8Array, path: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    throw new DamagedFileError(path, 'is damaged: it is not UTF-8', error);
  }
}

/** Null where the line is no seal. */
function sealOf(line: string): Seal | null {
  try {
    const { format, name, generation = 0, sha256 } = JSON.parse(line) as Partial<Seal>;
    const isSeal = typeof format === 'number' && typeof name === 'string' && typeof sha256 === 'string';
    return isSeal && Number.isSafeInteger(generation) ? { format, name, generation, sha256 } : null;
  } catch {
    return null;
  }
}

function digestOf(name: string, generation: number, body: string): string {
  return hash('sha256', `${FORMAT} ${name}${generation > 0 ? ` ${generation}` : ''}\n${body}`);
}
