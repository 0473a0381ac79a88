// Every peer that is installed, behind the protocol, on data small enough to be searched exactly. None is installed by
// set-up, so where no bench was run there is nothing to test.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { LineProcess } from '../../line-process.ts';
import { peers, peerVersion } from '../../peers.ts';
import { recall } from '../recall.ts';
import type { Built, Searched, Unsupported } from './driver.ts';

const [COUNT, DIM, QUERIES, K] = [1500, 64, 40, 10];
let directory = '';
let base: Float32Array[] = [];
const queries: Record<string, Float32Array[]> = {};
const even = Uint32Array.from({ length: COUNT / 2 }, (_, at) => at * 2);

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'pelorus-peers-'));
  const draw = clustered(gauss(7));
  base = draw(COUNT);
  queries.queries = draw(QUERIES);
  queries.outside = draw(QUERIES).map((row) => unit(row.map((value, at) => value * (at % 2 ? 1 : -1))));
  for (const [name, rows] of Object.entries({ base, ...queries })) write(name, rows);
  writeFileSync(join(directory, 'filter-0.5.u32'), even);
});

afterAll(() => rmSync(directory, { recursive: true, force: true }));

describe.for(peers())('$name', ({ name, command, args, filters }) => {
  const installed = peerVersion(name) !== null;
  test.runIf(installed)(
    'finds the nearest of all, of other queries, and of those that pass',
    { timeout: 60_000 },
    async () => {
      const driver = new LineProcess(command, args(directory, DIM));
      try {
        const built = await driver.ask<Built | Unsupported>({ op: 'build', m: 16, efConstruction: 100, threads: 2 });
        if ('unsupported' in built) {
          expect(built.why).not.toBe('');
          return;
        }
        expect(built.indexBytes).toBeGreaterThan((COUNT * DIM) / 2);
        const search = (more: object) => driver.ask<Searched | Unsupported>({ op: 'search', ef: 200, k: K, ...more });
        expect(recallOf(await search({}), 'queries')).toBeGreaterThan(0.95);
        // Four bits do not carry queries off the data further than this in so few dimensions.
        expect(recallOf(await search({ set: 'outside' }), 'outside')).toBeGreaterThan(0.8);
        const filtered = await search({ passRate: 0.5 });
        if (filters) expect(recallOf(filtered, 'queries', even)).toBeGreaterThan(0.95);
        else expect(filtered).toHaveProperty('unsupported');
        // A filter is gone with the search that had it.
        expect(recallOf(await search({}), 'queries')).toBeGreaterThan(0.95);
      } finally {
        driver.close();
      }
    },
  );
});

function recallOf(found: Searched | Unsupported, set: string, among = Uint32Array.from(base.keys())): number {
  if ('unsupported' in found) throw new Error(found.why);
  return recall(
    found.neighbors,
    (queries[set] ?? []).map((query) => nearest(query, among)),
  );
}

function nearest(query: Float32Array, among: Uint32Array): Uint32Array {
  const keys = base.map((row) => row.reduce((sum, value, at) => sum + value * (query[at] ?? 0), 0));
  return among.toSorted((a, b) => (keys[b] ?? 0) - (keys[a] ?? 0)).subarray(0, K);
}

/** Unit rows around centers on a manifold of low rank, off the origin. */
function clustered(normal: () => number): (count: number) => Float32Array[] {
  const rank = 16;
  const vector = (length: number) => Float32Array.from({ length }, normal);
  const directions = Array.from({ length: rank }, () => vector(DIM));
  const centers = Array.from({ length: 30 }, () => vector(rank));
  const common = vector(DIM);
  return (count) =>
    Array.from({ length: count }, (_, row) => {
      const place = (centers[row % centers.length] ?? common).map((value) => value + 0.7 * normal());
      return unit(
        common.map(
          (value, at) => value + 0.1 * normal() + place.reduce((sum, z, i) => sum + z * (directions[i]?.[at] ?? 0), 0),
        ),
      );
    });
}

function unit(row: Float32Array): Float32Array {
  const length = Math.hypot(...row);
  return row.map((value) => value / length);
}

function write(name: string, rows: readonly Float32Array[]): void {
  writeFileSync(join(directory, `${name}.f32`), Buffer.concat(rows.map((row) => new Uint8Array(row.buffer))));
}

/** Box and Muller over a 32-bit xorshift. */
function gauss(seed: number): () => number {
  let state = seed;
  const uniform = () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return ((state >>> 0) + 1) / 2 ** 32;
  };
  return () => Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform());
}
