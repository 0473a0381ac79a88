import { closeSync, existsSync, fstatSync, openSync, readFileSync, readSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { getHeapStatistics } from 'node:v8';
import { answerLines } from '../../line-process.ts';
import { median } from '../../quantile.ts';

/** The part of the protocol that peers answer; `bench/src/vector/engine.ts` has all of it. */
type Command =
  | ({ op: 'build' } & Omit<Build, 'threads'> & { threads?: number })
  | ({ op: 'search' } & Search)
  | { op: 'other' };

export interface Build {
  m: number;
  efConstruction: number;
  threads: number;
}

interface Search {
  ef: number;
  k: number;
  set?: string;
  passRate?: number | string;
  threads?: number;
  count?: number;
}

export interface Built {
  seconds: number;
  indexBytes: number;
  /** Threads it built with. */
  threads: number;
  /** The parameter that `ef` sets. */
  effort: string;
}

/** One pass: every query of `[count, dim]`, one after the other. */
export interface Pass {
  queries: Float32Array;
  ef: number;
  k: number;
  threads: number;
  /** Ids that may be answered, and the name of the set. */
  passing?: { name: string; ids: Uint32Array };
}

export interface Searched {
  seconds: number;
  neighbors: number[][];
}

export interface Unsupported {
  unsupported: true;
  why: string;
}

export const unsupported = (why: string): Unsupported => ({ unsupported: true, why });

/** A library behind the protocol. */
export interface Library {
  version: string;
  build(parameters: Build): Built;
  search(pass: Pass): Searched | Unsupported;
  /** Microseconds that one search costs before it reaches the index; none where the library takes a batch. */
  overhead?(): number;
}

/** The place where a driver is started. */
export class Place {
  readonly directory: string;
  readonly dim: number;
  /** The name of one of its configurations. */
  readonly configuration: string;

  constructor([directory = '', dim = '', configuration = '']: readonly string[]) {
    this.directory = directory;
    this.dim = Number(dim);
    this.configuration = configuration;
  }

  /** The place where a driver may keep a file of its own, removed when it ends. */
  scratch(name: string): string {
    const path = join(this.directory, `${process.pid}-${name}`);
    process.once('exit', () => rmSync(path, { recursive: true, force: true }));
    return path;
  }

  rows(name: string): Float32Array {
    const bytes = readFileSync(join(this.directory, `${name}.f32`));
    return new Float32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 4);
  }

  ids(name: string): Uint32Array {
    const bytes = readFileSync(join(this.directory, `${name}.u32`));
    return new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 4);
  }

  /** Rows of the base, `[some, dim]` at a time in one buffer, so that the input is never all in memory. */
  *base(): Generator<{ first: number; rows: Float32Array }> {
    const file = openSync(join(this.directory, 'base.f32'), 'r');
    const stride = this.dim * 4;
    const buffer = new Float32Array(1024 * this.dim);
    try {
      for (let first = 0; ; ) {
        const read = readSync(file, buffer, 0, buffer.byteLength, first * stride) / stride;
        if (read === 0) return;
        yield { first, rows: buffer.subarray(0, read * this.dim) };
        first += read;
      }
    } finally {
      closeSync(file);
    }
  }

  get count(): number {
    const file = openSync(join(this.directory, 'base.f32'), 'r');
    const { size } = fstatSync(file);
    closeSync(file);
    return size / (this.dim * 4);
  }
}

/** Answers the protocol's commands with a library; run with `--expose-gc`. */
export async function drive(place: Place, library: Library): Promise<void> {
  await answerLines((command: Command) => {
    if (command.op === 'build') {
      const before = residentBytes();
      const built = library.build({ ...command, threads: command.threads ?? 1 });
      const resident = residentBytes() - before;
      return { ...built, residentBytes: resident, overheadUs: library.overhead?.(), version: library.version };
    }
    if (command.op === 'search') return library.search(passOf(place, command));
    return unsupported('not an operation of the peers');
  });
}

function passOf(place: Place, { ef, k, set = 'queries', passRate, threads = 1, count }: Search): Pass {
  const all = place.rows(set);
  const queries = count === undefined ? all : all.subarray(0, count * place.dim);
  if (passRate === undefined) return { queries, ef, k, threads };
  const name = `filter-${passRate}`;
  if (!existsSync(join(place.directory, `${name}.u32`))) throw new Error(`no ids of ${name}`);
  return { queries, ef, k, threads, passing: { name, ids: place.ids(name) } };
}

/** The bytes of the process without JavaScript's own heap, which keeps the memory of a build's arguments. */
function residentBytes(): number {
  globalThis.gc?.();
  return process.memoryUsage.rss() - getHeapStatistics().total_physical_size;
}

/** The rows of `[count, dim]`, as views. */
export function rowsOf(vectors: Float32Array, dim: number): Float32Array[] {
  return Array.from({ length: vectors.length / dim }, (_, row) => vectors.subarray(row * dim, (row + 1) * dim));
}

/** Seconds that some work took. */
export function timed(work: () => void): number {
  const started = performance.now();
  work();
  return (performance.now() - started) / 1000;
}

/** Microseconds a call costs, the median over passes. */
export function overheadUs<T>(queries: readonly T[], call: (query: T) => unknown): number {
  const passes = Array.from({ length: 9 }, () => {
    const seconds = timed(() => {
      for (const query of queries) call(query);
    });
    return (seconds * 1e6) / queries.length;
  });
  return median(passes);
}
