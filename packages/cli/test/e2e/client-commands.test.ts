import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { emptyFolder, freePort, ServerProcess } from './server-process.js';

const MAIN = fileURLToPath(new URL('../../dist/main.js', import.meta.url));

interface Ended {
  readonly code: number;
  readonly out: string;
  readonly said: string;
}

let server: ServerProcess;
const data = emptyFolder('commands');
beforeAll(async () => {
  server = await ServerProcess.start(['--data', data]);
});
afterAll(async () => {
  await server.end();
  rmSync(data, { recursive: true, force: true });
});

/** Runs the command against the server, or that at `url`. */
function pelorus(words: string[], url = server.address): Promise<Ended> {
  const env = { ...process.env, FORCE_COLOR: undefined, PELORUS_URL: url };
  return new Promise((resolve) => {
    execFile(process.execPath, [MAIN, ...words], { env, cwd: data }, (error, out, said) => {
      resolve({ code: error === null ? 0 : Number(error.code), out, said });
    });
  });
}

const json = ({ out }: Ended) => JSON.parse(out);

test('an index is made, listed, shown, searched and deleted', async () => {
  expect(await pelorus(['indexes', 'list'])).toEqual({
    code: 0,
    out: '',
    said: expect.stringContaining('no index yet'),
  });
  const made = await pelorus(['indexes', 'create', 'notes', '--model', 'random/small']);
  expect(made.out).toBe('The index notes is made; its model is random/small\n');
  const again = await pelorus(['indexes', 'create', 'notes']);
  expect(again).toMatchObject({ code: 1, said: expect.stringMatching(/^pelorus: .*\(index_already_exists\)\n$/) });

  const documents = [
    { _id: '1', title: 'Puncture', text: 'Patch the inner tube.', minutes: 20, big: 9007199254740993n },
    { _id: '2', title: 'Tomatoes', text: 'Water at the root.', minutes: 15 },
    { _id: 'three', title: 'Sourdough', text: 'Feed the starter.', minutes: 90 },
  ];
  const body = JSON.stringify({ documents, tensorFields: ['text'] }, (_, value) =>
    typeof value === 'bigint' ? (JSON as any).rawJSON(String(value)) : value,
  );
  const added = await fetch(`${server.address}/indexes/notes/documents`, {
    ...{ method: 'POST', headers: { 'content-type': 'application/json' }, body },
  });
  expect(((await added.json()) as any).errors).toBe(false);

  expect((await pelorus(['indexes', 'list'])).out).toMatch(/^notes +3 +3 +READY +random\/small$/m);
  expect(json(await pelorus(['indexes', 'list', '--json']))).toEqual({
    indexes: [expect.objectContaining({ indexName: 'notes', numberOfDocuments: 3 })],
  });
  expect((await pelorus(['indexes', 'show', 'notes'])).out).toMatch(/^documents +3\nvectors +3$/m);
  expect(json(await pelorus(['indexes', 'show', 'notes', '--json']))).toMatchObject({
    ...{ index: { indexName: 'notes' }, stats: { numberOfDocuments: 3 } },
  });

  const words = await pelorus(['search', 'notes', 'root', '--method', 'lexical', '--fields', 'title,text']);
  expect(words.out).toMatch(/^1 +\d+\.\d{4} +2 +Tomatoes\n +text: Water at the \*root\*\.\n1 hit in \d+ ms\n$/m);
  const explained = await pelorus(['search', 'notes', 'root', '--method', 'hybrid', '--explain', '--limit', '1']);
  expect(explained.out).toMatch(/█+.* share of the lexical leg/);
  const few = json(await pelorus(['search', 'notes', 'tube', '--filter', 'minutes:[* TO 15]', '--json']));
  expect(few.hits.map((hit: any) => hit._id)).toEqual(['2']);
  const bad = await pelorus(['search', 'notes', 'tube', '--filter', 'minutes:[']);
  expect(bad).toMatchObject({ code: 1, out: '', said: expect.stringMatching(/^pelorus: [^\n]+\n$/) });

  expect((await pelorus(['documents', 'count', 'notes'])).out).toBe('3\n');
  expect(json(await pelorus(['documents', 'count', 'notes', '--filter', 'minutes:[* TO 20]', '--json']))).toEqual({
    documents: 2,
  });
  expect((await pelorus(['documents', 'get', 'notes', '1', '--json'])).out).toContain('9007199254740993');
  expect((await pelorus(['documents', 'get', 'notes', '1'])).out).toContain('"big": 9007199254740993');
  expect((await pelorus(['search', 'notes', 'tube', '--limit', '3'])).out).toContain('big: 9007199254740993');
  const got = await pelorus(['documents', 'get', 'notes', 'three', 'four']);
  expect(got).toMatchObject({ code: 1, said: 'pelorus: The index notes has no document "four"\n' });
  expect(json(got)).toMatchObject({ _id: 'three', title: 'Sourdough' });
  const gone = await pelorus(['documents', 'delete', 'notes', 'three', 'four']);
  expect(gone).toEqual({ code: 1, out: '1 document deleted\n', said: got.said });

  const asked = await pelorus(['indexes', 'delete', 'notes']);
  expect(asked).toMatchObject({
    code: 2,
    said: expect.stringContaining('its 2 documents for good? Say so with --yes'),
  });
  expect((await pelorus(['indexes', 'delete', 'notes', '--yes'])).out).toBe('The index notes is deleted\n');
  expect(json(await pelorus(['indexes', 'list', '--json']))).toEqual({ indexes: [] });
});

