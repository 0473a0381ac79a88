import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { EmbeddedEngine, type StorageEngine } from '@pelorus/engine';
import { createInference, type Inference } from '@pelorus/inference';
import { OpenSearchEngine } from '@pelorus/opensearch';
import { createServer, engineOptions, openKeys, readConfig } from '@pelorus/server';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseExactly } from '../../src/exact-json.js';
import { Api } from '../../src/transfer/api.js';
import { exportIndex } from '../../src/transfer/exporting.js';
import { formatOf } from '../../src/transfer/file-format.js';
import { importDocuments } from '../../src/transfer/importing.js';
import { emptyFolder } from './server-process.js';
import { startProcess } from './start-process.js';
import { COUNT, documentsOf, type Kind, kinds, searches } from './transferred-indexes.js';

const MAIN = fileURLToPath(new URL('../../dist/main.js', import.meta.url));
const NODES = process.env.PELORUS_TEST_OPENSEARCH ?? '';
const hasNoCluster = NODES === '';
if (hasNoCluster)
  console.warn('skipped: moves to and from an OpenSearch cluster, which PELORUS_TEST_OPENSEARCH would name');

const folder = emptyFolder('moving');
const prefix = `t${randomUUID().replaceAll('-', '').slice(0, 12)}`;

/** A server in this process, over one kind of engine. */
class MovingServer {
  readonly address: string;
  /** Inputs of documents that were embedded. */
  embedded = 0;
  /** Waits before documents are added. */
  addDelayMs = 0;
  readonly #close: () => Promise<void>;

  private constructor(address: string, close: () => Promise<void>) {
    this.address = address;
    this.#close = close;
  }

  static async over(name: string, open: (data: string) => Promise<StorageEngine>): Promise<MovingServer> {
    const data = join(folder, name);
    mkdirSync(data);
    const config = readConfig({ PELORUS_DATA_DIR: data, MARQO_LOG_LEVEL: 'silent' });
    const engine = await open(data);
    const inference = createInference({ hubUrl: null, threads: 1 });
    const keys = await openKeys(config, {});
    let server: MovingServer | undefined;
    const counting = new Proxy(inference, {
      get: (target, member: keyof Inference) => {
        const method = (target[member] as (...given: unknown[]) => unknown).bind(target);
        if (member !== 'embed') return method;
        return (model: unknown, inputs: { readonly count: number }, ...rest: unknown[]) => {
          if (server !== undefined) server.embedded += inputs.count;
          return method(model, inputs, ...rest);
        };
      },
    });
    const app = createServer({ engine, inference: counting, keys, config, docs: false });
    app.addHook('onRequest', async (request) => {
      const isAdd = request.method === 'POST' && request.url.endsWith('/documents');
      if (isAdd && server !== undefined) await sleep(server.addDelayMs);
    });
    await app.listen({ host: '127.0.0.1', port: 0 });
    server = new MovingServer(`http://127.0.0.1:${(app.server.address() as AddressInfo).port}`, async () => {
      await app.close();
      await inference.close();
      for (const index of await engine.listIndexes()) await engine.dropIndex(index);
      await engine.close();
      await keys.close();
    });
    return server;
  }

  close(): Promise<void> {
    return this.#close();
  }

  /** The answer, which must be a success. */
  async ok(method: string, path: string, body?: unknown): Promise<any> {
    const sent = typeof body === 'string' ? body : JSON.stringify(body);
    const response = await fetch(`${this.address}${path}`, {
      method,
      headers: { ...(sent !== undefined && { 'content-type': 'application/json' }) },
      ...(sent !== undefined && { body: sent }),
    });
    const answer = await response.json();
    expect(response.status, JSON.stringify(answer)).toBeLessThan(300);
    return answer;
  }
}

let [embedded, cluster] = [undefined, undefined] as unknown as MovingServer[];

const silent = () => new PassThrough().resume() as unknown as NodeJS.WriteStream;

async function exportTo(server: MovingServer, index: string, output: string): Promise<void> {
  const what = { filter: undefined, vectors: true, suggestions: true, rules: true, force: true, json: false };
  const options = { index, output, format: formatOf(output, undefined), ...what };
  await exportIndex(new Api({ url: server.address, apiKey: undefined }), options, silent());
}

async function importFrom(server: MovingServer, index: string, file: string): Promise<void> {
  const api = new Api({ url: server.address, apiKey: undefined });
  const documents = {
    idField: undefined,
    omittedFields: [],
    nulls: 'drop',
    unstorable: 'flatten',
    model: undefined,
    isDryRun: false,
    tensorFields: undefined,
    mappings: undefined,
  } as const;
  const table = { textFields: [], numberFields: [], encoding: undefined, delimiter: undefined };
  const how = {
    batchSize: 128,
    requests: 4,
    failuresMax: 1,
    failed: `${file}.failed`,
    restart: true,
    asIs: false,
    rules: true,
  };
  const options = { index, file, from: undefined, format: formatOf(file, undefined) };
  await importDocuments(api, { ...options, ...documents, ...table, ...how, json: false }, silent());
}

