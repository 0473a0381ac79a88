import { mkdtempSync, rmSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { afterAll, expect, test } from 'vitest';
import { Random } from '../../src/demo/random.js';
import { StartFailure } from '../../src/start-failure.js';
import { ColumnKinds, readDocument } from '../../src/transfer/columns.js';
import { Csv } from '../../src/transfer/csv.js';
import { JsonLines } from '../../src/transfer/json-lines.js';
import { Parquet, writeParquet } from '../../src/transfer/parquet.js';
import type { Source } from '../../src/transfer/source.js';
import { someDocuments } from './documents.js';

// Hostile files for every reader of an import. An input is a good file that was changed by rules and random numbers which follow
// from the number of its run, so that a failure is repeated by that number: npm run fuzz -- import-csv --from N --runs 1.

const RUNS = Number(process.env.PELORUS_FUZZ_RUNS ?? 150);
const FROM = Number(process.env.PELORUS_FUZZ_FROM ?? 0);
const MINUTES = Number(process.env.PELORUS_FUZZ_MINUTES ?? 0);

const folder = mkdtempSync(join(tmpdir(), 'pelorus-hostile-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

type Reader = (file: string) => Promise<Source>;

const readers: Readonly<Record<string, { readonly open: Reader; readonly words: readonly string[] }>> = {
  csv: {
    open: (file) => Csv.open(file, { encoding: 'utf-8', kinds: new Map() }),
    words: ['"', '""', ',', ';', '\t', '\r\n', '\n', '\r', '\ufeff', '1e999', '-0', '[', '{"a":', 'null', '\0'],
  },
  jsonl: {
    open: (file) => JsonLines.open(file, 'none'),
    words: ['[', ']', '{', '}', ',', '\n', '"\\ud800"', '1e999', '"_id":', '"__proto__":{}', '\ufeff', '[[[[[[[['],
  },
  parquet: { open: (file) => Parquet.open(file), words: ['PAR1', '\0\0\0\0', '\xff\xff\xff\x7f'] },
};

async function seedsOf(format: string): Promise<Buffer[]> {
  const documents = [0, 1, 2].map((seed) => someDocuments(seed, 6));
  if (format === 'jsonl') {
    const lines = documents.map((texts) => Buffer.from(`${texts.join('\n')}\n`));
    return [...lines, ...documents.map((texts) => Buffer.from(`[${texts.join(',\n')}]`))];
  }
  if (format === 'csv') {
    const table = ['_id,title,price,tags', 'a,"red ""dog""",3,"[""x""]"', 'b,blue,,', 'c,"two\nlines",4.5,1'];
    return [Buffer.from(table.join('\r\n')), Buffer.from(table.join('\n').replaceAll(',', ';'))];
  }
  return Promise.all(
    documents.map(async (texts, at) => {
      const kinds = new ColumnKinds(true);
      for (const text of texts) kinds.see(readDocument(text));
      const file = join(folder, `seed-${at}.parquet`);
      async function* batches() {
        yield texts.map(readDocument);
      }
      await writeParquet(file, { format: 1, index: 'a', settings: { model: 'm' }, columns: kinds.get() }, batches());
      return readFile(file);
    }),
  );
}

/** A good file with some changes. */
function mutated(seeds: readonly Buffer[], words: readonly string[], random: Random): Buffer {
  const below = (end: number) => Math.floor(random.next() * end);
  const pick = <T>(from: readonly T[]): T => from[below(from.length)] as T;
  let bytes: Buffer = Buffer.from(pick(seeds));
  for (let change = below(5); change >= 0; change -= 1) {
    const at = below(bytes.length + 1);
    const end = Math.min(bytes.length, at + 1 + below(64));
    const [before, piece, after] = [bytes.subarray(0, at), bytes.subarray(at, end), bytes.subarray(end)];
    const word = Buffer.from(pick(words), 'latin1');
    const other = pick(seeds);
    const changed: readonly (() => Buffer)[] = [
      () =>
        Buffer.concat([before, Buffer.from(piece.map((byte, n) => (n === 0 ? byte ^ (1 << below(8)) : byte))), after]),
      () => Buffer.concat([before, Buffer.from([below(256)]), bytes.subarray(Math.min(bytes.length, at + 1))]),
      () => Buffer.concat([before, after]),
      () => Buffer.concat([before, piece, piece, after]),
      () => before,
      () => Buffer.concat([before, word, piece, after]),
      () => Buffer.concat([before, word, after]),
      () => Buffer.concat([before, other.subarray(below(other.length))]),
      () => Buffer.concat([before, ...Array<Buffer>(1 << below(9)).fill(piece.subarray(0, 4)), piece, after]),
      () => Buffer.concat([before, Buffer.from(pick([[0xff, 0xff, 0xff, 0xff], [0, 0, 0, 0x80], [0x7f]])), after]),
    ];
    bytes = pick(changed)();
  }
  return bytes.subarray(0, 2 ** 18);
}

/** Reads all of a file, which is refused in one line or gives items in their order. */
async function read(open: Reader, file: string): Promise<void> {
  try {
    const source = await open(file);
    let place = 0;
    for await (const items of source.items(0)) {
      for (const item of items) {
        if (item.place < place) throw new Error(`place ${item.place} behind ${place}`);
        place = item.place;
        // Lines are checked where documents are; cells of tables are JSON by then.
        for (const value of item.values ?? []) if (value !== undefined) JSON.parse(value);
      }
    }
    await source.damage();
  } catch (error) {
    if (error instanceof StartFailure && !error.message.includes('\n')) return;
    throw error;
  }
}

test.each(Object.keys(readers))(
  'no change of a file of %s gets past its reader',
  async (format) => {
    const { open, words } = readers[format] as (typeof readers)[string];
    const seeds = await seedsOf(format);
    const file = join(folder, `hostile.${format}`);
    const end = performance.now() + MINUTES * 60_000;
    for (let run = FROM; MINUTES > 0 ? performance.now() < end : run < FROM + RUNS; run += 1) {
      const bytes = mutated(seeds, words, new Random(crc32(`${format} ${run}`)));
      await writeFile(file, bytes);
      const failure = await read(open, file).then(
        () => null,
        (error: Error) => error,
      );
      const again = `again: npm run fuzz -- import-${format} --from ${run} --runs 1`;
      expect(failure?.stack ?? null, `run ${run}; ${again}`).toBeNull();
    }
  },
  60_000 + RUNS * 1_000 + MINUTES * 120_000,
);