test('a shop cannot be made on a server that is not hosted, which is said', async () => {
  expect(await pelorus(['shop', 'demo'])).toMatchObject({
    ...{ code: 1, said: expect.stringMatching(/^pelorus: [^\n]*is not in the hosted form[^\n]*serve --hosted`\n$/) },
  });
});

test('models are listed with their sizes, and one that is none is told with those most like it', async () => {
  const { models } = json(await pelorus(['models', 'list', '--json']));
  expect(models).toContainEqual({ name: 'random/small', isHere: true, folder: null, bytes: 0 });
  expect(models.find(({ name }: any) => name === 'hf/all-MiniLM-L6-v2')?.bytes).toBeGreaterThan(80_000_000);
  const unknown = await pelorus(['models', 'pull', 'hf/e5-tiny-v2']);
  expect(unknown).toMatchObject({ code: 2, out: '', said: expect.stringMatching(/^pelorus: [^\n]*hf\/e5-[^\n]*\n$/) });
});

test('the doctor finds the server at its port', async () => {
  const { port } = new URL(server.address);
  const { verdict, findings } = json(await pelorus(['doctor', '--port', port, '--data', data, '--json']));
  expect(verdict).not.toBe('fault');
  const found = Object.fromEntries(findings.map((finding: any) => [finding.subject, finding.found]));
  expect(found.port).toMatch(/^Pelorus .* answers at port/);
  expect(found['native engine']).toMatch(/^loads on/);
});

test('a reader that has enough ends no command with an error', async () => {
  const child = spawn(process.execPath, [MAIN, 'completion', 'bash'], { stdio: ['ignore', 'pipe', 'pipe'] });
  child.stdout.destroy();
  let said = '';
  child.stderr.on('data', (text) => (said += text));
  const [code] = await once(child, 'close');
  expect([code, said]).toEqual([0, '']);
});

test('a missing native engine is one line with an exit code of its own', async () => {
  const { PELORUS_NATIVE_PATH: before } = process.env;
  process.env.PELORUS_NATIVE_PATH = join(data, 'nowhere.node');
  const ended = await pelorus(['serve', '--port', '0', '--data', join(data, 'other')]);
  if (before === undefined) delete process.env.PELORUS_NATIVE_PATH;
  else process.env.PELORUS_NATIVE_PATH = before;
  expect(ended).toMatchObject({
    code: 8,
    out: '',
    said: expect.stringMatching(/^pelorus: PELORUS_NATIVE_PATH [^\n]+\n$/),
  });
});

describe('a port where nothing listens ends each command at once, with what to do', () => {
  test.each([
    ['demo'],
    ['search', 'notes', 'words'],
    ['indexes', 'list'],
    ['documents', 'count', 'notes'],
    ['shop', 'demo'],
    ['export', 'notes', '--output', '-'],
    ['import', 'notes', MAIN, '--format', 'jsonl'],
  ])('%s %s', async (...words) => {
    const nowhere = `http://127.0.0.1:${await freePort()}`;
    const ended = await pelorus(words, nowhere);
    expect(ended).toMatchObject({ code: 9, out: '' });
    expect(ended.said).toMatch(/^pelorus: No server answers at http[^\n]*pelorus serve[^\n]*\n$/);
  });
});
