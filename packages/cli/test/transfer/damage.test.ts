import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { gunzipSync, gzipSync, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { Random } from '../../src/demo/random.js';
import { Api } from '../../src/transfer/api.js';
import { exportIndex } from '../../src/transfer/exporting.js';
import { formatOf } from '../../src/transfer/file-format.js';
import type { ImportOptions } from '../../src/transfer/import-options.js';
import { importDocuments } from '../../src/transfer/importing.js';
import { someDocuments } from './documents.js';

const SEED = 3;
const COUNT = 50;
const FLIPS = 60;
const QUERIES = [{ query: 'red ship', popularity: 2.5, metadata: { clicks: 3 } }];
const NAMES = ['x.jsonl', 'x.jsonl.gz', 'x.jsonl.zst', 'x.csv', 'x.parquet'] as const;

let added: string[];
let server: Server;
let api: Api;
let folder: string;

/** Stands in for a server that has one index, and takes what it is sent. */
beforeAll(async () => {
  const documents = someDocuments(SEED, COUNT);
  server = createServer(async (request, response) => {
    const body = await text(request);
    const answer = () => {
      if (request.url?.endsWith('/settings')) return '{"model":"m"}';
      if (request.url?.endsWith('/curation')) return '{"version":1,"rules":[],"synonyms":[{"terms":["a","b"]}]}';
      if (request.url?.endsWith('/stats')) return `{"numberOfDocuments":${COUNT}}`;
      if (request.url?.endsWith('/queries/scan')) return JSON.stringify({ queries: QUERIES, cursor: null });
      if (request.url?.endsWith('/queries')) return '{"indexed":1,"errors":[]}';
      if (request.url?.endsWith('/scan')) return `{"documents":[${documents.join(',')}],"cursor":null}`;
      const sent = (JSON.parse(body) as { documents: { _id: string }[] }).documents;
      added.push(...sent.map((document) => JSON.stringify(document)));
      return JSON.stringify({ errors: false, items: sent.map(({ _id }) => ({ _id, status: 200 })) });
    };
    response.end(answer());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  api = new Api({ url: `http://127.0.0.1:${(server.address() as { port: number }).port}`, apiKey: undefined });
  folder = await mkdtemp(join(tmpdir(), 'pelorus-damage-'));
  for (const name of NAMES) {
    const output = join(folder, name);
    const options = { index: 'a', output, format: formatOf(name, undefined), filter: undefined };
    await exportIndex(
      api,
      { ...options, vectors: true, suggestions: true, rules: true, force: false, json: false },
      silent(),
    );
  }
});
afterAll(async () => {
  server.close().closeAllConnections();
  await rm(folder, { recursive: true });
});
beforeEach(() => {
  added = [];
});

function silent(): NodeJS.WriteStream {
  return new PassThrough().resume() as unknown as NodeJS.WriteStream;
}

/** Imports a file; answers the exit code, 0 where it is done, and what the import says. */
async function imported(file: string, rest: Partial<ImportOptions> = {}): Promise<[code: unknown, message: string]> {
  added = [];
  const err = new PassThrough();
  const options: ImportOptions = {
    index: 'a',
    file,
    from: undefined,
    format: formatOf(file, undefined),
    idField: undefined,
    omittedFields: [],
    nulls: 'drop',
    unstorable: 'flatten',
    model: undefined,
    isDryRun: false,
    tensorFields: undefined,
    mappings: undefined,
    textFields: [],
    numberFields: [],
    encoding: undefined,
    delimiter: undefined,
    batchSize: 10,
    requests: 1,
    failuresMax: 100_000,
    failed: `${file}.failed.jsonl`,
    restart: true,
    asIs: false,
    rules: true,
    json: false,
    ...rest,
  };
  try {
    await importDocuments(api, options, err as unknown as NodeJS.WriteStream);
    return [0, String(err.read())];
  } catch (error) {
    const { exitCode, message } = error as { exitCode?: number; message: string };
    return [exitCode ?? error, message];
  }
}

/** An export with other bytes, and what lies beside it. */
async function changed(name: string, change: (bytes: Buffer) => Buffer): Promise<string> {
  const file = join(folder, `changed-${name}`);
  await writeFile(file, change(await readFile(join(folder, name))));
  const [header, copy] = [join(folder, `${name}.settings.json`), `${file}.settings.json`];
  if (existsSync(header)) await cp(header, copy);
  return file;
}

function flipped(bytes: Buffer, random: Random): Buffer {
  const copy = Buffer.from(bytes);
  const at = random.int(0, copy.length - 1);
  copy[at] = (copy[at] as number) ^ (1 << random.int(0, 7));
  return copy;
}

const same = (bytes: Buffer) => bytes;
const packings: Record<string, [unpack: (bytes: Buffer) => Buffer, pack: (bytes: Buffer) => Buffer]> = {
  '.gz': [gunzipSync, gzipSync],
  '.zst': [zstdDecompressSync, zstdCompressSync],
};

const noise = (length: number) => {
  const random = new Random(SEED);
  return Buffer.from(Array.from({ length }, () => random.int(0, 255)));
};

describe.each(NAMES)('%s', (name) => {
  test('is imported when it is whole', async () => {
    expect(await imported(join(folder, name))).toEqual([0, expect.stringContaining(`${COUNT} documents in`)]);
    expect(added).toHaveLength(COUNT);
  });

  test.each<[string, (bytes: Buffer) => Buffer]>([
    ['cut in half', (bytes) => bytes.subarray(0, bytes.length / 2)],
    ['cut by a byte', (bytes) => bytes.subarray(0, -2)],
    ['emptied', () => Buffer.alloc(0)],
    ['with garbage at its end', (bytes) => Buffer.concat([bytes, Buffer.from('{"_id":"garbage"}\n')])],
    ['with noise at its end', (bytes) => Buffer.concat([bytes, noise(1000)])],
    ['with zeros at its end', (bytes) => Buffer.concat([bytes, Buffer.alloc(512)])],
    ['overwritten with noise', (bytes) => noise(bytes.length)],
    ['overwritten with zeros', (bytes) => Buffer.alloc(bytes.length)],
    [
      'overwritten with noise in its midst',
      (bytes) => Buffer.from(bytes).fill(noise(64), Math.floor(bytes.length / 2)),
    ],
  ])('%s is told to be damaged, in one sentence', async (_, change) => {
    const [code, message] = await imported(await changed(name, change));
    expect([code, message]).toEqual([7, expect.not.stringMatching(/\n/)]);
  });

  test('with a flipped bit is told, and nothing of it is stored', async () => {
    const random = new Random(SEED);
    await imported(join(folder, name));
    const whole = added.toSorted();
    for (let flip = 0; flip < FLIPS; flip += 1) {
      const [code, message] = await imported(await changed(name, (bytes) => flipped(bytes, random)));
      const what = `flip ${flip}: ${message}`;
      // In compressed files a few bits do not matter, such as those of a file's time.
      if (code === 0)
        expect([name.endsWith('z') || name.endsWith('zst'), added.toSorted()], what).toEqual([true, whole]);
      else expect(code, what).toBe(message.includes('is an export of version') ? 2 : 7);
      if (message.includes('Nothing of it was stored')) expect(added, what).toEqual([]);
    }
  });

  test('is taken, when cut, as far as it goes if that is asked for, and it is said how far', async () => {
    for (const share of [0.3, 0.5, 0.9, 0.99]) {
      const file = await changed(name, (bytes) => bytes.subarray(0, Math.floor(bytes.length * share)));
      const [code, message] = await imported(file, { asIs: true });
      expect([code, message], `${share}`).toEqual([7, expect.not.stringMatching(/\n/)]);
      // Without its end nothing of Parquet can be read.
      if (name === 'x.parquet')
        expect([added.length, message]).toEqual([0, expect.stringContaining('no Parquet file')]);
      else if (share >= 0.5 && name !== 'x.jsonl.zst') expect(added.length, `${share}`).toBeGreaterThan(COUNT / 5);
      if (message.includes('is damaged'))
        expect(message).toContain(
          added.length === 0 ? 'Nothing of it was stored' : `Documents stored of what was read: ${added.length}`,
        );
    }
  });
});

test.each([gzipSync, zstdCompressSync])(
  'a compressed file of other origin that was cut is stored up to the cut',
  async (compress) => {
    const name = compress === gzipSync ? 'cut.jsonl.gz' : 'cut.jsonl.zst';
    const file = join(folder, name);
    const lines = Array.from(
      { length: 30_000 },
      (_, i) => `{"_id":"${i}","t":"${noise(8).toString('hex')}${i}"}\n`,
    ).join('');
    const bytes = compress(lines);
    const read = async (cut: Buffer, rest: Partial<ImportOptions> = {}) => {
      await writeFile(file, cut);
      const [code, message] = await imported(file, { batchSize: 500, ...rest });
      expect([code, message]).toEqual([
        7,
        expect.stringContaining(`Documents stored of what was read: ${added.length}`),
      ]);
      expect(message).toMatch(/is damaged: /);
      expect(existsSync(`${file}.import-state.json`)).toBe(false);
      return added.map((text) => Number((JSON.parse(text) as { _id: string })._id)).toSorted((a, b) => a - b);
    };
    for (const asIs of [false, true]) {
      const half = await read(bytes.subarray(0, bytes.length / 2), { asIs });
      expect(half).toEqual(Array.from({ length: half.length }, (_, i) => i));
      expect(half.length).toBeGreaterThan(5_000);
      const most = await read(bytes.subarray(0, -6), { asIs, batchSize: 128, requests: 8 });
      expect(most).toEqual(Array.from({ length: most.length }, (_, i) => i));
      expect(most.length).toBeGreaterThan(20_000);
      const noisy = Buffer.from(bytes).fill(noise(64), Math.floor(bytes.length / 2), Math.floor(bytes.length / 2) + 64);
      expect((await read(noisy, { asIs })).length).toBeGreaterThan(5_000);
    }
    await writeFile(file, bytes.subarray(0, 5));
    expect(await imported(file)).toEqual([7, expect.stringMatching(/ is damaged: .*Nothing of it was stored$/)]);
  },
);

test.each([
  ['a quote in the wrong place', '"r"x,"y"', [1, 2, 20, 137, 499]],
  ['a quote that is never closed', '"r,y', [499]],
])('rows of a table before %s are all stored', async (_, row, places) => {
  const rows = Array.from({ length: 500 }, (_, i) => `"${i}","row ${i}"`);
  const file = join(folder, 'quote.csv');
  const settings = JSON.parse(await readFile(join(folder, 'x.csv.settings.json'), 'utf8'));
  settings.pelorus.columns = { _id: 'text', t: 'text' };
  await writeFile(`${file}.settings.json`, JSON.stringify(settings));
  for (const place of places) {
    await writeFile(file, ['"_id","t"', ...rows.with(place, row), ''].join('\n'));
    const [code, message] = await imported(file, { asIs: true, batchSize: 10, requests: 3 });
    expect([code, message]).toEqual([7, expect.stringContaining(`Documents stored of what was read: ${place}`)]);
    expect(message).toContain(`line ${place + 2}: `);
    const ids = added.map((text) => Number(JSON.parse(text)._id)).toSorted((a, b) => a - b);
    expect(ids).toEqual(Array.from({ length: place }, (_, i) => i));
  }
});

test('settings beside a table that were damaged, and those of another table, are told', async () => {
  const random = new Random(SEED);
  const file = await changed('x.csv', (bytes) => bytes);
  const settings = await readFile(`${file}.settings.json`);
  for (let flip = 0; flip < FLIPS; flip += 1) {
    const bytes = flipped(settings, random);
    await writeFile(`${file}.settings.json`, bytes);
    const [code, message] = await imported(file);
    if (code === 0) expect(JSON.parse(bytes.toString()), message).toEqual(JSON.parse(settings.toString()));
    else expect(code, `flip ${flip}: ${message}`).toBe(message.includes('is an export of version') ? 2 : 7);
  }
});

test('an export that ends too early says how many documents it holds', async () => {
  const cut = (bytes: Buffer) => Buffer.from(bytes.toString().split('\n').toSpliced(20, 10).join('\n'));
  const [code, message] = await imported(await changed('x.jsonl', cut));
  expect([code, message]).toEqual([
    7,
    expect.stringContaining(`is damaged: it holds ${COUNT - 10} of ${COUNT} documents`),
  ]);
  expect(added).toEqual([]);
  const asIs = await imported(await changed('x.jsonl', cut), { asIs: true });
  expect(asIs).toEqual([0, expect.stringContaining('is damaged')]);
  expect(added).toHaveLength(COUNT - 10);
});

test.each(['x.jsonl', 'x.jsonl.gz', 'x.jsonl.zst'])(
  '%s without its first line is told, and nothing of it is stored',
  async (name) => {
    const [unpack, pack] = packings[extname(name)] ?? [same, same];
    for (const change of [
      (lines: string[]) => lines.slice(1),
      ([first = '', ...rest]: string[]) => [first.replace('pelorus', 'pelorvs'), ...rest],
      ([first = '', ...rest]: string[]) => [first.replace('{', '['), ...rest],
    ]) {
      const file = await changed(name, (bytes) =>
        pack(Buffer.from(change(unpack(bytes).toString().split('\n')).join('\n'))),
      );
      expect(await imported(file)).toEqual([7, expect.stringContaining('Nothing of it was stored')]);
      expect(added).toEqual([]);
      const [code] = await imported(file, { asIs: true });
      expect([code === 1, added.length]).toEqual([false, COUNT]);
    }
  },
);

test('a flipped bit in the metadata of a Parquet file is told, and nothing of it is stored', async () => {
  const bytes = await readFile(join(folder, 'x.parquet'));
  const length = bytes.readUInt32LE(bytes.length - 8);
  const file = join(folder, 'flipped.parquet');
  for (let at = bytes.length - 8 - length; at < bytes.length; at += 1) {
    const copy = Buffer.from(bytes);
    copy[at] = (copy[at] as number) ^ (1 << (at % 8));
    await writeFile(file, copy);
    const [code, message] = await imported(file);
    expect([at, code, message]).toEqual([at, message.includes('is an export of version') ? 2 : 7, message]);
    expect(added, message).toEqual([]);
  }
});

test('files of other origin and older exports are imported without a count', async () => {
  const lines = someDocuments(SEED, 5).join('\n');
  const old = `{"pelorus":{"format":1,"index":"a","settings":{}}}\n${lines}`;
  for (const [name, bytes] of [
    ['o.jsonl', Buffer.from(lines)],
    ['o.jsonl', Buffer.from(old)],
    ['o.jsonl.gz', gzipSync(lines)],
    ['o.jsonl.gz', Buffer.concat([gzipSync(lines), Buffer.alloc(100)])],
    ['o.jsonl.zst', zstdCompressSync(lines)],
    ['o.csv', Buffer.from('_id\n1\n2\n3\n4\n5\n')],
  ] as const) {
    await writeFile(join(folder, name), bytes);
    expect((await imported(join(folder, name)))[0], name).toBe(0);
    expect(added, name).toHaveLength(5);
  }
});

test('a second part of a zstd file, which is not read, is told', async () => {
  const file = join(folder, 'two.jsonl.zst');
  const part = zstdCompressSync('{"_id":"1"}\n');
  await writeFile(file, Buffer.concat([part, part]));
  expect(await imported(file)).toEqual([7, expect.stringContaining('bytes follow its compressed part')]);
});

test('the SHA-256 is that of the lines before the last one', async () => {
  const whole = (await readFile(join(folder, 'x.jsonl'))).toString();
  expect(gunzipSync(await readFile(join(folder, 'x.jsonl.gz'))).toString()).toBe(whole);
  const last = whole.trimEnd().lastIndexOf('\n') + 1;
  const { createHash } = await import('node:crypto');
  const sha256 = createHash('sha256').update(whole.slice(0, last)).digest('hex');
  expect(JSON.parse(whole.slice(last))).toEqual({ pelorus: { end: { documents: COUNT, sha256 } } });
});