/** Ids that are long, not composed, controls, parts of paths and of queries, and no texts to look at. */
const IDS = ['e\u0301', '/', '../..', '%2F', ' ', '"', '\\', 'a\u0000b', '\u2028', '😀', 'x'.repeat(900), '*', 'i0'];
const QUERIES = [
  { query: 'Red Ship', popularity: 0.1 + 0.2, metadata: { clicks: 3, rate: 1e-7 } },
  { query: 'Crème brûlée', popularity: 12, metadata: {} },
  ...Array.from({ length: 300 }, (_, at) => ({ query: `query ${at}`, popularity: at, metadata: { at } })),
];

/** bfloat16 is for the embedded engine alone. */
const settingsOf = ({ settings }: Kind) => ({ ...settings, ...('vectorNumericType' in settings && FLOATS) });
const FLOATS = { vectorNumericType: 'float' };

async function fill(server: MovingServer, kind: Kind): Promise<void> {
  await server.ok('POST', `/indexes/${kind.name}`, settingsOf(kind));
  const odd = IDS.map((id) => `{"_id":${JSON.stringify(id)},"title":"odd ship"}`);
  const documents = [...documentsOf(kind), ...odd];
  const rest = JSON.stringify(kind.rest).slice(1, -1);
  for (let start = 0; start < documents.length; start += 100) {
    const some = documents.slice(start, start + 100).join(',');
    const answer = await server.ok(
      'POST',
      `/indexes/${kind.name}/documents`,
      `{"documents":[${some}]${rest && `,${rest}`}}`,
    );
    expect(answer).toMatchObject({ errors: false });
  }
  for (let start = 0; start < QUERIES.length; start += 128) {
    const queries = QUERIES.slice(start, start + 128);
    await server.ok('POST', `/indexes/${kind.name}/suggestions/queries`, { queries });
  }
  // They are about a query that no other search here asks.
  const rules = [
    { id: 'r', condition: { query: 'nothing of it' }, consequence: { filter: 'truth:true', hidden: ['d1'] } },
  ];
  await server.ok('PUT', `/indexes/${kind.name}/curation`, { rules, synonyms: [{ terms: ['nowhere', 'no place'] }] });
}

/** All that an export has, values as they are spelt, in an order that does not depend on the engine. */
async function contents(server: MovingServer, index: string): Promise<{ header: any; documents: string[] }> {
  const file = join(folder, 'contents.jsonl');
  await exportTo(server, index, file);
  const [first = '', ...lines] = readFileSync(file, 'utf8').trim().split('\n').slice(0, -1);
  const documents = lines.map((line) => {
    const { _tensors = [], ...members } = parseExactly(line) as Record<string, any>;
    const tensors = [..._tensors].sort((a: any, b: any) => (a.field < b.field ? -1 : 1));
    const sorted = Object.entries({ ...members, _tensors: tensors }).toSorted(([a], [b]) => (a < b ? -1 : 1));
    return JSON.stringify(sorted);
  });
  return { header: JSON.parse(first).pelorus, documents: documents.toSorted() };
}

interface Hit {
  readonly _id: string;
  readonly _score: number;
}

/** Expects the same hits with the same scores; those of equal scores in any order, as engines differ in it. */
function expectAlike(found: any, expected: any, what: string): void {
  // Fusion goes by ranks, in which equal scores stand in any order.
  if (what.includes('HYBRID')) {
    const ids = new Set(expected.hits.map(({ _id }: Hit) => _id));
    expect(found.hits.length, what).toBe(expected.hits.length);
    expect(found.hits.filter(({ _id }: Hit) => ids.has(_id)).length, what).toBeGreaterThanOrEqual(0.8 * ids.size);
    expect([found.facets, found.totalHits], what).toEqual([expected.facets, expected.totalHits]);
    return;
  }
  const rest = ({ hits, processingTimeMs, ...others }: any) => others;
  expect(rest(found), what).toEqual(rest(expected));
  const scores = ({ hits }: { hits: Hit[] }) => hits.map(({ _score }) => _score);
  expect(scores(found).length, what).toBe(scores(expected).length);
  for (const [at, score] of scores(found).entries()) expect(score, what).toBeCloseTo(scores(expected)[at] as number, 4);
  const last = scores(expected).at(-1) ?? 0;
  // A page may have other ones of the last score.
  // Either of two chunks that are equally near may be the highlight.
  const certain = ({ hits }: { hits: (Hit & { _highlights?: unknown })[] }) =>
    hits
      .filter(({ _score }) => _score > last + 1e-4)
      .map(({ _score, _highlights, ...members }) => JSON.stringify(members))
      .toSorted();
  expect(certain(found), what).toEqual(certain(expected));
}

beforeAll(async () => {
  if (hasNoCluster) return;
  const limits = engineOptions(readConfig({}));
  embedded = await MovingServer.over('embedded', (data) => EmbeddedEngine.open(data, limits));
  cluster = await MovingServer.over('cluster', () =>
    OpenSearchEngine.open({ nodes: NODES.split(','), prefix, replicas: 0, limits }),
  );
});
afterAll(async () => {
  await embedded?.close();
  await cluster?.close();
  rmSync(folder, { recursive: true, force: true });
});

