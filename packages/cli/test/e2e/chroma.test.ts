import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { fetched, orSkip } from './fetched.js';
import { chroma, pythonWith } from './python-environment.js';
import { emptyFolder, freePort, ServerProcess } from './server-process.js';
import { startProcess } from './start-process.js';

const MAIN = fileURLToPath(new URL('../../dist/main.js', import.meta.url));
const COLLECTIONS = '/api/v2/tenants/default_tenant/databases/default_database/collections';
const COUNT = 1500;

const folder = emptyFolder('chroma');
let server: ServerProcess;

beforeAll(async () => {
  for (const name of ['data', 'work']) mkdirSync(join(folder, name));
  server = await ServerProcess.start(['--data', join(folder, 'data'), '--hub', 'none']);
});
afterAll(async () => {
  await server?.end();
  rmSync(folder, { recursive: true, force: true });
});

/** Starts a server of Chroma, as its own command does, and waits until it answers; its address. */
async function startChroma(python: string): Promise<string> {
  const port = await freePort();
  const run = ['run', '--host', '127.0.0.1', '--port', String(port), '--path', join(folder, 'chroma')];
  const program = `import chromadb_rust_bindings; chromadb_rust_bindings.cli(${JSON.stringify(['chroma', ...run])})`;
  const service = startProcess(python, ['-c', program], { cwd: folder, stdio: 'ignore' });
  onTestFinished(async () => {
    const ended = once(service, 'exit');
    if (service.kill()) await ended;
  });
  const address = `http://127.0.0.1:${port}`;
  while (service.exitCode === null) {
    const answer = await fetch(`${address}/api/v2/heartbeat`).catch(() => undefined);
    if (answer?.ok) return address;
    await sleep(50);
  }
  throw new Error(`Chroma ended with ${service.exitCode}`);
}

/** Calls Chroma; the body is JSON, since it has numbers that JavaScript would round. */
async function call(url: string, body: string): Promise<any> {
  const answer = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  const text = await answer.text();
  expect(answer.ok, text).toBe(true);
  return JSON.parse(text);
}

const idOf = (at: number) => (at % 50 === 0 ? `sku/${at} ünï "q" \\ 日本` : `p${at}`);
const bigOf = (at: number) => 9007199254740993n + BigInt(at);
const vectorOf = (at: number) => [Math.cos(at), Math.sin(at), at / COUNT];
const ODD = 700;

/** Adds records of every type of metadata. Number `ODD` cannot be imported. */
async function fill(collection: string): Promise<void> {
  for (let start = 0; start < COUNT; start += 500) {
    const numbers = Array.from({ length: 500 }, (_, at) => start + at);
    const metadatas = numbers.map(
      (at) =>
        `{"name":"n ${at}","price":${at}.5,"big":${bigOf(at)},"ok":${at % 2 === 0},"when":"2024-01-02T03:04:05Z"${at === ODD ? ',"document":"x","own_document":"y"' : ''}}`,
    );
    const texts = numbers.map((at) => (at % 4 > 0 ? null : `text ${at}`));
    const given = `"ids":${JSON.stringify(numbers.map(idOf))},"embeddings":${JSON.stringify(numbers.map(vectorOf))}`;
    await call(`${collection}/add`, `{${given},"documents":${JSON.stringify(texts)},"metadatas":[${metadatas}]}`);
  }
}

function imported(...args: string[]): Promise<{ readonly code: number; readonly said: string }> {
  return new Promise((resolve) => {
    const options = { cwd: join(folder, 'work'), env: { ...process.env, PELORUS_URL: server.address } };
    execFile(process.execPath, [MAIN, 'import', 'from-chroma', ...args], options, (error, _out, said) =>
      resolve({ code: error === null ? 0 : Number(error.code), said }),
    );
  });
}

test('a collection of a real Chroma is imported whole, also where it changes while an import waits', async (context) => {
  const python = await orSkip(
    context,
    fetched(() => pythonWith(chroma)),
  );
  const address = await startChroma(python);
  const made = '{"name":"products","configuration":{"hnsw":{"space":"ip"}}}';
  const { id } = await call(`${address}${COLLECTIONS}`, made);
  const collection = `${address}${COLLECTIONS}/${id}`;
  await fill(collection);
  const from = [`${address}/products`, '--from', 'chroma'];
  const stopped = await imported(...from, '--max-failures', '1', '--batch-size', '20', '--requests', '1');
  expect(stopped.said).toMatch(/The same command goes on after item 7\d\d/);
  // Numbers of all that follow change, and the record at which it stopped is gone.
  const gone = Array.from({ length: COUNT }, (_, at) => at).filter((at) => at % 3 === 0 || (at >= ODD && at < 800));
  await call(`${collection}/delete`, JSON.stringify({ ids: gone.map(idOf) }));
  const ended = await imported(...from);
  expect(ended.said).toContain('Going on after item');
  const scanned = await server.ok('POST', '/indexes/from-chroma/documents/scan', { limit: 10_000 });
  const stored = new Map<string, any>(scanned.documents.map((document: any) => [document._id, document]));
  const there = Array.from({ length: COUNT }, (_, at) => at).filter((at) => !gone.includes(at));
  expect(there.filter((at) => stored.get(idOf(at))?.name !== `n ${at}`)).toEqual([]);
  const { _id, name, price, ok, when, document } = stored.get(idOf(100));
  expect([_id, name, price, ok, when, document]).toEqual([
    idOf(100),
    'n 100',
    100.5,
    true,
    '2024-01-02T03:04:05Z',
    'text 100',
  ]);
  const exact = { q: '*', searchMethod: 'LEXICAL', filter: `big:[${bigOf(101)} TO ${bigOf(101)}]` };
  const found = await server.ok('POST', '/indexes/from-chroma/search', exact);
  expect(found.hits.map((hit: any) => hit._id)).toEqual([idOf(101)]);
  const q = { customVector: { vector: vectorOf(COUNT - 1) } };
  const near = await server.ok('POST', '/indexes/from-chroma/search', { q, limit: 1 });
  expect(near.hits[0]._id).toMatch(/^p1[34]\d\d$/);
});
