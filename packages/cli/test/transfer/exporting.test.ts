import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Api } from '../../src/transfer/api.js';
import { type ExportOptions, exportIndex } from '../../src/transfer/exporting.js';
import { formatOf } from '../../src/transfer/file-format.js';

/** Moves the cursor, changes colours and turns the direction of writing, without an escape in its JSON. */
const HOSTILE = 'a\u009b2J\u202eb\u007f\u2028c é😀';
const DOCUMENTS = [`{"_id":"1","t":"${HOSTILE}"}`, '{"_id":"2","t":"plain","n":9007199254740993}'];

const NONE: object = { version: 0, updatedAt: null, rules: [], synonyms: [] };

let server: Server;
let api: Api;
let folder: string;
let curation = NONE;
beforeAll(async () => {
  server = createServer((request, response) => {
    request.resume();
    if (request.url?.endsWith('/settings')) response.end('{"model":"m"}');
    else if (request.url?.endsWith('/curation')) response.end(JSON.stringify(curation));
    else if (request.url?.endsWith('/stats')) response.end('{"numberOfDocuments":2}');
    else if (request.url?.endsWith('/queries/scan')) response.end('{"queries":[],"cursor":null}');
    else response.end(`{"documents":[${DOCUMENTS.join(',')}],"cursor":null}`);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  api = new Api({ url: `http://127.0.0.1:${(server.address() as { port: number }).port}`, apiKey: undefined });
  folder = await mkdtemp(join(tmpdir(), 'pelorus-export-'));
});
afterAll(async () => {
  server.close().closeAllConnections();
  await rm(folder, { recursive: true });
});

/** The standard output of an export. */
async function exported(rest: Partial<ExportOptions> & { output: string }, isTTY = false): Promise<string> {
  const out = Object.assign(new PassThrough(), { isTTY });
  const err = new PassThrough().resume() as unknown as NodeJS.WriteStream;
  const format = formatOf(rest.output, undefined);
  const what = { filter: undefined, vectors: true, suggestions: true, rules: true };
  const options = { index: join(folder, 'a'), format, ...what, force: true, json: false };
  await exportIndex(api, { ...options, ...rest }, err, out);
  return String(out.read() ?? '');
}

describe('standard output', () => {
  test('has documents byte for byte where programs read it', async () => {
    const text = await exported({ output: '-' });
    expect(text.split('\n').slice(1, 3)).toEqual(DOCUMENTS);
    expect(await exported({ output: '-', format: { format: 'csv', compression: 'none' } })).toContain(HOSTILE);
  });

  test('has, on a terminal, escapes for controls, in JSON that means the same', async () => {
    const text = await exported({ output: '-' }, true);
    expect(text).not.toMatch(/[\u007f-\u009f\u202e\u2028]/);
    const [, first = '', second] = text.split('\n');
    expect(JSON.parse(first)).toEqual({ _id: '1', t: HOSTILE });
    expect(second).toBe(DOCUMENTS[1]);
  });

  test('has, on a terminal, no controls in a table', async () => {
    const table = await exported({ output: '-', format: { format: 'csv', compression: 'none' } }, true);
    expect(table).not.toMatch(/[\u007f-\u009f\u202e\u2028]/);
    expect(table).toContain('"a\ufffd2J\ufffdb\ufffd\ufffdc é😀"');
  });

  test('has one JSON value about an export to a file, where that is asked for', async () => {
    const output = join(folder, 'x.jsonl');
    const told = await exported({ output, json: true });
    expect(JSON.parse(told)).toEqual({ index: join(folder, 'a'), output, documents: 2 });
    expect((await readFile(output, 'utf8')).split('\n').slice(1, 3)).toEqual(DOCUMENTS);
    await expect(exported({ output: '-', json: true })).rejects.toThrow('--json is for an export to a file');
  });
});

test('rules and synonyms stand in the header of an export of an index that has some', async () => {
  const [rules, synonyms] = [[{ id: 'r', condition: {}, consequence: { hidden: ['1'] } }], [{ terms: ['a', 'b'] }]];
  const headerOf = async (rest: Partial<ExportOptions> = {}) =>
    JSON.parse((await exported({ output: '-', ...rest })).split('\n')[0] ?? '').pelorus;
  const without = { format: 3, index: join(folder, 'a'), settings: { model: 'm' } };
  expect(await headerOf()).toEqual(without);
  curation = { version: 3, updatedAt: '2026-01-01T00:00:00.000Z', rules, synonyms };
  try {
    expect(await headerOf()).toEqual({ ...without, format: 4, curation: { rules, synonyms } });
    expect(await headerOf({ rules: false })).toEqual(without);
    const defaults = { version: 4, updatedAt: null, rules: [], synonyms: [], searchDefaults: { prefix: 'last' } };
    curation = defaults as typeof curation;
    const header = { ...without, format: 4, curation: { rules: [], synonyms: [], searchDefaults: { prefix: 'last' } } };
    expect(await headerOf()).toEqual(header);
  } finally {
    curation = NONE;
  }
});