const [structured, unstructured] = ['structured', 'unstructured'].map((name) =>
  kinds.find((kind) => kind.name === name),
) as [Kind, Kind];

describe.skipIf(hasNoCluster).each<[from: string, to: string, kind: Kind, extension: string]>([
  ['the embedded engine', 'a cluster', unstructured, 'jsonl'],
  ['a cluster', 'the embedded engine', structured, 'jsonl.zst'],
])('an index moved from %s to %s', (from, _, kind, extension) => {
  const { name } = kind;
  let [source, target] = [undefined, undefined] as unknown as MovingServer[];
  const file = join(folder, `${name}.${extension}`);

  beforeAll(async () => {
    [source, target] = from === 'a cluster' ? [cluster, embedded] : [embedded, cluster];
    await fill(source as MovingServer, kind);
    await exportTo(source as MovingServer, name, file);
    (target as MovingServer).embedded = 0;
    await importFrom(target as MovingServer, name, file);
  });

  test('is whole to the last bit, and nothing of it was embedded anew', async () => {
    const [there, here] = [await contents(source as MovingServer, name), await contents(target as MovingServer, name)];
    expect(there.documents).toHaveLength(COUNT + IDS.length);
    expect(here.header.queries).toHaveLength(QUERIES.length);
    expect(here.header).toEqual(there.header);
    const different = here.documents.findIndex((text, at) => text !== there.documents[at]);
    expect(here.documents[different]).toBe(there.documents[different]);
    expect(here.documents.length).toBe(there.documents.length);
    expect(source?.embedded).toBeGreaterThan(0);
    expect(target?.embedded).toBe(0);
  });

  test('answers searches, filters, facets, suggestions and reads alike', async () => {
    const facets = {
      trackTotalHits: true,
      facets: { fields: { share: { type: 'number' }, body: { type: 'string', maxResults: 5 } } },
    };
    const hybrid = { q: 'red north', searchMethod: 'HYBRID', limit: 20, approximate: false };
    const lexical = { q: 'red "ship"', searchMethod: 'LEXICAL', limit: COUNT };
    // Engines count documents otherwise where stems of a word differ between languages: these words have one each.
    const alike = searches.filter((search) => !JSON.stringify(search).match(/quoted|blue/));
    for (const search of [...alike, lexical, { ...hybrid, filter: 'truth:true' }, { ...hybrid, ...facets }]) {
      const ask = (server: MovingServer | undefined) => server?.ok('POST', `/indexes/${name}/search`, search);
      expectAlike(await ask(target), await ask(source), JSON.stringify(search));
    }
    for (const q of ['red', 'creme', 'qery 12']) {
      const ask = (server: MovingServer | undefined) => server?.ok('POST', `/indexes/${name}/suggestions`, { q });
      const [{ suggestions }, expected] = [await ask(target), await ask(source)];
      expect(suggestions).toEqual(expected.suggestions);
    }
    for (const id of ['d7', ...IDS.slice(0, 3)]) {
      const path = `/indexes/${name}/documents/get-batch?exposeFacets=true`;
      const ask = (server: MovingServer | undefined) => server?.ok('POST', path, { documentIds: [id] });
      expect(await ask(target), id).toEqual(await ask(source));
    }
  });

  test('is moved by an import that was killed and begun again', async () => {
    const server = target as MovingServer;
    const args = [MAIN, 'import', 'killed', file, '--url', server.address, '--batch-size', '20', '--requests', '2'];
    server.addDelayMs = 150;
    const child = startProcess(process.execPath, args, { cwd: folder, stdio: 'ignore' });
    const state = `${file}.import-state.json`;
    while (!existsSync(state)) await sleep(5);
    child.kill('SIGKILL');
    await once(child, 'close');
    server.addDelayMs = 0;
    expect(JSON.parse(readFileSync(state, 'utf8')).items).toBeLessThan(COUNT);

    const again = startProcess(process.execPath, args, { cwd: folder, stdio: 'ignore' });
    expect(await once(again, 'close')).toEqual([0, null]);
    expect(existsSync(state)).toBe(false);
    const [there, here] = [await contents(source as MovingServer, name), await contents(server, 'killed')];
    expect(here.documents).toEqual(there.documents);
    expect(here.header).toEqual({ ...there.header, index: 'killed' });
    await server.ok('DELETE', '/indexes/killed');
    expect(server.embedded).toBe(0);
  });
});

test.skipIf(hasNoCluster)('an index that no cluster has is refused before a document is sent', async () => {
  const file = join(folder, 'halves.jsonl');
  await embedded?.ok('POST', '/indexes/halves', structured.settings);
  await exportTo(embedded as MovingServer, 'halves', file);
  const refused = importFrom(cluster as MovingServer, 'halves', file);
  await expect(refused).rejects.toThrow(
    /^Index halves cannot be made with the settings of halves: 400: [^\n]*bfloat16/,
  );
  expect((await (cluster as MovingServer).ok('GET', '/indexes')).results).not.toContainEqual({ indexName: 'halves' });
});
